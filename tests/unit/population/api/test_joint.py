import numpy as np
import pytest

from deniable import population
from deniable.errors import InvalidArgument
from deniable.numerics.effort import Effort
from deniable.population.api import LinearQuery
from tests.cases.refusals import refuses
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
    with refuses(InvalidArgument, "at-least-one-query"):
        population.joint([], 3, delta=0.05)
    with refuses(InvalidArgument, "as-many-records-in-every: 2 | 3"):
        population.joint([LinearQuery([1, 2], 1.0), LinearQuery([1, 2, 3], 1.0)], 1, delta=0.05)
    with refuses(InvalidArgument, "not-above-0: sigma"):
        LinearQuery([1, 2], 0.0)
    with refuses(InvalidArgument, "not-one-of: query | mean, sum"):
        LinearQuery([1, 2], 1.0, "median")
    with refuses(InvalidArgument, "1-at-most-size-below-number: 2"):
        population.joint([LinearQuery([1, 2], 1.0)], 2, delta=0.05)


def test_rows_with_counts_are_the_records_written_out():
    rows, counts = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]]), np.array([3, 1, 2])
    queries = [LinearQuery(rows[:, 0], 0.5), LinearQuery(rows[:, 1], 3.0, "sum")]
    found = population.joint(
        queries, 2, delta=0.05, counts=counts, records="all", effort=Effort(gap=0.3)
    )
    written = np.repeat(rows, counts, axis=0) / [1.0, 3.0]
    assert (found.population, [each.count for each in found.records]) == (6, [3, 1, 2])
    for each, first in zip(found.records, (0, 3, 4), strict=True):
        exact = brute.gaussian_epsilon(written, 2, 1.0, 0.05, first, step=0.1)
        assert each.bound.lower <= exact + 1e-3
        assert exact - 1e-3 <= each.bound.upper
        assert each.bound.upper <= found.epsilon_restricted_sensitivity


def test_a_row_that_nobody_has_changes_nothing():
    queries = [LinearQuery([0.0, 1.0, 1e9], 5.0, "sum"), LinearQuery([1.0, 0.0, -1e9], 5.0, "sum")]
    found = population.joint(queries, 10**6, delta=1e-5, counts=[10**6, 10**6, 0])
    same = [LinearQuery(query.data[:2], 5.0, "sum") for query in queries]
    alone = population.joint(same, 10**6, delta=1e-5, counts=[10**6, 10**6])
    assert found.population_epsilon == alone.population_epsilon


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([1, 2], "as-many-counts-as-rows: 2 | 3"),
        ([1, 2, -1], "counts-to-whole-numbers-at-least"),
        ([1, 2, 0.5], "counts-to-whole-numbers-at-least"),
        ([1, 0, 0], "at-least-two-records: 1"),
        ([[1, 2, 3]], "counts-to-whole-numbers-at-least"),
        ("abc", "counts-to-whole-numbers"),
        ([float("nan"), 2, 3], "counts-to-whole-numbers-at-least"),
    ],
)
def test_counts_that_cannot_be_used(counts, said):
    with refuses(InvalidArgument, said):
        population.joint([LinearQuery([1, 2, 3], 1.0)], 1, delta=0.05, counts=counts)
