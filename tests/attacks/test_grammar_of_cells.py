"""A cell is a number, a date or a truth value by the grammar of the pages, whatever reads it.

The oracle reads each text a letter at a time. The texts are all that people write for a number
(separators, signs, words, powers, digits of other scripts), each with small changes, and random
ones of the same pieces.
"""

import csv
import datetime
import itertools
import random

import pyarrow as pa
import pytest

from deniable.publish.sources.csv_source import Dialect
from deniable.publish.sources.table import Source, open_table
from tests.oracles import cell_grammar

NUMBERS = [
    "0", "7", "-7", "+7", "007", "2024_01", "1_000", "1_2.5", "1,5", "1.000,5", "1 000", "1'000",
    "1\u00a0000", "1\u202f000", "1.", ".5", "-.5", "+.5e-3", ".", "1e5", "1E+5", "1e-5", "1e",
    "1e+", "e5", "1e5.0", "1e400", "-1e400", "1e-400", "5e-324", "9007199254740993",
    "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" * 60,
    "1e999999999999", "0x10", "0X1F", "0b1", "0o7", "1f", "1d", "1L", "5%", "$5", "5 €", "\uff17",
    "\u0663", "\u2212" "1", "\u00bd", "inf", "-Infinity", "+INF", "nan", "NaN", "-nan", "nan(1)",
    "NA", "null", "none", "true", "", "\ufeff1", "1\0", "1.2.3", "1..2", "--1", "+-1", "(1)", "1/2",
    "1e1_0", "1._5", "_1", "1_", "1 e5",
]  # fmt: skip
TRUTHS = [
    "true", "True", "TRUE", "t", "T", "1", "1.0", "0", "0.0", "f", "yes", "Y", "no", "N", "on",
    "off", "tru", "2", "-1", "00", "01", "1.00", "1e0", "wahr", "ja", "true.", "ｔrue", "\u017f",
    "x",
]  # fmt: skip
DAYS = [
    "2024-01-31", "2024-1-31", "2024/01/31", "2024-01/31", "2024.01.31", "2024 01 31", "20240131",
    "2024_01_31", "24-01-31", "31/01/24", "31/01/2024", "2024-02-30", "2024-13-01", "2024-00-10",
    "0044-03-15 (BC)", "0044-03-15 (bc)", "0044-03-15  (BC)", "0044-03-15(BC)", "-0044-03-15",
    "-0044-03-15 (BC)", "0000-01-01", "0000-01-01 (BC)", "+2024-01-31", "10000-01-01",
    "02024-01-31", "5881580-07-10", "5881581-01-01", "-5877641-06-24", "infinity", "-Infinity",
    "inf", "+inf", "epoch", "today", "now", "2024-W05-3", "2024-031", "2024-01", "2024",
    "2024-01-31Z", "2024-01-31+01:00", "2024-01-31x", "\uff12024-01-31", "2024-001-31",
    "2024\\01\\31", "9999-12-31", "0999-01-01", "2024-02-29", "2023-02-29", "1900-02-29",
    "2024-01-31 (AD)", "1_024-01-31",
]  # fmt: skip
TIMES = [
    "", " 00:00", "T00:00:00", " 00:00:00.000", " 00:00:00.001", " 12:30", "T12:30", "t12:30",
    " 12", " 1:2:3", " 12:30:00.5", " 12:30:00,5", " 12:30:00.", " 12:30:", "  12:30:00",
    "\t12:30:00", "T 12:30", " 24:00:00", " 24:00:01", " 23:59:60", " 12:60:00", " 25:00",
    " 12:30:00.1234567", " 12:30 PM", "Z", " 12:30Z", " 12:30:00Z", " 12:30:00z", " 12:30:00+01",
    " 12:30:00+0130", " 12:30:00+01:30", " 12:30:00-01:30:15", " 12:30:00+1", " 12:30:00+24:00",
    " 12:30:00+01:60", " 12:30:00 +01:00", " 12:30:00 UTC", " 12:30:00 gmt", " 12:30:00 BST",
    " 12:30:00 CST", " 12:30:00 IST", " 12:30:00UTC", " 12:30:00 Etc/GMT+5",
    " 12:30:00 Nowhere/At_All", " 12:30:00+99", " 12:30:00+013015", " 12:30:00.1234567+01:00",
    "-12:30", " 12_30",
]  # fmt: skip
AROUND = [
    "{}",
    " {}",
    "{} ",
    "\t{}\r\n",
    "\v{}\f",
    "\u00a0{}",
    "{}\u2003",
    "{}_",
    "'{}",
    "{}x",
    "{}\u200b",
]
PIECES = [*"0123456789+-._,eE: TZ/'x", "2024", "-01", "00", "inf", "nan", "\u0663", "\u00a0", "1.5"]


