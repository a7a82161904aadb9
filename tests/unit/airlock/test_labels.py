"""What the gate relies on: no label lets anything pass that bounds no belief about a person."""

import copy
import json
import os
import pickle
import shutil
import zipfile
import zlib
from math import exp, log
from pathlib import Path

import pytest

import deniable
from tests.cases import signed_release

GOLDEN = Path(__file__).parents[2] / "data" / "golden"
VISITS = "visit,person,home,age\n1,a,x,3\n2,a,x,4\n3,b,x,5\n4,c,y,6\n"
PLAN = {
    "data": {"entity": "person", "adjacency": "add-remove"},
    "limits": {"rows_per_entity": 1},
    "target": {"epsilon": 0.4},
    "query": [{"name": "n", "statistic": "count"}],
}


def verdicts(folder, **words):
    return {each.file: each.verdict for each in deniable.gate(folder, **words).files}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A table, and the releases that were made of it."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "visits.csv").write_text(VISITS, encoding="utf-8")
    return folder


@pytest.fixture
def release(kept, tmp_path):
    """Make a release of a plan with some keys changed, in a folder of outputs."""
    (tmp_path / "outputs").mkdir()

    def make(name, **changes):
        plan = copy.deepcopy(PLAN)
        for key, more in changes.items():
            plan[key] = more if key == "query" else plan.get(key, {}) | more
        plan["target"] = {key: value for key, value in plan["target"].items() if value}
        if "household" in plan["data"]:
            del plan["data"]["entity"], plan["limits"]["rows_per_entity"]
        plan["data"] = {"source": str(kept / "visits.csv")} | plan["data"]
        # Two releases of one plan have names of their own, and so noise of their own.
        made = kept / f"{name} {zlib.crc32(repr(plan).encode())}"
        if not made.exists():
            deniable.release(plan, made)
        shutil.copytree(made, tmp_path / "outputs" / name)
        return tmp_path / "outputs"

    return make


@pytest.mark.parametrize(
    ("name", "person", "expected"),
    [
        ("first-plan", "person", "person"),  # its format names no files
        ("first-plan-gaussian", "person", "person"),
        ("plan", "person", "pass"),
        ("plan", "visit", "person"),
        ("plan", (), "person"),
        ("plan-charged", "person", "pass"),
        ("plan-gaussian", "person", "pass"),
        ("members", "id", "person"),  # whoever knows nobody drawn is no limit on all
        ("study", (), "pass"),
        ("frequencies", (), "pass"),
        ("training", (), "person"),  # its noise is the trainer's word
    ],
)
def test_a_release_of_each_kind_passes_if_a_person_is_what_it_protects(
    name, person, expected, tmp_path
):
    shutil.copytree(GOLDEN / name, tmp_path / name)
    assert set(verdicts(tmp_path, person=person).values()) == {expected}
    certificate = json.loads((tmp_path / name / "certificate.json").read_text("utf-8"))
    if expected == "pass":  # by the odds, written again
        most = 1 / (1 + exp(-certificate["guarantee"]["epsilon"])) - 1e-9
        assert set(verdicts(tmp_path, person=person, max_posterior=most).values()) == {"person"}


def test_a_study_of_who_is_a_case_says_nothing_of_who_took_part(tmp_path):
    study = tmp_path / "study"
    deniable.gwas.simulate(study, individuals=40, cases=20, variants=30, causal=2, seed=1)
    deniable.gwas.release(study, tmp_path / "swap", top=2, epsilon=0.2, adjacency="swap")
    assert set(verdicts(tmp_path / "swap", max_posterior=1).values()) == {"person"}


def test_losses_of_a_household_are_those_without_a_model(release):
    """A model of ties is the releaser's word: if it is wrong, a person loses more."""
    tied = {"prior": [0.0, 0.5], "household_size": 3, "correlation": {"odds_ratio": 1.25}}
    outputs = release("tied", adversary=tied)
    guarantee = json.loads((outputs / "tied/certificate.json").read_text("utf-8"))["guarantee"]
    modelled, whole = guarantee["household"]["loss"], 3 * guarantee["epsilon"]
    assert modelled < whole - 0.01
    between = 1 / (1 + exp(-(modelled + whole) / 2))
    assert set(verdicts(outputs, person="person", max_posterior=between).values()) == {"person"}
    above = 1 / (1 + exp(-whole)) + 1e-9
    assert set(verdicts(outputs, person="person", max_posterior=above).values()) == {"pass"}


def test_a_household_protects_its_members_if_its_column_is_named(release):
    outputs = release("home", data={"household": "home"}, limits={"rows_per_household": 3})
    assert set(verdicts(outputs, person="home").values()) == {"pass"}
    assert set(verdicts(outputs, person="person").values()) == {"person"}


