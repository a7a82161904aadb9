import math

import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection
from deniable.publish.statistics import Histogram
from tests.cases.refusals import refuses

NOISE = DiscreteLaplace(3.0)
EDGES = (0.0, 0.1, 0.30000000000000004, 7.0)


def test_bins_hold_their_left_edge_and_the_last_one_both(agrees):
    beside = [math.nextafter(edge, end) for edge in EDGES for end in (-math.inf, math.inf)]
    values = [*EDGES, *beside, -0.0, math.inf, -math.inf, math.nan, None, 5.0]
    assert agrees(Histogram("x", EDGES), values)


def test_one_bin(agrees):
    assert agrees(Histogram("x", (0, 1)), [0.0, 1.0, 0.5, -0.1, 1.1, None])


def test_many_bins(agrees):
    statistic = Histogram("x", [index / 7 for index in range(301)])
    assert agrees(statistic, [index / 91 for index in range(4000)])


def test_whole_numbers(agrees):
    assert agrees(Histogram("x", (0, 25, 120)), [24, 25, 120, 121, None, -(2**63)], pa.int64())


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ((1,), "2-to-edges: 1001 | 1"),
        (range(1002), "2-to-edges: 1001 | 1002"),
        ((0, 2, 2), "edges-that-increase-before: 2.0 | 2.0"),
        ((0, math.inf), "not-finite: edges"),
        ("012", "edges-to-numbers: '012'"),
        (5, "edges-to-numbers: 5"),
    ],
)
def test_bad_edges_are_refused(edges, message):
    with refuses(InvalidArgument, message):
        Histogram("x", edges)


def test_bins_are_coordinates():
    (part,) = Histogram("x", EDGES).parts(Protection(Adjacency.REPLACE_ONE, 2), 4)
    assert (part.label, part.step, part.coordinates) == ("histogram", 1.0, 12)
    assert (part.l1, part.moved) == (4, 4)


def test_several_bins_are_several_cells():
    one = Protection(Adjacency.REPLACE_ONE, 1)
    (alone,) = Histogram("x", (0, 1)).parts(one, 1)
    (several,) = Histogram("x", EDGES).parts(one, 1)
    assert (alone.l1, several.l1) == (1, 2)


def test_rows_come_in_key_order_then_bin_order():
    grouping = Grouping(("plan",), (("free", "shared"),))
    statistic = Histogram("x", (0, 1, 3))
    (exact,) = statistic.exact(
        np.array([[[1], [2]], [[3], [-4]]]), Protection(Adjacency.ADD_REMOVE, 1)
    )
    rows = statistic.rows("h", grouping, [exact], [NOISE])
    assert [(row.groups["plan"], row.bin_low, row.bin_high, row.value) for row in rows] == [
        ("free", 0.0, 1.0, 1.0),
        ("free", 1.0, 3.0, 2.0),
        ("shared", 0.0, 1.0, 3.0),
        ("shared", 1.0, 3.0, -4.0),
    ]
    assert {(row.statistic, row.column, row.half_width_unit) for row in rows} == {
        ("histogram", "x", "rows")
    }
    assert {row.half_width_95 for row in rows} == {NOISE.half_width(0.95)}
    assert statistic.half_widths([NOISE], 2) == {"histogram": NOISE.half_width(0.95)}


def test_scaled_rows_count_in_shares(agrees):
    statistic = Histogram("x", (0, 1), scaled=True)
    (part,) = statistic.parts(Protection(Adjacency.REPLACE_ONE, None, 2.5), 1)
    (row,) = statistic.rows("h", Grouping(), [np.array([5 * 2**19])], [NOISE])
    assert agrees(statistic, [0.5, 3.0, None])
    assert part.l1 * part.step == 2.5
    assert (row.value, row.half_width_95) == (2.5, NOISE.half_width(0.95) * part.step)
    assert statistic.half_widths([NOISE], 1) == {"histogram": row.half_width_95}
