import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, NegativeMembership, OneSidedDP, Side
from deniable.priors import BoundedPrior
from deniable.theorems.negative_membership_to_one_sided_dp import (
    negative_membership_to_one_sided_dp,
)
from deniable.theorems.one_sided_dp_to_negative_membership import (
    one_sided_dp_to_negative_membership,
)

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize(
    ("ends", "ratio"),
    [((0.5, 0.75), 3.0), ((0.25, 0.75), 7 / 3), ((0.5, 1.0), 2.0), ((0.0, 0.25), 2.0)],
)
def test_the_interval_is_reflected(ends, ratio):
    found = negative_membership_to_one_sided_dp(NegativeMembership(2.0, BoundedPrior(*ends), OUT))
    assert found.side is Side.NEGATIVE
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.2, 0.7), (0.1, 0.1)])
def test_there_and_back(ends):
    half = OneSidedDP(0.3, Side.NEGATIVE)
    there = one_sided_dp_to_negative_membership(half, BoundedPrior(*ends))
    back = negative_membership_to_one_sided_dp(there).epsilon
    assert 0.3 <= back == pytest.approx(0.3, rel=1e-14)


def test_edges_and_refusals():
    limitless = NegativeMembership(math.inf, adjacency=OUT)
    assert negative_membership_to_one_sided_dp(limitless).epsilon == math.inf
    with pytest.raises(NotApplicable, match="got replace-one"):
        negative_membership_to_one_sided_dp(NegativeMembership(2.0))
    with pytest.raises(NotApplicable, match="Certainty is never"):
        negative_membership_to_one_sided_dp(NegativeMembership(2.0, BoundedPrior(1.0, 1.0), OUT))