def test_what_several_releases_tell_adds_up(release, tmp_path):
    """Of two ledgers, of one, and of none: a person loses the sum of what is in the folder."""
    outputs = None
    for number in range(3):
        ledger = tmp_path / f"{number}.ledger"
        deniable.ledger.new(ledger, "visits", entity="person", adjacency="add-remove", epsilon=1)
        outputs = release(f"r{number}", ledger={"file": str(ledger), "dataset": "visits"})
        total = 0.4 * (number + 1)
        expected = "pass" if total <= log(3) else "person"
        assert set(verdicts(outputs, person="person").values()) == {expected}
    again = tmp_path / "again"
    for folder in ("r0", "r0 again", "deep/er/r0"):  # one release three times counts three times
        shutil.copytree(outputs / "r0", again / folder)
    assert set(verdicts(again, person="person").values()) == {"person"}


def test_exceptions_of_several_releases_add_up(release):
    """Each holds but for 6e-6; of two, the sum is more than the gate takes for never."""
    for number, expected in enumerate(["pass", "person"]):
        target = {"gamma": 1.2, "delta": 6e-6, "epsilon": None}
        outputs = release(f"r{number}", target=target)
        assert set(verdicts(outputs, person="person", max_posterior=1).values()) == {expected}


def test_a_certificate_speaks_of_its_own_files_only(release):
    outputs = release("a")
    release("b")
    (outputs / "a" / "patients.csv").write_text(VISITS, encoding="utf-8")
    (outputs / "a" / "sub").mkdir()
    (outputs / "a" / "sub" / "results.csv").write_text(VISITS, encoding="utf-8")
    (outputs / "a" / "certificate.json.sig").write_text(VISITS, encoding="utf-8")
    files = verdicts(outputs, person="person")
    assert {name for name, verdict in files.items() if verdict != "pass"} == {
        "a/patients.csv", "a/sub/results.csv", "a/certificate.json.sig"
    }  # fmt: skip
    (outputs / "b" / "results.csv").unlink()
    (outputs / "b" / "results.csv").symlink_to(outputs / "a" / "results.csv")
    assert verdicts(outputs, person="person")["b/results.csv"] == "person"


@pytest.mark.parametrize("name", ["results.csv", "results.parquet", "report.html", "plan.toml"])
def test_a_file_that_was_edited_or_is_of_another_release_fails(name, release):
    outputs = release("a")
    release("b", query=[{"name": "n", "statistic": "entities"}])
    shutil.copy(outputs / "b" / name, outputs / "a" / name)
    assert verdicts(outputs, person="person")[f"a/{name}"] == "fail"
    raw = (outputs / "b" / name).read_bytes()
    (outputs / "b" / name).write_bytes(raw + b" ")
    assert verdicts(outputs, person="person")[f"b/{name}"] == "fail"


def test_signatures_pass_only_if_they_were_verified(release, tmp_path):
    signed_release.needs_ssh_keygen()
    outputs = release("a")
    key, other = signed_release.make_key(tmp_path / "key"), signed_release.make_key(tmp_path / "o")
    deniable.sign(outputs / "a", key=key)
    keys = {"signed_by": tmp_path / "key.pub", "person": "person"}
    signature = outputs / "a" / "certificate.json.sig"
    assert verdicts(outputs, person="person")["a/certificate.json.sig"] == "person"
    assert set(verdicts(outputs, **keys).values()) == {"pass"}
    second = signature.with_name("certificate.json.2.sig")
    signed_release.sign_by_hand(
        other, outputs / "a" / "certificate.json", second, "deniable-release"
    )
    assert verdicts(outputs, **keys)["a/certificate.json.2.sig"] == "person"
    second.unlink()
    signature.write_bytes(signature.read_bytes() + b"Zoe has flu\n")
    assert "fail" in verdicts(outputs, **keys).values()


RULES = """
[[list]]
name = "north"
size = 40
[[list]]
name = "south"
size = 40
[[table]]
name = "t"
lists = ["north", "south"]
[rule]
steps = [{ hide = [1, 7] }, { round = 5 }]
[adversary]
prior = [0.5, 0.5]
[target]
max_posterior = 0.9
"""
TABLE = "list,n\nnorth,20\nsouth,25\n"


def judged(folder, table=TABLE, rules=RULES, name="t.csv"):
    """Verdicts on a table and its file of rules, at a limit that the plain table keeps to."""
    (folder / name).write_text(table, encoding="utf-8")
    (folder / "r.toml").write_text(rules, encoding="utf-8")
    return verdicts(folder, max_posterior=0.9)


