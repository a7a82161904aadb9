"""CSV: declared types, what NULL is written as, what cannot be read."""

import datetime
import math

import pytest

from deniable.publish.sources import Cleaning, Dialect, Reading, csv_source, csv_values, engine


def parsed(tmp_path, kind, texts, nulls=("",), dialect=None, cleaning=None):
    """Values and unreadable flags of one column, through the engine."""
    reading = Reading("x", kind, nulls, dialect or Dialect(), cleaning or Cleaning())
    path = tmp_path / "x.csv"
    quoted = ['"' + text.replace('"', '""') + '"' for text in texts]
    path.write_bytes("\n".join(["x,y", *(f"{text},0" for text in quoted), ""]).encode())
    with engine("x.csv", "100MB") as running:
        running.execute(
            f"CREATE VIEW v AS SELECT * FROM {csv_source.scan([path], ['x', 'y'], Dialect())}"
        )
        table = running.backend.table("v")
        found = csv_values.parse_column(table.x, reading)
        same = csv_values.identity(table.x, reading)
        flag = found.unreadable if found.unreadable is not None else table.x.notnull() & False
        rows = running.rows(table.select(value=found.value, flag=flag, same=same))
    return {name: rows[name].to_pylist() for name in rows.column_names}


def test_numbers_of_any_size_are_read(tmp_path):
    texts = ["1", " 2 ", "-3.5", "1e3", "9" * 400, "-" + "9" * 400, "inf", "-inf", "nan", ""]
    found = parsed(tmp_path, "number", texts)
    assert found["value"] == [1, 2, -3.5, 1000, *([math.inf, -math.inf] * 2), None, None]
    assert not any(found["flag"])


def test_whole_numbers(tmp_path):
    texts = ["1", "1.0", "-0", "1e18", "nan", "3.5", "abc", "0x10", "1,5", ""]
    found = parsed(tmp_path, "integer", texts)
    assert found["flag"] == [False] * 5 + [True] * 4 + [False]
    assert found["value"][:5] == [1, 1, 0, 10**18, None]


MOST, LEAST = 2**63 - 1, -(2**63)


def test_whole_numbers_are_exact_up_to_the_ends_of_64_bits(tmp_path):
    numbers = [sign * (2**power + step) for sign in (1, -1) for power in (52, 53, 54, 60, 63)
               for step in range(-3, 4)]  # fmt: skip
    for written in (str, "{}.0".format, "{}e0".format, lambda n: f"{10 * n}e-1"):
        found = parsed(tmp_path, "integer", [written(number) for number in numbers])
        assert found["value"] == [max(LEAST, min(MOST, number)) for number in numbers]
        assert not any(found["flag"])


def test_whole_numbers_beyond_64_bits_are_the_last_ones(tmp_path):
    found = parsed(tmp_path, "integer", ["9" * 400, "-" + "9" * 400, "inf", "-inf", "1e300"])
    assert found["value"] == [MOST, LEAST, MOST, LEAST, MOST]


def test_timestamps_of_a_zone_are_in_utc(tmp_path):
    noon = datetime.datetime(2024, 1, 31, 12)
    texts = ["12:00:00", "12:00:00Z", "14:00:00+02:00", "14:00:00+02", "01:30:00-10:30"]
    found = parsed(tmp_path, "timestamp", [f"2024-01-31T{text}" for text in texts])
    assert found["value"] == [noon] * 5
    assert not any(found["flag"])
    found = parsed(tmp_path, "timestamp", ["0001-01-01", "2024-01-31 12:00 Nowhere", "9999-12-31"])
    assert found["flag"] == [False, True, False]


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
    texts = ["9007199254740993", "9007199254740992", "7", "007", "7.0", "9" * 30, "8" * 60, "nan"]
    found = parsed(tmp_path, "integer", texts)
    assert found["value"][5] == MOST == found["value"][6]
    assert len(set(found["same"])) == 6
    assert found["same"][2] == found["same"][3] == found["same"][4]
    assert found["same"][-1] is None


def test_text_is_taken_as_it_is(tmp_path):
    texts = [" a ", 'the "b"', "c,d", "e\nf", "#g", "Ünï"]
    assert parsed(tmp_path, "text", texts)["value"] == texts


def test_whole_numbers_are_told_from_their_digits(tmp_path):
    """Their floats are whole beyond 2^52, and next to a whole number."""
    broken = ["9007199254740993.5", "4503599627370496.3", "1.00000000000000000001", "1.5e0",
              "9.0071992547409935e15", "1e-400", "1e-99999999999", "-0.1e0", "10e-2"]  # fmt: skip
    whole = {"1.5e1": 15, "-1.0": -1, "0e-5": 0, "0.000": 0, "90071992547409930e-1": 2**53 + 1,
             "9007199254740993.000": 2**53 + 1, "1.": 1, "-.0": 0, ".5e1": 5, "100e-2": 1,
             "1e99999999999": MOST, "9007199254740993.5e1": 90071992547409935}  # fmt: skip
    found = parsed(tmp_path, "integer", [*broken, *whole])
    assert found["value"] == [*[None] * len(broken), *whole.values()]
    assert found["flag"] == [True] * len(broken) + [False] * len(whole)
    assert found["same"][: len(broken)] == [None] * len(broken)


def test_a_text_that_holds_a_mark_is_no_value_whatever_nulls_say(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("x\na\nbMARKc\n")
    with engine("x.csv", "100MB") as running:
        running.execute(f"CREATE VIEW v AS FROM {csv_source.scan([path], ['x'], Dialect())}")
        for nulls in ((), ("",), ("?",)):
            found = csv_values.parse_column(
                running.table("v").x, Reading("x", nulls=nulls, mark="MARK")
            )
            rows = running.rows(running.table("v").select(value=found.value))
            assert sorted(rows["value"].to_pylist(), key=str) == [None, "a"]


def test_what_is_meant_in_words():
    assert csv_values.describe_reading(Reading("age", "integer")) == "a whole number"
