"""Rows counted in every margin of several columns: tables that add up."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.files import METADATA, ROWS_CSV, ROWS_PARQUET
from deniable.certificate.results import as_text, csv_bytes, parquet_bytes, written_length
from deniable.certificate.tables import CertifiedMargin, CertifiedQuery
from deniable.crosstabs.margins import (
    MOST_TABLES,
    MOST_WORK,
    Design,
    Margin,
    MarginSensitivity,
    MarginSet,
    SyntheticRows,
    TreeDesign,
    balance,
    check_range,
    close_downwards,
    count_design,
    error_terms,
    half_widths,
    largest_scale,
    measure,
    rebuild_counts,
    reconstruct,
    residual_design,
    synthetic_rows,
    weigh,
    whole_tables,
)
from deniable.crosstabs.margins import sensitivity as move
from deniable.errors import InvalidArgument
from deniable.errors.late import late, pa
from deniable.errors.validate import in_full
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.noise import DiscreteGaussian, PublicPart, VectorPart
from deniable.publish import query
from deniable.publish.plan import PlanTable, format_toml_value, quote_text, suggestion
from deniable.publish.plan.known_keys import (
    KEYS_OF_A_COLUMN,
    REQUIRED,
    STRING,
    TRUTH,
    Key,
    Type,
    array,
    integer,
    table_of,
)

if TYPE_CHECKING:
    from deniable.crosstabs import page
    from deniable.publish.survey import Sampled
    from deniable.report.html import Html
    from deniable.report.rendering import Section
else:
    page = late("deniable.crosstabs.page")

TOTAL = "total"
"""What the margin without columns is called."""

_CROSS = " × "

SYNTHETIC = "Synthetic rows that follow noisy margins: row k is nobody"
"""What rows.parquet says of itself."""

MOST_SHARED_ROWS = 2**20
"""The seed of one release's synthetic rows: a checker makes them again."""

MOST_SHARED_BYTES = 2**26
"""The largest size of rows.csv: what a check reads of a file."""

LEAST_PRECISION, MOST_PRECISION = 2.0**-20, 2.0**40
"""Half-widths in rows that a plan may demand: beyond them scales leave the range of floats."""

_USUAL = 2  # columns of the largest margins where a plan does not say

WHOLE_NUMBERS = Key("whole", TRUTH, "`false`")  # fmt: skip
_KEYS = (
    Key("columns", array(STRING, "list of columns", minItems=1), REQUIRED),
    Key("keys", table_of(KEYS_OF_A_COLUMN, "table of column = list"),
        "required, here or in `[keys]`"),
    Key("margins", Type({"anyOf": [integer(minimum=1).schema,
        array(array(STRING, minItems=1).schema, minItems=1).schema]},
        "whole number, or list of lists of columns"), "`2`, at most the number of columns"),
    Key("importance", table_of({"type": "number", "minimum": 0}, "table of margin = number ≥ 0"),
        "`1` each"),
    WHOLE_NUMBERS,
    Key("rows", integer(minimum=1), "none"),
)  # fmt: skip

_half_widths = functools.lru_cache(maxsize=8)(half_widths)  # asked for at every step of a release


