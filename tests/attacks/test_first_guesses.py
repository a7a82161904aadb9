"""What a stranger types first is answered, or refused with a line that answers as it is written."""

import json
import re
import shlex

import pytest
from click.testing import CliRunner

from deniable.notions.notation import FORMS
from deniable.notions.other_words import OTHER_NAMES
from tests.cases.command_line import app
from tests.cases.effort import THOROUGH, one_in
from tests.cases.prose import refusal_of

ANSWERED = [
    "explain zcdp:0.1 --prior .5 .5",
    "explain gdp:1",
    "explain approx-dp:1,1e-6",
    "explain dp:1 --prior .05 .05",
    "explain rdp:8,1",
    "explain zCDP:0.1",
    "derive gdp:1 approx-dp:?,1e-6",
    "derive mu-gdp:1 advantage",
    "derive rho-zcdp:0.1 approx-dp:?,1e-6",
    "derive zcdp:0.1 false-negative-rate:?,0.01",
    "derive zcdp:0.1 fnr:?,.01",
    "derive zcdp:0.1 trade-off",
    "derive approx-dp:1,1e-6 f-dp",
    "derive zcdp:0.1 approx-dp:delta=1e-6",
    "derive dp:1,1e-6 attack-success",
    "derive dp:1 dp",
    "derive pmp:2 pure-dp",
    "derive pure-dp:1 nmp",
    "compose 3*zcdp:0.1",
    "compose 3xzcdp:0.1",
    "compose 2*gdp:1 pure-dp:.5",
    "derive rdp:2,0.3 approx-dp:?,1e-5",
    "derive zcdp:0.1 max-posterior:?,1e-6@0-.1",
    "compose gdp:1 zcdp:0.1",
    "compose rdp:8,1 rdp:8,0.5",
    "explain f-dp:0,1/.25,.25/1,0 --prior .1 .1",
    "derive tradeoff:0,.9/.3,.3/.9,0 approx-dp:1,?",
    "derive approx-dp:1,1e-6 approx-dp:.5,?",
    "derive approx-dp:.5,.01 approx-dp:1,? --also approx-dp:2,1e-6",
    "risk zcdp:0.1 --baseline .1",
    "risk f-dp:0,1/.25,.25/1,0 --candidates 10",
    "training explain --records 1000 --batch-size 50 --epochs 1 --noise-multiplier 1",
    "training calibrate --records 1000 --batch-size 500 --epochs 4 --fpr .1 --tpr .5",
    "verify flip.json --prior .1 .1",
    "verify flip.json --rate .1",
    "verify flip.json",
    "population count --ones 30 --population 100 --size 10 --scale 2",
]
"""Answered outright."""

REFUSED = [
    ("derive zcdp:0.1 approx-dp:1e-6", "approx-dp:?,1e-6"),
    ("derive zcdp:0.1 approx-dp:1", "approx-dp:1,?"),
    ("derive zcdp:0.1 approx-dp", "approx-dp:?,1e-6"),
    ("derive zcdp:0.1 dp", "approx-dp:?,1e-6"),
    ("derive zcdp:0.1 fnr:0.01", "false-negative-rate:?,0.01"),
    ("derive zcdp:0.1 max-posterior --prior 0 .1", "max-posterior:?,1e-6"),
    ("derive zcdp:0.1 positive-membership", "positive-membership:?,1e-6"),
    ("derive approx-dp:1,1e-6 max-posterior@0-.1", "max-posterior:?,0.0001"),
    ("derive zcdp:0.1 rdp", "rdp:2,?"),
    ("derive mu=1 advantage", "gaussian-dp:1"),
    ("derive mu:1 approx-dp", "derive gaussian-dp:1 'approx-dp:?,1e-6'"),
    ("derive eps=1,delta=1e-6 advantage", "approx-dp:1,1e-6"),
    ("explain eps=1", "pure-dp:1"),
    ("explain delta=1e-6,epsilon=1@add-remove", "approx-dp:1,1e-6@add-remove"),
    ("explain laplace:1", "pure-dp:1"),
    ("explain ldp:1", "pure-dp:1"),
    ("explain pmp", "positive-membership:2"),
    ("explain mu", "gaussian-dp:1"),
    ("compose rho:0.1 3*mu:1", "zcdp:0.1 '3*gaussian-dp:1'"),
    ("risk eps:1 --also rho:.1", "pure-dp:1 --also zcdp:.1"),
    ("derive pure-dp:1 identifiability:.1", "identifiability:?,100"),
    ("derive advantage:0.1 zcdp", "attack-success"),
    ("explain 1", "pure-dp:1"),
    ("explain", "pure-dp:1"),
    ("explain --epsilon 1e-400", "5e-324"),
    ("explain approx-dp:1", "approx-dp:1,1e-6"),
    ("explain pure-dp:1 --adjacency add-remove", "@add-remove"),
    ("compose 1", "pure-dp:1"),
    ("explain trade-off", "trade-off:0,1/0.25,0.25/1,0"),
    ("explain --epsilon 1 --delta 0.02", "--exceedance 0.51"),
    ("compose zcdp:.1 approx-dp:1,1e-6", "approx-dp:2.1419"),
    ("compose approx-dp:1,0.02", "--exceedance 0.51"),
    ("compose positive-membership:2 pure-dp:1", "pure-dp:0.693"),
    ("compose trade-off:0,1/.25,.25/1,0 zcdp:.1", "approx-dp:2.1419"),
    ("compose f-dp:0,.999/.25,.25/.999,0 gaussian-dp:1", "approx-dp:"),
    ("risk zcdp", "zcdp:0.1"),
    ("dossier pure-dp:1 --for nist", "risk pure-dp:1"),
    ("explain --epsilon 1 --household 2", "--household 2 --adjacency add-remove"),
    ("explain pure-dp:1 --household 2 --icc 0.1", "pure-dp:1@add-remove --household 2"),
    ("calibrate --gamma 2 --household 3", "--household 3 --adjacency add-remove"),
    (
        "ledger new a.book --dataset x --entity p --epsilon 1 --household 4",
        "--household 4 --adjacency add-remove",
    ),
    ("risk pure-dp:1 --baseline .1 --candidates 3", "--baseline 0.3333333333333333"),
    (
        "training calibrate --records 1000 --batch-size 500 --epochs 4 --tpr .5",
        "--tpr .5 --fpr 0.01",
    ),
]
"""Refused, with this in the line to try."""
TYPED = [
    ("explain h.json --batches poisson --steps-per-epoch 100", "deniable training explain --help"),
    ("explain h.json", "deniable training explain"),
    ("explain --half-width 5 --statistic mean", "--bounds 0 100 --records 1000"),
    ("explain --half-width 5 --statistic sum", "Give --bounds 0 100, or"),
    ("explain --half-width 5 --statistic mean --bounds 0 100", "--records 1000"),
    ("explain pure-dp:1 --exceedance 1e-4", "approx-dp:1,1e-6"),
    ("explain pure-dp:1 --level 0.5", "approx-dp:1,1e-6"),
]
"""Refused, with this to type next."""

