"""Files of SPSS, Stata and SAS: each trap that a reader falls into, with the right value."""

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from deniable.errors import DataError, PlanError
from deniable.publish.sources import Source, open_table, schema
from deniable.publish.sources.kinds import Kind
from deniable.statistics_files import packages
from tests.cases.people_files import WRITERS
from tests.cases.refusals import refuses

NOON = datetime.datetime(2024, 1, 31, 12)
DAY = datetime.date(2024, 1, 31)
SPSS = datetime.datetime(1582, 10, 14)
SIXTY = datetime.datetime(1960, 1, 1)


def values(path: Path, column: str, *, keys: tuple = (), **types: str) -> list[Any]:
    """A column's values as a plan sees them, in the file's order."""
    source = Source(path.name, path.parent, types, keys={column: frozenset(keys)} if keys else {})
    with open_table(source, [column], memory_limit="200MB") as data:
        return data.engine.rows(data.table)[column].to_pylist()


def spss(folder: Path, cells: list, **more: Any) -> Path:
    path = folder / "x.sav"
    pyreadstat.write_sav(pd.DataFrame({"v": cells}), str(path), **more)
    return path


def stata(folder: Path, cells: list, **more: Any) -> Path:
    path = folder / "x.dta"
    pyreadstat.write_dta(pd.DataFrame({"v": cells}), str(path), **more)
    return path


# --- What stands for no value


def test_user_missing_values_and_ranges_of_spss_are_no_values(tmp_path):
    path = spss(tmp_path, [1.0, 98.0, 97.0, 96.9, -5.0, None],
                missing_ranges={"v": [{"lo": 97, "hi": 99}, -5]})  # fmt: skip
    assert values(path, "v") == [1, None, None, 96.9, None, None]
    assert values(path, "v", v="integer") == [1, None, None, None, None, None]
    assert values(path, "v", keys=(98,)) == [1, 98, None, 96.9, None, None]
    assert values(path, "v", v="text", keys=("98",)) == ["1", "98", None, "96.9", None, None]


def test_a_text_of_spss_can_stand_for_no_value(tmp_path):
    path = spss(tmp_path, ["A ", "A", "ref", ""], missing_ranges={"v": ["ref"]})
    assert values(path, "v") == ["A", "A", None, None]  # blanks at the end are padding
    assert values(path, "v", keys=("ref",)) == ["A", "A", "ref", None]


def test_a_range_of_spss_may_have_no_end(tmp_path):
    path = spss(tmp_path, [-1e300, 0.0, 1.0],
                missing_ranges={"v": [{"lo": float("-inf"), "hi": 0}]})  # fmt: skip
    assert values(path, "v") == [None, None, 1]


@pytest.mark.parametrize("labels", [False, True])
def test_letters_of_stata_are_no_values_unless_they_are_keys(labels, tmp_path):
    named = {"v": {1: "yes", 2: "no", "a": "refused"}} if labels else {}
    path = stata(tmp_path, [1, "a", None, 2, "b"], missing_user_values={"v": ["a", "b"]},
                 variable_value_labels=named)  # fmt: skip
    assert values(path, "v") == [1, None, None, 2, None]
    assert values(path, "v", v="text", keys=(".a",)) == ["1", ".a", None, "2", None]
    if labels:
        assert values(path, "v", v="labels") == ["yes", None, None, "no", None]
        keys = ("refused", ".b")
        assert values(path, "v", v="labels", keys=keys) == ["yes", "refused", None, "no", ".b"]


def test_codes_of_one_column_leave_others_alone(tmp_path):
    path = tmp_path / "x.dta"
    frame = pd.DataFrame({"v": [1, "a", 2], "w": [3, "a", "b"]})
    pyreadstat.write_dta(frame, str(path), missing_user_values={"v": ["a"], "w": ["a", "b"]})
    source = Source("x.dta", tmp_path, {"v": "text"}, keys={"v": {".a"}})
    with open_table(source, ["v", "w"]) as data:
        rows = data.engine.rows(data.table)
    assert rows["v"].to_pylist() == ["1", ".a", "2"]
    assert rows["w"].to_pylist() == [3, None, None]


# --- Labels


def test_labels_never_become_numbers_nor_order_them(tmp_path):
    """Ages with labels on 98 and 99 alone: 98 is a number unless it is declared missing."""
    labels = {"v": {98: "refused", 99: "unknown"}}
    path = stata(tmp_path, [30.0, 98.0, 99.0], variable_value_labels=labels)
    assert values(path, "v") == [30, 98, 99]
    assert values(path, "v", v="labels") == ["30", "refused", "unknown"]


