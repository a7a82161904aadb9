"""Whether there is a release depends on no cell, but for exceptions that the threat model names.

Limits and errors about data are looked for in the source, so that a new one has to be entered in
the page; the ends that neighbours may come to are tried where one cell decides a column's type, and
by the fuzzer with low limits.
"""

import ast
import datetime
import itertools
import re
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.errors import DeniableError
from tests.cases.effort import one_in, usual
from tests.cases.refusals import refuses
from tests.fuzz.forms import FORMS
from tests.fuzz.neighbours import LIMITS, SIZES, block, low_limits

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "deniable"
PAGE = (ROOT / "docs" / "explanation" / "threat-model.md").read_text(encoding="utf-8")

ON_THE_WAY = (
    *("publish/totals", "publish/sources", "publish/query", "publish/statistics", "publish/survey"),
    *("publish/derived", "publish/release.py", "pipeline/release.py", "pipeline/noise", "servers"),
    *("crosstabs/margins", "crosstabs/crosstab.py", "crosstabs/tree.py", "more_statistics"),
    *("survival", "statistics_files", "population/members.py"),
)
"""What runs once a table is open."""
_LIMIT = re.compile(r"_?[A-Z_]*(MOST|(?<!DE)LIMIT|LARGEST|LONGEST|FARTHEST|MAX)[A-Z_]*")
_ERRORS = {"DataError", "SpaceError", "damaged", "no_space", "failed"}
ENDS = {
    "publish/sources/csv_source.first_line": "damaged",
    "publish/sources/csv_source.is_text": "damaged",
    "publish/sources/csv_source.transcode": "damaged",
    "publish/sources/csv_staging.readable": "damaged",
    "publish/sources/csv_staging._write_rows": "damaged",
    "publish/sources/engine._check_temporary": "space",
    "publish/sources/engine.no_space": "space",
    "publish/sources/engine.damaged": "damaged",
    "publish/sources/engine.call_redacting_errors": "damaged",
    "publish/sources/engine.run": "damaged",
    "publish/sources/parquet_source._parquet_types": "damaged",
    "servers/postgres._changed": "server",
    "servers/postgres._describe_failure": "server",
    "servers/spark_engine._session_beside": "server",
    "servers/spark_engine.failed": "server",
    "servers/spark_engine.run": "server",
    "statistics_files/packages.blocks": "damaged",
    "statistics_files/spreadsheets._matches": "damaged",
    "statistics_files/packages.of": "damaged",
    "statistics_files/packages.rows": "damaged",
    "publish/totals/aggregate.exact_totals": "sample",
    "population/members.count_members_drawn": "members",
}
"""Functions that end a release by what the data hold, and the exception of the page."""
SAID = ("OWNER_ONLY", "Their number is public.")


def modules():
    for place in ON_THE_WAY:
        path = SOURCE / place
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def name_of(path):
    return path.relative_to(SOURCE).with_suffix("").as_posix()


def limits():
    """Numbers, and texts of sizes, that a module calls a limit."""
    for path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in targets:
                if isinstance(target, ast.Name) and _LIMIT.fullmatch(target.id):
                    yield f"{name_of(path)}.{target.id}"


def test_every_limit_stands_in_the_threat_model_and_no_other():
    table = PAGE.partition("<!-- limits -->")[2].partition("<!-- end of limits -->")[0]
    named = re.findall(r"`([a-z_/]+\.[A-Z_]+)`", table)
    assert len(named) == len(set(named))
    there = set(limits())
    assert len(there) > 30
    assert {each for each in there if not any(each.endswith(name) for name in named)} == set()
    assert {name for name in named if not any(each.endswith(name) for each in there)} == set()


def test_every_end_by_the_data_is_an_exception_that_page_and_error_name():
    ends = {}
    for path in modules():
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            made = [
                call
                for call in ast.walk(node)
                if isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id in _ERRORS
            ]
            if made:
                ends[f"{name_of(path)}.{node.name}"] = None
            for call in made:
                if call.func.id in ("DataError", "SpaceError"):
                    said = ast.get_source_segment(text, call)
                    assert any(words in said for words in SAID), (path, said)
    assert set(ends) == set(ENDS)
    for exception in ENDS.values():
        assert f"| **{exception}** |" in PAGE


