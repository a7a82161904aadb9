import math

import numpy as np
import pytest

from deniable.population.vector_sums.lists import ListDraws, batch_size

SLOPE = np.array([1.0, -0.5])


def test_the_variance_needs_two_fresh_candidates():
    one = ListDraws.of(np.zeros((2, 1, 3)), np.zeros((2, 3)), SLOPE)
    assert math.isnan(one.variance)
    weights = np.log(np.array([[[1.0], [1.0], [3.0]], [[1.0], [2.0], [2.0]]]))
    many = ListDraws.of(weights, np.zeros((2, 1)), SLOPE)
    assert many.variance == pytest.approx(0.5)  # of (1/2, 3/2) − (1, 1)
    assert many.log_ratios == pytest.approx(0)


def test_batches_fit_cache_and_memory():
    assert batch_size(1, 100) == 4096
    assert batch_size(10**6, 100) == 1
    assert batch_size(1, 10**6) == 20
    assert batch_size(4, 10**6, kept=True) == 5


def test_scores_are_of_the_release_alone():
    releases = np.array([[1.0, 2.0], [0.0, 4.0]])
    found = ListDraws.of(np.zeros((2, 1, 2)), releases, SLOPE)
    assert found.scores.tolist() == [1.0, 0.0]
