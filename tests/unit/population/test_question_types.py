import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.question import Types
from tests.cases.refusals import refuses


def test_equal_rows_are_one_type_and_empty_ones_none():
    table = Types([[1, 0], [0, 1], [1, 0], [2, 2]], [5, 2, 3, 0])
    assert (table.population, table.columns, table.constant) == (10, 2, False)
    distinct = table.distinct()
    assert distinct.values.tolist() == [[0, 1], [1, 0]]
    assert distinct.counts.tolist() == [2, 8]
    assert table.places().tolist() == [1, 0, 1, -1]
    assert table.present.tolist() == [[1, 0], [0, 1], [1, 0]]


def test_rows_that_nobody_has_are_no_difference():
    assert Types([[1, 0], [0, 1]], [5, 0]).constant


def test_the_last_column_may_be_the_count():
    table = Types.of_table([[0.5, 3], [1.5, 4]])
    np.testing.assert_array_equal(table.values, [[0.5], [1.5]])
    assert table.counts.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2, 3], "as-many-counts-as-rows: 3 | 2"),
        ([1.5, 2], "counts-to-whole-numbers-at-least"),
        ([-1, 2], "counts-to-whole-numbers-at-least"),
        ([1, 0], "at-least-two-records: 1"),
        ([10**9, 1], "at-most-records: 999999999"),
    ],
)
def test_counts_that_are_none(counts, message):
    with refuses(InvalidArgument, message):
        Types([[0.0], [1.0]], counts)


def test_a_table_needs_a_number_besides_the_count():
    with refuses(InvalidArgument, "at-least-two-numbers-row"):
        Types.of_table([[3], [4]])
