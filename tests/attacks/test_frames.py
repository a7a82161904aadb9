"""Of a data frame only the used columns' values and stated types matter."""

import secrets

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deniable.notions import Adjacency
from deniable.publish.statistics import Sum, Top
from deniable.publish.statistics.query import Query
from deniable.publish.statistics.scope import Protection
from deniable.publish.totals.aggregate import exact_totals
from deniable.sources.frames import frame_of, kinds, undeclared
from tests.cases.frames import FRAMES, in_memory

PEOPLE, ROWS = 40, 200
PERSON, VALUE = np.arange(ROWS) % PEOPLE, np.arange(ROWS) % 7
NAMES = [
    "entity", "frame", "given", "staged", "rows", "rowid", "*", "count(*)", "x.y", " x ",
    'a"b', "a'b", '"; DROP TABLE given; --', "read_parquet('/etc/passwd')", "\u0130", "\u200b", "€",
    "select", "NULL", "true", "$1", "?", "x\ny", "a" * 3000,
]  # fmt: skip


@pytest.fixture(autouse=True)
def one_salt(monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)


def total(data, entity="person", column="value", declared=None):
    query = Query("q", Sum(column, (0, 6)))
    work = [(query, Protection(Adjacency.ADD_REMOVE, 3))]
    return int(exact_totals(in_memory(data, declared), entity, work)[0].sum())


TABLE = pa.table({"person": PERSON, "value": VALUE})


@pytest.mark.parametrize("made", FRAMES)
def test_names_are_names_whatever_they_look_like(made):
    several = pa.table([PERSON, *[VALUE] * len(NAMES)], names=["person", *NAMES])
    limit = Protection(Adjacency.ADD_REMOVE, None, 2.0)
    work = [(Query(name, Sum(name, (0, 6))), limit) for name in NAMES]
    found = exact_totals(in_memory(FRAMES[made](several)), "person", work)
    assert len({int(each.sum()) for each in found}) == 1
    for name in NAMES[:9]:
        owned = TABLE.rename_columns([name, "value"])
        assert total(FRAMES[made](owned), entity=name) == total(TABLE)


@pytest.mark.parametrize(
    "beside",
    [
        pd.Series([object()] * ROWS, dtype=object),
        pd.Series(pd.period_range("2024", periods=ROWS, freq="D")),
        pd.Series([1j] * ROWS),
        pd.arrays.SparseArray([0] * ROWS),
        pd.Series([b"\xff"] * (ROWS - 1) + ["\ud800"], dtype=object),
    ],
    ids=["objects", "periods", "complex", "sparse", "no text"],
)
def test_a_column_that_is_not_used_does_not_matter(beside):
    frame = TABLE.to_pandas()
    assert total(frame.assign(beside=beside)) == total(frame)


def test_what_stands_in_a_column_of_objects_changes_no_type():
    for values in (["a"], [1, 2], [1.5, None], [True, "x"], [pd.Timestamp(0), 5], [], [[], {}]):
        column = pd.Series(values, dtype=object)
        for frame in (pd.DataFrame({"x": column}), pd.DataFrame({"x": column[:0]})):
            assert undeclared(frame_of(frame)) == ("x",)
            assert str(kinds(frame_of(frame))["x"]) == "other"


def test_what_the_categories_are_changes_nothing():
    """Unused ones, their order, and one that another row brings."""
    query = Query("top", Top("x", ("a", "b"), 1))
    work = [(query, Protection(Adjacency.ADD_REMOVE, 3))]
    words = pd.array((["a"] * 3 + ["b"]) * 50, dtype="string")
    found = set()
    for categories in (["a", "b"], ["b", "a"], ["z", "b", "q", "a"]):
        of = pd.CategoricalDtype(pd.Index(categories, dtype="string"))
        frame = pd.DataFrame({"person": PERSON, "x": pd.Categorical(words, dtype=of)})
        (totals,) = exact_totals(in_memory(frame), "person", work)
        found.add(totals.tobytes())
        (totals,) = exact_totals(in_memory(pl.from_pandas(frame)), "person", work)
        found.add(totals.tobytes())
    assert len(found) == 1


def test_views_steps_and_blocks_of_memory_change_nothing():
    frame, expected = TABLE.to_pandas(), total(TABLE)
    doubled = pd.DataFrame(np.repeat(frame.to_numpy(), 2, axis=0), columns=frame.columns)
    assert total(doubled.iloc[::2]) == expected
    assert total(frame.set_index(np.arange(ROWS)[::-1])) == expected
    by_columns = np.asfortranarray(frame.to_numpy())
    assert total(pd.DataFrame(by_columns, columns=frame.columns)) == expected
    assert total(duckdb.from_arrow(TABLE).order("value DESC")) == expected
    assert total(TABLE.take(np.arange(ROWS)[::-1])) == expected
    assert frame.equals(TABLE.to_pandas())  # nobody's frame is changed
