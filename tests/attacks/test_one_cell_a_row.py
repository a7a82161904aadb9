"""A row is in one cell at most, whatever two values an engine may call equal."""

import datetime

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources.table import Source
from deniable.publish.statistics import Count, Entities, Histogram, Mean, Quantile, Sum, Top
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.effort import one_in, some_pairs
from tests.cases.refusals import refuses

WORDS = ["e", "E", "\u00e9", "\u00c9", "e\u0301", "e ", "ss", "\u00df", "SS", "i", "I", "\u0131"]
TRUNCATED = Protection(Adjacency.REPLACE_ONE, 1)
SCALED = Protection(Adjacency.REPLACE_ONE, None, 2.0)


def collations():
    """Those that need no country, two that do, and chains in which each of them comes last."""
    simple = ["NOCASE", "NOACCENT", "NFC"]
    chains = [".".join(simple[place:] + simple[:place]) for place in range(3)]
    return ["binary", *simple, *chains, "de", "tr.NOCASE.NOACCENT"]


def collated(folder, collation, words, whole_file=False):
    """One entity a row, each with a text that the column's collation may not tell from others."""
    path = folder / "x.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        of_column = "" if whole_file else f'COLLATE "{collation}"'
        if whole_file:
            connection.execute(f"SET GLOBAL default_collation = '{collation}'")
        connection.execute(f"CREATE TABLE t (p VARCHAR {of_column}, g VARCHAR {of_column}, x INT)")
        rows = [[word, word, 1] for word in words]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    return Source("duckdb:x.duckdb?table=t", folder)


@pytest.mark.parametrize(
    ("collation", "whole_file"), some_pairs(collations(), [False, True]), ids=str
)
def test_a_collation_puts_each_row_into_one_cell(tmp_path, collation, whole_file):
    source = collated(tmp_path, collation, WORDS, whole_file)
    by = Grouping(("g",), (tuple(WORDS),))
    twice = Grouping(("g", "p"), (tuple(WORDS), tuple(WORDS)))
    queries = {
        Query("count", Count(), by): TRUNCATED,
        Query("entities", Entities(), by): TRUNCATED,
        Query("sum", Sum("x", (0, 2)), by): TRUNCATED,
        Query("mean", Mean("x", (0, 2)), by): TRUNCATED,
        Query("histogram", Histogram("x", (0, 1, 2)), by): TRUNCATED,
        Query("quantile", Quantile("x", (0, 2), candidates=3), by): TRUNCATED,
        Query("top", Top("g", tuple(WORDS), 2)): TRUNCATED,
        Query("scaled", Count(scaled=True), by, max_contribution=2.0): SCALED,
    }
    # Each statistic on every third collation.
    asked = one_in(3, [*queries.items()], collations().index(collation))
    for (query, _), found in zip(asked, exact_totals(source, "p", asked), strict=True):
        each = found.reshape(len(WORDS), -1)[:, -1 if query.name == "mean" else slice(None)]
        rows = each.reshape(len(WORDS), -1).sum(axis=1)
        assert len(set(rows.tolist())) == 1, query.name
        assert rows[0] in (1, 2**20, 2**23), query.name
    (cells,) = exact_totals(source, "p", [(Query("two", Count(), twice), TRUNCATED)])
    assert cells.sum() == len(WORDS)


@pytest.mark.parametrize("collation", collations())
def test_a_collation_changes_no_filter_and_no_entity(tmp_path, collation):
    source = collated(tmp_path, collation, WORDS)
    tests = {
        ("g", "==", "e"): 1,
        ("g", "!=", "e"): len(WORDS) - 1,
        ("g", "in", ("e", "SS")): 2,
        ("g", "not in", ("e", "SS")): len(WORDS) - 2,
        ("g", "<", "e"): sum(word.encode() < b"e" for word in WORDS),
        ("p", ">=", "ss"): sum(word.encode() >= b"ss" for word in WORDS),
    }
    tests = dict(one_in(2, [*tests.items()], collations().index(collation)))
    work = [(Query("q", Count(), where=(Condition(*test),)), TRUNCATED) for test in tests]
    found = exact_totals(source, "p", [*work, (Query("people", Entities()), TRUNCATED)])
    assert [int(each.sum()) for each in found] == [*tests.values(), len(WORDS)]