LINE = re.compile(r'"(deniable [^"]+)"')


@pytest.fixture(autouse=True)
def _mechanism(tmp_path, monkeypatch):
    rows = {"": [0.25, 0.75], "a": [0.75, 0.25]}
    mechanism = {"universe": ["a"], "outputs": ["0", "1"], "rows": rows}
    (tmp_path / "flip.json").write_text(json.dumps(mechanism), encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def run(line):
    return CliRunner().invoke(app, shlex.split(line))


TWICE = {"training calibrate --records 1000 --batch-size 500 --epochs 4 --fpr .1 --tpr .5"}
"""A dear one, of which a line that answers a refusal shows the same."""


@pytest.mark.parametrize("line", [each for each in ANSWERED if THOROUGH or each not in TWICE])
def test_a_first_guess_is_answered(line):
    found = run(line)
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout


@pytest.mark.parametrize(("line", "fix"), REFUSED, ids=[line for line, _ in REFUSED])
def test_or_refused_with_a_line_that_answers(line, fix):
    """As a shell reads it, word for word."""
    refusal = run(line)
    assert refusal.exit_code in (2, 3)
    said = refusal.stderr.rpartition("Error: ")[2].strip()
    refusal_of(said)
    tried = LINE.findall(said)
    assert tried, said
    assert fix in tried[-1]
    found = run(tried[-1].removeprefix("deniable "))
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout


@pytest.mark.parametrize(("line", "typed"), TYPED)
def test_or_refused_with_what_to_type(tmp_path, line, typed):
    (tmp_path / "h.json").write_text("[]")
    refusal = run(line)
    assert refusal.exit_code == 2
    assert typed in refusal.stderr


def test_a_level_that_epsilon_allows_says_why_it_is_certain():
    allowed = run("explain --epsilon 1 --delta 1e-6 --level 0.1 --prior .05 .05").stdout
    assert "belief passes 0.1 " in allowed
    assert "at most 1: epsilon alone allows such a belief" in allowed
    rare = run("explain --epsilon 1 --delta 1e-6 --level 0.2 --prior .05 .05").stdout
    assert "epsilon alone" not in rare


def test_a_sum_of_guarantees_without_exception_is_compared_without_one():
    """No exceedance can be asked of pure-dp; the sum that is named is answered without one."""
    said = run("compose 30*pure-dp:1").stdout.partition("read the sum without exception: ")[2]
    sum_ = said.partition('"')[2].partition('"')[0]
    assert "exception" not in run(f"explain {sum_} --prior .1 .1").stdout
    assert "Ask for the same exceedance" in run("compose zcdp:0.1 zcdp:0.2 pure-dp:1").stdout


WORDS = sorted({*OTHER_NAMES, *(form.word for form in FORMS), "ldp", "gauss", "eps-dp"})
NAMED = one_in(3, [f"explain {word}" for word in WORDS]) + one_in(
    9, [line.format(word) for word in WORDS for line in ("derive {}:1 dp", "derive dp:1 {}")]
)


@pytest.mark.parametrize("line", NAMED)
def test_no_line_to_try_needs_another(line):
    """Whatever people call a guarantee: what is proposed is answered, or refused for good."""
    refusal = run(line)
    if tried := LINE.findall(refusal.stderr):
        found = run(tried[-1].removeprefix("deniable "))
        assert found.exit_code in (0, 3), found.stderr
        assert not LINE.findall(found.stderr), (tried, found.stderr)
