"""Workbooks: what a reader that shares no code with the writer finds in them."""

import csv
import datetime
import io
import shutil
import subprocess
import zipfile
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
import python_calamine
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable
from deniable.errors import InvalidArgument
from deniable.exchange.workbook import Workbook, _Sheet, _sheet_name, _write
from tests.cases.effort import usual
from tests.cases.refusals import refuses

DAY = datetime.date(2024, 2, 29)


@pytest.fixture(scope="module")
def exported(published):
    return deniable.export(published, to="xlsx").content


@pytest.fixture(scope="module")
def sheets(exported):
    """The cells of each sheet, by calamine."""
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(exported))
    return {
        name: book.get_sheet_by_name(name).to_python(skip_empty_area=False)
        for name in book.sheet_names
    }


@pytest.fixture(scope="module")
def rows(published):
    return pq.read_table(published / "results.parquet").to_pylist()


def unpivoted(grid, labels, blocks):
    """The cells of a grid that has its keys on both sides, by keys and block."""
    titles, header, *body = grid
    starts = [place for place, title in enumerate(titles) if title]
    assert [titles[place].partition(", by")[0] for place in starts] == blocks
    cells = {}
    for line in body:
        for block, start in zip(blocks, starts, strict=True):
            for place in range(start, start + (len(header) - labels) // len(blocks)):
                if line[place] != "":
                    cells[(*line[:labels], header[place], block)] = line[place]
    return cells


def test_a_crosstab_is_a_grid_with_totals_and_half_widths(sheets, rows):
    blocks = ["Rows, with noise", "± of 95 %", "Whole numbers"]
    # "Total" is a key here, so that the total is called otherwise.
    expected = {
        (
            "Total of all" if row["group:area"] is None else row["group:area"],
            "Total" if row["group:month"] is None else row["group:month"],
            block,
        ): row[field]
        for row in rows
        if row["query"] == "admissions"
        for block, field in zip(blocks, ["value", "half_width_95", "whole_number"], strict=True)
    }
    assert len(expected) == (8 + 2) * (3 + 2) * 3
    assert unpivoted(sheets["admissions"], 1, blocks) == expected
    assert sheets["admissions"][1][0] == "area"


def test_margins_that_are_in_no_other_have_a_grid_each(sheets, rows):
    sheet = sheets["pairs of three"]
    empty = next(n for n, line in enumerate(sheet) if not any(each != "" for each in line))
    own = [row for row in rows if row["query"] == "pairs of three"]
    assert sheet[1][:3] == ["month", "value", "half_width_95"]
    assert [line[:3] for line in sheet[2:empty]] == [
        [row["group:month"] or "Total", row["value"], row["half_width_95"]]
        for row in [each for each in own if each["group:month"] is not None] + own[:1]
    ]
    blocks = ["Rows, with noise", "± of 95 %"]
    fields = dict(zip(blocks, ["value", "half_width_95"], strict=True))
    published = {
        (row["group:area"], row["group:sex"]): row for row in own if not row["group:month"]
    }
    assert len(published) == (8 + 2) * (2 + 2)
    assert unpivoted(sheet[empty + 1 :], 1, blocks) == {
        (area or "Total of all", sex or "Total", block): row[fields[block]]
        for (area, sex), row in published.items()
        for block in blocks
    }


@pytest.mark.parametrize(
    ("query", "name"),
    [("age/[a:b]?", "age a b"), ("AGE [a b]", "AGE a b 2"), ("median", "median"),
     ("most frequent", "most frequent")],
)  # fmt: skip
def test_other_rows_are_those_of_the_results(sheets, rows, query, name):
    own = [row for row in rows if row["query"] == query]
    header, *body = sheets[name]
    assert header == [
        each for each in own[0] if each != "query" and any(row[each] is not None for row in own)
    ]
    assert body == [["" if row[each] is None else row[each] for each in header] for row in own]


def test_the_notes_say_what_an_attacker_can_conclude(sheets):
    notes = sheets["Notes"]
    assert notes[0][0] == "Admissions by area"
    assert ["Organisation", "North Hospital", ""] in notes
    assert next(line for line in notes if line[0] == "belief after, from 0.5 before")[2] == 0.8
    text = " ".join(str(cell) for line in notes for cell in line)
    assert "± covers the noise alone. Before the noise is added, age is clipped to 0…120." in text
    assert "one row of the table" in text


def test_no_cell_is_a_formula_and_every_text_is_stored_as_one(exported):
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        pages = b"".join(
            archive.read(each) for each in archive.namelist() if each.startswith("xl/worksheets/")
        )
        strings = archive.read("xl/sharedStrings.xml").decode("utf-8")
    assert b"<f" not in pages
    for text in ("01", "=1+1", "1e3", "true", "2024-01"):
        assert f"<t>{text}</t>" in strings


def test_equal_releases_give_equal_bytes(published, exported):
    assert deniable.export(published, to="xlsx").content == exported


def test_one_query_is_exported_alone(published):
    content = deniable.export(published, to="xlsx", query="median").content
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
    assert book.sheet_names == ["Notes", "median"]
    with refuses(InvalidArgument, "they-are-admissions-pairs"):
        deniable.export(published, to="xlsx", query="mean")


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff"))
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**53), 2**53), st.booleans()
)


