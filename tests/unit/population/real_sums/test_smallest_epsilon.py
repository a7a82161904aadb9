import math

import numpy as np
import pytest

from deniable.mechanisms import Gaussian
from deniable.population.real_sums.densities import law
from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.nodes import nodes
from deniable.population.real_sums.smallest_epsilon import Deltas, smallest_weights


@pytest.fixture
def pair(small):
    where = nodes(small, Kernel(1.0), 60.0, min(small.chances()))
    here = np.exp(-(where.theta**2) / 2)[np.newaxis]
    return law(where, here + 0j, 40_000), law(where, here * np.exp(1.5j * where.theta), 40_000)


@pytest.mark.parametrize("delta", [0.2, 1e-2, 1e-5])
def test_two_normal_laws(pair, delta):
    lower, upper = smallest_weights(*pair, Deltas(delta, delta), 1.0)
    noise = Gaussian(1.0)
    assert not noise.satisfies(math.log(lower[0]) - 1e-12, delta, 1.5)
    assert noise.satisfies(math.log(upper[0]) + 1e-12, delta, 1.5)
    assert upper[0] - lower[0] < 1e-2 * lower[0]


def test_rows_that_keep_to_the_floor_are_left_alone(pair):
    lower, upper = smallest_weights(*pair, Deltas(0.01, 0.01), 100.0)
    assert (lower[0], upper[0]) == (1.0, 100.0)


def test_two_targets_open_the_interval(pair):
    lower, upper = smallest_weights(*pair, Deltas(0.011, 0.010), 1.0)
    noise = Gaussian(1.0)
    assert noise.satisfies(math.log(lower[0]) + 1e-6, 0.011, 1.5)
    assert noise.satisfies(math.log(upper[0]) + 1e-9, 0.010, 1.5)
    assert lower[0] < upper[0]
