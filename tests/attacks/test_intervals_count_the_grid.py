"""Intervals are of the table's own values, wherever its bounds lie, and not of grid points.

Values are rounded to a grid as wide as the larger bound over 2^24. Next to no noise is drawn here,
so that a width which leaves that out misses in every release: what is compared with is computed in
fractions from the values themselves.
"""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import deniable
from deniable.mechanisms import DiscreteLaplace
from deniable.more_statistics.regression import Regression
from deniable.more_statistics.variance import Variance
from deniable.notions import Adjacency
from deniable.numerics.rounding import float_up
from deniable.publish.plan import SimpleRandomSample
from deniable.publish.query import Grouping, Protection, Query, Span
from deniable.publish.statistics import Mean, Quantile, Sum
from deniable.publish.survey.intervals import with_population
from deniable.publish.totals import exact_totals
from tests.cases.effort import some_pairs, usual
from tests.cases.frames import in_memory
from tests.oracles import bounded_tables

NOISE = DiscreteLaplace(2.0**-10)
"""0, but with a probability of e^-1024."""
BOUNDS = [
    (1e6, 1e6 + 1),
    (-1e6 - 1, -1e6),
    (1.7e9, 1.7e9 + 86_400),
    (1e6 + 0.04, 1e6 + 0.97),
    (0, 1 - 2.0**-24),
    (-3, 1e6),
    (1e-20, 1.5e-20),
]
"""Serial numbers, losses, seconds; ends beside the grid, and few steps of any size."""
PLACES = np.arange(400)


def table_of(bounds, name):
    """400 values of a kind."""
    step = float(bounded_tables.step(bounds))
    low, high = bounds
    tables = {
        "at random": np.random.default_rng(1).uniform(low, high, 400),
        "just below half a step": low + PLACES % 7 * step + 0.499 * step,
        "half a step": low + PLACES % 5 * step + step / 2,
        "at the ends": np.where(PLACES % 2, low, high),
        "two values": low + (high - low) * np.where(PLACES % 2, 0.03, 0.97),
        "outside": np.array([-np.inf, np.inf, low - step, high] * 100),
    }
    return tables[name].tolist()


TABLES = (
    "at random", "just below half a step", "half a step", "at the ends", "two values", "outside",
)  # fmt: skip
CASES = some_pairs(BOUNDS, TABLES)


def cut(values, bounds):
    """Exact values between the bounds."""
    return [Fraction(min(max(value, bounds[0]), bounds[1])) for value in values]


def exact_of(statistics, **columns):
    """The exact numbers of each statistic, by the engine."""
    protection = Protection(Adjacency.ADD_REMOVE, 1)
    work = [(Query("q", each), protection) for each in statistics]
    totals = exact_totals(in_memory(pa.table(columns)), None, work)
    return [each.exact(own, protection) for each, own in zip(statistics, totals, strict=True)]


def rows_of(*statistics, **columns):
    """What is published of a table with next to no noise, a list for each statistic."""
    return [
        list(each.rows("q", Grouping(), numbers, [NOISE] * len(numbers)))
        for each, numbers in zip(statistics, exact_of(statistics, **columns), strict=True)
    ]


def misses(row, truth):
    return abs(Fraction(row.value) - truth) > Fraction(row.half_width_95)


@pytest.mark.parametrize(("bounds", "name"), CASES)
def test_what_is_published_is_of_the_values(bounds, name):
    values = table_of(bounds, name)
    exact = cut(values, bounds)
    mean, total = sum(exact) / len(exact), sum(exact)
    of_mean, of_sum, of_variance = rows_of(
        Mean("x", bounds), Sum("x", bounds), Variance("x", bounds), x=values
    )
    assert not misses(of_mean[0], mean)
    assert of_mean[1].value == len(values)
    if bounds[0] > 0 or bounds[1] < 0:  # else no published number says how many rows there are
        assert not misses(of_sum[0], total)
    variance, spread, own_mean, own_total, _ = of_variance
    true = sum((each - mean) ** 2 for each in exact) / len(exact)
    assert not misses(variance, true)
    low, high = (Fraction(spread.value) + side * Fraction(spread.half_width_95) for side in (-1, 1))
    assert max(low, 0) ** 2 <= true <= high**2
    assert not misses(own_mean, mean)
    assert not misses(own_total, total)


@st.composite
def tables_with_bounds(draw):
    """Bounds of any sizes and signs, and values at them, near 0 and between."""
    size = st.floats(1e-9, 1e9) | st.sampled_from([1e-5, 1e-3, 1.0, 2.0, 1000.0, 1e5])
    one, other = draw(size), draw(size)
    signs = draw(st.sampled_from([(1, 1), (-1, -1), (-1, 1), (0, 1), (-1, 0)]))
    low, high = sorted(sign * each for sign, each in zip(signs, (one, other), strict=True))
    assume(low < high and Span.of((low, high)).width >= 1)
    step = float(bounded_tables.step((low, high)))
    near = [low, high, low + step / 2, low + step / 3, high - step / 2, 0.0, step / 2, -step / 2]
    value = st.sampled_from(near) | st.floats(low, high)
    return (low, high), draw(st.lists(value, min_size=1, max_size=20)) * draw(st.integers(1, 30))


