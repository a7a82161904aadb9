"""The page's formulas in Node, which has no page: edges that random settings do not meet."""

import json
import random
import subprocess

import pytest

from deniable.explorer import SCRIPTS, script
from tests.cases.programs import need


@pytest.fixture(scope="module")
def node():
    """Values of expressions, computed after the formulas; JSON has no NaN, which becomes null."""
    program = need("node")

    def values(*expressions):
        told = f"console.log(JSON.stringify([{', '.join(expressions)}]))"
        done = subprocess.run(
            [program, "-"], input=script(*SCRIPTS) + told, capture_output=True, text=True
        )
        assert done.stderr == ""
        return json.loads(done.stdout)

    return values


def test_numbers_are_rounded_to_the_safe_side(node):
    rounded = node(
        "atMost(1.00001)", "atLeast(1.99999)", "factor(2)", "factor(1.0004)", "factor(2.0001)",
        "width(3.21)", "width(1/0)", "atMost(1234567.1)", "atMost(0)", "atMost(1e300)",
        "atMost(0.00012341)", "atLeast(0.00012349)", "width(5.7396e19)", "width(1.5193e-298)",
        "width(9.91e15)", "width(Number.MAX_VALUE)", "marked(5e19)", "marked(2e6)",
    )  # fmt: skip
    assert rounded == [
        "1.001", "1.999", "2", "1.0004", "2.01", "± 3.3", "± ∞", "1,234,568", "0", "1.000e+300",
        "0.0001235", "0.0001234", "± 5.8e+19", "± 1.6e-298", "± 1.0e+16", "± 1.8e+308", "5e+19",
        "2,000,000",
    ]  # fmt: skip


def test_chances_are_told_as_the_report_tells_them(node):
    told = node(
        "exactly(0.3)", "exactly(0.001)", "exactly(0.125)", "exactly(0)", "exactly(1)",
        "risen(0.004, 0.012)", "risen(0.29, 0.29)", "fallen(0.0355)", "countDown(0.29, 100)",
        "countUp(0.07, 100)", "denominator(0.997)",
        "exactly(0.999999999)",
    )  # fmt: skip
    assert told == [
        "30 %", "0.1 %", "12.5 %", "0 %", "100 %",
        ["0.4 %", "1.2 %"], ["29 %", "29 %"], "3 %", 29, 7, 1000,
        "99.9999999 %",
    ]  # fmt: skip


def test_certainty_is_never_moved_and_no_loss_moves_nothing(node):
    assert node("highest(3, 0)", "highest(3, 1)", "lowest(3, 0)", "lowest(3, 1)") == [0, 1, 0, 1]
    (same,) = node("highest(0, .3)")
    assert 0.3 <= same <= 0.3 + 1e-10


REFUSED = [
    {"kind": "gamma", "value": 1},
    {"kind": "max_posterior", "value": 0.5, "b": 0.5},
    {"kind": "max_posterior", "value": 0.5, "b": 0},
    {"kind": "attack_success", "value": 0.5},
    {"kind": "advantage", "value": 0},
    {"kind": "identifiability", "value": 0.1, "worlds": 10},
    {"kind": "gamma", "value": 1e30},
    {"kind": "max_posterior", "value": 0.5000000000001, "b": 0.5},
]
WRONG = [
    {"a": 0.7, "b": 0.3},
    {"a": -0.1},
    {"b": 1.1},
    {"a": None},
    {"value": 0.9},
    {"kind": "epsilon", "value": 0},
    {"kind": "advantage", "value": 1},
    {"kind": "identifiability", "value": 0.5, "worlds": 1},
    {"kind": "identifiability", "value": 0.5, "worlds": 2.5},
]
USUAL = {
    "kind": "gamma",
    "value": 2,
    "worlds": 8,
    "a": 0,
    "b": 1,
    "adjacency": "replace-one",
    "tail": False,
}


def test_what_no_noise_meets_is_refused_in_a_sentence(node):
    answers = node(*(f"budgetOf({json.dumps(USUAL | changed)}, {{}})" for changed in REFUSED))
    for changed, answer in zip(REFUSED, answers, strict=True):
        assert answer.keys() == {"refused"}, changed
        assert answer["refused"].endswith("."), changed


def test_what_was_mistyped_is_told(node):
    settings = [json.dumps(USUAL | changed).replace("null", "NaN") for changed in WRONG]
    *answers, right = node(*(f"mistake({each})" for each in (*settings, json.dumps(USUAL))))
    for changed, answer in zip(WRONG, answers, strict=True):
        assert answer is not None, changed
        assert answer.endswith("."), changed
    assert right is None


def test_the_next_point_of_a_curve_is_on_the_safe_side(node):
    row = "[1, 2, 4]"
    places = node(*(f"lastUpTo({row}, {x})" for x in (0.9, 1, 3.9, 4, 9)))
    assert places == [-1, 0, 1, 2, 2]
    assert node(*(f"firstWith({row}, {x})" for x in (0.9, 1.1, 4, 4.1))) == [0, 1, 2, -1]


def test_least_noise_and_whole_units_of_a_ledger(node):
    part = "{share: 1, l1: 0, l2: 0}"
    budget = "{loss: 1, rho: null, most: null}"
    assert node(f"partWidth({part}, {budget}, false)") == [0]
    tiny = "{share: 1e-13, l1: 1, l2: 1}"
    assert node(f"partWidth({tiny}, {budget}, true) === Infinity") == [True]


def test_no_signs_meet_when_blanks_are_taken_out():
    assert "--" not in script(*SCRIPTS).replace("--;", "")


def test_no_setting_of_variants_is_without_an_answer(node):
    """Also Λ a hair above a power of two: the last piece of an integral has no length."""
    rng = random.Random(16)
    asked = [(20, 25, 300, 5), (1, 2, 300, 0.5), (1, 6, 300, 0.25)]
    for _ in range(400):
        leaders = rng.randint(1, 20)
        others = rng.choice([1, 5, 1000, 10**7])
        lead, loss = int(10 ** rng.uniform(0, 4)), 10 ** rng.uniform(-2, 1.7)
        asked.append((leaders, leaders + others, lead, loss))
    answers = "([m, n, g, e]) => [allNamed(m, n, g, e), allNamed(m, n, g, 1.01 * e)]"
    (found,) = node(f"{json.dumps(asked)}.map({answers})")
    for one, more in found:
        assert 0 <= one <= 1
        assert one <= more + 1e-6  # what is lowered may fall by its margin


def test_no_count_of_a_list_is_without_an_answer_or_above_the_worst_case(node):
    rng = random.Random(17)
    asked = []
    for _ in range(60):
        people = rng.choice([2, 3, 10, 100, 500])
        ones, size = rng.randint(0, people), rng.randint(1, people - 1)
        asked.append((ones, people, size, 10 ** rng.uniform(-1.5, 2)))
    (found,) = node(f"{json.dumps(asked)}.map((each) => populationEpsilon(...each))")
    for (*_, scale), shown in zip(asked, found, strict=True):
        assert 0 <= shown <= 1 / scale + 2e-8
