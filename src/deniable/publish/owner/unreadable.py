"""What the owner of a CSV source may see of it: its first rows, and where it is not readable."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import attrs

from deniable.numerics.answer import Answer
from deniable.publish import sources
from deniable.publish.plan import PlanInput, read_plan
from deniable.publish.sources import (
    Cleaning,
    Kind,
    Source,
    bytes_of,
    files,
    is_csv,
    open_table,
    schema,
    spill_folder,
)
from deniable.publish.sources import files as files_of

MOST_LINES = 10  # how many lines of a kind are named, the first ones of a file

_BYTES = "INVALID ENCODING"
PROBLEMS = MappingProxyType({
    "MISSING COLUMNS": "fewer values than columns",
    "TOO MANY COLUMNS": "more values than columns",
    "UNQUOTED VALUE": "something after a quotation mark that closes",
    "LINE SIZE OVER MAXIMUM": "more than 2,000,000 bytes",
    _BYTES: "bytes that are no text in UTF-8",
})  # fmt: skip
"""What the engine's kinds of error mean; its messages quote the line, and are never read."""

_OTHER = "something that is no row"
_UNCLOSED = "a quotation mark that opens and never closes"
_LINE_END = re.compile(rb"\r\n|\n|\r")
_LETTER = re.compile(rb"[^\r\n]")
_WRONG = "wrong_lines"


@attrs.frozen
class WrongLines:
    """Lines of a file with one kind of mistake: how many, and the first ones.

    There is no `count` where reading ends at the first one.
    """

    file: str
    problem: str
    count: int | None
    lines: tuple[int, ...]


def wrong_lines(
    running: sources.DuckDB, files: sources.Files, name: str, columns: Sequence[str]
) -> Iterator[WrongLines]:
    """Lines of one file that cannot be rows, by kind.

    In columns that the plan does not use, bytes that are no text do not matter.
    """
    (path,) = files.paths
    # The engine ends for good at such bytes in a column behind as many as it is asked for.
    looked_at = columns if sources.is_text(path) else files.names
    filled = (f"count({sources.identifier(each)})" for each in looked_at)
    counts = ", ".join(["count(*) AS rows", *filled])
    running.execute(f"DROP TABLE IF EXISTS {sources.identifier(_WRONG)}")
    # As a table: rows that are asked for one after the other leave the list of mistakes unwritten.
    rows = f"SELECT {counts} FROM {files.scan(divided=False, rejects=_WRONG)}"
    running.execute(f"CREATE OR REPLACE TEMP TABLE counted AS {rows}")
    table = running.table(_WRONG)
    other = (table["error_type"].cast("string") == _BYTES) & table["column_name"].notin(columns)
    places = table.filter(~other.fill_null(False))
    places = places.select("error_type", "line_byte_position").distinct()
    by_type = places.group_by("error_type").aggregate(count=places.count()).order_by("error_type")
    problems = running.rows(by_type)
    for kind, count in zip(*problems.to_pydict().values(), strict=True):
        first = places.filter(places["error_type"] == kind).order_by("line_byte_position")
        positions = running.rows(first.limit(MOST_LINES))["line_byte_position"].to_pylist()
        yield WrongLines(name, PROBLEMS.get(kind, _OTHER), count, lines_at(path, positions))
    # A row with no mistake that matters is left out like the others.
    passed_over = running.fetch_integer(table["line_byte_position"].nunique())
    read = running.fetch_integer(running.table("counted")["rows"].sum())
    running.execute(f"DROP TABLE {sources.identifier(_WRONG)}")
    there = sources.count_rows(path, files.dialect, len(files.names))
    if there.unclosed is not None:
        yield WrongLines(name, _UNCLOSED, None, lines_at(path, [there.unclosed]))
    elif not problems.num_rows and read + passed_over != there.number:
        # What the engine loses in silence is the last line: where that ends, from 1.
        last, passed = 1, 0
        with sources.bytes_of(path) as file:
            while block := file.read(sources.BLOCK):
                if letters := len(block.rstrip(b"\r\n")):
                    last = passed + letters
                passed += len(block)
        yield WrongLines(name, _OTHER, None, lines_at(path, [last]))


