"""Names that nearly meet: two people never become one entity, nor does one become two.

Each case is a list of classes. All spellings of a class name one person, and each class another.
"""

import csv
import itertools

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import PlanError
from deniable.publish.plan.plan import read_plan
from deniable.publish.sources.csv_source import Dialect
from deniable.publish.sources.table import Source, open_table
from tests.cases.frames import in_memory
from tests.cases.refusals import refuses
from tests.cases.spark_session import source_of

LONG = "1234567890123456789"
HUGE = "9" * 38
NUMBERS = [
    ["1", "1.0", "+1.00", " 1 ", "01", "10e-1", "0.1e1", "1e0", "1."],
    ["-1", "-1.0"],
    ["0", "-0", "0.000", "0e5", "-0e-400"],
    ["2147483648", "2.147483648e9"],
    ["9007199254740992", "9007199254740992.0"],
    ["9007199254740993", "9.007199254740993e15", "90071992547409930e-1", "9007199254740993e0"],
    [LONG, f"{LONG}.0", f"+{LONG}", f"{LONG}{'0' * 30}e-30", f"1.{LONG[1:]}e18"],
    ["9223372036854775807", "+9223372036854775807", "922337203685477580.7e1"],
    ["9223372036854775808", "09223372036854775808", "9223372036854775808.0"],
    ["-9223372036854775808"],
    ["-9223372036854775809", "-92233720368547758090e-1"],
    [HUGE, f"+{HUGE}", f"{HUGE}.0", f"{HUGE}0e-1"],
    [f"{HUGE[1:]}8"],
    ["1e60", "+1e60", "10e59", "1" + "0" * 60, f"1{'0' * 60}.0", "0.1e61", "1.e+60"],
    ["1" + "0" * 59 + "1"],
    ["1e400", "10e399"],
    ["1e401"],
    ["-1e400"],
    ["1e3000000000", "10e2999999999"],
    ["1e3000000001"],
    ["1e" + "9" * 25],
    ["1e" + "9" * 24 + "8"],
    ["inf", "Infinity"],
    ["-inf"],
]
FRACTIONS = [
    ["0.1", ".1", "1e-1", "0.10", "00.1"],
    ["0.10000000000000000001"],
    ["0.1000000000000000055511151231257827"],
    ["-0.1"],
    ["1e-400", "10e-401", "0." + "0" * 399 + "1"],
    ["1e-401"],
    ["-1e-400"],
    ["1.5", "15e-1"],
]
MOMENTS = [
    ["2024-01-31T12:00:00", "2024-01-31 12:00:00.000000", "2024-01-31T13:00:00+01:00",
     "2024-01-31T12:00:00.000000000Z"],
    ["2024-01-31T12:00:00.0000001", "2024-01-31T13:00:00.00000010+01:00"],
    ["2024-01-31T12:00:00.0000002"],
    ["2024-01-31T12:00:00.000000000001"],
    ["2024-01-31T12:00:00.1"],
    ["2024-01-31T12:00:00.1000005", "2024-01-31T12:00:00.1000005000Z"],
    ["2024-01-31T12:00:00.15", "2024-01-31T12:00:00.150000"],
    ["2024-01-31T12:00:00.000001"],
    ["infinity"],
    ["-infinity"],
]  # fmt: skip
DAYS = [
    ["2024-01-31", "2024-1-31", "2024-01-31 ", "2024/01/31", "2024-01-31T00:00:00",
     "2024-01-31 00:00:00.000"],
    ["2024-02-01"],
    ["0044-03-15 (BC)"],
    ["infinity"],
]  # fmt: skip
NO_DAYS = [
    "2024-01-31 12:00:00", "2024-01-31T00:00:01", "2024-01-31x", "2024-01-31Z", "2024-01-31 2",
    "2024-01-31 00:00:00.001", "2024-01-311",
]  # fmt: skip
WORDS = [
    ["a"], ["A"], ["a "], [" a"], ["á"], ["a\u0301"], ["a\0"], ["a\0b"], ["\0"], ["a\u200b"], ["0"],
    ["00"], ["\uff10"], ["0.0"], ["ß"], ["ss"], ["\u0130"], ["i\u0307"], ["a\ufeff"], ["\ufeffa"],
    ["a" * 12], ["a" * 12 + "\0"], ["a" * 13], ["a\t"], ["NULL"], ["\ufffd"],
]  # fmt: skip
CASES = {
    "integer": NUMBERS,
    "number": NUMBERS + FRACTIONS,
    "timestamp": MOMENTS,
    "date": DAYS,
    "boolean": [["true", "t", "1", "TRUE"], ["false", "f", "0"]],
    "text": WORDS,
}


