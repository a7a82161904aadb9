"""A quantile of a column, chosen among public candidates."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument, validate
from deniable.errors.late_ibis import ir
from deniable.notions import Adjacency
from deniable.pipeline.noise import SelectionPart
from deniable.publish import query
from deniable.publish.page import between
from deniable.publish.plan import known_keys

MOST_CANDIDATES = 2**20
"""Their scores are held at once: eight megabytes."""
MOST_DENOMINATOR = 2**20
"""The largest denominator of the quantile: times `MOST_ROWS` it stays in 64 bits."""
MOST_ROWS = 2**41
"""Counts of rows are cut here: times the denominator they stay exact in 64 bits."""


_QUANTILE = known_keys.Key("quantile", known_keys.CHANCE, "`0.5`", others="q")
_CANDIDATES = known_keys.Key(
    "candidates", known_keys.integer(minimum=2, maximum=MOST_CANDIDATES), "`1001`"
)


def _candidates(value: Any) -> int:
    result = validate.integer(value, "candidates", least=2)
    if result > MOST_CANDIDATES:
        raise InvalidArgument(f"Expected candidates <= 2^20, got candidates={result}.")
    return result


def _fraction(value: float) -> Fraction | None:
    """The decimal number as it is written or, if that is too long, the float's exact value."""
    for exact in (Fraction(str(value)), Fraction(value)):
        if exact.denominator <= MOST_DENOMINATOR:
            return exact
    return None


def _quantile(value: Any) -> float:
    result = validate.open_probability(value, "quantile")
    if _fraction(result) is None:
        raise InvalidArgument(
            "Expected a quantile whose fraction has a denominator of at most 2^20, got "
            f"quantile={result}. Write it with at most 6 decimals."
        )
    return result


