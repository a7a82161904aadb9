"""What answers from formulas alone loads no engine, plot or sampler, and runs without extras.

Counted in modules, not in seconds: a busy machine changes nothing.
"""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cases.genotype_files import plink_files
from tests.cases.sample_certificate import sample_certificate

EXTRAS = {
    "altair",
    "bgen",
    "cyvcf2",
    "distributed",
    "duckdb",
    "ibis",
    "msprime",
    "llvmlite",
    "numkong",
    "opendp",
    "pandas",
    "pgenlib",
} | {
    "pyarrow",
    "sqlglot",
}
"""What `pip install deniable` does not bring."""

HEAVY = EXTRAS | {"dask", "joblib", "matplotlib", "pydantic", "scipy.special", "scipy.stats"}

STUDIES = tuple(
    f"deniable.gwas.{room}" for room in ("association", "files", "publication.check_", "scores")
)
"""How the names of modules begin that only genome studies need."""

WHOLE_PLAN = """
[data]
source = "visits.parquet"
[target]
gamma = 2.0
[[query]]
name = "age"
statistic = "mean"
column = "age"
bounds = [0, 100]
"""

PROGRAM = """
import json, sys

missing, lines = set(sys.argv[1].split(",")) - {""}, json.loads(sys.argv[2])

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
statuses = []
for sys.argv[1:] in lines:
    status = 0
    try:
        from deniable.cli import main
        main()
    except SystemExit as done:
        status = done.code or 0
    statuses.append(status)
print(json.dumps({"statuses": statuses, "loaded": sorted(sys.modules)}), file=sys.stderr)
"""


def ran_all(lines, missing=(), cwd=None):
    """Exit statuses, standard error but for its last line, and all modules that were loaded.

    Of command lines that are run one after the other by one process.
    """
    words = json.dumps([[str(word) for word in line] for line in lines])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, ",".join(missing), words],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )
    *said, last = done.stderr.strip().splitlines()
    report = json.loads(last)
    return report["statuses"], said, set(report["loaded"])


def ran(*arguments, missing=(), cwd=None):
    """The same of one line."""
    (status,), said, loaded = ran_all([arguments], missing, cwd)
    return status, said, loaded


@pytest.fixture
def files(tmp_path):
    """Inputs of the commands below."""
    coin = {"universe": ["a"], "outputs": ["0", "1"], "rows": {"": [0.5, 0.5], "a": [0.25, 0.75]}}
    (tmp_path / "coin.json").write_text(json.dumps(coin))

    text = json.dumps(sample_certificate().as_json())
    (tmp_path / "certificate.json").write_text(text, encoding="utf-8")
    (tmp_path / "plan.toml").write_text('[data]\nsuorce = "visits.parquet"\n')
    pq.write_table(pa.table({"age": [30, 40]}), tmp_path / "visits.parquet")
    (tmp_path / "whole.toml").write_text(WHOLE_PLAN)
    calls = [[0, 1, 2, 1], [1, 1, 0, 2]]
    plink_files(tmp_path, calls, ["case", "control", "case", "control"])
    (tmp_path / "study.vcf").write_text("##fileformat=VCFv4.2\n")
    (tmp_path / "pheno.txt").write_text("a a 1\n")
    return tmp_path


FORMULAS = [
    ["explain", "--epsilon", "1", "--prior", "0.1", "0.5"],
    ["calibrate", "--gamma", "2"],
    ["calibrate", "--gamma", "2", "--delta", "1e-6"],
    ["derive", "pure-dp:1.0", "advantage"],
    ["risk", "zcdp:0.5", "--baseline", "0.1"],
]


def test_beliefs_and_theorems_load_not_even_numpy():
    statuses, said, loaded = ran_all(FORMULAS, missing=EXTRAS)
    assert statuses == [0] * len(FORMULAS), said
    assert loaded & (HEAVY | {"numpy", "scipy"}) == set()


def test_a_book_is_shown_without_numpy(tmp_path):
    words = ["--dataset", "visits", "--entity", "person", "--gamma", "4"]
    assert ran("ledger", "new", "a.ledger", *words, cwd=tmp_path)[0] == 0
    status, _, loaded = ran("ledger", "show", "a.ledger", missing=EXTRAS, cwd=tmp_path)
    assert status == 0
    assert loaded & (HEAVY | {"numpy", "scipy"}) == set()


def test_the_judge_loads_no_engine_plot_or_sampler(files):
    status, _, loaded = ran(
        "verify", files / "coin.json", "--family", "independent", missing=EXTRAS
    )
    assert status == 0
    assert loaded & (HEAVY - {"scipy.special"}) == set()


def test_a_certificate_is_checked_without_engine_plot_or_sampler(files):
    status, _, loaded = ran("check", files / "certificate.json", missing=EXTRAS)
    assert status in (0, 2)  # made up: whether its sentences hold is asked elsewhere
    assert loaded & HEAVY == set()
    assert "deniable.pipeline.noise.shares" in loaded
    genomes = {name for name in loaded if name.startswith("deniable.gwas.")}
    assert all(name.startswith("deniable.gwas.commands") for name in genomes)
    assert loaded & {"deniable.publish.page.document", "deniable.pipeline.check_files"} == set()
    assert not {each for each in loaded if each.startswith(STUDIES)}
    assert "deniable.pipeline.check_files" not in loaded  # no folder was named


