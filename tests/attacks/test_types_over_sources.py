"""Of every column and every declared type there is one behaviour, from wherever the column comes.

The same cells, as each library and format holds them, are declared to be each type. Either the
plan is refused by the schema alone, or the exact counts are those of the CSV file that the same
cells make. And "" is no value in any of them, unless `nulls` says otherwise.
"""

import contextlib
import csv
import datetime
import decimal
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import PlanError
from deniable.publish.plan.plan import read_plan
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.effort import one_in, some_pairs
from tests.cases.frames import categories

DAY, NOON = datetime.date(2024, 5, 17), datetime.datetime(2024, 5, 17, 12, 30)
MIDNIGHT = datetime.datetime(2024, 5, 18)
KINDS = ("integer", "number", "text", "boolean", "date", "timestamp")
KEYS = {
    "integer": [0, 1, 7, 2024, -3, 20240517],
    "number": [0, 1, 7, 1.5, 2024, -3, 20240517, 0.1],
    "text": ["0", "1", "7", "1.5", "True", "False", "a", "A", "2024-05-17", "-3", "0.1", "yes"],
    "boolean": [True, False],
    "date": [DAY, MIDNIGHT.date(), datetime.date(1970, 1, 1)],
    "timestamp": [NOON, MIDNIGHT, datetime.datetime(2024, 5, 17)],
}
"""Public keys: of all that the columns hold, and more."""

WHOLE = [0, 1, 1, 7, 2024, -3, 20240517, None]
REAL = [1.5, 1.5, 0.1, -2.25, None]
TRUTHS = [True, True, False, None]
WORDS = ["a", "A", "7", "7", "1.5", "1_000", "2024-05-17", "2024-05-18 00:00:00", "True", "yes",
         "2024-05-17T12:30", "31/05/24", "", None]  # fmt: skip
DAYS = [DAY, DAY, MIDNIGHT.date(), None]
MOMENTS = [NOON, NOON, MIDNIGHT, None]
PRICES = [decimal.Decimal("1.50"), decimal.Decimal("0.10"), decimal.Decimal("7.00"), None]


def spell(value):
    """How a CSV file has a cell, as pandas writes it."""
    match value:
        case None:
            return ""
        case decimal.Decimal():
            return f"{value.normalize():f}"
        case datetime.datetime():
            return value.isoformat(" ")
    return str(value)


def series(values, dtype):
    if dtype == "datetime64[ns, Europe/Berlin]":
        return pd.Series(pd.to_datetime(values)).dt.tz_localize("Europe/Berlin")
    if dtype == "category":
        return pd.Series(values).astype("category")
    if dtype.startswith("category of "):
        return pd.Series(values, dtype=dtype.removeprefix("category of ")).astype("category")
    if isinstance(dtype, str) and dtype.startswith("arrow "):
        of = {"int32": pa.int32(), "double": pa.float64(), "bool": pa.bool_(), "date": pa.date32(),
              "string": pa.string(), "view": pa.string_view(), "moments": pa.timestamp("ns"),
              "decimal": pa.decimal128(9, 2)}[dtype.removeprefix("arrow ")]  # fmt: skip
        return pd.Series(values, dtype=pd.ArrowDtype(of))
    return pd.Series(values, dtype=dtype)


def full(values):
    return [each for each in values if each is not None]