def lines_at(path: Path, places: Sequence[int]) -> tuple[int, ...]:
    """The lines, numbered from 1, in which bytes numbered from 1 stand; places in order.

    The engine counts ends of line before a row, and empty lines, to the row: they are passed over.
    """
    waiting, numbers, line, before = list(places), [], 1, 0
    with sources.bytes_of(path) as file:
        while waiting and (block := file.read(sources.BLOCK)):
            while block.endswith(b"\r") and (more := file.read(1)):
                block += more  # an end of line is not cut in two
            line_ends = [before + end.end() for end in _LINE_END.finditer(block)]
            while waiting and waiting[0] <= before + len(block):
                letter = _LETTER.search(block, waiting[0] - 1 - before)
                if letter is None:
                    waiting[0] = before + len(block) + 1
                    break
                numbers.append(line + sum(end <= before + letter.start() for end in line_ends))
                waiting.pop(0)
            line, before = line + len(line_ends), before + len(block)
    return tuple(numbers)


def undecodable_line(path: Path, dialect: sources.Dialect) -> int | None:
    """The first line that is no text in the declared encoding; None if all can be read."""
    decoder, line, text = codecs.getincrementaldecoder(dialect.encoding)("strict"), 1, ""
    try:
        with sources.bytes_of(path) as file:
            while block := file.read(sources.BLOCK):
                try:
                    text = decoder.decode(block)
                except UnicodeDecodeError as error:
                    start = error.object[: error.start].decode(dialect.encoding, "ignore")
                    return line + start.count("\n")
                line += text.count("\n")
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return line
    except sources.DAMAGE:
        return None
    return None


@attrs.frozen
class Unreadable:
    """The places where a column's values cannot be read: how many, and the first lines."""

    file: str
    column: str
    expected: str
    count: int
    lines: tuple[int, ...]