def test_a_folder_is_checked_without_a_chart_or_pandas():
    folder = Path(__file__).parent / "data" / "golden" / "plan"
    status, _, loaded = ran("check", folder, missing=EXTRAS - {"pyarrow"})
    assert status == 0
    assert loaded & (EXTRAS - {"pyarrow"}) == set()


def test_a_release_and_an_audit_load_no_pandas_and_nothing_that_casts(tmp_path):
    (tmp_path / "people.csv").write_text("age,sex\n30,f\n40,m\n", encoding="utf-8")
    query = 'statistic = "count"\nwhere = [["sex", "==", "f"]]\n'
    query += 'group_by = ["sex", "age"]\nkeys = { sex = ["f", "m"], age = [30, 40] }\n'
    data = '[data]\nsource = "people.csv"\n[target]\nepsilon = 1.0\n'
    plan = f'{data}[[query]]\nname = "q"\n{query}'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    lines = ["release", "plan.toml", "--out", "out"], ["audit", "plan.toml", "--runs", "40"]
    statuses, errors, loaded = ran_all(lines, cwd=tmp_path)
    assert statuses == [0, 0], errors
    assert loaded & {"pandas", "pyarrow.compute"} == set()


def test_a_scan_without_a_plot_loads_no_plot_and_no_pandas(files):
    status, _, loaded = ran("gwas", "scan", files / "study", missing=EXTRAS - {"pyarrow"})
    assert status == 0
    assert loaded & {"flint", "pandas", "deniable.gwas.owner.private_plot"} == set()
    assert not {each for each in loaded if each.startswith("deniable.report")}


def test_a_release_of_a_study_loads_no_pandas(files):
    study, budget = files / "study", ["--epsilon", "4"]
    lines = [
        ["gwas", "release", study, "--top", "1", *budget, "--out", files / "top"],
        ["gwas", "frequencies", study, "--all-variants", "--yes", *budget, "--out", files / "all"],
    ]
    statuses, errors, loaded = ran_all(lines)
    assert statuses == [0, 0], errors
    assert "pandas" not in loaded


def test_a_misspelt_plan_is_answered_before_anything_else_is_loaded(files):
    plan = files / "plan.toml"
    lines = ["plan", plan], ["preview", plan], ["release", plan, "--out", files / "published"]
    statuses, said, loaded = ran_all(lines)
    assert statuses == [2] * 3
    assert ['Did you mean "source"?' in each for each in said] == [True] * 3
    assert loaded & (HEAVY | {"jsonschema", "numpy", "scipy", "flint", "sqlite3"}) == set()
    ours = {name.split(".")[1] for name in loaded if name.startswith("deniable.")}
    assert ours.isdisjoint({"certificate", "ledger", "mechanisms", "notions", "theorems"})


@pytest.mark.parametrize(
    ("arguments", "library", "extra"),
    [
        (["new", "visits.parquet"], "duckdb", "publish"),
        (["release", "whole.toml", "--out", "published"], "opendp", "publish"),
        (["gwas", "scan", "study"], "pyarrow", "gwas"),
        (["gwas", "scan", "study.vcf", "--pheno", "pheno.txt"], "cyvcf2", "vcf"),
    ],
)
def test_a_missing_extra_is_named_and_nothing_is_written(files, arguments, library, extra):
    before = sorted(files.iterdir())
    status, said, _ = ran(*arguments, missing=[library], cwd=files)
    assert status == 2
    assert len(said) == 1
    assert library in said[0]
    assert f"deniable[{extra}]" in said[0]
    assert sorted(files.iterdir()) == before


def test_population_privacy_and_the_explorer_need_no_extra(tmp_path):
    count = ["--ones", "5", "--population", "20", "--size", "10", "--epsilon", "1"]
    lines = ["population", "count", *count], ["explore", "--out", tmp_path / "page.html"]
    statuses, errors, loaded = ran_all(lines, missing=EXTRAS)
    assert statuses == [0, 0], errors
    assert loaded & EXTRAS == set()
    assert (tmp_path / "page.html").is_file()


STAR = """
import json, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in set(sys.argv[1].split(",")):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from deniable import *
names = set(globals())
for topic in (correlation, errors, gwas, judge, mechanisms, notions, population, priors):
    names |= {f"{topic.__name__}.{name}" for name in dir(topic) if getattr(topic, name)}
print(len(names))
"""


def test_every_public_name_can_be_had_without_extras():
    done = subprocess.run(
        [sys.executable, "-c", STAR, ",".join(EXTRAS)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 100


def test_a_plan_without_any_extra_is_answered_with_the_extra_that_it_needs(files):
    lines = ["preview", "whole.toml"], ["release", "whole.toml", "--out", "published"]
    statuses, said, _ = ran_all(lines, missing=EXTRAS, cwd=files)
    assert statuses == [2, 2]
    assert ["deniable[publish]" in each for each in said] == [True, True]
