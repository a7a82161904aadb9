import math

import numpy as np
import pytest

from deniable.mechanisms import Gaussian, Laplace
from deniable.population.question import Question, Summands
from deniable.population.real_sums import pairwise_limit
from deniable.population.real_sums.pairwise_limit import pairwise_limits
from deniable.population.real_sums.problem import Problem
from deniable.population.work.effort import Effort


def limits(noise, delta):
    asked = Problem.of(Question(Summands(np.array([0.0, 1.0, 3.0])), 1, delta), noise, Effort())
    return pairwise_limits(asked, np.arange(3))


def test_the_noise_alone_hides_the_exchange():
    found = limits(Gaussian(2.0), 0.01)
    for epsilon, distance in zip(found, (3.0, 2.0, 3.0), strict=True):
        assert Gaussian(2.0).satisfies(epsilon, 0.01, distance)
        assert not Gaussian(2.0).satisfies(epsilon - 1e-9, 0.01, distance)
    assert np.all(np.isinf(limits(Gaussian(2.0), 0.0)))


def test_laplace():
    assert limits(Laplace(2.0), 0.0) == pytest.approx([1.5, 1.0, 1.5])
    assert limits(Laplace(2.0), 0.1) == pytest.approx(np.array([1.5, 1.0, 1.5]) + 2 * math.log(0.9))


def test_many_places_get_the_bound_of_the_worst(monkeypatch):
    monkeypatch.setattr(pairwise_limit, "_FINE", 2)
    assert limits(Laplace(2.0), 0.0) == pytest.approx([1.5, 1.5, 1.5])
