import gzip

import pyarrow as pa
import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import contents, lines, plain_or_packed, rows, table
from tests.cases.refusals import refuses

COLUMNS = {"name": pa.string(), "number": pa.int64(), "word": pa.string()}


def written(folder, text, name="file.txt"):
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def test_a_plain_file_goes_before_a_packed_one(tmp_path):
    packed = written(tmp_path, "packed", "a.bim.gz")
    assert plain_or_packed(tmp_path / "a.bim") == packed
    plain = written(tmp_path, "plain", "a.bim")
    assert plain_or_packed(tmp_path / "a.bim") == plain


def test_neither_file(tmp_path):
    with refuses(InvalidArgument, "gz-none: a.bim | a.bim"):
        plain_or_packed(tmp_path / "a.bim")


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_rows_have_columns_between_white_space(tmp_path, name):
    path = written(tmp_path, "\ufeffa\tb  c\r\n\n  d e\n", name)
    assert rows(path) == [["a", "b", "c"], ["d", "e"]]


@pytest.mark.parametrize("mark", ["\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\u00a0"])
def test_one_person_s_name_is_not_the_end_of_a_line(tmp_path, mark):
    """Nor of a column: Python's own lines and spaces are more than files of genotypes have."""
    path = written(tmp_path, f"f1 i{mark}1 2\nf2 i2 1\n")
    assert rows(path) == [["f1", f"i{mark}1", "2"], ["f2", "i2", "1"]]


@pytest.mark.parametrize("mark", ["\x1c", "\x85", "\u00a0", "\u2003", "\u202f", "\u3000"])
@pytest.mark.parametrize("layout", ["f {} 1", "f\t{}\t1", "f\t {}\t1", "IID\n{}", "#IID\n{} "])
def test_two_people_s_names_stay_two_in_every_layout(tmp_path, mark, layout):
    """Only ASCII's white space parts columns: between tabs, and where a line is one name."""
    head, _, line = layout.rpartition("\n")
    names = ["ann", f"ann{mark}", f"{mark}ann"]
    lines = [head, *(line.format(name) for name in names)] if head else map(line.format, names)
    table = rows(written(tmp_path, "\n".join(lines) + "\n"))
    assert [cells[-1 if head else 1] for cells in table[bool(head) :]] == names


def test_a_packed_file_may_not_fill_the_memory(tmp_path, monkeypatch):
    path = written(tmp_path, "a" * 100, "a.gz")
    monkeypatch.setattr(lines, "memory", lambda: 400)
    assert contents(path) == b"a" * 100
    monkeypatch.setattr(lines, "memory", lambda: 399)
    with refuses(DataError, "at-most-bytes-when-unpacked: 99"):
        contents(path)


def test_a_packed_file_that_was_cut_off(tmp_path):
    path = written(tmp_path, "a b c\n" * 1000, "a.gz")
    path.write_bytes(path.read_bytes()[:-9])
    with refuses(DataError, "whole-file-packed-by-gzip"):
        contents(path)


def test_text_that_is_not_utf_8(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xff\xfe")
    with refuses(DataError, "text-in-utf-8"):
        rows(path)


@pytest.mark.parametrize(
    "text",
    [
        "a\t1\tx\nb\t-2\ty\n",
        "a\t1\tx\nb\t-2\ty",
        " a 1  x\n\nb\t-2 y \n",
        "a\t1\tx\r\nb\t-2\ty\r\n",
    ],
)
def test_a_table_has_tabs_or_any_white_space(tmp_path, text):
    columns = table(written(tmp_path, text), COLUMNS, ["name", "number"])
    assert columns.to_pydict() == {"name": ["a", "b"], "number": [1, -2]}


def test_a_quotation_mark_and_na_are_text(tmp_path):
    columns = table(written(tmp_path, 'NA\t1\t"x\n'), COLUMNS, ["name", "word"])
    assert columns.to_pydict() == {"name": ["NA"], "word": ['"x']}


@pytest.mark.parametrize("text", ["a\t1\n", "a\t1\tx\ty\n", "a\tone\tx\n", "a\t1\tx\nb\t2\n"])
def test_a_table_with_other_columns(tmp_path, text):
    with refuses(DataError, "columns-name-number-word: 3 | name | number | word"):
        table(written(tmp_path, text), COLUMNS, ["name", "number"])


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_table(tmp_path, text):
    with refuses(DataError, "line-or-more"):
        table(written(tmp_path, text), COLUMNS, ["name"])
