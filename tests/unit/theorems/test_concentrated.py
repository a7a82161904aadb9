import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, Adjacency, ApproxDP, PrivacyLossTail, PureDP
from deniable.theorems import pure_and_approximate as theorems
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals
from tests.oracles.privacy_curves import zcdp_delta, zcdp_tail

OUT = Adjacency.ADD_REMOVE

from_pure = theorems.pure_dp_to_zcdp
to_approx, to_tail = theorems.zcdp_to_approx_dp, theorems.zcdp_to_privacy_loss_tail


@edges(
    *((from_pure, PureDP(x, a), ZCDP(x * x / 2, a)) for a in Adjacency for x in (0.0, 1.0, 2.0)),
    (to_approx, ZCDP(0.0), 0.0, ApproxDP(0.0, 0.0)),
    (to_approx, ZCDP(1e6, OUT), 0.0, ApproxDP(0.0, 1.0, OUT)),
    (to_tail, ZCDP(0.0), 0.0, PrivacyLossTail(0.0, 0.0)),
    (to_tail, ZCDP(0.5), 0.5, PrivacyLossTail(0.5, 1.0)),
    (to_tail, ZCDP(0.5), 0.1, PrivacyLossTail(0.1, 1.0)),
    (to_tail, ZCDP(0.0, OUT), 1.0, PrivacyLossTail(1.0, 0.0, OUT)),
    (to_tail, ZCDP(0.5, OUT), 0.1, PrivacyLossTail(0.1, 1.0, OUT)),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.05, 1.0])
@pytest.mark.parametrize("share", [1.0, 3.0, 30.0])
def test_the_search_finds_the_best_order(rho, share):
    epsilon = rho + share * rho**0.5
    found = to_approx(ZCDP(rho), epsilon).delta
    assert found == pytest.approx(zcdp_delta(rho, epsilon), rel=1e-9)


@pytest.mark.parametrize(("rho", "epsilon"), [(0.01, 0.5), (0.1, 0.2), (1.0, 8.0), (1e-8, 1e-3)])
def test_the_tail_is_chernoff_s_bound_at_the_best_order(rho, epsilon):
    found = to_tail(ZCDP(rho), epsilon).exceedance
    assert found == pytest.approx(zcdp_tail(rho, epsilon), rel=1e-6)


@refusals(
    (from_pure, PureDP(math.inf), NotApplicable, "finite-epsilon-2"),
    (from_pure, PureDP(1e200), NotApplicable, "finite-epsilon-2"),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
