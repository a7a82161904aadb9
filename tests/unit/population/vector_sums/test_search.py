import math

import numpy as np

from deniable.bounds import Evidence
from deniable.population.vector_sums.search import intervals, nothing_drawn
from deniable.population.vector_sums.sum_release import SumRelease
from deniable.population.work.effort import Effort

ROWS = np.random.default_rng(0).normal(size=(12, 2))
EASY = Effort(gap=0.5, seed=2)


def found(records, effort=EASY, *, rows=ROWS, size=6, sigma=4.0, delta=0.05, lower=None):
    release = SumRelease.of(rows, size, sigma)
    return intervals(release, np.array(records), delta, effort, lower=lower)


def test_the_bounds_say_what_they_rest_on():
    bounds = found([3, 5])
    assert bounds.records.tolist() == [3, 5]
    assert (bounds.evidence, bounds.confidence, bounds.seed) == (Evidence.CONFIDENCE, 0.95, 2)
    assert bounds.draws > 0
    assert bounds.candidates >= 1
    assert bounds.method == "crowd"


def test_workers_change_nothing():
    one, two = found([3, 5]), found([3, 5], Effort(gap=0.5, seed=2, workers=2))
    assert np.array_equal(one.upper, two.upper)
    assert np.array_equal(one.lower, two.lower)


def test_a_record_is_where_it_is_whatever_its_place_in_the_list():
    assert found([5, 3]).upper.tolist() == found([3, 5]).upper[::-1].tolist()


def test_no_time_gives_a_wide_interval():
    bounds = found([3], Effort(time_limit=1e-9, gap=0.1), sigma=1.0, delta=0.001)
    assert bounds.lower[0] <= bounds.upper[0]
    nothing = nothing_drawn(np.array([3]), EASY, np.array([0.25]))
    assert (nothing.lower[0], nothing.upper[0], nothing.draws) == (0.25, math.inf, 0)


def test_known_lower_ends_are_kept_and_leave_more_for_the_upper():
    with_end, without = found([3], lower=np.array([0.01])), found([3])
    assert with_end.lower[0] == 0.01
    assert without.lower[0] != 0.01


def test_intervals_never_cross():
    bounds = found([3], lower=np.array([50.0]))
    assert bounds.lower[0] == bounds.upper[0] < 50


def test_constant_records_reveal_nothing():
    bounds = found([0], rows=np.ones((12, 2)), sigma=1.0)
    assert (bounds.lower[0], bounds.upper[0]) == (0, 0)


def test_hopeless_noise_is_called_hopeless():
    rows = np.array([[0.0], [0.0], [0.0], [0.0], [1.0]])
    bounds = found([4], Effort(time_limit=1.0), rows=rows, size=2, sigma=1e-3, delta=0.01)
    assert bounds.upper[0] > 1000 or math.isinf(bounds.upper[0])


def test_progress_ends_at_one():
    told = []
    found([3], Effort(gap=0.5, progress=told.append))
    assert told[-1] == 1.0
    assert told == sorted(told)
