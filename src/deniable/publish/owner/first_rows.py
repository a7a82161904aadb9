"""The first rows of a table as the plan reads them: for the owner's eyes, and no part of a plan."""

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import attrs

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
