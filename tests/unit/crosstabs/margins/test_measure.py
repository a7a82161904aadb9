import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.crosstabs.margins import (
    Basis,
    Design,
    close_downwards,
    count_rows,
    measure,
    rebuild_counts,
    sensitivity,
)
from deniable.notions import Adjacency
from tests.cases.effort import usual
from tests.oracles import margins as slow

MARGINS = close_downwards((2, 3, 4), [(0, 1), (1, 2)])


def rows_of(seed, n):
    draw = np.random.default_rng(seed)
    return [draw.integers(0, size, n) for size in MARGINS.sizes]


def as_table(rows):
    table = np.zeros(MARGINS.sizes, np.int64)
    np.add.at(table, tuple(rows), 1)
    return table


@settings(max_examples=usual(8, 20))
@given(st.integers(0, 2**32), st.integers(0, 50))
def test_rows_count_as_their_table_does(seed, n):
    rows = rows_of(seed, n)
    counts, table = count_rows(MARGINS, rows), as_table(rows)
    for margin, cells in counts.items():
        expected = slow.apply(slow.margin_matrix(MARGINS.sizes, margin), table.reshape(-1).tolist())
        assert cells.reshape(-1).tolist() == expected
        assert np.array_equal(cells, slow.count_cells(MARGINS, table)[margin])


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64])
def test_codes_of_any_whole_type_count_alike(dtype):
    rows = rows_of(1, 30)
    same = count_rows(MARGINS, [column.astype(dtype) for column in rows])
    assert np.array_equal(same[0, 1], count_rows(MARGINS, rows)[0, 1])


@pytest.mark.parametrize("basis", Basis)
@pytest.mark.parametrize("public", [False, True])
def test_the_vector_is_the_matrix_times_the_table(basis, public):
    design = Design(MARGINS, (0 if public else 7, 5, 4, 3, 2, 9), basis)
    table = as_table(rows_of(3, 40))
    matrix = slow.measurement_matrix(
        MARGINS.sizes, design.measured(), residuals=basis is Basis.RESIDUALS
    )
    expected = slow.apply(matrix, table.reshape(-1).tolist())
    assert measure(design, slow.count_cells(MARGINS, table)).tolist() == expected


def test_numbers_beyond_62_bits_are_cut_off_there():
    margins = close_downwards((2,), [(0,)])
    counts = slow.count_cells(margins, np.array([2**40, 2**41]))
    fitting = measure(Design(margins, (1, 2**20)), counts)
    assert fitting.tolist() == [3 * 2**40, -(2**60), 2**60]
    cut = measure(Design(margins, (2**22, 2**23)), counts)
    assert cut.tolist() == [2**62, -(2**62), 2**62]
    assert cut.dtype == np.int64


@pytest.mark.parametrize("basis", Basis)
def test_cut_off_numbers_of_neighbours_are_no_further_apart(basis):
    design = Design(close_downwards((2, 2), [(0, 1)]), (2**21, 2**20, 2**20, 2**19), basis)
    near = np.array([[2**40, 5], [7, 2**40]])
    for cell in itertools.product(range(2), repeat=2):
        other = near.copy()
        other[cell] += 3
        vectors = [
            measure(design, slow.count_cells(design.margins, each)) for each in (near, other)
        ]
        moved = sum((int(b) - int(a)) ** 2 for a, b in zip(*vectors, strict=True))
        most = sensitivity(design, Adjacency.ADD_REMOVE, rows=3).squared_l2
        assert 0 < moved <= most


def test_counts_of_the_largest_margins_give_all():
    counts = slow.count_cells(MARGINS, as_table(rows_of(5, 60)))
    joined = np.concatenate([counts[margin].reshape(-1) for margin in MARGINS.maximal()])
    rebuilt = rebuild_counts(MARGINS, joined)
    assert list(rebuilt) == list(counts)
    assert all(np.array_equal(rebuilt[margin], counts[margin]) for margin in counts)
