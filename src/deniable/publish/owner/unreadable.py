"""For the owner: where a CSV source cannot be read as declared. Never a value; not to publish."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from deniable.numerics.answer import Answer
from deniable.publish.owner.wrong_lines import MOST_LINES, WrongLines, undecodable_line, wrong_lines
from deniable.publish.plan.plan import read_plan
from deniable.publish.sources import csv_source, csv_values, location, transcoding
from deniable.publish.sources.csv_staging import Files, create_raw_view, readable, reading
from deniable.publish.sources.engine import DuckDB, engine
from deniable.publish.sources.table import Source, is_csv


@attrs.frozen
class Unreadable:
    """Where a column's values cannot be read: how many, and the lines of the first ones."""

    file: str
    column: str
    expected: str
    count: int
    lines: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        return attrs.asdict(self) | {"lines": list(self.lines)}


@attrs.frozen(repr=False)
class UnreadableRows(Answer):
    """Where a source cannot be read, for its owner only: places, and no value.

    Parameters
    ----------
    lines : tuple of WrongLines
        Lines that are no rows, by file and mistake.
    values : tuple of Unreadable
        Values that are not what the plan declares, by file and column.
    """

    OWNER_ONLY = True

    lines: tuple[WrongLines, ...] = ()
    values: tuple[Unreadable, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The object of `deniable preview --rows --json`."""
        return {
            "not_for_publication": True,
            "unreadable": [each.as_json() for each in self.values],
            "wrong_lines": [each.as_json() for each in self.lines],
        }


def unreadable(path: str | os.PathLike[str], *, memory_limit: str = "1GB") -> UnreadableRows:
    """Where a plan's CSV source cannot be read as declared; nothing for other sources.

    The values of a file are looked at where its lines are rows. The answer holds exact places in
    the data: for its owner's eyes, never for publication.

    Parameters
    ----------
    path : path
        A plan in TOML.
    memory_limit : str
        What the engine may use before it spills to disk, such as "1GB".

    Raises
    ------
    PlanError
        If the plan is wrong.
    DataError
        If a packed file is damaged, or its ends of line differ; for the owner only.
    """
    plan = read_plan(path)
    if not is_csv(plan.source):
        return UnreadableRows()
    named = location.files(plan.source)
    undecoded = tuple(_undecodable(plan.source, named))
    if undecoded:
        return UnreadableRows(undecoded)
    lines: list[WrongLines] = []
    values: list[Unreadable] = []
    with engine(plan.source.location, memory_limit) as running:
        running.execute("SET preserve_insertion_order = true")  # a row's number is its place
        files = readable(plan.source, running.folder)
        for name, place in zip(named, files.paths, strict=True):
            one = attrs.evolve(files, paths=(place,))
            wrong = [*wrong_lines(running, one, name.name, plan.columns)]
            lines += wrong
            if not wrong:
                values += _in_file(running, plan.source, one, name.name, plan.columns)
    return UnreadableRows(tuple(lines), tuple(values))


def _undecodable(source: Source, files: Sequence[Path]) -> Iterator[WrongLines]:
    """Files that have to be written again in UTF-8, and cannot."""
    for path in files:
        encoding = source.dialect.encoding
        if transcoding.is_needed(path, encoding):
            line = undecodable_line(path, source.dialect)
            if line is not None:
                yield WrongLines(path.name, f"bytes that are no text in {encoding}", None, (line,))


def _in_file(
    running: DuckDB, source: Source, files: Files, name: str, columns: Sequence[str]
) -> Iterator[Unreadable]:
    scan = files.scan(divided=False)
    for column in columns:
        declared = reading(source, column, files.mark)
        numbered = f"(SELECT row_number() OVER () AS number_of_row, * FROM {scan})"
        rows = create_raw_view(running, [column, "number_of_row"], numbered)
        flag = csv_values.parse_column(rows[column], declared).unreadable
        if flag is None:
            continue
        wrong = rows.filter(flag)
        count = running.fetch_integer(wrong.count())
        first = running.rows(wrong.order_by("number_of_row").limit(MOST_LINES))
        numbers = first["number_of_row"].to_pylist()
        if count:
            lines = tuple(_lines(files, numbers))
            yield Unreadable(name, column, csv_values.describe_reading(declared), count, lines)


def _lines(files: Files, numbers: Sequence[int]) -> Iterator[int]:
    """The lines where rows begin, numbered from 1 as a text editor does."""
    (path,) = files.paths
    dialect = attrs.evolve(files.dialect, encoding="utf-8")  # whatever it was before
    row, before = (0 if dialect.columns is not None else -1), 0
    with csv_source.lines(path, dialect) as file:
        rows = csv_source.reader(file, path, dialect, strict=False)
        for values in rows:
            row += bool(values) or len(files.names) == 1
            if values and row in numbers:
                yield before + 1
            before = rows.line_num  # type: ignore[attr-defined]
            if row >= max(numbers):
                return
