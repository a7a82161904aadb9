"""What a release on Spark leaves behind, shows, or lets one person's value decide."""

import decimal
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

from deniable.errors import DataError, InvalidArgument, PlanError
from deniable.notions import Adjacency
from deniable.publish.owner.preview import preview
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.release import release
from deniable.publish.skeleton import new
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.reader import frame_of
from deniable.publish.sources.table import Source, open_table, schema
from deniable.publish.statistics import Count, Sum
from deniable.publish.totals.aggregate import exact_totals
from deniable.publish.totals.passes import truncate_rows
from deniable.servers.spark_columns import compile_query
from tests.cases import member_lists
from tests.cases.command_line import app
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses
from tests.cases.spark_session import need_pyspark, need_spark, source_of

TABLE = pa.table(
    {
        "person": [f"p{i % 7}" for i in range(60)],
        "x": [i * 0.5 for i in range(60)],
        "word": ["a", "b", "secret-7"] * 20,
    }
)
ROWS = Protection(Adjacency.ADD_REMOVE, 3)
BY_WORD = Grouping(("word",), (("a", "b", "${x}"),))
WORK = [
    (Query("count", Count(), BY_WORD), ROWS),
    (Query("sum", Sum("x", (0, 9)), where=(Condition("word", "!=", "a"),)), ROWS),
    (Query("scaled", Sum("x", (0, 9)), BY_WORD), Protection(Adjacency.ADD_REMOVE, None, 5.0)),
]
PLAN = """
[data]
{source}
entity = "person"
[target]
epsilon = 1.0
[limits]
rows_per_entity = 3
[[query]]
name = "rows"
statistic = "count"
group_by = ["word"]
keys = {{ word = ["a", "b"] }}
[[query]]
name = "sum"
statistic = "sum"
column = "x"
bounds = [0, 9]
"""


def state(session):
    """All that a session has of its own, and that the cluster holds for it."""
    catalog, context = session.catalog, session.sparkContext
    return {
        "settings": dict(session.conf.getAll),
        "views": [table.name for table in catalog.listTables() if table.isTemporary],
        "shared": [table.name for table in catalog.listTables("global_temp")],
        "kept": context._jsc.getPersistentRDDs().size(),
        "tags": session.getTags(),
        "active": type(session).active() is session,
    }


def test_nothing_is_left_and_no_setting_changed(spark):
    before = state(spark.session)
    exact_totals(spark.load(TABLE), "person", WORK)
    assert state(spark.session) == before
    failing = spark.frame(TABLE).selectExpr("person", "CAST(word AS DOUBLE) AS x", "word")
    with pytest.raises(DataError):
        exact_totals(source_of(failing), "person", WORK)
    assert state(spark.session) == before


def test_no_error_quotes_a_value(spark, capfd):
    frame = spark.frame(TABLE).selectExpr("person", "CAST(word AS DOUBLE) AS x", "word")
    with pytest.raises(DataError) as caught:
        exact_totals(source_of(frame), "person", WORK[1:2])
    told = "".join(traceback.format_exception(caught.value)) + "".join(capfd.readouterr())
    assert "secret-7" not in told.replace(str(Path(__file__)), "")
    assert caught.value.__context__ is None
    with pytest.raises(Exception, match=r"secret-7|'a'|'b'"):  # which Spark does by itself
        frame.collect()


def test_no_plan_shows_the_salt(spark):
    with open_table(spark.load(TABLE), ["x", "word"], entity="person") as data:
        kept = truncate_rows(data.engine, data.table, data.entity, data.order_by, 3, "the salt")
        frame = data.engine.session.sql(compile_query(kept))
        frame.toArrow()
        plans = frame._jdf.queryExecution()
        shown = plans.toString() + plans.executedPlan().toString() + compile_query(kept)
    assert "the salt" not in shown
    assert "row_number" in shown.lower()