class AddingUp(query.Statistic):
    """Rows counted in tables that add up, from one vector of whole numbers."""

    __slots__ = ()

    GROUPED = False
    PRECISE = MEASURED = True
    DESCRIBED = "crosstabs/described.html"
    COUNTS_BY: ClassVar[str]
    """The key that names what rows are counted by."""
    MOVE: ClassVar[Callable[..., MarginSensitivity]]
    """How far an entity moves the vector."""

    design: Design | TreeDesign

    @classmethod
    def check_table(cls, request: Any) -> None:
        """Refuse another word for what it counts by."""
        if "group_by" in request.table:
            remedy = f"Name them in {cls.COUNTS_BY}."
            raise request.table.error("group_by", cls.COUNTS_BY, "group_by", remedy)

    def parts(self, protection: query.Protection, cells: int) -> query.Parts:
        """One vector of whole numbers; before it the number of rows, where that is public."""
        design, adjacency = self.design, protection.adjacency
        owned, is_public = query.sensitivity.rows(protection), design.has_public_total
        moves = self.MOVE(design, adjacency, rows=owned, has_fixed_rows=is_public)
        with directed() as r:
            l2 = upper(r.sqrt(r(moves.squared_l2)))
        size = design.coordinates
        vector = VectorPart(self.kind, 1.0, size, moves.l1, l2, moved=size)
        return (PublicPart(TOTAL), vector) if is_public else (vector,)

    def measured(self, rows: query.Results) -> list[NDArray[np.int64]]:
        """The whole numbers of the rows, that of the public total by itself."""
        numbers = np.array([row.measured for row in rows if row.measured is not None], np.int64)
        return [numbers[:1], numbers[1:]] if self.design.has_public_total else [numbers]

    def separate(self, noisy: query.Noisy) -> tuple[int | None, NDArray[np.int64]]:
        """The public number of rows, where there is one, and the noisy vector."""
        *public, vector = noisy
        return (int(public[0][0]) if public else None), vector


