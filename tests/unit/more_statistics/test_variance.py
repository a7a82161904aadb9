"""The variance: what a row adds, what is published, and intervals that hold."""

import math
import statistics as python
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.more_statistics.variance import Variance
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection
from tests.cases.refusals import refuses
from tests.oracles import bounded_tables

VALUES = [0.0, 3.3, 15.0, math.inf, -math.inf, math.nan, None, -2.0, 5.0, 4.9999999]
BOUNDS = [(0, 10), (-10, 10), (0, 1 - 2.0**-24), (1e6, 1e6 + 1), (-0.3, 0.1)]
ROW = 2**30


def totals(statistic, values):
    """The three whole numbers of a table, by brute force."""
    added = [bounded_tables.row_values(statistic, value) for value in values]
    return [sum(each) for each in zip(*(row for _, row in filter(None, added)), strict=True)]


def published(statistic, numbers, noise, keys=()):
    grouping = Grouping(("g",), (keys,)) if keys else Grouping()
    return statistic.rows("q", grouping, [np.array(numbers)], [noise])


@pytest.mark.parametrize("bounds", BOUNDS)
def test_distances_and_squares_are_exact_on_the_engine(agrees, bounds):
    middle = bounds[0] / 2 + bounds[1] / 2
    assert agrees(Variance("x", bounds), [*VALUES, *bounds, middle, middle + 2.0**-30])


@pytest.mark.parametrize("bounds", [(0, 1e300), (0, 1e-300), (-1e300, 1e300), (0, 5e-324)])
def test_bounds_whose_squares_are_no_numbers_are_refused(bounds):
    with refuses(InvalidArgument, "bounds-between-and-apart-whose"):
        Variance("x", bounds)


@pytest.mark.parametrize("bounds", [(0, 2.0**99), (0, 2.0**-98), (1, 1 + 2.0**-10)])
def test_extreme_bounds_publish_numbers(bounds):
    statistic = Variance("x", bounds)
    values = [*bounds] * 50
    variance, spread, mean, total, count = published(
        statistic, totals(statistic, values), DiscreteGaussian(ROW / 1000)
    )
    apart = bounds[1] - bounds[0]
    assert variance.value == pytest.approx(apart**2 / 4, rel=1e-3)
    assert spread.value == pytest.approx(apart / 2, rel=1e-3)
    assert mean.value == pytest.approx(sum(bounds) / 2, rel=1e-3)
    assert total.value == pytest.approx(50 * sum(bounds), rel=1e-3)
    assert count.value == pytest.approx(100)


@pytest.mark.parametrize("bounds", [(0, 10), (1e6, 1e6 + 1), (0, 1 - 2.0**-24)])
def test_without_noise_it_is_the_variance_over_n(bounds):
    generator = np.random.default_rng(1)
    values = generator.uniform(*bounds, 200).tolist()
    statistic = Variance("x", bounds)
    step = bounded_tables.step(bounds)
    on_grid = [bounded_tables.units(value, bounds) * step for value in values]
    rows = published(statistic, totals(statistic, values), DiscreteLaplace(2.0**-10))
    exact = python.pvariance(on_grid), python.mean(on_grid)
    assert [row.statistic for row in rows] == [
        *("variance", "standard deviation", "mean", "sum", "count")
    ]
    assert [row.half_width_unit for row in rows] == ["x²", "x", "x", "x", "rows"]
    assert abs(Fraction(rows[0].value) - exact[0]) <= Fraction(rows[0].half_width_95)
    assert rows[0].value == pytest.approx(float(exact[0]), rel=1e-6)
    assert rows[1].value == math.sqrt(rows[0].value)
    assert rows[2].value == pytest.approx(float(exact[1]), rel=1e-12)
    assert rows[3].value == pytest.approx(float(sum(map(Fraction, on_grid))), rel=1e-12)
    assert rows[4].value == 200


@pytest.mark.parametrize(("values", "variance"), [([], 0.0), ([7.0], 0.0), ([0.0, 10.0], 25.0)])
def test_few_rows_stay_within_what_values_in_the_bounds_can_have(values, variance):
    statistic = Variance("x", (0, 10))
    numbers = totals(statistic, values) if values else [0, 0, 0]
    rows = published(statistic, numbers, DiscreteGaussian(5.0 * ROW))
    assert 0 <= rows[0].value <= 25
    assert abs(rows[0].value - variance) <= rows[0].half_width_95 <= 25
    assert 0 <= rows[1].half_width_95 <= 5 * (1 + 1e-12)


