"""A small parent set and everything that is known of its sums."""

import itertools

import numpy as np
import pytest

from deniable.population.real_sums.problem import standardise_population

VALUES = np.array([-1.0, 0.2, 0.5, 1.7, 3.1])
COUNTS = np.array([1, 2, 1, 1, 2])
SIZE = 3


@pytest.fixture
def small():
    return standardise_population(VALUES, COUNTS, SIZE, 1.0)


@pytest.fixture
def subset_transform(small):
    """E e^(iθS) over all subsets of k others, by listing them."""

    def transform(theta, place, k):
        others = np.repeat(small.values, small.counts - (np.arange(5) == place))
        sums = np.array([sum(chosen) for chosen in itertools.combinations(others, k)])
        return np.exp(1j * theta * sums).mean()

    return transform
