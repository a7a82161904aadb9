import functools
import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.notions import Adjacency
from deniable.pipeline.noise import PublicPart
from deniable.publish.query import Grouping, Protection, published
from deniable.publish.query.units import Span
from deniable.publish.statistics import Mean
from deniable.publish.statistics.mean import EACH, _width
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses

ONE = Protection(Adjacency.REPLACE_ONE, 1)
STEP = 2.0**-20  # of bounds [0, 10]
VALUES = [0.0, 3.3, 15.0, math.inf, -math.inf, math.nan, None, -2.0]


def rows_of(total, number, noises, **parameters):
    statistic = Mean("x", (0, 10), **parameters)
    noisy = [np.array([total]), np.array([number])]
    return statistic.rows("q", Grouping(), noisy, noises)


@pytest.mark.parametrize("nulls", [None, 0, 2.5])
@pytest.mark.parametrize("ends", [(0, 10), (0, 1 - 2.0**-24)])
def test_distance_from_the_middle_and_one(agrees, ends, nulls):
    nulls = None if nulls is None else min(nulls, ends[1])
    assert agrees(Mean("x", ends, nulls=nulls), VALUES)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nulls": 11}, "nulls-within-bounds: 0.0 | 10.0 | 11.0"),
        ({"nulls": math.inf}, "not-finite: nulls"),
        ({"size_is_public": True}, "nulls-with-public-size-none"),
    ],
)
def test_what_nulls_stand_for_is_checked(parameters, message):
    with refuses(InvalidArgument, message):
        Mean("x", (0, 10), **parameters)


def test_two_noisy_parts():
    total, number = Mean("x", (0, 10)).parts(Protection(Adjacency.REPLACE_ONE, 2), 3)
    assert (total.label, total.step, number.label, number.step) == ("sum", STEP, "count", 1.0)
    assert (total.l1 * STEP, number.l1) == (2 * 2 * 5, 2 * 2)


def test_a_public_size_is_no_noisy_part():
    total, size = Mean("x", (0, 10), nulls=0, size_is_public=True).parts(ONE, 1)
    assert total.l1 * STEP == 10
    assert size == PublicPart("size")


@pytest.mark.parametrize(
    ("protection", "cells"),
    [
        (Protection(Adjacency.ADD_REMOVE, 1), 1),
        (Protection(Adjacency.REPLACE_ONE, 2), 1),
        (Protection(Adjacency.REPLACE_ONE, None, 3.0), 1),
        (ONE, 2),
    ],
)
def test_a_size_that_is_not_public_is_refused(protection, cells):
    with refuses(InvalidArgument, "for-public-size"):
        Mean("x", (0, 10), nulls=0, size_is_public=True).parts(protection, cells)


def test_exact_numbers_are_sums_and_counts():
    totals, numbers = Mean("x", (0, 10)).exact(np.array([[[7, 2]], [[-1, 1]]]), ONE)
    assert (totals.tolist(), numbers.tolist()) == ([7, -1], [2, 1])


@pytest.mark.parametrize(
    ("total", "number", "mean"),
    [
        (-3 * 2**20, 2, 3.5),
        (2**20, 0, 6.0),
        (2**20, -7, 6.0),
        (9 * 2**20, 1, 10.0),
        (-9 * 2**20, 1, 0.0),
    ],
)
def test_the_published_mean_is_clipped_and_never_divides_by_less_than_one(total, number, mean):
    rows = rows_of(total, number, [DiscreteLaplace(5.0)] * 2)
    assert [(row.statistic, row.value) for row in rows] == [("mean", mean), ("count", number)]
    assert [row.half_width_unit for row in rows] == ["x", "rows"]
    assert rows[1].half_width_95 == DiscreteLaplace(5.0).half_width(0.95)


def test_one_row_with_a_public_size():
    noise = DiscreteLaplace(2.0**20)
    rows = rows_of(-4 * 2**20, 4, [noise, None], nulls=0, size_is_public=True)
    assert [(row.statistic, row.value) for row in rows] == [("mean", 4.0)]
    assert rows[0].half_width_95 == pytest.approx(noise.half_width(0.95) * STEP / 4)