@attrs.frozen
class Crosstab(AddingUp):
    """Rows in each cell of each margin, after bounding and the filter; all margins add up.

    Parameters
    ----------
    columns : tuple of str
        What rows are counted by; each has a cell for other values and for none.
    design : Design
        Which margins are published, and how noise is split over them.
    whole_numbers : bool
        Publish non-negative whole numbers beside the unbiased ones.
    rows_to_share : int or None
        How many synthetic rows are published, that follow the margins.

    Examples
    --------
    >>> from deniable.notions import Adjacency
    >>> from deniable.crosstabs.margins.layout import close_downwards
    >>> table = Crosstab(("ward", "sex"), Design(close_downwards((4, 3), [(0, 1)]), (9, 5, 4, 2)))
    >>> part, = table.parts(query.Protection(Adjacency.ADD_REMOVE, rows=1), cells=20)
    >>> part.coordinates, part.label
    (20, 'crosstab')
    """

    kind = "crosstab"
    PUBLISHES = (
        "The number of rows in every margin of several columns: tables that add up. "
        "[Below](#crosstabs)."
    )
    KEYS = _KEYS
    SAMPLED = SERVED = True
    COUNTS_BY = "columns"
    MOVE = staticmethod(move)

    columns: tuple[str, ...]
    design: Design
    whole_numbers: bool = False
    rows_to_share: int | None = None

    @classmethod
    def read(cls, request: Any) -> tuple[query.Grouping, Crosstab]:
        """What it counts by and publishes, with the split of its noise."""
        table = request.table
        columns = table.texts("columns")
        if not columns:
            raise table.error("columns", "at least one column", "an empty list")
        for place, name in enumerate(columns):
            if name in columns[:place]:
                twice = f"{format_toml_value(name)} twice"
                raise table.error("columns", "each column once", twice, "Remove one.")
        statistic = _read_crosstab(request, columns, keys := request.keys(columns))
        return query.Grouping(columns, keys, statistic.design.margins.margins), statistic

    @classmethod
    def keyed_columns(cls, entries: Mapping[str, Any]) -> Any:
        """What it counts by."""
        return entries.get("columns")

    @classmethod
    def check_together(cls, tables: Sequence[PlanTable]) -> None:
        """Refuse several with rows to share: a release has one rows.csv."""
        shared = [table for table in tables if "rows" in table]
        if len(shared) > 1:
            remedy = "Share rows of one crosstab with all columns, or make several releases."
            raise shared[1].error("rows", "rows in one query", "them in several", remedy)

    def largest_scale(self, wanted: float, noise: type[Any]) -> float | None:
        """Return the largest scale of Gaussian noise, by the law of each margin's error."""
        if noise is not DiscreteGaussian:
            return None
        margins = [margin for margin, _ in self.design.measured()]
        return largest_scale(self.design, dict.fromkeys(margins, wanted))

    def exact(self, totals: NDArray[np.int64], protection: query.Protection) -> query.ExactParts:
        """The vector of the design, from the cells of the largest margins one after the other."""
        counts = rebuild_counts(self.design.margins, totals.reshape(-1))
        vector = measure(self.design, counts)
        return (counts[()].reshape(1), vector) if self.design.has_public_total else (vector,)

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """One row a cell, margin by margin, each with the noisy number that was measured for it."""
        total, vector = self.separate(noisy)
        tables = reconstruct(self.design, vector, public_total=total)
        widths = self.widths(mechanisms)
        margins, cells_of = self.design.margins.margins, self.design.margins.cells
        values = [value for margin in margins for value in tables[margin].values().reshape(-1)]
        errors = [widths[margin].value for margin in margins for _ in range(cells_of(margin))]
        integers: list[int | None] = [None] * len(values)
        if self.whole_numbers:
            agreeing = whole_tables(self.design, vector, public_total=total)
            integers = [each for one in margins for each in agreeing[one].reshape(-1).tolist()]
        measured = [*([] if total is None else [total]), *vector.tolist()]
        cells = zip(grouping.groups(), values, errors, measured, integers, strict=True)
        row_of = functools.partial(query.published.number_row, name, self.kind, None)
        return [
            row_of(keys, (float(value), width, "rows"), measured=number, whole_number=integer)
            for keys, value, width, number, integer in cells
        ]

    def published(self, cells: int, parts: query.Parts) -> int:
        """One row a cell."""
        return cells

    def half_widths(self, mechanisms: query.Mechanisms, cells: int) -> query.Widths:
        """Return the half-widths of every margin, in rows; all its cells have the same."""
        widths = self.widths(mechanisms)
        return {self.name_of(margin): width.value for margin, width in widths.items()}

    def sliders(self, parts: query.Parts) -> list[dict[str, Any]]:
        """None: noise enters a cell through all margins below it, of another kind without δ."""
        unit = "rows: see each margin in deniable plan"
        return [{"of": self.kind, "unit": unit, "unscaled": True}]

    def parameters(self) -> dict[str, Any]:
        """Return the parameters without the design, which follows from the plan."""
        return {name: value for name, value in super().parameters().items() if name != "design"}

    def margins(self, mechanisms: query.Mechanisms) -> tuple[CertifiedMargin, ...]:
        """Each with its multiplier, its half-width and the proof of that."""
        margins, widths = self.design.margins, self.widths(mechanisms)
        return tuple(
            CertifiedMargin(
                columns=tuple(self.columns[i] for i in margin),
                cells=margins.cells(margin),
                multiplier=multiplier,
                half_width_95=widths[margin].value,
                method=str(widths[margin].method),
            )
            for margin, multiplier in zip(margins.margins, self.design.multipliers, strict=True)
        )

    def tables_counted(self, grouping: query.Grouping) -> Mapping[tuple[str, ...], str]:
        """Its margins."""
        return {
            tuple(self.columns[i] for i in margin): self.name_of(margin)
            for margin in self.design.margins.margins
        }

    @classmethod
    def joined(
        cls, queries: Sequence[Any], tables: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any] | None:
        """One crosstab with every table that the queries count; None where their keys differ."""
        known: dict[str, tuple[query.Scalar, ...]] = {}
        written: dict[str, Any] = {}
        margins: list[list[str]] = []
        for one, table in zip(queries, tables, strict=True):
            columns = one.grouping.columns
            for column, keys in zip(columns, one.grouping.keys, strict=True):
                if known.setdefault(column, keys) != keys:
                    return None
            given = table.get("keys", {})
            written |= {column: given[column] for column in columns if column in given}
            margins += [[*each] for each in one.statistic.tables_counted(one.grouping) if each]
        needed = [
            each
            for place, each in enumerate(margins)
            if not any(
                {*each} < {*other} or ({*each} == {*other} and at < place)
                for at, other in enumerate(margins)
            )
        ]
        first = tables[0]
        result = {"name": first["name"], "statistic": cls.kind, "columns": list(known)}
        result |= {"keys": written} if written else {}
        result["margins"] = needed
        result |= {"whole": True} if any(table.get("whole") for table in tables) else {}
        shared = [table["rows"] for table in tables if "rows" in table]
        result |= {"rows": shared[0]} if shared else {}
        result |= {"where": first["where"]} if "where" in first else {}
        weight = sum(query.weight for query in queries)
        return result | ({"weight": weight} if weight != 1.0 else {})

    def sampled(self, sampled: Sampled, rows: query.Results) -> Iterable[Any]:
        """Yield intervals for each cell, with the law of its margin's error."""
        noise, result = sampled.noise(-1).noise, list[Any]()
        for margin in self.design.margins.margins:
            terms = tuple(
                query.ErrorTerm(size, number, noise)
                for size, number in sorted(error_terms(self.design, margin).items())
            )
            own = rows[len(result) : len(result) + self.design.margins.cells(margin)]
            if terms:
                result += map(sampled.number(terms), own)
            else:  # the public number of all rows: everybody is in it
                result += [(float(sampled.sample.population),) * 2] * len(own)
        return result

    def widths(self, mechanisms: query.Mechanisms) -> dict[Margin, query.HalfWidth]:
        """The half-width of each margin, and the proof that it covers."""
        return _half_widths(self.design, query.on_numbers(mechanisms[-1]))

    def name_of(self, margin: Margin) -> str:
        """What a margin is called: its columns; no two margins are called the same.

        A column whose own name could be read as another margin stands in quotation marks.

        >>> from deniable.crosstabs.margins.layout import close_downwards
        >>> table = Crosstab(("a", "b"), Design(close_downwards((2, 2), [(0, 1)]), (1, 1, 1, 1)))
        >>> [table.name_of(margin) for margin in table.design.margins.margins]
        ['total', 'a', 'b', 'a × b']
        """
        names = [self.columns[i] for i in margin]
        for place, name in enumerate(names):
            if name == TOTAL or name.startswith('"') or _CROSS.strip() in name:
                names[place] = json.dumps(name, ensure_ascii=False)
        return _CROSS.join(names) if margin else TOTAL

    def synthetic(self, rows: query.Results, mechanisms: query.Mechanisms) -> SyntheticRows:
        """Return as many synthetic rows as the plan wants, from the published numbers."""
        if self.rows_to_share is None:
            raise InvalidArgument("Expected a number of rows to share, got none.")
        numbers = tuple(tuple(each.tolist()) for each in self.measured(rows))
        return _synthesize(self, numbers, tuple(mechanisms))

    def shared_files(
        self, grouping: query.Grouping, synthetic: SyntheticRows
    ) -> Mapping[str, bytes]:
        """rows.csv and rows.parquet."""
        labels = (pa.array([*map(as_text, known), query.OTHER], pa.string())
                  for known in grouping.keys)  # fmt: skip
        codes = map(pa.array, synthetic.columns)
        columns = [known.take(each) for known, each in zip(labels, codes, strict=True)]
        table = pa.Table.from_arrays(columns, names=list(grouping.columns))
        title = json.dumps({"title": SYNTHETIC}).encode()
        return {ROWS_CSV: csv_bytes(table), ROWS_PARQUET: parquet_bytes(table, {METADATA: title})}

    @classmethod
    def shared_section(cls, query: CertifiedQuery, synthetic: SyntheticRows) -> Section:
        """How well the synthetic rows follow the published margins."""
        return page.synthetic_section(query, synthetic)

    @classmethod
    def section(cls, identifier: str, query: CertifiedQuery, rows: query.Results) -> Html:
        """Its margins of two columns, and those of one that are in none of these."""
        return page.crosstab_tables(identifier, query, rows)

    @classmethod
    def summary(cls, query: CertifiedQuery, rows: query.Results) -> Html | None:
        """Its first table that fits the first page."""
        return page.main_table(query, rows)


