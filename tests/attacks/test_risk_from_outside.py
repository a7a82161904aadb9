"""Risks at a baseline, Rényi DP and `explain` with values that their formulas did not think of."""

import json
import math
import shlex
from fractions import Fraction

import pytest
from click.testing import CliRunner

import deniable
from deniable.notions import Adjacency, BaselineRisk
from tests.cases.command_line import app
from tests.cases.effort import one_in, some_pairs
from tests.cases.release_case import write_case

SPECS = ["pure-dp", "gaussian-dp", "zcdp", "rdp:2"]


def len_of(size):
    return f"{len(str(size))} digits, {str(size)[:3]}"


def spec(word, number, adjacency):
    return f"{word}{',' if ':' in word else ':'}{number}@{adjacency}"


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(("size", "word"), some_pairs([3, 7, 10, 49, 1000], SPECS))
def test_nothing_is_below_a_blind_guess(word, adjacency, size):
    """Also where m/K is no float, and a guarantee so strong that next to nothing is added."""
    numbers = (0, 1e-300, 1e-40, 1e-36, 1e-33, 1e-20, 1e-12, 1e-3)
    for number in one_in(2, numbers, [*Adjacency].index(adjacency)):
        for named in {1, size // 2, size - 1} - {0}:
            found = deniable.risk(spec(word, number, adjacency), [named / size], candidates=size)
            assert Fraction(found.risks[0].success) >= Fraction(named, size)


@pytest.mark.parametrize(
    "size", [2, 3, 10, 10**17, 10**20, 62**16, int(7e30), int(3e300)], ids=len_of
)
def test_so_many_are_named_as_the_baseline_allows(size):
    """Exactly, and in no time; a baseline that is the float of a share of them is that share."""
    for baseline in (0.1, 0.3, 0.5, 0.7, 0.124999999, 0.999, 1.0):
        if Fraction(baseline) * size < Fraction(999_999, 1_000_000):
            continue  # nobody names less than one
        named = BaselineRisk(1.0, baseline, candidates=size).named
        exact = math.floor(Fraction(baseline) * size)
        assert named == exact or (named == exact + 1 and named / size == baseline)
        if size < 10**9:
            assert named == math.floor(round(baseline * size, 6))


def test_more_values_are_never_less_risk():
    for baseline in (0.1, 0.5):
        sizes = [10, 10**3, 10**9, 10**17, int(7e30), int(3e300), None]
        found = [deniable.risk("pure-dp:1", [baseline], candidates=size) for size in sizes]
        numbers = [each.risks[0].success for each in found]
        assert numbers == sorted(numbers)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_one_order_says_no_more_than_the_law_that_has_its_divergence(adjacency):
    """Randomised response over K values, and shifted normals, keep their own exact divergences."""
    for epsilon in (0.1, 1.0, 3.0):
        for order in (1.5, 2.0, 8.0, 64.0):
            moment = math.exp(order * epsilon) + math.exp((1 - order) * epsilon)
            divergence = math.log(moment / (1 + math.exp(epsilon))) / (order - 1)
            (row,) = deniable.risk(f"rdp:{order},{divergence}@{adjacency}", [0.5]).risks
            attained = 1 / (1 + math.exp(-epsilon))
            assert row.success >= attained * (1 - 1e-12)


def test_equal_laws_say_nothing():
    found = deniable.explain_guarantee("rdp:2,0")
    assert (found.loss, found.gamma, found.advantage, found.attack_success) == (0, 1, 0, 0.5)
    assert deniable.compose(["rdp:2,0", "rdp:2,0"]).gamma == 1
    assert deniable.risk("rdp:2,0", [0.3]).risks[0].success == 0.3


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("risk pure-dp:1 --baseline 1/3 --candidates 3", "Write it in digits"),
        ("risk pure-dp:1 --baseline 0.333333 --candidates 3", "write 0.3333333333333333"),
        ("risk advantage:.1", "bounds tests between data sets"),
        ("explain approx-dp:0,0.5", "100 delta is no probability"),
    ],
)
def test_a_refusal_says_what_answers_and_nothing_that_does_not(line, words):
    done = CliRunner().invoke(app, shlex.split(line))
    assert done.exit_code in (2, 3)
    assert words in done.stderr
    assert "attack-success" not in done.stderr


def test_what_a_refusal_writes_is_answered():
    for line in ("risk pure-dp:1 --baseline 0.3333333333333333 --candidates 3",
                 "risk pure-dp:1 --candidates 10", "risk pure-dp:1 --candidates 1000",
                 "risk baseline-risk:.3,.2 --baseline 0.2"):  # fmt: skip
        done = CliRunner().invoke(app, shlex.split(line))
        assert (done.exit_code, done.stderr) == (0, "")
    assert "because" in done.stdout
    assert "f(b" not in done.stdout


def test_a_nan_is_not_proposed_again():
    done = CliRunner().invoke(app, ["explain", "predictive-value:nan"])
    assert "nan," not in done.stderr


@pytest.mark.parametrize("given", ["zcdp:1000", "gaussian-dp:50", "rdp:2,100"])
def test_what_protects_nobody_is_called_so(given):
    assert deniable.explain_guarantee(given).cautions
    assert "Caution" in CliRunner().invoke(app, ["explain", given]).stdout


def test_a_risk_of_a_certificate_names_its_unit_and_that_it_was_not_checked(tmp_path):
    out = deniable.release(write_case(tmp_path), tmp_path / "out").out
    unit = json.loads((out / "certificate.json").read_text("utf-8"))["unit"]["sentence"]
    answer = deniable.risk(out)
    assert unit in answer.about
    assert "not checked here" in answer.about
