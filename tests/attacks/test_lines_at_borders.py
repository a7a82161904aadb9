"""Lines of CSV at the borders of what the engine reads at once: no row is lost without a word."""

import csv
import gzip
import io
import random

import pytest

from deniable.errors import DataError
from deniable.publish.owner.unreadable import unreadable
from deniable.publish.sources import csv_source, csv_staging
from deniable.publish.sources.csv_source import Dialect
from deniable.publish.sources.engine import engine
from deniable.publish.sources.table import Source, open_table
from tests.cases.effort import some_pairs, usual
from tests.oracles import csv_lines

BUFFER, LINE = 2000, 1000
"""Bytes, instead of the engine's 32,000,000 and 2,000,000."""
NO_ROWS = ["1", "1{end}", "1,2,3", "1,2,3{end}", '1,"2', '1,"2{end}', "123456789{end}"]
ROWS = ["1,2", "1,2{end}", ",{end}", '1,"2"', '1,"2{end}"{end}', "1,2{end}{end}"]
ENDS = ["\n", "\r\n"]
IN_TURN = usual([*ENDS, *ENDS[::-1]], ENDS)
"""Every second of the lines is a whole one, and not always with the same end."""


@pytest.fixture
def small_buffers(monkeypatch):
    scan = csv_source.scan

    def with_buffers(*arguments, **settings):
        sizes = f"buffer_size = {BUFFER}, max_line_size = {LINE}"
        return f"{scan(*arguments, **settings)[:-1]}, {sizes})"

    monkeypatch.setattr(csv_source, "scan", with_buffers)


def written(path, size, last, end):
    """A file of so many bytes above its last line, whose rows are all whole, and their number."""
    head, row = f"a,b{end}", f"12345678,abcdefghijk{end}"
    rows, left = divmod(size - len(head), len(row))
    first = f"1,{'x' * (left + len(row) - 2 - len(end))}{end}"
    data = (head + row * (rows - 1) + first + last.format(end=end)).encode()
    path.write_bytes(gzip.compress(data, 1) if path.suffix == ".gz" else data)
    return rows


def read(path, columns=("a", "b")):
    with open_table(Source(path.name, path.parent), list(columns), memory_limit="200MB") as data:
        return data.engine.fetch_integer(data.table.count())


@pytest.mark.usefixtures("small_buffers")
@pytest.mark.parametrize(("last", "end"), some_pairs(NO_ROWS, IN_TURN), ids=repr)
def test_a_last_line_that_is_no_row_ends_the_reading_wherever_it_stands(tmp_path, last, end):
    for before in (0, 1, 2, 40):
        written(tmp_path / "x.csv", BUFFER + before - 1, last, end)
        with pytest.raises(DataError):
            read(tmp_path / "x.csv")


@pytest.mark.usefixtures("small_buffers")
@pytest.mark.parametrize(("last", "end"), some_pairs(ROWS, IN_TURN), ids=repr)
def test_a_last_line_that_is_a_row_is_one_wherever_it_stands(tmp_path, last, end):
    for before in (-2, 0, 1, 40):
        rows = written(tmp_path / "x.csv", BUFFER + before - 1, last, end)
        assert read(tmp_path / "x.csv") == rows + 1


@pytest.mark.usefixtures("small_buffers")
@pytest.mark.parametrize("used", [["a"], ["b"], []])
def test_it_is_lost_whatever_columns_are_used(tmp_path, used):
    written(tmp_path / "x.csv", 2 * BUFFER + 7, "1", "\n")
    with pytest.raises(DataError):
        read(tmp_path / "x.csv", used)


@pytest.mark.usefixtures("small_buffers")
def test_one_of_several_files_is_not_made_up_for_by_others(tmp_path):
    for name in ("x0.csv", "x2.csv"):
        written(tmp_path / name, BUFFER + 9, "1,2\n", "\n")
    written(tmp_path / "x1.csv", BUFFER + 9, "1\n", "\n")
    with pytest.raises(DataError):
        read(tmp_path / "x*.csv")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_a_file_of_33_megabytes_with_the_engine_s_own_buffers(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    written(path, 32_000_010, "1\n", "\n")
    with pytest.raises(DataError):
        read(path, ["a"])


PLAN = """[data]
source = "x.csv"
adjacency = "add-remove"
[target]
epsilon = 1.0
[[query]]
name = "n"
statistic = "count"
where = [["b", "!=", "none"]]
"""


@pytest.mark.usefixtures("small_buffers")
@pytest.mark.parametrize(("last", "before"), some_pairs(NO_ROWS, [0, 1, 40]))
def test_the_owner_is_told_which_line_it_is(tmp_path, last, before):
    rows = written(tmp_path / "x.csv", BUFFER + before, last, "\n")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    (wrong,) = unreadable(tmp_path / "plan.toml").lines
    assert wrong.lines == (rows + 2,)


LETTERS = ["a", ",", '"', '"', "\n", "\r", "\r\n", " ", "\\", ',"', '",', '\n"', '"\n']


def texts(draw, times, letters):
    for _ in range(times):
        chosen = draw.sample(letters, draw.randint(3, len(letters)))
        yield "".join(draw.choice(chosen) for _ in range(draw.randint(1, 30)))


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("marks", [('"', '"'), ('"', "\\"), ("", "")], ids=str)
def test_rows_are_counted_like_one_letter_after_the_other(tmp_path, columns, marks, monkeypatch):
    quote, escape = marks
    dialect = Dialect(quote=quote, escape=escape, columns=("a", "b")[:columns])
    path, draw = tmp_path / "x.csv", random.Random(25)
    for text in texts(draw, usual(100, 200), LETTERS):
        path.write_text(text, encoding="utf-8", newline="")
        wanted = csv_lines.rows(text, columns, quote=quote, escape=escape)
        for block in (3, 4, 2**20):
            monkeypatch.setattr(csv_staging, "BLOCK", block)
            counted = csv_staging.count_rows(path, dialect, columns)
            assert (counted.number if counted.unclosed is None else None) == wanted, (text, block)


def are_rows(text, columns):
    """Whether Python reads nothing but rows of so many values, each of a text that closes."""
    try:
        found = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return False
    return all(len(row) == columns or not row for row in found)


@pytest.mark.parametrize("columns", [1, 2])
def test_a_small_file_of_rows_is_read_and_no_row_is_missed(tmp_path, columns):
    """Where all lines end alike; the engine reads one that is not so, or ends."""
    path, draw, agreed = tmp_path / "x.csv", random.Random(26), 0
    names = ("a", "b")[:columns]
    scan = csv_source.scan([path], names, Dialect(columns=names))
    rows = ["1,2\n", ',"2\n"\n', ' ,""\n', '"",5"\n', "\n"] if columns == 2 else ["1\n", '""\n']
    letters = [*(each for each in LETTERS if "\r" not in each and each != "\\"), *rows]
    with engine("x.csv", "200MB") as running:
        for text in filter(
            lambda text: are_rows(text, columns), texts(draw, usual(600, 1200), letters)
        ):
            path.write_text(text, encoding="utf-8", newline="")
            wanted = csv_lines.rows(text, columns)
            try:
                running.execute(f"CREATE OR REPLACE TEMP TABLE x AS FROM {scan}")
            except DataError:
                continue
            assert running.fetch_integer(running.table("x").count()) == wanted, text
            agreed += 1
    assert agreed > usual(25, 50)
