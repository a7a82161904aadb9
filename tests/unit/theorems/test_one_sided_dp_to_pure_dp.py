import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, OneSidedDP, PureDP, Side
from deniable.theorems.one_sided_dp_to_pure_dp import one_sided_dp_to_pure_dp


def test_the_larger_half_counts():
    low, high = OneSidedDP(0.5), OneSidedDP(2.0, Side.NEGATIVE)
    assert one_sided_dp_to_pure_dp(low, high) == PureDP(2.0, Adjacency.ADD_REMOVE)
    assert one_sided_dp_to_pure_dp(OneSidedDP(3.0), high).epsilon == 3.0


@pytest.mark.parametrize("sides", [(Side.POSITIVE, Side.POSITIVE), (Side.NEGATIVE, Side.POSITIVE)])
def test_both_halves_are_needed_in_order(sides):
    with pytest.raises(NotApplicable, match="Prove the other half too"):
        one_sided_dp_to_pure_dp(*(OneSidedDP(1.0, side) for side in sides))
