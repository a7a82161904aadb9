"""Schemas and cleaned tables of every kind of source; what must be read, what must be refused."""

import datetime
import decimal
import gzip
import math
import os
import re
import uuid
from pathlib import Path

import attrs
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import DataError, PlanError
from deniable.publish.sources import OWNER_ONLY, Kind, Source, damaged, open_table, schema
from tests.cases.effort import one_in
from tests.cases.refusals import refuses

ROOT = Path(__file__).resolve().parents[4]
ODD = "Größe \"in cm\", oder 'x'"


def rows(source, columns, entity=None):
    with open_table(source, columns, entity=entity, memory_limit="200MB") as data:
        found = data.engine.rows(data.table).to_pydict()
        return (found, data.entity) if entity else found


def csv(tmp_path, text, **settings):
    (tmp_path / "x.csv").write_text(text, encoding="utf-8")
    return Source("x.csv", tmp_path, **settings)


def parquet(tmp_path, **columns):
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    return Source("x.parquet", tmp_path)


def database(tmp_path, query):
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute(f'CREATE TABLE "my ""t""" AS {query}')
    return Source('duckdb:x.duckdb?table=my "t"', tmp_path)


EVERY_TYPE = (
    "SELECT 1::TINYINT AS i1, 1::BIGINT AS i8, 1::UINTEGER AS u4, 1::UBIGINT AS u8, "
    "1::HUGEINT AS h, 1::UHUGEINT AS uh, 1.5::DECIMAL(10,2) AS d, 1.5::FLOAT AS f4, "
    "1.5::DOUBLE AS f8, 'a' AS t, 'a'::ENUM('a', 'b') AS e, true AS b, "
    "'00000000-0000-0000-0000-000000000001'::UUID AS id, DATE '2024-01-31' AS day, "
    "TIMESTAMP '2024-01-31 12:00' AS at, TIMESTAMP_S '2024-01-31 12:00' AS at_s, "
    "TIMESTAMP_NS '2024-01-31 12:00' AS at_ns, TIMESTAMPTZ '2024-01-31 12:00:00+02' AS at_tz, "
    "[1] AS list, ['a'::ENUM('a')] AS enums, {'a': 1} AS struct, 'x'::BLOB AS blob, "
    "TIME '12:00' AS time, INTERVAL 1 DAY AS interval"
)
NOON = datetime.datetime(2024, 1, 31, 12)


def test_kinds_and_values_of_every_engine_type(tmp_path):
    source = database(tmp_path, EVERY_TYPE)
    kinds = schema(source)
    values = rows(source, [name for name, kind in kinds.items() if kind is not Kind.OTHER])
    wanted = {
        Kind.INTEGER: {"i1": 1, "i8": 1, "u4": 1},
        Kind.NUMBER: {"u8": 1, "h": 1, "d": 1.5, "f4": 1.5, "f8": 1.5},
        Kind.TEXT: {"t": "a", "e": "a", "id": str(uuid.UUID(int=1))},
        Kind.BOOLEAN: {"b": True},
        Kind.DATE: {"day": datetime.date(2024, 1, 31)},
        Kind.TIMESTAMP: {
            "at": NOON,
            "at_s": NOON,
            "at_ns": NOON,
            "at_tz": NOON - datetime.timedelta(hours=2),
        },
    }
    for kind, columns in wanted.items():
        assert {name: kinds[name] for name in columns} == dict.fromkeys(columns, kind)
        assert {name: values[name] for name in columns} == {k: [v] for k, v in columns.items()}
    others = {"uh", "list", "enums", "struct", "blob", "time", "interval"}
    assert {name for name, kind in kinds.items() if kind is Kind.OTHER} == others


