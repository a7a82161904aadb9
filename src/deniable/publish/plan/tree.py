"""A [[query]] with statistic = "tree": its levels, which node is below which, and the split."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from deniable.publish.derived import PARTS, Bands, CalendarPart, DerivedColumn
from deniable.publish.margins import Basis, TreeShape, tree_design
from deniable.publish.plan.known_keys import BLANK
from deniable.publish.plan.spelling import format_toml_value, quote_text, suggestion
from deniable.publish.plan.table import PlanTable, holds_nul
from deniable.publish.plan.values import read_literals, refuse_repeats
from deniable.publish.statistics import OTHER, TOTAL, Grouping, Scalar, Tree

MOST_LEVELS = 16
"""Below the root: each level takes some of the budget, and a column of the results."""

_FINER = ("year", "quarter", "month")
"""Parts of the calendar of which each is within one of those before it."""


def read_tree(table: PlanTable, *, gaussian: bool, public_total: bool) -> tuple[Grouping, Tree]:
    """What a tree counts, and how noise is split over its families.

    Parameters
    ----------
    gaussian : bool
        Whether the plan admits Gaussian noise by a δ; else the noise is Laplace's.
    public_total : bool
        Whether the number of rows that are counted is public.

    Raises
    ------
    PlanError
        If levels, nodes, importance or whole are wrong.
    """
    if "group_by" in table:
        raise table.error("group_by", "levels", "group_by", "Name them in levels.")
    levels = read_levels(table)
    if "nested" in table and "keys" in table:
        raise table.error("keys", "nested or keys", "both", "Remove one.")
    if "nested" not in table:
        remedy = 'Write nested = { north = ["A", "B"], south = ["C"] }, a table for each level.'
        raise table.error(
            "nested", f"what is below what in {format_toml_value(levels)}", "none", remedy
        )
    parents, labels = _read_nested(table, levels)
    leaves = read_literals(table, "nested", labels[-1], BLANK)
    labels[-1] = list(leaves)
    # The last node of the first level: rows with no key, and with none of these.
    labels[0].append(OTHER)
    parents[0].append(0)
    shape = TreeShape(tuple(map(tuple, parents)))
    basis = Basis.RESIDUALS if gaussian else Basis.COUNTS
    importance = _read_importance(table, levels)
    with table.locate_errors("importance"):
        design = tree_design(shape, importance, basis, public_total=public_total)
    numbers = "whole" in table and table.truth("whole")
    tree = Tree(levels, tuple(map(tuple, labels)), design, numbers)
    return Grouping(levels[-1:], (leaves,), ((0,),)), tree


def read_levels(table: PlanTable) -> tuple[str, ...]:
    """The names of the levels, of which the last is a column.

    Raises
    ------
    PlanError
        If there are not two or more, or one stands twice or is called as the root.
    """
    levels = table.texts("levels")
    if not 2 <= len(levels) <= MOST_LEVELS or "" in levels:
        remedy = "Begin with the coarsest; the last one is a column. One alone is a crosstab."
        raise table.value_error("levels", f"two to {MOST_LEVELS} names", levels, remedy)
    refuse_repeats(table, "levels", levels)
    if TOTAL in levels:
        remedy = "It is the root's name. Call the level otherwise."
        raise table.error("levels", "names of levels", quote_text(TOTAL), remedy)
    return levels


def _read_nested(
    table: PlanTable, levels: Sequence[str]
) -> tuple[list[list[int]], list[list[Any]]]:
    """Parents and labels of each level below the root."""
    parents: list[list[int]] = [[] for _ in levels]
    labels: list[list[Any]] = [[] for _ in levels]

    def read(node: object, depth: int, parent: int) -> None:
        last = depth == len(levels) - 1
        expected = f"a {'list' if last else 'table'} of each {quote_text(levels[depth])}"
        if not isinstance(node, list if last else dict):
            raise table.value_error("nested", expected, node, _form(levels))
        if not node:
            raise table.error("nested", expected, "an empty one", "Remove it.")
        if depth == 0 and OTHER in node:
            remedy = "Remove it: rows with no key count there."
            raise table.error("nested", f"nodes beside {quote_text(OTHER)}", "it", remedy)
        for label in node:
            parents[depth].append(parent)
            labels[depth].append(label)
            if not last:
                read(node[label], depth + 1, len(labels[depth]) - 1)

    read(table.raw("nested"), 0, 0)
    return parents, labels


def _form(levels: Sequence[str]) -> str:
    form = '["…", "…"]'
    for level in reversed(levels[:-1]):
        form = f'{{ "a {level}" = {form} }}'
    return f"Write nested = {form}."


def _read_importance(table: PlanTable, levels: Sequence[str]) -> list[float]:
    names = (TOTAL, *levels)
    if "importance" not in table:
        return [1.0] * len(names)
    given = table.table("importance", f"Write it as {{ {levels[0]} = 4 }}.")
    for key in given.entries:
        if key not in names:
            raise given.error(key, "a level", quote_text(key), suggestion(key, names))
        if given.number(key) <= 0:
            raise given.error(key, "a number above 0", str(given.number(key)))
    return [given.number(name) if name in given else 1.0 for name in names]


# --- Nodes that need not be written: from a file, or by a rule that the plan has already.


def nested_from_rows(table: PlanTable, header: Sequence[str], rows: Any) -> dict[str, Any]:
    """The nested tables that a table of paths says, a line a leaf.

    Raises
    ------
    PlanError
        If a level is no column of it, or two, or a field is empty or holds U+0000.
    """
    levels = read_levels(table)
    if missing := [level for level in levels if level not in header]:
        remedy = f"Its first line names {format_toml_value(levels)}."
        raise table.error("nested.file", f"a column {quote_text(missing[0])}", "none", remedy)
    for level in levels:
        if list(header).count(level) > 1:
            got = f"{quote_text(level)} twice in its first line"
            raise table.error("nested.file", "each level in one column", got, "Remove one.")
    places = [list(header).index(level) for level in levels]
    result: dict[str, Any] = {}
    for line, row in rows:
        path = [row[place] if place < len(row) else "" for place in places]
        if "" in path:
            raise table.error("nested.file", "a value of each level", f"none in line {line}")
        if holds_nul(path):
            got = f"it in line {line}"
            raise table.error("nested.file", "labels without U+0000", got, "Remove it.")
        _add(result, path)
    return result


def nest_by_rule(table: PlanTable, derived: Mapping[str, DerivedColumn]) -> PlanTable:
    """The tree with its nodes, where they follow from its keys: calendars, and bands in bands.

    The coarser levels are derived from the same column as the finest, or from the finest, a day.
    """
    levels = table.entries.get("levels")
    if not isinstance(levels, list) or "nested" in table or "keys" not in table:
        return table
    levels = read_levels(table)
    table.table("keys").only(levels[-1:])
    keys = read_literals(table, "keys", table.table("keys").items(levels[-1]), BLANK)
    rules = [_rule(table, level, levels[-1], derived) for level in levels[:-1]]
    result: dict[str, Any] = {}
    for key in keys:
        path: list[Any] = []
        for level, rule in zip(levels, rules, strict=False):
            label = rule(key)
            if label is None:
                got = format_toml_value(key)
                raise table.error("keys", f"keys that are within one {quote_text(level)}", got)
            path.append(label)
        _add(result, [*path, key])
    entries = {name: value for name, value in table.entries.items() if name != "keys"}
    return attrs.evolve(table, entries={**entries, "nested": result})


def _add(tree: dict[str, Any], path: Sequence[Any]) -> None:
    *above, last, leaf = path
    for label in above:
        tree = tree.setdefault(label, {})
    tree.setdefault(last, []).append(leaf)


def _rule(
    table: PlanTable, level: str, finest: str, derived: Mapping[str, DerivedColumn]
) -> Callable[[Scalar], str | None]:
    """What gives the node of a coarser level that a key is within."""
    match derived.get(level), derived.get(finest):
        case CalendarPart() as coarse, CalendarPart() as fine if (
            coarse.column == fine.column
            and coarse.part in _FINER
            and fine.part in _FINER
            and _FINER.index(coarse.part) < _FINER.index(fine.part)
        ):
            part, of = coarse.part, fine.part
            return lambda key: _part_of(part, _first_day(of, key))
        case CalendarPart() as coarse, None if coarse.column == finest and coarse.part in _FINER:
            word = coarse.part
            return lambda key: _part_of(word, key if isinstance(key, datetime.date) else None)
        case Bands() as coarse, Bands() as fine if (
            coarse.column == fine.column
            and {*coarse.bounds} <= {*fine.bounds}
            and (coarse.bounds[0], coarse.bounds[-1]) == (fine.bounds[0], fine.bounds[-1])
        ):
            return lambda key: _band_of(coarse, fine, key)
    remedy = (
        "Write nested; or make it a derived column of the same one: a year, quarter or month, or "
        "bands whose bounds are among the finer ones, with the same ends."
    )
    raise table.error(
        "levels", f"what is below what, or a rule for {quote_text(level)}", "none", remedy
    )


def _first_day(part: str, key: Scalar) -> datetime.date | None:
    place = PARTS[part].place(key) if isinstance(key, str) else None
    if place is None:
        return None
    parts = {"year": 1, "quarter": 4, "month": 12}[part]
    return datetime.date(place // parts, place % parts * (12 // parts) + 1, 1)


def _part_of(part: str, day: datetime.date | None) -> str | None:
    if day is None:
        return None
    parts = {"year": 1, "quarter": 4, "month": 12}[part]
    return PARTS[part].text(day.year * parts + (day.month - 1) // (12 // parts))


def _band_of(coarse: Bands, fine: Bands, key: Scalar) -> str | None:
    if key not in fine.labels:
        return None
    low = fine.bounds[fine.labels.index(str(key))]
    inside = (place for place, bound in enumerate(coarse.bounds[1:]) if low < bound)
    return coarse.labels[next(inside)]