def test_two_codes_of_one_label_are_one_key_and_the_owner_is_told(tmp_path):
    labels = {"v": {1: "yes", 8: "other", 9: "other"}}
    path = spss(tmp_path, [1.0, 8.0, 9.0], variable_value_labels=labels)
    assert values(path, "v", v="labels") == ["yes", "other", "other"]
    assert values(path, "v") == [1, 8, 9]
    column = packages.PackageFile(path, "x").columns()[0]
    assert 'several codes are "other"' in column.note


def test_labels_of_texts(tmp_path):
    path = spss(tmp_path, ["f", "m", "x"], variable_value_labels={"v": {"f": "female"}})
    assert values(path, "v", v="labels") == ["female", "m", "x"]


def test_a_column_without_labels_is_refused_as_labels(tmp_path):
    path = spss(tmp_path, [1.0])
    with refuses(PlanError, "no-value-labels"):
        schema(Source(path.name, tmp_path, {"v": "labels"}))


# --- Days, moments, durations


@pytest.mark.parametrize(
    ("form", "moment", "expected"),
    [
        ("DATE11", datetime.datetime(2024, 1, 31), DAY),
        ("EDATE10", datetime.datetime(2024, 1, 31), DAY),
        ("SDATE10", datetime.datetime(2024, 1, 31, 23, 59), DAY),
        ("DATETIME20", NOON, NOON),
        ("YMDHMS19", NOON, NOON),
        ("MOYR8", datetime.datetime(2024, 5, 17), datetime.date(2024, 5, 1)),
        ("QYR8", datetime.datetime(2024, 5, 17), datetime.date(2024, 4, 1)),
        ("WKYR10", datetime.datetime(2024, 1, 14), datetime.date(2024, 1, 8)),
        ("DATE11", datetime.datetime(1583, 1, 1), datetime.date(1583, 1, 1)),
    ],
)
def test_dates_of_spss(form, moment, expected, tmp_path):
    seconds = (moment - SPSS).total_seconds()
    path = spss(tmp_path, [seconds, None], variable_format={"v": form})
    assert values(path, "v") == [expected, None]


@pytest.mark.parametrize("form", ["TIME8", "DTIME12"])
def test_durations_are_seconds_and_no_times_of_day(form, tmp_path):
    path = spss(tmp_path, [30 * 3600.0, -3600.0], variable_format={"v": form})
    assert values(path, "v") == [108_000, -3600]


@pytest.mark.parametrize(
    ("form", "number", "expected"),
    [
        ("%td", 23406.0, DAY),
        ("%tdCCYY-NN-DD", 23406.0, DAY),
        ("%d", 23406.0, DAY),
        ("%tc", (NOON - SIXTY).total_seconds() * 1000, NOON),
        ("%tm", 768.0, datetime.date(2024, 1, 1)),
        ("%tm", -1.0, datetime.date(1959, 12, 1)),
        ("%tq", 257.0, datetime.date(2024, 4, 1)),
        ("%th", 129.0, datetime.date(2024, 7, 1)),
        ("%tw", 52.0 * 64 + 1, datetime.date(2024, 1, 8)),
        ("%ty", 2024.0, 2024),
        ("%tm", 0.5, None),
        ("%tcHH:MM:SS", 30 * 3_600_000.0, 108_000),
        ("%9.0g", 7.0, 7),
    ],
)
def test_dates_of_stata(form, number, expected, tmp_path):
    path = stata(tmp_path, [number, None], variable_format={"v": form})
    assert values(path, "v") == [expected, None]


def test_what_a_calendar_does_not_say_is_of_no_use(tmp_path):
    for form in ("%tC", "%tbnyse"):
        path = stata(tmp_path, [1.0], variable_format={"v": form})
        assert schema(Source(path.name, tmp_path)) == {"v": Kind.OTHER}


def test_a_midnight_moment_is_that_day_and_no_other_moment_is(tmp_path):
    midnight = (datetime.datetime(2024, 1, 31) - SIXTY).total_seconds() * 1000
    path = stata(tmp_path, [midnight, midnight + 1, None], variable_format={"v": "%tc"})
    assert values(path, "v", v="date") == [DAY, None, None]
    source = Source(path.name, tmp_path, {"v": "date"})
    with open_table(source, ["v"]) as data:
        ((counted),) = data.unread()
    assert (counted.filled, counted.unread) == (2, 1)


