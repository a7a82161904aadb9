"""Spreadsheets: each cell by itself, one sheet, and what is laid out is public."""

import datetime
import zipfile
from pathlib import Path
from typing import Any

import pytest

from deniable.errors import DataError, PlanError
from deniable.publish.sources import Cleaning, Source, open_table, schema
from deniable.statistics_files import spreadsheets
from deniable.statistics_files.spreadsheets import Area
from tests.cases.people_files import formula, write_ods, write_xlsx
from tests.cases.refusals import refuses

DAY, NOON = datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31, 12, 30)
WRITE = {"xlsx": write_xlsx, "ods": write_ods}


@pytest.fixture(params=WRITE)
def sheet(request, tmp_path):
    """Writes rows, and gives the values of a column as a plan sees them."""
    path = tmp_path / f"x.{request.param}"

    def made(rows: list[list[Any]], column: str = "v", part: str = "", **more: Any) -> list[Any]:
        types = {column: more.pop("of")} if "of" in more else {}
        WRITE[request.param](path, rows, **more)
        return values(path, column, part, **types)

    made.path, made.write = path, WRITE[request.param]
    return made


def values(path: Path, column: str, part: str = "", **types: str) -> list[Any]:
    source = Source(f"{path.name}{part}", path.parent, types)
    with open_table(source, [column], memory_limit="200MB") as data:
        return data.engine.rows(data.table)[column].to_pylist()


def test_a_text_stays_a_text_whatever_it_looks_like(sheet):
    cells = ["007", "7", "1e3", "1000", "NA", "None", " x"]
    assert sheet([["v"], *([each] for each in cells)]) == cells


def test_a_number_is_its_shortest_text(sheet):
    assert sheet([["v"], [7], [1000.0], [2.5], [-3], [0.1]]) == ["7", "1000", "2.5", "-3", "0.1"]


def test_all_rows_are_read_before_anything_is_decided(sheet):
    """A reader that types a column by its first rows loses who comes after them."""
    cells = [*range(1499), "1500a", "90+"]
    assert sheet([["v"], *([each] for each in cells)]) == [str(each) for each in cells]


def test_cells_are_read_as_the_plan_declares_them(sheet):
    rows = [["v"], [DAY], [NOON], ["2024-01-31"], [45322], ["x"], [True]]
    assert sheet(rows, of="date") == [DAY, None, DAY, None, None, None]
    assert sheet(rows, of="timestamp")[:2] == [datetime.datetime(2024, 1, 31), NOON]
    assert sheet(rows, of="number") == [None, None, None, 45322, None, None]
    assert sheet([["v"], [True], [False], [1], ["no"]], of="boolean") == [True, False, True, False]


def test_a_duration_of_thirty_hours_is_its_seconds(sheet):
    hours = [datetime.timedelta(hours=each) for each in (30, 1.5)]
    assert sheet([["v"], *([each] for each in hours)], of="integer") == [108_000, 5400]


def test_a_text_that_looks_like_a_duration_stays_one(tmp_path):
    write_ods(tmp_path / "x.ods", [["v"], ["PT30H00M00S"]])
    assert values(tmp_path / "x.ods", "v") == ["PT30H00M00S"]


def test_blank_rows_are_nobody(sheet):
    rows = [["v", "w"], ["a", 1], [None, None], [None, 2], [None, None]]
    assert sheet(rows) == ["a", None]


# --- Formulas


def test_a_formula_is_what_a_program_has_calculated(sheet):
    more = {"calculated": True} if sheet.path.suffix == ".xlsx" else {}
    assert sheet([["v"], [formula("1+1", 2.0)], [3]], of="integer", **more) == [2, 3]


def test_a_formula_that_was_never_calculated_is_no_value(sheet):
    """Libraries write 0 beside it, which is nobody's number; other cells stay."""
    rows = [["v", "w"], [formula("1+1", None), "x"], [0, "x"], [formula("2", None), "x"]]
    assert sheet(rows, of="integer") == [None, 0, None]


# --- What is laid out


def test_two_sheets_need_a_name(sheet):
    sheet.write(sheet.path, [["v"], ["a"]], sheets=("People", "Notes"))
    with refuses(PlanError, 'name-one-behind-file: 2 | "People", "Notes"'):
        schema(Source(sheet.path.name, sheet.path.parent))
    assert values(sheet.path, "v", "#People") == ["a"]
    with refuses(PlanError, 'sheet-not-there: Peple | "People", "Notes"'):
        schema(Source(f"{sheet.path.name}#Peple", sheet.path.parent))
    sheet.write(sheet.path, [["v"], ["a"]], sheets=tuple("ABCDEFG"))
    with refuses(PlanError, 'name-one-behind-file: 7 | "A", "B", "C", "D", "E", …'):
        schema(Source(sheet.path.name, sheet.path.parent))


def test_a_part_of_a_sheet_begins_with_its_header(sheet):
    rows = [["Patients 2024", None], [None, None], ["v", "w"], ["a", 1], ["b", 2], ["Sum", 3]]
    assert sheet(rows, part="#People!A3") == ["a", "b", "Sum"]
    assert sheet(rows, part="#People!A3:B5") == ["a", "b"]
    assert sheet(rows, "w", part="#!B3:B5", of="integer") == [1, 2]
    assert Area.of("A!b!$B$3:AA12") == Area("A!b", 2, 1, 11, 26)


