import attrs
import numpy as np
import pytest

from deniable.mechanisms import DiscreteLaplace
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection
from deniable.publish.statistics import Count

NOISE = DiscreteLaplace(3.0)
GROUPING = Grouping(("plan",), (("free", "shared"),))


def test_every_row_counts_whatever_it_holds(agrees):
    assert agrees(Count(), [1.0, None, float("nan")])


def test_it_reads_no_column_and_is_frozen():
    assert Count().column is None
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Count().column = "x"


def test_one_part_over_all_cells():
    (part,) = Count().parts(Protection(Adjacency.REPLACE_ONE, 3), 4)
    assert (part.label, part.step, part.coordinates) == ("count", 1.0, 4)
    assert (part.l1, part.moved) == (6, 4)


def test_exact_numbers_are_the_totals():
    protection = Protection(Adjacency.REPLACE_ONE, 3)
    (exact,) = Count().exact(np.array([[[5]], [[0]]]), protection)
    assert exact.tolist() == [5, 0]


def test_rows_in_key_order_and_nothing_clamped():
    rows = Count().rows("visits", GROUPING, [np.array([5, -2])], [NOISE])
    assert [row.groups for row in rows] == [{"plan": "free"}, {"plan": "shared"}]
    assert [row.value for row in rows] == [5.0, -2.0]
    assert {(row.query, row.statistic, row.column) for row in rows} == {("visits", "count", None)}
    assert {row.half_width_95 for row in rows} == {NOISE.half_width(0.95)}
    assert {row.half_width_unit for row in rows} == {"rows"}


def test_the_width_is_known_before():
    assert Count().half_widths([NOISE], 2) == {"count": NOISE.half_width(0.95)}


def test_scaled_rows_count_in_shares(agrees):
    statistic = Count(scaled=True)
    (part,) = statistic.parts(Protection(Adjacency.ADD_REMOVE, None, 2.5), 4)
    (row,) = statistic.rows("visits", Grouping(), [np.array([5 * 2**19])], [NOISE])
    assert agrees(statistic, [1.0, None])
    assert part.l1 * part.step == 2.5
    assert (row.value, row.half_width_95) == (2.5, NOISE.half_width(0.95) * part.step)
    assert statistic.half_widths([NOISE], 1) == {"count": row.half_width_95}
