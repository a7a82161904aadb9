import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, PrivacyLossTail, PureDP
from deniable.theorems.pure_and_approximate import (
    approx_dp_to_exceedance,
    approx_dp_to_privacy_loss_tail,
    approx_dp_to_pure_dp,
    privacy_loss_tail_to_approx_dp,
    pure_dp_to_approx_dp,
    pure_dp_to_privacy_loss_tail,
)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 40.0, math.inf])
def test_nothing_is_lost(epsilon):
    for adjacency in Adjacency:
        found = pure_dp_to_approx_dp(PureDP(epsilon, adjacency))
        assert found == ApproxDP(epsilon, 0.0, adjacency)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, math.inf])
def test_without_failures_nothing_is_lost(epsilon):
    for adjacency in Adjacency:
        assert approx_dp_to_pure_dp(ApproxDP(epsilon, 0.0, adjacency)) == PureDP(epsilon, adjacency)


def test_any_failure_is_too_much():
    with pytest.raises(NotApplicable, match="Expected delta = 0, got delta=5e-324"):
        approx_dp_to_pure_dp(ApproxDP(1.0, 5e-324))


@pytest.mark.parametrize("epsilon", [0.0, 1.0, math.inf])
def test_the_loss_never_passes(epsilon):
    for adjacency in Adjacency:
        found = pure_dp_to_privacy_loss_tail(PureDP(epsilon, adjacency))
        assert found == PrivacyLossTail(epsilon, 0.0, adjacency)


def test_the_loss_grows_by_ln_1_minus_delta_over_exceedance():
    found = approx_dp_to_privacy_loss_tail(ApproxDP(1.0, 0.01, Adjacency.ADD_REMOVE), 0.02)
    assert found.epsilon == pytest.approx(1 + math.log(2))
    assert (found.exceedance, found.adjacency) == (0.02, Adjacency.ADD_REMOVE)


@pytest.mark.parametrize("exceedance", [0.01, 0.005, 0.0])
def test_no_loss_is_passed_more_rarely_than_delta(exceedance):
    with pytest.raises(NotApplicable, match=r"exceedance > delta, .*Raise the exceedance"):
        approx_dp_to_privacy_loss_tail(ApproxDP(1.0, 0.01), exceedance)


def test_no_epsilon_stays_none():
    assert approx_dp_to_privacy_loss_tail(ApproxDP(math.inf, 0.01), 0.1).epsilon == math.inf


@pytest.mark.parametrize(
    ("epsilon", "delta", "loss", "exceedance"),
    [
        (1.0, 0.01, 0.5, 1.0),
        (1.0, 0.01, 1.0, 1.0),
        (1.0, 0.0, 0.5, 1.0),
        (1.0, 0.0, 1.0, 0.0),
        (1.0, 0.0, 1.5, 0.0),
        (1.0, 0.01, math.inf, 0.01),
        (math.inf, 0.01, math.inf, 1.0),
        (1.0, 0.5, 1.0 + 1e-9, 1.0),
    ],
)
def test_exceedance_at_the_edges(epsilon, delta, loss, exceedance):
    assert approx_dp_to_exceedance(ApproxDP(epsilon, delta), loss) == exceedance


def test_the_two_invert_each_other():
    dp = ApproxDP(0.7, 1e-6)
    loss = approx_dp_to_privacy_loss_tail(dp, 1e-4).epsilon
    assert approx_dp_to_exceedance(dp, loss) == pytest.approx(1e-4, rel=1e-10)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, math.inf])
def test_the_exception_is_delta(epsilon):
    for adjacency in Adjacency:
        found = privacy_loss_tail_to_approx_dp(PrivacyLossTail(epsilon, 1e-6, adjacency))
        assert found == ApproxDP(epsilon, 1e-6, adjacency)
