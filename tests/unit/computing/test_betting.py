"""Capital beside products in fractions, and how often bets against what is true win."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from deniable.computing.confidence_limits import WEIGHTS, best_stakes, log_capital


def capital(gains, stakes, weights):
    total = Fraction(0)
    for stake, weight in zip(stakes, weights, strict=True):
        total += Fraction(weight) * math.prod(1 + Fraction(stake) * Fraction(g) for g in gains)
    return total


@pytest.mark.parametrize("further", [0, 3])
def test_the_capital_is_the_weighted_sum_of_products(further):
    gains, stakes = [0.25, -0.5, 0.125, -0.75], [0.5, 1.0, 1.25]
    truth = capital([*gains, *[0.375] * further], stakes, WEIGHTS)
    assert log_capital(np.array(gains), stakes, WEIGHTS, further=(further, 0.375)) == pytest.approx(
        math.log(truth), abs=1e-13
    )


def test_bets_against_what_is_true_win_no_more_often_than_allowed():
    """All runs of 12 fair coins, weighted: exact."""
    alpha, stakes = 0.05, best_stakes(0.1, 0.25, 0.95)
    won = sum(
        any(
            log_capital(np.array(run[:stop]) * 1.0, stakes, WEIGHTS) >= math.log(1 / alpha)
            for stop in range(1, 13)
        )
        for run in product((-1, 1), repeat=12)
    )
    assert 0 < Fraction(won, 2**12) <= Fraction(alpha)


def test_the_best_stake_comes_first_and_none_passes_the_largest():
    assert best_stakes(0.1, 0.2, 10.0) == (0.5, 2.0, 10.0)
    assert best_stakes(0.1, 0.01, 0.9) == (0.9, 0.9, 0.9)
