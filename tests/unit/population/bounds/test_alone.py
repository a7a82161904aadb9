import math

import pytest

from deniable.mechanisms import DiscreteLaplace, Gaussian, Laplace
from deniable.population.bounds import noise_alone
from deniable.population.question import Question, Summands
from deniable.population.work.effort import Effort

COLUMN = Summands([0.0, 1.0, 5.0])


@pytest.mark.parametrize("noise", [Laplace(2.0), DiscreteLaplace(2.0)])
def test_the_largest_exchange(noise):
    found = noise_alone(Question(COLUMN, 2, 0.0, [2, 0]), noise, Effort())
    assert found.records.tolist() == [2, 0]
    assert found.lower.tolist() == [0.0, 0.0]
    assert found.upper == pytest.approx([2.5, 2.5])
    assert found.method == "noise-alone"


def test_gaussian_noise_needs_delta():
    assert noise_alone(Question(COLUMN, 2), Gaussian(2.0), Effort()).upper[0] == math.inf
    upper = noise_alone(Question(COLUMN, 2, 0.01), Gaussian(2.0), Effort()).upper[0]
    assert Gaussian(2.0).satisfies(upper, 0.01, 5.0)
    assert not Gaussian(2.0).satisfies(upper * (1 - 1e-9), 0.01, 5.0)
