import math

import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection
from deniable.publish.statistics import Sum
from tests.cases.refusals import refuses

NOISE = DiscreteLaplace(1000.0)
VALUES = [0.0, 3.3, 150.0, 1e300, math.inf, -math.inf, math.nan, None, -2.0]


@pytest.mark.parametrize("ends", [(0, 50), (100, 200), (-5, -1), (-2, 3)])
def test_values_are_clipped_and_absent_ones_left_out(agrees, ends):
    assert agrees(Sum("x", ends), VALUES)


def test_whole_numbers_are_read_too(agrees):
    assert agrees(Sum("x", (-5, 50)), [2**62, -(2**62), 3, None], pa.int64())


def test_bounds_are_checked():
    with refuses(InvalidArgument, "low-below-high-bounds-put"):
        Sum("x", (3, 0))


def test_the_sensitivity_is_in_grid_steps():
    (part,) = Sum("x", (0, 50)).parts(Protection(Adjacency.ADD_REMOVE, 2), 3)
    assert (part.label, part.coordinates, part.moved) == ("sum", 3, 2)
    assert part.l1 * part.step == 100


def test_a_scaled_sensitivity_is_in_grid_steps():
    (part,) = Sum("x", (0, 50)).parts(Protection(Adjacency.REPLACE_ONE, None, 100.0), 3)
    assert part.l1 * part.step == 200


def test_rows_are_in_the_columns_unit():
    statistic = Sum("visits", (0, 50))
    grouping = Grouping(("plan",), (("free", "shared"),))
    noisy = np.array([2**20, -(2**18)])
    rows = statistic.rows("total", grouping, [noisy], [NOISE])
    width = NOISE.half_width(0.95) * statistic.step
    assert [row.value for row in rows] == [4.0, -1.0]
    assert [row.groups["plan"] for row in rows] == ["free", "shared"]
    assert {(row.statistic, row.column) for row in rows} == {("sum", "visits")}
    assert {(row.half_width_95, row.half_width_unit) for row in rows} == {(width, "visits")}
    assert statistic.half_widths([NOISE], 2) == {"sum": width}


def test_exact_numbers_are_the_totals():
    protection = Protection(Adjacency.ADD_REMOVE, 1)
    (exact,) = Sum("x", (0, 1)).exact(np.array([[[7]], [[-1]]]), protection)
    assert exact.tolist() == [7, -1]
