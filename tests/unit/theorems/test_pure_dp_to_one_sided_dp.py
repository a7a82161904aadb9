import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, OneSidedDP, PureDP, Side
from deniable.theorems.pure_dp_to_one_sided_dp import pure_dp_to_one_sided_dp

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize("side", Side)
def test_each_half_has_the_same_epsilon(side):
    assert pure_dp_to_one_sided_dp(PureDP(0.7, OUT), side) == OneSidedDP(0.7, side)


def test_replace_one_has_no_halves():
    with pytest.raises(NotApplicable, match="got replace-one"):
        pure_dp_to_one_sided_dp(PureDP(0.7), Side.POSITIVE)