@functools.lru_cache(maxsize=2)  # the report and the files ask for the same
def _synthesize(
    statistic: Crosstab, numbers: tuple[tuple[int, ...], ...], mechanisms: Any
) -> SyntheticRows:
    total, vector = statistic.separate([np.array(each, np.int64) for each in numbers])
    return synthetic_rows(
        statistic.design,
        vector,
        statistic.rows_to_share or 0,
        public_total=total,
        widths=statistic.widths(mechanisms),
    )


def _read_crosstab(
    request: Any, columns: tuple[str, ...], keys: tuple[tuple[query.Scalar, ...], ...]
) -> Crosstab:
    table: PlanTable = request.table
    gaussian, public_total = request.gaussian, request.is_total_public
    for column, known in zip(columns, keys, strict=True):
        if query.OTHER in known:
            remedy = "Remove it: rows with it count there, with all other values and with none."
            other = quote_text(query.OTHER)
            got = f"{other} for {quote_text(column)}"
            raise table.error("keys", f"keys beside the cell {other}", got, remedy)
    margins = _read_margins(table, columns, tuple(len(known) + 1 for known in keys))

    if "precision" in table:
        wanted = table.number("precision")
        if wanted > 0 and not LEAST_PRECISION <= wanted <= MOST_PRECISION:
            least, most = in_full(LEAST_PRECISION), in_full(MOST_PRECISION)
            expected = f"a half-width from {least} to {most} rows"
            raise table.error("precision", expected, str(wanted))
    with table.locate_errors(
        next((key for key in ("importance", "margins") if key in table), "columns")
    ):
        if gaussian and "precision" in table:
            # The split at which the largest half-width is least, whatever it is.
            if "importance" in table:
                raise table.error("importance", "precision or importance", "both", "Remove one.")
            best = balance(margins, public_total=public_total)
            design = residual_design(margins, best, public_total=public_total)
        else:
            weights = weigh(margins, _read_importance(table, columns, margins))
            split = residual_design if gaussian else count_design
            design = split(margins, weights, public_total=public_total)
        check_range(design, called=lambda margin: quote_text(_written(columns, margin)))
    numbers = "whole" in table and table.truth("whole")
    return Crosstab(columns, design, numbers, _read_rows(table, columns, keys, margins))