PANDAS = {
    **{(dtype, "WHOLE"): full(WHOLE) for dtype in ("int64", "int32")},
    ("uint64", "WHOLE"): [0, 1, 1, 7, 2024, 20240517],
    **{(dtype, "WHOLE"): WHOLE for dtype in ("Int64", "object", "float64", "arrow int32",
                                             "category", "category of Int64")},
    **{(dtype, "REAL"): REAL for dtype in ("float64", "Float64", "object", "arrow double",
                                           "category")},
    ("bool", "TRUTHS"): full(TRUTHS),
    **{(dtype, "TRUTHS"): TRUTHS for dtype in ("boolean", "object", "arrow bool")},
    **{(dtype, "WORDS"): WORDS for dtype in ("object", "string", "arrow string", "arrow view",
                                             "category", "category of string")},
    **{(dtype, "DAYS"): DAYS for dtype in ("object", "arrow date", "category")},
    **{(dtype, "MOMENTS"): MOMENTS for dtype in ("datetime64[ns]", "datetime64[s]", "arrow moments",
                                                 "datetime64[ns, Europe/Berlin]", "category")},
    ("arrow decimal", "PRICES"): PRICES,
    ("object", "PRICES"): PRICES,
    ("timedelta64[ns]", "spans"): [np.timedelta64(1, "D"), None],
    ("period[D]", "periods"): [pd.Period("2024-05-17", "D"), None],
    ("interval", "intervals"): [pd.Interval(0, 1), None],
}  # fmt: skip
MADE_OF = {
    "WHOLE": pa.int64(), "REAL": pa.float64(), "TRUTHS": pa.bool_(), "WORDS": pa.string(),
    "DAYS": pa.date32(), "MOMENTS": pa.timestamp("us"), "PRICES": pa.decimal128(12, 2),
}  # fmt: skip
VALUES = {"WHOLE": WHOLE, "REAL": REAL, "TRUTHS": TRUTHS, "WORDS": WORDS, "DAYS": DAYS,
          "MOMENTS": MOMENTS, "PRICES": PRICES}  # fmt: skip
OWN = {"WHOLE": "integer", "REAL": "number", "TRUTHS": "boolean", "WORDS": "text", "DAYS": "date",
       "MOMENTS": "timestamp", "PRICES": "number"}  # fmt: skip
REFUSED = {
    "MOMENTS": {"integer", "number", "text", "boolean"},
    "zoned": {"integer", "number", "text", "boolean", "date"},
    "DAYS": {"integer", "number", "boolean"},
    "spans": {*KINDS}, "periods": {*KINDS}, "intervals": {*KINDS},
}  # fmt: skip
"""What the page says is refused by the dtype of a pandas column."""


def plan_of(kinds, keys=None, *, declared=True, **of_source):
    """A plan that counts a column of each kind by keys; the columns are called as the kinds."""
    queries = [
        {"name": kind, "statistic": "count", "group_by": [kind],
         "keys": {kind: keys or KEYS[kind]}}
        for kind in kinds
    ]  # fmt: skip
    types = {"types": {kind: kind for kind in kinds}} if declared else {}
    data = {"adjacency": "add-remove", **types, **of_source}
    return {"data": data, "target": {"epsilon": 1}, "query": queries}


def counts(data, kinds, keys=None, **more):
    """Exact counts of each kind by key; None where the plan is refused."""
    found = dict.fromkeys(kinds)
    for kind in kinds:
        with contextlib.suppress(PlanError):
            read_plan(plan_of([kind], keys, **more), data)
            found[kind] = []
    if usable := [kind for kind in kinds if found[kind] is not None]:
        read = read_plan(plan_of(usable, keys, **more), data)
        work = [(query, read.protection(query)) for query in read.queries]
        totals = exact_totals(read.source, None, work)
        found |= {kind: each.ravel().tolist() for kind, each in zip(usable, totals, strict=True)}
    return found


