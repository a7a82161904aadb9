"""What a plan's `source` points to: files of one schema, or whatever else a reader knows."""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from deniable.errors import PlanError
from deniable.numerics.answer import FrozenMap
from deniable.publish.sources import csv_source
from deniable.publish.sources.csv_source import Cleaning, Dialect

if TYPE_CHECKING:
    from deniable.publish.sources.derived import Derived
    from deniable.publish.sources.reader import Frame

PARQUET = (".parquet", ".pq")
_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
_SCHEMES = re.compile(r"(?:[a-z0-9.+-]{2,}:)+", re.IGNORECASE)
_FOLDERS = re.compile(r"(?<![^/])(?:\*\*/+)+")
"""One ** or several in a row, which say the same."""


def _read_only(types: Mapping[str, str]) -> Mapping[str, str]:
    return FrozenMap(types)


@attrs.frozen
class Source:
    """A table that a plan names.

    Parameters
    ----------
    location : str
        A CSV or Parquet file or a glob of them, ``duckdb:FILE?table=NAME``, or what another
        reader's word stands before, as written in the plan; ``memory`` for a data frame.
    base : Path
        The folder that relative paths are looked up in.
    types : mapping
        CSV: columns to "integer", "number", "text", "boolean", "date" or "timestamp"; text where
        nothing is said.
    nulls : tuple of str
        CSV: texts that mean NULL.
    dialect : Dialect
        CSV: how the files are written.
    cleaning : Cleaning
        What becomes of texts before anything else sees them.
    frame : Frame or None
        The table itself, where it was handed over as data.
    derived : tuple of Derived
        Columns that are computed beside its own, each after those that it reads.
    """

    location: str
    base: Path
    types: Mapping[str, str] = attrs.field(factory=dict, converter=_read_only)
    nulls: tuple[str, ...] = ("",)
    dialect: Dialect = attrs.field(factory=Dialect)
    cleaning: Cleaning = attrs.field(factory=Cleaning)
    frame: Frame | None = attrs.field(default=None, eq=False, repr=False)
    derived: tuple[Derived, ...] = ()


def schemes(location: str) -> list[str]:
    """The words that a location begins with, as "jdbc" and "postgresql", in lower case."""
    match = _SCHEMES.match(location)
    return match[0].lower().split(":")[:-1] if match else []


def files(source: Source) -> list[Path]:
    """The files of a name or a glob, each once, in the order of their names; at least one.

    A file may have several names: a pattern with two `**` finds one by several ways, and there are
    links. The first of them counts.
    """
    pattern = source.base / os.path.expanduser(source.location)
    if pattern.suffix.lower() in _SPREADSHEETS:
        raise PlanError(
            f'Expected a table in Parquet or CSV, got the spreadsheet "{source.location}". Save it '
            "as CSV (UTF-8) in its program, each sheet by itself."
        )
    if not csv_source.is_csv_path(pattern.name) and pattern.suffix.lower() not in PARQUET:
        raise PlanError(
            "Expected a name that ends in .parquet, .csv, .tsv or .txt (also .gz or .zst), or "
            f'duckdb:FILE?table=NAME, got "{source.location}".'
        )
    if pattern.is_file():
        return [pattern]
    paths = [path for path in sorted(set(_matching_paths(str(pattern)))) if path.is_file()]
    statuses = [(path, path.stat()) for path in reversed(paths)]
    if once := {(at.st_dev, at.st_ino): path for path, at in statuses}:
        return sorted(once.values(), key=str)
    raise PlanError(
        f'Expected a file, or a glob that finds some, got "{source.location}" in {source.base}.'
    )


def _matching_paths(pattern: str) -> Iterator[Path]:
    """Paths that match; every folder below a ** once, however links lead to it."""
    above, *below = _FOLDERS.split(pattern, maxsplit=1)
    if not below:
        yield from map(Path, glob.glob(pattern))
        return
    seen: set[tuple[int, int]] = set()
    for top in sorted(glob.glob(above)):
        for folder in _folders(Path(top), seen):
            yield from _matching_paths(f"{glob.escape(str(folder))}/{below[0]}")


def _folders(top: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    """The folder and all below it but hidden ones, links followed."""
    at = top.stat() if top.is_dir() else None
    if at is None or (at.st_dev, at.st_ino) in seen:
        return
    seen.add((at.st_dev, at.st_ino))
    yield top
    inside: list[Path] = []
    with contextlib.suppress(PermissionError):  # like a pattern's other folders that are closed
        inside = sorted(top.iterdir())
    for inner in inside:
        if not inner.name.startswith("."):
            yield from _folders(inner, seen)
