import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.publish.totals import Crossed, covers

SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=6).map(tuple)


@st.composite
def sizes_and_tables(draw):
    sizes = draw(SIZES)
    every = [
        each
        for number in range(1, len(sizes) + 1)
        for each in itertools.combinations(range(len(sizes)), number)
    ]
    tables = draw(st.lists(st.sampled_from(every), unique=True, min_size=1, max_size=8))
    return sizes, tuple(tables)


def by_a_dictionary(sizes, table, rows):
    """Each row by itself, in a dictionary of tuples."""
    counts = dict.fromkeys(itertools.product(*(range(sizes[i]) for i in table)), 0)
    for row in rows:
        counts[tuple(row[i] for i in table)] += 1
    return list(counts.values())


@given(sizes_and_tables(), st.integers(0, 2**32), st.integers(0, 30), st.integers(0, 30))
def test_every_table_counts_its_rows(given_, seed, first, second):
    sizes, tables = given_
    rng = np.random.default_rng(seed)
    rows = [[int(rng.integers(size)) for size in sizes] for _ in range(first + second)]
    crossed = Crossed(sizes, tables)
    for part in (rows[:first], rows[first:]):
        crossed.add([np.array([row[i] for row in part], np.int64) for i in range(len(sizes))])
    counted = crossed.tables()
    assert [each.tolist() for each in counted] == [
        by_a_dictionary(sizes, table, rows) for table in tables
    ]


@given(sizes_and_tables(), st.sampled_from([1, 6, 40, 2**14]))
def test_each_table_is_in_one_set_of_at_most_so_many_cells(given_, within):
    sizes, tables = given_
    sets = dict(covers._cover(sizes, tables, within))
    inside = [table for each in sets.values() for table in each]
    assert sorted(inside) == sorted(tables)
    for columns, each in sets.items():
        assert all({*table} <= {*columns} for table in each)
        cells = math.prod(sizes[i] for i in columns)
        assert cells <= within or any(columns == table for table in each)


def test_far_fewer_sets_than_pairs_are_counted():
    pairs = tuple(itertools.combinations(range(100), 2))
    sets = covers.cover((5,) * 100, pairs)
    assert len(pairs) == 4950
    assert len(sets) <= 450
    assert max(math.prod(5 for _ in columns) for columns in sets) <= 2**14


@pytest.mark.parametrize("sizes", [(50,) * 100, (2**13,) * 40])
def test_cells_of_all_sets_are_not_many_more_than_the_tables_have(sizes):
    pairs = tuple(itertools.combinations(range(len(sizes)), 2))
    own = sum(math.prod(sizes[i] for i in pair) for pair in pairs)
    sets = covers.cover(sizes, pairs)
    assert sum(math.prod(sizes[i] for i in each) for each in sets) <= max(2**24, own)


def test_cells_beyond_sixteen_bits_are_counted():
    rng = np.random.default_rng(2)
    codes = [rng.integers(0, 400, 1000), rng.integers(0, 300, 1000)]
    crossed = Crossed((400, 300), ((0, 1),))
    crossed.add([each.astype(np.int64) for each in codes])
    (cells,) = crossed.tables()
    expected = np.zeros((400, 300), np.int64)
    np.add.at(expected, tuple(codes), 1)
    assert np.array_equal(cells, expected.reshape(-1))
