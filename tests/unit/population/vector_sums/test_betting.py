import math

import numpy as np
import pytest
from scipy.stats import binom

from deniable.errors import InvalidArgument
from deniable.population.vector_sums.betting import (
    BettingBound,
    estimated_epsilon,
    hockey_stick,
)

BOUND = BettingBound(0.1, [0.5, 1.0], [0.5, 0.5])


def test_the_hockey_stick_lies_between_0_and_1():
    found = hockey_stick(np.array([-math.inf, -3.0, 0.5, 2.0, math.inf]), 0.5)
    assert found == pytest.approx([0, 0, 0, 1 - math.exp(-1.5), 1])


def test_capital_is_the_product_of_the_bets():
    ratios = np.array([0.0, 1.0, 3.0])
    losses = np.maximum(0, 1 - np.exp(0.5 - ratios))
    expected = sum(np.prod(1 + stake * (0.1 - losses)) / 2 for stake in (0.5, 1.0))
    assert BOUND.log_capital(ratios, 0.5) == pytest.approx(math.log(expected))


def test_the_end_is_where_the_capital_suffices():
    ratios = np.random.default_rng(0).normal(0.2, 1.0, 3000)
    end = BOUND.upper_limit(ratios, 0.05)
    assert BOUND.log_capital(ratios + 1e-9, end) >= math.log(20)
    assert BOUND.log_capital(ratios + 1e-9, end - 1e-6) < math.log(20)


def test_capital_rises_with_epsilon():
    ratios = np.random.default_rng(1).normal(0.2, 1.0, 300)
    capital = [BOUND.log_capital(ratios, e) for e in np.linspace(0, 4, 50)]
    assert np.all(np.diff(capital) >= 0)


def test_too_few_draws_say_nothing():
    assert BOUND.upper_limit(np.zeros(5), 0.05) == math.inf


def test_a_loss_that_never_happens_is_refuted_at_0():
    assert BOUND.upper_limit(np.full(500, -1.0), 0.05) == 0.0


def test_draws_that_tell_the_worlds_apart_leave_no_end():
    assert BOUND.upper_limit(np.full(500, math.inf), 0.05) == math.inf


def test_the_estimate_is_where_the_mean_is_delta():
    ratios = np.random.default_rng(2).normal(0.5, 1.0, 5000)
    assert hockey_stick(ratios, estimated_epsilon(ratios, 0.1)).mean() == pytest.approx(
        0.1, abs=1e-9
    )
    assert estimated_epsilon(np.zeros(10), 0.1) == 0.0


@pytest.mark.parametrize("delta", [0.001, 0.1, 0.9])
def test_planned_stakes_cannot_go_broke(delta):
    pilot = np.random.default_rng(3).normal(0.5, 1.0, 2000)
    bound = BettingBound.from_pilot(pilot, delta, 0.05)
    assert sum(bound.weights) == pytest.approx(1)
    assert all(0 < stake < 1 / (1 - delta) for stake in bound.stakes)
    assert bound.expected_draws(pilot, 0.05) >= 1


def test_it_fails_no_more_often_than_stated_however_one_stops():
    """Ratios with X(1) = 1 with probability δ = 0.2, else 0: the true ε is 1 and hard to see.

    Looking after every tenth draw, at α = 0.2. False alarm 1e-9; a limit at the point estimate
    fails in about half the runs even when one looks only once, far beyond what passes.
    """
    bound, runs, alpha = BettingBound(0.2, [0.6, 0.2], [0.5, 0.5]), 400, 0.2
    rng, failures, naive = np.random.default_rng(4), 0, 0
    for _ in range(runs):
        ratios = np.where(rng.random(300) < 0.2, 50.0, 0.0)
        capital = max(bound.log_capital(ratios[:k], 1.0) for k in range(10, 301, 10))
        failures += capital >= math.log(1 / alpha)
        naive += hockey_stick(ratios, 1.0).mean() < 0.2
    allowed = binom.isf(1e-9, runs, alpha)
    assert failures <= allowed < naive
    assert failures > 0


def test_stakes_are_checked():
    with pytest.raises(InvalidArgument, match="stake"):
        BettingBound(0.1, [-1.0], [1.0])