def test_ctrl_c_ends_the_job(spark):
    endless = spark.session.range(10**13).selectExpr("id % 7 AS person", "id * 0.5 AS x")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    status = spark.session.sparkContext.statusTracker()
    threading.Timer(3.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            exact_totals(source_of(endless), "person", [(Query("n", Sum("x", (0, 9))), ROWS)])
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(status.getActiveStageIds()) == []


@pytest.mark.parametrize("scale", [0, 9, 38])
def test_decimals_of_38_digits_add_up_as_their_nearest_floats(spark, scale):
    draw = np.random.default_rng(scale)
    digits = [
        str(draw.integers(1, 10)) + "".join(map(str, draw.integers(0, 10, 37))) for _ in "x" * 60
    ]
    digits += ["9" * 38, "9007199254740993".rjust(38, "0"), "9007199254740993".ljust(38, "0"), "1"]
    texts = [str(decimal.Decimal(each).scaleb(-scale, decimal.Context(60))) for each in digits]
    texts += [f"-{each}" for each in texts[::2]]
    frame = spark.session.createDataFrame([(each,) for each in texts], "t string")
    frame = frame.selectExpr(f"CAST(t AS DECIMAL(38, {scale})) AS x")
    floats = pd.DataFrame({"x": [float(each) for each in texts]})
    most = float(10 ** (38 - scale))
    for bounds in ((-most, most), (-most / 1e6, most / 1e6)):
        work = [(Query("s", Sum("x", bounds)), Protection(Adjacency.ADD_REMOVE, 1))]
        sources = source_of(frame), source_of(floats)
        ours, theirs = (exact_totals(of, None, work)[0].tolist() for of in sources)
        assert ours == theirs


def test_types_are_refused_by_the_schema_alone(spark):
    made = {
        "binary": "X'00'", "array": "array(1)", "map": "map(1, 2)", "struct": "struct(1)",
        "nothing": "NULL", "interval": "INTERVAL '1' DAY", "months": "INTERVAL '1' MONTH",
        "variant": "parse_json('1')", "time": "TIME'12:00:00'",
    }  # fmt: skip
    known = {
        "tiny": "CAST(1 AS TINYINT)", "float": "1.0F", "decimal": "1.50BD",
        "date": "DATE'2024-02-29'", "zone": "TIMESTAMP_LTZ'2024-02-29 12:00:00'",
        "none": "TIMESTAMP_NTZ'2024-02-29 12:00:00'",
        "collated": "'A' COLLATE UNICODE_CI", "truth": "true",
    }  # fmt: skip
    chosen = [f"{value} AS {name}" for name, value in (made | known).items()]
    found = schema(source_of(spark.session.range(1).selectExpr(*chosen)))
    assert {name for name, kind in found.items() if kind is Kind.OTHER} == set(made)
    assert [str(found[name]) for name in known] == [
        "integer", "number", "number", "date", "timestamp", "timestamp", "text", "boolean"
    ]  # fmt: skip


def test_what_is_no_table_of_rows_is_refused(spark):
    with refuses(InvalidArgument, "stream-for-spark"):
        frame_of(spark.session.readStream.format("rate").load())
    with refuses(PlanError, "more-than-upper-and-lower-case"):
        frame_of(spark.session.range(1).selectExpr("id AS x", "id AS X"))


def test_texts_that_a_collation_takes_for_equal_stay_apart(spark):
    frame = spark.session.sql(
        "SELECT x COLLATE UTF8_LCASE AS x FROM VALUES ('a'), ('A'), ('a ') AS t(x)"
    )
    work = [(Query("n", Count(), Grouping(("x",), (("a", "A"),))), ROWS)]
    (found,) = exact_totals(source_of(frame), "x", work)
    assert found.ravel().tolist() == [1, 1]


def test_a_zone_of_the_callers_session_reads_their_files_as_before(spark, tmp_path):
    (tmp_path / "t.csv").write_text("2024-07-01 12:00:00\n1883-01-01 00:00:00\n")
    frame = spark.session.read.schema("at TIMESTAMP").csv(str(tmp_path))
    seen = sorted(frame.selectExpr("unix_micros(at) AS n").toArrow()["n"].to_pylist())
    with open_table(source_of(frame), ["at"]) as data:
        found = data.engine.rows(data.table)["at"].cast(pa.int64()).to_pylist()
    assert sorted(found) == seen


@pytest.fixture
def table(spark):
    yield spark.written(TABLE, "visits").location
    spark.session.sql("DROP TABLE default.visits")


def test_a_plan_names_a_table_of_a_catalog(spark, table, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.format(source=f'source = "{table}"'))
    done = release(path, tmp_path / "out")
    assert len(done.rows) == 3
    assert "spark_catalog" not in (tmp_path / "out" / "certificate.json").read_text()
    assert '"word": text' in new(table)
    for words in (["plan", str(path)], ["preview", str(path)], ["new", table]):
        told = CliRunner().invoke(app, words, catch_exceptions=False)
        assert (told.exit_code, bool(told.stdout)) == (0, True)
    before = state(spark.session)
    path.write_text(PLAN.format(source=""))
    handed = release(path, tmp_path / "handed", data=spark.session.table("default.visits"))
    assert handed.frame().count() == 3
    shown = preview(path, data=spark.session.table("default.visits")).as_json()
    assert shown["removed"][0]["losses"]["total"] == len(TABLE)
    assert state(spark.session) == before


@pytest.mark.usefixtures("table")
def test_a_view_of_a_catalog_is_no_source(spark):
    spark.session.sql("CREATE VIEW default.seen AS SELECT * FROM default.visits")
    with refuses(PlanError, "the-view"):
        schema(Source("spark:spark_catalog.default.seen", Path()))
    spark.session.sql("DROP VIEW default.seen")
    spark.session.table("default.visits").createOrReplaceTempView("passing")
    with refuses(PlanError, "the-view"):
        schema(Source("spark:passing", Path()))
    spark.session.catalog.dropTempView("passing")
    for name in ("spark_catalog.default.seen", "nowhere.a.b", "", "a b", "`", "default.seen; DROP"):
        with refuses(PlanError, "no-such-table"):
            schema(Source(f"spark:{name}", Path()))


COMMANDS = """
import json, sys
if sys.argv[1] == "no pyspark":
    sys.modules["pyspark"] = None
from click.testing import CliRunner
from deniable.cli.program import program
for words in json.loads(sys.argv[2]):
    found = CliRunner().invoke(program(), words)
    print(json.dumps([found.exit_code, found.stdout, found.stderr]))
"""


def answers(folder, missing, commands, path=None):
    """How commands on a table of Spark's end, in a process that lacks something."""
    (folder / "p.toml").write_text(PLAN.format(source='source = "spark:a.b.c"'))
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    if path is not None:
        environment["PATH"] = str(path)
    words = [sys.executable, "-c", COMMANDS, missing, json.dumps(commands)]
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


EVERY = [["new", "spark:a.b.c"], *([each, "p.toml"] for each in ("plan", "preview"))]
EVERY += [["release", "p.toml", "--out", "out"]]


def test_without_pyspark_each_command_names_the_extra(tmp_path):
    found = answers(tmp_path, "no pyspark", EVERY)
    assert len(found) == len(EVERY)
    for status, output, said in found:
        assert (status, output) == (2, "")
        told = refusal_of(said)
        assert told.got.startswith("none installed")
        assert told.remedy == 'Run: pip install "deniable[spark]".'
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]