@settings(max_examples=usual(20, 60), deadline=None)
@given(st.lists(st.lists(st.one_of(TEXTS, NUMBERS), min_size=1), min_size=1, max_size=8))
def test_every_text_and_number_comes_back_to_its_last_bit(cells):
    try:
        content = _write({"a": _Sheet(cells)}, DAY)
    except InvalidArgument:
        assert any("_x" in each for line in cells for each in line if isinstance(each, str))
        return
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
    read = book.get_sheet_by_name("a").to_python(skip_empty_area=False)
    for line, other in zip(cells, read, strict=False):
        for one, two in zip(line, other, strict=False):
            assert (one, type(one) is bool) == (two, type(two) is bool)
    wanted = {(x, y): v for x, line in enumerate(cells) for y, v in enumerate(line) if v != ""}
    got = {(x, y): v for x, line in enumerate(read) for y, v in enumerate(line) if v != ""}
    assert wanted == got


def test_what_a_cell_would_change_is_written_as_text_or_refused():
    content = _write({"a": _Sheet([[2**53 + 1, float("inf"), DAY, "_x0041_"]])}, DAY)
    assert dict(Workbook().cells(content)) == {
        "a!A1": "9007199254740993", "a!B1": "inf", "a!C1": "2024-02-29", "a!D1": "_x0041_",
    }  # fmt: skip
    for text in ("_x005F_x0041_", "\uffff", "x" * 32768):
        with refuses(InvalidArgument, "that-cell-of-workbook-can"):
            _write({"a": _Sheet([[text]])}, DAY)
    with refuses(InvalidArgument, "sheet-and-at-most-rows: 1 | 16,385"):
        _write({"a": _Sheet([[None] * 16385])}, DAY)


@settings(max_examples=usual(25, 100), deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=6))
def test_sheets_have_names_that_excel_takes(queries):
    sheets = {"Notes": _Sheet()}
    for each in [*queries, "notes", "History", "'" * 40, "x" * 31, "X" * 31, "x" * 40]:
        sheets[_sheet_name(each, sheets)] = _Sheet()
    assert len({name.casefold() for name in sheets}) == len(queries) + 7
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(_write(sheets, DAY)))
    assert book.sheet_names == [*sheets]
    for name in sheets:
        assert 0 < len(name) <= 31
        assert not {*name} & {*"[]:*?/\\"}
        assert name.strip("'") == name


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libre_office_opens_it(published, tmp_path, rows):
    place = tmp_path / "tables.xlsx"
    deniable.export(published, place, to="xlsx", query="median")
    filters = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,2"
    subprocess.run(
        ["soffice", "--headless", "--convert-to", filters, "--outdir", str(tmp_path), str(place)],
        check=True, capture_output=True,
    )  # fmt: skip
    [made] = tmp_path.glob("*.csv")
    lines = [*csv.reader(made.read_text(encoding="utf-8").splitlines())]
    [own] = [row for row in rows if row["query"] == "median"]
    # It prints 15 digits of what it holds.
    assert float(dict(zip(*lines, strict=True))["value"]) == pytest.approx(own["value"], rel=1e-14)


def test_each_sentence_has_room_for_all_of_its_lines(exported, sheets):
    """LibreOffice wrote long ones over their neighbours: it fits no row to its text."""
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        notes = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    heights = {
        int(each.get("r", "")): float(each.get("ht", 15))
        for each in notes.iter()
        if each.tag.endswith("}row")
    }
    texts = {number: str(row[0]) for number, row in enumerate(sheets["Notes"], start=1)}
    assert max(map(len, texts.values())) > 90
    assert all(90 * heights.get(number, 15) / 15 >= len(text) for number, text in texts.items())