@attrs.frozen
class Quantile(query.Statistic):
    r"""The candidate whose rank is nearest to a quantile, chosen by noisy maximum.

    The score of a candidate c is, over the rows that take part,

    .. math:: -|(1 - q) \#\{x < c\} - q \#\{x > c\}|

    Parameters
    ----------
    column : str
        A numeric column; rows where it is NULL or NaN take no part.
    bounds : tuple of float
        Low and high, finite, in the column's unit; values are clipped to them.
    quantile : float
        q, in (0, 1), exactly the decimal number as it is written, with at most six decimals; or
        a float whose exact value is a fraction with a denominator of at most 2^20.
    candidates : int
        Equally spaced grid points between the bounds, 2 to 2^20; where the grid has fewer
        points, every point is a candidate.
    """

    kind = "quantile"
    PUBLISHES = "One of the candidates: a value with about the share `quantile` of rows below it."
    OTHERS = MappingProxyType({
        **dict.fromkeys(("percentile", "quartile", "decile"), ""),
        "median": " with quantile = 0.5",
        **dict.fromkeys(("max", "maximum"), " with quantile = 0.99"),
        **dict.fromkeys(("min", "minimum"), " with quantile = 0.01"),
    })  # fmt: skip
    KEYS = (known_keys.COLUMN_READ, known_keys.BOUNDS, _QUANTILE, _CANDIDATES)
    NUMERIC = OF_MEMBERS = RANKED = True

    column: str
    bounds: tuple[float, float] = attrs.field(converter=query.bounds)
    quantile: float = attrs.field(default=0.5, converter=_quantile)
    candidates: int = attrs.field(default=1001, converter=_candidates)

    @property
    def bins(self) -> int:
        """One at each candidate, and one between two."""
        return 2 * self._last + 1

    @property
    def points(self) -> list[int]:
        """The candidates in grid steps: low + floor(j R / (m - 1)), R the steps between bounds."""
        span, last = query.Span.of(self.bounds), self._last
        return [span.low + j * span.width // last for j in range(last + 1)]

    def candidate(self, value: float) -> float:
        """The last candidate at or below a value within the bounds, in the column's unit."""
        span, last = query.Span.of(self.bounds), self._last
        points = range(last + 1)
        steps = value / span.grid.step  # exact: the step is a power of two
        place = bisect.bisect_right(points, steps, key=lambda j: span.low + j * span.width // last)
        return span.grid.value(span.low + max(place - 1, 0) * span.width // last)

    def row_values(self, table: ir.Table) -> query.RowValues:
        r"""Each row adds 1 to a bin that tells which candidates lie below and above it.

        Candidates are grid points, and values are compared as they are. With d the whole steps of a
        value above low and i the last candidate at or below it, bin 2i stands for equality and
        2i + 1 for what lies before candidate i + 1. From floor(iR/(m-1)) <= d:
        i = floor(((d+1)(m-1) - 1) / R). The engine divides in float64 and rounds down; for whole
        a >= 0, b > 0 with a + b < 2^53 that is exact, and here a < 2^46, b <= 2^25. For if q is
        the integer part, a/b lies 1/b or more below q + 1, and rounding to nearest can reach
        q + 1 only from within (q+1) 2^-53 <= (a+b)/b 2^-53 < 1/b.
        """
        value, last = query.reading(table, self.column), self._last
        span = query.Span.of(self.bounds)
        above = span.steps(value) - query.float64_literal(span.low)
        steps = above.floor().cast("int64")
        index = (
            (steps + query.int64_literal(1)) * query.int64_literal(last) - query.int64_literal(1)
        ) // query.int64_literal(span.width)
        point = (index * query.int64_literal(span.width)) // query.int64_literal(last)
        code = index * query.int64_literal(2) + (point.cast("float64") < above).cast("int64")
        return query.RowValues((query.int64_literal(1),), query.is_number(value), code, self.bins)

    def parts(self, protection: query.Protection, cells: int) -> query.Parts:
        r"""One selection a cell, with the exact L1 norm over cells of the largest score moves.

        Let q = n/d in lowest terms. All is counted in whole numbers, so nothing is rounded: the
        score of c in units of 1/d is -\|s\| with

        .. math:: s = (d - n) \#\{x < c\} - n \#\{x > c\}.

        A row adds d - n, 0 or -n to s, so a rows of one entity in a cell add u with
        -na <= u <= (d-n)a. A score moves by no more than s does. Let w = max(n, d - n).

        - Add-remove: \|u\| <= wa, and the a of the cells add up to at most k: k w.
        - Replace-one, a rows before and b after in a cell: \|u - v\| is at most
          max((d-n)a + nb, na + (d-n)b). In the only cell a, b <= k: k d. The maximum is linear
          in a and in b, and (d-n) + n = d.
        - Replace-one, several cells: that maximum is at most w (a + b), and all a and all b each
          add up to at most k: 2 k w, which is no less than k d because 2 w >= d.

        All three are attained where there are three candidates: many rows of others on one side
        keep the sign of s for the middle one, and the entity's rows go from the side that counts
        w (above if n = w, below if d - n = w) to nowhere, to the other side, or to the same side
        of another cell.
        """
        q = self._fraction
        largest = max(q.numerator, q.denominator - q.numerator)
        if protection.adjacency is Adjacency.ADD_REMOVE:
            moves = largest
        else:
            moves = q.denominator if cells == 1 else 2 * largest
        moved, step = query.sensitivity.rows(protection) * moves, 1 / q.denominator
        candidates = {"candidates": self._last + 1, "number": 1}
        part = SelectionPart(
            self.kind, step, cells, **candidates, sensitivity=moved, monotone=False
        )
        return (part,)

    def exact(self, totals: NDArray[np.int64], protection: query.Protection) -> query.ExactParts:
        """Scores of the candidates in whole numbers, q's denominator times rows."""
        return (-np.abs(self.signed(totals)),)

    def signed(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sums s whose distances from 0 are the scores; (cells, bins, 1) -> (cells, points)."""
        # Cutting counts moves no count by more than before, so no score either.
        rows = np.minimum(totals[:, :, 0], MOST_ROWS)
        until = rows.cumsum(axis=1)
        below = np.minimum((until - rows)[:, ::2], MOST_ROWS)
        above = np.minimum((until[:, -1:] - until)[:, ::2], MOST_ROWS)
        q = self._fraction
        return np.asarray((q.denominator - q.numerator) * below - q.numerator * above)

    def rows(
        self, name: str, grouping: query.Grouping, noisy: query.Noisy, mechanisms: query.Mechanisms
    ) -> query.Results:
        """One row a cell: the chosen candidate, with a rank error."""
        width = self._rank_width(mechanisms)
        grid, points = query.Span.of(self.bounds).grid, self.points
        row_of = partial(query.published.number_row, name, self.kind, self.column)
        return [
            row_of(keys, (grid.value(points[candidate]), width, "rows"))
            for keys, candidate in zip(grouping.groups(), noisy[0][:, 0].tolist(), strict=True)
        ]

    def half_widths(self, mechanisms: query.Mechanisms, cells: int) -> query.Widths:
        """Rows by which the chosen candidate's rank may be farther off than the best one's."""
        return {"quantile": self._rank_width(mechanisms)}

    def errors(self, mechanisms: query.Mechanisms, cells: int) -> tuple[query.PublishedError, ...]:
        """Return errors in rows, and between which percentiles that is."""
        width = self._rank_width(mechanisms)
        places = ((rows, between(self.quantile, width, rows)) for rows in query.SIZES)
        known = tuple((rows, text) for rows, text in places if text is not None)
        return (query.PublishedError(self.kind, "rows", width, percentiles=known),)

    def sliders(self, parts: query.Parts) -> list[dict[str, Any]]:
        """Which quantile it is, too."""
        return [{**each, "quantile": self.quantile} for each in super().sliders(parts)]

    def refill(self, row: ResultRow, published: Mapping[str, Any], parts: query.Parts) -> ResultRow:
        """The candidate at a value, or the last one below."""
        value = query.number_between(published.get("value"), *self.bounds)
        return attrs.evolve(row, value=self.candidate(value))

    def scores(self, totals: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
        """The sums s, whose distances from 0 are the scores."""
        return self.signed(totals), True

    def recover(
        self, values: NDArray[np.float64], exact: query.Noisy, cells: int
    ) -> list[NDArray[np.float64]]:
        """The places of the candidates, which are published."""
        points = np.array([*map(query.Span.of(self.bounds).grid.value, self.points)])
        return [np.searchsorted(points, values)[:, :, None].astype(np.float64)]

    @property
    def _last(self) -> int:
        return min(self.candidates - 1, query.Span.of(self.bounds).width)

    @property
    def _fraction(self) -> Fraction:
        exact = _fraction(self.quantile)
        if exact is None:
            raise AssertionError("a quantile that was let in has no fraction")
        return exact

    def _rank_width(self, mechanisms: query.Mechanisms) -> float:
        step = 1 / self._fraction.denominator
        return query.published.score_width(mechanisms[0], self._last + 1, step)
