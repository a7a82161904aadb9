import math

import numpy as np
import pytest

from deniable.mechanisms import Gaussian
from deniable.population.real_sums.atoms import Atoms
from deniable.population.real_sums.atoms_gaussian import Curve, gaussian_ends
from deniable.population.real_sums.smallest_epsilon import Deltas


def point(place):
    return Atoms(np.array([place]), np.zeros(1), 0.0)


@pytest.mark.parametrize("epsilon", [0.0, 2.0, 30.0, 60.0])
def test_two_normal_laws_however_far(epsilon):
    low, high = Curve.between(point(0.0), point(9.0)).ends(epsilon)
    exactly = Gaussian(1.0).delta(epsilon, 9.0)
    assert low <= exactly * (1 + 1e-13)
    assert exactly <= high * (1 + 1e-13)
    assert high - low < 1e-8 * exactly


def test_the_least_epsilon_of_two_normal_laws():
    low, high = gaussian_ends(point(0.0), point(9.0), Deltas(1e-3, 1e-3))
    noise = Gaussian(1.0)
    assert not noise.satisfies(low - 1e-9, 1e-3, 9.0)
    assert noise.satisfies(high + 1e-9, 1e-3, 9.0)
    assert high - low < 1e-6


def test_several_sign_changes():
    p = Atoms(np.array([0.0, 10.0, 20.0]), np.log([0.25, 0.5, 0.25]), 0.0)
    q = Atoms(np.array([5.0, 15.0]), np.log([0.5, 0.5]), 0.0)
    low, high = Curve.between(p, q).ends(0.0)
    apart = math.erf(2.5 / math.sqrt(2))  # between neighbours the halves overlap by 1 − apart
    assert low <= high
    assert low == pytest.approx(apart, abs=0.01)
