"""What one entity writes changes nobody else's rows: kept, counted or filtered, from any source."""

import csv
import datetime
import gzip
import itertools
import math
import secrets

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import DataError
from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources.table import Source, open_table
from deniable.publish.statistics import Count, Entities, Histogram, Sum, Top
from deniable.publish.totals.aggregate import exact_totals
from deniable.publish.totals.passes import Total, totals
from tests.cases.effort import one_in, some_pairs, usual
from tests.cases.frames import FRAMES, categories, in_memory
from tests.cases.refusals import refuses

ATTACKER = "attacker"
COLUMNS = ("p", "x", "i", "t", "b", "d", "at")
TYPES = {"x": "number", "i": "integer", "b": "boolean", "d": "date", "at": "timestamp"}
SCHEMA = pa.schema(
    {
        "p": pa.string(),
        "x": pa.float64(),
        "i": pa.int64(),
        "t": pa.string(),
        "b": pa.bool_(),
        "d": pa.date32(),
        "at": pa.timestamp("us"),
    }
)
DAY, NOON = datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31, 12)
PLAIN = (0.0, 0, "a", True, DAY, NOON)
"""What the others' rows are made of, by turns with something else."""

OTHER = (1.5, 1, "b", False, datetime.date(2024, 2, 1), NOON + datetime.timedelta(hours=1))
NAN_WITH_A_SIGN = np.uint64(0xFFF8000000000001).view(np.float64).item()
NUMBERS = [-0.0, math.nan, NAN_WITH_A_SIGN, math.inf, -math.inf, 5e-324, -5e-324, 1e308, 0.1, None]
INTEGERS = [-1, 2**53 + 1, -(2**63), 2**63 - 1, None]
FAKE_ROWS = "\n".join(f"p{n},0,0,a,true,2024-01-31,2024-01-31T12:00:00" for n in range(500))
TEXTS = ["", "A", "a ", " a", "\u00e1", "a\u0301", '"', 'a"b', "a\nb", "a\r\nb", "\r", ",", "NULL"]
TEXTS += ["\ufeffa", "\u00df", "\U0001f600", "a" * 300_000, FAKE_ROWS, '"\n"' * 5000, None]
DATES = [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(1582, 10, 10), None]
MOMENTS = [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999_999), None]
ADVERSARIAL = [
    tuple(value if column == place else PLAIN[place] for place in range(len(PLAIN)))
    for column, values in enumerate([NUMBERS, INTEGERS, TEXTS, [None], DATES, MOMENTS])
    for value in values
]

CSV_TEXTS = {
    "x": ["-0", "-0.0", "+0", "0e9", "nan", "-nan", "NaN", "inf", "1e400", "-1e-400", "1e-320"],
    "i": ["-0", "-0.0", "1e3", "9007199254740993", "1e400", "+7"],
    "b": ["t", "1", "TRUE", "f"],
    "d": ["2024-1-31", "2024-01-31 ", "-infinity", "infinity", "epoch", "0044-03-15 (BC)"],
    "at": ["2024-01-31", "2024-01-31T14:00:00+02:00", "2024-01-31 12:00:00Z", "infinity", "epoch"],
}


def others(people):
    """Two rows of everybody: one is kept, and which is the question."""
    return [
        (f"p{person}", *row)
        for person in range(people)
        for row in (PLAIN if person % 3 else OTHER, PLAIN)
    ]


