"""Of a data frame only the used columns' values and stated types matter."""

import datetime
import decimal
import logging
import re
import secrets
import sys
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import deniable
from deniable.errors import DataError, PlanError
from deniable.notions import Adjacency
from deniable.publish.query import Protection, Query
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.reader import frame_of, reader_of
from deniable.publish.sources.table import open_table
from deniable.publish.statistics import Count, Entities, Sum, Top
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.effort import one_in, some_pairs
from tests.cases.frames import FRAMES, in_memory
from tests.cases.refusals import refuses

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
    place = [*FRAMES].index(made)
    names = NAMES if made == "arrow" else one_in(12, NAMES, place)
    work = [(Query(name, Sum(name, (0, 6))), limit) for name in names]
    found = exact_totals(in_memory(FRAMES[made](several)), "person", work)
    assert len({int(each.sum()) for each in found}) == 1
    for name in one_in(4, NAMES[:9], place) if made == "arrow" else one_in(3, NAMES[6:9], place):
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
            assert frame_of(frame).objects() == ["x"]
            assert str(reader_of(in_memory(frame)).kinds()["x"]) == "text"


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


@pytest.mark.parametrize("made", ["arrow", "arrow, in pieces", "reader", "foreign"])
def test_runs_are_of_the_rows_that_they_say(made):
    """The engine read every piece from the first run: one row moved everybody's values."""
    runs = pc.run_end_encode(pa.array(np.sort(VALUE)))
    person = pc.run_end_encode(pa.array(np.sort(PERSON)))
    table = pa.table({"person": person, "value": runs})
    plain = pa.table({"person": np.sort(PERSON), "value": np.sort(VALUE)})
    for start in (0, 3, 61):
        assert total(FRAMES[made](table.slice(start))) == total(plain.slice(start))


@pytest.mark.parametrize(
    ("name", "made"),
    some_pairs(
        ["arrow.bool8", "arrow.json", "arrow.opaque", "duckdb.bit"],
        ["arrow", "arrow, in pieces", "record batch", "reader"],
    ),
)
def test_what_is_said_beside_a_type_changes_no_value(made, name):
    about = {"ARROW:extension:name": name, "ARROW:extension:metadata": ""}
    of = pa.field("value", pa.int8(), metadata=about)
    schema = pa.schema([("person", pa.int64()), of], metadata={"pandas": "{"})
    said = pa.table([pa.array(PERSON), pa.array(VALUE, pa.int8())], schema=schema)
    assert total(FRAMES[made](said)) == total(TABLE)


@pytest.mark.parametrize(
    ("declared", "one", "other", "people"),
    [
        ("integer", 1.25, 1.5, 0), ("integer", decimal.Decimal("1.25"), decimal.Decimal("1.5"), 0),
        ("text", b"a", "a", 1), ("timestamp", pd.Timestamp(1), pd.Timestamp(2), 2),
        ("date", 5, 6, 0),
        ("date", datetime.datetime(2024, 1, 1, 3), datetime.datetime(2024, 1, 1, 4), 0),
    ],
)  # fmt: skip
def test_no_two_entities_of_python_objects_become_one(declared, one, other, people):
    frame = pd.DataFrame({"person": pd.Series([one, other], dtype=object), "value": [1, 2]})
    categories = pd.CategoricalDtype(pd.Index([one, other], dtype=object))
    for each in (frame, frame.astype({"person": categories})):
        assert frame_of(each).objects() == ["person"]
        found = in_memory(each, {"person": declared})
        with open_table(found, ["value"], entity="person") as data:
            entities = data.engine.rows(data.table)[data.entity].drop_null()
        assert len(entities) == len(set(entities.to_pylist())) == people
        assert people != 1 or entities.to_pylist() == [other]


def test_a_relation_that_its_owner_has_begun_to_read():
    relation = duckdb.connect().from_arrow(TABLE).select("*")
    assert relation.fetchone() == (0, 0)
    assert total(relation) == total(TABLE)
    assert len(relation.fetchall()) == ROWS - 1