@pytest.mark.parametrize(
    ("form", "number", "expected"),
    [
        ("DATE9", 23406.0, DAY),
        ("YYMMDD10", 23406.0, DAY),
        ("E8601DA10", 23406.0, DAY),
        ("DATETIME20", (NOON - SIXTY).total_seconds(), NOON),
        ("MONYY7", 23406.0, datetime.date(2024, 1, 1)),
        ("YYQ6", 23430.0, datetime.date(2024, 1, 1)),
        ("YEAR4", 23406.0, datetime.date(2024, 1, 1)),
        ("TIME8", 108_000.0, 108_000),
        ("BEST12", 5.0, 5),
    ],
)
def test_dates_of_sas(form, number, expected, tmp_path):
    path = tmp_path / "x.xpt"
    frame = pd.DataFrame({"v": [number, None]})
    pyreadstat.write_xport(frame, str(path), variable_format={"v": form})
    assert values(path, "v") == [expected, None]


def test_aware_times_are_in_utc_where_they_were_written(tmp_path):
    """pyreadstat writes them in UTC, so that the day may change: the file has no zone."""
    zone = datetime.timezone(datetime.timedelta(hours=14))
    path = spss(tmp_path, [datetime.datetime(2024, 2, 1, 2, tzinfo=zone)])
    assert values(path, "v") == [NOON]


# --- Transport files


@pytest.mark.parametrize("version", [5, 8])
@pytest.mark.parametrize("rows", [1, 3, 9, 10, 100])
def test_padding_is_not_people_and_blank_people_are_people(version, rows, tmp_path):
    path = tmp_path / "x.xpt"
    last = [np.nan] * min(rows, 2)
    frame = pd.DataFrame({
        "n": [*(float(each) for each in range(rows - len(last))), *last],
        "town": ["York"] * (rows - len(last)) + [""] * len(last),
    })  # fmt: skip
    pyreadstat.write_xport(frame, str(path), file_format_version=version)
    assert len(values(path, "n")) == rows


def test_blank_people_are_people_where_version_8_counts_them(tmp_path):
    path = tmp_path / "x.xpt"
    frame = pd.DataFrame({"v": ["a", "", "b", "", ""]})
    pyreadstat.write_xport(frame, str(path), file_format_version=8)
    assert values(path, "v") == ["a", None, "b", None, None]
    pyreadstat.write_xport(frame, str(path), file_format_version=5)
    with refuses(PlanError, "write-version-8"):
        schema(Source("x.xpt", tmp_path))
    long = pd.DataFrame({"v": ["a" * 90, "", "b", "", ""]})
    pyreadstat.write_xport(long, str(path), file_format_version=5)
    assert values(path, "v") == ["a" * 90, None, "b", None, None]


def test_zero_is_zero_in_a_transport_file(tmp_path):
    path = tmp_path / "x.xpt"
    pyreadstat.write_xport(pd.DataFrame({"v": [0.0, 1e-70, -2.5]}), str(path))
    zero, least, other = values(path, "v")
    assert (zero, other) == (0, -2.5)
    assert 0 < least < 1e-69


@pytest.mark.parametrize("version", [5, 8])
def test_two_tables_in_one_transport_file_are_refused(version, tmp_path):
    path = tmp_path / "x.xpt"
    frame = pd.DataFrame({"v": np.arange(30.0)})
    pyreadstat.write_xport(frame, str(path), file_format_version=version)
    octets = path.read_bytes()
    path.write_bytes(octets + octets[240:])
    with refuses(PlanError, "more-one"):
        schema(Source("x.xpt", tmp_path))


# --- People, names, damage


def test_a_number_that_was_rounded_names_nobody(tmp_path):
    path = spss(tmp_path, [2.0**53 - 1, 2.0**53, 2.0**60, 1.0])
    with open_table(Source(path.name, tmp_path), ["v"], entity="v") as data:
        found = data.engine.rows(data.table)["entity"].to_pylist()
        (counted,) = data.unread()
    assert [each is None for each in found] == [False, True, True, False]
    assert counted.unread == 2
    assert values(path, "v")[1] == 2.0**53


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_names_that_differ_in_case_alone_are_refused(kind, tmp_path):
    table = pa.table({"v": [1.0], "V": [2.0]})
    WRITERS[kind](tmp_path / f"x.{kind}", table)
    with refuses(PlanError, "upper-and-lower-case"):
        schema(Source(f"x.{kind}", tmp_path))


