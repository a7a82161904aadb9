import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from deniable.population.real_sums.densities import Law, law
from deniable.population.real_sums.hockey_stick import hockey_stick
from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.nodes import nodes


@pytest.fixture
def pair(small):
    """Two unit normal laws one apart, in two rows the wrong way round."""
    where = nodes(small, Kernel(1.0), 60.0, min(small.chances()))
    here = np.exp(-(where.theta**2) / 2)
    there = here * np.exp(1j * where.theta)
    return law(where, np.array([here, there]), 3000), law(where, np.array([there, here]), 3000)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 8.0])
def test_the_curve_of_two_normal_laws(pair, epsilon):
    exactly = ndtr(0.5 - epsilon) - math.exp(epsilon) * ndtr(-0.5 - epsilon)
    found = hockey_stick(*pair, np.full(2, math.exp(epsilon)))
    assert np.all(found.lower <= exactly)
    assert np.all(exactly <= found.upper)
    assert np.all(found.upper - found.lower < 1e-7 * math.exp(epsilon))
    mass = ndtr(-0.5 - epsilon)
    assert np.all(found.mass_lower <= mass)
    assert np.all(mass <= found.mass_upper)


def test_equal_laws_diverge_by_nothing(pair):
    found = hockey_stick(pair[0], pair[0], np.ones(2))
    assert np.all(found.lower <= 0)
    assert np.all(np.abs(found.upper) < 1e-7)


@pytest.mark.parametrize("height", [0.1, 0.3, 1 / 3, 0.7])
def test_many_equal_cells_are_added_within_the_bound(height):
    """A plain running sum of 2^18 of them is off by more than is allowed for summing."""
    cells, spacing = 1 << 18, 3.0 / (1 << 18)
    flat, nothing = np.zeros((1, cells + 1)), np.zeros(1)
    p = Law(spacing, flat + height, flat, nothing, nothing)
    q = Law(spacing, flat, flat, nothing, nothing)
    found = hockey_stick(p, q, np.ones(1))
    exactly = Fraction(height) * Fraction(spacing) * cells
    assert Fraction(found.lower[0]) <= exactly <= Fraction(found.upper[0])
