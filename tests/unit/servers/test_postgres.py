"""Tables of a PostgreSQL server: kinds from its catalogue, values as files have them."""

import datetime
import math

import pandas as pd
import pyarrow as pa
import pytest

from deniable.errors import PlanError
from deniable.notions import Adjacency
from deniable.publish.query import Protection, Query
from deniable.publish.sources import Kind, open_table, schema
from deniable.publish.statistics import Sum
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.frames import in_memory
from tests.cases.refusals import refuses

DAY = datetime.date(2024, 2, 29)

TYPES = """
CREATE EXTENSION IF NOT EXISTS citext;
DROP SCHEMA IF EXISTS hidden CASCADE;
DROP DOMAIN IF EXISTS age, blind CASCADE;
DROP TYPE IF EXISTS mood, pair CASCADE;
DROP COLLATION IF EXISTS any_case CASCADE;
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE mood AS ENUM ('', 'so ''so"', 'ä');
CREATE TYPE pair AS (x int, y int);
CREATE DOMAIN age AS int CHECK (VALUE >= 0);
CREATE DOMAIN old_age AS age CHECK (VALUE > 60);
CREATE DOMAIN ages AS age[];
CREATE DOMAIN a_mood AS mood;
CREATE DOMAIN blind AS text COLLATE any_case;
CREATE SCHEMA hidden;
CREATE TYPE hidden.text AS (x int);
CREATE FUNCTION moody(mood) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ''cast''';
CREATE CAST (mood AS text) WITH FUNCTION moody(mood);
"""
"""Types, a collation and a cast that somebody made."""


@pytest.fixture(scope="module")
def types(postgres):
    postgres.execute(TYPES)
    return postgres


def values(source, *columns, entity=None):
    """Rows as expressions see them, each value as text, in some order that is always the same."""
    with open_table(source, columns, entity=entity) as data:
        names = [*columns, *([] if data.entity is None else [data.entity])]
        texts = data.table.select([data.table[name].cast("string").name(name) for name in names])
        found = data.engine.rows(texts).to_pylist()
    return sorted((tuple(row.values()) for row in found), key=repr)


def made(postgres, name, columns, rows=()):
    """A table made by the server's own statements."""
    postgres.execute(f"DROP TABLE IF EXISTS {name} CASCADE")
    postgres.execute(f"CREATE TABLE {name} ({columns})")
    if rows:
        listed = ", ".join(f"({row})" for row in rows)
        postgres.execute(f"INSERT INTO {name} VALUES {listed}")
    return postgres.source(name)


def test_the_server_holds_what_is_loaded(postgres):
    noon = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC)
    postgres.load(
        pa.table(
            {
                "n": pa.array([1, None], pa.int64()),
                "x": pa.array([math.inf, 0.1], pa.float64()),
                'a "name"': ["ä\t\\N\n", None],
                "on": [True, None],
                "day": [DAY, None],
                "at": pa.array([noon, None], pa.timestamp("us", "UTC")),
            }
        ),
        "loaded",
    )
    assert postgres.rows("SELECT * FROM loaded ORDER BY n") == [
        (1, math.inf, "ä\t\\N\n", True, DAY, noon),
        (None, 0.1, None, None, None, None),
    ]


KINDS = {
    Kind.INTEGER: ["smallint", "integer", "bigint", "serial", "age", "old_age"],
    Kind.NUMBER: ["real", "double precision", "numeric", "numeric(5, 2)"],
    Kind.TEXT: [
        "text", "varchar(3)", "char(3)", "uuid", "mood", "a_mood", 'text COLLATE "de-x-icu"',
    ],
    Kind.BOOLEAN: ["boolean"],
    Kind.DATE: ["date"],
    Kind.TIMESTAMP: ["timestamp", "timestamptz(3)"],
    Kind.OTHER: [
        "money", "integer[]", "mood[]", "ages", "json", "jsonb", "interval", "time", "timetz",
        "bytea", "bit(3)", "xml", "inet", "point", "int4range", "tsvector", "oid", "name", '"char"',
        "regclass", "pair", "hidden.text",
        # Of two equal values only one is a key.
        "citext", "text COLLATE any_case", "varchar COLLATE any_case", "blind",
    ],
}  # fmt: skip


def test_kinds_come_from_the_catalogue(types):
    written = [(of, kind) for kind, each in KINDS.items() for of in each]
    columns = ", ".join(f"c{number} {of}" for number, (of, _) in enumerate(written))
    source = made(types, "of_all_kinds", columns)
    found = schema(source)
    assert dict(zip(written, found.values(), strict=True)) == {each: each[1] for each in written}
    assert values(source, *(name for name, kind in found.items() if kind is not Kind.OTHER)) == []
    for name in (name for name, kind in found.items() if kind is Kind.OTHER):
        with refuses(PlanError, "column-of-numbers-text-truth"):
            values(source, name)