def test_without_java_a_command_names_java(tmp_path):
    need_pyspark()
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bash", "dirname"):
        (programs / name).symlink_to(shutil.which(name))
    ((status, output, said),) = answers(tmp_path, "no Java", EVERY[1:2], programs)
    assert (status, output) == (2, "")
    assert "Java 17" in refusal_of(said).remedy
    assert {path.name for path in tmp_path.iterdir()} == {"p.toml", "programs"}


def test_a_session_of_its_own_leaves_no_folder_where_the_command_ran(tmp_path):
    need_spark()
    ((status, output, said),) = answers(tmp_path, "nothing", EVERY[1:2])
    assert (status, output) == (2, "")
    assert refusal_of(said).got.startswith("no such table")
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]


def test_data_in_spark_are_compared_with_a_list_in_a_file(spark, tmp_path):
    known = member_lists.members()
    path = member_lists.write(tmp_path, member_lists.TABLE, list_=known)
    path.write_text(path.read_text("utf-8").replace('source = "data.parquet"', ""), "utf-8")
    inside = spark.frame(member_lists.drawn(known))
    claim = release(path, tmp_path / "out", data=inside).prepared.population.claim
    assert (claim.members, claim.drawn) == (60, 30)
    twice = spark.frame(pa.concat_tables([known.slice(0, 9), known.slice(0, 1)]))
    with pytest.raises(DataError):
        release(path, tmp_path / "again", data=twice)
