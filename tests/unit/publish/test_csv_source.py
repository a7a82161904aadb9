"""CSV: headers, declared types, what NULL is written as, what cannot be read."""

import gzip
import math

import pytest

from deniable.errors import PlanError
from deniable.publish import csv_source
from deniable.publish.engine import engine


def parsed(tmp_path, kind, texts, nulls=("",)):
    """Values and unreadable flags of one column, through the engine."""
    path = tmp_path / "x.csv"
    quoted = ['"' + text.replace('"', '""') + '"' for text in texts]
    path.write_bytes("\n".join(["x,y", *(f"{text},0" for text in quoted), ""]).encode())
    with engine("x.csv", "100MB") as running:
        running.execute(f"CREATE VIEW v AS SELECT * FROM {csv_source.scan([path], ['x', 'y'])}")
        table = running.backend.table("v")
        found = csv_source.parsed(table.x, kind, nulls)
        same = csv_source.identity(table.x, kind, nulls)
        flag = found.unreadable if found.unreadable is not None else table.x.notnull() & False
        rows = running.rows(table.select(value=found.value, flag=flag, same=same))
    return {name: rows[name].to_pylist() for name in rows.column_names}


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"a,b\n1,2\n", ("a", "b")),
        (b"\xef\xbb\xbfa,b\r\n", ("a", "b")),
        ('"Größe, cm","the ""best""",x y\n'.encode(), ("Größe, cm", 'the "best"', "x y")),
        (b'"two\nlines",b\n', ("two\nlines", "b")),
        (b"only", ("only",)),
    ],
)
def test_header(tmp_path, content, names):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    assert csv_source.header(path) == names
    packed = tmp_path / "x.csv.gz"
    packed.write_bytes(gzip.compress(content))
    assert csv_source.header(packed) == names


def test_header_of_tabs(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("a\tb,c\n")
    assert csv_source.header(path) == ("a", "b,c")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Expected a header"),
        (b"\n1,2\n", "Expected a header"),
        (b"\xff\xfe,b\n", "Expected a header"),
        (b'"a,b\n', "Expected a header"),
        (b"a,,b\n", "an empty name"),
        (b"age,Age\n", "'Age' twice"),
    ],
)
def test_header_refused(tmp_path, content, message):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(PlanError, match=message):
        csv_source.header(path)


def test_header_of_a_damaged_archive(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(b"no archive")
    with pytest.raises(PlanError, match="Expected a header"):
        csv_source.header(path)


def test_numbers_of_any_size_are_read(tmp_path):
    texts = ["1", " 2 ", "-3.5", "1e3", "9" * 400, "-" + "9" * 400, "inf", "-inf", "nan", ""]
    found = parsed(tmp_path, "number", texts)
    assert found["value"] == [1, 2, -3.5, 1000, *([math.inf, -math.inf] * 2), None, None]
    assert not any(found["flag"])


def test_whole_numbers(tmp_path):
    texts = ["1", "1.0", "9" * 400, "inf", "nan", "3.5", "abc", "0x10", "1,5", ""]
    found = parsed(tmp_path, "integer", texts)
    assert found["flag"] == [False] * 5 + [True] * 4 + [False]
    assert found["value"][:5] == [1, 1, math.inf, math.inf, None]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("number", "1.5", "one"),
        ("boolean", "true", "maybe"),
        ("date", "2024-02-29", "2023-02-29"),
        ("timestamp", "2024-02-29T12:30:00", "noon"),
    ],
)
def test_unreadable_values_are_told_from_null(tmp_path, kind, good, bad):
    found = parsed(tmp_path, kind, [good, bad, "", "?"], nulls=("", "?"))
    assert found["flag"] == [False, True, False, False]
    assert [value is None for value in found["value"]] == [False, True, True, True]


def test_nulls_say_what_null_is(tmp_path):
    assert parsed(tmp_path, "text", ["", "?", "a"])["value"] == [None, "?", "a"]
    assert parsed(tmp_path, "text", ["", "?", "a"], nulls=("?",))["value"] == ["", None, "a"]
    assert parsed(tmp_path, "text", ["", "?"], nulls=())["value"] == ["", "?"]
    assert parsed(tmp_path, "number", [""], nulls=())["flag"] == [True]


def test_large_whole_numbers_are_different_entities(tmp_path):
    texts = ["9007199254740993", "9007199254740992", "7", "007", "7.0", "9" * 60, "8" * 60, "nan"]
    found = parsed(tmp_path, "integer", texts)
    assert found["value"][0] == found["value"][1]
    assert len(set(found["same"])) == 6
    assert found["same"][2] == found["same"][3] == found["same"][4]
    assert found["same"][-1] is None


def test_text_is_taken_as_it_is(tmp_path):
    texts = [" a ", 'the "b"', "c,d", "e\nf", "#g", "Ünï"]
    assert parsed(tmp_path, "text", texts)["value"] == texts


def test_what_is_said_of_an_unreadable_value():
    sentence = csv_source.unreadable("x.csv", "age", "integer")
    assert sentence.startswith("Expected a whole number in every row, got something else at x.csv")
    assert '"age"' in sentence


@pytest.mark.parametrize(
    ("content", "strict"),
    [
        (b"", True),
        (b"a,b\n1,2\n", True),
        (b'"a","b"\r\n"1","x\n""y"""\n', True),
        (b'\xef\xbb\xbf"a"\n1', True),
        (b'a\n""""""', True),
        (b'a\n"1', False),
        (b'a,b\n1,x"y\n2,"z\n', False),
        (b'a\nx"y\n', False),
        (b'a\n"1" "2"\n', False),
    ],
)
def test_quotation_marks_open_close_or_are_doubled(tmp_path, content, strict, monkeypatch):
    (tmp_path / "x.csv").write_bytes(content)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(content))
    for block in (1, 2, 3, 2**20):
        monkeypatch.setattr(csv_source, "_BLOCK", block)
        for name in ("x.csv", "x.csv.gz"):
            assert csv_source.is_strictly_quoted(tmp_path / name) is strict
