"""Skeleton, preview and release are the same, wherever the owner's table lives."""

import datetime
import json
import secrets
import tomllib

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable
from deniable.publish.sources.engine import DuckDB
from tests.cases.effort import one_in
from tests.cases.sources import ABSENT, HANDED, PLACES, as_parquet, types_of

DAY = datetime.date(2024, 2, 29)
TABLE = pa.table(
    {
        "person": pa.array([i * i % 11 for i in range(90)], pa.int64()),
        "x": pa.array([i % 7 - 2.5 if i % 5 else None for i in range(90)], pa.float64()),
        "group": pa.array([["a", "b", "elsewhere", None][i % 4] for i in range(90)], pa.string()),
        "on": pa.array([i % 3 == 0 for i in range(90)], pa.bool_()),
        "day": pa.array([DAY + datetime.timedelta(days=i % 3) for i in range(90)], pa.date32()),
    }
)
PLAN = """
[data]
{source}
entity = "person"
{declared}

[target]
epsilon = 1.0

[limits]
rows_per_entity = 4

[[query]]
name = "sum"
statistic = "sum"
column = "x"
bounds = [-1, 3]
group_by = ["group"]
keys = {{ group = ["a", "b"] }}
where = [["day", ">", 2024-02-29], ["on", "==", false]]

[[query]]
name = "histogram"
statistic = "histogram"
column = "x"
edges = [-2, 0, 2]
max_contribution = 2
"""


@pytest.fixture(autouse=True)
def one_salt(monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)


def written(folder, made, request, name="plan.toml"):
    """A plan that names where the table lies, as `made` puts it there."""
    source = made(TABLE, folder, request.getfixturevalue)
    declared = [f"source = {json.dumps(source.location)}"]
    if source.types:
        declared += [f"nulls = [{json.dumps(ABSENT)}]", f"types = {inline(types_of(TABLE))}"]
    path = folder / name
    path.write_text(PLAN.format(source=declared[0], declared="\n".join(declared[1:])), "utf-8")
    return path


def inline(types):
    return "{ " + ", ".join(f"{name} = {json.dumps(kind)}" for name, kind in types.items()) + " }"


def handed(folder, name):
    """A plan for a table that is handed over, and the table."""
    objects = {key: types_of(TABLE)[key] for key in ("group", "day")} if name == "pandas" else {}
    declared = f"types = {inline(objects)}" if objects else ""
    path = folder / "plan.toml"
    path.write_text(PLAN.format(source="", declared=declared), "utf-8")
    return path, HANDED[name](TABLE)


@pytest.fixture(scope="module")
def expected(tmp_path_factory, request):
    path = written(tmp_path_factory.mktemp("parquet"), as_parquet, request)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)
        return deniable.preview(path).as_json()["removed"]


@pytest.mark.parametrize("place", PLACES)
def test_preview_is_the_same_from_every_place(place, tmp_path, request, expected, monkeypatch):
    if place == "spark":  # it has not DuckDB's hash; digests are the same in both
        monkeypatch.setattr(DuckDB, "add_order", DuckDB.add_hash)
        expected = deniable.preview(written(tmp_path, as_parquet, request)).as_json()["removed"]
    path = written(tmp_path, PLACES[place], request)
    assert deniable.preview(path).as_json()["removed"] == expected


# Other kinds of frame are released below.
@pytest.mark.parametrize("name", one_in(2, [*HANDED]))
def test_preview_is_the_same_from_every_frame(name, tmp_path, expected):
    path, data = handed(tmp_path, name)
    assert deniable.preview(path, data=data).as_json()["removed"] == expected


def without_its_place(skeleton):
    """A first plan's lines, but for the source."""
    return [line for line in skeleton.splitlines() if not line.startswith("source = ")]


@pytest.mark.parametrize("place", [*PLACES, *HANDED])
def test_a_first_plan_is_the_same_from_everywhere(place, tmp_path, request):
    base = deniable.new(as_parquet(TABLE, tmp_path, None).location, tmp_path)
    if place in PLACES:
        location = PLACES[place](TABLE, tmp_path, request.getfixturevalue).location
        skeleton = deniable.new(location, tmp_path)
    else:
        location, skeleton = "memory", deniable.new(HANDED[place](TABLE))
    assert tomllib.loads(skeleton)["data"]["source"] == location
    if place != "csv" and not place.startswith("pandas"):  # whose types a plan has to say
        assert without_its_place(skeleton) == without_its_place(base)


@pytest.mark.parametrize("name", one_in(2, [*HANDED], 1))
def test_rows_come_back_in_the_library_that_the_data_came_in(name, tmp_path):
    path, data = handed(tmp_path, name)
    released = deniable.release(path, tmp_path / "out", data=data)
    rows = released.frame()
    libraries = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
    assert type(rows) is libraries.get(name.split(",")[0], pa.Table)
    assert len(rows) == 4
    assert set(rows["query"]) == {"sum", "histogram"} or isinstance(rows, pa.Table)