def of_csv(folder, values):
    """The counts of a CSV file with these cells."""
    with (folder / "x.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([KINDS, *([spell(value)] * len(KINDS) for value in values)])
    return counts(None, KINDS, source=str(folder / "x.csv"))


@pytest.mark.parametrize("column", one_in(4, [*PANDAS]), ids=" of ".join)
def test_a_pandas_column_is_read_as_the_csv_file_of_its_cells(tmp_path, column):
    dtype, cells = column
    data = pd.DataFrame(dict.fromkeys(KINDS, series(PANDAS[column], dtype)))
    want = of_csv(tmp_path, PANDAS[column])
    if "Berlin" in dtype:
        cells, want["timestamp"] = "zoned", [0, 0, 0]  # 10:30 and 22:00 in UTC are no keys
    of_objects = dtype == "object" or column == ("category", "DAYS")
    refused = set() if of_objects else REFUSED.get(cells, set())
    assert counts(data, KINDS) == want | dict.fromkeys(refused)


FRAMES = {
    "arrow": lambda table: table,
    "record batch": lambda table: table.to_batches()[0],
    "categories": categories,
    "polars": pl.from_arrow,
    "polars, lazy": lambda table: pl.from_arrow(table).lazy(),
    "relation": duckdb.from_arrow,
}


@pytest.mark.parametrize(("cells", "made"), some_pairs([*OWN], [*FRAMES]))
def test_other_frames_are_what_they_say_or_refused(tmp_path, cells, made):
    array, own = pa.array(VALUES[cells], MADE_OF[cells]), OWN[cells]
    data = FRAMES[made](pa.table(dict.fromkeys(KINDS, array)))
    want = of_csv(tmp_path, VALUES[cells])[own]
    assert counts(data, KINDS) == dict.fromkeys(KINDS) | {own: want}
    assert counts(data, [own], declared=False) == {own: want}


def stored(folder, table, fixture):
    """Places that a plan names, each with the table."""
    pq.write_table(table, folder / "x.parquet")
    yield str(folder / "x.parquet")
    with duckdb.connect(str(folder / "x.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE OR REPLACE TABLE t AS FROM given")
    yield f"duckdb:{folder / 'x.duckdb'}?table=t"
    yield fixture("postgres").load(table, "typed").location
    yield fixture("spark").written(table, "typed").location


@pytest.mark.parametrize("cells", one_in(2, [*OWN]))
def test_files_and_databases_have_types_of_their_own(tmp_path, cells, request):
    own, array = OWN[cells], pa.array(VALUES[cells], MADE_OF[cells])
    want = of_csv(tmp_path, VALUES[cells])[own]
    for place in stored(tmp_path, pa.table({own: array}), request.getfixturevalue):
        assert counts(None, [own], source=place) == {own: None}
        assert counts(None, [own], declared=False, source=place) == {own: want}


# --- What is no value.

TEXTS = ("object", "string", "category")


def pandas_of(dtype, table):
    return pd.DataFrame({"text": series(table["text"].to_pylist(), dtype)})


NULLS = [None, ["a"], ["", "7"], ["A", "True"]]


def unnamed(nulls):
    """Keys of texts, of which none means no value."""
    keys = ["a", "A", "7", "True", "yes", ""]
    return [key for key in keys if key not in ([""] if nulls is None else nulls)]


@pytest.mark.parametrize("nulls", one_in(2, NULLS, 1), ids=repr)
def test_a_text_that_means_no_value_does_so_in_every_source(tmp_path, nulls, request):
    more, keys = {} if nulls is None else {"nulls": nulls}, unnamed(nulls)
    words = [each for each in WORDS if each is not None]  # which no CSV file tells from ""
    table = pa.table({"text": pa.array(words, pa.string())})
    with (tmp_path / "x.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "y"), *((each, 1) for each in words)])
    file = {"source": str(tmp_path / "x.csv")}
    want = counts(None, ["text"], keys, **file, **more)
    data = [*FRAMES.values(), *(partial(pandas_of, dtype) for dtype in TEXTS)]
    for place, made in enumerate(data):
        for declared in one_in(2, [True, False], place):  # in turn
            assert counts(made(table), ["text"], keys, declared=declared, **more) == want
    for place in stored(tmp_path, table, request.getfixturevalue):
        assert counts(None, ["text"], keys, declared=False, source=place, **more) == want
    for key in [""] if nulls is None else nulls:
        assert counts(None, ["text"], [*keys, key], **file, **more) == {"text": None}
        for made in data:
            assert counts(made(table), ["text"], [*keys, key], **more) == {"text": None}


def test_people_without_a_name_are_nobody(tmp_path):
    """One entity "" would be one person of all that have none."""
    people = pa.table({"x": ["a", "b", "", "", ""], "y": [1, 2, 3, 4, 5]})
    pq.write_table(people, tmp_path / "x.parquet")
    for data in (None, people, people.to_pandas(), pl.from_arrow(people)):
        plan = {
            "data": {"adjacency": "add-remove", "entity": "x"},
            "target": {"epsilon": 1},
            "limits": {"rows_per_entity": 5},
            "query": [{"name": "n", "statistic": "entities"}],
        }
        if data is None:
            plan["data"]["source"] = str(tmp_path / "x.parquet")
        for nulls, number in ((None, 2), ([], 3), (["a", ""], 1)):
            if nulls is not None:
                plan["data"]["nulls"] = nulls
            read = read_plan(plan, data)
            work = [(query, read.protection(query)) for query in read.queries]
            (totals,) = exact_totals(read.source, "x", work)
            assert totals.ravel().tolist() == [number]
