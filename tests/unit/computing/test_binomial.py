"""Limits of a rate beside exact tails in fractions."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from deniable.computing.confidence_limits import binomial_limits, tail_probability


def tail(trials, least, p):
    p = Fraction(p)
    return sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(least, trials + 1))


@pytest.mark.parametrize("level", [0.5, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize("trials", [1, 2, 7, 40])
def test_each_limit_is_passed_with_no_more_than_its_level_and_is_no_looser(trials, level):
    low, high = binomial_limits(np.arange(trials + 1), trials, level)
    nearly = Fraction(level) * (1 - Fraction(1, 10**9))
    assert low[0] == 0
    assert high[-1] == 1
    for k in range(1, trials + 1):
        assert tail(trials, k, low[k]) <= Fraction(level)
        assert tail(trials, k, min(low[k] * (1 + 1e-7), 1)) > Fraction(level) * (
            1 - Fraction(1, 10**9)
        )
    for k in range(trials):
        assert 1 - tail(trials, k + 1, high[k]) <= Fraction(level)
        nearer = high[k] - (1 - high[k]) * 1e-5 - 2.0**-49
        assert 1 - tail(trials, k + 1, nearer) > nearly


def test_tails_are_those_of_the_binomial_law():
    for k in range(11):
        assert tail_probability(10, k, 0.3) == pytest.approx(float(tail(10, k, 0.3)), rel=1e-12)
