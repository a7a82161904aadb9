import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import NoisyTopK
from deniable.notions import Adjacency
from deniable.publish.query import Grid, Grouping, Protection
from deniable.publish.statistics import Quantile
from tests.cases.effort import one_in
from tests.cases.refusals import refuses
from tests.oracles import bounded_tables as brute_force

CHOICE = NoisyTopK(40.0, 1, "exponential")
ONE = Protection(Adjacency.REPLACE_ONE, 1)
ODD = [math.inf, -math.inf, math.nan, None]


@pytest.mark.parametrize(
    ("ends", "number"),
    one_in(3, [*itertools.product([(0, 10), (-5, -1), (100, 200), (-0.1, 0.3)], [2, 3, 7, 100])]),
)
def test_the_code_counts_candidates_below_and_at_a_value(agrees, ends, number):
    statistic = Quantile("x", ends, candidates=number)
    draw = random.Random(number)
    step = statistic.bounds[1] * 0 + Grid.of(*statistic.bounds).step
    beside = [(c + off) * step for c in statistic.points for off in (-1, 0, 1)]
    values = [draw.uniform(*statistic.bounds) for _ in range(300)]
    assert agrees(statistic, [*ODD, *beside, *values])


def test_a_grid_of_few_points_makes_them_all_candidates(agrees):
    statistic = Quantile("x", (1e9, 1e9 + 500), candidates=1001)
    assert statistic.points == brute_force.candidates(statistic)
    assert len(statistic.points) == len(set(statistic.points)) == 9
    values = [1e9 + off for off in range(0, 501, 4)]
    assert agrees(statistic, values)


@pytest.mark.parametrize("number", [2**20, 2**20 - 1, 999_983])
def test_the_engines_division_is_exact_at_the_largest_sizes(on_engine, number):
    statistic = Quantile("x", (-1, 1), candidates=number)
    last, width, low = number - 1, 2**25, -(2**24)
    draw = random.Random(number)
    indices = [draw.randrange(number) for _ in range(3000)] + [0, 1, last - 1, last]
    # Right at a candidate and one step to either side: where a rounded quotient would show.
    steps = [min(max(j * width // last + off, 0), width) for j in indices for off in (-1, 0, 1)]
    found = on_engine(statistic, [(low + step) * 2.0**-24 for step in steps])
    for step, (code, one) in zip(steps, found, strict=True):
        index = ((step + 1) * last - 1) // width
        assert (
            index * width // last <= step < max((index + 1) * width // last, step + (index == last))
        )
        assert code == 2 * index + (index * width // last < step)
        assert one == (1,)


def test_float_division_rounded_down_is_exact_as_the_docstring_proves():
    draw = random.Random(3)
    for _ in range(20_000):
        divisor = draw.randint(1, 2**25)
        quotient = draw.randint(1, 2**46 // divisor)
        for number in (quotient * divisor - 1, quotient * divisor, quotient * divisor + 1):
            assert math.floor(number / divisor) == number // divisor


@pytest.mark.parametrize(("quantile", "number"), [(0.5, 4), (0.25, 5), (0.9, 3), (0.999999, 3)])
def test_scores_are_the_definitions(quantile, number):
    statistic = Quantile("x", (-2, 2), quantile=quantile, candidates=number)
    draw = random.Random(5)
    bins = brute_force.shape(statistic)[0]
    for _ in range(50):
        rows = [
            brute_force.Row("e", "a", draw.choice([-2.0, 2.0, 0.0, draw.uniform(-2, 2)]))
            for _ in range(draw.randrange(9))
        ]
        totals = brute_force.totals(statistic, rows, None)
        assert totals.shape == (1, bins, 1)
        (found,) = statistic.exact(totals, ONE)
        units = [brute_force.units(row.value, statistic.bounds) for row in rows]
        denominator = Fraction(str(quantile)).denominator
        expected = [denominator * score for score in brute_force.scores(statistic, units)]
        assert found.tolist() == [expected]
        assert found.dtype == np.int64


def test_scores_of_huge_counts_stay_exact_in_64_bits():
    statistic = Quantile("x", (0, 1), quantile=0.000001, candidates=3)
    (scores,) = statistic.exact(np.full((1, 5, 1), 2**62), ONE)
    assert (scores <= 0).all()
    assert scores.tolist() == [[-(2**41), -(2**41) * 999_998, -(2**41) * 999_999]]


@pytest.mark.parametrize(
    ("adjacency", "cells", "sensitivity"),
    [
        (Adjacency.ADD_REMOVE, 1, 2 * 3),
        (Adjacency.ADD_REMOVE, 5, 2 * 3),
        (Adjacency.REPLACE_ONE, 1, 2 * 4),
        (Adjacency.REPLACE_ONE, 5, 2 * 2 * 3),
    ],
)
def test_the_sensitivity_is_in_shares_of_a_row(adjacency, cells, sensitivity):
    statistic = Quantile("x", (0, 10), quantile=0.25, candidates=11)
    (part,) = statistic.parts(Protection(adjacency, 2), cells)
    assert (part.label, part.step, part.number, part.monotone) == ("quantile", 0.25, 1, False)
    assert (part.cells, part.candidates, part.sensitivity) == (cells, 11, sensitivity)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"quantile": 0}, "not-between-0-and-1: quantile"),
        ({"quantile": 1}, "not-between-0-and-1: quantile"),
        ({"quantile": 1 / 3}, "denominator-of-at-most-2-20: 0.333"),
        ({"quantile": 1e-7}, "denominator-of-at-most-2-20"),
        ({"candidates": 1}, "below-least: candidates | 2"),
        ({"candidates": 2**20 + 1}, "candidates-at-most-2-20: 1048577"),
        ({"candidates": 2.5}, "not-whole: candidates"),
        ({"bounds": (1, 0)}, "low-below-high-bounds-put"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with refuses(InvalidArgument, message):
        Quantile(**{"column": "x", "bounds": (0, 10)} | parameters)


def test_rows_publish_a_candidate_and_a_rank_error():
    statistic = Quantile("x", (0, 10), candidates=11)
    grouping = Grouping(("plan",), (("free", "shared"),))
    rows = statistic.rows("q", grouping, [np.array([[3], [10]])], [CHOICE])
    width = CHOICE.score_gap(11, 0.95) / 2
    assert [row.value for row in rows] == pytest.approx([3.0, 10.0], abs=2.0**-20)
    assert [row.groups["plan"] for row in rows] == ["free", "shared"]
    assert {(row.half_width_95, row.half_width_unit) for row in rows} == {(width, "rows")}
    assert statistic.half_widths([CHOICE], 2) == {"quantile": width}


@pytest.mark.parametrize("settings", [((0, 4), 3), ((-5, -1), 7), ((0, 1 - 2.0**-24), 1001)])
def test_the_candidate_at_or_below_a_value(settings):
    bounds, candidates = settings
    statistic = Quantile("x", bounds, candidates=candidates)
    grid = Grid.of(*bounds)
    known = [grid.value(point) for point in statistic.points]
    for low, high in itertools.pairwise(known):
        assert statistic.candidate(low) == low
        assert statistic.candidate(math.nextafter(high, low)) == low
    assert statistic.candidate(known[-1]) == known[-1]
