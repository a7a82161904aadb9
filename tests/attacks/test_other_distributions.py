"""Guests of other distributions that are missing, broken or clash: only who names them is refused.

What Deniable registers itself is replaced by nobody, and no release is said not to hold for
something that its reader has not installed.
"""

import json
import os
import subprocess
import sys

import pyarrow as pa
import pytest

import deniable
from deniable.certificate.json_documents import statement_sha256
from deniable.errors import InvalidArgument, PlanError
from deniable.errors.guests import guests, make_all
from deniable.errors.late import LeftOut, NotInstalled
from deniable.publish.query import STATISTICS
from deniable.publish.sources import Source, reader_class
from tests.cases.distributions import install, run_forked
from tests.cases.effort import THOROUGH
from tests.cases.refusals import pattern_of, refuses, says

PLAN = """\
[data]
adjacency = "add-remove"
[target]
epsilon = 1.0
[[query]]
name = "spread"
statistic = "variance"
column = "age"
bounds = [0, 100]
"""
AGES = pa.table({"age": [1.0, 50.0, 99.0]})
MODULES = {
    "absent": "import nothing_of_that_name\n",
    "wrong": "def f(:\n",
    "ends": "raise SystemExit(5)\n",
    "raises": "raise RuntimeError('a text')\n",
    "empty": "",
}
"""Modules that cannot be loaded, or have nothing of the name that is registered."""
WHY = {
    "absent": "no module nothing_of_that_name", "wrong": "SyntaxError", "ends": "SystemExit",
    "raises": "RuntimeError", "empty": "AttributeError",
}  # fmt: skip


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder on the path, with the modules of others."""
    for name, text in MODULES.items():
        (tmp_path / f"broken_{name}.py").write_text(text)
    (tmp_path / "whole.py").write_text(
        "import click\nPLACE = 6\ndef add():\n    return {'x': 1}\n"
        "def register(app):\n"
        "    for name in ('greet', 'plan', 'explore'):\n"
        "        app.add_command(click.Command(name, callback=lambda: click.echo('Another.')))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.fixture
def later(tmp_path, monkeypatch):
    """Call it for a folder that comes onto the path only then: before the others, and searched."""

    def prepend():
        monkeypatch.syspath_prepend(tmp_path / "later")
        return tmp_path / "later"

    return prepend


def run(place, *words, before=""):
    """What a line prints with the folder on the path, and its exit status."""
    program = f"{before}\nfrom deniable.cli.program import main\nmain()"
    path = os.pathsep.join([str(place), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", program, *words], cwd=place, capture_output=True, text=True,
        check=False, env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip


def test_two_distributions_of_one_name_are_named_where_somebody_names_it(place):
    for name in ("first", "second"):
        install(place, name, {"statistics": {"median": "whole:add", name: "whole:add"}})
    with refuses(
        NotInstalled, "one-distribution: 'median' | deniable.statistics | first and second"
    ):
        STATISTICS["median"]
    assert "median" not in [*STATISTICS]
    assert {"first", "second"} <= {*STATISTICS}
    assert deniable.plan(PLAN, data=AGES).queries


@pytest.mark.parametrize(
    ("group", "name"),
    [
        ("adversaries", "members"),
        ("commands", "explore"),
        ("explorer", "rules"),
        ("exports", "xlsx"),
        ("kinds", "deniable-certificate"),
        ("ledgers", "postgresql"),
        ("names", "audit"),
        ("sources", ".xlsx"),
        ("sources", "postgres"),
        ("statistics", "variance"),
        ("theorems", "judge"),
    ],
)
@pytest.mark.usefixtures("place")
def test_nobody_replaces_what_is_ours(group, name, later):
    before = guests(f"deniable.{group}")[name]
    install(later(), "another", {group: {name: "whole:add"}})
    after = guests(f"deniable.{group}")[name]
    assert after == before
    assert after.place.startswith("deniable.")


@pytest.mark.parametrize("name", ["count", "sum"])
@pytest.mark.usefixtures("place")
def test_nobody_replaces_a_statistic_of_the_core(name, later):
    before = STATISTICS[name]
    install(later(), "another", {"statistics": {name: "whole:add"}})
    assert STATISTICS[name] is before
    assert [*STATISTICS].count(name) == 1


def test_nobody_replaces_a_reader_of_the_core(place, later):
    locations = ["a.csv", "a.tsv.gz", "a.parquet", "duckdb:a?table=t", "postgresql://host/base"]
    before = [reader_class(Source(each, place)) for each in locations]
    words = [".csv", ".gz", ".parquet", "duckdb", "postgresql", "post"]
    install(later(), "another", {"sources": dict.fromkeys(words, "whole:add")})
    assert [reader_class(Source(each, place)) for each in locations] == before


def test_a_command_of_others_adds_no_other(place):
    install(place, "another", {"commands": {"greet": "whole", "plan": "whole"}})
    assert run(place, "greet").stdout == "Another.\n"
    for words in (["--help"], ["greet", "--help"], ["plan", "--help"]):
        shown = run(place, *words)
        assert shown.returncode == 0
        assert "Another." not in shown.stdout


@pytest.mark.parametrize("how", MODULES)
def test_a_broken_command_fails_alone(place, how):
    install(place, "another", {"commands": {"greet": f"broken_{how}"}})
    shown = run_forked(place, "--help")
    assert (shown.returncode, "release" in shown.stdout) == (0, True)
    assert says(
        shown.stderr, f"guest-that-loads: 'greet' | deniable.commands | another | {WHY[how]}"
    )
    named = run_forked(place, "greet", "x")
    assert (named.returncode, named.stdout) == (2, "")
    assert says(
        named.stderr, f"guest-that-loads: 'greet' | deniable.commands | another | {WHY[how]}"
    )
    assert "Traceback" not in shown.stderr + named.stderr
    near = run_forked(place, "plna")
    assert says(near.stderr, "did-you-mean: plan")
    explained = run_forked(place, "derive", "pure-dp:1", "rdp")
    assert "another" not in explained.stderr


@pytest.mark.parametrize("how", MODULES)
def test_a_broken_statistic_fails_alone(place, how):
    install(place, "another", {"statistics": {"skew": f"broken_{how}:add"}})
    assert deniable.plan(PLAN, data=AGES).queries
    with refuses(PlanError, 'statistic-did-you-mean: "variance"'):
        deniable.plan(PLAN.replace('"variance"', '"varianse"'), data=AGES)
    message = f"guest-that-loads: 'skew' | deniable.statistics | another | {WHY[how]}"
    with refuses(InvalidArgument, message):
        deniable.plan(PLAN.replace('"variance"', '"skew"'), data=AGES)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A release and a workbook of it."""
    folder = tmp_path_factory.mktemp("exported")
    deniable.release(PLAN, folder / "out", data=AGES)
    return folder / "out", deniable.export(folder / "out", folder / "out.xlsx", to="xlsx").out