def texts(kind):
    plain = {
        "integer": NUMBERS,
        "number": NUMBERS,
        "boolean": TRUTHS,
        "date": [day + time for day in DAYS for time in TIMES[:8]],
        "timestamp": [day + time for day, time in itertools.product(DAYS[:16] + DAYS[-9:], TIMES)],
    }[kind]
    made = [form.format(text) for text in [*plain, *NUMBERS, *TRUTHS, *DAYS] for form in AROUND]
    draw = random.Random(kind)
    made += ["".join(draw.choices(PIECES, k=draw.randrange(1, 9))) for _ in range(20_000)]
    return list(dict.fromkeys([*plain, *made]))


def as_csv(folder, column, kind):
    with (folder / "x.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([("row", "x"), *enumerate(column)])
    return Source("x.csv", folder, {"row": "integer", "x": kind}, nulls=())


MADE = {"csv": as_csv}


def seen(column, kind):
    """Values as the oracle has them."""
    values = column.combine_chunks()
    if kind == "date":
        numbers, end = values.view(pa.int32()).to_pylist(), 2**31 - 1
    elif kind == "timestamp":
        numbers, end = values.cast(pa.timestamp("us")).view(pa.int64()).to_pylist(), 2**63 - 1
    else:
        return values.to_pylist()
    ends = {end: float("inf"), -end: float("-inf")}
    return [ends.get(number, number) for number in numbers]


@pytest.mark.parametrize("kind", cell_grammar.READERS)
@pytest.mark.parametrize("made", MADE)
def test_a_text_is_what_the_stated_grammar_says(tmp_path, made, kind):
    column = texts(kind)
    source = MADE[made](tmp_path, column, kind)
    with open_table(source, ["row", "x"], memory_limit="400MB") as data:
        found = seen(data.engine.rows(data.table).sort_by("row")["x"], kind)
    wrong = {
        text: (value, want)
        for text, value in zip(column, found, strict=True)
        if value != (want := cell_grammar.read(kind, text))
    }
    assert not wrong, dict(itertools.islice(wrong.items(), 30))
    assert sum(value is not None for value in found) > 10


@pytest.mark.parametrize(
    ("kind", "written", "text", "want"),
    [
        ("date", "%d.%m.%Y", "31.01.2024", datetime.date(2024, 1, 31)),
        ("date", "%d.%m.%Y", "3.1.2024", datetime.date(2024, 1, 3)),
        ("date", "%d.%m.%Y", "31.01.24", None),
        ("date", "%d.%m.%Y", "31.01.0024", datetime.date(24, 1, 31)),
        ("date", "%d.%m.%Y", "31.01.024", None),
        ("date", "%d.%m.%y", "31.01.24", datetime.date(2024, 1, 31)),
        ("date", "%d%m%Y", "310124", None),
        ("date", "%d%m%Y", "31012024", datetime.date(2024, 1, 31)),
        ("timestamp", "%d/%m/%Y %H", "31/01/24 12", None),
        ("timestamp", "%d/%m/%Y %H", "31/01/0124 12", datetime.datetime(124, 1, 31, 12)),
        ("timestamp", "%d/%m/%Y %H", "31/01/2024 12", datetime.datetime(2024, 1, 31, 12)),
    ],
)
def test_two_digits_are_no_year_of_four(tmp_path, kind, written, text, want):
    (tmp_path / "x.csv").write_text(f"x,y\n{text},1\n", encoding="utf-8")
    dialect = Dialect(**{f"{kind}_format": written})
    source = Source("x.csv", tmp_path, {"x": kind}, dialect=dialect)
    with open_table(source, ["x"], memory_limit="100MB") as data:
        assert data.engine.rows(data.table)["x"].to_pylist() == [want]
