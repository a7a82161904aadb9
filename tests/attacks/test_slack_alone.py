"""Gaussian DP with μ = 0 and slack τ: each theorem says what N(0, 1) against N(2τ, 1) allows."""

import pytest

from deniable.notions import Adjacency, GaussianDP
from deniable.theorems.attacks import gaussian_dp_to_advantage
from deniable.theorems.gaussian import gaussian_dp_to_approx_dp, gaussian_dp_to_privacy_loss_tail
from deniable.theorems.predictive_value import gaussian_dp_to_predictive_value

SLACKS = [5e-324, 1e-300, 1e-9, 0.05, 1.0, 1e6]
EPSILONS = [0.0, 5e-324, 1e-9, 0.1, 2.0, 1e4, float("inf")]


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("slack", SLACKS)
def test_all_theorems_read_one_notion(slack, adjacency):
    one, other = GaussianDP(0.0, adjacency, slack), GaussianDP(2 * slack, adjacency)
    assert gaussian_dp_to_advantage(one) == gaussian_dp_to_advantage(other)
    for fpr in (1e-9, 0.01, 0.5):
        value = gaussian_dp_to_predictive_value(one, fpr, 1.0)
        assert value == gaussian_dp_to_predictive_value(other, fpr, 1.0)
    for epsilon in EPSILONS[:-1]:
        curve = gaussian_dp_to_approx_dp(one, epsilon)
        assert curve == gaussian_dp_to_approx_dp(other, epsilon)
    for epsilon in EPSILONS:
        tail = gaussian_dp_to_privacy_loss_tail(one, epsilon)
        assert tail == gaussian_dp_to_privacy_loss_tail(other, epsilon)


@pytest.mark.parametrize("slack", SLACKS)
def test_no_smaller_than_the_advantage_allows(slack):
    """δ(ε) >= A − (e^ε − 1), for no event on which p passes q by A loses more."""
    guarantee = GaussianDP(0.0, slack=slack)
    advantage = gaussian_dp_to_advantage(guarantee).value
    curve = [gaussian_dp_to_approx_dp(guarantee, epsilon).delta for epsilon in EPSILONS[:3]]
    assert curve[0] == pytest.approx(advantage, rel=1e-12, abs=1e-50)
    assert advantage > 0
    for epsilon, delta in zip(EPSILONS, curve, strict=False):
        assert delta >= advantage - 1.1 * epsilon - 1e-15 * advantage - 1e-50
