import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, PrivacyLossTail, PureDP
from deniable.theorems import pure_and_approximate as theorems
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT = Adjacency.ADD_REMOVE
BOTH = tuple(Adjacency)

to_approx, to_pure = theorems.pure_dp_to_approx_dp, theorems.approx_dp_to_pure_dp
pure_to_tail, to_tail = (
    theorems.pure_dp_to_privacy_loss_tail,
    theorems.approx_dp_to_privacy_loss_tail,
)
from_tail, exceedance = theorems.privacy_loss_tail_to_approx_dp, theorems.approx_dp_to_exceedance


@edges(
    *((to_approx, PureDP(x, a), ApproxDP(x, 0.0, a)) for a in BOTH for x in (0.0, 0.3, math.inf)),
    *((to_pure, ApproxDP(x, 0.0, a), PureDP(x, a)) for a in BOTH for x in (0.0, 0.3, math.inf)),
    *(
        (pure_to_tail, PureDP(x, a), PrivacyLossTail(x, 0.0, a))
        for a in BOTH
        for x in (0.0, 0.3, math.inf)
    ),
    *(
        (from_tail, PrivacyLossTail(x, 1e-6, a), ApproxDP(x, 1e-6, a))
        for a in BOTH
        for x in (0.0, 1.0, math.inf)
    ),
    (
        to_tail,  # the loss grows by −ln(1 − δ/X)
        ApproxDP(1.0, 0.01, OUT),
        0.02,
        PrivacyLossTail(1 + math.log(2), 0.02, OUT),
    ),
    (to_tail, ApproxDP(math.inf, 0.01), 0.1, PrivacyLossTail(math.inf, 0.1)),
    (exceedance, ApproxDP(1.0, 0.01), 0.5, 1.0),
    (exceedance, ApproxDP(1.0, 0.01), 1.0, 1.0),
    (exceedance, ApproxDP(1.0, 0.0), 0.5, 1.0),
    (exceedance, ApproxDP(1.0, 0.0), 1.0, 0.0),
    (exceedance, ApproxDP(1.0, 0.0), 1.5, 0.0),
    (exceedance, ApproxDP(1.0, 0.01), math.inf, 0.01),
    (exceedance, ApproxDP(math.inf, 0.01), math.inf, 1.0),
    (exceedance, ApproxDP(1.0, 0.5), 1.0 + 1e-9, 1.0),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


def test_loss_and_exceedance_invert_each_other():
    dp = ApproxDP(0.7, 1e-6)
    assert exceedance(dp, to_tail(dp, 1e-4).epsilon) == pytest.approx(1e-4, rel=1e-10)


@refusals(
    (to_pure, ApproxDP(1.0, 5e-324), NotApplicable, "delta-0-in-theorems: 5e-324"),
    *(
        (to_tail, ApproxDP(1.0, 0.01), x, NotApplicable, "exceedance-above-delta-raise")
        for x in (0.01, 0.005, 0.0)
    ),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
