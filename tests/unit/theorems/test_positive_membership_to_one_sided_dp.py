import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, OneSidedDP, PositiveMembership, Side
from deniable.priors import BoundedPrior
from deniable.priors.sampled_entities import SampledEntities
from deniable.theorems.one_sided_dp_to_positive_membership import (
    one_sided_dp_to_positive_membership,
)
from deniable.theorems.positive_membership_to_one_sided_dp import (
    positive_membership_to_one_sided_dp,
)

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize(
    ("ends", "ratio"),
    [
        ((0.25, 0.5), 3.0),
        ((0.25, 0.75), 7 / 3),
        ((0.5, 0.5), 3.0),
        ((0.0, 0.5), 2.0),
        ((0.0, 1.0), 2.0),
        ((0.75, 1.0), 2.0),
    ],
)
def test_the_ends_of_the_interval_decide(ends, ratio):
    guarantee = PositiveMembership(2.0, BoundedPrior(*ends), adjacency=OUT)
    found = positive_membership_to_one_sided_dp(guarantee)
    assert found.side is Side.POSITIVE
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.2, 0.7), (0.9, 0.9)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_there_and_back(ends, epsilon):
    there = one_sided_dp_to_positive_membership(OneSidedDP(epsilon), BoundedPrior(*ends))
    back = positive_membership_to_one_sided_dp(there).epsilon
    assert epsilon <= back
    assert back == pytest.approx(epsilon, rel=1e-14, abs=1e-14)


def test_no_bound_stays_none():
    assert (
        positive_membership_to_one_sided_dp(PositiveMembership(math.inf, adjacency=OUT)).epsilon
        == math.inf
    )


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        (PositiveMembership(2.0), "got replace-one"),
        (PositiveMembership(2.0, exceedance=0.1, adjacency=OUT), "no exception"),
        (PositiveMembership(2.0, BoundedPrior(0.0, 0.0), adjacency=OUT), "Certainty is never"),
        (PositiveMembership(2.0, BoundedPrior(1.0, 1.0), adjacency=OUT), "Certainty is never"),
        (PositiveMembership(2.0, SampledEntities(0.5), adjacency=OUT), "within an interval"),
    ],
    ids=str,
)
def test_refusals(guarantee, message):
    with pytest.raises(NotApplicable, match=message):
        positive_membership_to_one_sided_dp(guarantee)