def test_limits_that_the_fuzzer_lowers_are_there():
    for name in LIMITS:
        module, _, constant = name.rpartition(".")
        text = (SOURCE / "publish" / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        assert re.search(rf"\b{constant}\b", text)


@pytest.mark.parametrize("form", ["arrow", "csv"])
def test_low_limits_end_no_release_and_move_no_neighbour(form, tmp_path, monkeypatch):
    monkeypatch.setitem(SIZES, "replace-one", 3)
    monkeypatch.setitem(SIZES, "add-remove", 2)
    with low_limits():
        for number in range(usual(1, 2)):
            _, _, outcome = block(number, {form: FORMS[form]}, tmp_path)
            assert (outcome.violations, outcome.refused) == ([], "")


# --- A column in which nobody has a value has no type of its own: one cell would give it one.

QUERIES = {
    "sum": (7, 'statistic = "sum"\ncolumn = "v"\nbounds = [0, 10]'),
    "quantile": (7.5, 'statistic = "quantile"\ncolumn = "v"\nbounds = [0, 10]'),
    "groups": ("a", 'statistic = "count"\ngroup_by = ["v"]\nkeys = { v = ["a", "b"] }'),
    "truth": (True, 'statistic = "count"\nwhere = [["v", "==", true]]'),
    "day": ("2024-05-17", 'statistic = "count"\nwhere = [["v", ">=", 2024-05-18]]'),
    "unknown": ("a", 'statistic = "entities"\ngroup_by = ["v"]\nkeys = { v = "unknown" }'),
}
PLAN = """
[data]
adjacency = "add-remove"
{types}
[target]
epsilon = 5.0
delta = 1e-6
[[query]]
name = "q"
{query}
"""
TABLES = {
    "polars": lambda values: pl.DataFrame({"v": values, "w": [1, 2, 3]}),
    "lazy polars": lambda values: pl.LazyFrame({"v": values, "w": [1, 2, 3]}),
    "Arrow": lambda values: pa.table({"v": values, "w": [1, 2, 3]}),
    "batch": lambda values: pa.record_batch({"v": pa.array(values), "w": pa.array([1, 2, 3])}),
    "stream": lambda values: pa.table({"v": values, "w": [1, 2, 3]}).to_reader(),
    "categories": lambda values: pa.table(
        {"v": pa.array(values).dictionary_encode(), "w": pa.array([1, 2, 3])}
    ),
    "pandas, Arrow's types": lambda values: pa.table({"v": values, "w": [1, 2, 3]}).to_pandas(
        types_mapper=pd.ArrowDtype
    ),
    "Parquet": lambda values: [pa.table({"v": values, "w": [1, 2, 3]})],
    "Parquet, a file a person": lambda values: [
        pa.table({"v": [value], "w": [1]}) for value in values
    ],
}


def value_of(query, value):
    return datetime.date.fromisoformat(value) if query == "day" else value


def ends_as(tmp_path, made, values, plan):
    """Rows of a release from a table, or from Parquet files of several, or its error."""
    data, out = made(values), tmp_path / f"{len(list(tmp_path.iterdir()))}"
    if isinstance(data, list):
        folder = tmp_path / f"{out.name} files"
        folder.mkdir()
        for number, each in enumerate(data):
            pq.write_table(each, folder / f"{number}.parquet")
        plan = plan.replace("[data]\n", f'[data]\nsource = "{folder}/*.parquet"\n')
        data = None
    try:
        done = deniable.release(plan, out, data=data)
    except DeniableError as error:
        return str(error)
    return [row.statistic for row in done.rows if row.statistic != "entities"]


PAIRS = [*itertools.product(TABLES, QUERIES)]
IN_TURN = [
    (table, query)
    for place, table in enumerate(TABLES)
    for query in one_in(6, [*QUERIES], place)
]  # fmt: skip
"""Of each table one query, and of each query one or two tables."""


@pytest.mark.parametrize(("table", "query"), usual(IN_TURN, PAIRS))
def test_one_value_in_an_empty_column_makes_and_ends_no_release(tmp_path, table, query):
    value, text = QUERIES[query]
    plan = PLAN.format(types="", query=text)
    nobody = ends_as(tmp_path, TABLES[table], [None, None, None], plan)
    one = ends_as(tmp_path, TABLES[table], [None, None, value_of(query, value)], plan)
    assert nobody == one
    assert isinstance(nobody, list)


def test_an_empty_column_may_be_declared_computed_with_and_name_the_entity(tmp_path):
    empty = pa.table({"v": pa.nulls(3), "w": [1, 2, 3]})
    declared = PLAN.format(types='types = { v = "number" }', query=QUERIES["sum"][1])
    derived = PLAN.format(
        types='[columns]\nm = { of = "v", part = "month" }\nl = { sum = ["w", "w"] }',
        query='statistic = "count"\nwhere = [["m", "==", "2024-01"]]',
    )
    entity = PLAN.format(types='entity = "v"\n[limits]\nrows_per_entity = 1',
                         query='statistic = "entities"')  # fmt: skip
    for number, plan in enumerate((declared, derived, entity)):
        deniable.release(plan, tmp_path / str(number), data=empty)
        assert deniable.check(tmp_path / str(number)).holds
    twice = QUERIES["sum"][1] + '\n[[query]]\nname = "r"\n' + QUERIES["groups"][1]
    with refuses(DeniableError, "column-of-numbers: sum"):  # as one value of either kind would be
        deniable.release(PLAN.format(types="", query=twice), tmp_path / "no", data=empty)


def test_no_number_of_unknown_keys_ends_a_release(tmp_path):
    """All of a table's keys, each with one entity; the count is known to nobody."""
    plan = PLAN.format(types="", query=QUERIES["unknown"][1])
    people = pa.table({"v": [f"k{number}" for number in range(3000)]})
    done = deniable.release(plan, tmp_path / "out", data=people)
    assert len(done.rows) < 3000