def test_the_plain_table_passes(tmp_path):
    assert judged(tmp_path) == {"t.csv": "pass", "r.toml": "pass"}
    (tmp_path / "t.csv").rename(tmp_path / "r.csv")  # a table without a name has that of its rules
    (tmp_path / "r.toml").write_text(RULES.replace('name = "t"\n', ""), encoding="utf-8")
    assert verdicts(tmp_path, max_posterior=0.9) == {"r.csv": "pass", "r.toml": "pass"}


@pytest.mark.parametrize(
    "table",
    [
        "Zoe has flu,n\nnorth,20\nsouth,25\n",  # a header is read by nobody
        "Zoe,7\nnorth,20\nsouth,25\n",
        ",list,n\n18,north,20\n23,south,25\n",  # true counts where row numbers stand
        ",list,n\n0,north,20\n1,south,25\n",
        "list,n\nnorth,20.0\nsouth,25 (31.4%)\n",
        "list,n\nnorth,20\nsouth,25\n\nNote: Zoe has flu\n",
        "list,n,true\nnorth,20,18\nsouth,25,23\n",
    ],
)
def test_nothing_passes_in_a_table_that_was_not_judged(table, tmp_path):
    assert judged(tmp_path, table)["t.csv"] in ("person", "fail")


PRINTED = RULES.replace('lists = ["north", "south"]', 'columns = ["place"]\ncount = "n"').replace(
    RULES[: RULES.index("[[table]]")], '[sizes]\nfile = "sizes.csv"\n'
)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("place,n\nnorth,20\nsouth,25\n", "pass"),
        ("Zoe has flu\nplace,n\nnorth,20\nsouth,25\n", "person"),
        ("place,n\nnorth,20\nsouth,25\nZoe has flu\n", "person"),
        ("place,n,true\nnorth,20,18\nsouth,25,23\n", "person"),
        ("place,n\nnorth,20 (46.2%)\nsouth,25\n", "fail"),
        ("place,n\nnorth,20 [note 7]\nsouth,25\n", "person"),
    ],
)
def test_nothing_passes_in_a_printed_table_that_was_not_read(table, expected, tmp_path):
    (tmp_path / "sizes.csv").write_text("place,size\nnorth,40\nsouth,40\n", encoding="utf-8")
    files = judged(tmp_path, table, PRINTED)
    assert (files["t.csv"] == "pass") is (files["sizes.csv"] == "pass") is (expected == "pass")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("prior = [0.5, 0.5]", "prior = [0.01, 0.01]"),  # an attacker who knows less
        ("prior = [0.5, 0.5]", "prior = [0.6, 0.6]"),
        ("prior = [0.5, 0.5]", "sample = { n = 10, N = 80 }"),
        ("size = 40\n[[table]]", 'members = ["Zoe", "Ann"]\n[[table]]'),
        ("[target]", "# Zoe has flu\n[target]"),
        ("[target]", "[target]\nmin_posterior = 0.55"),
    ],
)
def test_the_words_of_rules_let_nothing_pass(old, new, tmp_path):
    assert "pass" not in {judged(tmp_path, rules=RULES.replace(old, new))["r.toml"]}


def test_values_are_not_the_gates(tmp_path):
    rules = RULES.replace("lists =", 'sum = "turnover"\nlists =')
    assert judged(tmp_path, rules=f'{rules}\n[values]\nfile = "v.csv"\n')["t.csv"] != "pass"


@pytest.mark.parametrize(
    "name",
    [
        "t.xlsx", "t.ods", "t.pkl", "t.zip", "t.csv.gz", "t.ipynb", "t.parquet", "t.png", "t.svg",
        "t.json", "t.html", "T.CSV.toml", "certificate.JSON", ".t.csv",
    ],
)  # fmt: skip
def test_nothing_else_passes_beside_a_table(name, tmp_path):
    assert judged(tmp_path)["t.csv"] == "pass"
    if name == "t.zip":
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("results.csv", VISITS)
    else:
        (tmp_path / name).write_bytes(pickle.dumps(VISITS))
    assert verdicts(tmp_path, max_posterior=0.9)[name] == "person"
    assert deniable.gate(tmp_path, max_posterior=0.9).verdict == "person"


def test_nothing_passes_where_a_folder_is_closed(tmp_path, monkeypatch):
    """A folder that cannot be read, a link to one, and a file with a name that is no text."""
    (tmp_path / "closed").mkdir()
    scan = os.scandir

    def refuse(path):
        if os.fspath(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    (tmp_path / "link").symlink_to(tmp_path / "closed")
    (tmp_path / os.fsdecode(b"\xff.csv")).write_text("x", encoding="utf-8")
    files = verdicts(tmp_path)
    assert set(files.values()) == {"person"}
    assert set(files) == {"closed", "link", "\\udcff.csv"}
