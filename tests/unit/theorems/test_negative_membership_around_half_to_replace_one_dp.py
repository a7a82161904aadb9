import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, NegativeMembership, PureDP
from deniable.priors import BoundedPrior
from deniable.priors.one_of_worlds import OneOfWorlds
from deniable.theorems.negative_membership_around_half_to_replace_one_dp import (
    negative_membership_around_half_to_replace_one_dp as theorem,
)


@pytest.mark.parametrize(
    ("low", "high", "ratio"),
    [
        (0.5, 0.5, 3.0),
        (0.0, 1.0, 2.0),
        (0.25, 0.75, 7 / 3),
        (0.25, 1.0, 7 / 3),
        (0.0, 0.75, 7 / 3),
        (0.5, 1.0, 3.0),
    ],
)
def test_gamma_of_two(low, high, ratio):
    """(γ + h − 1)/h for h = min(b, 1 − a): the smaller of both terms in all these."""
    found = theorem(NegativeMembership(2.0, BoundedPrior(low, high)))
    assert found.adjacency is Adjacency.REPLACE_ONE
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)


def test_no_move_and_no_bound():
    even = BoundedPrior(0.5, 0.5)
    assert theorem(NegativeMembership(1.0, even)) == PureDP(0.0)
    assert theorem(NegativeMembership(math.inf, even)).epsilon == math.inf


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        (NegativeMembership(2.0, adjacency=Adjacency.ADD_REMOVE), "got add-remove"),
        (NegativeMembership(2.0, BoundedPrior(0.0, 0.49)), "beliefs of 1/2"),
        (NegativeMembership(2.0, BoundedPrior(0.51, 1.0)), "beliefs of 1/2"),
        (NegativeMembership(2.0, OneOfWorlds(2)), "within an interval"),
    ],
    ids=str,
)
def test_refusals(guarantee, message):
    with pytest.raises(NotApplicable, match=message):
        theorem(guarantee)
