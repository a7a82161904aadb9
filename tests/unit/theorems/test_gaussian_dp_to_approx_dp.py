import pytest

from deniable.notions import Adjacency, ApproxDP, GaussianDP
from deniable.theorems.gaussian_dp_to_advantage import gaussian_dp_to_advantage
from deniable.theorems.gaussian_dp_to_approx_dp import gaussian_dp_to_approx_dp
from tests.reference_curves import gaussian_delta


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
