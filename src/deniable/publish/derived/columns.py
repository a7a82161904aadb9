"""Columns derived from one row: calendar parts, days, bands, arithmetic and conditions.

Each is total: what cannot be computed is no value, and never an error, which would tell that
somebody's record has such a cell. Each is the same on every engine, to the last bit, and a function
of the row's own values: neighbouring tables stay neighbouring once it stands beside them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import attrs

from deniable.errors.late_ibis import ibis, ir
from deniable.publish.derived.calendar import PARTS, part_of, whole_days
from deniable.publish.query import Condition, Scalar, choose, float64_literal, holds, int64_literal
from deniable.publish.sources import Derived, Kind
from deniable.publish.sources.protocol import function

_LARGEST = math.ldexp(1 - 2.0**-53, 1024)  # the largest finite float64
_MOST, _LEAST = 2**63 - 1, -(2**63)  # the range of 64-bit integers


class DerivedColumn(Derived):
    """A column of [columns], as a plan reads it."""

    @property
    def keys(self) -> tuple[Scalar, ...]:
        """Every value that it may have, where the plan alone says them all and they are few."""
        return ()

    def can_be(self, value: Scalar) -> bool:
        """Whether a row can have this value, as far as the plan alone says it."""
        return value in self.keys if self.keys else True


@attrs.frozen
class CalendarPart(DerivedColumn):
    """A part of a day or of a moment in UTC, as a text; none outside of the years 1 to 9999."""

    name: str
    column: str
    part: str

    @property
    def inputs(self) -> tuple[str, ...]:
        """The column of days or moments."""
        return (self.column,)

    @property
    def keys(self) -> tuple[Scalar, ...]:
        """All weekdays, all hours; of other parts none."""
        return PARTS[self.part].all

    def can_be(self, value: Scalar) -> bool:
        """Whether there is such a part."""
        return isinstance(value, str) and PARTS[self.part].place(value) is not None

    def kind(self, _: Mapping[str, Kind]) -> Kind:
        """Text."""
        return Kind.TEXT

    def value(self, table: ir.Table) -> ir.Value:
        """The part of each row."""
        return part_of(table[self.column], self.part)


@attrs.frozen
class Days(DerivedColumn):
    """Complete days from the first column to the second, as a whole number."""

    name: str
    first: str
    second: str

    @property
    def inputs(self) -> tuple[str, ...]:
        """Both columns."""
        return (self.first, self.second)

    def kind(self, _: Mapping[str, Kind]) -> Kind:
        """Whole numbers."""
        return Kind.INTEGER

    def value(self, table: ir.Table) -> ir.Value:
        """The days of each row."""
        return whole_days(table[self.first], table[self.second])


@attrs.frozen
class Bands(DerivedColumn):
    """The label of the band that a number is in; each holds its lower bound, the last one both.

    The bounds are finite and increasing, one more than there are labels, none of which is there
    twice.
    """

    name: str
    column: str
    bounds: tuple[float, ...]
    labels: tuple[str, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The column of numbers."""
        return (self.column,)

    @property
    def keys(self) -> tuple[Scalar, ...]:
        """The labels."""
        return self.labels

    def kind(self, _: Mapping[str, Kind]) -> Kind:
        """Text."""
        return Kind.TEXT

    def value(self, table: ir.Table) -> ir.Value:
        """The label of each row."""
        number = table[self.column]
        if number.type().is_floating():
            *starts, last = map(float64_literal, self.bounds)
            within = (number >= starts[0]) & (number <= last)
            labels = [ibis.literal(label, "string") for label in self.labels]
            return _if(within, choose(number, starts, labels), "string")
        return self._of_integers(number)

    def _of_integers(self, number: ir.IntegerValue) -> ir.Value:
        """Compare in whole numbers, which float64 confuses beyond 2^53: b ≤ n is ⌈b⌉ ≤ n."""
        starts = [max(math.ceil(bound), _LEAST) for bound in self.bounds[:-1]]
        last = min(math.floor(self.bounds[-1]), _MOST)
        pairs = zip(starts, self.labels, strict=True)
        reached = [(start, label) for start, label in pairs if start <= _MOST]
        if not reached or last < reached[0][0]:
            return ibis.null("string")
        literals = [int64_literal(start) for start, _ in reached]
        within = (number >= literals[0]) & (number <= int64_literal(last))
        labels = [ibis.literal(label, "string") for _, label in reached]
        return _if(within, choose(number, literals, labels), "string")


