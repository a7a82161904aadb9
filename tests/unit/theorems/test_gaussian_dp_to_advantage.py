import pytest

from deniable.notions import Advantage, GaussianDP
from deniable.theorems.gaussian_dp_to_advantage import gaussian_dp_to_advantage


def test_edges():
    assert gaussian_dp_to_advantage(GaussianDP(0.0)) == Advantage(0.0)
    assert gaussian_dp_to_advantage(GaussianDP(1e6)) == Advantage(1.0)


def test_slack_counts_like_half_of_mu():
    moved = gaussian_dp_to_advantage(GaussianDP(1.0, slack=0.25)).value
    assert moved == pytest.approx(gaussian_dp_to_advantage(GaussianDP(1.5)).value)