def inside(noises, t, width):
    """The probability that the sum's noise less t times the number's is within a width."""
    off = np.arange(-60, 61)
    centre = t * off
    ends = [np.ceil(centre - width), np.floor(centre + width)]
    below = [
        np.vectorize(functools.partial(up_to, noises[0]))(each) for each in (ends[0] - 1, ends[1])
    ]
    return float((noises[1].pmf(off) * np.maximum(below[1] - below[0], 0)).sum())


@pytest.mark.parametrize(
    ("total", "number"), [(2**21, 40), (-(2**24), 9), (0, 1), (2**23, 2), (2**22, -3), (2**20, 0)]
)
def test_the_width_reaches_every_mean_that_the_noise_leaves_possible(total, number):
    """Each distance t from the middle is tested by the law of the noise, summed over the number's.

    The width may be 5 % wider, for the pieces that t is cut into, and no narrower. As in a plan the
    noise of the sum is that of the number times the farthest distance.
    """
    noises = [DiscreteLaplace(1.5 * 5 / STEP), DiscreteLaplace(1.5)]
    mean = rows_of(total, number, noises)[0]
    near = np.linspace(-2, 2, 401) * mean.half_width_95 + mean.value
    tried = np.clip([*near, *np.linspace(0, 10, 101)], 0, 10)
    possible = [
        5 + t * STEP
        for t in (tried - 5) / STEP
        if inside(noises, t, abs(total - t * number) * (1 - 1e-12)) < 0.95
    ]
    farthest = max(abs(value - mean.value) for value in possible)
    assert farthest <= mean.half_width_95 * (1 + 1e-9)
    assert mean.half_width_95 <= 1.05 * farthest  # a hundredth of it lies between two points


@pytest.mark.parametrize("noises", [
    (DiscreteLaplace(2.0), DiscreteLaplace(1.3)), (DiscreteGaussian(2.0), DiscreteGaussian(0.4)),
    (DiscreteLaplace(0.3), DiscreteLaplace(2.0)), (DiscreteGaussian(6.0), DiscreteGaussian(1.5)),
])  # fmt: skip
@pytest.mark.parametrize("far", [1, 2, 7])
def test_one_width_covers_every_distance_up_to_the_last(noises, far):
    """Both laws summed in full on a small lattice, for distances between whole numbers too."""
    width = float(_width(noises, far))
    k = np.arange(-80, 81)
    off = k[:, None] - np.linspace(0, far, 8 * far + 1)[:, None, None] * k
    both = noises[0].pmf(k)[:, None] * noises[1].pmf(k)
    covered = (both * (np.abs(off) <= width + 1e-9)).sum(axis=(1, 2))
    assert (covered >= 0.95).all()


def test_the_width_never_passes_the_bounds():
    mean = rows_of(0, 1, [DiscreteLaplace(1e9), DiscreteLaplace(50.0)])[0]
    assert (mean.value, mean.half_width_95) == (5.0, 5.0)


def test_widths_known_before():
    noises = [DiscreteLaplace(2.0**18), DiscreteLaplace(1.5)]
    assert Mean("x", (0, 10)).half_widths(noises, 1) == {
        "sum": noises[0].half_width(0.95) * STEP,
        "count": noises[1].half_width(0.95),
    }
    public = Mean("x", (0, 10), nulls=1, size_is_public=True)
    assert set(public.half_widths([noises[0], None], 1)) == {"sum"}


def test_groups_come_in_key_order():
    grouping = Grouping(("plan",), (("free", "shared"),))
    noisy = [np.array([0, 2**20]), np.array([1, 1])]
    rows = Mean("x", (0, 10)).rows("q", grouping, noisy, [DiscreteLaplace(1.0)] * 2)
    expected = itertools.product(["free", "shared"], ["mean", "count"])
    assert [(row.groups["plan"], row.statistic) for row in rows] == list(expected)


def up_to(noise, whole):
    """The probability of noise at or below a whole number."""
    return noise.tail(-whole - 1) / 2 if whole < 0 else 1 - noise.tail(whole) / 2


