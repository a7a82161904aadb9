"""One person's cell that nobody can read moves their own contribution, and nothing else.

It is no value, as if it had been empty. An error would tell whoever hears that there was no
release that somebody's record has such a cell.
"""

import gzip
import secrets
import struct

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.notions import Adjacency
from deniable.publish.owner.unreadable import unreadable
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources.csv_source import Dialect
from deniable.publish.sources.table import Source, open_table
from deniable.publish.statistics import Count, Entities, Histogram, Mean, Sum, Top
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.effort import one_in, some_pairs
from tests.cases.frames import in_memory

EVERYBODY = [
    (f"p{number % 15}", "ab"[number % 2], str(number), "2024-01-31", f"2024-01-31T12:00:{number}")
    for number in range(10, 40)
]
COLUMNS = ("p", "t", "n", "d", "at")
TYPES = {"n": "integer", "d": "date", "at": "timestamp"}
MINE = ("mine", "a", "7", "2024-02-29", "2024-02-29T12:00:00")
TEXTS = [0, 1]
"""Places of columns of text, the entity's among them."""


@pytest.fixture(autouse=True)
def one_salt(monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)


def found(source, some=list):
    """Totals of every kind of query, or of some, truncated to one row an entity, and scaled."""
    one = Protection(Adjacency.ADD_REMOVE, 1)
    day = np.datetime64("2024-02-01").astype(object)
    truncated = [
        Query("rows", Count()),
        Query("people", Entities()),
        Query("words", Count(), Grouping(("t",), (("a", "b"),))),
        Query("top", Top("t", ("a", "b"), 1)),
        Query("sum", Sum("n", (0, 50))),
        Query("mean", Mean("n", (0, 50))),
        Query("bins", Histogram("n", (0, 20, 50))),
        Query("some", Count(), where=(Condition("t", "!=", "a"),)),
        Query("early", Count(), where=(Condition("d", "<", day),)),
        Query("late", Count(), where=(Condition("at", ">", day),)),
        Query("others", Sum("n", (0, 50)), where=(Condition("p", "!=", "mine"),)),
    ]
    scaled = Query("scaled", Sum("n", (0, 50)), max_contribution=20.5)
    work = [*((query, one) for query in truncated)]
    work.append((scaled, Protection(Adjacency.ADD_REMOVE, None, 20.5)))
    return [
        totals.tolist() for totals in exact_totals(source, "p", some(work), memory_limit="200MB")
    ]


def every_other(first):
    """Half of the queries of a kind of file; the other half where it is written differently."""
    return lambda work: one_in(2, work, first)


def neighbours(cells):
    """A table with a person for each damaged cell, and the one in which those cells are empty."""
    tables = [], []
    for number, (place, *held) in enumerate(cells):
        for table, cell in zip(tables, held, strict=True):
            row = [f"m{number}", *MINE[1:]]
            row[place] = cell
            table.append(row)
    return [[*mine[::2], *EVERYBODY, *mine[1::2]] for mine in tables]


# CSV: bytes that are no text in the declared encoding, and texts that are not as declared.
NO_TEXT = {
    "utf-8": [b"\xff", b"a\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80",
              b"a" * 40 + b"\x80", b"\xe4hnlich " * 200_000],
    "utf-16-le": [b"\x00\xd8", b"\x00\xdca\x00"],
    "windows-1252": [b"\x81", b"a\x8f\x90b"],
    "iso-8859-7": [b"\xff", b"\xae"],
}  # fmt: skip
NOT_AS_DECLARED = {
    2: ["x", "1.5", "9007199254740993.5", "1,5", "0x10", "--1", "1e-400", "nan"],
    3: ["2024-02-30", "31.01.2024", "x", "99999-99-99", "5881580-07-12"],
    4: ["noon", "2024-01-31T25:00:00", "2024-01-31 12:00 Nowhere", "999999-01-01T00:00:00"],
}


def as_csv(folder, rows, encoding, pack):
    def octets(value):
        return value if isinstance(value, bytes) else value.encode(encoding)

    comma, line, mark = (octets(each) for each in (",", "\n", '"'))
    content = b"".join(
        comma.join(mark + octets(value) + mark for value in row) + line for row in [COLUMNS, *rows]
    )
    name = "x.csv.gz" if pack else "x.csv"
    (folder / name).write_bytes(gzip.compress(content) if pack else content)
    return Source(name, folder, TYPES, dialect=Dialect(encoding=encoding))