def people(source):
    """The numbers of the rows of each entity; of none, those without."""
    with open_table(source, ["row"], entity="p", memory_limit="200MB") as data:
        owned = data.table.select("row", data.table[data.entity].name("owner"))
        rows = data.engine.rows(owned)
    owners = rows["owner"].combine_chunks().dictionary_encode().indices.to_pylist()
    found = {}
    for row, owner in zip(rows["row"].to_pylist(), owners, strict=True):
        found.setdefault(owner, set()).add(row)
    nobody = found.pop(None, set())
    return sorted(map(sorted, found.values())), sorted(nobody)


def numbered(classes):
    """All spellings, the rows of each person beside them."""
    rows = itertools.count()
    return [each for one in classes for each in one], [[next(rows) for _ in one] for one in classes]


def as_csv(folder, texts, kind, **declared):
    with (folder / "x.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("row", "p"), *enumerate(texts)])
    return Source("x.csv", folder, {"row": "integer", "p": kind}, **declared)


@pytest.mark.parametrize("kind", CASES)
def test_spellings_of_one_value_are_one_person_and_no_others(tmp_path, kind):
    texts, expected = numbered(CASES[kind])
    assert people(as_csv(tmp_path, texts, kind)) == (expected, [])


def test_numbers_with_marks_are_the_same_people(tmp_path):
    classes = [["1.000,0", "1000", "+1.000"], ["1e60", "10e59", "0,1e61"], ["1,5e1", "15"]]
    texts, expected = numbered(classes)
    dialect = Dialect(decimal=",", thousands=".")
    for kind in ("integer", "number"):
        assert people(as_csv(tmp_path, texts, kind, dialect=dialect)) == (expected, [])


def test_what_is_more_than_a_day_is_no_day(tmp_path):
    assert people(as_csv(tmp_path, NO_DAYS, "date")) == ([], list(range(len(NO_DAYS))))


def as_parquet(folder, table):
    pq.write_table(table, folder / "x.parquet")
    return Source("x.parquet", folder, nulls=())


def as_duckdb(folder, table):
    with duckdb.connect(str(folder / "x.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE t AS FROM given")
    return Source("duckdb:x.duckdb?table=t", folder, nulls=())


PLACES = {
    "parquet": as_parquet,
    "duckdb": as_duckdb,
    "arrow": lambda _, table: in_memory(table),
    "categories": lambda _, table: in_memory(
        table.set_column(1, "p", table["p"].dictionary_encode())
    ),
    "pandas": lambda _, table: in_memory(table.to_pandas(), {"p": "text"}),
}


@pytest.mark.parametrize("place", PLACES)
def test_texts_are_people_by_their_bytes(tmp_path, place):
    texts, expected = numbered([*WORDS, [""], *([word] for word in ("x" * 300, "x" * 299))])
    table = pa.table({"row": range(2 * len(texts)), "p": texts * 2})
    expected = [[row, row + len(texts)] for (row,) in expected]
    assert people(PLACES[place](tmp_path, table)) == (expected, [])


NANOSECONDS = [1_706_702_400 * 10**9 + each for each in (0, 1, 2, 999, 1000)]


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
@pytest.mark.parametrize("place", ["arrow", "categories"])
def test_people_who_differ_in_nanoseconds_are_two(tmp_path, place, zone):
    moments = pa.array(NANOSECONDS, pa.timestamp("ns", zone))
    table = pa.table({"row": range(5), "p": moments})
    assert people(PLACES[place](tmp_path, table)) == ([[row] for row in range(5)], [])


PLAN = """
[data]
source = "x.parquet"
entity = "p"
[target]
epsilon = 1.0
[limits]
rows_per_entity = 1
[[query]]
name = "rows"
statistic = "count"
"""


@pytest.mark.parametrize(
    ("zone", "old", "is_read"),
    [(None, False, True), ("UTC", False, False), (None, True, False), ("UTC", True, False)],
)
def test_nanoseconds_that_would_be_dropped_are_refused_by_the_schema(tmp_path, zone, old, is_read):
    """Also where there is no row, and where another file is as it should be."""
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    moments = pa.array(NANOSECONDS, pa.timestamp("ns", zone))
    table = pa.table({"row": range(5), "p": moments})
    for rows in (table, table.slice(0, 0)):
        pq.write_table(rows, tmp_path / "x.parquet", use_deprecated_int96_timestamps=old)
        source = Source("x.parquet", tmp_path)
        if is_read:
            assert read_plan(tmp_path / "plan.toml").entity == "p"
            assert people(source) == ([[row] for row in range(rows.num_rows)], [])
            continue
        with refuses(PlanError, "moments-are-read-to-last-digit"):
            read_plan(tmp_path / "plan.toml")
        with refuses(PlanError, "moments-are-read-to-last"):
            people(source)
        with open_table(
            source, ["p"], memory_limit="200MB"
        ) as data:  # as a value it is not refused
            assert data.engine.fetch_integer(data.table.count()) == rows.num_rows


def test_one_old_file_among_others_is_seen(tmp_path):
    table = pa.table({"row": [0], "p": pa.array([NANOSECONDS[0] // 1000], pa.timestamp("us"))})
    pq.write_table(table, tmp_path / "1.parquet")
    assert people(Source("*.parquet", tmp_path)) == ([[0]], [])
    pq.write_table(table, tmp_path / "2.parquet", use_deprecated_int96_timestamps=True)
    with refuses(PlanError, "moments-are-read-to-last"):
        people(Source("*.parquet", tmp_path))


@pytest.mark.parametrize(
    ("written", "is_read"),
    [("%Y-%m-%d %H:%M:%S.%f", True), ("%Y-%m-%d %H:%M:%S.%n", False), ("%Y%m%d %H %%n", True)],
)
def test_formats_of_nanoseconds_name_nobody(tmp_path, written, is_read):
    text = "20240131 12 %n" if "%%" in written else "2024-01-31 12:00:00.000001"
    source = as_csv(tmp_path, [text], "timestamp", dialect=Dialect(timestamp_format=written))
    if is_read:
        assert people(source) == ([[0]], [])
    else:
        with refuses(PlanError, "moments-are-read-to-last"):
            people(source)


SERVER = {
    "char(5)": ([["a", "a    "], ["A"], ["á"], ["a\u0301"], ["", " "]], "'{}'::char(5)"),
    "varchar(5)": ([["a"], ["a "], ["A"], ["á"], ["a\u0301"], [""], [" "]], "'{}'::varchar(5)"),
    "numeric": (
        [["1", "1.0", "1.00"], ["0.10000000000000000001"], ["0.1"], [HUGE], ["1e400"], ["1e401"],
         ["1e-400"], ["Infinity"], ["-Infinity"], ["9007199254740993"], ["9007199254740992"]],
        "'{}'::numeric",
    ),
    "uuid": (
        [["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
          "{a0eebc999c0b4ef8bb6d6bb9bd380a11}"], ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12"]],
        "'{}'::uuid",
    ),
    "bigint": ([["9007199254740993"], ["9007199254740992"], ["-1"]], "'{}'::int8"),
    "timestamptz": (
        [["2024-10-27 00:30+00", "2024-10-27 02:30+02"], ["2024-10-27 02:30+01"], ["infinity"]],
        "'{}'::timestamptz",
    ),
    "float8": ([["0.1", "0.10"], ["0.30000000000000004"], ["0.3"], ["0", "-0"]], "'{}'::float8"),
}  # fmt: skip


@pytest.mark.parametrize("of", SERVER)
def test_what_is_equal_in_postgres_is_one_person(postgres, of):
    classes, written = SERVER[of]
    texts, expected = numbered(classes)
    rows = ", ".join(f"({row}, {written.format(text)})" for row, text in enumerate(texts))
    postgres.execute(f"DROP TABLE IF EXISTS who; CREATE TABLE who (row int, p {of})")
    postgres.execute(f"INSERT INTO who VALUES {rows}")
    assert people(postgres.source("who")) == (expected, [])


def test_text_that_is_none_names_nobody_on_spark(spark):
    """As from all other sources; what is text is told apart by its bytes."""
    frame = spark.session.sql(
        "SELECT * FROM VALUES (0, CAST(X'61FF' AS STRING)), (1, CAST(X'61C3' AS STRING)), "
        "(2, 'a'), (3, 'A'), (4, 'a '), (5, 'a'), (6, CAST(X'6100' AS STRING)), (7, ''), (8, NULL) "
        "AS t(row, p)"
    )
    found = [[2, 5], [3], [4], [6], [7]]
    assert people(source_of(frame)) == (found, [0, 1, 8])


@pytest.mark.parametrize("unit", ["ms", "us"])
def test_moments_without_nanoseconds_name_people_in_any_zone(tmp_path, unit):
    moments = pa.array([0, 1, 2], pa.timestamp(unit, "Europe/Berlin"))
    source = as_parquet(tmp_path, pa.table({"row": range(3), "p": moments}))
    assert people(source) == ([[0], [1], [2]], [])