@settings(max_examples=usual(10, 60), deadline=None)
@given(tables_with_bounds())
@example(((0.001, 100_000.0), [0.003] * 600))
@example(((1e-5, 1000.0), [1e-5] * 600))
@example(((-100_000.0, -0.001), [-0.003] * 600))
@example(((0.0, 100_000.0), [0.003] * 600))
def test_intervals_cover_whatever_the_bounds(table):
    """Of every group; where 0 is within bounds or an end of them, a sum is of rounded values."""
    bounds, values = table
    exact, groups = cut(values, bounds), ("a", "b")
    asked, keys = (Mean("x", bounds), Sum("x", bounds)), Grouping(("g",), (groups,))
    columns = {"x": values, "g": [groups[place % 2] for place in range(len(values))]}
    work = [(Query("q", each, keys), Protection(Adjacency.ADD_REMOVE, 1)) for each in asked]
    totals = exact_totals(in_memory(pa.table(columns)), None, work)
    of_mean, of_sum = (
        list(
            each.rows(
                "q", keys, each.exact(own, protection), [NOISE] * len(each.parts(protection, 2))
            )
        )
        for each, own, (_, protection) in zip(asked, totals, work, strict=True)
    )
    for place, row in enumerate(of_sum):
        own = exact[place::2]
        if bounds[0] <= 0 <= bounds[1]:
            step = bounded_tables.step(bounds)
            own = [step * math.floor(each / step + Fraction(1, 2)) for each in own]
            assert abs(Fraction(row.value) - sum(own)) <= len(own) * step * 2**-20
        else:
            assert not misses(row, sum(own))
        if own:
            assert not misses(of_mean[2 * place], sum(exact[place::2]) / len(own))


@pytest.mark.parametrize(("bounds", "name"), CASES)
def test_coefficients_are_those_of_the_values(bounds, name):
    values = table_of(bounds, name)
    random = np.random.default_rng(2)
    outcomes = {"y": (0, 1), "z": (1e6, 1e6 + 1)}
    columns = {each: random.uniform(*ends, 400).tolist() for each, ends in outcomes.items()}
    asked = [Regression(each, ends, {"x": bounds}) for each, ends in outcomes.items()]
    x = cut(values, bounds)
    mean_x = sum(x) / len(x)
    spread = sum((each - mean_x) ** 2 for each in x)
    for statistic, rows in zip(asked, rows_of(*asked, x=values, **columns), strict=True):
        intercept, slope = rows[:2]
        if slope.value is None:  # the grid leaves open whether x varies
            continue
        y = cut(columns[statistic.column], statistic.bounds)
        mean_y = sum(y) / len(y)
        true = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
        assert not misses(slope, true)
        assert not misses(intercept, mean_y - true * mean_x)


def test_the_slope_of_two_values_far_from_0_is_published_and_covered():
    low, places = 1_000_000, np.arange(400) % 2
    x, y = low + np.where(places, 0.97, 0.03), np.where(places, 0.75, 0.25)
    statistic = Regression("y", (0, 1), {"x": (low, low + 1)})
    [(_, slope, *_)] = rows_of(statistic, x=x.tolist(), y=y.tolist())
    assert not misses(slope, Fraction(0.5 / 0.94))
    assert slope.half_width_95 < 0.2


@pytest.mark.parametrize(("bounds", "name"), CASES)
def test_scores_of_candidates_are_those_of_the_values(bounds, name):
    """By their definition, of values that are moved to the first or the last candidate."""
    values, shares = table_of(bounds, name), (0.1, 0.5, 0.75)
    asked = [Quantile("x", bounds, share, 9) for share in shares]
    for share, statistic, (scores,) in zip(shares, asked, exact_of(asked, x=values), strict=True):
        step, q = bounded_tables.step(bounds), Fraction(str(share))
        points = [each * step for each in bounded_tables.candidates(statistic)]
        exact = cut(values, (points[0], points[-1]))
        expected = [
            -abs((1 - q) * sum(x < c for x in exact) - q * sum(x > c for x in exact))
            * q.denominator
            for c in points
        ]
        assert scores[0].tolist() == expected


