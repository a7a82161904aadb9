"""A public value that no cell can be read as is an error of the plan, wherever it stands.

Else its cell is published as noise around 0, and nothing says that nobody can be in it. What cells
can be read as is tried by brute force: every text of up to two letters of a small alphabet, through
`trim`, `fold`, `recode` and `nulls` as the page states them.
"""

import datetime
import itertools
import random

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import PlanError
from deniable.publish.plan.plan import read_plan
from tests.cases.effort import one_in, usual
from tests.cases.refusals import refuses

LETTERS = "aAxXyY "
CELLS = ["".join(each) for n in range(3) for each in itertools.product(LETTERS, repeat=n)]


def read(text, trim, fold, recode, nulls):
    """What a cell of this text holds, by the page."""
    written = text.strip() if trim else text
    final = written.lower() if fold else written
    final = recode.get(final, final)
    return None if written in nulls or final in nulls else final


def drawn(number):
    """So many ways to clean texts, each with some keys."""
    draw = random.Random(6)
    keys = ["", "a", "A", "x", "X", "ax", " ", "a ", "y"]
    for _ in range(number):
        trim, fold = draw.random() < 0.4, draw.random() < 0.4
        nulls = draw.choice([None, [], ["a"], ["", "a", "A"], ["x"], ["y"], ["X", "x"], ["A"]])
        meant = {text: draw.choice(["y", "a", "", "x"]) for text in draw.sample(keys, 2)}
        recode = draw.choice([{}, {}, meant])
        yield trim, fold, recode, nulls, draw.sample(keys, 4)


