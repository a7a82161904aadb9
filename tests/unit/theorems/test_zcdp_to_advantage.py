import pytest

from deniable.notions import ZCDP, Advantage
from deniable.theorems.zcdp_to_advantage import zcdp_to_advantage
from tests.reference_curves import zcdp_advantage


@pytest.mark.parametrize("rho", [1e-300, 1e-60, 1e-6, 0.5, 1.5, 1.7, 10.0])
def test_the_better_of_two_inequalities(rho):
    assert zcdp_to_advantage(ZCDP(rho)).value == pytest.approx(zcdp_advantage(rho))


def test_edges():
    assert zcdp_to_advantage(ZCDP(0.0)) == Advantage(0.0)
    assert zcdp_to_advantage(ZCDP(1e9)) == Advantage(1.0)
