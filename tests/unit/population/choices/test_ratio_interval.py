import math

import numpy as np
import pytest

from deniable.population.choices.ratio_interval import PairedSums, ratio_limits


def sums(a, b):
    """Over draws in rows, quotients in columns."""
    count = np.full(a.shape[1], float(len(a)))
    return PairedSums(count, *(each.sum(axis=0) for each in (a, b, a * a, b * b, a * b)))


def pairs(rng, draws, quotients=1):
    """E a / E b = 3/2; a and b move together."""
    common = rng.random((draws, quotients))
    return 0.75 * common, np.minimum(1.0, common + 0.1 * (rng.random((draws, quotients)) - 0.5))


def test_the_limits_close_in_and_know_that_the_two_move_together():
    rng = np.random.default_rng(0)
    widths = []
    for draws in (1_000, 100_000):
        a, b = pairs(rng, draws)
        low, high = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 10.0)
        assert low[0] < 0.75 < high[0] * 1.001
        widths.append(high[0] - low[0])
    assert widths[1] < widths[0] / 5
    a = rng.permutation(a)
    low, high = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 10.0)
    assert high[0] - low[0] > 3 * widths[1]


def test_the_ends_are_where_the_inequality_breaks():
    a, b = pairs(np.random.default_rng(1), 500)
    low, high = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 8.0)

    def excess(rho):
        y = (a - rho * b)[:, 0]
        margin = math.sqrt(2 * y.var(ddof=1) * 8 / 500) + 7 * (0.75 + rho) * 8 / (3 * 499)
        return abs(y.mean()) / margin

    assert excess(low[0]) == pytest.approx(1, abs=1e-6)
    assert excess(high[0]) == pytest.approx(1, abs=1e-6)


def test_no_limit_without_enough_draws():
    a, b = pairs(np.random.default_rng(2), 3)
    low, high = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 10.0)
    assert (low[0], high[0]) == (0.0, math.inf)
    low, high = ratio_limits(PairedSums.zero(2), np.ones(2), np.ones(2), 10.0)
    assert low.tolist() == [0.0, 0.0]
    assert high.tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_only_the_quotient_of_the_units_matters(factor):
    a, b = pairs(np.random.default_rng(1), 2_000)
    expected = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 8.0)
    found = ratio_limits(sums(factor * a, b), factor * np.array([0.75]), np.array([1.0]), 8.0)
    for value, other in zip(found, expected, strict=True):
        assert value / factor == pytest.approx(other)


def test_means_too_small_to_square_are_not_used():
    a, b = pairs(np.random.default_rng(1), 2_000)
    low, high = ratio_limits(sums(1e-200 * a, b), np.array([1e-200]), np.array([1.0]), 8.0)
    assert (low[0], high[0]) == (0.0, math.inf)


def test_coverage():
    """2,000 intervals at α = 0.2: more than 520 misses have probability below 1e-9."""
    a, b = pairs(np.random.default_rng(3), 200, 2_000)
    truth = 0.75 * 0.5 / 0.5
    b = np.clip(b, 0, 1)
    ones = np.ones(2_000)
    low, high = ratio_limits(sums(a, b), 0.75 * ones, ones, math.log(4 / 0.2))
    assert ((low > truth * 1.01) | (high < truth * 0.99)).sum() <= 520


def test_only_one_and_sums_add():
    a, b = pairs(np.random.default_rng(4), 10, 3)
    whole = sums(a, b)
    one = whole.only(1)
    assert one.a.tolist() == [0.0, whole.a[1], 0.0]
    assert (whole + one).count.tolist() == [10.0, 20.0, 10.0]
