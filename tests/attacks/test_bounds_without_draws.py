"""Lists of members made to break the bounds that look at no sample: none falls below the truth."""

import numpy as np
import pytest

from deniable.population.bounds import mixture_bounds, pairwise_bounds
from tests.cases.effort import some_pairs
from tests.oracles import population as brute

LISTS = {
    "one far out": [0, 0, 0, 0, 0, 0, 0, 0, 9],
    "two camps": [0, 0, 0, 0, 5, 5, 5, 5, 5],
    "all but one": [1, 1, 1, 1, 1, 1, 1, 1, 0],
    "growing": [2.0**k / 32 for k in range(9)],
    "far out on both sides": [-7, 0, 0, 0, 0, 0, 0, 0, 7],
    "an offset": [1e9 + k for k in range(9)],
}


NOISES = [(sigma, size) for sigma in (2.0, 6.0) for size in (4, 1, 8)]


@pytest.mark.parametrize(("name", "noise"), some_pairs([*LISTS], NOISES))
def test_no_bound_falls_below_the_truth(name, noise):
    sigma, size = noise
    rows = np.array(LISTS[name], float)[:, None]
    for delta in (0.3, 0.01, 1e-4):
        bounds = mixture_bounds(rows, size, sigma, delta), pairwise_bounds(rows, sigma, delta)
        near = rows - rows.min()
        for record in (0, 4, 8):
            exact = brute.gaussian_epsilon(near, size, sigma, delta, record)
            assert all(bound[record] >= exact - 1e-3 for bound in bounds)
