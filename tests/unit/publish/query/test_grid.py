import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.publish.query import STEPS, Grid

finite = st.floats(-1e300, 1e300)
bounds = st.tuples(finite, finite).filter(lambda b: max(map(abs, b)) > 1e-290).map(sorted)


@given(bounds)
def test_the_grid_is_the_finest_power_of_two_within_its_steps(ends):
    low, high = ends
    grid, most = Grid.of(low, high), max(abs(low), abs(high))
    assert Fraction(most) / Fraction(grid.step) <= 2**STEPS
    assert Fraction(most) / (Fraction(grid.step) / 2) > 2**STEPS
    assert math.frexp(grid.step)[0] == 0.5


@given(bounds, st.floats(0, 1), st.floats(0, 1))
def test_units_are_monotone_and_stay_within_the_ends(ends, one, other):
    low, high = ends
    grid = Grid.of(low, high)
    one, other = sorted(min(max(low + t * (high - low), low), high) for t in (one, other))
    assert grid.units(low) <= grid.units(one) <= grid.units(other) <= grid.units(high)


@pytest.mark.parametrize(("value", "units"), [(0.0, 0), (1.0, 2**24), (-1.0, -(2**24))])
def test_grid_points_are_themselves(value, units):
    grid = Grid.of(-1.0, 1.0)
    assert grid.units(value) == units
    assert grid.value(units) == value


def test_values_are_rounded_to_the_nearest_point_and_ties_up():
    grid = Grid.of(0.0, 1.0)
    assert grid.units(grid.step * 1.25) == 1
    assert grid.units(grid.step * 1.5) == 2
    assert grid.units(grid.step * -1.5) == -1


def test_tiny_bounds_keep_a_normal_step():
    assert Grid.of(0.0, 5e-324).step == 2.0**-1022
