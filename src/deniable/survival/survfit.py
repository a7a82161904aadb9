"""Published curves as R's `survfit` and lifelines' event table show one, for other programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs

from deniable.certificate.json_documents import public_mapping
from deniable.certificate.results import csv_bytes
from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.errors.validate import format_value
from deniable.pipeline.exports import Cells, CheckedRelease, Exported, ExportFormat, csv_cells
from deniable.survival import measuring as words
from deniable.survival.table import Group

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

SURVFIT, LIFELINES = "survfit", "lifelines"
AT_RISK = "n.risk (>= t)"
"""The column of people whose time, rounded up to the grid, is at least that of the row."""
COLUMNS = ("time", AT_RISK, "n.event", "n.censor", "survival", "lower", "upper")
EVENT_TABLE = (
    "event_at", "removed", "observed", "censored", "entrance", "at_risk (>= t)", "at_risk (> t)",
    "KM_estimate", "KM_estimate_lower_0.95", "KM_estimate_upper_0.95",
)  # fmt: skip
"""lifelines' event table has the first number at risk, and its pictures print the second one."""
FORMATS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {SURVFIT: COLUMNS, LIFELINES: EVENT_TABLE}
)
"""Tables that a curve can be exported as, with their columns."""
_GROUP = "group:"


@attrs.frozen(repr=False, kw_only=True)
class ExportedCurves(Exported):
    """Curves of one query of a release that holds, a line for each group and time of the grid.

    `censored` says how the curve counts people who are censored between two times, "half" or "end".
    The table has the columns of groups, then those of the format.
    """

    censored: str
    table: pa.Table = attrs.field(eq=lambda table: table.to_pylist())

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        lines = [*map(public_mapping, self.table.to_pylist())]
        return {"query": self.query, "censored": self.censored, "curves": lines}

    def as_csv(self) -> str:
        """A header, and a line for each group and time; an empty field where nobody is at risk."""
        return self.content.decode("utf-8")

    def frame(self) -> Any:
        """A pandas data frame with the columns of the CSV file."""
        return self.table.to_pandas()


class SurvfitCsv(ExportFormat):
    """A survival curve for R or lifelines.

    The columns are those of groups, then as R's `survfit` prints them `time`, `n.risk (>= t)`,
    `n.event`, `n.censor`, `survival`, `lower` and `upper`. As `lifelines` they are those of its
    event table, from time 0 on: `event_at`, `removed`, `observed`, `censored`, `entrance`, `at_risk
    (>= t)`; then `at_risk (> t)`, which its pictures print, and `KM_estimate` with its limits.

    Numbers of people are those of the table of whole people that the curve follows from, and have
    noise. R rounds no times: here those within a bin, the first one with 0, count as the bin's end,
    so that the number at risk *at* a time is everybody whose time is greater than the one before.
    With `censored = "half"` the curve takes away half of `n.censor` from those at risk. `lower` and
    `upper` enclose about 95 %, with noise and sampling.
    """

    word = SURVFIT
    ending = ".survfit.csv"

    def begins(self, content: bytes) -> bool:
        """Return whether the header has a column of those at risk that only this table has."""
        own = next(name for name in FORMATS[self.word] if name.endswith("(>= t)"))
        return own.encode() in content.partition(b"\n")[0]

    def export(self, release: CheckedRelease, query: str | None) -> ExportedCurves:
        """Return the curves of a query, which is named unless it is the only one with some."""
        document = release.certificate.document()
        curves = {
            each["name"]: each
            for each in document.get("queries", ())
            if each.get("statistic") == words.SURVIVAL
        }
        if not curves:
            raise InvalidArgument("Expected a release with a survival curve, got one without.")
        name = next(iter(curves)) if query is None and len(curves) == 1 else query
        if name not in curves:
            got = "none" if name is None else format_value(name)
            known = ", ".join(map(format_value, curves))
            raise InvalidArgument(f"Expected the query of a curve, got {got}. Name one of {known}.")
        curve = curves[name]
        columns = [each["column"] for each in curve["group_by"]]
        table = _table(release.table(), curve["name"], columns, self.word)
        return ExportedCurves(
            to=self.word,
            content=csv_bytes(table),
            query=curve["name"],
            censored=curve["parameters"]["censored"],
            table=table,
        )

    def cells(self, content: bytes) -> Cells:
        """Return every field, as a text."""
        return csv_cells(content)


class LifelinesCsv(SurvfitCsv):
    """The same as lifelines' event table."""

    word = LIFELINES
    ending = ".lifelines.csv"


_PEOPLE = (words.EVENTS, words.CENSORED, words.BEYOND)


def _table(published: pa.Table, query: str, columns: Sequence[str], format: str) -> pa.Table:
    """The lines of a query, by group and time."""
    lines_of = _lines if format == SURVFIT else _event_table
    names = [_GROUP + each for each in columns]
    groups = dict[tuple[Any, ...], dict[str, list[Mapping[str, Any]]]]()
    for row in published.to_pylist():
        if row["query"] == query and row["statistic"] in (*_PEOPLE, words.SURVIVAL):
            own = groups.setdefault(tuple(row[name] for name in names), {})
            own.setdefault(row["statistic"], []).append(row)
    lines = [(*keys, *line) for keys, rows in groups.items() for line in lines_of(rows)]
    kinds = ["int64" if type(value) is int else "float64" for value in lines[0][len(names) :]]
    fields = [
        *(published.schema.field(name) for name in names),
        *(pa.field(name, kind) for name, kind in zip(FORMATS[format], kinds, strict=True)),
    ]
    arrays = [
        pa.array(values, field.type)
        for field, values in zip(fields, zip(*lines, strict=True), strict=True)
    ]
    labels = [name if name.removeprefix(_GROUP) in FORMATS[format] else name.removeprefix(_GROUP)
              for name in names]  # fmt: skip
    return pa.Table.from_arrays(arrays, names=[*labels, *FORMATS[format]])


def _lines(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[tuple[Any, ...]]:
    """The lines of one group, from its published rows, which are in the order of their times."""
    events, censored, beyond = ([row["whole_number"] for row in rows[word]] for word in _PEOPLE)
    observed = Group(tuple(events), tuple(censored), beyond[0]).observed[:-1]
    curve = rows[words.SURVIVAL]
    for row, *people in zip(curve, observed, events, censored, strict=True):
        limits = row["approximate_low"], row["approximate_high"]
        yield row["bin_high"], *people, row["value"], *limits


def _event_table(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[tuple[Any, ...]]:
    """The same with a line for time 0, at which everybody enters."""
    for place, (time, at_risk, events, censored, *curve) in enumerate(_lines(rows)):
        if not place:
            yield 0.0, 0, 0, 0, at_risk, at_risk, at_risk, 1.0, 1.0, 1.0
        leaving = events + censored
        yield time, leaving, events, censored, 0, at_risk, at_risk - leaving, *curve
