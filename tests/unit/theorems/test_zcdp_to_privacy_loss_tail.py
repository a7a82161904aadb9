import pytest

from deniable.notions import ZCDP, Adjacency, PrivacyLossTail
from deniable.theorems.zcdp_to_privacy_loss_tail import zcdp_to_privacy_loss_tail
from tests.reference_curves import zcdp_tail


@pytest.mark.parametrize(("rho", "epsilon"), [(0.01, 0.5), (0.1, 0.2), (1.0, 8.0), (1e-8, 1e-3)])
def test_it_is_chernoff_s_bound_at_the_best_order(rho, epsilon):
    found = zcdp_to_privacy_loss_tail(ZCDP(rho), epsilon).exceedance
    assert found == pytest.approx(zcdp_tail(rho, epsilon), rel=1e-6)


def test_edges():
    assert zcdp_to_privacy_loss_tail(ZCDP(0.0), 0.0).exceedance == 0.0
    assert zcdp_to_privacy_loss_tail(ZCDP(0.5), 0.5).exceedance == 1.0
    assert zcdp_to_privacy_loss_tail(ZCDP(0.5), 0.1).exceedance == 1.0
    kept = zcdp_to_privacy_loss_tail(ZCDP(0.0, Adjacency.ADD_REMOVE), 1.0)
    assert kept == PrivacyLossTail(1.0, 0.0, Adjacency.ADD_REMOVE)
