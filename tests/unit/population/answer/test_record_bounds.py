import pytest

from deniable.bounds import Bound, Evidence
from deniable.errors import InvalidArgument, NotApplicable
from deniable.population.answer.record_bounds import RecordBounds


def test_the_largest_ends_bound_the_maximum():
    found = RecordBounds([2, 7, 4], [0.1, 0.3, 0.2], [0.9, 0.5, 0.9], Evidence.ENCLOSURE)
    assert found.worst() == 2
    assert found.maximum() == Bound(0.3, 0.9, Evidence.ENCLOSURE)
    assert found.each()[1] == Bound(0.3, 0.5, Evidence.ENCLOSURE)


def test_confidence_goes_with_every_record():
    found = RecordBounds([1], [0.1], [0.2], Evidence.CONFIDENCE, 0.9, draws=5, seed=3)
    assert found.maximum() == Bound(0.1, 0.2, Evidence.CONFIDENCE, confidence=0.9, draws=5, seed=3)
    assert found.each() == [found.maximum()]


@pytest.mark.parametrize(
    ("records", "lower", "upper", "message"),
    [
        ([], [], [], "at least one"),
        ([1, 2], [0.0], [0.0], "as many lower and upper ends as records"),
        ([1], [0.2], [0.1], "lower <= upper"),
        ([1], [float("nan")], [0.1], "lower <= upper"),
    ],
)
def test_what_is_no_interval(records, lower, upper, message):
    with pytest.raises(InvalidArgument, match=message):
        RecordBounds(records, lower, upper, Evidence.ENCLOSURE)


MIXED = RecordBounds(
    [3, 5, 8], [0.1, 0.4, 0.0], [0.3, 0.6, 0.7], Evidence.ENCLOSURE,
    lower_methods=["projection", "threshold", "none"], upper_methods=["crowd", "crowd", "pairwise"],
)  # fmt: skip


def test_the_worst_record_gives_the_method():
    assert MIXED.guaranteed_upper() == 0.7
    assert MIXED.method == "pairwise"
    assert MIXED.by("fourier").lower_methods == ("fourier",) * 3


def test_another_theorem_cuts_every_record():
    found = MIXED.capped(0.35, "restricted")
    assert found.upper.tolist() == [0.3, 0.35, 0.35]
    assert found.lower.tolist() == [0.1, 0.35, 0.0]
    assert found.upper_methods == ("crowd", "restricted", "restricted")
    assert MIXED.capped(0.35).upper_methods == MIXED.upper_methods


def test_only_some_records():
    found = MIXED.only([8, 3])
    assert found.records.tolist() == [8, 3]
    assert found.upper.tolist() == [0.7, 0.3]
    assert found.upper_methods == ("pairwise", "crowd")
    assert MIXED.only("worst") is MIXED.only("all") is MIXED


def test_an_estimate_certifies_nothing():
    with pytest.raises(NotApplicable, match="got an estimate"):
        RecordBounds([0], [0.1], [0.2], Evidence.ESTIMATE).guaranteed_upper()
