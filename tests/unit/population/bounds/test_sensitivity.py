import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.population.bounds.sensitivity import epsilon_at, largest_change


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 4), st.booleans())
def test_the_largest_distance(seed, n, d, heavy):
    rng = np.random.default_rng(seed)
    rows = rng.standard_cauchy((n, d)) if heavy else rng.uniform(-1, 1, (n, d))
    exact = pdist(rows).max()
    assert exact <= largest_change(rows) <= exact * (1 + 1e-14)


def test_in_several_blocks():
    """All points are as far out as any other, and a block holds 512."""
    angles = np.linspace(0, 2 * math.pi, 1301)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert largest_change(circle) == pytest.approx(pdist(circle).max(), rel=1e-14)


def test_records_that_are_all_the_same():
    assert largest_change(np.full((4, 3), 2.0)) == 0.0
    assert largest_change(np.full((4, 1), 2.0)) == 0.0
    assert epsilon_at(Laplace(1.0), 0.0, 0.0) == 0.0


def test_pure():
    assert epsilon_at(Laplace(2.0), 3.0, 0.0) == 1.5
    assert epsilon_at(DiscreteLaplace(2.0), 3.0, 0.0) == 1.5
    assert epsilon_at(Gaussian(2.0), 3.0, 0.0) == math.inf
    assert epsilon_at(DiscreteGaussian(2.0), 3.0, 0.0) == math.inf


@pytest.mark.parametrize(
    "noise", [Laplace(0.7), Gaussian(0.7), DiscreteLaplace(0.7), DiscreteGaussian(0.7)]
)
@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.5])
@pytest.mark.parametrize("change", [1, 4])
def test_the_least_at_delta(noise, delta, change):
    found = epsilon_at(noise, float(change), delta)
    assert noise.delta(found, change) <= delta
    if found > 0:
        assert noise.delta(found * (1 - 2e-9), change) > delta * (1 - 1e-6)