@pytest.mark.parametrize("how", MODULES)
def test_a_broken_format_fails_alone(place, exported, how):
    install(place, "another", {"exports": {"paper": f"broken_{how}:add"}})
    out, written = exported
    with pytest.warns(LeftOut, match="'paper'"):
        assert deniable.check(out, export=written).holds
    with refuses(
        InvalidArgument, f"guest-that-loads: 'paper' | deniable.exports | another | {WHY[how]}"
    ):
        deniable.export(out, place / "paper", to="paper")


@pytest.mark.parametrize("how", MODULES)
def test_a_broken_part_of_the_explorer_is_left_out(place, how):
    install(place, "another", {"explorer": {"more": f"broken_{how}:add"}})
    message = f"guest-that-loads: 'more' | deniable.explorer | another | {WHY[how]}"
    with pytest.warns(LeftOut, match=pattern_of(message)):
        assert deniable.explore(out=place / "page.html").out
    shown = run_forked(place, "explore", "--out", "other.html")
    assert (shown.returncode, shown.stderr.count("Left out: ")) == (0, 1)


def test_no_part_of_the_explorer_replaces_the_page_s_own(place, later):
    deniable.explore(out=place / "page.html")
    install(later(), "another", {"explorer": {"plan": "whole:add", "curves": "whole:add"}})
    assert make_all("deniable.explorer").keys() >= {"plan", "curves"}
    deniable.explore(out=place / "other.html")
    assert (place / "other.html").read_bytes() == (place / "page.html").read_bytes()


