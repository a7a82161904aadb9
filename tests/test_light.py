"""What answers from formulas alone loads no engine, plot or sampler, and runs without extras.

Counted in modules, not in seconds: a busy machine changes nothing.
"""

import json
import subprocess
import sys

import pytest

EXTRAS = {"altair", "cyvcf2", "distributed", "duckdb", "ibis", "msprime", "opendp", "pandas"} | {
    "pyarrow",
    "sqlglot",
    "vl_convert",
}
"""What `pip install deniable` does not bring."""

HEAVY = EXTRAS | {"dask", "joblib", "matplotlib", "scipy.special", "scipy.stats"}

PROGRAM = """
import json, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in set(sys.argv[1].split(",")) - {""}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
status = 0
try:
    from deniable.cli import main
    arguments, sys.argv = sys.argv[2:], ["deniable", *sys.argv[2:]]
    main()
except SystemExit as done:
    status = done.code
print(json.dumps({"status": status, "loaded": sorted(sys.modules)}), file=sys.stderr)
"""


def ran(*arguments, missing=(), cwd=None):
    """Exit status, standard error but for its last line, and the modules that were loaded."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, ",".join(missing), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )
    *said, last = done.stderr.strip().splitlines()
    report = json.loads(last)
    return report["status"], said, set(report["loaded"])


@pytest.fixture
def files(tmp_path):
    """Inputs of the commands below."""
    coin = {"universe": ["a"], "outputs": ["0", "1"], "rows": {"": [0.5, 0.5], "a": [0.25, 0.75]}}
    (tmp_path / "coin.json").write_text(json.dumps(coin))

    (tmp_path / "plan.toml").write_text('[data]\nsuorce = "visits.parquet"\n')
    (tmp_path / "visits.parquet").write_bytes(b"")
    return tmp_path


FORMULAS = {
    "explain": ["explain", "--epsilon", "1", "--prior", "0.1", "0.5"],
    "calibrate": ["calibrate", "--gamma", "2"],
    "calibrate with delta": ["calibrate", "--gamma", "2", "--delta", "1e-6"],
    "derive": ["derive", "pure-dp:1.0", "advantage"],
}


@pytest.mark.parametrize("name", FORMULAS)
def test_beliefs_and_theorems_load_not_even_numpy(name):
    status, _, loaded = ran(*FORMULAS[name], missing=EXTRAS)
    assert status == 0
    assert loaded & (HEAVY | {"numpy", "scipy"}) == set()


def test_the_judge_loads_no_engine_plot_or_sampler(files):
    status, _, loaded = ran(
        "verify", files / "coin.json", "--family", "independent", missing=EXTRAS
    )
    assert status == 0
    assert loaded & (HEAVY - {"scipy.special"}) == set()