def _read_margins(table: PlanTable, columns: tuple[str, ...], sizes: tuple[int, ...]) -> MarginSet:
    expected = f"a whole number from 1 to {len(columns)}, or a list of lists of columns"
    given = table.raw("margins") if "margins" in table else min(_USUAL, len(columns))
    if isinstance(given, int) and not isinstance(given, bool):
        if not 1 <= given <= len(columns):
            raise table.error("margins", expected, str(given))
        with table.locate_errors("margins" if "margins" in table else "columns"):
            return close_downwards(sizes, itertools.combinations(range(len(columns)), given))
    if not isinstance(given, list):
        raise table.value_error("margins", expected, given)
    wanted = [_positions(table, each, columns) for each in given]
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
            remedy = suggestion(key, [_written(columns, each) for each in margins.margins])
            raise given.error(key, "a published margin", quote_text(key), remedy)
        if margin in importance:
            remedy = "Remove one of its names."
            raise given.error(key, "each margin once", f"another name: {quote_text(key)}", remedy)
        importance[margin] = given.number(key)
        if importance[margin] <= 0 and margin in margins.maximal():
            remedy = "No other margin contains it: leave it out of margins instead."
            raise given.error(key, "a number above 0", str(importance[margin]), remedy)
    return importance


def _written(columns: Sequence[str], margin: Margin) -> str:
    return " x ".join(columns[i] for i in margin) or TOTAL


def _margin_of(key: str, columns: Sequence[str]) -> Margin | None:
    """The margin that a key names: a column, columns joined by " x ", or the total."""
    names = [key] if key in columns else re.split(" [x×] ", key)
    if names == [TOTAL] and TOTAL not in columns:
        return ()
    places = {columns.index(name) for name in names if name in columns}
    return tuple(sorted(places)) if len(places) == len(names) else None


def _read_rows(
    table: PlanTable,
    columns: tuple[str, ...],
    keys: tuple[tuple[query.Scalar, ...], ...],
    margins: MarginSet,
) -> int | None:
    if "rows" not in table:
        return None
    rows = table.integer("rows")
    longest = sum(
        max(written_length(each) for each in (column, query.OTHER, *known)) + 1
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
