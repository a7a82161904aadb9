import math

import pytest

import deniable
from deniable.errors import InvalidArgument, NotApplicable
from deniable.notions import ZCDP, ApproxDP, PopulationPrivacy, PureDP
from deniable.theorems.analysis import USUAL_BASELINES, risks_of
from tests.cases.refusals import refuses


def test_the_object_on_standard_output():
    answer = risks_of([PureDP(1.0)], [0.1, 0.5]).as_json()
    assert list(answer) == [
        "guarantee",
        "adjacency",
        "risks",
        "meaning",
        "assumption",
        "about",
    ]
    assert (answer["guarantee"], answer["adjacency"]) == ("pure-dp:1.0", "replace-one")
    first = answer["risks"][0]
    assert list(first) == ["baseline", "success", "bound", "chain"]
    assert first["baseline"] == 0.1
    assert first["success"] == pytest.approx(0.1 * math.e / (0.9 + 0.1 * math.e), rel=1e-15)
    assert [link["to"] for link in first["chain"]] == [
        "approx-dp:1.0,0.0",
        f"baseline-risk:{first['success']!r},0.1",
    ]


@pytest.mark.parametrize(
    ("given", "baseline", "candidates", "bound", "success"),
    [
        (PureDP(1.0, "add-remove"), 0.5, None, "s <= 1 - f(b)", 1 - 0.5 / math.e),
        (PureDP(1.0), 0.5, None, "(1 - b) s <= 1 - f(b (1 - s))", 1 / (1 + math.exp(-1))),
        (PureDP(1.0), 0.5, 2, "s <= 1 - f(b (1 - s)/(1 - b))", 1 / (1 + math.exp(-1))),
        (ApproxDP(0.0, 0.2), 0.5, 4, "(1 - b) s/w <= 1 - f(b (1 - s)/w), w = 1 - 1/K", 0.65),
    ],
)  # fmt: skip
def test_the_bound_is_that_of_the_adjacency(given, baseline, candidates, bound, success):
    (row,) = risks_of([given], [baseline], candidates).risks
    assert row.bound == bound
    assert row.success == pytest.approx(success, rel=1e-14)


def test_of_two_guarantees_of_one_release_the_sharper_is_used_row_by_row():
    both = risks_of([ApproxDP(3.0, 0.0), ZCDP(0.02)], [0.01, 0.5])
    assert both.guarantee == "approx-dp:3.0,0.0 and zcdp:0.02"
    for alone in ([ApproxDP(3.0, 0.0)], [ZCDP(0.02)]):
        for one, other in zip(both.risks, risks_of(alone, [0.01, 0.5]).risks, strict=True):
            assert one.success <= other.success


def test_what_the_answer_says_names_its_assumptions():
    answer = deniable.risk("pure-dp:1@add-remove", candidates=100)
    assert [row.baseline for row in answer.risks] == list(USUAL_BASELINES)
    assert "or that it is not in the data" in answer.assumption
    assert "one of 100 equally likely values" in answer.assumption
    assert "in the data." in deniable.risk("pure-dp:1").assumption
    assert "singling out" in str(answer)


@pytest.mark.parametrize(
    ("given", "baselines", "candidates", "message"),
    [
        (PureDP(1.0), [], None, "at-least-one-baseline"),
        (PureDP(1.0), [1.5], None, "not-from-0-to-1: baseline"),
        (PureDP(1.0), [0.1], 3, "baseline-at-least-1-candidates"),
        (PureDP(1.0), [0.1], 1, "below-least: candidates | 2"),
    ],
)
def test_wrong_questions(given, baselines, candidates, message):
    with refuses(InvalidArgument, message):
        risks_of([given], baselines, candidates)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (PopulationPrivacy(0.5), "who-was-drawn-from-list"),
        (PureDP(math.inf), "bounds-nothing: pure-dp:inf"),
        (PureDP(1.0, records=3), "for-data-of-every-size"),
    ],
)
def test_what_bounds_no_tests_between_data_sets_is_refused(given, message):
    with refuses(NotApplicable, message):
        risks_of([given], [0.1])