@pytest.mark.parametrize("kind", ["sav", "rows.sav", "zsav", "por", "dta", "xpt"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_file_that_was_cut_off_is_damaged(kind, part, tmp_path):
    path = tmp_path / f"x.{kind}"
    WRITERS[kind](path, pa.table({"V": [f"canary {each}" for each in range(300)]}))
    octets = path.read_bytes()
    path.write_bytes(octets[: int(len(octets) * part)])
    with refuses(DataError, "data-something-damaged") as failure:
        values(path, "V")
    assert "canary" not in str(failure.value)
    assert failure.value.__context__ is None


@pytest.mark.parametrize("kind", ["sav", "rows.sav", "dta", "old.dta", "xpt"])
def test_bytes_that_are_no_text_are_one_cell_without_a_value(kind, tmp_path):
    path = tmp_path / f"x.{kind}"
    other = "ea" if kind == "old.dta" else "éa"  # whose writer spells é in UTF-8
    WRITERS[kind](path, pa.table({"v": [other, "zzzz", "y"], "w": ["p", "q", "r"]}))
    octets = path.read_bytes()
    assert octets.count(b"zzzz") == 1
    wrong = b"z\x81\x81z" if kind == "old.dta" else b"z\xff\xfez"
    path.write_bytes(octets.replace(b"zzzz", wrong))
    assert values(path, "v") == [other, None, "y"]
    assert values(path, "w") == ["p", "q", "r"]


def test_an_encrypted_file_is_told_apart(tmp_path):
    path = tmp_path / "x.sav"
    path.write_bytes(b"\x1c\0\0\0\0\0\0\0ENCRYPTEDSAV\x15" + bytes(100))
    with refuses(PlanError, "without-password"):
        schema(Source("x.sav", tmp_path))


def test_something_else_is_damaged(tmp_path):
    for suffix in ("sav", "zsav", "por", "dta", "sas7bdat", "xpt"):
        path = tmp_path / f"x.{suffix}"
        path.write_bytes(b"person;town\nann;York\n" * 100)
        with refuses(DataError, "data-something-damaged"):
            schema(Source(path.name, tmp_path))


# --- Types that a plan declares, and blocks


def test_texts_are_parsed_as_declared(tmp_path):
    path = spss(tmp_path, ["7", "07", "x", "", "1e3"])
    assert values(path, "v", v="integer") == [7, 7, None, None, 1000]
    source = Source(path.name, tmp_path, {"v": "integer"})
    with open_table(source, ["v"], entity="v") as data:
        found = data.engine.rows(data.table)["entity"].to_pylist()
        (counted,) = data.unread()
    assert (counted.filled, counted.unread) == (4, 1)
    assert found[0] == found[1] is not None
    assert values(spss(tmp_path, ["2024-01-31", "x"]), "v", v="date") == [DAY, None]
    assert values(spss(tmp_path, ["true", "x"]), "v", v="boolean") == [True, None]


def test_numbers_are_read_as_declared(tmp_path):
    path = spss(tmp_path, [0.0, 1.0, 2.5, 1e300, None])
    assert values(path, "v", v="boolean") == [False, True, None, None, None]
    assert values(path, "v", v="integer") == [0, 1, None, None, None]
    assert values(path, "v", v="text") == ["0", "1", "2.5", "1e+300", None]
    with refuses(PlanError, "can-read: date"):
        schema(Source(path.name, tmp_path, {"v": "date"}))


def test_types_of_stata_are_known(tmp_path):
    path = tmp_path / "x.dta"
    frame = pd.DataFrame({"b": np.array([1], "int8"), "f": np.array([0.1], "float32")})
    pyreadstat.write_dta(frame, str(path))
    assert schema(Source("x.dta", tmp_path)) == {"b": Kind.INTEGER, "f": Kind.NUMBER}
    assert values(path, "f") == [float(np.float32(0.1))]


@pytest.mark.parametrize("kind", [each for each in WRITERS if each not in ("xlsx", "ods")])
def test_blocks_are_the_file(kind, tmp_path, monkeypatch):
    path = tmp_path / f"x.{kind}"
    numbers = [float(each) for each in range(25)]
    texts = ["" if each % 7 == 6 else f"t{each}" for each in range(25)]
    WRITERS[kind](path, pa.table({"N": numbers, "T": texts}))
    for most in ("_CELLS", "_SLOW_CELLS"):
        monkeypatch.setattr(packages, most, 12)  # of a number and a text three rows
    with open_table(Source(path.name, tmp_path), ["N", "T"]) as data:
        rows = data.engine.rows(data.table).sort_by("N")  # which come in any order
    assert rows["N"].to_pylist() == numbers
    assert rows["T"].to_pylist() == [each or None for each in texts]


def test_files_of_one_dictionary_are_one_table(tmp_path):
    for name, cells in (("a", [1.0]), ("b", [2.0, 3.0])):
        spss(tmp_path, cells).rename(tmp_path / f"{name}.sav")
    with open_table(Source("*.sav", tmp_path), ["v"]) as data:
        assert sorted(data.engine.rows(data.table)["v"].to_pylist()) == [1, 2, 3]
    spss(tmp_path, [4.0], variable_value_labels={"v": {1: "yes"}})
    with refuses(PlanError, "write-them-with-one-dictionary"):
        schema(Source("*.sav", tmp_path))
