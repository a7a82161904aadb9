"""A crosstab on the page: tables of two columns with their totals, and how rows to share fit."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deniable.certificate.limits import number
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedMargin, CertifiedQuery
from deniable.report.html import Html, name, text
from deniable.report.rendering import Section, render, section
from deniable.report.sentences import format_value, half_width, rounded_up

if TYPE_CHECKING:
    from deniable.publish.margins import SyntheticRows

MOST_TABLES = 12
"""Tables of two columns that a page shows."""
MOST_COLUMNS = 14
"""Most columns of a table, its total included: more do not fit a printed page."""
MOST_LINES = 200  # most lines of a table
MOST_FITS = 30  # most margins for which a page says how well synthetic rows follow them
_MOST_INDENTED = 4  # steps that lines of a tree are set in, so that deep ones fit a phone
_LEVELS = 5  # shades of cells, by how large they are beside the largest of their table


def scalar(value: Any) -> str:
    """A public key as text.

    >>> scalar(True), scalar(25), scalar("")
    ('true', '25', '(empty text)')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return number(value).replace(",", "")  # a key stands as the plan writes it
    return str(value) or "(empty text)"


@attrs.frozen
class _Cells:
    """The published cells of a margin, each by the keys of its columns."""

    margin: CertifiedMargin
    rows: Mapping[tuple[object, ...], ResultRow]

    def keys(self, place: int) -> list[object]:
        """The keys of one of its columns, in order."""
        return list(dict.fromkeys(keys[place] for keys in self.rows))

    @property
    def largest(self) -> float:
        """The largest number, of whatever sign."""
        return max((abs(_number(row)) for row in self.rows.values()), default=0.0)

    @property
    def error(self) -> str:
        """The half-width of each cell."""
        return half_width(self.margin.half_width_95, "rows")

    @property
    def fits(self) -> bool:
        """Whether a page has room for it, with the shorter column across."""
        sizes = sorted((len(self.keys(0)), len(self.keys(1))))
        return sizes[0] < MOST_COLUMNS and sizes[1] < MOST_LINES


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
        "publish/page/crosstab.html",
        blocks=blocks,
        left=len(margins) - 1 - len(fitting) - len(covered) - len(alone[:MOST_TABLES]),
        is_whole=query.parameters.get("whole_numbers"),
    )


def main_table(
    identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow], most_lines: int
) -> Html | None:
    """The first table of two columns, or of one, that has no more lines than these."""
    margins = _by_columns(query, rows)
    for names, cells in margins.items():
        # The longer column stands down the page where both fit across.
        if len(names) == 2 and cells.fits and max(map(len, map(cells.keys, (0, 1)))) < most_lines:
            return _crossed(identifier, margins, names)
    for names, cells in margins.items():
        if len(names) == 1 and len(cells.rows) <= most_lines:
            return _single(identifier, cells)
    return None


