"""A regression: sums that are exact, coefficients of the table, intervals that hold."""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.more_statistics.least_squares import Radius, bound_fixed_point, invert_positive
from deniable.more_statistics.regression import Regression
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.cases.regression_case import (
    ROW,
    least_squares,
    line,
    numbers,
    of_engine,
    published,
    regression,
)

NOISES = [DiscreteGaussian(2.0 * ROW), DiscreteLaplace(0.5 * ROW)]
LITTLE = DiscreteLaplace(2.0**-10)


@pytest.mark.parametrize("predictors", [1, 3])
def test_without_noise_the_coefficients_are_those_of_least_squares(predictors):
    statistic, rows = regression(predictors), line(300, predictors)
    exact = least_squares(statistic, rows)
    answers = published(statistic, numbers(statistic, rows), LITTLE)
    for (value, width), truth in zip(answers, exact, strict=True):
        assert abs(value - truth) <= width + 1e-9
        assert width < 1e-4


def test_what_is_published_beside_the_coefficients_has_names_units_and_whole_numbers():
    statistic, rows = regression(1), line(300, 1)
    noisy = numbers(statistic, rows)
    result = statistic.rows("q", Grouping(), [np.array(noisy)], [LITTLE])
    assert [row.category for row in result] == [
        "intercept", "x0", "rows", "x0", "y", "x0 × x0", "x0 × y", "y × y",
    ]  # fmt: skip
    assert [row.half_width_unit for row in result[:3]] == ["y", "y per x0", "rows"]
    assert [row.measured for row in result] == [None, None, *noisy]
    assert statistic.measured(result)[0].tolist() == noisy
    assert statistic.published(1, ()) == len(result)
    table = np.array(rows)
    distances = np.column_stack([np.ones(300), table[:, 0].clip(-3, 3.5) - 0.25, table[:, 1]])
    pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    for row, (i, j) in zip(result[2:], pairs, strict=True):
        assert row.value == pytest.approx((distances[:, i] * distances[:, j]).sum(), abs=1e-3)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("predictors", "count"), [(1, 300), (2, 1500)])
def test_the_width_reaches_all_that_the_noise_leaves_possible(noise, predictors, count):
    """Noise at the border of what the intervals are to hold for: on a sphere, or at corners.

    By Cauchy's inequality a vector of noise of length τ moves no sum by more than τ times the
    length of its coefficients.
    """
    statistic, rows = regression(predictors), line(count, predictors)
    exact, plain = least_squares(statistic, rows), numbers(statistic, rows)
    generator = np.random.default_rng(1)
    radius = Radius.of(noise, predictors + 2, len(plain))
    share = []
    for _ in range(usual(25, 60)):
        direction = generator.normal(size=len(plain))
        if isinstance(noise, DiscreteGaussian):
            direction /= np.linalg.norm(direction)
        else:
            direction = np.sign(direction)
        off = np.floor(np.abs(direction * float(radius.size))) * np.sign(direction)
        answers = published(statistic, np.array(plain) + off.astype(np.int64), noise)
        assert all(
            abs(value - truth) <= width + 1e-9
            for (value, width), truth in zip(answers, exact, strict=True)
        )
        share.append(max(abs(v - t) / w for (v, w), t in zip(answers, exact, strict=True)))
    assert max(share) > 0.2


@pytest.mark.parametrize("noise", NOISES)
def test_intervals_miss_no_more_often_than_they_say(noise):
    """All coefficients at once, 120 draws: 18 misses have a chance below 1e-5 at 5 %.

    Intervals a tenth as wide would miss in more than a quarter.
    """
    statistic, rows = regression(2), line(800, 2)
    exact, plain = least_squares(statistic, rows), np.array(numbers(statistic, rows))
    generator = np.random.default_rng(5)
    missed, far = 0, 0
    for _ in range(120):
        drawn = noise.draws(generator, len(plain)).astype(np.int64)
        answers = published(statistic, plain + drawn, noise)
        off = [abs(v - t) / (w + 1e-9) for (v, w), t in zip(answers, exact, strict=True)]
        missed += max(off) > 1
        far += max(off) > 0.1
    assert missed < 18
    assert far > 30


@pytest.mark.parametrize(("first", "second"), [
    ([[0.5, 0.2], [0.3, 0.1]], [1.0, 2.0]), ([[0.0, 0.9], [0.9, 0.0]], [1.0, 0.0]),
])  # fmt: skip
def test_a_bound_on_a_fixed_point_is_the_limit_of_its_powers(first, second):
    growth = [[Fraction(each) for each in row] for row in first]
    bound = bound_fixed_point(growth, [Fraction(each) for each in second])
    limit = np.linalg.solve(np.eye(2) - np.array(first), second)
    assert [float(each) for each in bound] == pytest.approx(limit, rel=1e-12)


