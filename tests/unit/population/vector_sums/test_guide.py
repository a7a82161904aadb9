import numpy as np
import pytest

from deniable.population.vector_sums.guide import Guide

POINTS = np.random.default_rng(0).normal(size=(11, 2))
NOISE = np.array([[1.0, 0.3], [0.3, 2.0]])


def test_farthest_first():
    guide = Guide.towards(POINTS, 0.4, NOISE)
    far = np.linalg.norm(POINTS - POINTS.mean(axis=0), axis=1)[guide.order]
    assert np.all(np.diff(far) <= 0)
    assert np.array_equal(guide.steps, POINTS[guide.order])


def test_slopes_point_along_the_covariance_of_what_is_to_come():
    guide = Guide.towards(POINTS, 0.4, NOISE)
    for step in range(9):
        rest, record = guide.steps[step + 1 :], guide.steps[step]
        covariance = 0.4 * 0.6 * len(rest) * np.cov(rest.T) + NOISE
        slope = np.linalg.solve(covariance, record - rest.mean(axis=0))
        assert guide.slopes[step] == pytest.approx(slope, rel=1e-9)
        assert guide.drifts[step] == pytest.approx(slope @ rest.mean(axis=0), rel=1e-9)
        assert guide.halves[step] == pytest.approx(slope @ (record - rest.mean(axis=0)) / 2)


def test_blocks_of_rows_change_nothing():
    whole = Guide.towards(POINTS, 0.4, NOISE)
    parts = Guide.towards(POINTS, 0.4, NOISE, rows_at_once=3)
    assert parts.slopes == pytest.approx(whole.slopes, rel=1e-12)
    assert parts.drifts == pytest.approx(whole.drifts, rel=1e-12)


def test_one_record_alone():
    guide = Guide.towards(np.array([[3.0]]), 0.5, np.eye(1))
    assert np.all(np.isfinite(guide.slopes))
