"""Hostile tables of counts: lines that lie, scales that overflow, orders that leak into answers."""

import math

import numpy as np
import pytest

from deniable import Effort, population
from deniable.errors import DataError, DeniableError, InvalidArgument
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses

CELLS = [[1, 0, 30], [0, 1, 20]]
SOON = Effort(gap=0.5, time_limit=0.1)
FUNCTIONS = [population.gaussian, population.discrete_laplace, population.discrete_gaussian]


def ask(function, data, size=20, scale=2.0, delta=0.01, effort=SOON, **more):
    noise = {"sigma" if function is population.gaussian else "scale": scale}
    asked = {"delta": delta, "query": "sum", "counts": True, "effort": effort}
    return function(data, size, **asked, **noise, **more)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "table",
    [
        [[1, 0, -30], [0, 1, 80]],
        [[1, 0, 0.5], [0, 1, 20]],
        [[1, 0, math.nan], [0, 1, 20]],
        [[1, 0, math.inf], [0, 1, 20]],
        [[1, 0, 1e18], [0, 1, 20]],
        [[1, 0, 0], [0, 1, 0]],
        [[30], [20]],
        [],
        "no such file.csv",
    ],
)
def test_a_table_that_is_none_is_refused(function, table):
    with refuses((InvalidArgument, DataError), "expects-something"):
        ask(function, table)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("size", [0, 50, 51, 1.5])
def test_a_sample_that_is_none(function, size):
    with refuses(InvalidArgument, "names-argument: size"):
        ask(function, CELLS, size=size)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("scale", "delta"), some_pairs([1e-6, 0.1, 10.0, 1e4, 1e14], [1e-12, 1e-5, 0.999])
)
def test_no_scale_and_no_delta_breaks_it(function, scale, delta):
    try:
        found = ask(function, CELLS, scale=scale, delta=delta)
    except DeniableError:
        return
    bound = found.population_epsilon
    assert 0 <= bound.lower <= bound.upper <= found.epsilon_restricted_sensitivity


@pytest.mark.parametrize(
    ("counts", "size"),
    [([1, 1], 1), ([1, 10**6], 1), ([1, 10**6], 10**6), ([3, 1, 1], 2), ([2] * 30, 30)],
)
def test_lonely_records_are_no_exception(counts, size):
    table = np.column_stack([np.eye(len(counts)), counts])
    found = ask(population.gaussian, table, size=size, scale=3.0, delta=1e-4)
    bound = found.population_epsilon
    assert 0 <= bound.lower <= bound.upper <= found.epsilon_restricted_sensitivity


def test_a_line_may_be_split_but_not_hidden():
    """Split lines are the same records; a line of nobody changes nothing, sensitivity included."""
    whole = ask(population.gaussian, CELLS)
    split = ask(population.gaussian, [[1, 0, 10], [0, 1, 20], [1, 0, 20]])
    nobody = ask(population.gaussian, [*CELLS, [1000, 1000, 0]])
    for other in (split, nobody):
        assert other.population_epsilon == whole.population_epsilon
        assert other.epsilon_restricted_sensitivity == whole.epsilon_restricted_sensitivity


def test_an_unnamed_line_of_nobody_is_no_record():
    with refuses(InvalidArgument, "rows-from-0"):
        ask(population.gaussian, [*CELLS, [5, 5, 0]], records=[2])


@pytest.mark.parametrize("far", [1e6, 1e15])
def test_far_rows_cost_no_digits(far):
    to_its_end = Effort(gap=0.5)  # by work and not by time: both stop at one place
    near = ask(population.gaussian, CELLS, effort=to_its_end)
    moved = ask(population.gaussian, [[1 + far, far, 30], [far, 1 + far, 20]], effort=to_its_end)
    assert moved.population_epsilon.lower == pytest.approx(near.population_epsilon.lower, rel=1e-6)
