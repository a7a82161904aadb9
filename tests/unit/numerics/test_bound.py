import itertools
import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import InvalidArgument, NotApplicable
from deniable.numerics.bound import Bound, Evidence, pair_bounds
from tests.cases.refusals import refuses

EXACT = Bound.exact(1.0)
ENCLOSURE = Bound(1.0, 2.0, Evidence.ENCLOSURE)
CONFIDENCE = Bound(0.0, 3.0, Evidence.CONFIDENCE, confidence=0.95, draws=100, seed=1)
ESTIMATE = Bound(1.0, 1.5, Evidence.ESTIMATE)
KINDS = [EXACT, ENCLOSURE, CONFIDENCE, ESTIMATE]


@pytest.mark.parametrize(("one", "other"), [*itertools.product(KINDS, KINDS)])
def test_combining_takes_the_weakest_evidence(one, other):
    for combined in (one + other, one.maximum(other)):
        assert combined.evidence is max(one.evidence, other.evidence)
    assert (one + other).lower <= one.lower + other.lower
    assert (one + other).upper >= one.upper + other.upper
    assert one.maximum(other).upper == max(one.upper, other.upper)


def test_an_estimate_never_becomes_a_guarantee():
    for bound in (ESTIMATE, ESTIMATE + EXACT, EXACT + ESTIMATE, CONFIDENCE.maximum(ESTIMATE)):
        with refuses(NotApplicable, "estimate-use-method-that-bounds"):
            bound.guaranteed_upper()
    assert [bound.guaranteed_upper() for bound in KINDS[:3]] == [1.0, 2.0, 3.0]


def test_failures_add_up():
    assert (CONFIDENCE + CONFIDENCE).confidence == pytest.approx(0.9)
    assert CONFIDENCE.maximum(EXACT).confidence == pytest.approx(0.95)
    coin = Bound(0.0, 1.0, Evidence.CONFIDENCE, confidence=0.5)
    with refuses(NotApplicable, "less-1-failure-probabilities-that-add: 1.0"):
        _ = coin + coin


numbers = st.floats(-1e300, 1e300)


@given(numbers, numbers)
def test_sums_round_outwards_by_a_float_at_most(one, other):
    total = Bound.exact(one) + Bound.exact(other)
    exact = Fraction(one) + Fraction(other)
    assert Fraction(total.lower) <= exact <= Fraction(total.upper)
    assert math.nextafter(total.upper, -math.inf) <= math.nextafter(total.lower, math.inf)
    same = total.lower == total.upper
    assert total.evidence is (Evidence.EXACT if same else Evidence.ENCLOSURE)


def test_infinite_ends():
    unbounded = Bound(0.0, math.inf, Evidence.ENCLOSURE)
    assert (unbounded + EXACT).upper == math.inf
    nothing = unbounded + Bound(-math.inf, 0.0, Evidence.ENCLOSURE)
    assert (nothing.lower, nothing.upper) == (-math.inf, math.inf)


def test_json():
    assert ENCLOSURE.as_json() == {"lower": 1.0, "upper": 2.0, "evidence": "enclosure"}
    assert CONFIDENCE.as_json() == {
        "lower": 0.0,
        "upper": 3.0,
        "evidence": "confidence",
        "confidence": 0.95,
        "draws": 100,
        "seed": 1,
    }
    assert [kind.word for kind in Evidence] == ["exact", "enclosure", "confidence", "estimate"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2.0, 1.0, Evidence.ENCLOSURE), "lower-at-most-upper: 2.0 | 1.0"),
        ((math.nan, 1.0, Evidence.ENCLOSURE), "not-a-number: a bound"),
        (("1", 1.0, Evidence.ENCLOSURE), "not-a-number: a bound"),
        ((1.0, 2.0, Evidence.CONFIDENCE), "confidence-without-level: None"),
        (
            (1.0, 2.0, Evidence.ENCLOSURE, 0.9),
            "level-without-confidence: enclosure | 0.9",
        ),
        ((1.0, 2.0, Evidence.CONFIDENCE, 1.0), "not-between-0-and-1: confidence"),
    ],
)
def test_wrong_bounds(arguments, message):
    with refuses(InvalidArgument, message):
        Bound(*arguments)


def test_evidence_is_a_member():
    with refuses(InvalidArgument, "field-as: evidence | Evidence | str"):
        Bound(1.0, 2.0, "exact")


def test_it_is_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        EXACT.upper = 2.0


def test_bounds_that_meet_or_pass_by_a_rounding_are_cut():
    upper = np.array([1.0, 0.0, np.inf, 3.0])
    lower, same = pair_bounds(np.array([1.0 + 1e-12, 1e-15, 5.0, 2.0]), upper)
    assert lower.tolist() == [1.0, 0.0, 5.0, 2.0]
    assert same is upper


@pytest.mark.parametrize(("lower", "upper"), [(1.001, 1.0), (1e-6, 0.0), (np.inf, 1e9)])
def test_proofs_that_contradict_each_other_are_an_error_and_no_answer(lower, upper):
    with pytest.raises(AssertionError, match="proofs is wrong"):
        pair_bounds(np.array([0.0, lower]), np.array([1.0, upper]))