@pytest.mark.parametrize("name", ["", "a\0b"])
@pytest.mark.parametrize("made", ["arrow", "record batch", "reader", "pandas, arrow", "polars"])
def test_names_that_the_engine_cannot_hold(made, name):
    """Polars ends the process at one of them."""
    frame = (
        FRAMES[made](TABLE).rename({"value": name})
        if made == "polars"
        else FRAMES[made](TABLE.rename_columns(["person", name]))
    )
    assert reader_of(in_memory(frame)).kinds() == {"person": Kind.INTEGER, name: Kind.OTHER}
    with refuses(PlanError, "column-of-numbers-text-truth"):
        total(frame, column=name)


class _Other(pd.api.extensions.ExtensionDtype):
    """Somebody's type whose arrays cannot be made."""

    name, type, kind = "other", object, "O"

    @classmethod
    def construct_array_type(cls):
        raise NotImplementedError("secret")


class _Typed(pd.DataFrame):
    """A frame of which a column nobody asks for has that type."""

    @property
    def dtypes(self):
        return pd.Series([*super().dtypes[:-1], _Other()], index=self.columns)


def test_somebodys_own_types_beside():
    assert total(_Typed(TABLE.to_pandas().assign(beside=1))) == total(TABLE)


class _Panic(BaseException):
    """As libraries in Rust tell their own faults."""


@pytest.mark.parametrize("error", [_Panic("secret"), ValueError("secret"), RecursionError()])
def test_whatever_a_stream_ends_with_is_told_without_its_words(error):
    def batches():
        yield TABLE.to_batches()[0]
        raise error

    stream = pa.RecordBatchReader.from_batches(TABLE.schema, batches())
    with refuses(DataError, "readable-data") as caught:
        total(stream)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("ending", [KeyboardInterrupt(), SystemExit(143)], ids=repr)
def test_ctrl_c_in_somebody_elses_engine_is_no_fault_of_the_data(ending):
    """A relation tells it as an error of its own."""

    def batches():
        yield TABLE.to_batches()[0]
        raise RuntimeError("Query interrupted") from ending

    with pytest.raises(type(ending)):
        total(pa.RecordBatchReader.from_batches(TABLE.schema, batches()))


class Places(pd.DataFrame):
    """A subclass as of geopandas: what is made of it is of its class."""

    _metadata = ("geometry_name",)

    @property
    def _constructor(self):
        return Places


class Wrong(Places):
    """One whose columns cannot be taken for arrays."""

    @property
    def _constructor_sliced(self):
        return WrongColumn


class WrongColumn(pd.Series):
    """A column that quotes a value instead."""

    def __arrow_array__(self, type=None):
        raise ValueError("secret")


def test_a_subclass_is_the_frame_that_it_says_or_ends_without_its_words():
    assert total(Places(TABLE.to_pandas())) == total(TABLE)
    with refuses(DataError, "values-of-declared") as caught:
        total(Wrong(TABLE.to_pandas()))
    assert caught.value.__context__ is None


class Growing(Places):
    """A frame to which another thread adds rows between two of its columns."""

    _metadata = ("seen",)

    def __getitem__(self, name):
        column = super().__getitem__(name)
        self.seen = [*getattr(self, "seen", ()), name]
        return pd.Series([*column, *column[-1:]] if len(self.seen) % 2 else column, name=name)


def test_a_frame_that_grows_meanwhile_ends_in_one_sentence():
    with refuses(DataError, "readable-data") as caught:
        total(Growing(TABLE.to_pandas()))
    assert caught.value.__context__ is None


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_a_reader_of_runs_of_categories_of_moments(unit, zone):
    moments = pa.array([0, 0, 1], pa.int64()).view(pa.timestamp(unit, zone))
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], moments[1:].dictionary_encode())
    table = pa.table({"person": runs, "value": [1, 2, 3]})
    for data in (table, table.to_reader(2)):
        with open_table(in_memory(data), ["value"], entity="person") as found:
            entities = found.engine.rows(found.table)[found.entity].to_pylist()
        assert len({*entities}) == 2


ENDS = [2**64 - 1, 2**63, 2**63 - 1, 2**53 + 1, 2**53, 0]


