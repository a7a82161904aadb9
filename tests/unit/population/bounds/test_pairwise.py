import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.population.bounds.pairwise import pairwise_bounds, pairwise_of_record
from tests.oracles import population as brute


def bounds(values, sigma, delta, **settings):
    rows = np.asarray(values, float)
    rows = rows[:, None] if rows.ndim == 1 else rows
    return pairwise_bounds(rows, sigma, delta, **settings)


@pytest.mark.parametrize("tried", [1, 48])
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 10),
    d=st.integers(1, 4),
    delta=st.sampled_from([1e-4, 0.05]),
)
@settings(max_examples=12)
def test_every_record_is_above_proposition_12_by_a_few_per_cent(tried, seed, n, d, delta):
    rng = np.random.default_rng(seed)
    rows = np.round(rng.standard_t(2, size=(n, d)), rng.integers(0, 3))
    sigma = float(rng.uniform(0.3, 3))
    found = bounds(rows, sigma, delta, tried=tried)
    exact = np.array([brute.pairwise_epsilon(rows, sigma, delta, x) for x in range(n)])
    assert np.all(found >= exact - 1e-12 - 1e-11 * exact)
    assert np.all(found <= exact * 1.04 + 0.01)
    if tried > 1:
        assert found.max() <= exact.max() * (1 + 1e-9) + 1e-9
    each = [pairwise_of_record(rows, sigma, delta, x) for x in range(n)]
    assert np.all(np.array(each) >= exact - 1e-12 - 1e-11 * exact)
    assert each == pytest.approx(exact, rel=1e-10, abs=1e-9)


def test_the_largest_is_exact_only_as_far_as_it_is_looked_for():
    rows = np.random.default_rng(1).normal(size=(40, 2))
    exact = max(brute.pairwise_epsilon(rows, 1.0, 0.01, x) for x in range(40))
    assert exact < bounds(rows, 1.0, 0.01, tried=0).max() < exact * 1.04


def test_records_in_several_blocks():
    """Of 256 records at a time, so that the last block has few."""
    rows, told = np.random.default_rng(2).normal(size=(520, 3)), []
    found = bounds(rows, 1.0, 0.01, progress=told.append)
    assert told == [256 / 520, 512 / 520, 1.0]
    for record in (0, 255, 256, 511, 512, 519):
        exact = brute.pairwise_epsilon(rows, 1.0, 0.01, record)
        assert exact - 1e-12 <= found[record] <= exact * 1.04


def test_ends():
    assert bounds([3.0, 3.0, 3.0], 1.0, 0.01).tolist() == [0.0, 0.0, 0.0]
    assert bounds([3.0, 3.0], 1.0, 0.0).tolist() == [0.0, 0.0]
    assert bounds([3.0, 4.0], 1.0, 0.0).tolist() == [math.inf, math.inf]
    assert bounds([0.0, 1.0], 1e9, 0.01).tolist() == [0.0, 0.0]
    assert pairwise_of_record(np.array([[0.0], [0.0]]), 1.0, 0.0, 0) == 0.0
    assert pairwise_of_record(np.array([[0.0], [1.0]]), 1.0, 0.0, 0) == math.inf


def test_far_records_and_little_noise():
    found = bounds([0.0, 1.0, 1e6], 1e-3, 1e-6)
    assert np.all(found >= [0.5e6, 0.5e6, 0.4e18])
    assert not np.isnan(found).any()
