"""A statistic: one class that answers everything that plans, releases, checks and pages ask of it.

Rows become whole numbers, whole numbers parts that get noise, and noisy parts published rows. What
a statistic does not say otherwise is as `Statistic` has it, and nothing asks which one it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedMargin, CertifiedQuery
from deniable.errors import InvalidArgument
from deniable.errors.late_ibis import ir
from deniable.numerics.answer import fields_of
from deniable.pipeline.noise import Part, PublicPart, SelectionPart, VectorPart
from deniable.publish.query.published import build_rows, half_width
from deniable.publish.query.scope import Grouping, Protection, Scalar
from deniable.publish.query.units import int64_literal

if TYPE_CHECKING:
    from deniable.pipeline.noise import Mechanism
    from deniable.report.html import Html
    from deniable.report.rendering import Section
    from deniable.report.vega_lite import Chart

ExactParts: TypeAlias = tuple[NDArray[np.int64], ...]
"""An array a part: of shape (coordinates,), or scores of shape (cells, candidates)."""
Noisy: TypeAlias = Sequence[NDArray[np.int64]]
"""The same with noise; of a selection part indices of shape (cells, number)."""
Mechanisms: TypeAlias = "Sequence[Mechanism | None]"
"""The noise of each part; None beside what is public."""
Parts: TypeAlias = tuple[Part, ...]
Results: TypeAlias = Sequence[ResultRow]
Widths: TypeAlias = Mapping[str, float]
"""95 % half-widths by the label of a part."""
SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
"""Numbers of rows behind a mean or a quantile; how many there are is not public."""


@attrs.frozen
class RowValues:
    """What one row adds, as engine expressions on the prepared table.

    Of the whole numbers `values` none may be NULL where the row is `present`: its column is neither
    NULL nor NaN, it falls in a bin; None is for always. `bin` is its position in 0 .. `bins` - 1
    within the cell, None for a single one. With `distinct` entities are counted, and `values` is
    empty. `of_entity` makes what an entity adds, in the place of its rows' `values`, from the
    number of rows that it owns in the whole table: before truncation, filters and groups.
    """

    values: tuple[ir.IntegerValue, ...]
    present: ir.BooleanValue | None = None
    bin: ir.IntegerValue | None = None
    bins: int = 1
    distinct: bool = False
    of_entity: Callable[[ir.IntegerValue], tuple[ir.IntegerValue, ...]] | None = None


@attrs.frozen
class PublishedError:
    """The 95 % half-width of one published kind of number, in the column's unit, rows or entities.

    There is none where it depends on how many rows there are: then a mean has `among`, the
    half-width among so many rows, whatever their values, and a quantile `percentiles`, between
    which it lies, of so many rows.
    """

    of: str
    unit: str
    half_width_95: float | None
    among: tuple[tuple[int, float], ...] = ()
    percentiles: tuple[tuple[int, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The object under `published_errors`."""
        return fields_of(self, "of", "unit", "half_width_95") | {
            "among": [{"rows": rows, "half_width_95": width} for rows, width in self.among],
            "percentiles": [{"rows": rows, "told": text} for rows, text in self.percentiles],
        }


