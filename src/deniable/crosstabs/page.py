"""A crosstab on the page: tables of two columns with their totals, and how rows to share fit."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedMargin, CertifiedQuery
from deniable.publish.page import grids
from deniable.publish.page.first import MOST_LINES as MOST_LINES
from deniable.report.html import Html, name
from deniable.report.rendering import Section, render, section
from deniable.report.sentences import format_value, half_width, rounded_up

if TYPE_CHECKING:
    from deniable.crosstabs.margins import SyntheticRows

MOST_TABLES = 12
"""Tables of two columns that a page shows."""
MOST_FITS = 30  # most margins for which a page says how well synthetic rows follow them
_MOST_INDENTED = 4  # steps that lines of a tree are set in, so that deep ones fit a phone


@attrs.frozen
class _Cells:
    """The published cells of a margin, each by the keys of its columns."""

    margin: CertifiedMargin
    rows: Mapping[tuple[object, ...], ResultRow]

    def keys(self, place: int) -> list[object]:
        return list(dict.fromkeys(keys[place] for keys in self.rows))

    @property
    def largest(self) -> float:
        return max((abs(grids.counted(row)) for row in self.rows.values()), default=0.0)

    @property
    def error(self) -> str:
        return half_width(self.margin.half_width_95, "rows")

    @property
    def fits(self) -> bool:
        """Whether a page has room for it, with the shorter column across."""
        sizes = sorted((len(self.keys(0)), len(self.keys(1))))
        return sizes[0] < grids.MOST_COLUMNS and sizes[1] < grids.MOST_LINES


def crosstab_tables(identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html:
    """Each margin of two columns as a table with totals, and columns that are in none as lists."""
    margins = _by_columns(query, rows)
    crossed = [names for names in margins if len(names) == 2]
    fitting = [names for names in crossed if margins[names].fits][:MOST_TABLES]
    covered = {name for names in fitting for name in names}
    alone = [names for names in margins if len(names) == 1 and not covered & {*names}]
    blocks = [
        _crossed(f"{identifier}-{number}", margins, names)
        for number, names in enumerate(fitting, start=1)
    ]
    blocks += [
        _single(f"{identifier}-by-{number}", margins[names])
        for number, names in enumerate(alone[:MOST_TABLES], start=1)
    ]
    return render(
        "crosstabs/crosstab.html",
        blocks=blocks,
        left=len(margins) - 1 - len(fitting) - len(covered) - len(alone[:MOST_TABLES]),
        is_whole=query.parameters.get("whole_numbers"),
    )


def main_table(query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html | None:
    """The first table of two columns, or of one, that fits the first page."""
    margins = _by_columns(query, rows)
    for names, cells in margins.items():
        # The longer column stands down the page where both fit across.
        if len(names) == 2 and cells.fits and max(map(len, map(cells.keys, (0, 1)))) < MOST_LINES:
            return _crossed("first-table", margins, names)
    for names, cells in margins.items():
        if len(names) == 1 and len(cells.rows) <= MOST_LINES:
            return _single("first-table", cells)
    return None


def tree_section(identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html:
    """A tree as a table, and how it is read."""
    return render(
        "crosstabs/tree.html",
        is_whole=query.parameters.get("whole_numbers"),
        listing=tree_table(identifier, query, rows, grids.MOST_LINES),
    )


def tree_table(
    identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow], most_lines: int
) -> Html:
    """The levels of a tree that have no more lines than these together; of its first one the first.

    A node stands above its children, which are set in from it.
    """
    levels = query.parameters["levels"]
    depths = [len(row.groups) for row in rows]
    deepest = max(
        (depth for depth in range(1, len(levels) + 1)
         if sum(each <= depth for each in depths) <= most_lines),
        default=1,
    )  # fmt: skip
    below: dict[tuple[object, ...], list[ResultRow]] = {}
    for row in rows[1:]:
        below.setdefault(tuple(row.groups.values())[:-1], []).append(row)
    lines: list[tuple[int, str, str, str]] = []

    def add(row: ResultRow) -> None:
        path = tuple(row.groups.values())
        label = name(grids.scalar(path[-1])) if path else "total"
        width = half_width(row.half_width_95, "rows") if row.half_width_95 else "exact"
        number = format_value(row.value, row.half_width_95, "rows")
        if row.whole_number is not None:
            number = f"{row.whole_number:,}"
        lines.append((min(len(path), _MOST_INDENTED), label, number, width))
        if len(path) < deepest:
            for child in below.get(path, ()):
                add(child)

    add(rows[0])
    return render(
        "crosstabs/tree_table.html",
        identifier=identifier,
        query=query,
        levels=levels[:deepest],
        lines=lines[:most_lines],
        number=len(rows),
    )


def _by_columns(query: CertifiedQuery, rows: Sequence[ResultRow]) -> dict[tuple[str, ...], _Cells]:
    remaining, result = iter(rows), {}
    for margin in query.margins or ():
        own = itertools.islice(remaining, margin.cells)
        result[margin.columns] = _Cells(margin, {tuple(row.groups.values()): row for row in own})
    return result


def _crossed(
    identifier: str, margins: Mapping[tuple[str, ...], _Cells], names: tuple[str, ...]
) -> Html:
    """A table of two columns, the longer one down the page."""
    inner, total = margins[names], margins[()]
    turned = len(inner.keys(0)) < len(inner.keys(1)) or len(inner.keys(1)) >= grids.MOST_COLUMNS
    turned = turned and len(inner.keys(0)) < grids.MOST_COLUMNS
    down, across = (1, 0) if turned else (0, 1)
    by_line, by_column = margins[names[down],], margins[names[across],]
    columns, largest = inner.keys(across), inner.largest
    body = []
    for line in inner.keys(down):
        places = [(column, line) if turned else (line, column) for column in columns]
        shaded = (grids.shaded(inner.rows[place], largest) for place in places)
        body.append([name(grids.scalar(line)), *shaded, grids.cell(by_line.rows[line,], "total")])
    return render(
        "crosstabs/crossed.html",
        identifier=identifier,
        down=names[down],
        across=names[across],
        errors=[each.error for each in (inner, by_line, by_column, total)],
        has_total_error=total.margin.half_width_95,
        head=[name(grids.scalar(column)) for column in columns],
        body=body,
        totals=[
            *(grids.cell(by_column.rows[column,], "total") for column in columns),
            grids.cell(total.rows[()], "total"),
        ],
    )


def _single(identifier: str, cells: _Cells) -> Html:
    largest = cells.largest
    return render(
        "crosstabs/single.html",
        identifier=identifier,
        column=cells.margin.columns[0],
        error=cells.error,
        number=len(cells.rows),
        rows=[
            [name(grids.scalar(keys[0])), grids.shaded(row, largest)]
            for keys, row in itertools.islice(cells.rows.items(), grids.MOST_LINES)
        ],
    )


def synthetic_section(query: CertifiedQuery, synthetic: SyntheticRows) -> Section:
    """How well the synthetic rows follow the published margins, and what they are not for."""
    fits = [each for each in synthetic.reproductions if len(each.margin) > 1]
    fits = fits or list(synthetic.reproductions)
    worst = sorted(fits, key=lambda each: (-each.total_variation, each.margin))[:MOST_FITS]
    columns = [group.column for group in query.group_by]
    return section(
        "shared",
        "crosstabs/synthetic.html",
        number=synthetic.columns.shape[1],
        margins=len(fits),
        rows=[
            [
                Html(" × ".join(name(columns[i]) for i in fit.margin)),
                f"{rounded_up(100 * fit.total_variation, 2)} %",
                f"{fit.largest:,}",
            ]
            for fit in worst
        ],
    )
