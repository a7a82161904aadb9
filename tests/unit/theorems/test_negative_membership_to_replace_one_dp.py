import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, NegativeMembership
from deniable.priors import BoundedPrior
from deniable.theorems.negative_membership_to_replace_one_dp import (
    negative_membership_to_replace_one_dp,
)


def test_the_logarithm():
    found = negative_membership_to_replace_one_dp(NegativeMembership(4.0))
    assert found.epsilon == pytest.approx(math.log(4), rel=1e-15)


@pytest.mark.parametrize(
    "guarantee",
    [
        NegativeMembership(2.0, adjacency=Adjacency.ADD_REMOVE),
        NegativeMembership(2.0, BoundedPrior(0.1, 1.0)),
    ],
    ids=str,
)
def test_refusals(guarantee):
    with pytest.raises(NotApplicable, match="Expected"):
        negative_membership_to_replace_one_dp(guarantee)