def default_labels(bounds: Sequence[float]) -> tuple[str, ...] | None:
    """Labels such as 0-17 of bands between whole numbers; None for others."""
    if not all(bound.is_integer() for bound in bounds):
        return None
    pairs = [(int(low), int(high) - 1) for low, high in itertools.pairwise(bounds)]
    pairs[-1] = (pairs[-1][0], int(bounds[-1]))
    return tuple(_span(low, high) for low, high in pairs)


def _span(low: int, high: int) -> str:
    if low == high:
        return str(low)
    return f"{low} to {high}" if low < 0 else f"{low}-{high}"


Operand: TypeAlias = str | int | float
"""A column's name, or a public number."""


@attrs.frozen
class Arithmetic(DerivedColumn):
    """A sum, difference, product or ratio of two columns, or of a column and a number.

    Of whole numbers it is one of 64 bits, but for a ratio; else a float64, whose operands and
    result are finite.
    """

    name: str
    operation: str
    left: Operand
    right: Operand

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns among the operands."""
        return tuple(each for each in (self.left, self.right) if isinstance(each, str))

    def kind(self, kinds: Mapping[str, Kind]) -> Kind:
        """Whole numbers where both operands are; a ratio never is."""
        is_integer = self.operation != RATIO and all(
            kinds.get(each) is Kind.INTEGER if isinstance(each, str) else isinstance(each, int)
            for each in (self.left, self.right)
        )
        return Kind.INTEGER if is_integer else Kind.NUMBER

    def value(self, table: ir.Table) -> ir.Value:
        """The result of each row."""
        left, right = (self._operand(table, each) for each in (self.left, self.right))
        if self.operation != RATIO and left.type().is_integer() and right.type().is_integer():
            # NULL beyond 64 bits
            return function(f"{self.operation}_or_null", "int64", "int64", "int64")(left, right)
        one, other = _finite(left.cast("float64")), _finite(right.cast("float64"))
        if self.operation == RATIO:
            other = _if(other != float64_literal(0.0), other, "float64")
        return _finite(_FLOATS[self.operation](one, other))

    def _operand(self, table: ir.Table, operand: Operand) -> ir.Value:
        match operand:
            case str():
                return table[operand]
            case int():
                return int64_literal(operand)
            case float():
                return float64_literal(operand)


RATIO = "ratio"
_FLOATS: Mapping[str, Callable[[ir.FloatingValue, ir.FloatingValue], ir.FloatingValue]] = (
    MappingProxyType(
        {
            "sum": lambda one, other: one + other,
            "difference": lambda one, other: one - other,
            "product": lambda one, other: one * other,
            RATIO: lambda one, other: one / other,
        }
    )
)
OPERATIONS = tuple(_FLOATS)
"""Keys of [columns] that are arithmetic."""


def _finite(number: ir.FloatingValue) -> ir.FloatingValue:
    """A finite number, 0 for both zeros; NULL for any other."""
    zero, most = float64_literal(0.0), float64_literal(_LARGEST)
    return _if(number.abs() <= most, ibis.ifelse(number == zero, zero, number), "float64")


@attrs.frozen
class TruthValue(DerivedColumn):
    """Whether a condition is true of a row; no value where its column has none."""

    name: str
    condition: Condition

    @property
    def inputs(self) -> tuple[str, ...]:
        """The condition's column."""
        return (self.condition.column,)

    @property
    def keys(self) -> tuple[Scalar, ...]:
        """Both truth values."""
        return (False, True)

    def kind(self, _: Mapping[str, Kind]) -> Kind:
        """Truth values."""
        return Kind.BOOLEAN

    def value(self, table: ir.Table) -> ir.Value:
        """Whether it is true of each row."""
        column = table[self.condition.column]
        return _if(column.notnull(), holds(column, self.condition), "boolean")


def _if(known: ir.BooleanValue, value: ir.Value, kind: str) -> ir.Value:
    """The value where something is known, and NULL elsewhere."""
    return ibis.ifelse(known, value, ibis.null(kind))
