import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.vector_sums.function_query import (
    QueryRelease,
    crowd_bounds_of_query,
)
from deniable.population.work.effort import Effort

ROWS = np.random.default_rng(0).normal(size=(10, 2))
EASY = Effort(gap=3.0)


def total(members):
    return members.sum(axis=0)


def test_a_linear_query_is_its_own_stand_in():
    release = QueryRelease.fitted(np.random.default_rng(1), total, ROWS, 5, 0.5)
    slopes = release.points - release.points.mean(axis=0)
    assert slopes == pytest.approx((ROWS - ROWS.mean(axis=0)) / 0.5, abs=0.03)
    assert release.noise == pytest.approx(np.eye(2), abs=0.01)
    members = np.arange(10) < 5
    stand_in = release.offset + release.points[members].sum(axis=0)
    assert stand_in == pytest.approx(total(ROWS[members]) / 0.5, abs=0.05)


def test_answers_put_the_record_in_its_place():
    release = QueryRelease.fitted(np.random.default_rng(1), total, ROWS, 5, 0.5)
    others = np.zeros((9, 1), bool)
    others[[0, 8]] = True
    with_it = release.answers(others, 4, holds=True)[:, 0]
    without = release.answers(others, 4, holds=False)[:, 0]
    assert with_it == pytest.approx(ROWS[[0, 4, 9]].sum(axis=0) / 0.5)
    assert without == pytest.approx(ROWS[[0, 9]].sum(axis=0) / 0.5)


def test_the_worlds_of_a_query_and_its_sum_agree():
    release = QueryRelease.fitted(np.random.default_rng(1), total, ROWS, 5, 2.0)
    found = release.target(3).draws(np.random.default_rng(2), 0, 8, 300, np.ones(2))
    assert found.log_ratios.shape == (300,)
    assert found.spread < 0.5


def test_a_bracket_for_a_median():
    found = crowd_bounds_of_query(np.median, ROWS[:, 0], 5, 1.0, 0.05, targets=[2, 7], effort=EASY)
    assert found.bounds.records.tolist() == [2, 7]
    assert np.all(found.bounds.lower <= found.bounds.upper)
    assert np.all(np.isfinite(found.bounds.upper))


def test_fallbacks_are_used():
    found = crowd_bounds_of_query(
        np.median, ROWS[:, 0], 5, 1.0, 0.05, targets=[2], effort=EASY, fallback=[0.001]
    )
    assert found.bounds.upper[0] == 0.001


def test_queries_are_told_apart():
    prints = {
        QueryRelease.fitted(np.random.default_rng(1), query, ROWS, 5, 0.5).fingerprint()
        for query in (total, lambda m: m.max(axis=0))
    }
    assert len(prints) == 2


@pytest.mark.parametrize("query", [lambda _: math.nan, lambda m: np.ones((2, 2)) * m.sum()])
def test_a_query_gives_finite_numbers(query):
    with pytest.raises(InvalidArgument, match="finite numbers"):
        crowd_bounds_of_query(query, ROWS, 5, 1.0, 0.05, targets=[2], effort=EASY)


def test_records_are_finite():
    with pytest.raises(InvalidArgument, match="finite records"):
        crowd_bounds_of_query(total, [math.nan, 1.0], 1, 1.0, 0.05, targets=[0], effort=EASY)
