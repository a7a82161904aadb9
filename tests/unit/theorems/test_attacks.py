import math

import pytest

from deniable.errors import InvalidArgument
from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    ApproxDP,
    AttackSuccess,
    GaussianDP,
    PredictiveValue,
    PureDP,
    Setting,
)
from deniable.theorems import attacks as theorems
from deniable.theorems import predictive_value
from deniable.theorems.gaussian import gaussian_dp_to_approx_dp
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals
from tests.oracles.privacy_curves import zcdp_advantage

OUT = Adjacency.ADD_REMOVE
LOSSES = (0.0, 1e-9, 0.3, 2.0, math.inf)

success, success_budget = theorems.approx_dp_to_attack_success, theorems.pure_dp_for_attack_success
advantage, advantage_budget = theorems.approx_dp_to_advantage, theorems.pure_dp_for_advantage
by_erlingsson = predictive_value.approx_dp_to_advantage_by_erlingsson
by_yeom = predictive_value.pure_dp_to_advantage_by_yeom
of_zcdp, of_gaussian = theorems.zcdp_to_advantage, theorems.gaussian_dp_to_advantage
to_success, for_success = (
    theorems.advantage_to_attack_success,
    theorems.advantage_for_attack_success,
)
to_advantage = theorems.attack_success_to_advantage
value, gaussian_value = (
    predictive_value.approx_dp_to_predictive_value,
    predictive_value.gaussian_dp_to_predictive_value,
)


@edges(
    (success, ApproxDP(0.0, 0.0), AttackSuccess(0.5)),
    (success, ApproxDP(0.0, 0.5), AttackSuccess(0.75)),
    (success, ApproxDP(1.0, 1.0), AttackSuccess(1.0)),
    (success, ApproxDP(math.inf, 0.0), AttackSuccess(1.0)),
    (success, ApproxDP(1e308, 0.5, OUT), AttackSuccess(1.0, OUT)),
    (success_budget, AttackSuccess(1.0), PureDP(math.inf)),
    (success_budget, AttackSuccess(0.5), PureDP(0.0)),
    (success_budget, AttackSuccess(0.1), PureDP(0.0)),
    (success_budget, AttackSuccess(0.75, OUT), PureDP(math.log(3), OUT)),
    (advantage, ApproxDP(0.0, 0.0), Advantage(0.0)),
    (advantage, ApproxDP(0.0, 0.1), Advantage(0.1)),
    (advantage, ApproxDP(1.0, 1.0), Advantage(1.0)),
    (advantage, ApproxDP(math.inf, 0.0), Advantage(1.0)),
    (advantage, ApproxDP(1e308, 0.5, OUT), Advantage(1.0, OUT)),
    (advantage, ApproxDP(1e-100, 0.0), Advantage(5e-101)),
    (advantage_budget, Advantage(1.0), PureDP(math.inf)),
    (advantage_budget, Advantage(0.0), PureDP(0.0)),
    (advantage_budget, Advantage(1e-200), PureDP(2e-200)),
    (advantage_budget, Advantage(0.5, OUT), PureDP(math.log(3), OUT)),
    (by_erlingsson, ApproxDP(0.0, 0.25), Advantage(0.25)),
    *(
        (by_yeom, PureDP(x, a), Advantage(min(math.expm1(x), 1.0), a))
        for x in LOSSES
        for a in Adjacency
    ),
    (of_zcdp, ZCDP(0.0), Advantage(0.0)),
    (of_zcdp, ZCDP(1e9, OUT), Advantage(1.0, OUT)),
    (of_gaussian, GaussianDP(0.0), Advantage(0.0)),
    (of_gaussian, GaussianDP(1e6, OUT), Advantage(1.0, OUT)),
    # slack counts like half of μ
    (of_gaussian, GaussianDP(1.0, slack=0.25), of_gaussian(GaussianDP(1.5))),
    *(
        (to_success, Advantage(a), AttackSuccess(q))
        for a, q in [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)]
    ),
    *(
        (for_success, AttackSuccess(q), Advantage(a))
        for a, q in [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0), (0.0, 0.2)]
    ),
    *(
        (to_advantage, AttackSuccess(q, setting), Advantage(a, setting))
        for a, q in [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0), (0.0, 0.3)]
        for setting in Setting
    ),
    # chance and certainty
    (value, ApproxDP(0.0, 0.0), 0.5, 3.0, PredictiveValue(0.25, 0.5, 3.0)),
    (value, ApproxDP(math.inf, 0.0), 0.5, 1.0, PredictiveValue(2 / 3, 0.5, 1.0)),
    (value, ApproxDP(0.0, 1.0), 0.5, 1.0, PredictiveValue(2 / 3, 0.5, 1.0)),
    # both legs of the trade-off
    *(
        (value, ApproxDP(math.log(3), 0.0), fpr, 2.0,
         PredictiveValue(tpr / (tpr + 2 * fpr), fpr, 2.0))
        for fpr, tpr in [(0.01, 0.03), (0.25, 0.75), (0.5, 5 / 6), (0.9, 1 - 0.1 / 3)]
    ),
    (gaussian_value, GaussianDP(0.0), 0.25, 1.0, PredictiveValue(0.5, 0.25, 1.0)),
    # slack counts twice
    (gaussian_value, GaussianDP(1.0, slack=0.25), 0.01, 1.0,
     gaussian_value(GaussianDP(1.5), 0.01, 1.0)),
)  # fmt: skip
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


@pytest.mark.parametrize("epsilon", LOSSES)
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.3, 1.0])
def test_published_advantages_are_weaker_than_the_tight_one(epsilon, delta):
    tight = advantage(ApproxDP(epsilon, delta, OUT))
    found = by_erlingsson(ApproxDP(epsilon, delta, OUT))
    assert found.setting is tight.setting
    assert tight.value <= found.value
    exact = 1 - math.exp(-epsilon) * (1 - delta)
    assert found.value == pytest.approx(exact, rel=1e-6, abs=1e-15)
    assert advantage(ApproxDP(epsilon, 0.0)).value <= by_yeom(PureDP(epsilon)).value


@pytest.mark.parametrize("rho", [1e-300, 1e-60, 1e-6, 0.5, 1.5, 1.7, 10.0])
def test_the_better_of_two_inequalities(rho):
    assert of_zcdp(ZCDP(rho)).value == pytest.approx(zcdp_advantage(rho))


def test_the_smallest_advantage_is_seen():
    assert to_success(Advantage(5e-324)).probability > 0.5


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("fpr", [1e-6, 0.01, 0.6])
def test_every_point_of_the_curve_bounds_the_value_from_above(mu, fpr):
    found = gaussian_value(GaussianDP(mu), fpr, 5.0).value
    points = [gaussian_dp_to_approx_dp(GaussianDP(mu), 0.05 * mu * k) for k in range(200)]
    bounds = [value(point, fpr, 5.0).value for point in points]
    assert found <= min(bounds)
    assert found == pytest.approx(min(bounds), rel=1e-2)


@refusals(
    *(
        (value, ApproxDP(1.0, 0.0), fpr, nonmembers, InvalidArgument, "expects-something")
        for fpr, nonmembers in [(0.0, 1.0), (1.0, 1.0), (0.5, 0.0)]
    ),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
