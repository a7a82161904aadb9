"""Small values of functions that several modules share."""

from deniable.notions import ApproxDP, MaxPosterior, PureDP
from deniable.theorems.analysis.composed_loss import composed_loss
from deniable.theorems.analysis.explain import usual_exceedance
from deniable.theorems.beliefs import pure_dp_for_max_posterior
from deniable.theorems.trade_off import (
    approx_dp_to_trade_off,
    compose_trade_offs,
    trade_off_to_approx_dp,
)


def test_loss_of_a_hundred_releases():
    assert round(composed_loss([PureDP(0.1)] * 100, 1e-4)[0], 3) == 4.355


def test_exceedance_that_nobody_states():
    assert round(usual_exceedance(None), 9) == 0.0001
    assert (usual_exceedance(None, 1e-3), usual_exceedance(1e-9)) == (0.1, 1e-09)


def test_epsilon_that_keeps_a_posterior():
    assert round(pure_dp_for_max_posterior(MaxPosterior(0.75, 0.5)).epsilon, 6) == 1.098612


def test_one_curve_composed_with_itself():
    once = approx_dp_to_trade_off(ApproxDP(1.0, 0.0))
    twice = compose_trade_offs(once, once)
    deltas = [round(trade_off_to_approx_dp(twice, x).delta, 6) for x in (0.0, 2.0)]
    assert deltas == [0.462117, 0.0]
