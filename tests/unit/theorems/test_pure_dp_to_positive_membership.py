import math

import pytest

from deniable.notions import Adjacency, PositiveMembership, PureDP
from deniable.priors import BoundedPrior, UnrestrictedPrior
from deniable.theorems.pure_dp_to_positive_membership import (
    pure_dp_for_positive_membership,
    pure_dp_to_positive_membership,
)

PRIORS = [
    BoundedPrior(0.0, 1.0),
    BoundedPrior(0.3, 0.7),
    BoundedPrior(0.0, 0.0),
    BoundedPrior(1.0, 1.0),
    BoundedPrior(5e-324, 5e-324),
    UnrestrictedPrior(),
]


@pytest.mark.parametrize("adversary", PRIORS, ids=str)
def test_no_budget_is_no_gain_and_no_bound_is_none(adversary):
    assert pure_dp_to_positive_membership(PureDP(0.0), adversary).gamma == 1.0
    assert pure_dp_to_positive_membership(PureDP(math.inf), adversary).gamma == math.inf
    assert pure_dp_for_positive_membership(PositiveMembership(1.0, adversary)).epsilon == 0.0
    found = pure_dp_for_positive_membership(PositiveMembership(math.inf, adversary))
    assert found.epsilon == math.inf


@pytest.mark.parametrize(
    ("ends", "gamma", "ratio"),
    [
        ((0.25, 0.5), 2.0, 3.0),  # aγ < 1, both terms are 3
        ((0.25, 0.75), 2.0, 7 / 3),  # aγ < 1, the second decides
        ((0.25, 0.25), 2.0, 3.0),  # aγ < 1, the first decides
        ((0.5, 0.5), 2.0, 3.0),  # aγ = 1
        ((0.75, 0.75), 2.0, 7 / 3),  # aγ > 1
        ((0.0, 0.0), 2.0, 2.0),
        ((1.0, 1.0), 2.0, 2.0),
    ],
)
def test_either_term_of_the_minimum(ends, gamma, ratio):
    adversary = BoundedPrior(*ends)
    found = pure_dp_for_positive_membership(PositiveMembership(gamma, adversary))
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)
    assert pure_dp_to_positive_membership(found, adversary).gamma == gamma


def test_gamma_beyond_floats_is_infinite_and_epsilon_stays_finite():
    adversary = BoundedPrior(0.3, 0.7)
    assert pure_dp_to_positive_membership(PureDP(1e308), adversary).gamma == math.inf
    found = pure_dp_for_positive_membership(PositiveMembership(1e308, adversary))
    assert found.epsilon == pytest.approx(math.log(1e308) - math.log(0.7))


def test_the_adjacency_asked_for_is_kept():
    for adjacency in Adjacency:
        target = PositiveMembership(2.0, BoundedPrior(0.3, 0.7), adjacency=adjacency)
        assert pure_dp_for_positive_membership(target).adjacency is adjacency
    assert pure_dp_to_positive_membership(PureDP(1.0), target.adversary).adversary is (
        target.adversary
    )