@pytest.mark.parametrize(("of_total", "total", "number"), [
    (2.0**19, 0, 1), (7.5 * 2**20, 2**20, 1), (2.0**19, -3 * 2**19, 6), (7.5 * 2**20, 2**26, 40),
])  # fmt: skip
def test_the_width_covers_the_exact_mean_with_95_percent(of_total, total, number):
    """The exact law: both noises' probabilities, summed over every pair of draws that matters.

    Where they weigh the same, as in a plan, two widths that each hold with 97.5 % would cover over
    99 % of means of 40 rows.
    """
    noises = [DiscreteLaplace(of_total), DiscreteLaplace(1.5)]
    exact = min(max(5 + total / number * STEP, 0.0), 10.0)
    # The sum's noise in lumps of a sixth of its scale; one counts if both its ends are covered.
    ends = np.arange(-60, 61) * int(of_total) // 6
    lumps = np.diff([up_to(noises[0], int(end)) for end in ends])
    covered = 0.0
    for off in range(-16, 17):
        rows = [rows_of(total + int(end), number + off, noises)[0] for end in ends]
        hit = np.array([abs(row.value - exact) <= row.half_width_95 + 1e-9 for row in rows])
        covered += float(noises[1].pmf(off)) * lumps[hit[:-1] & hit[1:]].sum()
    assert covered >= 0.95 - 0.02 * (number == 40)  # some lumps at the ends of an interval are lost
    assert covered <= 0.975 or number < 40 or of_total < 2**20


def farthest_possible(mean, total, number, noises):
    """The half-width by trying every piece of distances, in fractions throughout."""
    span, far = Span.of(mean.bounds), mean.farthest
    rough = [int(published.noise_width(each, EACH)) for each in noises]
    possible = []
    for piece in range(64):
        low, high = (Fraction(far * end // 64) for end in (piece, piece + 1))
        width = min(Fraction(rough[0] + int(high) * rough[1]), _width(noises, int(high)))
        for sign in (-1, 1):
            if number:
                ends = sorted(sign * (total + by) / Fraction(number) for by in (-width, width))
                ends = [max(ends[0], low), min(ends[1], high)]
            else:
                ends = [low, high] if abs(total) <= width else [1, 0]
            if low < high and ends[0] <= ends[1]:
                possible += [sign * end for end in ends]
    if not possible:
        return mean.bounds[1] - mean.bounds[0]
    low, high = map(Fraction, mean.bounds)
    rounding = Fraction(1, 2) + Fraction(1, 2**24)
    values = [(span.middle + each + side * rounding) * Fraction(span.grid.step)
              for each in possible for side in (-1, 1)]  # fmt: skip
    distance = max(abs(min(max(each, low), high) - Fraction(total_mean(mean, total, number)))
                   for each in values)  # fmt: skip
    nearest = float(distance)
    up = nearest if Fraction(nearest) >= distance else math.nextafter(nearest, math.inf)
    return min(up, mean.bounds[1] - mean.bounds[0])


def total_mean(mean, total, number):
    """The published mean, by the formula of the class."""
    span = Span.of(mean.bounds)
    value = (span.middle + total / max(1, number)) * span.grid.step
    return min(max(value, mean.bounds[0]), mean.bounds[1])


@pytest.mark.parametrize(
    ("bounds", "kind"),
    some_pairs([(-3.0, 1e6), (0.1, 0.3)], [DiscreteLaplace, DiscreteGaussian]),
)
def test_the_width_is_that_of_every_piece_tried_in_fractions(bounds, kind):
    low, high = bounds
    rng, mean = random.Random(1), Mean("x", (low, high))
    far, scale = mean.farthest, rng.choice([0.4, 1.3, 5.0])
    noises = (kind(scale * far * rng.choice([0.5, 1])), kind(scale))
    for number in (0, 1, -1, 2, -5, 9, 40, 1000):
        for total in (0, far * number, *(round(rng.gauss(0, far * 4)) for _ in range(6))):
            exact = [np.array([each]) for each in (total, number)]
            row, _ = mean.rows("mean", Grouping(), exact, noises)
            assert row.half_width_95 == farthest_possible(mean, total, number, noises)
