import math

import pytest

from deniable.notions import Adjacency, GaussianDP, PrivacyLossTail
from deniable.theorems.gaussian_dp_to_privacy_loss_tail import gaussian_dp_to_privacy_loss_tail
from tests.reference_curves import gaussian_tail


@pytest.mark.parametrize("slack", [0.0, 0.05])
@pytest.mark.parametrize(("mu", "epsilon"), [(0.19, 1.0), (0.5, 1.0), (1.0, 6.0), (2.0, 0.5)])
def test_the_search_finds_the_infimum(mu, epsilon, slack):
    found = gaussian_dp_to_privacy_loss_tail(GaussianDP(mu, slack=slack), epsilon).exceedance
    assert found == pytest.approx(min(gaussian_tail(mu, epsilon, slack), 1.0), rel=1e-6)


def test_edges():
    assert gaussian_dp_to_privacy_loss_tail(GaussianDP(0.0), 0.0).exceedance == 0.0
    assert gaussian_dp_to_privacy_loss_tail(GaussianDP(1.0), 0.0).exceedance == 1.0
    assert gaussian_dp_to_privacy_loss_tail(GaussianDP(1.0), math.inf).exceedance == 0.0
    kept = gaussian_dp_to_privacy_loss_tail(GaussianDP(0.0, Adjacency.ADD_REMOVE), 1.0)
    assert kept == PrivacyLossTail(1.0, 0.0, Adjacency.ADD_REMOVE)
