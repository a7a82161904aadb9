"""A [[query]] with statistic = "crosstab": its margins, and how noise is split over them."""

import itertools
import re
from collections.abc import Sequence

from deniable.certificate.results import written_length
from deniable.publish.margins import (
    MOST_TABLES,
    MOST_WORK,
    Margin,
    MarginSet,
    balance,
    check_range,
    close_downwards,
    count_design,
    residual_design,
    weigh,
)
from deniable.publish.plan.spelling import format_toml_value, quote_text, suggestion
from deniable.publish.plan.table import PlanTable
from deniable.publish.statistics import OTHER, TOTAL, Crosstab, Scalar

MOST_SHARED_ROWS = 2**20
"""Synthetic rows of one release: whoever checks it makes them again."""

MOST_SHARED_BYTES = 2**26
"""Of rows.csv: what a check reads of a file."""

LEAST_PRECISION, MOST_PRECISION = 2.0**-20, 2.0**40
"""Half-widths in rows that a plan may demand: beyond them scales leave the range of floats."""

_USUAL = 2
"""Columns of the largest margins where a plan does not say."""

_CROSSED = re.compile(" [x×] ")


def read_crosstab_columns(table: PlanTable) -> tuple[str, ...]:
    """What a crosstab counts by.

    Raises
    ------
    PlanError
        If there is no column, one stands twice, or it is called group_by.
    """
    if "group_by" in table:
        raise table.error("group_by", "columns", "group_by", "Name them in columns.")
    columns = table.texts("columns")
    if not columns:
        raise table.error("columns", "at least one column", "an empty list")
    repeated = [name for place, name in enumerate(columns) if name in columns[:place]]
    if repeated:
        twice = f"{format_toml_value(repeated[0])} twice"
        raise table.error("columns", "each column once", twice, "Remove one.")
    return columns


def check_shared_rows(tables: Sequence[PlanTable]) -> None:
    """Refuse several crosstabs with rows to share: a release has one rows.csv."""
    shared = [table for table in tables if "rows" in table]
    if len(shared) > 1:
        remedy = "Share rows of one crosstab with all columns, or make several releases."
        raise shared[1].error("rows", "rows in one query", "them in several", remedy)


def read_crosstab(
    table: PlanTable,
    columns: tuple[str, ...],
    keys: tuple[tuple[Scalar, ...], ...],
    *,
    gaussian: bool,
    public_total: bool,
) -> Crosstab:
    """What a crosstab publishes, with the split of its noise.

    Parameters
    ----------
    keys : tuple of tuples
        The public keys of each column.
    gaussian : bool
        Whether the plan admits Gaussian noise by a δ; else the noise is Laplace's.
    public_total : bool
        Whether the number of rows that are counted is public.

    Raises
    ------
    PlanError
        If margins, importance, whole or rows are wrong, or the numbers could leave 64 bits.
    """
    for column, known in zip(columns, keys, strict=True):
        if OTHER in known:
            remedy = "Remove it: rows with it count there, with all other values and with none."
            got = f"{quote_text(OTHER)} for {quote_text(column)}"
            raise table.error("keys", f"keys beside the cell {quote_text(OTHER)}", got, remedy)
    margins = _read_margins(table, columns, tuple(len(known) + 1 for known in keys))

    def called(margin: Margin) -> str:
        return quote_text(" x ".join(columns[i] for i in margin) or TOTAL)

    if "precision" in table:
        wanted = table.number("precision")
        if wanted > 0 and not LEAST_PRECISION <= wanted <= MOST_PRECISION:
            expected = f"a half-width from {LEAST_PRECISION:.3g} to {MOST_PRECISION:.3g} rows"
            raise table.error("precision", expected, str(wanted))
    places = [key for key in ("margins", "importance") if key in table]
    with table.locate_errors(*places, "columns"):
        if gaussian and "precision" in table:
            # The split at which the largest half-width is least, whatever it is.
            if "importance" in table:
                raise table.error("importance", "precision or importance", "both", "Remove one.")
            alike = dict.fromkeys(margins.margins, 1.0)
            best = balance(margins, alike, public_total=public_total)
            design = residual_design(margins, best.weights, public_total=public_total)
        else:
            weights = weigh(margins, _read_importance(table, columns, margins))
            split = residual_design if gaussian else count_design
            design = split(margins, weights, public_total=public_total)
        check_range(design, called=called)
    numbers = "whole" in table and table.truth("whole")
    return Crosstab(columns, design, numbers, _read_rows(table, columns, keys, margins))


