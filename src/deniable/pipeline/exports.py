"""Formats of other programs for a release's tables, and an exported file beside the release."""

from __future__ import annotations

import abc
import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate.files import CERTIFICATE, PARQUET
from deniable.certificate.json_documents import read_bytes
from deniable.certificate.results import read_parquet
from deniable.errors import InvalidArgument
from deniable.errors.guests import guests, make_all
from deniable.errors.late import pa
from deniable.numerics.answer import Answer
from deniable.pipeline.checked import (
    Check,
    Checked,
    Verified,
    difference,
    failed,
    known_word,
    one_line,
)

_GROUP = "deniable.exports"
"""The entry points of formats: the word after `--to`, and a subclass of `ExportFormat`."""
MOST_EXPORTED_BYTES = 2**28  # the most bytes of an exported file that is checked
_LONGEST = 120  # characters of a value in a finding

Cells = Mapping[str, Any]
"""The values of an exported file by their places, in the order in which they are read."""


@attrs.frozen
class CheckedRelease:
    """A release that holds: its certificate, and its results where it has a folder and rows."""

    certificate: Any
    results: pa.Table | None

    @classmethod
    def of(cls, place: Path, certificate: Any) -> CheckedRelease:
        """Return what stands beside a certificate that holds, in its folder."""
        has_rows = place.is_dir() and (place / PARQUET).is_file()
        return cls(certificate, read_parquet((place / PARQUET).read_bytes()) if has_rows else None)

    @property
    def queries(self) -> list[str]:
        """The names of the plan's queries, in its order."""
        return [each.name for each in getattr(self.certificate, "queries", ())]

    def table(self, query: str | None = None) -> pa.Table:
        """Return all published rows, or those of one query."""
        if self.results is None:
            raise InvalidArgument(
                f"Expected the folder of a release with results, got none. {CERTIFICATE} alone, "
                "and a training, have only --to registry-yaml."
            )
        if query is None:
            return self.results
        if query not in self.queries:
            known = ", ".join(self.queries) or "none: leave it out"
            raise InvalidArgument(f"Expected one of the queries, got {query!r}. They are: {known}.")
        names = self.results["query"].to_pylist()
        return self.results.take([row for row, name in enumerate(names) if name == query])


@attrs.frozen(repr=False, kw_only=True)
class Exported(Answer):
    """A release as another program reads it.

    Parameters
    ----------
    to : str
        The format.
    query : str or None
        The query whose rows are exported; None for all of the release.
    content : bytes
        The file.
    out : path or None
        Where it was written.
    """

    to: str
    content: bytes = attrs.field(repr=False)
    query: str | None = None
    out: Path | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        place = None if self.out is None else str(self.out)
        return {"to": self.to, "query": self.query, "out": place, "bytes": len(self.content)}


class ExportFormat(abc.ABC):
    """A format that a release is exported to, and read back from to be checked."""

    ending: str
    """How the names of its files end."""
    is_text = True
    """Whether a terminal can show it."""

    @abc.abstractmethod
    def begins(self, content: bytes) -> bool:
        """Return whether a file can only be of this format, by its first bytes."""

    @abc.abstractmethod
    def export(self, release: CheckedRelease, query: str | None) -> Exported:
        """Return the file of a release, the same one each time."""

    @abc.abstractmethod
    def cells(self, content: bytes) -> Cells:
        """Return every value of a file, but those that its owner fills in."""

    def confirm(self) -> None:  # noqa: B027 - many need no library
        """Refuse a format whose library is not installed, before anything is spent."""


def format_called(word: Any) -> ExportFormat:
    """Return the format of a word; refused with the nearest where there is none."""
    others = {"excel": "xlsx", "sdmx": "sdmx-csv", "registry": "registry-yaml"}
    made: ExportFormat = known_word(word, guests(_GROUP), others, word).make()
    return made


def csv_cells(content: bytes) -> Cells:
    """Return the fields of a CSV file by their lines and columns, the header's among them."""
    try:
        lines = [*csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)]
    except (UnicodeDecodeError, csv.Error):
        raise InvalidArgument("Expected a CSV file in UTF-8, got something else.") from None
    header = lines[0] if lines else []
    return {
        f"line {number}, column {place + 1} ({header[place] if place < len(header) else ''})": field
        for number, line in enumerate(lines, start=1)
        for place, field in enumerate(line)
    }


def check_exported(path: Path, release: CheckedRelease) -> Checked:
    """Compare each value of an exported file with the release, and name the first that differs."""
    name = one_line(path.name, 100)
    content = read_bytes(path, MOST_EXPORTED_BYTES, "an exported file")
    formats: dict[str, ExportFormat] = make_all(_GROUP)
    word = next((word for word, each in formats.items() if each.begins(content)), None)
    if word is None:
        expected = f"a file that deniable export writes ({', '.join(formats)})"
        raise InvalidArgument(f"Expected {expected}, got another at {path}.")
    try:
        finding, how = _compare(formats[word], content, release)
    except InvalidArgument as error:
        return Checked((failed(name, error),))
    if finding:
        return Checked((Check(name, False, finding),))
    return Checked((Check(name, True),), (Verified(name, f"exported again to {word}: {how}"),))


def _compare(format: ExportFormat, content: bytes, release: CheckedRelease) -> tuple[str, str]:
    """Return the first difference, or nothing and how the file was compared.

    A file need not name its query. One that is of none is compared with the query with which it
    has the most in common before they differ.
    """
    got, best, refused = None, (-1, ""), None
    for query in [None, *(release.queries if release.results else ())]:
        try:
            made = format.export(release, query).content
        except InvalidArgument as error:
            refused = error
            continue
        if made == content:
            return "", "the same, byte by byte"
        got = format.cells(content) if got is None else got
        alike, finding = _first_difference(got, format.cells(made))
        if not finding:
            return "", f"each of its {len(got):,} values is the same"
        best = max(best, (alike, finding), key=lambda each: each[0])
    if refused is not None and not best[1]:
        raise refused
    return best[1], ""


def _first_difference(got: Cells, wanted: Cells) -> tuple[int, str]:
    """Return how many values are the same before the first that is not, and what that is."""
    for number, place in enumerate({**wanted, **got}):
        one, other = (repr(each[place]) if place in each else "nothing" for each in (wanted, got))
        if one != other:
            return number, difference(place, other, one, _LONGEST, spell=str)
    return len(got), ""
