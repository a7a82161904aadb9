import pytest

from deniable.notions import ZCDP, Adjacency, ApproxDP
from deniable.theorems.zcdp_to_approx_dp import zcdp_to_approx_dp
from tests.reference_curves import zcdp_delta


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