def test_the_same_table_from_every_kind_of_file(tmp_path):
    numbers, words, days = [1.5, None, -2.0], ["a", "ü;", None], [datetime.date(2024, 1, 31)] * 3
    columns = {ODD: numbers, "word": words, "day": days, "true": [True, False, None]}
    text = (
        '"Größe ""in cm"", oder \'x\'",word,day,true\n'
        '1.5,a,2024-01-31,true\n,"ü;",2024-01-31,0\n-2,,2024-01-31,\n'
    )
    types = {ODD: "number", "day": "date", "true": "boolean"}
    plain = csv(tmp_path, text, types=types)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(text.encode("utf-8-sig")))
    (tmp_path / "x.tsv").write_text(text.replace(",", "\t").replace("\t oder", ", oder"))
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    with duckdb.connect(str(tmp_path / "y.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{tmp_path / 'x.parquet'}'")
    sources = [plain, Source("x.csv.gz", tmp_path, types), Source("x.tsv", tmp_path, types)]
    sources += [Source("x.parquet", tmp_path), Source("duckdb:y.duckdb?table=t", tmp_path)]
    for source in sources:
        assert list(schema(source)) == list(columns)
        found = rows(source, list(columns))
        assert sorted(zip(*found.values(), strict=True), key=str) == sorted(
            zip(*columns.values(), strict=True), key=str
        )


def test_only_the_columns_asked_for(tmp_path):
    source = csv(tmp_path, "a,b,c\n1,2,3\n", types={"c": "integer"})
    assert rows(source, ["c", "a", "c"]) == {"c": [3.0], "a": ["1"]}
    found, key = rows(source, ["b"], entity="a")
    assert found == {"b": ["2"], key: ["1"]}
    found, key = rows(source, ["a"], entity="a")
    assert found == {"a": ["1"], key: ["1"]}


def test_no_column_at_all_still_has_its_rows(tmp_path):
    for source in (csv(tmp_path, "present,b\n1,2\n3,4\n"), parquet(tmp_path, a=[1, 2])):
        with open_table(source, [], memory_limit="200MB") as data:
            assert data.engine.fetch_integer(data.table.count()) == 2


def test_an_entity_column_has_a_name_of_its_own(tmp_path):
    source = parquet(tmp_path, ENTITY=[1], entity_=["x"], id=[7])
    with open_table(source, ["ENTITY", "entity_"], entity="id", memory_limit="200MB") as data:
        assert data.entity == "entity__"
        assert data.engine.rows(data.table)[data.entity].to_pylist() == [7]


def test_nan_is_null_and_infinity_is_not(tmp_path):
    source = parquet(tmp_path, x=[math.nan, math.inf, None], y=pa.array([1, math.nan, 2], "f4"))
    assert rows(source, ["x", "y"]) == {"x": [None, math.inf, None], "y": [1, None, 2]}


def test_large_ids_stay_apart(tmp_path):
    ids = [2**53, 2**53 + 1]
    whole = csv(tmp_path, f"id\n{ids[0]}\n{ids[1]}\n", types={"id": "integer"})
    for source, values in (
        (parquet(tmp_path, id=pa.array(ids, pa.uint64())), 1),
        (database(tmp_path, f"SELECT unnest([{ids[0]}::HUGEINT, {ids[1]}::HUGEINT]) AS id"), 1),
        (whole, 2),
    ):
        found, key = rows(source, ["id"], entity="id")
        assert len(set(found["id"])) == values
        assert len(set(found[key])) == 2


def test_rows_are_ordered_by_the_entity_s_value_and_not_by_what_tells_it_apart(tmp_path):
    """A neighbour's decimal, a float and CSV's digits are one value."""
    for source in (
        parquet(tmp_path, id=pa.array([5, 7]), x=[1, 2]),
        parquet(
            tmp_path, id=pa.array(map(decimal.Decimal, (5, 7)), pa.decimal128(30, 4)), x=[1, 2]
        ),
        csv(tmp_path, "id,x\n5,1\n7,2\n", types={"id": "integer", "x": "integer"}),
    ):
        for columns in (["x"], ["x", "id"], ["id", "x"]):
            with open_table(source, columns, entity="id", memory_limit="200MB") as data:
                held = data.engine.rows(data.table.select(list(data.order_by)))
                first, *_ = held.to_pylist()
                expected = {"x": 1, "id": 5}
                assert list(first.values()) == [
                    expected[c] for c in dict.fromkeys([*columns, "id"])
                ]


def test_an_empty_table(tmp_path):
    for text in ("a,b", "a,b\n"):
        assert rows(csv(tmp_path, text, types={"a": "integer"}), ["a", "b"]) == {"a": [], "b": []}
    assert rows(parquet(tmp_path, a=pa.array([], "i8")), ["a"]) == {"a": []}


def test_newlines_and_byte_order_mark(tmp_path):
    for content in (b"a,b\r\n1,2\r\n", b"\xef\xbb\xbfa,b\n1,2", b'"a",b\r\n"1",2\r\n'):
        (tmp_path / "x.csv").write_bytes(content)
        assert rows(Source("x.csv", tmp_path), ["a", "b"]) == {"a": ["1"], "b": ["2"]}


@pytest.mark.parametrize("kind", ["integer", "number", "boolean", "date", "timestamp"])
def test_an_unreadable_value_is_no_value(tmp_path, kind):
    source = csv(tmp_path, "a,b c\n1,secret-7\n", types={"b c": kind})
    assert rows(source, ["b c"]) == {"b c": [None]}
    found, name = rows(source, ["a"], "b c")
    assert (found["a"], found[name]) == (["1"], [None])
    assert rows(source, ["a"]) == {"a": ["1"]}


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,secret-7,3\n",
        b"a,b\nsecret-7\n",
        b'a,b\n1,"secret-7\n',
        b"a,b\n1," + b"secret-7" * 400_000 + b"\n",
    ],
)
def test_a_damaged_csv_is_one_fixed_sentence(tmp_path, content):
    (tmp_path / "x.csv").write_bytes(content)
    with refuses(DataError, "damaged-or-of-another-format") as caught:
        rows(Source("x.csv", tmp_path), ["a", "b"])
    assert str(caught.value) == str(damaged("x.csv"))
    assert str(caught.value).endswith(OWNER_ONLY)
    assert not re.search(r"secret|[0-9]", str(caught.value), flags=re.IGNORECASE)


