import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, MaxPosterior, PositiveMembership
from deniable.priors import BoundedPrior
from deniable.theorems.positive_membership_to_max_posterior import (
    positive_membership_to_max_posterior,
)


@pytest.mark.parametrize(
    ("gamma", "prior", "posterior"),
    [
        (2.0, 0.25, 0.5),
        (2.0, 0.5, 0.75),
        (4.0, 0.125, 0.5),
        (2.0, 0.0, 0.0),
        (2.0, 1.0, 1.0),
        (math.inf, 0.25, 1.0),
        (1.0, 0.25, 0.25),
    ],
)
def test_both_bounds_of_the_definition(gamma, prior, posterior):
    found = positive_membership_to_max_posterior(PositiveMembership(gamma), prior)
    assert found == MaxPosterior(posterior, prior)


def test_exceptions_are_kept():
    guarantee = PositiveMembership(2.0, BoundedPrior(0.0, 0.5), 1e-6, Adjacency.ADD_REMOVE)
    found = positive_membership_to_max_posterior(guarantee, 0.5)
    assert found.spec == "max-posterior:0.75,1e-06@add-remove@0-0.5"


def test_given_the_size_a_limit_on_everybody_is_no_limit_on_one():
    narrow = PositiveMembership(1.5, BoundedPrior(0.0, 0.3))
    with pytest.raises(NotApplicable, match="every belief about the others too"):
        positive_membership_to_max_posterior(narrow, 0.3)


@pytest.mark.parametrize("ends", [(0.1, 0.5), (0.0, 0.2)])
def test_beliefs_outside_the_interval(ends):
    with pytest.raises(NotApplicable, match="every belief in"):
        positive_membership_to_max_posterior(PositiveMembership(2.0, BoundedPrior(*ends)), 0.3)