def test_a_broken_name_fails_alone(place):
    program = f"""
import traceback
import deniable
for name in {[*MODULES]!r}:
    print(deniable.release)
    try:
        getattr(deniable, name)
    except Exception:
        traceback.print_exc()
"""
    install(place, "another", {"names": {how: f"broken_{how}:add" for how in MODULES}})
    shown = subprocess.run(
        [sys.executable, "-c", program], cwd=place, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(place)},
    )  # fmt: skip
    assert shown.stdout.count("\n") == len(MODULES)
    for how, why in WHY.items():
        assert says(shown.stderr, f"guest-that-loads: {how!r} | deniable.names | another | {why}")


@pytest.fixture
def released(tmp_path):
    """A release, whose certificate then names a statistic that nobody has installed."""
    deniable.release(PLAN, tmp_path / "out", data=AGES)
    place = tmp_path / "out" / "certificate.json"
    document = json.loads(place.read_text("utf-8").replace('"variance"', '"skewness"'))
    document["statement_sha256"] = statement_sha256(document)
    place.write_text(json.dumps(document), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["check", "out"],
        ["check", "out/certificate.json"],
        ["export", "out", "--to", "xlsx", "--out", "a.xlsx"],
        ["dossier", "out", "--for", "nist"],
    ],
)
def test_a_release_whose_statistic_is_missing_is_not_said_to_be_wrong(released, words):
    shown = run_forked(released, *words)
    assert shown.returncode == 2
    assert says(shown.stderr, "statistic-that-installed: 'skewness'")
    assert "does not" not in shown.stdout + shown.stderr


WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == {0!r} or name.startswith({0!r} + "."):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("deniable.rules", ["gate", "."]),
        ("deniable.explorer", ["studio", "--no-browser"]),
    ],
)
def test_a_guest_that_needs_another_says_which_is_missing(place, missing, words):
    shown = run(place, *words, before=WITHOUT.format(missing))
    assert shown.returncode == 2
    assert missing in shown.stderr
    assert "internal error" not in shown.stderr
    assert "Traceback" not in shown.stderr


def test_all_names_without_the_judge_say_what_is_missing(place):
    shown = subprocess.run(
        [sys.executable, "-c", WITHOUT.format("deniable.judge") + "from deniable import *"],
        cwd=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert says(shown.stderr, "guest-that-loads: _ | _ | deniable | no module deniable.judge")


@pytest.mark.parametrize("broken", [*MODULES, "no_theorems"])
def test_theorems_that_cannot_be_loaded_stop_only_what_needs_them(place, broken):
    (place / "broken_no_theorems.py").write_text("subject = None\n")
    of = f"broken_{broken}:subject" if broken in ("empty", "no_theorems") else f"broken_{broken}"
    install(place, "another", {"theorems": {"other": of}})
    why = WHY.get(broken, "AttributeError")
    is_even = [*MODULES, "no_theorems"].index(broken) % 2 == 0
    if THOROUGH or is_even:  # a line that needs it, and one that does not, in turn
        derived = run(place, "derive", "pure-dp:1", "positive-membership", "--json")
        assert (derived.returncode, derived.stderr) == (0, "")
        assert json.loads(derived.stdout)["chain"]
        listed = run(place, "derive", "--list")
        assert listed.returncode == 0
        assert "pure-dp -> zcdp" in listed.stdout
        said = f"guest-that-loads: 'other' | deniable.theorems | another | {why}"
        assert says(listed.stderr, said)
    if THOROUGH or not is_even:
        explained = run(place, "explain", "pure-dp:1")
        assert (explained.returncode, explained.stderr) == (0, "")
        nowhere = run(place, "derive", "k-anonymity:5", "pure-dp")
        assert nowhere.returncode == 3
        said = f"guest-that-loads: 'other' | deniable.theorems | another | {why}"
        assert says(nowhere.stderr, said)
