"""Whole tables beside slow definitions: nearest points by all supports, sums by min and max."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from deniable.survival.table import (
    Estimates,
    Group,
    Layout,
    groups_of,
    whole_by_projection,
    whole_by_sums,
)


def rounded(values):
    """Sums rounded, halves up, and their differences."""
    sums = [math.floor(each + Fraction(1, 2)) for each in itertools.accumulate(values)]
    return [later - earlier for earlier, later in itertools.pairwise([0, *sums])]


def nearest(values, total):
    """The nearest point of the simplex: of every support the one on its plane, the best of all."""
    candidates = []
    for size in range(1, len(values) + 1):
        for support in itertools.combinations(range(len(values)), size):
            shift = (sum(values[i] for i in support) - total) / size
            point = [values[i] - shift if i in support else Fraction(0) for i in range(len(values))]
            if min(point) >= 0:
                apart = sum((a - b) ** 2 for a, b in zip(point, values, strict=True))
                candidates.append((apart, point))
    return min(candidates)[1]


def never_falling(sums):
    """The nearest numbers in order: of each place the largest of the least means around it."""
    places = range(len(sums))
    return [
        max(
            min(sum(sums[i : j + 1]) / Fraction(j + 1 - i) for j in places[k:])
            for i in places[: k + 1]
        )
        for k in places
    ]


@pytest.mark.parametrize("denominator", [1, 2, 7])
def test_the_projection_is_the_nearest_point(denominator):
    draw = random.Random(denominator)
    for _ in range(200):
        values = [
            draw.randint(-9 * denominator, 12 * denominator) for _ in range(draw.randint(1, 6))
        ]
        total = draw.randint(1, 20)
        exact = [Fraction(each, denominator) for each in values]
        found = whole_by_projection(Estimates(tuple(values), denominator), total)
        assert found == rounded(nearest(exact, total))
        assert sum(found) == total
        assert min(found) >= 0


@pytest.mark.parametrize("denominator", [1, 2, 7])
def test_sums_on_the_circle_are_the_nearest_that_never_fall(denominator):
    draw = random.Random(denominator)
    for _ in range(300):
        values = [
            draw.randint(-9 * denominator, 12 * denominator) for _ in range(draw.randint(1, 7))
        ]
        estimates = Estimates(tuple(values), denominator)
        total = estimates.total()
        sums = [Fraction(each, denominator) for each in itertools.accumulate(values)]
        cut = [min(max(each, Fraction(0)), Fraction(total)) for each in never_falling(sums)]
        found = whole_by_sums(estimates, total)
        assert [*itertools.accumulate(found)] == [math.floor(each + Fraction(1, 2)) for each in cut]
        assert sum(found) == total
        assert min(found) >= 0


def test_the_anchors():
    # Order of the cells: other, event, beyond, censored.
    assert whole_by_projection(Estimates((3, 5, 4, -2)), 10) == [2, 5, 3, 0]
    assert whole_by_sums(Estimates((1, 6, 4, -1)), 10) == [1, 6, 3, 0]


@pytest.mark.parametrize("made", [whole_by_projection, whole_by_sums])
def test_a_whole_table_stays_as_it_is_and_nobody_is_nobody(made):
    draw = random.Random(5)
    for _ in range(100):
        cells = [draw.randint(0, 9) for _ in range(9)]
        assert made(Estimates(tuple(cells)), sum(cells)) == cells
    assert made(Estimates((-3, 1, 0)), 0) == [0, 0, 0]
    assert Estimates((-3, 1, 0)).total() == 0
    assert Estimates((1, 2), 2).total() == 2  # halves go up


@pytest.mark.parametrize(("groups", "bins"), [(1, 1), (1, 4), (3, 2)])
def test_every_cell_has_one_place_and_arcs_hold_what_they_say(groups, bins):
    layout = Layout(groups, bins)
    assert sorted(layout.rows) == [*range(layout.cells)]
    for group in range(groups):
        for after in range(bins + 1):
            arc = layout.still_observed(group, after)
            expected = {layout.beyond(group)} | {
                cell(group, place)
                for cell in (layout.event, layout.censored)
                for place in range(after, bins)
            }
            assert {*arc} == expected
    assert layout.still_observed(0, bins) == range(1 + bins, 2 + bins)


def test_people_of_groups_and_numbers_still_observed():
    layout = Layout(2, 2)
    cells = [7, 1, 2, 3, 4, 5, 10, 20, 30, 40, 50]
    first, second = groups_of(layout, cells)
    assert first == Group(events=(1, 2), censored=(5, 4), beyond=3)
    assert second == Group(events=(10, 20), censored=(50, 40), beyond=30)
    assert first.observed == [15, 9, 3]
