"""The law of a sum of Laplace numbers beside formulas for few of them and beside simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.mechanisms import DiscreteLaplace
from deniable.publish.query import ErrorTerm, LaplaceSum, half_width, half_width_by_chernoff

HALF = Fraction(1, 2)


@pytest.mark.parametrize("scale", [1.0, 4000.0])
@pytest.mark.parametrize("share", [0.1, 1.0, 3.0, 6.0])
def test_one_number_and_two(scale, share):
    """Pr[|L| > x] is e^-u of one and (1 + u/2) e^-u of two, with u = x/scale."""
    for number, outside in ((1, 1.0), (2, 1 + share / 2)):
        law = LaplaceSum.of([(Fraction(1), number, scale)], 8 * scale)
        low, high = law.inside(share * scale)
        truth = 1 - outside * math.exp(-share)
        assert low <= truth <= high
        assert high - low < 1e-6


def test_two_of_different_sizes():
    """Partial fractions: Pr[|L| > x] = (a² e^(-x/a) − b² e^(-x/b))/(a² − b²)."""
    law = LaplaceSum.of([(HALF, 1, 1000.0), (Fraction(2), 1, 1000.0)], 10_000.0)
    a, b = 500.0, 2000.0
    for x in (50.0, 700.0, 3000.0, 9000.0):
        outside = (a * a * math.exp(-x / a) - b * b * math.exp(-x / b)) / (a * a - b * b)
        low, high = law.inside(x)
        assert low <= 1 - outside <= high


@pytest.mark.parametrize("terms", [[(1.0, 2)], [(1.0, 1), (0.01, 50)], [(0.5, 1), (0.25, 30)]])
def test_a_half_width_holds_as_often_as_said(terms):
    """200,000 sums: false alarm below 1e-9; the alternative is 3 % less."""
    n, rng, noise = 200_000, np.random.default_rng(8), DiscreteLaplace(3000.0)
    width = half_width([ErrorTerm(Fraction(size), number, noise) for size, number in terms])
    drawn = sum(size * noise.draws(rng, n) for size, number in terms for _ in range(number))
    deviation = math.sqrt(0.95 * 0.05 / n)
    inside = np.count_nonzero(np.abs(drawn) <= width.value) / n
    narrower = np.count_nonzero(np.abs(drawn) <= 0.97 * width.value) / n
    assert width.method == "inverted"
    assert -6 < (inside - 0.95) / deviation < 8
    assert (narrower - 0.95) / deviation < -6


def test_it_is_narrower_than_chernoffs_bound_by_a_quarter_and_more():
    terms = [ErrorTerm(HALF, 3, DiscreteLaplace(3000.0))]
    assert half_width(terms).value < 0.75 * half_width_by_chernoff(terms)


def test_where_it_would_take_too_many_terms_there_is_none():
    """One number that is a millionth of the grid to be covered."""
    assert LaplaceSum.of([(Fraction(1), 1, 1.0)], 1e7) is None


def test_a_half_width_that_floating_point_has_wrong_is_found_in_balls(monkeypatch):
    law = LaplaceSum.of([(HALF, 1, 1000.0), (Fraction(2), 1, 1000.0)], 10_000.0)
    right = law.half_width(0.95)
    for claimed in (0.0, 1.0):  # everywhere too wide; everywhere enough, which a ball refutes
        monkeypatch.setattr(LaplaceSum, "roughly", lambda _, claimed=claimed: lambda _: claimed)
        found = law.half_width(0.95)
        assert found >= right
        assert found == right or claimed == 0.0
