import math

import pytest

from deniable.errors import InvalidArgument, NotApplicable
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, PrivacyLossTail, PureDP
from deniable.theorems import gaussian as theorems
from deniable.theorems.attacks import approx_dp_to_advantage, gaussian_dp_to_advantage
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals
from tests.oracles.privacy_curves import gaussian_delta, gaussian_tail

OUT = Adjacency.ADD_REMOVE

from_pure, to_zcdp = theorems.pure_dp_to_gaussian_dp, theorems.gaussian_dp_to_zcdp
to_approx, to_tail = theorems.gaussian_dp_to_approx_dp, theorems.gaussian_dp_to_privacy_loss_tail
from_discrete = theorems.discrete_gaussian_to_gaussian_dp
by_rounding = theorems.discrete_gaussian_to_gaussian_dp_by_rounding


@edges(
    (to_approx, GaussianDP(0.0), 0.0, ApproxDP(0.0, 0.0)),
    (to_approx, GaussianDP(1e6, OUT), 1.0, ApproxDP(1.0, 1.0, OUT)),
    (to_approx, GaussianDP(0.01), 100.0, ApproxDP(100.0, 5e-324)),  # above 0, however little
    (to_tail, GaussianDP(0.0), 0.0, PrivacyLossTail(0.0, 0.0)),
    (to_tail, GaussianDP(1.0), 0.0, PrivacyLossTail(0.0, 1.0)),
    (to_tail, GaussianDP(1.0), math.inf, PrivacyLossTail(math.inf, 0.0)),
    (to_tail, GaussianDP(0.0, OUT), 1.0, PrivacyLossTail(1.0, 0.0, OUT)),
    *((to_zcdp, GaussianDP(x, a), ZCDP(x * x / 2, a)) for a in Adjacency for x in (0.0, 0.5, 1.0)),
    (
        from_discrete,  # squares add up
        [(4.0, 2.0, 4), (3.0, 2.0, 1)],
        OUT,
        GaussianDP(math.sqrt(1 / 4 + 4 / 9), OUT, math.sqrt(1 / 4 + 1 / 9)),
    ),
    (from_discrete, [], GaussianDP(0.0)),
    (by_rounding, [], OUT, GaussianDP(0.0, OUT)),
    (by_rounding, [(0.1, 0.0)], GaussianDP(0.0)),  # nothing moves, however little noise there is
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


def test_no_loss_is_no_shift():
    assert from_pure(PureDP(0.0)).mu == pytest.approx(0.0, abs=1e-50)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 5.0, 40.0])
def test_pure_dp_and_its_shift_bound_the_same_advantage(epsilon):
    for adjacency in Adjacency:
        found = from_pure(PureDP(epsilon, adjacency))
        assert (found.adjacency, found.slack) == (adjacency, 0)
        tight = approx_dp_to_advantage(ApproxDP(epsilon, 0.0)).value
        assert gaussian_dp_to_advantage(found).value == pytest.approx(tight, rel=1e-9)


@pytest.mark.parametrize("slack", [0.0, 0.1])
@pytest.mark.parametrize("mu", [0.05, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
def test_the_curve_against_plain_floats(mu, epsilon, slack):
    found = to_approx(GaussianDP(mu, slack=slack), epsilon).delta
    assert found == pytest.approx(gaussian_delta(mu, epsilon, slack), rel=1e-9, abs=1e-300)


def test_the_curve_at_epsilon_0_is_the_advantage():
    guarantee = GaussianDP(0.7, slack=0.01)
    found = to_approx(guarantee, 0.0).delta
    assert found == pytest.approx(gaussian_dp_to_advantage(guarantee).value, rel=1e-15)


@pytest.mark.parametrize("slack", [0.0, 0.05])
@pytest.mark.parametrize(("mu", "epsilon"), [(0.19, 1.0), (0.5, 1.0), (1.0, 6.0), (2.0, 0.5)])
def test_the_search_of_the_tail_finds_the_infimum(mu, epsilon, slack):
    found = to_tail(GaussianDP(mu, slack=slack), epsilon).exceedance
    assert found == pytest.approx(min(gaussian_tail(mu, epsilon, slack), 1.0), rel=1e-6)


@refusals(
    (from_pure, PureDP(math.inf), NotApplicable, "finite-epsilon-inf"),
    (to_zcdp, GaussianDP(1.0, slack=0.1), NotApplicable, "no-slack"),
    (to_zcdp, GaussianDP(1e200), NotApplicable, "finite-epsilon-inf"),
    (by_rounding, [(0.1, 1.0)], NotApplicable, "no-smaller-step-scale: 0.1"),
    (by_rounding, [(2.0, 1.0), (0.0, 1.0)], InvalidArgument, "noise-scale-above-0"),
    *(
        (from_discrete, [(x, 1.0, 1)], InvalidArgument, "noise-scale-above-0-scale")
        for x in (0.0, -1.0, math.nan)
    ),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
