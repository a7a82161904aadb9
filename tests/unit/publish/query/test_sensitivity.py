import math
from fractions import Fraction

import pytest

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency
from deniable.publish.query import Protection, Sensitivity, sensitivity
from tests.cases.refusals import refuses

ADD = Protection(Adjacency.ADD_REMOVE, 3)
REPLACE = Protection(Adjacency.REPLACE_ONE, 3)


def scaled(adjacency, limit=10.0):
    return Protection(adjacency, None, limit)


@pytest.mark.parametrize(
    ("protection", "coordinates", "l1", "l2", "moved"),
    [
        (ADD, 1, 15, 15.0, 1),
        (ADD, 9, 15, 15.0, 3),
        (REPLACE, 1, 21, 21.0, 1),
        (REPLACE, 2, 30, math.sqrt(450), 2),
        (REPLACE, 9, 30, math.sqrt(450), 6),
    ],
)
def test_the_table_of_interface_for_sums_of_values_from_minus_2_to_5(
    protection, coordinates, l1, l2, moved
):
    found = sensitivity.of_values(-2, 5, protection, coordinates)
    assert (found.l1, found.moved) == (l1, moved)
    assert found.l2 == pytest.approx(l2, rel=1e-15)


def test_opposite_signs_in_one_cell_beat_two_cells_in_l2_only():
    found = sensitivity.of_values(-5, 5, REPLACE, 2)
    assert (found.l1, found.l2) == (30, 30.0)


@pytest.mark.parametrize(("low", "high"), [(100, 200), (-200, -100)])
def test_one_sided_bounds_reach_from_0_because_an_entity_may_own_nothing(low, high):
    assert sensitivity.of_values(low, high, REPLACE, 1) == Sensitivity(600, 600.0, 1)


def test_an_l2_that_is_no_whole_number_is_rounded_up():
    found = sensitivity.of_values(0, 1, Protection(Adjacency.REPLACE_ONE, 1), 2)
    assert Fraction(math.nextafter(found.l2, 0)) ** 2 < 2 < Fraction(found.l2) ** 2


@pytest.mark.parametrize(
    ("low", "high", "adjacency", "coordinates", "l1", "l2_squared"),
    [
        (0, 5, Adjacency.ADD_REMOVE, 4, 10, 100),
        (0, 5, Adjacency.REPLACE_ONE, 1, 10, 100),
        (-1, 5, Adjacency.REPLACE_ONE, 1, 20, 400),
        (0, 5, Adjacency.REPLACE_ONE, 4, 20, 200),
        (-5, -1, Adjacency.REPLACE_ONE, 4, 20, 200),
        (-1, 5, Adjacency.REPLACE_ONE, 4, 20, 400),
    ],
)
def test_scaled_contributions(low, high, adjacency, coordinates, l1, l2_squared):
    found = sensitivity.of_values(low, high, scaled(adjacency), coordinates)
    assert found.l1 == l1
    assert found.l2**2 == pytest.approx(l2_squared)


def test_few_scaled_units_cannot_reach_many_coordinates():
    assert sensitivity.of_values(0, 1, scaled(Adjacency.ADD_REMOVE, 2.5), 9).moved == 2
    assert sensitivity.of_values(0, 1, scaled(Adjacency.REPLACE_ONE, 2.5), 9).moved == 4


@pytest.mark.parametrize(
    ("protection", "cells", "l1"), [(ADD, 9, 3), (ADD, 2, 2), (REPLACE, 9, 6), (REPLACE, 1, 1)]
)
def test_an_entity_counts_once_in_a_cell(protection, cells, l1):
    found = sensitivity.of_entities(protection, cells)
    assert (found.l1, found.moved) == (l1, l1)
    assert found.l2 == pytest.approx(math.sqrt(l1))
    assert Fraction(found.l2) ** 2 >= l1


@pytest.mark.parametrize(
    ("limit", "step", "units"),
    [(2.9, 1.0, 2), (1.0, 0.25, 4), (0.3, 0.25, 1), (2.0**62, 1.0, 2**62)],
)
def test_a_contribution_is_rounded_down_to_whole_steps(limit, step, units):
    assert sensitivity.contribution_units(limit, step) == units


@pytest.mark.parametrize(
    ("limit", "step"), [(0.9, 1.0), (1e300, 1.0), (math.inf, 1.0), (1e308, 1e-9)]
)
def test_a_contribution_out_of_range_is_refused(limit, step):
    with refuses(InvalidArgument, f"max-contribution-between: {step}"):
        sensitivity.contribution_units(limit, step)


def test_a_sensitivity_past_62_bits_is_refused():
    with refuses(InvalidArgument, "at-most-2-62-grid-steps"):
        sensitivity.of_values(0, 2**24, Protection(Adjacency.ADD_REMOVE, 2**40), 1)


def test_rows_are_needed_where_nothing_is_scaled():
    with refuses(InvalidArgument, "number-of-rows-per-entity"):
        sensitivity.of_entities(scaled(Adjacency.ADD_REMOVE), 1)


def test_a_part_carries_the_numbers():
    part = Sensitivity(3, 3.0, 1).part("sum", 0.5, 7)
    assert (part.label, part.step, part.coordinates) == ("sum", 0.5, 7)
    assert (part.l1, part.l2, part.moved) == (3, 3.0, 1)
