import math

import attrs
import numpy as np
import pytest

from deniable.population.bounds import gaussian_shifts
from deniable.population.vector_sums.guided_subsets import Hidden
from deniable.population.vector_sums.lists import IN, OUT
from deniable.population.vector_sums.sum_release import SumRelease

ROWS = np.random.default_rng(0).normal(size=(9, 2)) + 50


def test_in_units_of_the_noise_about_the_mean():
    release = SumRelease.of(ROWS, 4, 0.5)
    assert release.points == pytest.approx((ROWS - ROWS.mean(axis=0)) * 2)
    assert (release.population, release.dimension, release.size) == (9, 2, 4)


def test_the_covariance_of_the_sum_of_a_sample():
    from_all = np.cov(SumRelease.of(ROWS, 4, 1.0).points.T) * 4 * (1 - 4 / 9) + np.eye(2)
    assert SumRelease.of(ROWS, 4, 1.0).covariance() == pytest.approx(from_all)


def test_directions_measure_shifts_from_the_others():
    release = SumRelease.of(ROWS, 4, 1.0)
    slopes, lengths = release.directions()
    shift = ROWS[3] - np.delete(ROWS, 3, axis=0).mean(axis=0)
    assert slopes[3] == pytest.approx(np.linalg.solve(release.covariance(), shift))
    assert lengths == pytest.approx(gaussian_shifts(ROWS, 4, 1.0))


def test_a_record_has_everybody_else():
    worlds = SumRelease.of(ROWS, 4, 1.0).worlds(8)
    assert worlds.sizes == (3, 4)
    assert len(worlds.others) == 8


def test_blocks_shrink_with_the_work_in_a_draw():
    release = SumRelease.of(ROWS, 4, 1.0)
    assert release.block_draws(1) == 4096
    assert release.block_draws(10**9) == 64


def test_pilots_shrink_too():
    assert SumRelease.of(ROWS, 4, 1.0).pilot_draws == 2000
    assert SumRelease(np.zeros((100_000, 1)), 4).pilot_draws == 200


def test_it_does_not_change():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        SumRelease.of(ROWS, 4, 1.0).size = 3


RECORD = SumRelease.of(np.random.default_rng(2).normal(size=(9, 2)), 4, 0.8).worlds(2)
SLOPE = np.array([1.0, -0.5])


@pytest.mark.parametrize("world", [IN, OUT])
def test_batches_cover_all_draws(world):
    found = RECORD.draws(np.random.default_rng(0), world, 1000, 11, SLOPE)
    assert found.log_ratios.shape == found.scores.shape == (11,)
    assert np.all(np.isfinite(found.log_ratios))


@pytest.mark.parametrize("world", [IN, OUT])
def test_a_release_is_the_sum_of_its_world(world):
    truth, releases = RECORD.releases(np.random.default_rng(0), world, 4000)
    own = RECORD.record[:, None] * (world == IN)
    noise = releases - RECORD.others.T @ truth - own
    assert set(truth.sum(axis=0)) == {RECORD.sizes[world]}
    assert abs(noise.mean()) < 6.2 / math.sqrt(noise.size)  # false alarm 1e-9
    assert noise.std() == pytest.approx(1, abs=0.08)


def test_the_truth_is_the_first_candidate_of_its_own_row():
    truth, releases = RECORD.releases(np.random.default_rng(0), OUT, 5)
    found = RECORD.candidates(
        np.random.default_rng(1), releases, 3, hidden=Hidden(OUT, truth), keep=True
    )
    assert np.array_equal(found.members[:, OUT, :5], truth)
    assert not np.array_equal(found.members[:, OUT, 5:10], truth)
    exact = releases - RECORD.others.T @ truth
    assert found.missing[:, OUT, :5] == pytest.approx(exact, abs=1e-12)