def test_one_more_row_moves_a_count_by_one(tmp_path):
    """Issue 9, 2b, as it was found."""
    keys = Grouping(("g",), (("e", "E", "\u00e9", "\u00c9"),))
    found = []
    for words in (["a"], ["a", "\u00e9"]):
        source = collated(tmp_path, "NOCASE.NOACCENT", words)
        found.append(exact_totals(source, "p", [(Query("q", Count(), keys), TRUNCATED)])[0].sum())
    assert found == [0, 1]


DAY, NOON = datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 12)
MIDNIGHT = datetime.datetime(2020, 1, 1)
ABROAD = MIDNIGHT.replace(hour=2, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))


@pytest.mark.parametrize(
    ("kind", "values", "keys", "cells"),
    [
        (pa.int64(), [1, 0], (1, 1.0, 0, -0.0), [1, 0, 1, 0]),
        (pa.int64(), [2**53 + 1], (2**53, 2**53 + 1, float(2**53)), [0, 1, 0]),
        (pa.float64(), [0.0, -0.0, 1.0], (-0.0, 0, 1, 1.0), [2, 0, 1, 0]),
        (pa.float64(), [0.0, -0.0], (0.0, 1.0), [2, 0]),
        (pa.float64(), [float(2**53)], (2**53 + 1, 2**53), [1, 0]),
        (pa.float32(), [0.1], (0.1, 0.10000000149011612), [0, 1]),
        (pa.decimal128(9, 2), [1], (1, 1.0), [1, 0]),
        (pa.date32(), [DAY], (DAY, MIDNIGHT, NOON), [1, 0, 0]),
        (pa.timestamp("us"), [MIDNIGHT, NOON], (DAY, MIDNIGHT, ABROAD, NOON), [1, 0, 0, 1]),
        (pa.timestamp("ns", "UTC"), [MIDNIGHT], (MIDNIGHT, ABROAD), [1, 0]),
        (pa.bool_(), [True, False, None], (False, True), [1, 1]),
        (pa.string(), ["key 1", "", "1"], ("", "key 0", "1", "key 1"), [1, 0, 1, 1]),
    ],
    ids=str,
)
def test_keys_of_one_value_take_a_row_once(tmp_path, kind, values, keys, cells):
    given = pa.table({"p": pa.array(range(len(values))), "g": pa.array(values, kind)})
    pq.write_table(given, tmp_path / "x.parquet")
    work = [(Query("q", Count(), Grouping(("g",), (keys,))), TRUNCATED)]
    (found,) = exact_totals(Source("x.parquet", tmp_path, nulls=()), "p", work)
    assert found.reshape(-1).tolist() == cells


def test_the_same_text_twice_is_no_list_of_keys(tmp_path):
    pq.write_table(pa.table({"p": [1], "g": ["a"]}), tmp_path / "x.parquet")
    work = [(Query("q", Count(), Grouping(("g",), (("a", "a"),))), TRUNCATED)]
    with refuses(InvalidArgument, "each-key-once"):
        exact_totals(Source("x.parquet", tmp_path), "p", work)


def test_edges_and_candidates_beside_a_value_take_it_once(tmp_path):
    near = [0.1, 0.1 + 2**-56, 0.30000000000000004, 0.3, -0.0, 0.0, 5e-324, 1.0]
    given = pa.table({"p": range(len(near)), "x": near})
    pq.write_table(given, tmp_path / "x.parquet")
    edges = tuple(sorted({*near, -5e-324, 2.0}))
    work = [
        (Query("histogram", Histogram("x", edges)), TRUNCATED),
        (Query("quantile", Quantile("x", (0, 1), candidates=1001)), TRUNCATED),
    ]
    for found in exact_totals(Source("x.parquet", tmp_path), "p", work):
        assert found.sum() == len(near)
