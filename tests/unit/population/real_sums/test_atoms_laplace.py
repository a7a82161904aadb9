import math

import numpy as np
import pytest

from deniable.mechanisms import Laplace
from deniable.population.real_sums.atoms import Atoms
from deniable.population.real_sums.atoms_laplace import approximate_ends, pure_ends
from deniable.population.real_sums.smallest_epsilon import Deltas


def point(place):
    return Atoms(np.array([place]), np.zeros(1), 0.0)


def test_one_atom_each_is_plain_laplace_noise():
    low, high = pure_ends(point(0.0), point(3.0))
    assert low <= 3.0 <= high
    assert high - low < 1e-11
    for delta in (0.3, 0.01):
        low, high = approximate_ends(point(0.0), point(3.0), Deltas(delta, delta))
        exactly = max(3.0 + 2 * math.log1p(-delta), 0.0)
        assert low <= exactly <= high
        assert high - low < 1e-10
        assert Laplace(1.0).delta(high, 3.0) <= delta


def test_far_atoms_do_not_overflow():
    low, high = approximate_ends(point(0.0), point(5000.0), Deltas(0.01, 0.01))
    assert low == pytest.approx(5000.0 + 2 * math.log(0.99))
    assert math.isfinite(high)


def test_equal_laws():
    assert approximate_ends(point(1.0), point(1.0), Deltas(0.1, 0.1)) == (
        0.0,
        pytest.approx(0, abs=1e-11),
    )
