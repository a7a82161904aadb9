import pytest

from deniable.bounds import Bound, Evidence
from deniable.errors import InvalidArgument
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