def test_a_part_may_begin_beside_what_is_filled(tmp_path):
    write_xlsx(tmp_path / "x.xlsx", [["v", "w"], ["a", 1]], first=(4, 2))
    assert values(tmp_path / "x.xlsx", "v") == ["a"]
    assert values(tmp_path / "x.xlsx", "w", "#!A5") == ["1"]
    assert values(tmp_path / "x.xlsx", "w", "#!D5") == ["1"]


def test_merged_cells_are_refused(sheet):
    with refuses(PlanError, "value-merged-cells"):
        sheet([["v", "w"], ["a", "b"]], merged="A2:B2")


def test_a_merged_title_above_the_part_does_no_harm(tmp_path):
    rows = [["Title", None], ["v", "w"], ["a", "b"]]
    write_xlsx(tmp_path / "x.xlsx", rows, merged="A1:B1")
    with refuses(PlanError, "value-merged-cells"):
        schema(Source("x.xlsx", tmp_path))
    assert values(tmp_path / "x.xlsx", "v", "#!A2") == ["a"]


def test_names_that_differ_in_case_alone_are_refused(sheet):
    sheet.write(sheet.path, [["v", "V"], ["a", "b"]])
    with refuses(PlanError, "column-names-that-differ"):
        schema(Source(sheet.path.name, sheet.path.parent))


def test_columns_without_a_name_are_out_of_reach(sheet):
    sheet.write(sheet.path, [[None, "v", 2024], ["a", "b", "c"]])
    assert list(schema(Source(sheet.path.name, sheet.path.parent))) == ["v", "2024"]


# --- People, damage


def test_a_number_that_was_rounded_names_nobody(sheet):
    sheet.write(sheet.path, [["v", "w"], [1e15, 0], [123456789012345, 0], ["1000000000000000", 0]])
    source = Source(sheet.path.name, sheet.path.parent)
    with open_table(source, ["v"], entity="v") as data:
        found = data.engine.rows(data.table)["entity"].to_pylist()
    assert found == [None, "123456789012345", "1000000000000000"]


def test_a_cell_far_from_the_others_is_refused_before_room_is_made_for_it(sheet, monkeypatch):
    """calamine makes room up to the last cell, and ends the program where there is none."""
    monkeypatch.setattr(spreadsheets, "memory", lambda: 64 * 60)
    assert sheet([["v"], ["a"], *[[None]] * 3]) == ["a"]
    with refuses(PlanError, "at-most-cells-rows-and-columns: 60 | 3 | 30") as failure:
        sheet([["v"], ["a"], [None] * 29 + ["canary"]])
    assert "canary" not in str(failure.value)
    assert sheet([["v"], ["a"], [None] * 19 + ["b"]]) == ["a", None]


def test_repeated_cells_of_ods_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheets, "memory", lambda: 64 * 100)
    path = tmp_path / "x.ods"

    def repeat(row: str, cell: str) -> None:
        write_ods(path, [["v"], ["a"], ["b"]])
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name).decode() for name in archive.namelist()}
        text = parts["content.xml"]
        at = text.rindex("<table:table-row>")
        text = text[:at] + text[at:].replace("<table:table-row>", f"<table:table-row{row}>")
        at = text.rindex("<table:table-cell ")
        parts["content.xml"] = f"{text[:at]}<table:table-cell{cell}{text[at + 17 :]}"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, content)

    repeat(' table:number-rows-repeated="3"', "")
    assert values(path, "v") == ["a", "b", "b", "b"]
    for row, cell in (("rows", ""), ("", "columns")):
        of = ' table:number-{}-repeated="101"'
        repeat(of.format(row) if row else "", of.format(cell) if cell else "")
        with refuses(PlanError, "at-most-cells-rows-and-columns: 100"):
            values(path, "v")


def test_a_password_is_told_apart(tmp_path):
    write_ods(tmp_path / "x.ods", [["v"]], encrypted=True)
    (tmp_path / "x.xlsx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096))
    for name in ("x.ods", "x.xlsx"):
        with refuses(PlanError, "without-password"):
            schema(Source(name, tmp_path))


@pytest.mark.parametrize("part", [0.1, 0.6, 0.95])
def test_a_file_that_was_cut_off_is_damaged(sheet, part):
    sheet.write(sheet.path, [["v"], *([f"canary {each}"] for each in range(50))])
    octets = sheet.path.read_bytes()
    sheet.path.write_bytes(octets[: int(len(octets) * part)])
    with refuses(DataError, "data-something-damaged") as failure:
        values(sheet.path, "v")
    assert "canary" not in str(failure.value)


def test_other_spreadsheets_are_refused_by_their_name(tmp_path):
    for name in ("x.xls", "x.numbers"):
        (tmp_path / name).write_bytes(b"")
        with refuses(PlanError, "spreadsheet-in-xlsx-or-ods"):
            schema(Source(name, tmp_path))


def test_unread_cells_are_counted_for_the_owner(sheet):
    sheet.write(sheet.path, [["v"], [1], ["x"], [None], ["2"]])
    with open_table(Source(sheet.path.name, sheet.path.parent, {"v": "integer"}), ["v"]) as data:
        (counted,) = data.unread()
    assert (counted.filled, counted.unread) == (3, 1)


def test_numbers_fold_and_recode_as_texts_do(sheet):
    sheet.write(sheet.path, [["v"], [" F"], ["f"], [1]])
    cleaning = Cleaning(("v",), ("v",), {"v": {"f": "female", "1": "one"}})
    source = Source(sheet.path.name, sheet.path.parent, cleaning=cleaning)
    with open_table(source, ["v"]) as data:
        assert data.engine.rows(data.table)["v"].to_pylist() == ["female", "female", "one"]