def grid_table(identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html | None:
    """The numbers of a query by two columns, shaded, the longer column down the page.

    Nothing where they do not fit on a page. There are no totals: each number has noise of its own.
    """
    numbers = {tuple(row.groups.values()): row for row in rows}
    first, second = (list(dict.fromkeys(keys[place] for keys in numbers)) for place in (0, 1))
    titles = [group.column for group in query.group_by]
    turned = len(first) < len(second)
    down, across = (second, first) if turned else (first, second)
    if len(across) >= MOST_COLUMNS or len(down) > MOST_LINES:
        return None

    def cell(line: Any, column: Any) -> ResultRow:
        return numbers[(column, line) if turned else (line, column)]

    largest = max((abs(_number(row)) for row in rows), default=0.0)
    widths = {half_width(row.half_width_95, row.half_width_unit) for row in rows}
    return render(
        "publish/page/grid.html",
        identifier=identifier,
        query=query,
        down=titles[turned],
        across=titles[not turned],
        width=widths.pop() if len(widths) == 1 else "",
        head=[name(scalar(column)) for column in across],
        body=[[name(scalar(line)), *(_shaded(cell(line, each), largest) for each in across)]
              for line in down],
    )  # fmt: skip


def tree_section(identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html:
    """A tree as a table, and how it is read."""
    return render(
        "publish/page/tree.html",
        is_whole=query.parameters.get("whole_numbers"),
        listing=tree_table(identifier, query, rows, MOST_LINES),
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
        label = name(scalar(path[-1])) if path else "total"
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
        "publish/page/tree_table.html",
        identifier=identifier,
        query=query,
        levels=levels[:deepest],
        lines=lines[:most_lines],
        number=len(rows),
    )


def _by_columns(query: CertifiedQuery, rows: Sequence[ResultRow]) -> dict[tuple[str, ...], _Cells]:
    """The margins by their columns."""
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
    turned = len(inner.keys(0)) < len(inner.keys(1)) or len(inner.keys(1)) >= MOST_COLUMNS
    turned = turned and len(inner.keys(0)) < MOST_COLUMNS
    down, across = (1, 0) if turned else (0, 1)
    by_line, by_column = margins[names[down],], margins[names[across],]
    columns, largest = inner.keys(across), inner.largest
    body = []
    for line in inner.keys(down):
        places = [(column, line) if turned else (line, column) for column in columns]
        shaded = (_shaded(inner.rows[place], largest) for place in places)
        body.append([name(scalar(line)), *shaded, _total(by_line.rows[line,])])
    return render(
        "publish/page/crossed.html",
        identifier=identifier,
        down=names[down],
        across=names[across],
        errors=[each.error for each in (inner, by_line, by_column, total)],
        has_total_error=total.margin.half_width_95,
        head=[name(scalar(column)) for column in columns],
        body=body,
        totals=[*(_total(by_column.rows[column,]) for column in columns), _total(total.rows[()])],
    )


def _single(identifier: str, cells: _Cells) -> Html:
    """A table of one column."""
    largest = cells.largest
    return render(
        "publish/page/single.html",
        identifier=identifier,
        column=cells.margin.columns[0],
        error=cells.error,
        number=len(cells.rows),
        rows=[
            [name(scalar(keys[0])), _shaded(row, largest)]
            for keys, row in itertools.islice(cells.rows.items(), MOST_LINES)
        ],
    )


def _number(row: ResultRow) -> float:
    return row.value or 0.0 if row.whole_number is None else float(row.whole_number)


def _plain(row: ResultRow) -> str:
    if row.whole_number is not None:
        return format_value(float(row.whole_number), 1.0, "rows")
    return format_value(row.value, row.half_width_95, "rows")


def _pale(row: ResultRow) -> str:
    """The class of a number that noise alone explains: it may be 0, or is printed as 0."""
    explained = row.whole_number == 0 or abs(row.value or 0.0) <= (row.half_width_95 or 0.0)
    return " faint" if explained else ""


def _total(row: ResultRow) -> Html:
    return Html(f'<span class="total{_pale(row)}">{text(_plain(row))}</span>')


def _shaded(row: ResultRow, largest: float) -> Html:
    level = round(_LEVELS * _number(row) / largest) if largest and _number(row) > 0 else 0
    return Html(f'<span class="heat heat-{level}{_pale(row)}">{text(_plain(row))}</span>')


def synthetic_section(query: CertifiedQuery, synthetic: SyntheticRows) -> Section:
    """How well the synthetic rows follow the published margins, and what they are not for."""
    fits = [each for each in synthetic.reproductions if len(each.margin) > 1]
    fits = fits or list(synthetic.reproductions)
    worst = sorted(fits, key=lambda each: (-each.total_variation, each.margin))[:MOST_FITS]
    columns = [group.column for group in query.group_by]
    return section(
        "shared",
        "publish/page/synthetic.html",
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
