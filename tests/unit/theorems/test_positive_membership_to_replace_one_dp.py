import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PositiveMembership, PureDP
from deniable.priors import BoundedPrior
from deniable.priors.one_of_worlds import OneOfWorlds
from deniable.theorems.positive_membership_to_replace_one_dp import (
    positive_membership_to_replace_one_dp,
)


def test_the_logarithm():
    assert positive_membership_to_replace_one_dp(PositiveMembership(1.0)) == PureDP(0.0)
    whole = PositiveMembership(4.0, BoundedPrior(0.0, 1.0))
    found = positive_membership_to_replace_one_dp(whole)
    assert found.adjacency is Adjacency.REPLACE_ONE
    assert found.epsilon == pytest.approx(math.log(4), rel=1e-15)
    limitless = PositiveMembership(math.inf)
    assert positive_membership_to_replace_one_dp(limitless).epsilon == math.inf


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        (PositiveMembership(2.0, adjacency=Adjacency.ADD_REMOVE), "got add-remove"),
        (PositiveMembership(2.0, exceedance=0.1), "no exception"),
        (PositiveMembership(2.0, BoundedPrior(0.0, 0.9)), "An interval that holds 1/2"),
        (PositiveMembership(2.0, OneOfWorlds(3)), "within an interval"),
    ],
    ids=str,
)
def test_refusals(guarantee, message):
    with pytest.raises(NotApplicable, match=message):
        positive_membership_to_replace_one_dp(guarantee)
