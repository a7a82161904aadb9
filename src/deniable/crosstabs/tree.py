"""Rows counted in every node of a hierarchy: a region is the sum of its hospitals, exactly."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.crosstabs import margins
from deniable.crosstabs.crosstab import TOTAL, WHOLE_NUMBERS, AddingUp
from deniable.crosstabs.margins import TreeDesign, TreeShape, tree_design
from deniable.errors.late import late
from deniable.publish import query
from deniable.publish.derived import (
    PARTS,
    PER_YEAR,
    Bands,
    CalendarPart,
    DerivedColumn,
    first_day,
    place_of_day,
)
from deniable.publish.plan import (
    PlanTable,
    format_toml_value,
    holds_nul,
    known_keys,
    quote_text,
    read_literals,
    refuse_repeats,
    suggestion,
)
from deniable.publish.query import Protection

if TYPE_CHECKING:
    from deniable.certificate.tables import CertifiedQuery
    from deniable.crosstabs import page
    from deniable.report.html import Html
else:
    page = late("deniable.crosstabs.page")

MOST_LEVELS = 16
"""The most levels below the root: each takes some budget, and a column of the results."""

_KEYS = (
    known_keys.Key("levels", known_keys.array(
            known_keys.STRING, "list of two to 16 names", minItems=2, maxItems=MOST_LEVELS),
        known_keys.REQUIRED, others="hierarchy"),
    known_keys.Key("nested", known_keys.Type({"type": "object", "minProperties": 1},
        'tables in tables, with lists in the last one; or `{ file = "wards.csv" }`'),
        "required, unless `keys` of the last level say it", others="parents children tree"),
    known_keys.Key("keys",
        known_keys.table_of(known_keys.KEYS_OF_A_COLUMN, "table of the last level = list"),
        "in place of `nested`, or in `[keys]`"),
    known_keys.Key("importance", known_keys.table_of({"type": "number", "exclusiveMinimum": 0},
        "table of level = number > 0"), "`1` each"),
    WHOLE_NUMBERS,
)  # fmt: skip

_half_widths = functools.lru_cache(maxsize=8)(margins.tree_half_widths)  # asked for at every step


@attrs.frozen
class Tree(AddingUp):
    """Rows in each node of a tree, after bounding and the filter; each is its children's sum.

    A row is in the leaf whose key its column has, or in a leaf `other` below the root.

    Parameters
    ----------
    levels : tuple of str
        What the nodes of each level below the root are, such as region and ward. The last one is
        the column that is read.
    labels : tuple of tuples
        The label of each node, level by level; below the root first the keys, then `other`.
    design : TreeDesign
        Which nodes there are, and how noise is split over them.
    whole_numbers : bool
        Publish non-negative whole numbers beside the unbiased ones.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> from deniable.crosstabs.margins import TreeShape, tree_design
    >>> shape = TreeShape(((0, 0, 0), (0, 0, 1)))
    >>> labels = (("north", "south", "other"), ("a", "b", "c"))
    >>> tree = Tree(("region", "ward"), labels, tree_design(shape, (1, 1, 1)))
    >>> part, = tree.parts(Protection(Adjacency.ADD_REMOVE, rows=1), cells=4)
    >>> part.coordinates, [*tree.groups()][-1]
    (6, {'region': 'south', 'ward': 'c'})
    """

    kind = "tree"
    PUBLISHES = (
        "The number of rows in every node of a hierarchy: wards that add up to hospitals, and "
        "hospitals that add up to regions. [Below](#trees)."
    )
    KEYS = _KEYS
    COUNTS_BY = "levels"
    MOVE = staticmethod(margins.tree_sensitivity)

    levels: tuple[str, ...]
    labels: tuple[tuple[query.Scalar, ...], ...]
    design: TreeDesign
    whole_numbers: bool = False

    @classmethod
    def read(cls, request: Any) -> tuple[query.Grouping, Tree]:
        """What it counts, and how noise is split over its families."""
        table: PlanTable = request.table
        levels = _read_levels(table)
        if "nested" in table and "keys" in table:
            raise table.error("keys", "nested or keys", "both", "Remove one.")
        if "nested" not in table:
            expected = f"what is below what in {format_toml_value(levels)}"
            remedy = 'Write nested = { north = ["A", "B"], south = ["C"] }, a table for each level.'
            raise table.error("nested", expected, "none", remedy)
        parents: list[list[int]] = [[] for _ in levels]
        labels: list[list[Any]] = [[] for _ in levels]

        def read(node: object, depth: int, parent: int) -> None:
            last = depth == len(levels) - 1
            expected = f"a {'list' if last else 'table'} of each {quote_text(levels[depth])}"
            if not isinstance(node, list if last else dict):
                raise table.value_error("nested", expected, node, _form(levels))
            if not node:
                raise table.error("nested", expected, "an empty one", "Remove it.")
            if depth == 0 and query.OTHER in node:
                remedy = "Remove it: rows with no key count there."
                raise table.error("nested", f"nodes beside {quote_text(query.OTHER)}", "it", remedy)
            for label in node:
                parents[depth].append(parent)
                labels[depth].append(label)
                if not last:
                    read(node[label], depth + 1, len(labels[depth]) - 1)

        read(table.raw("nested"), 0, 0)
        leaves = read_literals(table, "nested", labels[-1], known_keys.BLANK)
        labels[-1] = list(leaves)
        # The last node of the first level: rows with no key, and with none of these.
        labels[0].append(query.OTHER)
        parents[0].append(0)
        shape = TreeShape(tuple(map(tuple, parents)))
        basis = margins.Basis.RESIDUALS if request.gaussian else margins.Basis.COUNTS
        importance = _read_importance(table, levels)
        with table.locate_errors("importance" if "importance" in table else "nested"):
            design = tree_design(shape, importance, basis, public_total=request.is_total_public)
        numbers = "whole" in table and table.truth("whole")
        tree = cls(levels, tuple(map(tuple, labels)), design, numbers)
        return query.Grouping(levels[-1:], (leaves,), ((0,),)), tree

    @classmethod
    def keyed_columns(cls, entries: Mapping[str, Any]) -> list[Any]:
        """The last level, where no nodes are written."""
        levels = entries.get("levels")
        return levels[-1:] if isinstance(levels, list) and "nested" not in entries else []

    @classmethod
    def complete(cls, table: PlanTable, derived: Mapping[str, DerivedColumn]) -> PlanTable:
        """The tree with its nodes, where they follow from its keys: calendars, and bands in bands.

        Coarser levels are derived from the same column as the finest, or from the finest, a day.
        """
        levels = table.entries.get("levels")
        if not isinstance(levels, list) or "nested" in table or "keys" not in table:
            return table
        levels = _read_levels(table)
        table.table("keys").only(levels[-1:])
        keys = read_literals(table, "keys", table.table("keys").items(levels[-1]), known_keys.BLANK)
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

    @classmethod
    def with_files(
        cls, table: PlanTable, read_lines: Callable[[PlanTable], tuple[list[str], Any]]
    ) -> PlanTable:
        """The nodes that a file says, a line a leaf."""
        nested = table.entries.get("nested")
        if not (isinstance(nested, dict) and isinstance(nested.get("file"), str)):
            return table
        given = table.table("nested")
        given.only(("file",))
        header, rows = read_lines(given)
        levels = _read_levels(table)
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
        return table.having("nested", result)

    def column_key(self, column: str) -> str:
        """Its levels."""
        return "levels"

    def largest_scale(self, wanted: float, noise: type[Any]) -> float:
        """Return the largest scale, by the law of each node's error."""
        levels = margins.tree_error_terms(self.design)
        laws = {tuple(sorted(terms.items())): terms for level in levels for terms in level}
        return margins.largest_scale_of([(wanted, terms) for terms in laws.values()], noise)

    def exact(self, totals: NDArray[np.int64], protection: Protection) -> query.ExactParts:
        """The vector of the design, from the leaves in the order of the keys, then `other`."""
        counts = totals.reshape(-1)
        vector = margins.measure_tree(self.design, counts)
        return (counts.sum().reshape(1), vector) if self.design.has_public_total else (vector,)

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """One row a node, level by level, each with the noisy number that was measured for it."""
        total, vector = self.separate(noisy)
        nodes = margins.rebuild_tree(self.design, vector, public_total=total)
        integers = margins.whole_tree(self.design.shape, nodes) if self.whole_numbers else None
        rows, groups = [], iter(self.groups())
        for level, widths in enumerate(self.widths(mechanisms)):
            for place, (node, width) in enumerate(zip(nodes[level], widths, strict=True)):
                number = (node.value, width.value, "rows")
                integer = integers and integers[level][place]
                more = {"measured": node.measured, "whole_number": integer}
                rows.append(
                    query.published.number_row(name, self.kind, None, next(groups), number, **more)
                )
        return rows

    def groups(self) -> list[Mapping[str, query.Scalar]]:
        """The labels from the root to each node, by level; the root has none."""
        above: list[Mapping[str, query.Scalar]] = [{}]
        result = list(above)
        for level, parents, labels in zip(
            self.levels, self.design.shape.parents, self.labels, strict=True
        ):
            pairs = zip(parents, labels, strict=True)
            above = [{**above[parent], level: label} for parent, label in pairs]
            result += above
        return result

    def parameters(self) -> dict[str, Any]:
        """Return the parameters without what follows from the plan."""
        kept = super().parameters()
        return {name: kept[name] for name in ("levels", "whole_numbers")}

    def published(self, cells: int, parts: query.Parts) -> int:
        """One row a node."""
        return self.design.shape.nodes

    def half_widths(self, mechanisms: query.Mechanisms, cells: int) -> query.Widths:
        """Return half-widths of each level, in rows: the largest of its nodes."""
        widest = [max(width.value for width in level) for level in self.widths(mechanisms)]
        return dict(zip((TOTAL, *self.levels), widest, strict=True))

    def widths(self, mechanisms: query.Mechanisms) -> list[list[query.HalfWidth]]:
        """The half-width of each node, level by level, and the proof that it covers."""
        return _half_widths(self.design, query.on_numbers(mechanisms[-1]))

    @classmethod
    def section(cls, identifier: str, query: CertifiedQuery, rows: query.Results) -> Html:
        """Its nodes in one table, and how they are read."""
        return page.tree_section(identifier, query, rows)

    @classmethod
    def summary(cls, query: CertifiedQuery, rows: query.Results) -> Html:
        """Its first levels."""
        return page.tree_table("first-table", query, rows, page.MOST_LINES)