@pytest.mark.parametrize(("encoding", "pack"), some_pairs([*NO_TEXT], [False, True]))
def test_bytes_of_a_csv_file_that_are_no_text(tmp_path, encoding, pack):
    cells = [(place, bad, "") for bad in NO_TEXT[encoding] for place in (0, 1, 2)]
    one, other = neighbours(cells)
    some = every_other([*NO_TEXT].index(encoding))
    damaged = found(as_csv(tmp_path, one, encoding, pack), some)
    assert damaged == found(as_csv(tmp_path, other, encoding, pack), some)


def test_texts_of_a_csv_file_that_are_not_as_declared(tmp_path):
    cells = [(place, bad, "") for place, texts in NOT_AS_DECLARED.items() for bad in texts]
    one, other = neighbours(cells)
    damaged = found(as_csv(tmp_path, one, "utf-8", False))
    assert damaged == found(as_csv(tmp_path, other, "utf-8", False))


def octets_as_text(values):
    held = pa.array([None if each is None else _octets(each) for each in values], pa.binary())
    return held.view(pa.string())


def _octets(value):
    return value if isinstance(value, bytes) else value.encode()


def typed(rows, unit="us"):
    """The rows as Arrow has them; a moment may be given as a number of its unit."""
    people, words, numbers, days, moments = zip(*rows, strict=True)
    moments = [
        each if each is None or isinstance(each, int) else int(np.datetime64(each, unit).view("i8"))
        for each in moments
    ]
    days = [None if each is None else np.datetime64(each).astype(object) for each in days]
    return pa.table(
        {
            "p": octets_as_text(people),
            "t": octets_as_text(words),
            "n": pa.array([None if each is None else int(each) for each in numbers], pa.int64()),
            "d": pa.array(days, pa.date32()),
            "at": pa.array(moments, pa.int64()).view(pa.timestamp(unit)),
        }
    )