class Statistic:
    """One kind of published number; frozen, with the plan's public parameters as fields.

    What stands above is handed in: `table` is a `publish.plan.PlanTable`, `request` a
    `publish.plan.plan.QueryRequest`, `sampled` a `publish.survey.Sampled`.
    """

    __slots__ = ()
    __attrs_attrs__: ClassVar[Any]

    # What a plan writes.

    kind: ClassVar[str]
    """The word in the plan."""
    PUBLISHES: ClassVar[str] = ""
    """What is published, in Markdown, for the reference."""
    OTHERS: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Words of others for it, in lower case with hyphens, and what else a plan then needs."""
    REFUSED: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Keys of other programs for what it does not do, each with the remedy."""
    KEYS: ClassVar[tuple[Any, ...]] = ()
    """The `publish.plan.Key`s of its own; those that are called as a field are read into it."""
    GROUPED: ClassVar[bool] = True
    """Whether a query may have `group_by`, and queries of disjoint rows may be merged into one."""
    NUMERIC: ClassVar[bool] = False
    """Whether the column must be numeric."""
    TRUTH_VALUES: ClassVar[bool] = False
    """Whether truth values then serve as 0 and 1."""
    SCALABLE: ClassVar[bool] = False
    """Whether an entity's contribution can be scaled to `max_contribution`."""
    PRECISE: ClassVar[bool] = False
    """Whether half-widths are known before the data is touched, in the published unit."""
    CONTINUES: ClassVar[bool] = False
    """Whether a later release can go on with it."""
    OF_MEMBERS: ClassVar[bool] = False
    """Whether there is a joint analysis of it for a list of members."""
    WITHOUT_DELTA: ClassVar[bool] = False
    """Whether it may have less noise without a δ: a plan with one says so."""
    SAMPLED: ClassVar[bool] = False
    """Whether it says something of the population that the table was drawn from."""
    SERVED: ClassVar[bool] = False
    """Whether a service answers it: it stands alone, and its keys and bounds are public."""

    # What its part of a report says and draws.

    DESCRIBED: ClassVar[str] = "publish/statistics/described.html"
    """The template that says what it computes, and what to know of it."""
    CORRECTED: ClassVar[str] = ""
    """Its name in the plural, where whole numbers of at least 0 are always published."""
    BESIDE: ClassVar[str] = "Rows"
    """The title of the numbers of rows beside its own numbers."""
    POINTS: ClassVar[bool] = False
    """Whether 0 is a value like any other; its error then follows from several noisy numbers."""
    RANKED: ClassVar[bool] = False
    """Whether its error is one of rank, in rows, and not of its value."""
    DRAWN_WITHIN: ClassVar[tuple[float, float] | None] = (-math.inf, math.inf)
    """The range of the exact number, whatever the noise; None for the bounds of the values."""

    # What it is.

    MEASURED: ClassVar[bool] = False
    """Whether all published numbers follow from noisy whole numbers in the rows beside them."""
    NOISY_WIDTHS: ClassVar[bool] = False
    """Whether half-widths depend on what the noise gave; values are then no whole steps."""
    UNIT: ClassVar[str] = "rows"
    """The word of what is published, where that is not the column's."""
    ENTITIES: ClassVar[bool] = False
    """Whether entities are counted, and not rows."""
    EVERYBODY: ClassVar[bool] = False
    """Whether rows that take no part count as well: in one cell before all others."""
    WHOLE_TABLE: ClassVar[bool] = False
    """Whether it is of the table before truncation, in one cell."""
    FIGURE: ClassVar[str | None] = None
    """What a preview compares before and after bounding: "sum", "mean" or "count"."""
    LEFT_OUT: ClassVar[str | None] = None
    """What a preview calls rows with a value that take no part: "keys" or "outside"."""

    VALUES: ClassVar[int] = 1
    """Whole numbers that a row adds to its bin."""

    @property
    def column(self) -> str | None:
        """The column that it reads."""
        return None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """What the column's values are clipped to."""
        return None

    @property
    def nulls(self) -> float | None:
        """What a missing value counts as; None where such rows take no part."""
        return None

    @property
    def step(self) -> float:
        """What one whole number stands for, in the published unit."""
        return 1.0

    @property
    def categories(self) -> tuple[Scalar, ...]:
        """Public values of the column that it chooses from."""
        return ()

    @property
    def edges(self) -> tuple[float, ...]:
        """Ends of the bins."""
        return ()

    @property
    def bins(self) -> int:
        """Bins of a cell."""
        return 1

    @property
    def rows_to_share(self) -> int | None:
        """How many synthetic rows are published that follow from it; None for none."""
        return None

    @property
    def needs_sample(self) -> bool:
        """Whether it is published beside intervals for a population only."""
        return False

    @property
    def columns_read(self) -> Mapping[str, str]:
        """The columns whose values it reads, each with the key that names it."""
        return {} if self.column is None else {self.column: "column"}

    @property
    def tested(self) -> Mapping[str, Scalar]:
        """The columns that it compares with a public value, each with that value."""
        return {}

    @property
    def bounded(self) -> Mapping[str, tuple[float, float]]:
        """The columns whose values are clipped, with their bounds."""
        return {} if self.column is None or self.bounds is None else {self.column: self.bounds}

    # From a plan's table.

    @classmethod
    def check_table(cls, request: Any) -> None:
        """Refuse what the query's table may not say, before anything of it is read."""
        if not cls.GROUPED and "group_by" in request.table:
            expected = f"no group_by for {cls.kind}"
            raise request.table.error("group_by", expected, "one", "Use one query a group.")

    @classmethod
    def read(cls, request: Any) -> tuple[Grouping, Statistic]:
        """What the query groups by, and the statistic, as its keys say them."""
        grouping = request.grouping()
        return grouping, request.build(cls, grouping)

    @classmethod
    def from_plan(cls, request: Any, grouping: Grouping) -> Mapping[str, Any]:
        """Fields that no key of the query says, but the plan as a whole."""
        return {}

    @classmethod
    def keyed_columns(cls, entries: Mapping[str, Any]) -> Any:
        """The columns, as they are written, whose keys may stand in [keys]."""
        return entries.get("group_by")

    @classmethod
    def complete(cls, table: Any, derived: Mapping[str, Any]) -> Any:
        """The table with what follows from it and from derived columns."""
        return table

    @classmethod
    def with_files(cls, table: Any, read_lines: Callable[[Any], tuple[list[str], Any]]) -> Any:
        """The table with what files say in their place, but for keys."""
        return table

    @classmethod
    def check_together(cls, tables: Sequence[Any]) -> None:
        """Refuse what several queries of it, in one plan, may not say."""

    def check_protection(self, table: Any, protection: Protection) -> None:
        """Refuse how much an entity may own, where that makes no sense."""

    def column_key(self, column: str) -> str | None:
        """The key of the plan that says the keys of a group column; None for `keys`."""
        return None

    def largest_scale(self, wanted: float, noise: type[Any]) -> float | None:
        """The largest scale that keeps a half-width; None where it has to be searched."""
        return None

    def continued(self, table: Any, before: int) -> Statistic:
        """The same, of which so many periods were published before."""
        raise AssertionError(f"{self.kind} does not go on")

    # From rows to published rows.

    def row_values(self, table: ir.Table) -> RowValues:
        """What a row of the prepared table adds: 1, if it does not say otherwise."""
        return RowValues((int64_literal(1),))

    def parts(self, protection: Protection, cells: int) -> Parts:
        """What gets noise, with its sensitivity.

        The query's share is split evenly over what is not public.
        """
        raise NotImplementedError

    def exact(self, totals: NDArray[np.int64], protection: Protection) -> ExactParts:
        """One array a part from the engine's totals of shape (cells, bins, values)."""
        return (totals.reshape(-1),)

    def rows(self, name: str, grouping: Grouping, noisy: Noisy, mechanisms: Mechanisms) -> Results:
        """Published rows with half-widths, from noisy whole numbers and public numbers only.

        One row a cell, if it does not say otherwise.
        """
        width, values = self.half_widths(mechanisms, grouping.cells)[self.kind], noisy[0]
        return build_rows(
            self.kind, self.column, self.UNIT, name, grouping, values * self.step, width
        )

    def half_widths(self, mechanisms: Mechanisms, cells: int) -> Widths:
        """95 % half-widths that are known before the data is touched, by part label."""
        return {self.kind: half_width(mechanisms[-1], self.step)}

    def bounds_of(self, row: ResultRow) -> tuple[float, float] | None:
        """The bounds that one of its published numbers is subject to."""
        return None if row.statistic == "count" else self.bounds

    # What is known before: errors, certificate, advice.

    def errors(self, mechanisms: Mechanisms, cells: int) -> tuple[PublishedError, ...]:
        """The error of every kind of number that it publishes."""
        units = {"sum": self.column or "rows", "entities": "entities"}
        widths = self.half_widths(mechanisms, cells)
        return tuple(
            PublishedError(label, units.get(label, "rows"), width)
            for label, width in widths.items()
        )

    def sliders(self, parts: Parts) -> list[dict[str, Any]]:
        """The same for the explorer's page: which part's noise it has, in which step and unit."""
        if self.MEASURED:
            unit = "depends on several sums: see deniable plan"
            return [{"of": self.kind, "unit": unit, "unscaled": True}]
        (part,) = parts
        if isinstance(part, PublicPart):
            return []
        unit = {"sum": self.column or "rows", "entities": "entities"}.get(part.label, "rows")
        return [{"of": part.label, "part": 0, "step": part.step, "unit": unit}]

    def parameters(self) -> dict[str, Any]:
        """Its fields as a certificate holds them."""
        return {
            field.name: getattr(self, field.name)
            for field in attrs.fields(type(self))
            if field.init and field.name != "column"
        }

    def margins(self, mechanisms: Mechanisms) -> tuple[CertifiedMargin, ...] | None:
        """What a certificate says of margins; None where there are none."""
        return None

    def error_among(self, mechanisms: Mechanisms, rows: int) -> float | None:
        """The largest 95 % error among so many rows; None where it is the same for all."""
        return None

    @property
    def most_added(self) -> float:
        """Return by how much one row can move what is published."""
        return 1.0

    def tables_counted(self, grouping: Grouping) -> Mapping[tuple[str, ...], str] | None:
        """The tables of rows that it counts: their columns, and the label of each half-width.

        None where it counts no rows.
        """
        return None

    @classmethod
    def joined(
        cls, queries: Sequence[Any], tables: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any] | None:
        """One query of it, as a plan writes it, for all tables that queries of rows count.

        None where there is none.
        """
        return None

    def in_bins(self, column: str, edges: Sequence[float]) -> dict[str, Any] | None:
        """How a plan writes the same by bins of a column; None where it takes another column."""
        return None

    def advise(self, name: str, mechanisms: Mechanisms) -> Iterable[str]:
        """What to know of a query of it before anything is spent, a text each."""
        return ()

    @classmethod
    def section(cls, identifier: str, query: CertifiedQuery, rows: Results) -> Html | None:
        """Its part of a report; None for a table and a chart of the rows as of any other."""
        return None

    @classmethod
    def summary(cls, query: CertifiedQuery, rows: Results) -> Html | None:
        """Its table on a report's first page; None for one of its values."""
        return None

    @classmethod
    def chart(cls, rows: Results) -> Chart | None:
        """Return its picture for a notebook; None where only its report has one."""
        return None

    # The way back from published rows, which a check takes.

    def published(self, cells: int, parts: Parts) -> int:
        """How many rows it publishes."""
        return sum(
            part.coordinates
            if isinstance(part, VectorPart)
            else part.cells * part.number
            if isinstance(part, SelectionPart)
            else 0
            for part in parts
        )

    def placeholders(self, cells: int, parts: Parts) -> list[NDArray[np.int64]]:
        """What `rows` takes, with numbers that a release would never notice: 0, the first ones."""
        return [
            np.tile(np.arange(part.number, dtype=np.int64), (part.cells, 1))
            if isinstance(part, SelectionPart)
            else np.zeros(part.coordinates if isinstance(part, VectorPart) else cells, np.int64)
            for part in parts
        ]

    def refill(self, row: ResultRow, published: Mapping[str, Any], parts: Parts) -> ResultRow:
        """A row with what noise alone decides, from what was published."""
        if not self.MEASURED:
            # Between 64 bits of steps, of which the most may be infinite; the last one at or below.
            steps = [part.step for part in parts if isinstance(part, VectorPart)]
            most, step = max(steps) * 2.0**63, steps[-1]  # a count beside a mean is the last part
            value = number_between(published.get("value"), -most, most)
            return attrs.evolve(row, value=math.floor(value / step) * step)
        if row.measured is None:
            return row
        number = published.get("measured")
        least = 0 if self.is_public_number(row, parts) else -(2**63)
        if type(number) is not int or not least <= number < 2**63:
            raise InvalidArgument(
                f"Expected a whole number of at most 64 bits in every row of {row.query!r} that "
                "has one, got something else."
            )
        return attrs.evolve(row, measured=number)

    def is_public_number(self, row: ResultRow, parts: Parts) -> bool:
        """Whether a row's number was measured without noise, and so is not below 0."""
        return not row.groups and isinstance(parts[0], PublicPart)

    def check_rows(self, name: str, rows: Results, parts: Parts) -> None:
        """Refuse rows of a query that each by itself can be published, and not together."""

    def measured(self, rows: Results) -> list[NDArray[np.int64]] | None:
        """What `rows` took, from published rows; None where no row follows from others."""
        return None

    # Further files, a sample's population, a list of members, an audit.

    def synthetic(self, rows: Results, mechanisms: Mechanisms) -> Any:
        """Synthetic rows that follow from the published ones."""
        raise AssertionError(f"{self.kind} shares no rows")

    def shared_files(self, grouping: Grouping, synthetic: Any) -> Mapping[str, bytes]:
        """The files of synthetic rows."""
        return {}

    @classmethod
    def shared_section(cls, query: CertifiedQuery, synthetic: Any) -> Section:
        """The section of a report about synthetic rows."""
        raise AssertionError(f"{cls.kind} shares no rows")

    def sampled(self, sampled: Any, rows: Results) -> Iterable[Any]:
        """The population's interval for each row; None where there is none."""
        return [None for _ in rows]

    def scores(self, totals: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
        """Return a selection's sums by candidate, and whether their sizes decide and not they.

        Totals are of shape (cells, bins, 1), scores of shape (cells, candidates).
        """
        return totals[:, :, 0], False

    def corners(self) -> list[dict[str, Any]] | None:
        """Rows at which what a row adds is largest; None where one column after the other will do.

        Only the columns that it reads are in them.
        """
        return None

    def recover(
        self, values: NDArray[np.float64], exact: Noisy, cells: int
    ) -> list[NDArray[np.float64]] | None:
        """What the noise gave, from published values; NaN where clipping took it away.

        Values are of shape (runs, rows). None where they are numbers of steps.
        """
        return None


def number_between(value: Any, low: float, high: float) -> float:
    """A published number."""
    if not isinstance(value, float) or not low <= value <= high:
        raise InvalidArgument(f"Expected a published value from {low} to {high}, got {value!r}.")
    return value