VALUES = [
    ("numeric", "1.50", "1.5"),
    ("numeric", "-0.000", "0.0"),
    ("numeric", "1e400", "inf"),
    ("numeric", "-1e400", "-inf"),
    ("numeric", "1e-400", "0.0"),
    ("numeric", "'Infinity'", "inf"),
    ("numeric", "'-Infinity'", "-inf"),
    ("numeric", "'NaN'", None),
    ("numeric", "9007199254740993", "9007199254740992.0"),
    ("numeric", "170141183460469231731687303715884105729", "1.7014118346046923e+38"),
    ("numeric", "-1e60 - 1", "-1e+60"),
    ("numeric", "10 ^ 300 + 10 ^ -300", "1e+300"),
    ("numeric", "9007199254740993 + 1e-1000", "9007199254740994.0"),
    ("numeric(1000, 900)", "0.1 + 1e-900", "0.1"),
    ("numeric(5, 2)", "1.005", "1.01"),
    ("real", "0.1", "0.10000000149011612"),
    ("double precision", "'NaN'", None),
    ("double precision", "'-Infinity'", "-inf"),
    ("double precision", "'-0'", "0.0"),
    ("double precision", "5e-324", "5e-324"),
    ("double precision", "0.1::float8 + 0.2", "0.30000000000000004"),
    ("bigint", "-9223372036854775808", "-9223372036854775808"),
    ("char(5)", "'a b'", "a b"),
    ("char(5)", "' a'", " a"),
    ("char(5)", "''", ""),
    ("varchar(5)", "'a  '", "a  "),
    ("text", r"E'\t\\N'", "\t\\N"),
    ("uuid", "'A0EEBC999C0B4EF8BB6D6BB9BD380A11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("mood", "'so ''so\"'", "so 'so\""),
    ("a_mood", "''", ""),
    ("old_age", "61", "61"),
    ("boolean", "'no'", "false"),
    ("date", "'2024-02-29'", "2024-02-29"),
    ("date", "'infinity'", "infinity"),
    ("date", "'-infinity'", "-infinity"),
    ("date", "'4713-01-01 BC'", "4713-01-01 (BC)"),
    ("date", "'5874897-12-31'", "5874897-12-31"),
    ("timestamp", "'2024-02-29 12:00:00.000001'", "2024-02-29 12:00:00.000001"),
    ("timestamp", "'1969-12-31 23:59:59.999999'", "1969-12-31 23:59:59.999999"),
    ("timestamp", "'infinity'", "infinity"),
    ("timestamp", "'-infinity'", "-infinity"),
    ("timestamp", "'4713-01-01 BC'", "4713-01-01 (BC) 00:00:00"),
    ("timestamp", "'294247-01-10 04:00:54.775806'", "294247-01-10 04:00:54.775806"),
    ("timestamp", "'294247-01-10 04:00:54.775807'", None),
    ("timestamp", "'294276-12-31 23:59:59.999999'", None),
    ("timestamptz", "'2024-02-29 12:00 Asia/Kathmandu'", "2024-02-29 06:15:00"),
    ("timestamptz", "'infinity'", "infinity"),
]


@pytest.mark.parametrize("of", dict.fromkeys(of for of, _, _ in VALUES))
def test_a_value_is_what_every_source_calls_it(types, of):
    pairs = [(written, read) for each, written, read in VALUES if each == of]
    numbered = [f"{number}, {written}" for number, (written, _) in enumerate(pairs)]
    source = made(types, "of_values", f"number int, x {of}", [*numbered, "-1, NULL"])
    expected = [(str(number), read) for number, (_, read) in enumerate(pairs)]
    assert values(source, "number", "x") == sorted([*expected, ("-1", None)], key=repr)


def test_sums_of_numbers_beyond_128_bits_are_those_of_the_nearest_floats(types):
    wide = [10**60 + each * 10**43 for each in range(50)] + [-(2**128) - each for each in range(50)]
    source = made(types, "of_wide", "x numeric", [f"{each}" for each in wide])
    floats = pd.DataFrame({"x": [float(each) for each in wide]})
    for bounds in ((-1e61, 1e61), (-1e39, 1e39), (0, 9)):
        work = [(Query("s", Sum("x", bounds)), Protection(Adjacency.ADD_REMOVE, 1))]
        (ours,), (theirs,) = (exact_totals(of, None, work) for of in (source, in_memory(floats)))
        assert ours.tolist() == theirs.tolist()


def test_what_the_server_has_as_one_entity_is_one(types):
    written = ["1.50", "1.5", "150e-2", "1.5000000000000000000000001", "'NaN'", "NULL", "1e400"]
    source = made(types, "of_numbers", "x numeric", written)
    long = "1" + "0" * 400
    expected = ["1.5", "1.5", "1.5", "1.5000000000000000000000001", None, None, long]
    assert values(source, entity="x") == sorted([(each,) for each in expected], key=repr)
    padded = made(types, "of_padded", "x char(4)", ["'a'", "'a  '", "'  a'"])
    assert values(padded, entity="x") == [("  a",), ("a",), ("a",)]


def test_rows_without_columns_are_there_to_be_counted(postgres):
    source = made(postgres, "counted", "x int", ["1", "NULL", "3"])
    with open_table(source, []) as data:
        assert data.engine.fetch_integer(data.table.count()) == 3


def test_many_batches_are_one_table(postgres):
    """More than the driver hands over at once."""
    rows = "SELECT i, repeat('x', 500) AS text, 'infinity'::date AS day"
    postgres.execute("DROP TABLE IF EXISTS many")
    postgres.execute(f"CREATE TABLE many AS {rows} FROM generate_series(1, 100000) AS i")
    with open_table(postgres.source("many"), ["i", "text", "day"]) as data:
        all_of_it = data.table.aggregate(
            [data.table.count(), data.table.i.sum(), data.table.day.nunique()]
        )
        found = data.engine.rows(all_of_it)
    assert [column[0].as_py() for column in found.columns] == [100_000, 5_000_050_000, 1]


TABLES = {
    "view": "CREATE VIEW t AS SELECT person, x FROM base",
    "view of a view": "CREATE VIEW below AS SELECT * FROM base WHERE x > 0; "
    "CREATE VIEW t AS SELECT person, x FROM below",
    "materialized view": "CREATE MATERIALIZED VIEW t AS SELECT person, x FROM base",
    "partitioned": "CREATE TABLE t (person text, x int) PARTITION BY LIST (person); "
    "CREATE TABLE part_a PARTITION OF t FOR VALUES IN ('a'); "
    "CREATE TABLE part_b PARTITION OF t DEFAULT; INSERT INTO t SELECT * FROM base",
    "inherited": "CREATE TABLE t (person text, x int); CREATE TABLE child (y int) INHERITS (t); "
    "INSERT INTO child SELECT person, x, 1 FROM base",
    "unlogged": "CREATE UNLOGGED TABLE t AS SELECT * FROM base",
    "altered": "CREATE TABLE t (gone int, x int, person text); ALTER TABLE t DROP COLUMN gone; "
    "ALTER TABLE t DROP COLUMN x; ALTER TABLE t ADD COLUMN x int; INSERT INTO t SELECT * FROM base",
    "foreign": "CREATE EXTENSION IF NOT EXISTS file_fdw; DROP SERVER IF EXISTS files CASCADE; "
    "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; "
    "CREATE FOREIGN TABLE t (person text, x int) SERVER files "
    "OPTIONS (program $$printf 'a,1\nb,2\n'$$, format 'csv')",
}


@pytest.fixture
def folder(postgres):
    """A schema with a table in it, and a way to run statements there."""
    postgres.execute(
        "DROP SCHEMA IF EXISTS s CASCADE; CREATE SCHEMA s; CREATE TABLE s.base AS "
        "SELECT * FROM (VALUES ('a', 1), ('b', 2)) AS v (person, x)"
    )
    return lambda statements: postgres.execute(f"SET search_path = s, public; {statements}")


@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_is_read(postgres, folder, kind):
    folder(TABLES[kind])
    source = postgres.source("s.t")
    assert schema(source) == {"person": Kind.TEXT, "x": Kind.INTEGER}
    assert values(source, "person", "x") == [("a", "1"), ("b", "2")]


NO_TABLES = ["SEQUENCE t", "TYPE t AS (x int)", "TABLE o (x int); CREATE INDEX t ON o (x)"]


@pytest.mark.parametrize("statement", ["TABLE another ()", *NO_TABLES])
def test_what_is_no_table_is_refused(postgres, folder, statement):
    folder(f"CREATE {statement}")
    with refuses(PlanError, 'table-none: "s"."t"'):
        schema(postgres.source("s.t"))


def test_names_that_the_engine_cannot_tell_apart_are_refused(postgres):
    source = made(postgres, "twice", '"a" int, "A" int')
    with refuses(PlanError, "upper-and-lower-column-names: 1 | 2"):
        schema(source)