@pytest.mark.parametrize(("bounds", "name"), CASES)
def test_intervals_of_a_population_count_the_grid_too(bounds, name):
    """A census of all: then nothing but rounding lies between the table and the population."""
    values = table_of(bounds, name)
    exact, sample = cut(values, bounds), SimpleRandomSample(400, 400)
    true = {"mean": sum(exact) / 400, "sum": sum(exact)}
    asked = (Mean("x", bounds), Sum("x", bounds), Variance("x", bounds))
    for statistic, published in zip(asked, rows_of(*asked, x=values), strict=True):
        protection = Protection(Adjacency.REPLACE_ONE, 1)
        noises = [NOISE] * (2 if statistic.kind == "mean" else 1)
        for row in with_population(statistic, protection, noises, sample, published):
            if row.statistic in true:
                ends = (
                    (row.approximate_low, row.approximate_high)
                    if statistic.kind == "variance"
                    else (row.population_low, row.population_high)
                )
                low, high = map(Fraction, ends)
                assert low <= true[row.statistic] <= high


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize(
    ("bounds", "population"),
    some_pairs(
        [(0, 1500), (-1500, 0), (0.1, 0.7), (-0.7, -0.1), (-0.3, 0.7)], [400, 20_000, 20_000, 400]
    ),
)
def test_no_interval_of_a_sum_leaves_what_there_can_be(bounds, end, population):
    """Values at an end, whose rounding moves a sum out of the range of all sums."""
    low, high = map(Fraction, bounds)
    least, most = population * min(low, Fraction(0)), population * max(high, Fraction(0))
    asked = (Sum("x", bounds), Variance("x", bounds))
    for statistic, published in zip(
        asked, rows_of(*asked, x=np.full(400, bounds[end])), strict=True
    ):
        protection, sample = (
            Protection(Adjacency.REPLACE_ONE, 1),
            SimpleRandomSample(400, population),
        )
        for row in with_population(statistic, protection, [NOISE], sample, published):
            if row.statistic == "sum":
                ends = (
                    (row.approximate_low, row.approximate_high)
                    if statistic.kind == "variance"
                    else (row.population_low, row.population_high)
                )
                assert -float_up(-least) <= ends[0] <= ends[1] <= float_up(most)


def test_a_release_far_from_0_covers_and_is_checked(tmp_path):
    """The whole way: plan, release, files, and what a check computes again of them."""
    low, n = 1_000_000, 200_000
    x = np.where(np.arange(n) % 2, low + 0.97, low + 0.03)
    y = np.where(np.arange(n) % 2, 0.75, 0.25)
    plan = f"""
        [data]
        adjacency = "add-remove"
        [target]
        epsilon = 400000
        [[query]]
        name = "slope"
        statistic = "regression"
        column = "y"
        bounds = [0, 1]
        predictors = {{ x = [{low}, {low + 1}] }}
    """ + "".join(
        f"""
        [[query]]
        name = "{kind}"
        statistic = "{kind}"
        column = "x"
        bounds = [{low}, {low + 1}]
        """
        for kind in ("mean", "sum", "variance")
    )
    done = deniable.release(plan, tmp_path / "out", data=pa.table({"x": x, "y": y}))
    truth = {
        ("slope", "x"): 0.5 / 0.94, ("mean", "mean"): x.mean(), ("sum", "sum"): x.sum(),
        ("variance", "variance"): x.var(), ("variance", "standard deviation"): x.std(),
        ("variance", "mean"): x.mean(), ("variance", "sum"): x.sum(),
    }  # fmt: skip
    seen = {
        (row.query, row.category or row.statistic): row
        for row in done.rows
        if row.statistic != "sum of products"
    }
    for key, true in truth.items():
        assert abs(seen[key].value - true) <= seen[key].half_width_95, key
    assert deniable.check(tmp_path / "out").holds


@pytest.mark.parametrize("rows", [100, 10_000])
def test_errors_that_a_plan_announces_count_the_grid(rows):
    """Next to no noise: what is announced among so many rows is no less than what is published."""
    bounds = (1e6, 1e6 + 1)
    values = (table_of(bounds, "two values") * (rows // 400 + 1))[:rows]
    mean, variance = rows_of(Mean("x", bounds), Variance("x", bounds), x=values)
    announced = [
        Mean("x", bounds).error_among([NOISE, NOISE], rows),
        *Variance("x", bounds).errors_among([NOISE], rows),
    ]
    for row, width in zip((mean[0], *variance[:3]), announced, strict=True):
        assert row.half_width_95 <= width * (1 + 1e-12)


def test_a_plan_names_columns_of_which_few_numbers_are_told_apart():
    def advice(low):
        plan = f"""
            [data]
            adjacency = "add-remove"
            [target]
            epsilon = 1
            [[query]]
            name = "m"
            statistic = "mean"
            column = "x"
            bounds = [{low}, {low + 1}]
        """
        planned = deniable.plan(plan, data=pa.table({"x": [1.0]}))
        return [each for each in planned.advice if each.kind == "grid"]

    assert advice(0) == []
    (said,) = advice(1_000_000)
    assert "multiples of 0.0625" in said.text
    assert 'difference = ["x", 1000000]' in said.text
