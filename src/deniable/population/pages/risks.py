"""The records most at risk in a population analysis: in order, in groups, in shares."""

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.population.answer import PopulationAnswer

Floats = NDArray[np.float64]

MOST_DRAWN = 1500
"""Records that a chart draws one by one; more are drawn in columns."""
LISTED = 20
"""Records that stand out: drawn one by one among columns, and in a table, which fits a page."""
COLUMNS = 150
"""Columns of a chart of many records, 4 pixels each."""
_MOST_KINDS = 64
"""Kinds of records up to which they are shown kind by kind."""
_SHARES = (0.5, 0.9, 0.99)
"""Shares of the records, for a table of how the risk is spread."""


@attrs.frozen(eq=False)
class Risks:
    """The interval of ε̃ of each record, or row, and how far it is from the mean of all.

    Parameters
    ----------
    records : int array, shape (n_records,)
        Positions in the list, from 0.
    counts : int array, shape (n_records,)
        How many records each stands for.
    distances : float array, shape (n_records,)
        From the mean of all; not a number where nothing is summed.
    lower, upper : float array, shape (n_records,)
        Ends of ε̃.
    methods : tuple of str
        What gave each upper end.
    """

    records: NDArray[np.int64]
    counts: NDArray[np.int64]
    distances: Floats
    lower: Floats
    upper: Floats
    methods: tuple[str, ...]

    @classmethod
    def of(cls, answer: PopulationAnswer) -> "Risks":
        """Read the risks of each record from an answer; rows that nobody has are left out."""
        kept = [each for each in answer.records if each.count != 0]
        return cls(
            np.array([each.record for each in kept], np.int64),
            np.array([1 if each.count is None else each.count for each in kept], np.int64),
            np.array([np.nan if e.distance is None else e.distance for e in kept], np.float64),
            np.array([each.bound.lower for each in kept], np.float64),
            np.array([each.bound.upper for each in kept], np.float64),
            tuple(each.upper_method for each in kept),
        )

    @property
    def summed(self) -> bool:
        """Whether records have distances."""
        return bool(np.all(np.isfinite(self.distances)))

    def order(self) -> NDArray[np.int64]:
        """Return the places from the most at risk on, the first of equals first."""
        return np.lexsort((self.records, -self.lower, -self.upper)).astype(np.int64)

    def only(self, places: Sequence[int] | NDArray[np.int64]) -> "Risks":
        """Some of them, in this order."""
        at = np.asarray(places, np.int64)
        columns = (self.distances[at], self.lower[at], self.upper[at])
        return Risks(
            self.records[at], self.counts[at], *columns, tuple(self.methods[k] for k in at)
        )

    def kinds(self) -> "Risks | None":
        """One for all records alike in distance and interval, the first of them; None if many.

        Most at risk first.
        """
        far = np.where(np.isnan(self.distances), -1.0, self.distances)
        rows = np.column_stack([far, self.lower, self.upper])
        _, first, at = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        single = self.counts.max(initial=0) == 1
        if len(first) > _MOST_KINDS or (single and not (self.summed and len(first) < len(rows))):
            return None
        many = np.bincount(at.ravel(), self.counts).astype(np.int64)
        kinds = attrs.evolve(self.only(first), counts=many)
        return kinds.only(kinds.order())

    def shares(self) -> list[tuple[float, float]]:
        """How large the upper end is, at most, for such a share of all records, and for all."""
        order = np.argsort(self.upper, kind="stable")
        reached = np.cumsum(self.counts[order]) / self.counts.sum()
        at = [int(np.searchsorted(reached, share * (1 - 1e-12))) for share in _SHARES]
        quantiles = [
            (share, float(self.upper[order[k]])) for share, k in zip(_SHARES, at, strict=True)
        ]
        return [*quantiles, (1.0, float(self.upper.max()))]

    def columns(self) -> list[dict[str, float]]:
        """Records side by side by distance: of each column the least and the greatest end.

        No record's interval is outside its column, so that nobody who stands out is lost.
        """
        edges = np.linspace(self.distances.min(), self.distances.max(), COLUMNS + 1)
        place = np.clip(np.searchsorted(edges, self.distances, side="right") - 1, 0, COLUMNS - 1)
        low, high = np.full(COLUMNS, np.inf), np.full(COLUMNS, -np.inf)
        np.minimum.at(low, place, self.lower)
        np.maximum.at(high, place, self.upper)
        return [
            {"start": float(edges[k]), "end": float(edges[k + 1]), "low": float(low[k]),
             "high": float(high[k])}
            for k in np.flatnonzero(high >= 0)
        ]  # fmt: skip
