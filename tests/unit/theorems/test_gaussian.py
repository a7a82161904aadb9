import math

import pytest

from deniable.errors import InvalidArgument, NotApplicable
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, PrivacyLossTail, PureDP
from deniable.theorems.attacks import approx_dp_to_advantage, gaussian_dp_to_advantage
from deniable.theorems.gaussian import (
    discrete_gaussian_to_gaussian_dp,
    gaussian_dp_to_approx_dp,
    gaussian_dp_to_privacy_loss_tail,
    gaussian_dp_to_zcdp,
    pure_dp_to_gaussian_dp,
)
from tests.oracles.privacy_curves import gaussian_delta, gaussian_tail


def test_no_loss_is_no_shift():
    assert pure_dp_to_gaussian_dp(PureDP(0.0)).mu == pytest.approx(0.0, abs=1e-50)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 5.0, 40.0])
def test_both_bound_the_same_advantage(epsilon):
    for adjacency in Adjacency:
        found = pure_dp_to_gaussian_dp(PureDP(epsilon, adjacency))
        assert found.adjacency is adjacency
        assert found.slack == 0
        tight = approx_dp_to_advantage(ApproxDP(epsilon, 0.0)).value
        assert gaussian_dp_to_advantage(found).value == pytest.approx(tight, rel=1e-9)


def test_no_bound():
    with pytest.raises(NotApplicable, match="finite"):
        pure_dp_to_gaussian_dp(PureDP(math.inf))


@pytest.mark.parametrize("slack", [0.0, 0.1])
@pytest.mark.parametrize("mu", [0.05, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
def test_against_plain_floats(mu, epsilon, slack):
    found = gaussian_dp_to_approx_dp(GaussianDP(mu, slack=slack), epsilon).delta
    assert found == pytest.approx(gaussian_delta(mu, epsilon, slack), rel=1e-9, abs=1e-300)


def test_at_epsilon_0_it_is_the_advantage():
    guarantee = GaussianDP(0.7, slack=0.01)
    found = gaussian_dp_to_approx_dp(guarantee, 0.0).delta
    assert found == pytest.approx(gaussian_dp_to_advantage(guarantee).value, rel=1e-15)


def test_edges():
    assert gaussian_dp_to_approx_dp(GaussianDP(0.0), 0.0) == ApproxDP(0.0, 0.0)
    assert gaussian_dp_to_approx_dp(GaussianDP(1e6), 1.0).delta == 1.0
    assert 0.0 < gaussian_dp_to_approx_dp(GaussianDP(0.01), 100.0).delta <= 5e-324
    kept = gaussian_dp_to_approx_dp(GaussianDP(1.0, Adjacency.ADD_REMOVE), 1.0)
    assert kept.adjacency is Adjacency.ADD_REMOVE


@pytest.mark.parametrize("slack", [0.0, 0.05])
@pytest.mark.parametrize(("mu", "epsilon"), [(0.19, 1.0), (0.5, 1.0), (1.0, 6.0), (2.0, 0.5)])
def test_the_search_finds_the_infimum(mu, epsilon, slack):
    found = gaussian_dp_to_privacy_loss_tail(GaussianDP(mu, slack=slack), epsilon).exceedance
    assert found == pytest.approx(min(gaussian_tail(mu, epsilon, slack), 1.0), rel=1e-6)


def test_edges__gaussian_dp_to_privacy_loss_tail():
    assert gaussian_dp_to_privacy_loss_tail(GaussianDP(0.0), 0.0).exceedance == 0.0
    assert gaussian_dp_to_privacy_loss_tail(GaussianDP(1.0), 0.0).exceedance == 1.0
    assert gaussian_dp_to_privacy_loss_tail(GaussianDP(1.0), math.inf).exceedance == 0.0
    kept = gaussian_dp_to_privacy_loss_tail(GaussianDP(0.0, Adjacency.ADD_REMOVE), 1.0)
    assert kept == PrivacyLossTail(1.0, 0.0, Adjacency.ADD_REMOVE)


@pytest.mark.parametrize(("mu", "rho"), [(0.0, 0.0), (1.0, 0.5), (0.5, 0.125)])
def test_half_the_square(mu, rho):
    for adjacency in Adjacency:
        assert gaussian_dp_to_zcdp(GaussianDP(mu, adjacency)) == ZCDP(rho, adjacency)


def test_slack_and_too_large_shifts_are_refused():
    with pytest.raises(NotApplicable, match="slack"):
        gaussian_dp_to_zcdp(GaussianDP(1.0, slack=0.1))
    with pytest.raises(NotApplicable, match="finite"):
        gaussian_dp_to_zcdp(GaussianDP(1e200))


def test_squares_add_up():
    found = discrete_gaussian_to_gaussian_dp([(4.0, 2.0, 4), (3.0, 2.0, 1)], Adjacency.ADD_REMOVE)
    assert found.mu == pytest.approx(math.sqrt(1 / 4 + 4 / 9))
    assert found.slack == pytest.approx(math.sqrt(1 / 4 + 1 / 9))
    assert found.adjacency is Adjacency.ADD_REMOVE


def test_nothing_released_costs_nothing():
    found = discrete_gaussian_to_gaussian_dp([])
    assert (found.mu, found.slack) == (0.0, 0.0)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan])
def test_a_scale_is_positive(scale):
    with pytest.raises(InvalidArgument, match="Expected a noise scale > 0, got scale="):
        discrete_gaussian_to_gaussian_dp([(scale, 1.0, 1)])