def _read_margins(table: PlanTable, columns: tuple[str, ...], sizes: tuple[int, ...]) -> MarginSet:
    given = table.raw("margins") if "margins" in table else min(_USUAL, len(columns))
    if isinstance(given, int) and not isinstance(given, bool):
        if not 1 <= given <= len(columns):
            expected = f"a whole number from 1 to {len(columns)}, or a list of lists of columns"
            raise table.error("margins", expected, str(given))
        with table.locate_errors("margins", "columns"):
            return close_downwards(sizes, itertools.combinations(range(len(columns)), given))
    wanted = [_positions(table, each, columns) for each in table.items("margins")]
    if left := set(range(len(columns))) - {place for margin in wanted for place in margin}:
        name = quote_text(columns[min(left)])
        remedy = "Add a margin with it, or remove it from columns."
        raise table.error("margins", f"a margin with {name}", "none", remedy)
    with table.locate_errors("margins"):
        return close_downwards(sizes, wanted)


def _positions(table: PlanTable, item: object, columns: tuple[str, ...]) -> list[int]:
    if not isinstance(item, list) or not item:
        expected = f"a list of lists of columns, such as [{format_toml_value(list(columns[:2]))}]"
        raise table.value_error("margins", expected, item)
    for name in item:
        if not isinstance(name, str) or name not in columns:
            remedy = suggestion(name, columns) if isinstance(name, str) else ""
            raise table.value_error("margins", "names among columns", name, remedy)
    if len({*item}) < len(item):
        raise table.value_error("margins", "each column once in a margin", item)
    return [columns.index(name) for name in item]


def _read_importance(
    table: PlanTable, columns: tuple[str, ...], margins: MarginSet
) -> dict[Margin, float]:
    if "importance" not in table:
        return {}
    given = table.table("importance", 'Write it as { column = 4, "column x column" = 2 }.')
    importance: dict[Margin, float] = {}
    for key in given.entries:
        margin = _margin_of(key, columns)
        if margin is None or margin not in margins.margins:
            known = [" x ".join(columns[i] for i in each) or TOTAL for each in margins.margins]
            remedy = suggestion(key, known)
            raise given.error(key, "a published margin", quote_text(key), remedy)
        if margin in importance:
            remedy = "Remove one of its names."
            raise given.error(key, "each margin once", f"another name: {quote_text(key)}", remedy)
        importance[margin] = given.number(key)
        if importance[margin] <= 0 and margin in margins.maximal():
            remedy = "No other margin contains it: leave it out of margins instead."
            raise given.error(key, "a number above 0", str(importance[margin]), remedy)
    return importance


def _margin_of(key: str, columns: Sequence[str]) -> Margin | None:
    """The margin that a key names: a column, columns joined by " x ", or the total."""
    names = [key] if key in columns else _CROSSED.split(key)
    if names == [TOTAL] and TOTAL not in columns:
        return ()
    places = {columns.index(name) for name in names if name in columns}
    return tuple(sorted(places)) if len(places) == len(names) else None


def _read_rows(
    table: PlanTable,
    columns: tuple[str, ...],
    keys: tuple[tuple[Scalar, ...], ...],
    margins: MarginSet,
) -> int | None:
    if "rows" not in table:
        return None
    rows = table.integer("rows")
    longest = sum(
        max(written_length(each) for each in (column, OTHER, *known)) + 1
        for column, known in zip(columns, keys, strict=True)
    )
    most = min(
        MOST_SHARED_ROWS,
        MOST_SHARED_BYTES // (longest + 1) - 1,
        MOST_WORK // min(len(margins.maximal()), MOST_TABLES),
    )
    if not 1 <= rows <= most:
        raise table.error("rows", f"a whole number from 1 to {most}", str(rows))
    return rows
