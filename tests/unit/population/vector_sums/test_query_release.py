import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.question import SampleFunction
from deniable.population.vector_sums.query_release import QueryRelease
from deniable.population.work.effort import Effort

ROWS = np.random.default_rng(0).normal(size=(10, 2))


def total(members):
    return members.sum(axis=0)


def test_a_linear_query_is_its_own_stand_in():
    release = QueryRelease.fit(np.random.default_rng(1), total, ROWS, 5, 0.5)
    slopes = release.points - release.points.mean(axis=0)
    assert slopes == pytest.approx((ROWS - ROWS.mean(axis=0)) / 0.5, abs=0.03)
    assert release.noise == pytest.approx(np.eye(2), abs=0.01)
    members = np.arange(10) < 5
    stand_in = release.offset + release.points[members].sum(axis=0)
    assert stand_in == pytest.approx(total(ROWS[members]) / 0.5, abs=0.05)


def test_answers_put_the_record_in_its_place():
    release = QueryRelease.fit(np.random.default_rng(1), total, ROWS, 5, 0.5)
    others = np.zeros((9, 1), bool)
    others[[0, 8]] = True
    with_it = release.answers(others, 4, holds=True)[:, 0]
    without = release.answers(others, 4, holds=False)[:, 0]
    assert with_it == pytest.approx(ROWS[[0, 4, 9]].sum(axis=0) / 0.5)
    assert without == pytest.approx(ROWS[[0, 9]].sum(axis=0) / 0.5)


def test_the_worlds_of_a_query_and_its_sum_agree():
    release = QueryRelease.fit(np.random.default_rng(1), total, ROWS, 5, 2.0)
    found = release.worlds(3).draws(np.random.default_rng(2), 0, 8, 300, np.ones(2))
    assert found.log_ratios.shape == (300,)
    assert found.variance < 0.5


def of(query, sigma=1.0):
    return QueryRelease.of(SampleFunction(query, ROWS), 5, sigma, Effort())


@pytest.mark.parametrize("query", [lambda _: math.nan, lambda m: np.ones((2, 2)) * m.sum()])
def test_a_query_gives_finite_numbers(query):
    with pytest.raises(InvalidArgument, match="finite numbers"):
        of(query)


@pytest.mark.parametrize(
    ("sigma", "message"), [(1e-12, "got sigma=1e-12. Raise"), (1e-101, "got sigma=1e-101. Choose")]
)
def test_noise_that_floats_cannot_work_with(sigma, message):
    with pytest.raises(InvalidArgument, match=message):
        of(total, sigma)


def test_answers_are_measured_from_one_of_them():
    shifted = of(lambda m: total(m) + 1e15)
    assert np.abs(shifted.offset).max() < 1e3