NO_MOMENT = [-(2**63), -(2**60), -(2**63) // 1000 - 1, 2**63 // 1000 + 1, 2**62]
SETTINGS = {
    "plain": {"use_dictionary": False},
    "dictionary": {},
    "small groups": {"row_group_size": 4, "data_page_version": "2.0"},
    "without Arrow's types": {"store_schema": False, "compression": "zstd"},
}


@pytest.mark.parametrize(("settings", "zone"), some_pairs([*SETTINGS], [None, "Asia/Tokyo"]))
def test_cells_of_a_parquet_file(tmp_path, settings, zone):
    cells = [(place, bad, None) for bad in NO_TEXT["utf-8"] for place in TEXTS]
    cells += [(4, bad, None) for bad in NO_MOMENT]
    answers, some = [], every_other([*SETTINGS].index(settings))
    for rows in neighbours(cells):
        table = typed(rows, "ms")
        words = table["t"].combine_chunks()
        table = table.set_column(1, "t", words.dictionary_encode() if zone else words)
        table = table.set_column(4, "at", table["at"].cast(pa.timestamp("ms", zone)))
        pq.write_table(table, tmp_path / "x.parquet", version="2.6", **SETTINGS[settings])
        answers.append(found(Source("x.parquet", tmp_path), some))
    assert answers[0] == answers[1]


def test_a_parquet_file_of_several_whose_others_are_whole(tmp_path):
    """Some keep a moment in milli-, some in microseconds, which the engine takes for the same."""
    pq.write_table(typed(EVERYBODY, "us"), tmp_path / "y.parquet")
    answers = []
    for moment in (2**62, None):
        mine = typed([(*MINE[:4], moment)], "ms")
        pq.write_table(mine, tmp_path / "x.parquet", version="2.6")
        answers.append(found(Source("*.parquet", tmp_path)))
    assert answers[0] == answers[1]


def test_old_moments_of_others_are_read_alike_whoever_s_cell_is_damaged(tmp_path):
    """INT96 holds the year 9999, which 64 bits of nanoseconds do not."""
    answers = []
    for word in (b"\xff", None):
        rows = [*EVERYBODY, ("mine", word, *MINE[2:4], 0)]
        moments = pa.array(range(len(rows)), pa.int64()).view(pa.timestamp("ns"))
        table = typed(rows).set_column(4, "at", moments)
        pq.write_table(
            table, tmp_path / "x.parquet", use_deprecated_int96_timestamps=True,
            use_dictionary=False, compression="none",
        )  # fmt: skip
        content = (tmp_path / "x.parquet").read_bytes()
        epoch, far = 2_440_588, 5_373_484  # Julian days of 1970-01-01 and of 9999-12-31
        for number in range(10):
            old = struct.pack("<qi", number, epoch)
            assert old in content
            content = content.replace(old, struct.pack("<qi", number, far))
        (tmp_path / "x.parquet").write_bytes(content)
        answers.append(found(Source("x.parquet", tmp_path)))
    assert answers[0] == answers[1]
    assert answers[0][9] > [[[0]]]


OBJECTS = [object(), [1], b"\xff", "\udc00", 10**400, 1.5, ("a",), {"a": 1}]


def test_python_objects_that_are_not_as_declared():
    types = {"p": "text", "t": "text", **TYPES}
    rows = typed(EVERYBODY).to_pylist()
    answers = []
    for damaged in (True, False):
        mine = [
            {**rows[0], "p": f"m{number}", column: bad if damaged else None}
            for column in COLUMNS
            for number, bad in enumerate(OBJECTS)
            if not (isinstance(bad, float) and types[column] == "text")  # which is its digits
        ]
        frame = pd.DataFrame(
            {
                name: pd.Series([row[name] for row in [*mine, *rows]], dtype=object)
                for name in COLUMNS
            }
        )
        answers.append(found(in_memory(frame, types)))
    assert answers[0] == answers[1]


def test_readers_of_categories_that_are_no_text():
    answers = []
    for rows in neighbours([(place, b"\xff", None) for place in TEXTS]):
        table = typed(rows)
        words = table["t"].combine_chunks().dictionary_encode()
        answers.append(found(in_memory(table.set_column(1, "t", words).to_reader(4))))
    assert answers[0] == answers[1]


def test_texts_of_postgres_without_an_encoding(postgres):
    name = "damaged_cells"
    postgres.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    postgres.execute(
        f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' TEMPLATE template0 "
        "LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    cells = [(place, bad, None) for bad in NO_TEXT["utf-8"] for place in TEXTS]
    answers = []
    with postgres.connect(name) as session:
        session.execute(
            "CREATE TABLE t (p text, t varchar, n bigint, d date, at timestamp);"
            "CREATE FUNCTION made(bytea) RETURNS text LANGUAGE SQL "
            "RETURN convert_from($1, 'SQL_ASCII')"
        )
        for rows in neighbours(cells):
            session.execute("TRUNCATE t")
            for row in rows:
                octets = [None if each is None else _octets(each) for each in row[:2]]
                session.execute(
                    "INSERT INTO t VALUES (made(%s), made(%s), %s, %s, %s)", [*octets, *row[2:]]
                )
            session.commit()
            answers.append(found(postgres.source("t", name)))
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("used", "damaged"),
    some_pairs(
        [["d"], ["a"], ["b", "d"], ["a", "b", "c", "d"], []], [(0,), (3,), (1, 3), (0, 1, 2, 3)]
    ),
)
def test_bytes_that_are_no_text_do_no_harm_whatever_columns_are_asked_for(tmp_path, damaged, used):
    """The engine ended for good where a damaged column stood behind as many as it was asked for."""
    cells = [b"x\xff" if place in damaged else b"x" for place in range(4)]
    (tmp_path / "x.csv").write_bytes(b"a,b,c,d\n1,2,3,4\n" + b",".join(cells) + b"\n5,6,7,8\n")
    with open_table(Source("x.csv", tmp_path), used, memory_limit="200MB") as data:
        rows = data.engine.rows(data.table).to_pylist()
        unread = {each.column: each.unread for each in data.unread()}
    mine = {name: None if "abcd".index(name) in damaged else "x" for name in used}
    assert len(rows) == 3
    assert not used or mine in rows
    assert unread == {name: int(mine[name] is None) for name in used}
    where = "".join(f'["{name}", "!=", "z"], ' for name in used)
    (tmp_path / "plan.toml").write_text(
        '[data]\nsource = "x.csv"\nadjacency = "add-remove"\n[target]\nepsilon = 1\n'
        '[[query]]\nname = "q"\n'
        f'statistic = "count"\nwhere = [{where}]\n'
    )
    told = [each.lines for each in unreadable(tmp_path / "plan.toml").lines]
    assert told == ([(3,)] if None in mine.values() else [])