def _read_levels(table: PlanTable) -> tuple[str, ...]:
    levels = table.texts("levels")
    if not 2 <= len(levels) <= MOST_LEVELS or "" in levels:
        remedy = "Begin with the coarsest; the last one is a column. One alone is a crosstab."
        raise table.value_error("levels", f"two to {MOST_LEVELS} names", levels, remedy)
    refuse_repeats(table, "levels", levels)
    if TOTAL in levels:
        remedy = "It is the root's name. Call the level otherwise."
        raise table.error("levels", "names of levels", quote_text(TOTAL), remedy)
    return levels


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


def _add(tree: dict[str, Any], path: Sequence[Any]) -> None:
    *above, last, leaf = path
    for label in above:
        tree = tree.setdefault(label, {})
    tree.setdefault(last, []).append(leaf)


def _rule(
    table: PlanTable, level: str, finest: str, derived: Mapping[str, DerivedColumn]
) -> Callable[[query.Scalar], str | None]:
    """What gives the node of a coarser level that a key is within."""
    match derived.get(level), derived.get(finest):
        case CalendarPart() as coarse, CalendarPart() as fine if (
            coarse.column == fine.column
            and coarse.part in PER_YEAR
            and fine.part in PER_YEAR
            and PER_YEAR[coarse.part] < PER_YEAR[fine.part]
        ):
            part, of = coarse.part, fine.part
            return lambda key: _part_of(part, _first_day(of, key))
        case CalendarPart() as coarse, None if coarse.column == finest and coarse.part in PER_YEAR:
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
    expected = f"what is below what, or a rule for {quote_text(level)}"
    raise table.error("levels", expected, "none", remedy)


def _first_day(part: str, key: query.Scalar) -> datetime.date | None:
    place = PARTS[part].place(key) if isinstance(key, str) else None
    return None if place is None else first_day(part, place)


def _part_of(part: str, day: datetime.date | None) -> str | None:
    return None if day is None else PARTS[part].text(place_of_day(part, day))


def _band_of(coarse: Bands, fine: Bands, key: query.Scalar) -> str | None:
    if key not in fine.labels:
        return None
    low = fine.bounds[fine.labels.index(str(key))]
    inside = (place for place, bound in enumerate(coarse.bounds[1:]) if low < bound)
    return coarse.labels[next(inside)]
