"""A crosstab on the page: tables of two columns with their totals, and how rows to share fit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedMargin, CertifiedQuery
from deniable.report.html import Html, element, join, name, table, text
from deniable.report.sentences import format_value, half_width, rounded_up

if TYPE_CHECKING:
    from deniable.publish.margins import Reproduction, SyntheticRows

MOST_TABLES = 12
"""Tables of two columns that a page shows."""
MOST_COLUMNS = 14
"""Of a table, its total included: more do not fit a page that is printed."""
MOST_LINES = 200
"""Of a table."""
MOST_FITS = 30
"""Margins of which a page says how well synthetic rows follow them."""
_MOST_INDENTED = 4
"""Steps that lines of a tree are set in, so that deep ones fit a phone."""
_LEVELS = 5
"""Shades of cells, by how large they are beside the largest of their table."""

STYLE = """
.heat { display: inline-block; min-width: 3.2rem; margin: -.15rem 0; padding: .15rem .35rem; }
.heat-1 { background: color-mix(in srgb, var(--bar) 14%, transparent); }
.heat-2 { background: color-mix(in srgb, var(--bar) 28%, transparent); }
.heat-3 { background: color-mix(in srgb, var(--bar) 45%, transparent); }
.heat-4 { background: color-mix(in srgb, var(--bar) 65%, transparent); }
.level-1 { font-weight: bold; }
.level-2 { padding-left: 1rem; }
.level-3 { padding-left: 2rem; }
.level-4 { padding-left: 3rem; }
.heat-5 { background: color-mix(in srgb, var(--bar) 90%, transparent); }
"""
"""How tables of a crosstab look, beside what every page has."""

ShowValue: TypeAlias = Callable[[object], str]


@attrs.frozen
class _Cells:
    """The published cells of a margin, each by the keys of its columns."""

    margin: CertifiedMargin
    rows: Mapping[tuple[object, ...], ResultRow]

    def keys(self, place: int) -> list[object]:
        """The keys of one of its columns, in order."""
        return list(dict.fromkeys(keys[place] for keys in self.rows))


def crosstab_tables(
    identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow], scalar: ShowValue
) -> Html:
    """Each margin of two columns as a table with totals, and columns that are in none as lists.

    Parameters
    ----------
    identifier : str
        Unique on the page.
    query : CertifiedQuery
        A crosstab.
    rows : sequence of ResultRow
        Its results.
    scalar : callable
        How a key is written.
    """
    margins = _by_columns(query, rows)
    crossed = [names for names in margins if len(names) == 2]
    fitting = [names for names in crossed if _fits(margins[names])][:MOST_TABLES]
    covered = {name for names in fitting for name in names}
    alone = [names for names in margins if len(names) == 1 and not covered & {*names}]
    blocks = [
        _crossed(f"{identifier}-{number}", margins, names, scalar)
        for number, names in enumerate(fitting, start=1)
    ]
    blocks += [
        _single(f"{identifier}-by-{number}", margins[names], scalar)
        for number, names in enumerate(alone[:MOST_TABLES], start=1)
    ]
    left = len(margins) - 1 - len(fitting) - len({*covered}) - len(alone[:MOST_TABLES])
    if left > 0:
        pointer = f"{left:,} further margins are in results.csv and results.parquet."
        blocks.append(element("p", text(pointer), class_="quiet"))
    return join([element("p", text(_reading(query))), *blocks])


def main_table(
    identifier: str,
    query: CertifiedQuery,
    rows: Sequence[ResultRow],
    scalar: ShowValue,
    most_lines: int,
) -> Html | None:
    """The first table of two columns, or of one, that has no more lines than these."""
    margins = _by_columns(query, rows)
    for names, cells in margins.items():
        if len(names) == 2 and _fits(cells) and _lines(cells) < most_lines:
            return _crossed(identifier, margins, names, scalar)
    for names, cells in margins.items():
        if len(names) == 1 and len(cells.rows) <= most_lines:
            return _single(identifier, cells, scalar)
    return None


def grid_table(
    identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow], scalar: ShowValue
) -> Html | None:
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
    largest = max((abs(_number(row)) for row in rows), default=0.0)
    body = [
        [
            name(scalar(line)),
            *(
                _shaded(numbers[(column, line) if turned else (line, column)], largest)
                for column in across
            ),
        ]
        for line in down
    ]
    widths = {half_width(row.half_width_95, row.half_width_unit) for row in rows}
    error = f". 95 %: {widths.pop()}" if len(widths) == 1 else ""
    caption = join(
        [
            name(query.name),
            text(" by "),
            name(titles[turned]),
            text(" and "),
            name(titles[not turned]),
            text(error),
        ]
    )
    head = [name(titles[turned]), *(name(scalar(column)) for column in across)]
    return table(identifier, caption, head, body, [False, *[True] * len(across)])


# --- A tree: each node above those that it is the sum of.


def tree_section(
    identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow], scalar: ShowValue
) -> Html:
    """A tree as a table, and how it is read."""
    numbers = (
        "They are whole and not below 0, near the unbiased ones in the results, to which the error "
        "belongs: no interval is centred on them."
        if query.parameters.get("whole_numbers")
        else "In results.csv they add up to the last digit; here each is rounded by itself."
    )
    reading = (
        "All numbers are of one measurement and agree: each is the sum of those one step below it. "
        f"{numbers} “other” counts rows with any other value, and with none."
    )
    listing = tree_table(identifier, query, rows, scalar, MOST_LINES)
    return join([element("p", text(reading)), listing])


def tree_table(
    identifier: str,
    query: CertifiedQuery,
    rows: Sequence[ResultRow],
    scalar: ShowValue,
    most_lines: int,
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
    lines: list[list[Html]] = []

    def add(row: ResultRow) -> None:
        path = tuple(row.groups.values())
        label = name(scalar(path[-1])) if path else text("total")
        width = half_width(row.half_width_95, "rows") if row.half_width_95 else "exact"
        lines.append(
            [
                element("div", label, class_=f"level-{min(len(path), _MOST_INDENTED)}"),
                text(_written(row)),
                text(width),
            ]
        )
        if len(path) < deepest:
            for child in below.get(path, ()):
                add(child)

    add(rows[0])
    cut = len(lines) < len(rows) or len(lines) > most_lines
    which = f", {min(len(lines), most_lines):,} of {len(rows):,} numbers" if cut else ""
    title = join((name(level) for level in levels[:deepest]), " › ")
    caption = join([name(query.name), text(which), text(": results.csv has all" if cut else "")])
    head = [title, text("Rows"), text("± 95 %")]
    return table(identifier, caption, head, lines[:most_lines], [False, True, True])


def _written(row: ResultRow) -> str:
    if row.whole_number is not None:
        return f"{row.whole_number:,}"
    return format_value(row.value, row.half_width_95, "rows")


def _lines(cells: _Cells) -> int:
    """Lines of a table of two columns, the longer one down the page where both fit across."""
    one, other = len(cells.keys(0)), len(cells.keys(1))
    return max(one, other)


def _reading(query: CertifiedQuery) -> str:
    numbers = (
        "They are whole and not below 0, near the unbiased ones in the results, to which the error "
        "belongs: no interval is centred on them."
        if query.parameters.get("whole_numbers")
        else "In results.csv they add up to the last digit; here each is rounded by itself."
    )
    return (
        "All tables are of one measurement and agree: inner cells sum to the totals beside them. "
        f"{numbers} “other” counts rows with any other value, and with none. Shades follow the "
        "size of a number; pale ones are within the error of 0."
    )


def _by_columns(query: CertifiedQuery, rows: Sequence[ResultRow]) -> dict[tuple[str, ...], _Cells]:
    """The margins by their columns."""
    remaining, result = iter(rows), {}
    for margin in query.margins or ():
        own = itertools.islice(remaining, margin.cells)
        result[margin.columns] = _Cells(margin, {tuple(row.groups.values()): row for row in own})
    return result


def _fits(cells: _Cells) -> bool:
    sizes = sorted((len(cells.keys(0)), len(cells.keys(1))))
    return sizes[0] < MOST_COLUMNS and sizes[1] < MOST_LINES


def _crossed(
    identifier: str,
    margins: Mapping[tuple[str, ...], _Cells],
    names: tuple[str, ...],
    scalar: ShowValue,
) -> Html:
    """A table of two columns, the longer one down the page."""
    inner = margins[names]
    turned = len(inner.keys(0)) < len(inner.keys(1)) or len(inner.keys(1)) >= MOST_COLUMNS
    turned = turned and len(inner.keys(0)) < MOST_COLUMNS
    down, across = (1, 0) if turned else (0, 1)
    by_line, by_column = margins[names[down],], margins[names[across],]
    lines, columns = inner.keys(down), inner.keys(across)
    largest = max((abs(_number(row)) for row in inner.rows.values()), default=0.0)

    def cell(line: object, column: object) -> Html:
        place = (column, line) if turned else (line, column)
        return _shaded(inner.rows[place], largest)

    body = [
        [
            name(scalar(line)),
            *(cell(line, column) for column in columns),
            _plain(by_line.rows[line,]),
        ]
        for line in lines
    ]
    sums = [_plain(by_column.rows[column,]) for column in columns]
    total = margins[()]
    body.append([text("total"), *sums, _plain(total.rows[()])])
    widths = (inner.margin, by_line.margin, by_column.margin, total.margin)
    errors = [half_width(each.half_width_95, "rows") for each in widths]
    caption = join(
        [
            text("Rows by "),
            name(names[down]),
            text(" and "),
            name(names[across]),
            text(
                f". 95 %: cells {errors[0]}, right column {errors[1]}, last line {errors[2]}, "
                f"total {errors[3] if total.margin.half_width_95 else 'exact, as it is public'}."
            ),
        ]
    )
    head = [name(names[down]), *(name(scalar(column)) for column in columns), text("total")]
    return table(identifier, caption, head, body, [False, *[True] * (len(columns) + 1)])


def _single(identifier: str, cells: _Cells, scalar: ShowValue) -> Html:
    """A table of one column."""
    largest = max((abs(_number(row)) for row in cells.rows.values()), default=0.0)
    lines = [
        [name(scalar(keys[0])), _shaded(row, largest)]
        for keys, row in itertools.islice(cells.rows.items(), MOST_LINES)
    ]
    error = half_width(cells.margin.half_width_95, "rows")
    column = cells.margin.columns[0]
    caption = join([text("Rows by "), name(column), text(f". 95 %: {error}.")])
    listing = table(identifier, caption, [name(column), text("Rows")], lines, [False, True])
    if len(cells.rows) <= MOST_LINES:
        return listing
    pointer = f"The first {MOST_LINES} of {len(cells.rows):,}; results.csv holds them all."
    return element("div", listing, element("p", text(pointer), class_="quiet"))


def _number(row: ResultRow) -> float:
    return row.value or 0.0 if row.whole_number is None else float(row.whole_number)


def _plain(row: ResultRow) -> Html:
    if row.whole_number is not None:
        return text(format_value(float(row.whole_number), 1.0, "rows"))
    return text(format_value(row.value, row.half_width_95, "rows"))


def _shaded(row: ResultRow, largest: float) -> Html:
    value = row.value or 0.0
    level = round(_LEVELS * _number(row) / largest) if largest and _number(row) > 0 else 0
    pale = " faint" if abs(value) <= (row.half_width_95 or 0.0) else ""
    return element("span", _plain(row), class_=f"heat heat-{level}{pale}")


# --- Rows to share: what they follow, and what they are not for.


def synthetic_section(query: CertifiedQuery, synthetic: SyntheticRows) -> Html:
    """How well the synthetic rows follow the published margins, and what they are not for."""
    rows = synthetic.columns.shape[1]
    warning = (
        f"rows.csv and rows.parquet hold {rows:,} made-up rows: row k is nobody. They are computed "
        "from the published numbers alone, so that they cost no privacy beyond them, and anybody "
        "can compute them again. Their tables follow the margins below. Patterns of more columns, "
        "statistical tests and standard errors computed on them are not to be trusted: results.csv "
        "has the numbers with their errors."
    )
    fits = [each for each in synthetic.reproductions if len(each.margin) > 1]
    fits = fits or list(synthetic.reproductions)
    worst = sorted(fits, key=lambda each: (-each.total_variation, each.margin))[:MOST_FITS]
    columns = [group.column for group in query.group_by]
    head = [text("Margin"), text("Rows in a wrong cell"), text("Largest difference of a cell")]
    some = f"The {len(worst)} worst of {len(fits):,} margins"
    which = "Margins" if len(worst) == len(fits) else some
    listing = table(
        "synthetic",
        text(f"{which}, rows to share beside the published tables without negative numbers"),
        head,
        [list(_fit(each, columns)) for each in worst],
        [False, True, True],
    )
    return join([element("p", text(warning)), listing])


def _fit(fit: Reproduction, columns: Sequence[str]) -> Iterator[Html]:
    yield join((name(columns[i]) for i in fit.margin), " × ")
    yield text(f"{rounded_up(100 * fit.total_variation, 2)} %")
    yield text(f"{fit.largest:,}")
