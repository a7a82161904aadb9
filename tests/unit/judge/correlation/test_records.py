import pytest

from deniable.errors import InvalidArgument
from deniable.judge.correlation.sums import others
from deniable.priors._arrays import position
from tests.cases.refusals import refuses


def test_positions_count_from_zero():
    assert position(2, 3, "record") == 2
    assert others([2, 0], 1, 3) == (0, 2)
    assert others([], 0, 1) == ()


@pytest.mark.parametrize("value", [3, -1, 0.5, "a", None])
def test_a_position_outside_is_refused(value):
    with refuses(InvalidArgument, "record-below-in-arguments"):
        position(value, 3, "record")


@pytest.mark.parametrize("known", [[1], [0, 0]])
def test_known_records_are_distinct_others(known):
    with refuses(InvalidArgument, "distinct-known-records-other-record: 1"):
        others(known, 1, 3)
