import math

import numpy as np
import pytest

from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.nodes import circle_points, nodes
from deniable.population.real_sums.population import population


def test_small_sets_use_every_root_of_unity(small):
    assert circle_points(small, min(small.chances())) == (small.records, 0.0)


def test_large_sets_use_few_points():
    many = population(np.array([0.0, 1.0]), np.array([10**6, 10**6]), 10**6, 1.0)
    points, alias = circle_points(many, min(many.chances()))
    assert points < 16_000
    assert 0 < alias <= 1e-18 * many.records


def test_lattice_data_come_back_at_every_period():
    many = population(np.array([0.0, 1.0]), np.array([500, 500]), 500, 0.1)
    where = nodes(many, Kernel(1.0), 2000.0, min(many.chances()))
    around = where.theta / (2 * math.pi / 10)
    assert around.max() > 10
    assert np.all(np.abs(around - np.round(around)) < 0.2)


def test_turns_are_exact_for_large_numbers(small):
    where = nodes(small, Kernel(1.0), 40.0, min(small.chances()))
    angles = 2 * np.pi / 7 * ((10**6 + 3) * where.places % 7)
    expected = np.exp(-1j * angles) / 7
    assert where.turned(10**6 + 3) == pytest.approx(expected)
    assert 0 < where.errors < 1e-11