ENTITIES = {
    "uint64": pa.array(ENDS, pa.uint64()),
    "decimals": pa.array(map(decimal.Decimal, ENDS), pa.decimal128(38, 0)),
    "views": pa.array(map(str, ENDS), pa.string_view()),
    "large": pa.array(map(str, ENDS), pa.large_string()),
    "int64": pa.array([*ENDS[2:], None, 7], pa.int64()),
    "ns": pa.array([1, 2, 3, 999, 1000, 1001], pa.int64()).cast(pa.timestamp("ns", "UTC")),
    "ms out of range": pa.array([2**52, 2**52 + 1, 2**62, -(2**62), 0, 1], pa.int64()).cast(
        pa.timestamp("ms")
    ),
    "words twice": pa.DictionaryArray.from_arrays(pa.array(range(6)), pa.array([*"aabbc", None])),
    "two zeros": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 0, 1, 2]), pa.array([1.0, -0.0, 0.0])
    ),
}


@pytest.mark.parametrize(
    ("name", "made"),
    some_pairs([*ENTITIES], ["arrow", "arrow, in pieces", "reader", "pandas, arrow"]),
)
def test_entities_are_one_where_their_values_are(made, name):
    """Against Python: no two of them meet, and none is two."""
    entities = ENTITIES[name]
    moments = pa.types.is_timestamp(entities.type) and entities.type.unit == "ms"
    plain = entities.cast(pa.int64()) if pa.types.is_timestamp(entities.type) else entities
    values = [each for each in plain.to_pylist() if each is not None]
    if moments:  # those that the engine's microseconds have
        values = [each for each in values if abs(each) < 2**63 // 1000]
    table = pa.table({"person": entities, "value": [1] * len(entities)})
    data = FRAMES[made](table)
    query = Query("people", Entities())
    (found,) = exact_totals(
        in_memory(data), "person", [(query, Protection(Adjacency.ADD_REMOVE, 1))]
    )
    assert int(found.sum()) == len(set(values))


@pytest.mark.parametrize("made", FRAMES)
def test_rows_of_a_frame_are_counted_though_no_column_is_named(made):
    work = [(Query("q", Count()), Protection(Adjacency.ADD_REMOVE, 1))]
    (found,) = exact_totals(in_memory(FRAMES[made](TABLE)), None, work)
    assert found.reshape(-1).tolist() == [ROWS]


MOMENTS_AS_OBJECTS = pd.DataFrame(
    {
        "person": pd.Series(
            [datetime.datetime(2024, 1, 1, microsecond=i) for i in range(ROWS)], dtype=object
        ),
        "plan": ["free", "paid"] * (ROWS // 2),
    }
)
COUNT = """
[data]
entity = "person"
[target]
gamma = 2.0
[limits]
rows_per_entity = 1
[[query]]
name = "free"
statistic = "count"
where = [["plan", "==", "free"]]
"""


def test_a_terminal_alone_says_who_loses_everybody_to_an_undeclared_dtype(
    tmp_path, monkeypatch, capsys, caplog
):
    """Moments in a column of dtype object are no texts: nobody would be counted, unnoticed.

    Python's warnings go to a log, or end a release, as the program around it says.
    """
    said = 'not for publication.* values of "person" cannot be read'
    logging.captureWarnings(True)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", category=UserWarning)
            for on_terminal in (False, True):
                monkeypatch.setattr(sys.stderr, "isatty", lambda on=on_terminal: on)
                deniable.release(COUNT, tmp_path / str(on_terminal), data=MOMENTS_AS_OBJECTS)
                assert len(re.findall(said, capsys.readouterr().err)) == on_terminal
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            deniable.release(COUNT, tmp_path / "third", data=MOMENTS_AS_OBJECTS)
    finally:
        logging.captureWarnings(False)
    assert re.search(said, capsys.readouterr().err)
    assert not [each for each in caplog.records if "person" in each.getMessage()]


def test_who_asks_for_it_is_asked_and_not_warned(tmp_path):
    figures = []
    plan = COUNT.replace("[target]", 'types = { person = "timestamp" }\n[target]')
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=UserWarning)
        deniable.release(
            COUNT,
            tmp_path / "a",
            data=MOMENTS_AS_OBJECTS,
            confirm=lambda f: figures.append(f) or True,
        )
        deniable.release(plan, tmp_path / "b", data=MOMENTS_AS_OBJECTS)
    assert figures[0].columns_unread == ["person"]
