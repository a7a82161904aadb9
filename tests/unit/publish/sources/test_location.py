"""What a source's name points to, and what is said where it points to nothing."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import DataError, PlanError
from deniable.publish.sources import Kind, Source, files, is_csv, open_table, schema
from tests.cases.refusals import refuses


def written(folder, name, **columns):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns or {"a": [1]}), path)
    return path


@pytest.mark.parametrize(
    ("name", "csv"),
    [
        ("x.csv", True),
        ("X.CSV", True),
        ("x.tsv.gz", True),
        ("x.txt", True),
        ("x.parquet", False),
        ("duckdb:x.csv?table=t", False),
    ],
)
def test_is_csv_by_name_alone(tmp_path, name, csv):
    assert is_csv(Source(name, tmp_path)) is csv


def test_a_file_and_a_glob(tmp_path):
    paths = [written(tmp_path, f"deep/{name}.parquet") for name in ("b", "a")]
    (tmp_path / "deep" / "c.parquet").mkdir()
    assert files(Source("deep/a.parquet", tmp_path)) == [paths[1]]
    assert files(Source("deep/*.parquet", tmp_path)) == paths[::-1]
    assert files(Source("**/[ab].parquet", tmp_path)) == paths[::-1]
    assert files(Source(str(paths[0]), tmp_path / "elsewhere")) == [paths[0]]


def test_a_name_with_wildcards_is_still_one_file(tmp_path):
    for number, name in enumerate(["x[1].parquet", "x1.parquet", "a*.parquet", "a'?.parquet"]):
        written(tmp_path, name, a=[number])
    for number, name in enumerate(["x[1].parquet", "x1.parquet", "a*.parquet", "a'?.parquet"]):
        source = Source(name, tmp_path)
        assert schema(source) == {"a": Kind.INTEGER}
        with open_table(source, ["a"]) as opened:
            assert opened.engine.rows(opened.table)["a"].to_pylist() == [number]


def test_a_folder_name_is_no_column(tmp_path):
    written(tmp_path, "year=2024/a.parquet")
    assert schema(Source("year=*/a.parquet", tmp_path)) == {"a": Kind.INTEGER}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.parquet", "file-or-glob-that-finds"),
        ("none*.csv", "file-or-glob-that-finds"),
        ("folder", "name-that-ends"),
        ("https://example.org/x.json", "name-that-ends"),
        ("duckdb:x.duckdb", "duckdb-file-table-name"),
        ("duckdb:?table=t", "duckdb-file-table-name"),
        ("duckdb:x.duckdb?table=", "duckdb-file-table-name"),
        ("duckdb:none.duckdb?table=t", "duckdb-file-none"),
        ("duckdb:text.txt?table=t", "duckdb-file-that-can-opened"),
        ("duckdb:x.duckdb?table=u", 'table-u-none: u | "t"'),
        ("duckdb:x.duckdb?table=v", "view-table-v-in-whose: v"),
        ("duckdb:x.duckdb?table=inner", "table-in-another-schema: inner | s"),
        ("text.parquet", "parquet-file"),
        ("empty.parquet", "parquet-file"),
    ],
)
def test_refused(tmp_path, name, message):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("neither" * 1000)
    (tmp_path / "text.parquet").write_text("neither")
    (tmp_path / "empty.parquet").touch()
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute("CREATE TABLE t (a INT); CREATE VIEW v AS FROM t; CREATE SCHEMA s")
        connection.execute("CREATE TABLE s.inner (a INT)")
    source = Source(name, tmp_path)
    with refuses(PlanError, message):
        schema(source)


def test_the_folder_in_which_a_file_is_missed_is_named(tmp_path):
    for base, folder in ((Path(), "this folder"), (tmp_path, str(tmp_path))):
        with refuses(PlanError, f"file-missed-in: {folder}"):
            schema(Source("none.csv", base))


def test_files_of_a_glob_agree(tmp_path):
    written(tmp_path, "a.parquet", x=[1], y=["t"])
    written(tmp_path, "b.parquet", y=["t"], x=[1])
    source = Source("*.parquet", tmp_path)
    assert schema(source) == {"x": Kind.INTEGER, "y": Kind.TEXT}
    for other, words in [
        ({"x": [1.0], "y": ["t"]}, '"x" is DOUBLE, not BIGINT'),
        ({"x": [1]}, '"y" is missing, not VARCHAR'),
        ({"x": [1], "y": ["t"], "z": [1]}, '"z" is BIGINT, not missing'),
    ]:
        written(tmp_path, "c.parquet", **other)
        with refuses(PlanError, f"same-columns-and-types-others: c.parquet | {words}"):
            schema(source)


def test_headers_of_a_glob_agree(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,y\n3,4\n")
    source = Source("*.csv", tmp_path)
    assert [*schema(source)] == ["x", "y"]
    for header, place in [("y,x", 1), ("x", 2), ("x,y,z", 3)]:
        (tmp_path / "c.csv").write_text(f"{header}\n")
        with refuses(PlanError, f"same-header-different-one: c.csv | {place}"):
            schema(source)


def test_a_truncated_parquet_file_is_for_the_owner(tmp_path):
    path = written(tmp_path, "x.parquet", a=list(range(1000)))
    path.write_bytes(path.read_bytes()[:-20])
    with refuses(DataError, "readable-data-something-damaged") as caught:
        schema(Source("x.parquet", tmp_path))
    assert caught.value.__context__ is None


def test_a_source_is_a_value(tmp_path):
    types = {"a": "integer"}
    source = Source("x.csv", tmp_path, types)
    types["a"] = "text"
    assert source.types == {"a": "integer"}
    assert source == Source("x.csv", tmp_path, {"a": "integer"})
    assert hash(source)
    with pytest.raises(TypeError):
        source.types["a"] = "text"


@pytest.mark.parametrize("view", ["SELECT * FROM t", "SELECT random() AS a", "SELECT 1 AS a"])
def test_a_view_is_refused_with_the_remedy(tmp_path, view):
    with duckdb.connect(str(tmp_path / "x.db")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
        connection.execute(f"CREATE VIEW v AS {view}")
    with refuses(PlanError, "view-v-in-create-table"):
        schema(Source("duckdb:x.db?table=v", tmp_path))
