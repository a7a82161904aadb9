import numpy as np
import pytest

from deniable import population
from deniable.errors import InvalidArgument
from deniable.population.doors.joint import LinearQuery
from deniable.work.effort import Effort
from tests.oracles import population as brute

ROWS = np.random.default_rng(11).normal(size=(7, 2))
QUICK = Effort(time_limit=2.0, gap=0.3)


def test_two_queries_tell_more_than_one_and_are_bracketed():
    queries = [LinearQuery(ROWS[:, 0], 0.5), LinearQuery(ROWS[:, 1], 3.0, "sum")]
    found = population.joint(queries, 3, delta=0.05, effort=QUICK)
    scaled = ROWS / [1.5, 3.0]
    exact = max(brute.gaussian_epsilon(scaled, 3, 1.0, 0.05, x, step=0.1) for x in range(7))
    assert found.population_epsilon.lower <= exact + 1e-3
    assert exact - 1e-3 <= found.population_epsilon.upper
    alone = population.gaussian(ROWS[:, 0], 3, sigma=0.5, delta=0.05)
    assert alone.population_epsilon.lower <= found.population_epsilon.upper


def test_one_query_is_itself():
    alone = population.gaussian(ROWS[:, 0], 3, sigma=0.5, delta=0.05)
    found = population.joint([LinearQuery(ROWS[:, 0], 0.5)], 3, delta=0.05)
    assert found.population_epsilon.upper == pytest.approx(alone.population_epsilon.upper, rel=1e-6)


def test_wrong_queries():
    with pytest.raises(InvalidArgument, match="Expected at least one query"):
        population.joint([], 3, delta=0.05)
    with pytest.raises(InvalidArgument, match=r"as many records in every query, got 2, 3\."):
        population.joint([LinearQuery([1, 2], 1.0), LinearQuery([1, 2, 3], 1.0)], 1, delta=0.05)
    with pytest.raises(InvalidArgument, match="Expected sigma > 0"):
        LinearQuery([1, 2], 0.0)
    with pytest.raises(InvalidArgument, match="Expected query to be one of mean, sum"):
        LinearQuery([1, 2], 1.0, "median")
    with pytest.raises(InvalidArgument, match="Expected 1 <= size < 2"):
        population.joint([LinearQuery([1, 2], 1.0)], 2, delta=0.05)
