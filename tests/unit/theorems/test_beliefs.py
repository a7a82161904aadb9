import math

import pytest

from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import (
    Adjacency,
    MaxPosterior,
    OneSidedDP,
    PositiveMembership,
    PrivacyLossTail,
    PureDP,
    Side,
)
from deniable.priors import BoundedPriors
from deniable.theorems.beliefs import (
    one_sided_dp_to_max_posterior,
    positive_membership_to_max_posterior,
    privacy_loss_tail_to_max_posterior,
    pure_dp_for_max_posterior,
    pure_dp_to_max_posterior,
    pure_dp_to_min_posterior,
)

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize("prior", [0.0, 1.0])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 1e308, math.inf])
def test_certainty_stays(prior, epsilon):
    assert pure_dp_to_max_posterior(PureDP(epsilon), prior) == MaxPosterior(prior, prior)
    assert pure_dp_to_min_posterior(PureDP(epsilon), prior) == prior


@pytest.mark.parametrize("epsilon", [1e308, math.inf])
def test_without_a_bound_any_belief_goes_anywhere(epsilon):
    assert pure_dp_to_max_posterior(PureDP(epsilon), 1e-300).posterior == 1.0
    assert pure_dp_to_min_posterior(PureDP(epsilon), 0.999) == 0.0


def test_the_odds_move_by_e_to_the_epsilon():
    found = pure_dp_to_max_posterior(PureDP(math.log(4)), 0.2).posterior
    assert found == pytest.approx(0.5, rel=1e-15)
    assert pure_dp_to_min_posterior(PureDP(math.log(4)), 0.5) == pytest.approx(0.2, rel=1e-15)


def test_back():
    found = pure_dp_for_max_posterior(MaxPosterior(0.5, 0.2, 0.0, Adjacency.ADD_REMOVE))
    assert found.epsilon == pytest.approx(math.log(4), rel=1e-15)
    assert found.adjacency is Adjacency.ADD_REMOVE


@pytest.mark.parametrize("posterior", [0.3, 0.2, 0.0])
def test_a_cap_at_or_below_the_prior_is_out_of_reach(posterior):
    with pytest.raises(InfeasibleTarget, match=r"max_posterior > 0\.3, .* got .* Raise the"):
        pure_dp_for_max_posterior(MaxPosterior(posterior, 0.3))


@pytest.mark.parametrize(("posterior", "prior"), [(0.5, 0.0), (1.0, 0.5)])
def test_a_cap_that_every_release_keeps(posterior, prior):
    with pytest.raises(NotApplicable, match="Every release keeps such a target"):
        pure_dp_for_max_posterior(MaxPosterior(posterior, prior))


@pytest.mark.parametrize("prior", [0.0, 0.05, 0.5, 1.0])
def test_it_needs_no_more_than_half_of_dp(prior):
    found = one_sided_dp_to_max_posterior(OneSidedDP(1.0), prior)
    assert found == pure_dp_to_max_posterior(PureDP(1.0, OUT), prior)


def test_the_other_half_says_nothing():
    with pytest.raises(NotApplicable, match="Expected the positive half"):
        one_sided_dp_to_max_posterior(OneSidedDP(1.0, Side.NEGATIVE), 0.5)


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
    guarantee = PositiveMembership(2.0, BoundedPriors(0.0, 0.5), 1e-6, Adjacency.ADD_REMOVE)
    found = positive_membership_to_max_posterior(guarantee, 0.5)
    assert found.spec == "max-posterior:0.75,1e-06@add-remove@0-0.5"


def test_given_the_size_a_limit_on_everybody_is_no_limit_on_one():
    narrow = PositiveMembership(1.5, BoundedPriors(0.0, 0.3))
    with pytest.raises(NotApplicable, match="every belief about the others too"):
        positive_membership_to_max_posterior(narrow, 0.3)


@pytest.mark.parametrize("ends", [(0.1, 0.5), (0.0, 0.2)])
def test_beliefs_outside_the_interval(ends):
    with pytest.raises(NotApplicable, match="every belief in"):
        positive_membership_to_max_posterior(PositiveMembership(2.0, BoundedPriors(*ends)), 0.3)


def test_the_cap_is_that_of_pure_dp_with_the_exceedance_beside_it():
    found = privacy_loss_tail_to_max_posterior(PrivacyLossTail(1.0, 1e-6), 0.5)
    assert math.isclose(found.posterior, 1 / (1 + math.exp(-1)))
    assert found.spec == f"max-posterior:{found.posterior!r},1e-06@0-0.5"
