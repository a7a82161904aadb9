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
    PureDP,
    Setting,
)
from deniable.theorems.attacks import (
    advantage_for_attack_success,
    advantage_to_attack_success,
    approx_dp_to_advantage,
    approx_dp_to_advantage_by_erlingsson,
    approx_dp_to_attack_success,
    approx_dp_to_predictive_value,
    attack_success_to_advantage,
    gaussian_dp_to_advantage,
    gaussian_dp_to_predictive_value,
    pure_dp_for_advantage,
    pure_dp_for_attack_success,
    pure_dp_to_advantage_by_yeom,
    zcdp_to_advantage,
)
from deniable.theorems.gaussian import gaussian_dp_to_approx_dp
from tests.oracles.privacy_curves import zcdp_advantage


@pytest.mark.parametrize(
    ("epsilon", "delta", "success"),
    [
        (0.0, 0.0, 0.5),
        (0.0, 0.5, 0.75),
        (1.0, 1.0, 1.0),
        (math.inf, 0.0, 1.0),
        (1e308, 0.5, 1.0),
    ],
)
def test_edges(epsilon, delta, success):
    assert approx_dp_to_attack_success(ApproxDP(epsilon, delta)) == AttackSuccess(success)


def test_back():
    assert pure_dp_for_attack_success(AttackSuccess(1.0)) == PureDP(math.inf)
    assert pure_dp_for_attack_success(AttackSuccess(0.5)) == PureDP(0.0)
    assert pure_dp_for_attack_success(AttackSuccess(0.1)) == PureDP(0.0)
    found = pure_dp_for_attack_success(AttackSuccess(0.75, Adjacency.ADD_REMOVE))
    assert found.adjacency is Adjacency.ADD_REMOVE
    assert found.epsilon == pytest.approx(math.log(3), rel=1e-15)


@pytest.mark.parametrize(
    ("epsilon", "delta", "advantage"),
    [
        (0.0, 0.0, 0.0),
        (0.0, 0.1, 0.1),
        (1.0, 1.0, 1.0),
        (math.inf, 0.0, 1.0),
        (1e308, 0.5, 1.0),
    ],
)
def test_edges__approx_dp_to_advantage(epsilon, delta, advantage):
    assert approx_dp_to_advantage(ApproxDP(epsilon, delta)) == Advantage(advantage)


def test_a_tiny_epsilon_gives_half_of_it():
    assert approx_dp_to_advantage(ApproxDP(1e-100, 0.0)).value == pytest.approx(5e-101)


def test_back__approx_dp_to_advantage():
    assert pure_dp_for_advantage(Advantage(1.0)) == PureDP(math.inf)
    assert pure_dp_for_advantage(Advantage(0.0)) == PureDP(0.0)
    assert pure_dp_for_advantage(Advantage(1e-200)).epsilon == pytest.approx(2e-200)
    found = pure_dp_for_advantage(Advantage(0.5, Adjacency.ADD_REMOVE))
    assert found.adjacency is Adjacency.ADD_REMOVE
    assert found.epsilon == pytest.approx(math.log(3), rel=1e-15)


def test_it_is_weaker_than_the_tight_bound():
    for epsilon in (0.0, 1e-9, 0.3, 2.0, math.inf):
        for delta in (0.0, 1e-6, 0.3, 1.0):
            guarantee = ApproxDP(epsilon, delta, Adjacency.ADD_REMOVE)
            found = approx_dp_to_advantage_by_erlingsson(guarantee)
            tight = approx_dp_to_advantage(guarantee)
            assert found.setting is tight.setting
            assert tight.value <= found.value
            exact = 1 - math.exp(-epsilon) * (1 - delta)
            assert found.value == pytest.approx(exact, rel=1e-6, abs=1e-15)


def test_without_loss_both_are_delta():
    assert approx_dp_to_advantage_by_erlingsson(ApproxDP(0.0, 0.25)) == Advantage(0.25)


def test_it_is_weaker_than_the_tight_bound__pure_dp_to_advantage_by_yeom():
    for epsilon in (0.0, 1e-9, 0.3, 2.0, math.inf):
        for adjacency in Adjacency:
            found = pure_dp_to_advantage_by_yeom(PureDP(epsilon, adjacency))
            tight = approx_dp_to_advantage(ApproxDP(epsilon, 0.0, adjacency))
            assert found.setting is tight.setting
            assert tight.value <= found.value
            assert found.value == pytest.approx(min(math.expm1(epsilon), 1.0), rel=1e-14)


