import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums.laws import SumLaws
from deniable.population.whole_sums.release import least_epsilons_of


def two_points(apart):
    logs = np.full((2, 1, apart + 1), -np.inf)
    logs[0, 0, 0] = logs[1, 0, apart] = 0.0
    nothing = np.full((2, 1), -np.inf)
    return SumLaws(logs, logs, nothing, nothing)


@pytest.mark.parametrize(
    "noise", [DiscreteLaplace(3.0), DiscreteGaussian(3.0), DiscreteGaussian(0.4)]
)
def test_two_points_have_the_curve_of_the_noise(noise):
    lower, upper = least_epsilons_of(two_points(4), noise, 0.013, 4)
    assert noise.delta(upper[0] + 1e-9, 4) <= 0.013 < noise.delta(lower[0] - 1e-9, 4)
    assert upper[0] - lower[0] < 1e-9 * upper[0]


def test_steps_are_units_apart():
    close = least_epsilons_of(two_points(4), DiscreteLaplace(3.0), 0.013, 4)
    wide = least_epsilons_of(two_points(2), DiscreteLaplace(3.0), 0.013, 2, step=2)
    assert close[1][0] == pytest.approx(wide[1][0], rel=1e-12)


def test_laplace_never_exceeds_the_distance():
    lower, upper = least_epsilons_of(two_points(4), DiscreteLaplace(0.001), 0.013, 4)
    assert lower[0] <= upper[0] <= 4000 * (1 + 1e-12)
    assert math.isfinite(upper[0])
