import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.bounds.estimate import gaussian_shifts
from deniable.population.vector_sums.release import Release, points, smaller

ROWS = np.random.default_rng(0).normal(size=(9, 2)) + 50


def test_in_units_of_the_noise_about_the_mean():
    release = Release.of(ROWS, 4, 0.5)
    assert release.points == pytest.approx((ROWS - ROWS.mean(axis=0)) * 2)
    assert (release.population, release.dimension, release.size) == (9, 2, 4)


def test_the_covariance_of_the_sum_of_a_sample():
    from_all = np.cov(Release.of(ROWS, 4, 1.0).points.T) * 4 * (1 - 4 / 9) + np.eye(2)
    assert Release.of(ROWS, 4, 1.0).covariance() == pytest.approx(from_all)


def test_directions_measure_shifts_from_the_others():
    release = Release.of(ROWS, 4, 1.0)
    slopes, lengths = release.directions()
    shift = ROWS[3] - np.delete(ROWS, 3, axis=0).mean(axis=0)
    assert slopes[3] == pytest.approx(np.linalg.solve(release.covariance(), shift))
    assert lengths == pytest.approx(gaussian_shifts(ROWS, 4, 1.0))


def test_a_target_has_everybody_else():
    target = Release.of(ROWS, 4, 1.0).target(8)
    assert target.sizes == (3, 4)
    assert len(target.others) == 8


def test_blocks_shrink_with_the_work_in_a_draw():
    release = Release.of(ROWS, 4, 1.0)
    assert release.block_draws(1) == 4096
    assert release.block_draws(10**9) == 64


def test_pilots_shrink_too():
    assert Release.of(ROWS, 4, 1.0).pilot_draws == 2000
    assert Release(np.zeros((100_000, 1)), 4).pilot_draws == 200


def test_the_fingerprint_tells_releases_apart():
    prints = {
        Release.of(ROWS, 4, 1.0).fingerprint(),
        Release.of(ROWS, 5, 1.0).fingerprint(),
        Release.of(ROWS, 4, 2.0).fingerprint(),
        Release.of(ROWS.reshape(18, 1), 4, 1.0).fingerprint(),
    }
    assert len(prints) == 4


def test_it_does_not_change():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Release.of(ROWS, 4, 1.0).size = 3


@pytest.mark.parametrize("bad", [[], [[1.0, math.nan]], [math.inf, 1.0], np.zeros((2, 2, 2))])
def test_records_must_be_finite_rows(bad):
    with pytest.raises(InvalidArgument, match="Expected finite records"):
        points(bad)


@pytest.mark.parametrize(("size", "message"), [(0, "size >= 1"), (9, "size < 9"), (2.5, "whole")])
def test_the_sample_is_smaller_than_the_parent_set(size, message):
    with pytest.raises(InvalidArgument, match=message):
        smaller(size, 9)


@pytest.mark.parametrize("sigma", [0, -1, math.inf, math.nan])
def test_there_must_be_noise(sigma):
    with pytest.raises(InvalidArgument, match="sigma"):
        Release.of(ROWS, 4, sigma)