def test_a_truncated_archive(tmp_path):
    content = "a,b\n" + "\n".join(f"{n},{n * n}" for n in range(50_000))
    packed = gzip.compress(content.encode())
    (tmp_path / "x.csv.gz").write_bytes(packed[: len(packed) // 2])
    with refuses(DataError, "data-something-damaged"):
        rows(Source("x.csv.gz", tmp_path), ["a"])


@pytest.mark.parametrize("first", ["typed", "empty"])
def test_a_column_that_is_empty_in_one_parquet_file_is_what_the_others_say(tmp_path, first):
    """Values and entities are those of one file, whichever of the files comes first."""
    used = 'i1, u8, d, f4, t, e, b, id, day, "at", at_ns, at_tz'
    table = duckdb.sql(f"SELECT {used} FROM ({EVERY_TYPE})").to_arrow_table()
    table = table.set_column(5, "e", table["e"].cast(pa.string()))
    none = pa.table({name: pa.nulls(2) for name in table.column_names})
    folder = tmp_path / "files"
    folder.mkdir()
    for number, each in enumerate((table, none) if first == "typed" else (none, table)):
        pq.write_table(each, folder / f"{number}.parquet")
    pq.write_table(pa.concat_tables([table, none], promote_options="permissive"), tmp_path / "x.pq")
    one, several = Source("x.pq", tmp_path), Source("files/*.parquet", tmp_path)
    assert schema(several) == schema(one)
    for name in one_in(2, table.column_names, int(first == "empty")):
        expected, key = rows(one, [name], entity=name)
        found, other = rows(several, [name], entity=name)
        assert sorted(map(str, found[name])) == sorted(map(str, expected[name]))
        assert sorted(map(str, found[other])) == sorted(map(str, expected[key]))
    with open_table(several, [], memory_limit="200MB") as data:
        assert data.engine.rows(data.table).num_rows == 3


def test_a_column_that_is_empty_in_every_parquet_file_is_what_the_plan_takes_it_for(tmp_path):
    source = parquet(tmp_path, a=pa.nulls(2), b=[1, 2])
    assert schema(source) == {"a": Kind.TEXT, "b": Kind.INTEGER}
    for kind in [each for each in Kind if each is not Kind.OTHER]:
        said = attrs.evolve(source, types={"a": str(kind)})
        assert schema(said)["a"] is kind
        assert rows(said, ["a", "b"]) == {"a": [None, None], "b": [1, 2]}


def test_a_parquet_file_damaged_inside(tmp_path):
    source = parquet(tmp_path, a=[f"secret-{n}" for n in range(10_000)])
    content = bytearray((tmp_path / "x.parquet").read_bytes())
    content[4:2000] = b"\xff" * 1996
    (tmp_path / "x.parquet").write_bytes(content)
    assert schema(source) == {"a": Kind.TEXT}
    with refuses(DataError, "data-something-damaged") as caught:
        rows(source, ["a"])
    assert "secret" not in str(caught.value)


def test_missing_columns_and_other_types_are_plan_errors(tmp_path):
    source = parquet(tmp_path, a=[1], b=[[1]])
    for column in ("A", "b", "none"):
        with refuses(PlanError, f"column-of-numbers-text-truth-values: {column}"):
            rows(source, [column])


def test_the_spill_folder_is_gone_and_the_source_untouched(tmp_path):
    source = database(tmp_path, "SELECT 1 AS a")
    before = (tmp_path / "x.duckdb").read_bytes()
    seen = []

    def fail():
        with open_table(source, ["a"]) as data:
            seen.append(data.engine.folder)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not seen[0].exists()
    assert (tmp_path / "x.duckdb").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.duckdb"]


def test_real_census_data():
    folder = os.environ.get("DENIABLE_DATA", ROOT.parent / "shared" / "data")
    path = Path(folder) / "tables" / "adult.csv"
    if not path.is_file():
        pytest.skip("adult.csv is not here; $DENIABLE_DATA names its folder")
    source = Source("adult.csv", path.parent, {"age": "integer", "capital-gain": "number"})
    assert set(schema(source).values()) == {Kind.TEXT, Kind.INTEGER, Kind.NUMBER}
    found = rows(source, ["age", "native-country"])
    assert len(found["age"]) == 32_561
    assert (min(found["age"]), max(found["age"])) == (17, 90)