def plan(listed, /, trim=False, fold=False, recode=None, nulls=None, query=None, **more):
    data = {"adjacency": "add-remove"}
    data |= {"trim": ["g"]} if trim else {}
    data |= {"fold": ["g"]} if fold else {}
    data |= {"recode": {"g": recode}} if recode else {}
    data |= {} if nulls is None else {"nulls": nulls}
    asked = {"statistic": "count", "group_by": ["g"], "keys": {"g": listed}}
    return {
        "data": data | more.pop("data", {}),
        "target": {"epsilon": 1},
        "query": [{"name": "n", **(asked if query is None else query)}],
        **more,
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cells")
    (folder / "x.csv").write_text("g,n,day\na,1,2024-01-01\n", encoding="utf-8")
    pq.write_table(pa.table({"g": ["a"], "n": [1]}), folder / "x.parquet")
    return folder


def is_accepted(plan, data=None):
    try:
        read_plan(plan, data)
    except PlanError:
        return False
    return True


def places(files):
    yield {"source": str(files / "x.csv")}, None
    yield {"source": str(files / "x.parquet")}, None
    yield {}, pd.DataFrame({"g": pd.Series(["a"], dtype=object)})
    yield {}, pl.DataFrame({"g": ["a"]})


def test_a_key_is_accepted_if_and_only_if_a_cell_can_be_it(files):
    tried = {True: 0, False: 0}
    for number, (trim, fold, recode, nulls, keys) in enumerate(drawn(usual(40, 60))):
        given = [""] if nulls is None else nulls
        possible = {read(cell, trim, fold, recode, given) for cell in CELLS} - {None}
        reachable = {
            (cell.strip() if trim else cell).lower() if fold else (cell.strip() if trim else cell)
            for cell in CELLS
            if (cell.strip() if trim else cell) not in given
        }
        if any(text not in reachable for text in recode):
            for source, data in one_in(2, [*places(files)], number):
                assert not is_accepted(plan(["ax"], trim, fold, recode, nulls, data=source), data)
            continue
        for place, key in enumerate(keys):
            for source, data in one_in(4, [*places(files)], number + place):  # in turn
                made = plan([key], trim, fold, recode, nulls, data=source)
                small = key.lower()
                if fold and small not in (*recode, *given, key):  # a key keeps its spelling
                    kept = {**recode, small: key}
                    can_be = key in {read(cell, trim, fold, kept, given) for cell in CELLS}
                else:
                    can_be = key in possible
                assert is_accepted(made, data) == can_be, (key, made["data"])
                tried[can_be] += 1
    assert min(tried.values()) > usual(20, 50)


WHERE = [["g", "==", ""], ["g", "!=", ""], ["g", "in", ["a", ""]], ["g", "not in", ["", "a"]]]
QUERIES = {
    "keys": {"statistic": "entities", "group_by": ["g"], "keys": {"g": ["a", ""]}},
    "top": {"statistic": "top", "column": "g", "keys": {"g": ["a", ""]}, "number": 1},
    "crosstab": {"statistic": "crosstab", "columns": ["g", "h"],
                 "keys": {"g": ["a", ""], "h": ["b"]}},
    "tree": {"statistic": "tree", "levels": ["all", "g"], "nested": {"n": ["a", ""], "s": ["b"]}},
    "shared": {"statistic": "count", "group_by": ["g"]},
    "derived": {"statistic": "count", "where": [["has", "==", True]]},
    **{f"where {each[1]}": {"statistic": "count", "where": [each]} for each in WHERE},
}  # fmt: skip


@pytest.mark.parametrize("name", QUERIES)
def test_it_is_refused_wherever_it_stands(tmp_path, name):
    (tmp_path / "x.csv").write_text("g,h\na,b\n", encoding="utf-8")
    more = {}
    if name == "shared":
        more["keys"] = {"g": ["a", ""]}
    if name == "derived":
        more["columns"] = {"has": {"condition": ["g", "!=", ""]}}
    frame = pl.DataFrame({"g": ["a"], "h": ["b"]})
    for data, source in ((None, {"source": str(tmp_path / "x.csv")}), (frame, {})):
        with refuses(PlanError, "it-means-no-value"):
            read_plan(plan([], query=QUERIES[name], data=source, **more), data)
        kept = plan([], query=QUERIES[name], nulls=[], data=source, **more)
        assert is_accepted(kept, data)


@pytest.mark.parametrize(
    ("kind", "keys", "nulls", "more", "accepted"),
    [
        ("integer", [-9, 1], ["-9"], {}, False),
        ("integer", [-9, 1], ["", "99"], {}, True),
        ("number", [1.5], ["1.5"], {}, False),
        ("number", [7.0], ["7"], {}, False),
        ("number", [1.5], ["1.5"], {"csv": {"decimal": ","}}, True),
        ("number", [1.5], ["1,5"], {"csv": {"decimal": ","}}, False),
        ("date", [datetime.date(1900, 1, 1)], ["1900-01-01"], {}, False),
        ("date", [datetime.date(1900, 1, 1)], ["01.01.1900"],
         {"csv": {"date_format": "%d.%m.%Y"}}, False),
        ("date", [datetime.date(1900, 1, 1)], ["1900-01-01"],
         {"csv": {"date_format": "%d.%m.%Y"}}, True),
        ("integer", [99], [""], {"recode": {"g": {"99": ""}}}, False),
        ("integer", [98], [""], {"recode": {"g": {"99": "98"}}}, True),
        ("integer", [99], [""], {"recode": {"g": {"99": "98"}}}, False),
        ("text", ["€"], [""], {"csv": {"encoding": "latin-1"}}, False),
        ("text", ["€"], [""], {"csv": {"encoding": "windows-1252"}}, True),
        ("text", ["€"], [""], {"csv": {"encoding": "latin-1"}, "recode": {"g": {"e": "€"}}}, True),
        ("text", ["a,b"], [""], {"csv": {"quote": ""}}, False),
        ("text", ["a,b"], [""], {}, True),
        ("text", ["a;b"], [""], {"csv": {"quote": ""}}, True),
        ("text", ["y"], ["f"], {"recode": {"g": {"f": "y"}}}, False),
        ("text", ["y"], ["f"], {"recode": {"g": {"f": "y"}}, "fold": ["g"]}, True),
        ("text", ["y"], ["1"], {"recode": {"g": {"1": "y"}}, "fold": ["g"]}, False),
        ("text", ["missing"], None, {"recode": {"g": {"": "missing"}}}, False),
        ("text", ["missing"], [], {"recode": {"g": {"": "missing"}}}, True),
        ("text", ["a"], None, {"recode": {"g": {"unknown": ""}}}, True),
    ],
)  # fmt: skip
def test_numbers_dates_and_marks_too(tmp_path, kind, keys, nulls, more, accepted):
    (tmp_path / "x.csv").write_text("g\n1\n", encoding="utf-8")
    source = {"source": str(tmp_path / "x.csv"), "types": {"g": kind}, **more}
    made = plan(keys, nulls=nulls, data=source)
    assert is_accepted(made) == accepted


WIDE = 2**53
NUMBERS = {
    "uint64": pa.table({"g": pa.array([WIDE, WIDE + 1], pa.uint64())}),
    "double": pl.DataFrame({"g": [float(WIDE)]}),
    "declared": pd.DataFrame({"g": [str(WIDE)]}),
}
COMPARED = [("==", WIDE + 1), ("!=", WIDE + 1), ("in", [1, WIDE + 1]), ("not in", [1, WIDE + 1])]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_whole_number_that_no_float_is_is_no_key_of_floats(name):
    """2^53 and 2^53 + 1 are one float64: the second cell is noise around 0 for all in it."""
    types = {"types": {"g": "number"}} if name == "declared" else {}
    for keys, accepted in [([WIDE], True), ([WIDE, WIDE + 2], True), ([WIDE, WIDE + 1], False),
                           ([WIDE + 1], False), ([-WIDE - 1], False)]:  # fmt: skip
        assert is_accepted(plan(keys, data=types), NUMBERS[name]) == accepted, keys
    for operator, value in [*COMPARED, (">", WIDE + 1), ("==", WIDE + 2)]:
        query = {"statistic": "count", "where": [["g", operator, value]]}
        accepted = (operator, value) not in COMPARED
        assert is_accepted(plan([], query=query, data=types), NUMBERS[name]) == accepted
    whole = plan([WIDE, WIDE + 1], data={"types": {"g": "integer"}})
    assert is_accepted(whole, NUMBERS["declared"])


def short_of(made, folder, fixture):
    """A column of 32-bit floats; a plan's source, and what is handed over."""
    table = pa.table({"g": pa.array([0.1, 0.5, None], pa.float32())})
    if made == "postgres":
        return {"source": fixture(made).load(table, "short").location}, None
    if made == "spark":
        return {}, fixture(made).load(table).frame.frame
    if made == "parquet":
        pq.write_table(table, folder / "x.parquet")
        return {"source": str(folder / "x.parquet")}, None
    if made == "duckdb":
        with duckdb.connect(str(folder / "x.duckdb")) as connection:
            connection.execute("CREATE TABLE t (g FLOAT)")
        return {"source": f"duckdb:{folder / 'x.duckdb'}?table=t"}, None
    frames = {"arrow": table, "polars": pl.from_arrow(table), "pandas": table.to_pandas()}
    return {}, frames[made]


@pytest.mark.parametrize(
    "made", ["parquet", "duckdb", "arrow", "polars", "pandas", "postgres", "spark"]
)
def test_a_number_that_no_short_float_is_is_no_key_of_them(tmp_path, made, request):
    source, data = short_of(made, tmp_path, request.getfixturevalue)
    read = [0.5, 0.10000000149011612, 2**24, 0]
    assert is_accepted(plan(read, data=source), data)
    for number in (0.1, 2**24 + 1, 1e300):
        assert not is_accepted(plan([number], data=source), data), number
        query = {"statistic": "count", "where": [["g", "==", number]]}
        assert not is_accepted(plan([], query=query, data=source), data), number
        query = {"statistic": "count", "where": [["g", "<", number]]}
        assert is_accepted(plan([], query=query, data=source), data), number


NARROW = {
    "int8": (pa.int8(), "TINYINT", [-128, 127, 0], [128, 300, -129, 1.5]),
    "uint8": (pa.uint8(), "UTINYINT", [0, 255], [-1, 256]),
    "int64": (pa.int64(), "BIGINT", [-(2**63), 7], [0.5]),
    "decimal": (pa.decimal128(9, 2), "DECIMAL(9,2)", [0.1, -7, 9_999_999.99], [0.001, 10_000_000]),
}
"""Types of numbers: what a cell can be, and what no cell can."""


def narrow_of(made, folder, of, fixture):
    """A column of a type; a plan's source, and what is handed over."""
    arrow, in_duckdb, *_ = NARROW[of]
    table = pa.table({"g": pa.array([7, None], arrow)})
    if made == "parquet":
        pq.write_table(table, folder / "x.parquet")
        return {"source": str(folder / "x.parquet")}, None
    if made == "duckdb":
        with duckdb.connect(str(folder / "x.duckdb")) as connection:
            connection.execute(f"CREATE TABLE t (g {in_duckdb})")
        return {"source": f"duckdb:{folder / 'x.duckdb'}?table=t"}, None
    if made == "csv":
        (folder / "x.csv").write_text("g\n7\n")
        return {"source": str(folder / "x.csv"), "types": {"g": "integer"}}, None
    if made == "postgres":
        return {"source": fixture(made).load(table, "narrow").location}, None
    return {}, {"arrow": table, "polars": pl.from_arrow(table)}[made]


@pytest.mark.parametrize(
    ("made", "of"),
    [
        # Each type in every second place, and each place with every second type.
        *(
            (made, of)
            for place, made in enumerate(("parquet", "duckdb", "arrow", "polars"))
            for of in one_in(2, [*NARROW], place % 2)
        ),
        ("csv", "int64"),
        ("postgres", "int64"),
    ],
)
def test_a_number_that_a_type_rules_out_is_no_key_of_it(tmp_path, made, of, request):
    """It would meet nobody, and noise around 0 would be published as if somebody could."""
    *_, possible, impossible = NARROW[of]
    source, data = narrow_of(made, tmp_path, of, request.getfixturevalue)
    for number in possible:
        query = {"statistic": "count", "where": [["g", "==", number]]}
        assert is_accepted(plan([], query=query, data=source), data), number
    for number in impossible:
        assert not is_accepted(plan([number], data=source), data), number
        for operator in ("==", "!="):
            query = {"statistic": "count", "where": [["g", operator, number]]}
            assert not is_accepted(plan([], query=query, data=source), data), number
        query = {"statistic": "count", "where": [["g", "<", number]]}
        assert is_accepted(plan([], query=query, data=source), data), number