@pytest.mark.parametrize("noise", [DiscreteGaussian(3.0 * ROW), DiscreteLaplace(2.0 * ROW)])
@pytest.mark.parametrize(("number", "total", "squares"), [
    (200, 30, 5), (200, -150, 60), (12, 3, -3), (5, 0, 2), (-4, 9, 1), (0, 0, 0), (40, 0, 20),
])  # fmt: skip
def test_the_width_reaches_every_variance_that_the_noise_leaves_possible(
    noise, number, total, squares
):
    """A grid of all tables' sums within the noise, about 10 values of each."""
    statistic = Variance("x", (0, 10))
    variance, spread, *_ = published(statistic, [number * ROW, total * ROW, squares * ROW], noise)
    width = float(noise.half_width(1 - 0.05 / 3)) / ROW
    _, linear, square = statistic.moments.all
    h = 5 / STEPS
    offs = np.linspace(-width, width, 21)
    n = np.maximum(number + offs, 1.0)[:, None, None]
    s = (total + offs)[None, :, None] * float(linear.unit) * ROW * h
    q = ((squares + offs)[None, None, :] + float(square.offset) / ROW * n) * ROW
    possible = np.clip(q * float(square.unit) * h**2 / n - (s / n) ** 2, 0, 25)
    assert np.abs(possible - variance.value).max() <= variance.half_width_95 * (1 + 1e-9)
    assert np.abs(possible - variance.value).max() >= 0.7 * variance.half_width_95
    assert np.abs(np.sqrt(possible) - spread.value).max() <= spread.half_width_95 * (1 + 1e-9)


STEPS = 5 * 2**20  # grid steps of half the bounds (0, 10)


@pytest.mark.parametrize("noise", [DiscreteGaussian(4.0 * ROW), DiscreteLaplace(3.0 * ROW)])
def test_intervals_miss_no_more_often_than_they_say(noise):
    """Simulated noise of two kinds on two tables; all five intervals are 95 % ones.

    Of 400 draws 20 may miss; with 45 or more the chance of a false alarm is below 1e-6. An interval
    of half the width would miss the number of rows in more than 30 of 100.
    """
    generator = np.random.default_rng(3)
    statistic = Variance("x", (0, 10))
    for values in (generator.uniform(0, 10, 400).tolist(), [2.0] * 390 + [10.0] * 10):
        numbers = np.array(totals(statistic, values))
        exact = [np.var(values), np.std(values), np.mean(values), sum(values), len(values)]
        drawn = noise.draws(generator, 3 * 400).reshape(400, 3)
        noisy = (numbers + drawn).astype(np.int64).reshape(-1)
        keys = tuple(range(400))
        rows = published(statistic, noisy, noise, keys)
        missed = np.zeros(5)
        for place, row in enumerate(rows):
            missed[place % 5] += abs(row.value - exact[place % 5]) > row.half_width_95 + 1e-5
        assert (missed < 45).all()
        assert (missed[3:] >= 5).all()  # these widths are no wider than they have to be


@pytest.mark.parametrize("noise", [DiscreteGaussian(2.0 * ROW), DiscreteLaplace(2.0 * ROW)])
@pytest.mark.parametrize("values", [[0.0] * 300, [0.0, 10.0] * 150, [10.0] * 50 + [4.0] * 250])
def test_errors_that_a_plan_announces_are_kept(noise, values):
    """At all corners of what the noise leaves possible, which is where the worst cases are."""
    statistic = Variance("x", (0, 10))
    announced = statistic.errors_among([noise], len(values))
    width = math.ceil(noise.half_width(1 - 0.05 / 3))
    exact = np.var(values), np.std(values), np.mean(values)
    numbers = np.array(totals(statistic, values))
    for off in np.ndindex(3, 3, 3):
        rows = published(statistic, numbers + (np.array(off) - 1) * width, noise)
        for row, truth, most in zip(rows, exact, announced, strict=False):
            assert abs(row.value - truth) <= most


def test_one_vector_of_three_numbers_a_cell():
    (part,) = Variance("x", (0, 16)).parts(Protection(Adjacency.ADD_REMOVE, 2), 3)
    assert (part.label, part.coordinates, part.moved) == ("variance", 9, 6)
    assert (part.l1, part.l2) == (2 * (ROW + ROW + ROW // 2), pytest.approx(2 * 1.5 * ROW))


def test_more_rows_than_64_bits_hold_are_refused():
    with refuses(InvalidArgument, "lower-rows-per-entity"):
        Variance("x", (0, 16)).parts(Protection(Adjacency.REPLACE_ONE, 2**31), 1)
