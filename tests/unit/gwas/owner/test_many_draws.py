"""Draws by bins have the law of rounds written out."""

import math

import numpy as np
import pytest
from scipy.stats import chi2, norm

from deniable.gwas.owner import many_draws, selection_draws
from deniable.mechanisms import NoisyTopK
from tests.cases.effort import usual

NOISES = pytest.mark.parametrize("noise", ["exponential", "gumbel"])


def drawn(scores, number, noise, n_draws, scale=2.0):
    rng = np.random.default_rng(7)
    values = np.array(scores, dtype=np.int64)
    last = int(np.sort(values)[-number])
    mechanism = NoisyTopK(scale, number, noise)
    return many_draws(values, mechanism, last=last, rng=rng, n_draws=n_draws)


def misfit(law, draws):
    """Pearson's statistic of the orders, those expected less than five times together."""
    orders, seen = np.unique(draws, axis=0, return_counts=True)
    counted = {
        tuple(order): count for order, count in zip(orders.tolist(), seen.tolist(), strict=True)
    }
    assert set(counted) <= {order for order, chance in law.items() if chance > 0}
    cells, few = [], [0.0, 1e-9]
    for order, chance in law.items():
        cell = counted.get(order, 0), chance * len(draws)
        if cell[1] >= 5:
            cells.append(cell)
        else:
            few = [few[0] + cell[0], few[1] + cell[1]]
    cells.append(tuple(few))
    statistic = math.fsum((count - mean) ** 2 / mean for count, mean in cells)
    return statistic, chi2.isf(1e-9, len(cells) - 1)


SCORES = {
    "spread": [5, 3, 0, -1, -2, -9],
    "equal": [0, 0, 0, 0, 0],
    "two levels": [0, 0, 0, -8, -8],
    "one far above": [60, 1, 0, 0, -1],
    "far below": [3, 2, 1, -300, -500],
}


@NOISES
@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_draws_follow_the_law(scores, number, noise):
    law, draws = NoisyTopK(2.0, number, noise).law(scores), usual(10_000, 30_000)
    statistic, limit = misfit(law, drawn(scores, number, noise, draws))
    assert statistic < limit
    other = NoisyTopK(2.0, number, "gumbel" if noise == "exponential" else "exponential")
    if scores == SCORES["spread"]:
        statistic, limit = misfit(other.law(scores), drawn(scores, number, noise, draws))
        assert statistic > limit


@NOISES
def test_everything_is_chosen_once_where_everything_is_asked_for(noise):
    draws = drawn([3, 3, 2, 0, -4, -40], 6, noise, 200)
    assert np.array_equal(np.sort(draws, axis=1), np.tile(np.arange(6), (200, 1)))


@NOISES
def test_bins_that_are_nearly_empty_are_searched(noise):
    """60 equal scores above one: the last of them are what few draws would find."""
    draws = drawn([9] * 60 + [-90], 61, noise, 50, scale=1.0)
    assert (draws[:, -1] == 60).all()
    assert np.array_equal(np.sort(draws, axis=1), np.tile(np.arange(61), (50, 1)))


@NOISES
def test_many_of_thousands_are_found_as_often_as_by_rounds_one_by_one(noise):
    """Mean score of 40 chosen of 3,000, by both ways of simulation."""
    rng = np.random.default_rng(1)
    scores = np.sort(rng.integers(-9, 40, 3000))[::-1]
    select = NoisyTopK(6.0, 40, noise)
    fast = selection_draws(scores, select, np.random.default_rng(2), 2000)
    slow = []
    for _ in range(150):
        left = scores.astype(float)
        picked = []
        for _ in range(40):
            wave = (rng.exponential if noise == "exponential" else rng.gumbel)(size=3000)
            picked.append(int(np.argmax(left + 6.0 * wave)))
            left[picked[-1]] = -np.inf
        slow.append(scores[picked].mean())
    quick = scores[fast].mean(axis=1)
    error = math.sqrt(np.var(slow) / len(slow) + np.var(quick) / len(quick))
    assert abs(np.mean(slow) - np.mean(quick)) < norm.isf(5e-10) * error
    # Noise matters, and so do scores.
    assert scores.mean() + 1 < np.mean(quick) < scores[:40].mean() - 1
