import pytest

from deniable.notions import GaussianDP
from deniable.theorems.approx_dp_to_predictive_value import approx_dp_to_predictive_value
from deniable.theorems.gaussian_dp_to_approx_dp import gaussian_dp_to_approx_dp
from deniable.theorems.gaussian_dp_to_predictive_value import gaussian_dp_to_predictive_value


def test_chance():
    found = gaussian_dp_to_predictive_value(GaussianDP(0.0), 0.25, 1.0)
    assert found.value == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("fpr", [1e-6, 0.01, 0.6])
def test_every_point_of_the_curve_bounds_it_from_above(mu, fpr):
    found = gaussian_dp_to_predictive_value(GaussianDP(mu), fpr, 5.0).value
    points = [gaussian_dp_to_approx_dp(GaussianDP(mu), 0.05 * mu * k) for k in range(200)]
    bounds = [approx_dp_to_predictive_value(point, fpr, 5.0).value for point in points]
    assert found <= min(bounds)
    assert found == pytest.approx(min(bounds), rel=1e-2)


def test_slack_counts_twice():
    slack = gaussian_dp_to_predictive_value(GaussianDP(1.0, slack=0.25), 0.01, 1.0)
    assert slack == gaussian_dp_to_predictive_value(GaussianDP(1.5), 0.01, 1.0)
