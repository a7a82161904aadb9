import math

import numpy as np
import pytest

from deniable.population.vector_sums.guided_subsets import Hidden
from deniable.population.vector_sums.lists import IN, OUT, ListDraws, batch_size
from deniable.population.vector_sums.release import Release

RELEASE = Release.of(np.random.default_rng(2).normal(size=(9, 2)), 4, 0.8)
TARGET = RELEASE.target(2)
SLOPE = np.array([1.0, -0.5])


@pytest.mark.parametrize("world", [IN, OUT])
def test_batches_cover_all_draws(world):
    found = TARGET.draws(np.random.default_rng(0), world, 1000, 11, SLOPE)
    assert found.log_ratios.shape == found.scores.shape == (11,)
    assert np.all(np.isfinite(found.log_ratios))


@pytest.mark.parametrize("world", [IN, OUT])
def test_a_release_is_the_sum_of_its_world(world):
    truth, releases = TARGET.releases(np.random.default_rng(0), world, 4000)
    own = TARGET.record[:, None] * (world == IN)
    noise = releases - TARGET.others.T @ truth - own
    assert set(truth.sum(axis=0)) == {TARGET.sizes[world]}
    assert abs(noise.mean()) < 6.2 / math.sqrt(noise.size)  # false alarm 1e-9
    assert noise.std() == pytest.approx(1, abs=0.08)


def test_the_truth_is_the_first_candidate_of_its_own_row():
    truth, releases = TARGET.releases(np.random.default_rng(0), OUT, 5)
    found = TARGET.candidates(
        np.random.default_rng(1), releases, 3, hidden=Hidden(OUT, truth), keep=True
    )
    assert np.array_equal(found.members[:, OUT, :5], truth)
    assert not np.array_equal(found.members[:, OUT, 5:10], truth)
    exact = releases - TARGET.others.T @ truth
    assert found.missing[:, OUT, :5] == pytest.approx(exact, abs=1e-12)


def test_spread_needs_two_fresh_candidates():
    one = ListDraws.of(np.zeros((2, 1, 3)), np.zeros((2, 3)), SLOPE)
    assert math.isnan(one.spread)
    weights = np.log(np.array([[[1.0], [1.0], [3.0]], [[1.0], [2.0], [2.0]]]))
    many = ListDraws.of(weights, np.zeros((2, 1)), SLOPE)
    assert many.spread == pytest.approx(0.5)  # of (1/2, 3/2) − (1, 1)
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
