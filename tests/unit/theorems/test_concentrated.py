import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, Adjacency, ApproxDP, PrivacyLossTail, PureDP
from deniable.theorems.concentrated import (
    pure_dp_to_zcdp,
    zcdp_to_approx_dp,
    zcdp_to_privacy_loss_tail,
)
from tests.oracles.privacy_curves import zcdp_delta, zcdp_tail


@pytest.mark.parametrize(("epsilon", "rho"), [(0.0, 0.0), (1.0, 0.5), (2.0, 2.0)])
def test_half_the_square(epsilon, rho):
    for adjacency in Adjacency:
        assert pure_dp_to_zcdp(PureDP(epsilon, adjacency)) == ZCDP(rho, adjacency)


@pytest.mark.parametrize("epsilon", [math.inf, 1e200])
def test_no_bound(epsilon):
    with pytest.raises(NotApplicable, match="finite"):
        pure_dp_to_zcdp(PureDP(epsilon))


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.05, 1.0])
@pytest.mark.parametrize("share", [1.0, 3.0, 30.0])
def test_the_search_finds_the_best_order(rho, share):
    epsilon = rho + share * rho**0.5
    found = zcdp_to_approx_dp(ZCDP(rho), epsilon).delta
    assert found == pytest.approx(zcdp_delta(rho, epsilon), rel=1e-9)


def test_edges():
    assert zcdp_to_approx_dp(ZCDP(0.0), 0.0) == ApproxDP(0.0, 0.0)
    assert zcdp_to_approx_dp(ZCDP(1e6), 0.0).delta == 1.0
    kept = zcdp_to_approx_dp(ZCDP(0.1, Adjacency.ADD_REMOVE), 1.0)
    assert kept.adjacency is Adjacency.ADD_REMOVE


@pytest.mark.parametrize(("rho", "epsilon"), [(0.01, 0.5), (0.1, 0.2), (1.0, 8.0), (1e-8, 1e-3)])
def test_it_is_chernoff_s_bound_at_the_best_order(rho, epsilon):
    found = zcdp_to_privacy_loss_tail(ZCDP(rho), epsilon).exceedance
    assert found == pytest.approx(zcdp_tail(rho, epsilon), rel=1e-6)


def test_edges__zcdp_to_privacy_loss_tail():
    assert zcdp_to_privacy_loss_tail(ZCDP(0.0), 0.0).exceedance == 0.0
    assert zcdp_to_privacy_loss_tail(ZCDP(0.5), 0.5).exceedance == 1.0
    assert zcdp_to_privacy_loss_tail(ZCDP(0.5), 0.1).exceedance == 1.0
    kept = zcdp_to_privacy_loss_tail(ZCDP(0.0, Adjacency.ADD_REMOVE), 1.0)
    assert kept == PrivacyLossTail(1.0, 0.0, Adjacency.ADD_REMOVE)
