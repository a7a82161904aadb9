import math

import pytest

from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import Adjacency, MaxPosterior, PureDP
from deniable.theorems.pure_dp_to_max_posterior import (
    pure_dp_for_max_posterior,
    pure_dp_to_max_posterior,
    pure_dp_to_min_posterior,
)


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