def test_no_bound_where_powers_do_not_vanish_and_no_inverse_where_it_is_indefinite():
    growing = [[Fraction(0), Fraction(2)], [Fraction(1), Fraction(0)]]
    assert bound_fixed_point(growing, [Fraction(1)] * 2) is None
    for matrix in ([[1, 2], [2, 1]], [[0, 0], [0, 1]], [[-1, 0], [0, 1]], [[1, 1], [1, 1]]):
        assert invert_positive([[Fraction(each) for each in row] for row in matrix]) is None


NO_SIGNAL = {
    "no rows": [],
    "one row": [[0.5, 1.0]],
    "no values": [[None, 1.0], [math.nan, 2.0]],
    "one point": [[1.0, 2.0]] * 400,
    "one value of the predictor": [[0.25, y] for y in (1.0, 2.0)] * 200,
}


@pytest.mark.parametrize("rows", NO_SIGNAL.values(), ids=NO_SIGNAL)
@pytest.mark.parametrize("noise", NOISES)
def test_too_little_signal_is_left_open(rows, noise):
    statistic = regression(1)
    generator = np.random.default_rng(2)
    plain = np.array(numbers(statistic, rows))
    decided = 0
    for _ in range(40):
        noisy = plain + noise.draws(generator, len(plain)).astype(np.int64)
        answers = published(statistic, noisy, noise)
        assert all((value is None) == (width is None) for value, width in answers)
        decided += answers[0][0] is not None
    assert decided == 0


def test_collinear_predictors_are_left_open():
    statistic = regression(2)
    rows = [[x, x, y] for x, _, y in line(2000, 2)]
    generator, noise = np.random.default_rng(2), DiscreteGaussian(ROW / 4)
    plain = np.array(numbers(statistic, rows))
    for _ in range(40):
        noisy = plain + noise.draws(generator, len(plain)).astype(np.int64)
        assert published(statistic, noisy, noise) == [(None, None)] * 3


@pytest.mark.parametrize(("arguments", "message"), [
    (("y", (0, 1), {}), "1-to-predictors: 10 | 0"),
    (("y", (0, 1), {f"x{i}": (0, 1) for i in range(11)}), "1-to-predictors: 10 | 11"),
    (("y", (0, 1), {"y": (0, 1)}), "predictors-that-differ"),
    (("y", (0, 1), [("x", (0, 1)), ("x", (0, 2))]), "predictors-that-differ"),
    (("y", (0, 1e300), {"x": (0, 1)}), "whose-squares-are-numbers-of-y"),
    (("y", (0, 1), {"x": (0, 1e-300)}), "whose-squares-are-numbers-of-x"),
    (("y", (0, 1), {"x": (1, 0)}), "low-below-high-bounds-put"),
])  # fmt: skip
def test_what_is_regressed_on_what_is_checked(arguments, message):
    with refuses(InvalidArgument, message):
        Regression(*arguments)


@pytest.mark.parametrize("bounds", [((0, 2.0**99), (0, 2.0**-98)), ((1e6, 1e6 + 1), (-3, 0.1))])
def test_extreme_bounds_give_coefficients(bounds):
    of_x, of_y = bounds
    statistic = Regression("y", of_y, {"x": of_x})
    generator = np.random.default_rng(4)
    share = generator.uniform(0.1, 0.9, 200)
    x = of_x[0] + share * (of_x[1] - of_x[0])
    y = of_y[0] + share * (of_y[1] - of_y[0])
    answers = published(statistic, numbers(statistic, np.column_stack([x, y]).tolist()), LITTLE)
    slope = (of_y[1] - of_y[0]) / (of_x[1] - of_x[0])
    assert answers[1][0] == pytest.approx(slope, rel=1e-5 if of_x[0] == 0 else 0.1)


def test_ten_predictors_fit_one_vector():
    (part,) = regression(10).parts(Protection(Adjacency.REPLACE_ONE, 1), 1)
    assert (part.label, part.coordinates, part.moved) == ("regression", 78, 78)


def test_hostile_values_add_what_the_oracle_says():
    statistic = Regression("y", (-0.3, 0.1), {"a": (0, 10), "b": (1e6, 1e6 + 1)})
    values = [math.inf, -math.inf, math.nan, None, 1e308, -5e-324, 0.1, 3.3, 1e6 + 0.5]
    rows = [[v, w, u] for v in values for w in values[::2] for u in values[1::2]]
    for start in range(0, len(rows), 60):
        some = rows[start : start + 60]
        assert of_engine(statistic, some) == numbers(statistic, some)
