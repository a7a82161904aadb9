import itertools
import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian
from deniable.population.type_sums import ColumnNoise
from deniable.population.type_sums.counts import CountTables
from deniable.population.type_sums.search import TiltedRelease
from tests.cases.effort import one_in

TWO_TABLES = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]], float)


@pytest.mark.parametrize(
    ("kind", "counts", "asked"),
    one_in(4, [*itertools.product(
        [Gaussian, DiscreteLaplace, DiscreteGaussian],
        [[2, 3, 2, 3], [40, 60, 20, 80], [1, 900, 500, 10]],
        [(0.2, 20.0), (3.0, 0.5), (30.0, 0.05)],
    )]),
)  # fmt: skip
def test_weighted_draws_have_mean_1_and_keep_to_their_bound(kind, counts, asked):
    scale, epsilon = asked
    tables = CountTables.of(np.array(counts), sum(counts) // 2)
    noise = ColumnNoise(kind, np.full(4, scale))
    release = TiltedRelease.of(tables, TWO_TABLES, noise, 0, epsilon, 0.1)
    inside, outside = release.draw(np.random.default_rng(1), 2000)
    assert np.all(inside >= 0)
    assert np.all(outside >= 0)
    for least in (0.0, epsilon / 2, epsilon, 2 * epsilon):
        excess = np.maximum(inside - math.exp(least) * outside, 0.0)
        assert excess.max() <= release.bound(least)


@pytest.mark.parametrize("length", [None, 13])
def test_lists_of_any_length_weigh_each_world_by_1(length):
    """E w m/π = E w (1 − m)/(1 − π) = 1; 40,000 draws, an alarm level of 1e-9."""
    tables = CountTables.of(np.array([20, 30, 25]), 30)
    noise = ColumnNoise(Gaussian, np.full(3, 2.0))
    release = TiltedRelease.of(tables, np.eye(3), noise, 0, 0.2, 1.0 if length else 1e-9)
    for law in release.draw(np.random.default_rng(2), 40_000):
        error = law.std() / math.sqrt(len(law))
        assert abs(law.mean() - 1) <= 6.2 * error
        assert error < 0.02