@attrs.frozen(repr=False)
class UnreadableRows(Answer):
    """The places where a source cannot be read, for its owner only, and no value.

    `lines` are no rows, by file and mistake; `values` are not what the plan declares, by file and
    column.
    """

    OWNER_ONLY = True

    lines: tuple[WrongLines, ...] = ()
    values: tuple[Unreadable, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The object of `deniable preview --rows --json`."""
        return {
            "not_for_publication": True,
            "unreadable": [attrs.asdict(each) for each in self.values],
            "wrong_lines": [attrs.asdict(each) for each in self.lines],
        }


def unreadable(plan: PlanInput, *, memory_limit: str = "1GB") -> UnreadableRows:
    """Return where a plan's CSV source cannot be read as declared; nothing for others.

    The values of a file are looked at where its lines are rows. The answer holds exact places in
    the data: for its owner's eyes, never for publication.

    Parameters
    ----------
    plan : path, str or mapping
        A plan's TOML file, its text, or what TOML reads from it.
    memory_limit : str
        What the engine may use before it spills to disk, such as "1GB".

    Raises
    ------
    PlanError
        If the plan is wrong.
    DataError
        If a packed file is damaged, or its ends of line differ; for the owner only.
    """
    there = read_plan(plan)
    if not sources.is_csv(there.source):
        return UnreadableRows()
    named = files_of(there.source)
    encoding = there.source.dialect.encoding
    undecoded = tuple(
        WrongLines(path.name, f"bytes that are no text in {encoding}", None, (line,))
        for path in named
        if sources.csv_source.is_needed(path, encoding)
        and (line := undecodable_line(path, there.source.dialect)) is not None
    )
    if undecoded:
        return UnreadableRows(undecoded)
    lines: list[WrongLines] = []
    values: list[Unreadable] = []
    columns = sources.source_columns(there.columns, there.derived)
    with sources.engine(there.source.location, memory_limit) as running:
        running.execute("SET preserve_insertion_order = true")  # a row's number is its place
        files = sources.readable(there.source, running.folder)
        for name, place in zip(named, files.paths, strict=True):
            one = attrs.evolve(files, paths=(place,))
            wrong = [*wrong_lines(running, one, name.name, columns)]
            lines += wrong
            if not wrong:
                values += _in_file(running, there.source, one, name.name, columns)
    return UnreadableRows(tuple(lines), tuple(values))


def _in_file(
    running: sources.DuckDB,
    source: sources.Source,
    files: sources.Files,
    name: str,
    columns: Sequence[str],
) -> Iterator[Unreadable]:
    scan = files.scan(divided=False)
    for column in columns:
        declared = sources.reading(source, column, files.mark)
        numbered = f"(SELECT row_number() OVER () AS number_of_row, * FROM {scan})"
        rows = sources.create_raw_view(running, [column, "number_of_row"], numbered)
        flag = sources.csv_values.parse_column(rows[column], declared).unreadable
        if flag is None:
            continue
        wrong = rows.filter(flag)
        count = running.fetch_integer(wrong.count())
        first = running.rows(wrong.order_by("number_of_row").limit(MOST_LINES))
        numbers = first["number_of_row"].to_pylist()
        if count:
            lines, expected = _lines(files, numbers), sources.csv_values.describe_reading(declared)
            yield Unreadable(name, column, expected, count, tuple(lines))


def _lines(files: sources.Files, numbers: Sequence[int]) -> Iterator[int]:
    """The lines where rows begin, numbered from 1 as a text editor does."""
    (path,) = files.paths
    dialect = attrs.evolve(files.dialect, encoding="utf-8")  # whatever it was before
    row, before = (0 if dialect.columns is not None else -1), 0
    with sources.csv_source.lines(path, dialect) as file:
        rows = sources.csv_source.reader(file, path, dialect, strict=False)
        for values in rows:
            row += bool(values) or len(files.names) == 1
            if values and row in numbers:
                yield before + 1
            before = rows.line_num  # type: ignore[attr-defined]
            if row >= max(numbers):
                return


ROWS = 8
"""Rows that show how a file is written, on one screen."""
_LONGEST = 2**18
"""Letters of a line of a CSV file that are looked at: more than almost any has."""


class Cell(NamedTuple):
    """What a cell is read as, and its text; either is None where there is none."""

    value: str | None
    text: str | None


def first_rows(source: Source) -> tuple[Mapping[str, Kind], list[list[Cell]]]:
    """Read columns with their kinds, and the first rows as a release does, with texts of CSV.

    A column that cannot be read is left out.
    """
    kinds: Mapping[str, Kind] = {
        name: kind for name, kind in schema(source).items() if kind is not Kind.OTHER
    }
    with _beginning(source) as beginning:
        values = _read(beginning, kinds)
        texts = [[None] * len(kinds)] * len(values)
        if is_csv(source):
            texts = _read(attrs.evolve(beginning, types={}, cleaning=Cleaning()), kinds)
    return kinds, [list(map(Cell, *each)) for each in zip(values, texts, strict=True)]


@contextmanager
def _beginning(source: Source) -> Iterator[Source]:
    """A source that begins alike and is short; of CSV, whose whole file would be read, a copy."""
    if not is_csv(source):
        yield source
        return
    path = files(source)[0]
    with bytes_of(path) as file:
        text = io.TextIOWrapper(file, source.dialect.encoding, errors="replace", newline="")
        lines = [text.readline(_LONGEST) for _ in range(4 * ROWS)]
    if mark := source.dialect.quote:  # a cell of several lines is left out, or whole
        lengths = range(len(lines), 1, -1)
        lines = lines[: next((n for n in lengths if "".join(lines[:n]).count(mark) % 2 == 0), None)]
    with spill_folder() as folder:
        # Messages name it as the owner does; what is read is no longer compressed.
        name = path.stem if path.suffix.lower() in (".gz", ".zst") else path.name
        name = name.replace(":", "_")  # before it a word would be a kind of source
        (folder / name).write_text("".join(lines), "utf-8", newline="")
        dialect = attrs.evolve(source.dialect, encoding="utf-8")
        yield attrs.evolve(source, location=name, base=folder, dialect=dialect)


def _read(source: Source, kinds: Mapping[str, Kind]) -> list[list[Any]]:
    with open_table(source, list(kinds)) as data:
        table = data.engine.rows(data.table.select(list(kinds)).limit(ROWS))
    columns = [[_written(each) for each in column.to_pylist()] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _written(value: object) -> str | None:
    if value is None or isinstance(value, bool):
        return None if value is None else str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
