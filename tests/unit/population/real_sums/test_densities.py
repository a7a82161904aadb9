import math

import numpy as np
import pytest

from deniable.population.real_sums.densities import fourth_derivative, grid_points, law
from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.nodes import nodes


@pytest.fixture
def where(small):
    return nodes(small, Kernel(1.0), 40.0, min(small.chances()))


@pytest.fixture
def normal(where):
    """The standard normal law's own transform."""
    return np.exp(-(where.theta**2) / 2)[np.newaxis].astype(np.complex128)


def test_the_density_and_its_slope(where, normal):
    found = law(where, normal, 800)
    t = found.spacing * np.arange(200)
    bell = np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    assert found.length == pytest.approx(40.0)
    assert found.values[0, :200] == pytest.approx(bell, abs=1e-13)
    assert found.slopes[0, :200] == pytest.approx(-t * bell * found.spacing / 3, abs=1e-13)
    assert found.values[0, -1] == found.values[0, 0]
    assert found.rows(slice(0, 1)).error == found.error
    assert 0 < found.error[0] < 1e-10


def test_the_fourth_derivative_is_bounded(where, normal):
    assert fourth_derivative(where, normal)[0] == pytest.approx(3 / math.sqrt(2 * math.pi))


def test_finer_grids_for_smaller_tolerances(where):
    rough, fine = (grid_points(where, 1.2, tolerance, 10**6) for tolerance in (1e-6, 1e-10))
    assert 9 <= fine / rough <= 11
    assert grid_points(where, 1e30, 1e-10, 5000) <= 6000
