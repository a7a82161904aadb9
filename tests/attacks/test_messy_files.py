"""Files in every declared dialect hold what Python's csv module reads; a row changes no other."""

import csv
import datetime
import gzip
import io
import secrets

import attrs
import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import DataError, PlanError
from deniable.publish.plan.csv_table import read_dialect
from deniable.publish.plan.table import PlanTable
from deniable.publish.sources.csv_source import Cleaning, Dialect
from deniable.publish.sources.table import Source, open_table
from deniable.publish.totals.passes import Total, totals
from tests.cases.effort import one_in, some_pairs
from tests.cases.refusals import refuses

TEXTS = [
    "", " ", "a", " a ", ",", ";", "\t", "|", "a,b;c\td|e", '"', 'a"b', '""', "'", "it's", "''",
    "a\nb", "a\r\nb", "\r", "\n", "\\", "a\\b", "\\n", "#", "NULL", "1,5", "é", "ß", "\u00a0x",
]  # fmt: skip
UNICODE = ["\u20ac", "\u0130", "\U0001f600", "\ufeff", "\u2028", "\x85", "a\u0301", "\u4e2d"]
PACK = {
    "": lambda raw: raw,
    ".gz": gzip.compress,
    ".zst": lambda raw: pa.Codec("zstd").compress(raw, asbytes=True),
}
DIALECTS = {
    "by name": Dialect(),
    "semicolons": Dialect(delimiter=";"),
    "bars": Dialect(delimiter="|", quote="'", escape="'"),
    "backslashes": Dialect(delimiter=";", escape="\\"),
    "no marks": Dialect(delimiter="\t", quote="", escape=""),
    "no header": Dialect(delimiter=";", columns=("n", "t", "x y")),
    "utf-16": Dialect(encoding="utf-16", delimiter=";"),
    "utf-16-be": Dialect(encoding="utf-16-be"),
    "latin-1": Dialect(encoding="latin-1"),
    "windows-1252": Dialect(encoding="windows-1252", delimiter=";", columns=("n", "t", "x y")),
}


def written(rows, dialect, suffix, newline="\n", bom=False):
    """Bytes of a file, each text in quotation marks where there are any."""
    tab = "\t" if suffix.startswith(".tsv") else ","

    def field(text):
        if not dialect.quote:
            return text
        if dialect.escape != dialect.quote:
            text = text.replace(dialect.escape, 2 * dialect.escape)
        return dialect.quote + text.replace(dialect.quote, dialect.escape + dialect.quote) + (
            dialect.quote
        )  # fmt: skip

    lines = [(dialect.delimiter or tab).join(map(field, row)) + newline for row in rows]
    raw = ("\ufeff" * bom + "".join(lines)).encode(dialect.encoding)
    return PACK[suffix[4:]](raw)


def by_python(content, dialect, suffix):
    """What the csv module makes of a file's bytes."""
    unpack = {"": bytes, ".gz": gzip.decompress}.get(
        suffix[4:], lambda raw: pa.input_stream(io.BytesIO(raw), compression="zstd").read()
    )
    text = unpack(content).decode(dialect.encoding).removeprefix("\ufeff")
    doubled = dialect.quote == dialect.escape
    return list(
        csv.reader(
            io.StringIO(text, newline=""),
            delimiter=dialect.delimiter or ("\t" if suffix.startswith(".tsv") else ","),
            quotechar=dialect.quote or None,
            quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
            doublequote=doubled,
            escapechar=None if doubled else dialect.escape,
        )
    )


def by_us(folder, contents, dialect, suffix, **settings):
    for number, content in enumerate(contents):
        (folder / f"{number}x{suffix}").write_bytes(content)
    name = f"*x{suffix}" if len(contents) > 1 else f"0x{suffix}"
    source = Source(name, folder, {"n": "integer"}, (), dialect=dialect, **settings)
    with open_table(source, ["n", "t", "x y"], memory_limit="200MB") as data:
        return sorted(tuple(row.values()) for row in data.engine.rows(data.table).to_pylist())


def texts(dialect):
    found = TEXTS + UNICODE
    if not dialect.quote:
        found = [text for text in found if not set(text) & {"\t", "\n", "\r"}]
    return [text for text in found if _holds(dialect.encoding, text)]


def _holds(encoding, text):
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


@pytest.mark.parametrize(
    ("name", "suffix"), some_pairs([*DIALECTS], [".csv", ".tsv", ".csv.gz", ".tsv.zst"])
)
def test_a_file_holds_what_an_independent_reader_finds(tmp_path, name, suffix):
    dialect = DIALECTS[name]
    body = [[str(number), text, text[::-1]] for number, text in enumerate(texts(dialect))]
    rows = body if dialect.columns else [["n", "t", "x y"], *body]
    bom = dialect.encoding in ("utf-8", "utf-16-be")
    contents = [written(rows, dialect, suffix, newline, bom) for newline in ("\n", "\r\n")]
    expected = [row for each in contents for row in by_python(each, dialect, suffix)]
    expected = [(int(n), t, x) for n, t, x in expected if n != "n"]
    assert len(expected) == 2 * len(body)
    assert by_us(tmp_path, contents, dialect, suffix) == sorted(expected)


