"""Coefficients of a linear regression, from sums of products with one vector's noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument
from deniable.mechanisms import Mechanism
from deniable.numerics.rounding import float_up
from deniable.publish.statistics import protocol
from deniable.publish.statistics._least_squares import Coefficient, fit
from deniable.publish.statistics._moments import (
    ROW,
    STEP,
    Moment,
    Moments,
    check_spread,
    noise_width,
)
from deniable.publish.statistics._units import Span, bounds
from deniable.publish.statistics.protocol import Grouping, Part, Protection, RowValues

if TYPE_CHECKING:
    import ibis.expr.types as ir

MOMENT = "sum of products"
"""What the rows of results are called that hold the noisy numbers."""
MOST_PREDICTORS = 10
"""With more, noise of the sums drowns what each has to say: their number grows with the square."""


def _predictors(value: Any) -> tuple[tuple[str, tuple[float, float]], ...]:
    items = value.items() if isinstance(value, Mapping) else value
    return tuple((str(column), bounds(each)) for column, each in items)


@attrs.frozen
class Regression:
    r"""Least squares of one column on others, all clipped to bounds and rounded to their grids.

    The coefficients are those of the table: what least squares gives on exactly the rows that take
    part. They say nothing of a population that the rows come from, nor of causes. Intervals cover
    them, all together with 95 %, over the noise; where it leaves open whether the predictors are
    collinear, no coefficient is published. Beside them stand the noisy sums of 1, of distances
    from the middle of the bounds, and of their products.

    Parameters
    ----------
    column : str
        The outcome, a numeric column.
    bounds : tuple of float
        Its low and high.
    predictors : mapping of str to tuple of float
        One to ten other numeric columns with their bounds. Rows where the outcome or any of them
        is NULL or NaN take no part.

    Raises
    ------
    InvalidArgument
        If bounds are not finite, not in order, share a grid point or have no squares; if there are
        no predictors or more than ten, or one is the outcome or stands twice.
    """

    kind: ClassVar[str] = "regression"
    NUMERIC: ClassVar[bool] = True
    SCALABLE: ClassVar[bool] = False

    column: str
    bounds: tuple[float, float] = attrs.field(converter=bounds)
    predictors: tuple[tuple[str, tuple[float, float]], ...] = attrs.field(converter=_predictors)

    def __attrs_post_init__(self) -> None:
        names = [name for name, _ in self.predictors]
        if not 1 <= len(names) <= MOST_PREDICTORS:
            raise InvalidArgument(f"Expected 1 to {MOST_PREDICTORS} predictors, got {len(names)}.")
        if len({*names, self.column}) <= len(names):
            raise InvalidArgument(
                f"Expected predictors that differ from each other and from {self.column!r}, got "
                "one twice. Name each column once."
            )
        check_spread(dict(self.predictors) | {self.column: self.bounds})

    @property
    def columns_read(self) -> tuple[str, ...]:
        """The predictors, then the outcome."""
        return (*(name for name, _ in self.predictors), self.column)

    @property
    def moments(self) -> Moments:
        """The sums, of the columns in that order."""
        return Moments(tuple(Span.of(each) for each in (*dict(self.predictors).values(),
                                                        self.bounds)))  # fmt: skip

    def row_values(self, table: ir.Table) -> RowValues:
        """Each row adds itself, its distances from the middles, and their products."""
        return self.moments.row_values(table, self.columns_read)

    def parts(self, protection: Protection, cells: int) -> tuple[Part, ...]:
        """All sums, one vector."""
        return (self.moments.part(self.kind, protection, cells),)

    def exact(
        self, totals: NDArray[np.int64], protection: Protection
    ) -> tuple[NDArray[np.int64], ...]:
        """The totals as they are."""
        return self.moments.exact(totals)

    def published(self, cells: int) -> int:
        """How many rows are published."""
        return cells * (len(self.columns_read) + len(self.moments.all))

    def measured(self, rows: Sequence[ResultRow]) -> list[NDArray[np.int64]]:
        """The noisy numbers, from published rows."""
        return [np.array([row.measured for row in rows if row.statistic == MOMENT], np.int64)]

    def rows(
        self,
        name: str,
        grouping: Grouping,
        noisy: Sequence[NDArray[np.int64]],
        mechanisms: Sequence[Mechanism | None],
    ) -> Sequence[ResultRow]:
        """The intercept, a slope for each predictor, and the noisy sums they follow from."""
        moments = self.moments
        result = []
        cells = noisy[0].reshape(-1, len(moments.all)).tolist()
        for keys, numbers in zip(grouping.groups(), cells, strict=True):
            coefficients = fit(moments, numbers, mechanisms[0])
            result += self._coefficients(name, keys, coefficients)
            for moment, number in zip(moments.all, numbers, strict=True):
                value, width = self._in_units(moment, number, numbers[0], mechanisms[0])
                of = " × ".join(self.columns_read[place] for place in moment.factors) or "rows"
                result.append(
                    ResultRow(
                        name,
                        MOMENT,
                        self.column,
                        keys,
                        category=of,
                        value=value,
                        half_width_95=width,
                        half_width_unit=of,
                        measured=number,
                    )
                )
        return result

    def half_widths(self, mechanisms: Sequence[Mechanism | None], cells: int) -> Mapping[str, Any]:
        """In rows, of each of the sums: what is published depends on all of them."""
        return {self.kind: protocol.half_width(mechanisms[0], STEP)}

    def _coefficients(
        self, name: str, keys: Mapping[str, Any], fitted: tuple[Coefficient, ...] | None
    ) -> list[ResultRow]:
        result = []
        for place, of in enumerate(("intercept", *self.columns_read[:-1])):
            known = None if fitted is None else fitted[place]
            result.append(
                ResultRow(
                    name,
                    self.kind,
                    self.column,
                    keys,
                    category=of,
                    rank=place,
                    value=None if known is None else known.value,
                    half_width_95=None if known is None else known.half_width,
                    half_width_unit=f"{self.column} per {of}" if place else self.column,
                )
            )
        return result

    def _in_units(
        self, moment: Moment, number: int, rows: int, mechanism: Mechanism | None
    ) -> tuple[float, float]:
        """A sum in the columns' units, and its half-width.

        Of a square an offset was subtracted for each row, and is added for the noisy number of
        rows: then two noises keep within their widths, both with 95 %.
        """
        unit = moment.unit
        for place in moment.factors:
            unit *= Fraction(self.moments.spans[place].grid.step)
        offset = Fraction(moment.offset, ROW)
        width = noise_width(mechanism, 2 if offset else 1) * (1 + offset)
        exact = (number + offset * rows) * unit
        value = float(exact)
        return value, float_up(width * unit + abs(exact - Fraction(value)))
