"""Against the estimator written out, under shuffles, and where truth is known."""

import numpy as np
import pytest
from scipy.stats import binom

from deniable.gwas.attacks.ancestry import FALSE_ALARM, ancestry


def drawn(seed, people, frequency):
    rng = np.random.default_rng(seed)
    return rng.binomial(2, frequency[:, None], (len(frequency), people)).astype(np.int8)


FREQUENCY = np.random.default_rng(0).uniform(0.1, 0.9, 150)


def test_f_st_is_hudsons_ratio_of_sums():
    ones, others = drawn(1, 20, FREQUENCY), drawn(2, 30, FREQUENCY[::-1])
    ones[3, 4] = others[7, :5] = -1
    between = whole = 0.0
    for row, other in zip(ones, others, strict=True):
        row, other = row[row >= 0], other[other >= 0]
        n, m = 2 * len(row), 2 * len(other)
        p, q = row.sum() / n, other.sum() / m
        between += (p - q) ** 2 - p * (1 - p) / (n - 1) - q * (1 - q) / (m - 1)
        whole += p * (1 - q) + q * (1 - p)
    assert ancestry(ones, others).f_st == pytest.approx(between / whole, rel=1e-6)


def test_one_population_is_hardly_ever_called_two():
    """60 divisions, variants linked in pairs: six alarms come by chance in 1 of 10^9."""
    alarms, below_half = 0, 0
    for seed in range(60):
        everyone = np.repeat(drawn(seed, 60, FREQUENCY[:40]), 2, axis=0)
        found = ancestry(everyone[:, :25], everyone[:, 25:])
        alarms += found.differs
        below_half += found.p_value <= 0.5
    assert binom.sf(alarms - 1, 60, FALSE_ALARM) > 1e-9
    # p-values are uniform: at most half are below ½, and hardly fewer.
    assert binom.sf(below_half - 1, 60, 0.5) > 1e-9
    assert binom.cdf(below_half, 60, 0.5) > 1e-9


@pytest.mark.parametrize("apart", [0.1, 0.2])
def test_two_populations_are_told_apart(apart):
    moved = np.clip(FREQUENCY + apart * np.resize([1, -1], len(FREQUENCY)), 0, 1)
    found = ancestry(drawn(1, 60, FREQUENCY), drawn(2, 80, moved))
    assert found.differs
    assert found.f_st > 0.005


def test_variants_without_a_call_or_without_variation_say_nothing():
    ones, others = drawn(1, 20, FREQUENCY[:30]), drawn(2, 20, FREQUENCY[:30])
    more = np.full((10, 20), -1, np.int8), np.zeros((10, 20), np.int8)
    padded = [
        np.concatenate([group, extra]) for group, extra in ((ones, more[0]), (others, more[1]))
    ]
    assert ancestry(*padded).f_st == pytest.approx(ancestry(ones, others).f_st)
    alone = ancestry(more[1], more[1])
    assert (alone.f_st, alone.p_value) == (0.0, 1.0)
