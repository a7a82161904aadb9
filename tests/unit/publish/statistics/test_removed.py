import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection
from deniable.publish.statistics import Removed
from tests.cases.refusals import refuses

NOISE = DiscreteLaplace(3.0)


@pytest.mark.parametrize(
    ("adjacency", "most_rows", "l1", "squared_l2", "moved"),
    [
        (Adjacency.ADD_REMOVE, None, 1, 1, 1),
        (Adjacency.REPLACE_ONE, None, 2, 2, 2),
        (Adjacency.ADD_REMOVE, 7, 7, 25, 2),
        (Adjacency.REPLACE_ONE, 7, 7, 25, 2),
    ],
)
def test_sensitivity(adjacency, most_rows, l1, squared_l2, moved):
    (part,) = Removed(3, most_rows).parts(Protection(adjacency, 3), 1)
    assert (part.l1, part.moved, part.coordinates, part.step) == (l1, moved, 2, 1.0)
    assert part.l2**2 == pytest.approx(squared_l2)


@pytest.mark.parametrize(("rows", "cells"), [(4, 1), (None, 1), (3, 2)])
def test_the_limit_is_the_plans_and_the_table_is_whole(rows, cells):
    with refuses(InvalidArgument, "one-cell-and-plan-limit: 3"):
        Removed(3).parts(Protection(Adjacency.ADD_REMOVE, rows), cells)


@pytest.mark.parametrize("most_rows", [3, 2, 2**31 + 1])
def test_more_rows_are_counted_than_kept(most_rows):
    with refuses(InvalidArgument, f"most-rows-below-at-most-count-more: {most_rows}"):
        Removed(3, most_rows)


@pytest.mark.parametrize("rows", [0, 2**31 + 1])
def test_the_limit_has_a_range(rows):
    with refuses(InvalidArgument, "rows-per-entity-at-least"):
        Removed(rows)


def published(kept, lost, most_rows=None):
    noisy = [np.array([kept, lost])]
    return Removed(3, most_rows).rows("lost", Grouping(), noisy, [NOISE])


@pytest.mark.parametrize(
    ("most_rows", "unit", "categories"),
    [(None, "entities", ["whole", "cut"]), (9, "rows", ["kept", "removed"])],
)
def test_both_numbers_and_their_share_are_published(most_rows, unit, categories):
    *numbers, share = published(300, 100, most_rows)
    assert [row.category for row in numbers] == categories
    assert [(row.statistic, row.value) for row in numbers] == [
        ("removed", 300.0),
        ("removed", 100.0),
    ]
    assert {(row.half_width_95, row.half_width_unit) for row in numbers} == {
        (NOISE.half_width(0.95), unit)
    }
    assert (share.statistic, share.category, share.value) == ("share", categories[1], 0.25)
    assert Removed(3, most_rows).half_widths([NOISE], 1) == {unit: NOISE.half_width(0.95)}


@pytest.mark.parametrize("kept", [-30, -1, 0, 2, 40, 1000])
@pytest.mark.parametrize("lost", [-30, -1, 0, 2, 40, 1000])
def test_the_shares_width_holds_every_share_that_the_noise_leaves_possible(kept, lost):
    *_, share = published(kept, lost)
    width = int(NOISE.half_width(0.975))
    possible = [
        b / (a + b)
        for a in range(max(kept - width, 0), kept + width + 1)
        for b in range(max(lost - width, 0), lost + width + 1)
        if a + b
    ]
    assert 0 <= share.value <= 1
    for exact in possible:
        assert abs(exact - share.value) <= share.half_width_95 + 1e-12
    if possible:
        attained = max(abs(exact - share.value) for exact in possible)
        assert share.half_width_95 == pytest.approx(attained)