NUMBERS = {
    ("German", ",", "."): {
        "1.234,5": 1234.5, "1234,5": 1234.5, "-1.234.567": -1234567, ",5": 0.5, "7,": 7.0,
        "+0,25e2": 25.0, " 3 ": 3.0, "inf": np.inf, "1.5": None, "1,234.5": None, "12.34": None,
        "1_000": None, "1.2345": None, "": None, "1,,5": None, ".5": None, "x": None,
    },
    ("Swiss", ".", "'"): {"1'234.5": 1234.5, "1'23": None, "1,5": None, "12": 12.0},
    ("French", ",", "\u00a0"): {"1\u00a0234,5": 1234.5, "1 234,5": None, "1\u00a0234\u00a0": None},
    ("English", ".", ","): {"1,234,567.5": 1234567.5, "1,5": None, "1,5000": None, "999": 999.0},
    ("comma", ",", ""): {"1,5": 1.5, "1.5": None, "1.234,5": None, "1500": 1500.0},
}  # fmt: skip


def read(folder, kind, text, dialect):
    """One text in a column of a kind, beside another row."""
    return read_as(folder, [kind], [text], dialect)[kind][0]


def read_as(folder, kinds, texts, dialect):
    """Texts in a column of each kind, a row for each text."""
    quoted = ['"' + text.replace('"', '""') + '"' for text in texts]
    rows = [";".join(["p", *kinds]), *(";".join(["1", *[each] * len(kinds)]) for each in quoted)]
    (folder / "v.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    types = {kind: kind for kind in kinds}
    source = Source("v.csv", folder, types, (), attrs.evolve(dialect, delimiter=";"))
    with open_table(source, kinds, memory_limit="100MB") as data:
        return data.engine.rows(data.table).to_pydict()


@pytest.mark.parametrize("custom", NUMBERS, ids=lambda custom: custom[0])
def test_marks_stand_where_they_are_declared_or_there_is_no_value(tmp_path, custom):
    _, decimal, thousands = custom
    dialect, values = Dialect(decimal=decimal, thousands=thousands), NUMBERS[custom]
    found = read_as(tmp_path, ["number"], [*values], dialect)["number"]
    assert dict(zip(values, found, strict=True)) == values


CONTROLS = [chr(place) for place in range(0x20) if chr(place) not in "\t\n\v\f\r"]
"""Alike: no blank, no figure, no mark of a pattern."""
MARKS = [*map(chr, range(0x7F)), *"\x85\ufeff\u2028\u00a0\u202f\u2009\u066c\u02d9’¸"]


@pytest.mark.parametrize("key", ["decimal", "thousands"])
def test_every_mark_that_a_plan_admits_is_read(tmp_path, key):
    """What a mark is not part of stays as it is; of ASCII every fourth mark is read by a key."""
    some = one_in(4, [*map(chr, range(0x20, 0x7F))], first=key == "decimal")
    tried = {mark for mark in MARKS if not mark.isascii()} | {".", ",", "'", "_", *some}
    tried |= {*one_in(4, CONTROLS, first=key == "decimal")}
    admitted = []
    for mark in MARKS:
        said = {"delimiter": ";", key: mark}
        said |= {"decimal": ","} if (key, mark) == ("thousands", ".") else {}
        try:
            dialect = read_dialect(PlanTable("p.toml", "[data]", {"csv": said}))
        except PlanError:
            continue
        admitted.append(mark)
        if mark not in tried:
            continue
        point = dialect.decimal
        texts = {
            "thousands": {f"1{mark}234": 1234, f"-1{mark}234{mark}567{point}5": -1234567.5,
                          f"1{mark}23": None, f"1{mark}{mark}234": None, "1234": 1234},
            "decimal": {f"1{mark}5": 1.5, f"{mark}25": 0.25, f"1{mark}{mark}5": None, "12": 12},
        }[key]  # fmt: skip
        found = read_as(tmp_path, ["number", "integer"], [*texts], dialect)
        assert found["number"] == [*texts.values()], mark
        for text, value, integer in zip(texts, texts.values(), found["integer"], strict=True):
            if value is not None and value == int(value):
                assert integer == value, (mark, text)
    assert len(admitted) > 20


def test_dates_and_moments_are_read_as_declared_only(tmp_path):
    dialect = Dialect(date_format="%d.%m.%Y", timestamp_format="%d/%m/%Y %H:%M %z")
    assert read(tmp_path, "date", "31.01.2024", dialect) == datetime.date(2024, 1, 31)
    noon = read(tmp_path, "timestamp", "31/01/2024 14:00 +0200", dialect)
    assert noon == datetime.datetime(2024, 1, 31, 12)
    for kind, text in [("date", "2024-01-31"), ("date", "31.02.2024"), ("timestamp", "31.01.2024")]:
        assert read(tmp_path, kind, text, dialect) is None


RAGGED = [b"1;a\n", b"1;a;b;c\n", b'1;"a"x;b\n', b'1;"a;b\n']


@pytest.mark.parametrize("row", RAGGED, ids=repr)
@pytest.mark.parametrize("divided", ["first", "last"])
def test_a_broken_row_is_an_error_and_never_quoted(tmp_path, row, divided):
    rows = [b"1;a;b\n"] * 3
    rows.insert(0 if divided == "first" else 3, row)
    content = b"n;t;x y\n" + b"".join(rows)
    with refuses(DataError, "for-owner-do-not-publish") as caught:
        by_us(tmp_path, [content], Dialect(delimiter=";"), ".csv")
    error = caught.value
    while error is not None:
        assert isinstance(error, DataError)
        assert "1;" not in str(error)
        error = error.__context__


@pytest.mark.parametrize("suffix", [".csv.gz", ".csv.zst"])
def test_half_a_packed_file_is_an_error(tmp_path, suffix):
    body = [["1", secrets.token_hex(20), "b"] for _ in range(20_000)]
    content = written([["n", "t", "x y"], *body], Dialect(), suffix)
    for length in (len(content) // 2, len(content) - 1):
        with refuses(DataError, "data-something-damaged"):
            by_us(tmp_path, [content[:length]], Dialect(), suffix)


CLEANING = Cleaning(trim=("t", "p"), fold=("t", "p"), recode={"t": {"f": "female", "m": "male"}})
MESSY = [
    "F", " f ", "\u00a0F", "FEMALE", "m", "x", "", " ", "\u0130", "\u03a3", "'", "M\n",
    "ﬁ", "\u2003f",
]  # fmt: skip


def kept(folder, rows, dialect):
    """Everybody else's rows, one each, after bounding."""
    content = written([["p", "t", "v"], *rows], dialect, ".csv")
    (folder / "x.csv").write_bytes(content)
    source = Source("x.csv", folder, {"v": "number"}, ("",), dialect=dialect, cleaning=CLEANING)
    with open_table(source, ["t", "v"], entity="p", memory_limit="200MB") as data:

        def found(bucket):
            mine = bucket.truncated.filter(bucket.truncated[data.entity] != "attacker")
            rows = data.engine.rows(mine).to_pydict()
            return np.array([repr(row) for row in zip(*rows.values(), strict=True)], dtype=object)

        (all_of,) = totals(data, 1, [Total(found, lambda *both: np.concatenate(both))], passes=1)
    return sorted(all_of)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_nobody_else_s_kept_rows_change_whatever_the_attacker_writes(
    tmp_path, encoding, monkeypatch
):
    monkeypatch.setattr(secrets, "token_hex", lambda *_: "5a" * 16)
    dialect = Dialect(delimiter=";", decimal=",", thousands=".", encoding=encoding)
    base = [
        [f"{'P' if n else ' p'}{person}", text, "1.000,5" if person % 3 else "-0"]
        for person in range(60)
        for n, text in enumerate(("F", " female ", "M"))
    ]
    attacks = [["Attacker ", text, number] for text in MESSY for number in ("-0", "0,0", "1e400")]
    known = kept(tmp_path, base, dialect)
    assert len(known) == 60
    assert kept(tmp_path, [*base, *attacks], dialect) == known
    assert kept(tmp_path, [*attacks, *base], dialect) == known


def test_cleaning_is_what_the_plan_says_by_python_s_account(tmp_path):
    messy = [text for text in MESSY if _holds("utf-8", text)]
    rows = [["t", "p", "v"], *([text, str(number), "0"] for number, text in enumerate(messy))]
    (tmp_path / "x.csv").write_bytes(written(rows, Dialect(), ".csv"))
    source = Source("x.csv", tmp_path, {"p": "integer"}, ("",), cleaning=CLEANING)
    with open_table(source, ["p", "t"], memory_limit="100MB") as data:
        found = data.engine.rows(data.table).to_pydict()
    expected = {n: CLEANING.cleaned("t", text) or None for n, text in enumerate(messy)}
    assert dict(zip(found["p"], found["t"], strict=True)) == expected
    assert list(expected.values())[:5] == ["female", "female", "female", "female", "male"]
