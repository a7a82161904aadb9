"""Two columns of one name are refused in every source, and no engine makes up a name."""

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import InvalidArgument, PlanError
from deniable.publish.plan.plan import read_plan
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.table import Source, open_table, schema
from deniable.rules.steps import read_p_table
from tests.cases.frames import Foreign, in_memory
from tests.cases.refusals import refuses, says

REPEATED = [
    ["v", "v"],
    ["v", "V"],
    ["x", "v", "v_1", "v"],
    ["Ä", "ä"],
    ["\u017f", "s"],
    ["ß", "\u1e9e"],
]


def table(names):
    return pa.table([pa.array([10**place]) for place in range(len(names))], names=names)


def as_csv(folder, names):
    line = ",".join(str(10**place) for place in range(len(names)))
    (folder / "x.csv").write_text(f"{','.join(names)}\n{line}\n", encoding="utf-8")
    return Source("x.csv", folder)


def as_parquet(folder, names):
    pq.write_table(table(names), folder / "x.parquet")
    return Source("x.parquet", folder)


def as_pandas(_, names):
    frame = table([str(place) for place in range(len(names))]).to_pandas()
    return in_memory(frame.set_axis(names, axis=1))


def as_relation(_, names):
    columns = ", ".join(f'1 AS "{name}"' for name in names)
    return in_memory(duckdb.sql(f"SELECT {columns}"))


MADE = {
    "csv": as_csv,
    "parquet": as_parquet,
    "pandas": as_pandas,
    "relation": as_relation,
    "arrow": lambda _, names: in_memory(table(names)),
    "batch": lambda _, names: in_memory(table(names).to_batches()[0]),
    "reader": lambda _, names: in_memory(table(names).to_reader()),
    "stream": lambda _, names: in_memory(Foreign(table(names))),
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("names", REPEATED, ids="-".join)
def test_two_names_that_an_engine_may_take_for_one_are_refused(tmp_path, made, names):
    with refuses(PlanError, "column-names-that-differ") as caught:
        schema(MADE[made](tmp_path, names))
    assert says(caught.value, "rename-or-write")


def test_a_spark_frame_with_two_columns_of_one_name_is_refused(spark):
    frame = spark.session.createDataFrame([(1, 2)], "v int, w int").toDF("v", "v")
    with refuses(PlanError, "upper-and-lower-case"):
        in_memory(frame)


def test_one_of_several_files_is_enough(tmp_path):
    pq.write_table(table(["v", "w"]), tmp_path / "0.parquet")
    pq.write_table(table(["v", "v"]), tmp_path / "1.parquet")
    with pytest.raises(PlanError):
        schema(Source("*.parquet", tmp_path))


def test_a_column_without_a_name_is_out_of_reach_and_others_are_read(tmp_path):
    """The engine calls the second C1."""
    for names in (["v", "", "w"], ["v", "", "w", ""]):
        source = as_parquet(tmp_path, names)
        assert {name for name, kind in schema(source).items() if kind is not Kind.OTHER} == {
            "v",
            "w",
        }
        with open_table(source, ["v", "w"]) as data:
            assert data.engine.rows(data.table).to_pylist() == [{"v": 1, "w": 100}]
        for made_up in ("C1", "c1", "column1", "_1", "", "v_1"):
            with pytest.raises(PlanError), open_table(source, [made_up]):
                pass


def test_moments_stand_where_their_name_does(tmp_path):
    """Nanoseconds with a zone are refused as the entity, of their own column alone."""
    fine = pa.array([1], pa.timestamp("ns", "UTC"))
    columns = {"a": pa.array([1]), "at": fine, "day": pa.array([1], pa.timestamp("us", "UTC"))}
    rows = pa.table([pa.array([0]), *columns.values()], names=["", *columns])
    pq.write_table(rows, tmp_path / "x.parquet")
    source = Source("x.parquet", tmp_path)
    with refuses(PlanError, "moments-are-read-to-last"), open_table(source, ["a"], entity="at"):
        pass
    with open_table(source, ["a"], entity="day") as data:
        assert data.engine.rows(data.table)["a"].to_pylist() == [1]


def test_a_p_table_with_two_columns_of_one_name_is_refused(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("i,j,p,p\n0,0,0.5,1\n", encoding="utf-8")
    with refuses(InvalidArgument, "each-once-other-columns"):
        read_p_table(path)


def test_a_file_of_keys_with_two_columns_of_one_name_is_refused(tmp_path):
    pd.DataFrame({"g": ["a"]}).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "k.csv").write_text("g,g\na,b\n", encoding="utf-8")
    plan = (
        '[data]\nsource = "t.csv"\nadjacency = "add-remove"\n[target]\nepsilon = 1\n[[query]]\n'
        'name = "n"\nstatistic = "count"\ngroup_by = ["g"]\nkeys = { g = { file = "k.csv" } }\n'
    )
    (tmp_path / "p.toml").write_text(plan, encoding="utf-8")
    with refuses(PlanError, 'twice-in-its-first-line: "g"'):
        read_plan(tmp_path / "p.toml")


CASES = [("s", "\u017f"), ("\u00e4", "\u00c4"), ("v", "V")]
"""Names that an engine may take for one."""
NAMES_TAKEN = """\
[data]
source = "x.csv"
{data}
[columns]
{columns}
[target]
epsilon = 1.0
[[query]]
name = "rows"
statistic = "count"
where = [["{other}", "==", "a"]]
"""


@pytest.mark.parametrize(("name", "other"), CASES)
@pytest.mark.parametrize("place", ["header", "columns", "source"])
def test_what_a_plan_names_is_told_apart_as_an_engine_does(tmp_path, name, other, place):
    """`csv.columns`, two of [columns], and one of [columns] beside one of the source."""
    header, data, columns = f"{name},w", "", f'"{other}" = {{ of = "w", part = "year" }}'
    if place == "header":
        data = f'csv = {{ header = false, columns = ["{name}", "{other}"] }}'
        columns = ""
    elif place == "columns":
        header = "w,u"
        columns += f'\n"{name}" = {{ of = "w", part = "year" }}'
    (tmp_path / "x.csv").write_text(f"{header}\n2024-01-01,2\n", encoding="utf-8")
    (tmp_path / "plan.toml").write_text(
        NAMES_TAKEN.format(data=data, columns=columns, other=other), encoding="utf-8"
    )
    with refuses(PlanError, "upper-and-lower-case"):
        read_plan(tmp_path / "plan.toml")
