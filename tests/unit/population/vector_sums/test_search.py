import math

import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.population.vector_sums.search import crowd_bounds, crowd_search, ends, positions
from deniable.population.work.effort import Effort

ROWS = np.random.default_rng(0).normal(size=(12, 2))
EASY = Effort(gap=0.5, seed=2)


def test_the_bracket_says_what_it_rests_on():
    found = crowd_search(ROWS, 6, 4.0, 0.05, records=[3, 5], effort=EASY)
    bounds = found.bounds
    assert bounds.records.tolist() == [3, 5]
    assert (bounds.evidence, bounds.confidence, bounds.seed) == (Evidence.CONFIDENCE, 0.95, 2)
    assert bounds.draws == found.draws > 0
    assert 2 * (found.alpha_upper + found.alpha_lower) == pytest.approx(0.05)


def test_workers_change_nothing():
    one = crowd_bounds(ROWS, 6, 4.0, 0.05, records=[3, 5], effort=EASY)
    two = crowd_bounds(
        ROWS, 6, 4.0, 0.05, records=[3, 5], effort=Effort(gap=0.5, seed=2, workers=2)
    )
    assert np.array_equal(one.upper, two.upper)
    assert np.array_equal(one.lower, two.lower)


def test_a_record_is_where_it_is_whatever_its_place_in_the_list():
    one = crowd_bounds(ROWS, 6, 4.0, 0.05, records=[5, 3], effort=EASY)
    other = crowd_bounds(ROWS, 6, 4.0, 0.05, records=[3, 5], effort=EASY)
    assert one.upper.tolist() == other.upper[::-1].tolist()


def test_no_time_gives_a_wide_bracket():
    found = crowd_bounds(ROWS, 6, 1.0, 0.001, records=[3], effort=Effort(time_limit=1e-9, gap=0.1))
    assert found.lower[0] <= found.upper[0]


def test_known_ends_are_used():
    found = crowd_search(
        ROWS, 6, 4.0, 0.05, records=[3], effort=EASY, lower=[0.01], fallback=[0.02]
    )
    assert (found.bounds.lower[0], found.bounds.upper[0]) == (0.01, 0.02)
    assert found.alpha_lower == 0
    assert found.alpha_upper == pytest.approx(0.05)


def test_constant_records_reveal_nothing():
    found = crowd_bounds(np.ones((12, 2)), 6, 1.0, 0.05, records=[0], effort=EASY)
    assert (found.lower[0], found.upper[0]) == (0, 0)


def test_hopeless_noise_is_called_hopeless():
    rows = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    found = crowd_bounds(rows, 2, 1e-3, 0.01, records=[4], effort=Effort(time_limit=1.0))
    assert found.upper[0] > 1000 or math.isinf(found.upper[0])


def test_progress_ends_at_one():
    told = []
    crowd_bounds(ROWS, 6, 4.0, 0.05, records=[3], effort=Effort(gap=0.5, progress=told.append))
    assert told[-1] == 1.0
    assert told == sorted(told)


@pytest.mark.parametrize("bad", [[], [-1], [12], [1.5], [[1]], [math.nan], ["a"]])
def test_positions_are_of_records(bad):
    with pytest.raises(InvalidArgument, match="Expected positions"):
        positions(bad, 12)


def test_a_record_twice():
    with pytest.raises(InvalidArgument, match="once"):
        positions([1, 1], 12)


@pytest.mark.parametrize("bad", [[1.0], [-1.0, 0.0], [math.nan, 0.0]])
def test_ends_belong_to_records(bad):
    with pytest.raises(InvalidArgument, match="Expected lower to hold 2 numbers"):
        ends(bad, np.array([0, 1]), "lower")


@pytest.mark.parametrize("delta", [0.0, 1.0, math.nan])
def test_delta_is_a_proper_probability(delta):
    with pytest.raises(InvalidArgument, match="delta"):
        crowd_bounds(ROWS, 6, 4.0, delta, records=[3], effort=EASY)
