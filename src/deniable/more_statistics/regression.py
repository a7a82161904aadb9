"""Coefficients of a linear regression, from sums of products with one vector's noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery
from deniable.errors import InvalidArgument
from deniable.more_statistics import moments as sums
from deniable.more_statistics.least_squares import fit
from deniable.numerics.rounding import float_up
from deniable.pipeline.noise import Mechanism
from deniable.publish import query
from deniable.publish.plan import PlanTable, format_key, known_keys
from deniable.report.html import Html
from deniable.report.rendering import render

MOMENT = "sum of products"
"""What the rows of results are called that hold the noisy numbers."""
UNDECIDED = (
    "No coefficient is published: with this noise it stays open whether the predictors determine "
    "one another. More rows, fewer predictors, narrower bounds or a larger budget can help."
)
"""The words in place of coefficients that the noise leaves open."""
MOST_PREDICTORS = 10
"""The most predictors: with more, noise, which grows with the square, drowns what each says."""


def _pairs(table: PlanTable, key: str) -> dict[str, tuple[float, float]]:
    given = table.table(key, "Write it as { dose = [0, 100] }.")
    return {column: given.pair(column, known_keys.BLANK) for column in given.entries}


_PREDICTORS = known_keys.Key(
    "predictors",
    known_keys.Type(
        known_keys.table_of(
            known_keys.array({"type": "number"}, minItems=2, maxItems=2).schema
        ).schema
        | {"minProperties": 1, "maxProperties": MOST_PREDICTORS},
        "table of column = bounds",
        _pairs,
    ),
    known_keys.REQUIRED,
    others="on features x",
)


def _predictors(value: Any) -> tuple[tuple[str, tuple[float, float]], ...]:
    items = value.items() if isinstance(value, Mapping) else value
    return tuple((str(column), query.bounds(each)) for column, each in items)


@attrs.frozen
class Regression(sums.OfMoments):
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
    """

    kind = "regression"
    PUBLISHES = (
        "The intercept and a slope for each predictor, by least squares, with simultaneous 95 % "
        "intervals; and the noisy sums from which they are computed. [Below](#regressions)."
    )
    KEYS = (known_keys.COLUMN_READ, known_keys.BOUNDS, _PREDICTORS)
    GROUPED = False
    NUMERIC = TRUTH_VALUES = MEASURED = True
    DESCRIBED = "more_statistics/described.html"

    column: str
    bounds: tuple[float, float] = attrs.field(converter=query.bounds)
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
        sums.check_spread(dict(self.predictors) | {self.column: self.bounds})

    @property
    def columns_read(self) -> Mapping[str, str]:
        """The predictors, then the outcome."""
        keys = {name: f"predictors.{format_key(name)}" for name, _ in self.predictors}
        return {**keys, self.column: "column"}

    @property
    def bounded(self) -> Mapping[str, tuple[float, float]]:
        """The outcome, then the predictors."""
        return {self.column: self.bounds, **dict(self.predictors)}

    def published(self, cells: int, parts: query.Parts) -> int:
        """Coefficients and sums."""
        return cells * (len(self.columns_read) + len(self.moments.all))

    def measured(self, rows: query.Results) -> list[NDArray[np.int64]]:
        """The noisy numbers, from published rows."""
        return [np.array([row.measured for row in rows if row.statistic == MOMENT], np.int64)]

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """The intercept, a slope for each predictor, and the noisy sums they follow from."""
        moments, columns, row_of = self.moments, [*self.columns_read], query.published.number_row
        result = []
        cells = noisy[0].reshape(-1, len(moments.all)).tolist()
        for keys, numbers in zip(grouping.groups(), cells, strict=True):
            fitted = fit(moments, numbers, mechanisms[0])
            for place, of in enumerate(("intercept", *dict(self.predictors))):
                unit = f"{self.column} per {of}" if place else self.column
                known = (None, None) if fitted is None else attrs.astuple(fitted[place])
                slope = *known, unit
                result.append(
                    row_of(name, self.kind, self.column, keys, slope, category=of, rank=place)
                )
            for moment, number in zip(moments.all, numbers, strict=True):
                value, width = self._in_units(moment, number, numbers[0], mechanisms[0])
                of = " × ".join(columns[place] for place in moment.factors) or "rows"
                each = value, width, of
                result.append(
                    row_of(name, MOMENT, self.column, keys, each, category=of, measured=number)
                )
        return result

    def bounds_of(self, row: ResultRow) -> tuple[float, float] | None:
        """None of sums, which are of several columns."""
        return None if row.statistic == MOMENT else self.bounds

    def errors(self, mechanisms: query.Mechanisms, cells: int) -> tuple[query.PublishedError, ...]:
        """Return errors of the sums; the coefficients' follow from these."""
        width = query.published.half_width(mechanisms[0], sums.STEP)
        return (query.PublishedError(MOMENT, "rows", width),)

    def corners(self) -> list[dict[str, Any]]:
        """Columns at their upper bounds, one or half of them at the lower, or in the middle.

        What a row adds is largest at the first; two rows differ most where half of the signs do.
        """
        limits = {**dict(self.predictors), self.column: self.bounds}.items()
        low, high = ({column: pair[end] for column, pair in limits} for end in (0, 1))
        middle = {column: least + (most - least) / 2 for column, (least, most) in limits}
        columns = list(low)
        half = columns[: len(columns) // 2]
        turned = [{**high, column: low[column]} for column in columns]
        return [high, {**high, **{each: low[each] for each in half}}, *turned, middle, low]

    @classmethod
    def section(cls, identifier: str, query: CertifiedQuery, rows: Sequence[ResultRow]) -> Html:
        """The coefficients, and below them the noisy sums."""
        own = [row for row in rows if row.statistic == cls.kind]
        return render(
            "more_statistics/regression.html",
            identifier=identifier,
            is_open=any(row.value is None for row in own),
            undecided=UNDECIDED,
            coefficients=own,
            sums=[row for row in rows if row.statistic != cls.kind],
        )

    def _in_units(
        self, moment: sums.Moment, number: int, rows: int, mechanism: Mechanism | None
    ) -> tuple[float, float]:
        """A sum in the columns' units, and its half-width.

        Of a square an offset was subtracted for each row, and is added for the noisy number of
        rows: then two noises keep within their widths, both with 95 %.
        """
        unit = moment.unit
        for place in moment.factors:
            unit *= Fraction(self.moments.spans[place].grid.step)
        offset = Fraction(moment.offset, sums.ROW)
        width = sums.noise_width(mechanism, 2 if offset else 1) * (1 + offset)
        exact = (number + offset * rows) * unit
        value = float(exact)
        return value, float_up(width * unit + abs(exact - Fraction(value)))