@pytest.mark.parametrize("rho", [1e-300, 1e-60, 1e-6, 0.5, 1.5, 1.7, 10.0])
def test_the_better_of_two_inequalities(rho):
    assert zcdp_to_advantage(ZCDP(rho)).value == pytest.approx(zcdp_advantage(rho))


def test_edges__zcdp_to_advantage():
    assert zcdp_to_advantage(ZCDP(0.0)) == Advantage(0.0)
    assert zcdp_to_advantage(ZCDP(1e9)) == Advantage(1.0)


def test_edges__gaussian_dp_to_advantage():
    assert gaussian_dp_to_advantage(GaussianDP(0.0)) == Advantage(0.0)
    assert gaussian_dp_to_advantage(GaussianDP(1e6)) == Advantage(1.0)


def test_slack_counts_like_half_of_mu():
    moved = gaussian_dp_to_advantage(GaussianDP(1.0, slack=0.25)).value
    assert moved == pytest.approx(gaussian_dp_to_advantage(GaussianDP(1.5)).value)


@pytest.mark.parametrize(("advantage", "success"), [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_both_ways(advantage, success):
    assert advantage_to_attack_success(Advantage(advantage)) == AttackSuccess(success)
    assert advantage_for_attack_success(AttackSuccess(success)) == Advantage(advantage)


def test_a_success_below_a_guess_leaves_nothing():
    assert advantage_for_attack_success(AttackSuccess(0.2)) == Advantage(0.0)


def test_the_smallest_advantage_is_seen():
    assert advantage_to_attack_success(Advantage(5e-324)).probability > 0.5


@pytest.mark.parametrize(
    ("success", "advantage"), [(0.5, 0.0), (0.75, 0.5), (1.0, 1.0), (0.3, 0.0)]
)
def test_the_other_scale(success, advantage):
    for setting in Setting:
        found = attack_success_to_advantage(AttackSuccess(success, setting))
        assert found == Advantage(advantage, setting)


def test_chance_and_certainty():
    assert approx_dp_to_predictive_value(ApproxDP(0.0, 0.0), 0.5, 3.0).value == 0.25
    limitless = approx_dp_to_predictive_value(ApproxDP(math.inf, 0.0), 0.5, 1.0)
    assert limitless.value == pytest.approx(2 / 3, rel=1e-15)
    assert approx_dp_to_predictive_value(ApproxDP(0.0, 1.0), 0.5, 1.0) == limitless


@pytest.mark.parametrize(
    ("fpr", "tpr"), [(0.01, 0.03), (0.25, 0.75), (0.5, 5 / 6), (0.9, 1 - 0.1 / 3)]
)
def test_both_legs_of_the_trade_off(fpr, tpr):
    found = approx_dp_to_predictive_value(ApproxDP(math.log(3), 0.0), fpr, 2.0)
    assert found.value == pytest.approx(tpr / (tpr + 2 * fpr), rel=1e-14)
    assert (found.fpr, found.nonmembers) == (fpr, 2.0)


def test_wrong_numbers():
    for fpr, nonmembers in ((0.0, 1.0), (1.0, 1.0), (0.5, 0.0)):
        with pytest.raises(InvalidArgument, match="Expected"):
            approx_dp_to_predictive_value(ApproxDP(1.0, 0.0), fpr, nonmembers)


def test_chance():
    found = gaussian_dp_to_predictive_value(GaussianDP(0.0), 0.25, 1.0)
    assert found.value == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("fpr", [1e-6, 0.01, 0.6])
def test_every_point_of_the_curve_bounds_it_from_above(mu, fpr):
    found = gaussian_dp_to_predictive_value(GaussianDP(mu), fpr, 5.0).value
    points = [gaussian_dp_to_approx_dp(GaussianDP(mu), 0.05 * mu * k) for k in range(200)]
    bounds = [approx_dp_to_predictive_value(point, fpr, 5.0).value for point in points]
    assert found <= min(bounds)
    assert found == pytest.approx(min(bounds), rel=1e-2)


def test_slack_counts_twice():
    slack = gaussian_dp_to_predictive_value(GaussianDP(1.0, slack=0.25), 0.01, 1.0)
    assert slack == gaussian_dp_to_predictive_value(GaussianDP(1.5), 0.01, 1.0)