def written(value):
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def as_csv(folder, rows, name="x.csv"):
    opener = gzip.open if name.endswith(".gz") else open
    with opener(folder / name, "wt", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t" if ".tsv" in name else ",", quoting=csv.QUOTE_ALL)
        writer.writerow(COLUMNS)
        writer.writerows([[written(value) for value in row] for row in rows])
    return Source(name, folder, TYPES)


def table(rows):
    arrays = [
        pa.array(list(column), field.type)
        for column, field in zip(zip(*rows, strict=True), SCHEMA, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def as_parquet(folder, rows, **settings):
    pq.write_table(table(rows), folder / "x.parquet", **settings)
    return Source("x.parquet", folder)


def as_duckdb(folder, rows, ordered=""):
    """Written to the file and compressed there, which a checkpoint does."""
    given = table(rows)
    (folder / "x.duckdb").unlink(missing_ok=True)
    with duckdb.connect(str(folder / "x.duckdb")) as connection:
        connection.register("given", given)
        connection.execute(f"CREATE TABLE t AS SELECT * FROM given {ordered}")
        connection.execute("CHECKPOINT")
    return Source("duckdb:x.duckdb?table=t", folder)


def in_files(write, suffix):
    """A glob of three files; the last row written, the attacker's, is in the last."""

    def source(folder, rows):
        for number, part in enumerate((rows[:-1:2], rows[1:-1:2], rows[-1:])):
            (folder / f"part{number}").mkdir(exist_ok=True)
            write(folder / f"part{number}", part)
        return Source(f"part*/x.{suffix}", folder, TYPES if suffix == "csv" else {})

    return source


def as_frame(made):
    """The same rows, handed over as a data frame."""
    return lambda _, rows: in_memory(made(table(rows)))


SOURCES = {
    "csv": as_csv,
    "csv.gz": lambda folder, rows: as_csv(folder, rows, "x.csv.gz"),
    "tsv": lambda folder, rows: as_csv(folder, rows, "x.tsv"),
    "files of csv": in_files(as_csv, "csv"),
    "parquet": as_parquet,
    "parquet, small row groups": lambda f, rows: as_parquet(f, rows, row_group_size=64),
    "parquet without a dictionary": lambda f, rows: as_parquet(f, rows, use_dictionary=False),
    "files of parquet": in_files(as_parquet, "parquet"),
    "duckdb": as_duckdb,
    "duckdb, sorted": lambda f, rows: as_duckdb(f, rows, "ORDER BY x, t"),
    "categories": as_frame(categories),
} | {name: as_frame(made) for name, made in FRAMES.items()}
SAME_READER = ("csv.gz", "tsv", "files of parquet")
"""Sources of which another is read by the same code."""
KEPT = usual([name for name in SOURCES if name not in SAME_READER], [*SOURCES])


@pytest.fixture(autouse=True)
def one_salt(monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)


def kept(source, passes, columns=COLUMNS[1:]):
    """Everybody else's rows after bounding to one each, bit for bit, in some fixed order."""
    with open_table(source, columns, entity="p", memory_limit="200MB") as data:

        def rows(bucket):
            mine = bucket.truncated.filter(bucket.truncated[data.entity] != ATTACKER)
            found = data.engine.rows(mine).to_pydict()
            together = zip(*(found[name] for name in (data.entity, *columns)), strict=True)
            return np.array([repr(row) for row in together], dtype=object)

        (found,) = totals(data, 1, [Total(rows, lambda *both: np.concatenate(both))], passes=passes)
    return sorted(found)


@pytest.fixture(scope="module")
def known_rows(tmp_path_factory):
    """Everybody else's kept rows beside an ordinary one: the same from any source, in any passes.

    That they are is a part of what the tests below show.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)
        folder = tmp_path_factory.mktemp("known")
        return kept(as_parquet(folder, [*others(100), (ATTACKER, *PLAIN)]), 1)


@pytest.mark.parametrize(("source", "passes"), some_pairs(KEPT, [1, 4]))
def test_nobody_else_s_kept_rows_change_whatever_the_attacker_s_are(
    tmp_path, known_rows, source, passes
):
    base, known = others(100), known_rows
    assert len(known) == 100
    everything = [(ATTACKER, *row) for row in ADVERSARIAL]
    attacks = [[*base, *everything], [*everything, *base, (ATTACKER, *PLAIN)]]
    for attack in one_in(2, attacks, [*SOURCES].index(source)):
        assert kept(SOURCES[source](tmp_path, attack), passes) == known


def test_csv_spellings_of_one_entity_change_nobody_s_kept_rows(tmp_path):
    base = others(100)
    known = kept(as_csv(tmp_path, base), 1)
    for column, texts in CSV_TEXTS.items():
        place = COLUMNS.index(column)
        rows = [
            (*row[:place], text, *row[place + 1 :])
            for text in texts
            for row in [(ATTACKER, *PLAIN)]
        ]
        assert kept(as_csv(tmp_path, [*rows, *base]), 1) == known


# The spellings of one number are one number where no text is stored.
ZEROS = {
    "csv": usual(["-0.0", "nan"], ["-0", "-0.0", "-0e5", "nan"]),
    "parquet": ["-0", "nan"],
    "duckdb": ["-0", "nan"],
}


@pytest.mark.parametrize("source", ZEROS)
def test_a_zero_in_a_large_table_moves_a_count_by_its_own_row(tmp_path, source):
    """More than the 122,880 rows of a row group; a dictionary would give all the first zero."""
    people = 62_000
    y = np.arange(2 * people) % 2
    z = np.zeros(2 * people)
    others_lines = "".join(f"{row // 2},0,{row % 2}\n" for row in range(1, 2 * people))
    totals_found = []
    for zero in ("0", *ZEROS[source]):
        z[0] = float(zero)
        columns = {"p": np.repeat(np.arange(people), 2), "z": z, "y": y}
        if source == "csv":
            (tmp_path / "x.csv").write_text(f"p,z,y\n0,{zero},0\n{others_lines}")
            given = Source("x.csv", tmp_path, {"z": "number", "y": "integer"})
        elif source == "parquet":
            pq.write_table(pa.table(columns), tmp_path / "x.parquet")
            given = Source("x.parquet", tmp_path)
        else:
            (tmp_path / "x.duckdb").unlink(missing_ok=True)
            with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
                connection.register("given", pa.table(columns))
                connection.execute("CREATE TABLE t AS FROM given")
            given = Source("duckdb:x.duckdb?table=t", tmp_path)
        work = [
            (Query("n", Count(), where=(Condition("y", "==", 1),)), protection()),
            (Query("z", Count(), where=(Condition("z", "<=", 0),)), protection()),
        ]
        totals_found.append([int(found.sum()) for found in exact_totals(given, "p", work)])
    one, *others = totals_found
    for other in others:
        assert all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True))
    assert 0.45 * people < one[0] < 0.55 * people


def protection(rows=1):
    return Protection(Adjacency.REPLACE_ONE, rows)


def test_an_entity_of_very_many_rows_changes_nobody_s_kept_rows(tmp_path):
    """They fill more than one row group, and a table of so many is read in more passes."""
    base = others(100)
    known = kept(as_parquet(tmp_path, base), 1)
    number_of_rows = usual(40_000, 200_000)
    attack = [(ATTACKER, *ADVERSARIAL[row % len(NUMBERS)]) for row in range(number_of_rows)]
    for rows in ([*attack, *base], [*base, *attack]):
        source = as_parquet(tmp_path, rows, row_group_size=number_of_rows // 3)
        assert kept(source, 8) == known


CONDITIONS = [
    ("x", "==", 0), ("x", "==", -0.0), ("x", "<", 1.0), ("x", "<=", 0), ("x", ">", 1),
    ("x", ">=", 0), ("x", "!=", 0), ("x", "in", (0, 1.5)), ("x", "not in", (0.5,)),
    ("i", "<", 1), ("i", "==", 1),
    ("t", "==", "a"), ("t", "<", "aa"), ("t", ">=", "b"), ("t", "in", ("a", "A")),
    ("b", "==", True), ("d", "<=", DAY), ("d", "==", NOON), ("at", "<", NOON), ("at", ">=", DAY),
]  # fmt: skip


def queries():
    """Every condition, and every kind of cell, over everybody but the attacker."""
    alone = Condition("p", "!=", ATTACKER)
    for number, condition in enumerate(CONDITIONS):
        yield Query(f"where {number}", Count(), where=(alone, Condition(*condition)))
    for column, keys in {
        "x": (0, 1.5), "i": (0, 1), "t": ("a", "b"), "b": (True, False), "d": (DAY,), "at": (NOON,),
    }.items():  # fmt: skip
        yield Query(f"by {column}", Count(), Grouping((column,), (keys,)), where=(alone,))
    yield Query("sum", Sum("x", (-2, 2)), where=(alone,))
    yield Query("histogram", Histogram("x", (-1, 0, 1, 2)), where=(alone,))
    yield Query("top", Top("t", ("a", "b", "A"), 1), where=(alone,))


def found_of(source, some=list):
    """The totals of all queries, or of some of them."""
    work = [(query, protection(10**6)) for query in queries()]
    alone = Condition("p", "!=", ATTACKER)
    for statistic in (Count(scaled=True), Sum("x", (-2, 2)), Histogram("x", (-1, 0, 1, 2), True)):
        query = Query("scaled", statistic, where=(alone,), max_contribution=1.25)
        work.append((query, Protection(Adjacency.REPLACE_ONE, None, 1.25)))
    found = exact_totals(source, "p", some(work), memory_limit="200MB")
    return [each.tolist() for each in found]


@pytest.fixture(scope="module")
def known_totals(tmp_path_factory):
    """What is found of everybody else beside an ordinary row, from whatever source."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)
        folder = tmp_path_factory.mktemp("known")
        return found_of(as_parquet(folder, [*others(100), (ATTACKER, *PLAIN)]))


@pytest.mark.parametrize(
    "source", [name for name in KEPT if name not in FRAMES] + one_in(4, [*FRAMES])
)
def test_filters_and_cells_of_others_do_not_see_the_attacker(tmp_path, known_totals, source):
    """Statistics of row groups and of blocks hold the attacker's values too, and may mislead.

    A frame has none, so there one order of the rows is enough. In the others the attacker comes
    first in every dictionary; in every block, and last, with `DENIABLE_THOROUGH`, and above.
    """
    base, known = others(100), known_totals
    turn = [*SOURCES].index(source)

    def some(each):
        return one_in(3, each, turn)

    everything = [(ATTACKER, *row) for row in ADVERSARIAL]
    mixed = [row for pair in itertools.zip_longest(base, everything) for row in pair if row]
    in_order = [*everything, *base]
    attacks = usual([in_order], [in_order, [*base, *everything], mixed])
    for attack in [mixed] if source in FRAMES else attacks:
        assert found_of(SOURCES[source](tmp_path, attack), some) == some(known)
    assert known[0] == known[1] == [[[sum(row[1] == 0 for row in base)]]]


def test_statistics_that_a_writer_got_wrong_hide_nobody(tmp_path):
    """Some writers put NaN, one of two zeros, or a text in another order into a row group's."""
    x = np.arange(1, 1001) / 8
    pq.write_table(
        pa.table({"p": np.arange(1000).astype(str), "x": x}), tmp_path / "x.parquet",
        use_dictionary=False, compression="none",
    )  # fmt: skip
    content = (tmp_path / "x.parquet").read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    pages, footer = content[: -8 - length], content[-8 - length :]
    ends = [x[0], math.nan, -0.0, 50.0, math.inf]
    for low, high in one_in(6, [*itertools.product(ends, repeat=2)]):
        forged = footer.replace(x[0].tobytes(), np.float64(low).tobytes())
        forged = forged.replace(x[-1].tobytes(), np.float64(high).tobytes())
        assert low == x[0] or forged != footer
        (tmp_path / "x.parquet").write_bytes(pages + forged)
        work = [
            (Query("q", Count(), where=(Condition("x", *test),)), protection())
            for test in (("<", 5), (">", 5), ("==", 5), ("in", (5, 6)), ("!=", 0))
        ]
        found = exact_totals(Source("x.parquet", tmp_path), "p", work)
        assert [int(each.sum()) for each in found] == [39, 960, 1, 2, 1000]


def test_a_text_of_many_lines_may_stand_where_a_file_is_divided(tmp_path):
    """The engine reads a large file in parts, which may begin within somebody's text."""
    line = '"p{}","0","0","a","true","2024-01-31","2024-01-31T12:00:00"\n'
    head = ",".join(COLUMNS) + "\n"
    block = "".join(line.format(number) for number in range(400_000))
    units, cuts = ('",\n"', "\r\nf,x", '"\n', FAKE_ROWS + "\n"), (7_500_000, 15_500_000)
    for unit, cut in one_in(4, [*itertools.product(units, cuts)], 3):
        text = unit * (1_000_000 // len(unit))
        quoted = text.replace('"', '""')
        row = f'"{ATTACKER}","0","0","{quoted}","true","2024-01-31","2024-01-31T12:00:00"\n'
        place = block.rfind("\n", 0, cut) + 1
        with (tmp_path / "x.csv").open("w", newline="", encoding="utf-8") as file:
            file.write(head + block[:place] + row + block[place:])
        source = Source("x.csv", tmp_path, TYPES)
        work = [(Query("n", Count()), protection())]
        (found,) = exact_totals(source, "p", work, memory_limit="1GB")
        assert found.sum() == 400_001


MALFORMED = [b"0,a\rb\n", b"0,a\r9,b\n", b'0,"a\n', b'0,"a"b\n', b"0,'a,b'\n", b"0\n", b"0,1,2\n"]


@pytest.mark.parametrize(("row", "newline"), some_pairs(MALFORMED, [b"\n", b"\r\n"]))
def test_a_row_that_breaks_the_format_takes_nobody_s_row_with_it(tmp_path, row, newline):
    """It is an error for the owner; never fewer rows, or other ones."""
    lines = [b"p,y", *(b"%d,v" % number for number in range(1, 50)), b'50,"v"']
    work = [(Query("n", Count()), protection())]
    for place in (1, 25, len(lines)):
        broken = [*(line + newline for line in lines[:place]), row.replace(b"\n", newline)]
        broken += [line + newline for line in lines[place:]]
        (tmp_path / "x.csv").write_bytes(b"".join(broken))
        with refuses(DataError, "data-something-damaged"):
            exact_totals(Source("x.csv", tmp_path), "p", work)


ENTITIES = ["0", "-0", "+0", "0.0", "-0.0", "0e5", " 0"]


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_one_number_is_one_entity_however_it_is_written(tmp_path, kind):
    large = [f"{2**53 + 1}", f"{2**53 + 1}.0", f"+{2**53 + 1}"]
    texts = [*ENTITIES, *large] if kind == "integer" else ENTITIES
    (tmp_path / "x.csv").write_text("p\n" + "\n".join(f'"{text}"' for text in texts))
    work = [(Query("n", Count()), protection()), (Query("e", Entities()), protection())]
    found = exact_totals(Source("x.csv", tmp_path, {"p": kind}), "p", work)
    assert [int(each.sum()) for each in found] == [2 if kind == "integer" else 1] * 2


MOMENTS_OF_A_ZONE = ["infinity", "-infinity", "294247-01-10 04:00:54.775806+00"]


@pytest.mark.parametrize(("file", "entity"), some_pairs(["parquet", "duckdb"], ["at", "p"]))
def test_no_moment_of_one_entity_keeps_a_release_from_happening(tmp_path, file, entity):
    found = []
    for moment in [NOON.isoformat(), *MOMENTS_OF_A_ZONE]:
        (tmp_path / "x.duckdb").unlink(missing_ok=True)
        with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute('CREATE TABLE t (p INTEGER, "at" TIMESTAMPTZ)')
            connection.execute("INSERT INTO t SELECT i, make_timestamptz(i) FROM range(99) r(i)")
            connection.execute("INSERT INTO t VALUES (99, ?::TIMESTAMPTZ)", [moment])
            connection.execute(f"COPY t TO '{tmp_path / 'x.parquet'}'")
        name = "duckdb:x.duckdb?table=t" if file == "duckdb" else "x.parquet"
        work = [
            (Query("n", Count()), protection()),
            (Query("w", Count(), where=(Condition("at", "<", DAY),)), protection()),
            (Query("g", Count(), Grouping(("at",), ((NOON,),))), protection()),
        ]
        totals_now = exact_totals(Source(name, tmp_path), entity, work)
        found.append([int(each.sum()) for each in totals_now])
    assert found == [[100, 99, 1], [100, 99, 0], [100, 100, 0], [100, 99, 0]]
