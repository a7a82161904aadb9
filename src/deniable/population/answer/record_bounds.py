"""ε̃ of several records at once, found by one method."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.bounds import Bound, Evidence
from deniable.errors import InvalidArgument


def _positions(value: Any) -> NDArray[np.int64]:
    return np.atleast_1d(np.asarray(value, np.int64))


def _ends(value: Any) -> NDArray[np.float64]:
    return np.atleast_1d(np.asarray(value, np.float64))


@attrs.frozen(eq=False)
class RecordBounds:
    """lower[k] <= ε̃ of record records[k] <= upper[k], for all k at once.

    Parameters
    ----------
    records : array_like of int, shape (n_records,)
        Positions in the parent set, from 0.
    lower, upper : array_like of float, shape (n_records,)
        Ends of each interval, natural logarithm, ≥ 0; infinite where unbounded.
    evidence : Evidence
        What the intervals rest on.
    confidence : float, optional
        Probability that *all* of them cover; with, and only with, `Evidence.CONFIDENCE`.
    draws, seed : int, optional
        Random draws used and the seed that reproduces them.

    Raises
    ------
    InvalidArgument
        If shapes differ, nothing is given, or an interval is empty.

    Examples
    --------
    >>> found = RecordBounds([3, 5], [0.1, 0.2], [0.5, 0.4], Evidence.ENCLOSURE)
    >>> found.worst(), found.maximum().lower, found.maximum().upper
    (3, 0.2, 0.5)
    """

    records: NDArray[np.int64] = attrs.field(converter=_positions)
    lower: NDArray[np.float64] = attrs.field(converter=_ends)
    upper: NDArray[np.float64] = attrs.field(converter=_ends)
    evidence: Evidence
    confidence: float | None = None
    draws: int | None = None
    seed: int | None = None

    def __attrs_post_init__(self) -> None:
        if not self.records.shape == self.lower.shape == self.upper.shape or not self.records.size:
            raise InvalidArgument(
                f"Expected as many lower and upper ends as records, at least one, got "
                f"{self.records.size}, {self.lower.size} and {self.upper.size}."
            )
        if not np.all(self.lower <= self.upper):
            raise InvalidArgument("Expected lower <= upper for every record.")

    def worst(self) -> int:
        """The record with the largest upper end; the first of several."""
        return int(self.records[np.argmax(self.upper)])

    def maximum(self) -> Bound:
        """ε̃ over all the records."""
        return self._bound(float(self.lower.max()), float(self.upper.max()))

    def each(self) -> list[Bound]:
        """One bound a record, in their order."""
        return [self._bound(*ends) for ends in zip(self.lower, self.upper, strict=True)]

    def _bound(self, lower: float, upper: float) -> Bound:
        return Bound(
            lower,
            upper,
            self.evidence,
            confidence=self.confidence,
            draws=self.draws,
            seed=self.seed,
        )
