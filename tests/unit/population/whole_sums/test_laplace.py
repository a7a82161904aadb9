import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteLaplace
from deniable.population.whole_sums import laplace as _laplace
from deniable.population.whole_sums.laws import SumLaws


def point_laws():
    """In: surely 0; out: surely 2; columns 0 to 2."""
    logs = np.full((2, 1, 3), -np.inf)
    logs[0, 0, 0] = logs[1, 0, 2] = 0.0
    nothing = np.full((2, 1), -np.inf)
    return SumLaws(logs, logs, nothing, nothing)


def test_a_point_becomes_the_noise():
    low, high = _laplace.noisy_law(point_laws(), 0.5)
    noise = DiscreteLaplace(2.0)
    inside = noise.pmf([0, 1, 2]).tolist()
    tails = [noise.tail(0) / 2, noise.tail(2) / 2]
    assert high[0, 0] == pytest.approx(inside + tails, rel=1e-12)
    assert np.all(low <= high)
    assert low[0, 0].sum() <= 1 <= high[0, 0].sum()


def test_two_points_are_told_apart_by_their_distance():
    lower, upper = _laplace.largest_losses(point_laws(), 0.5)
    assert lower[0] <= 1.0 <= upper[0] <= lower[0] + 1e-12


def test_what_lies_beyond_is_contained():
    """One tenth at 5, beyond the columns: the high end covers it at every column and at 5."""
    laws = point_laws()
    beyond = np.array([[math.log(0.1) + 0.5 * 3], [-np.inf]])
    low, high = _laplace.noisy_logs(SumLaws(laws.low, laws.high, laws.below, beyond), 0.5)
    for t in range(3):
        truth = math.log(math.exp(-0.5 * t) + 0.1 * math.exp(-0.5 * (5 - t)))
        assert low[0, 0, t] <= truth <= high[0, 0, t]
    at_five = math.log(math.exp(-0.5 * 5) + 0.1)
    assert at_five <= high[0, 0, 2] - 0.5 * 3 + 1e-12
