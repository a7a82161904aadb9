"""What an engine gives back: an interval of ε̃ a record, and the method behind each end."""

from typing import Any

import attrs
import numpy as np

from deniable.errors import InvalidArgument
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort
from deniable.population.question import Floats, Ints, Records


def _as_floats(value: Any) -> Floats:
    return np.atleast_1d(np.asarray(value, np.float64))


@attrs.frozen(eq=False)
class RecordBounds:
    """lower[k] <= ε̃ of record records[k] <= upper[k], for all k at once; no other has a larger ε̃.

    Raises `InvalidArgument` if shapes differ, nothing is given, or an interval is empty.

    >>> answer = RecordBounds([3, 5], [0.1, 0.2], [0.5, 0.4], Evidence.ENCLOSURE).by("fourier")
    >>> answer.worst(), answer.maximum().lower, answer.maximum().upper, answer.method
    (3, 0.2, 0.5, 'fourier')
    """

    # (n_records,): positions in the parent set, from 0.
    records: Ints = attrs.field(converter=lambda value: np.atleast_1d(np.asarray(value, np.int64)))
    # lower, upper (n_records,): ends of each interval, natural logarithm, ≥ 0; infinite where
    # unbounded.
    lower: Floats = attrs.field(converter=_as_floats)
    upper: Floats = attrs.field(converter=_as_floats)
    evidence: Evidence  # What the intervals rest on
    # Probability that *all* of them cover; with, and only with, `Evidence.CONFIDENCE`.
    confidence: float | None = None
    # draws, seed: random draws used and the seed that reproduces them.
    draws: int | None = None
    seed: int | None = None
    # lower_methods, upper_methods: what gave each end, one a record; see `by`.
    lower_methods: tuple[str, ...] = attrs.field(default=(), converter=tuple, kw_only=True)
    upper_methods: tuple[str, ...] = attrs.field(default=(), converter=tuple, kw_only=True)
    # pairwise, estimate: Proposition 12 of [lowy-2024] and the Gaussian approximation, largest over
    # all records.
    pairwise: float | None = attrs.field(default=None, kw_only=True)
    estimate: float | None = attrs.field(default=None, kw_only=True)
    # subsets, candidates: how many samples were enumerated; the length of the crowd's lists.
    subsets: int | None = attrs.field(default=None, kw_only=True)
    candidates: int | None = attrs.field(default=None, kw_only=True)
    # What the best attacker with prior n/N in truth reaches, rounded up.
    bayes_optimal: float | None = attrs.field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if not self.records.shape == self.lower.shape == self.upper.shape or not self.records.size:
            raise InvalidArgument(
                f"Expected as many lower and upper bounds as records, at least one, got "
                f"{self.records.size}, {self.lower.size} and {self.upper.size}."
            )
        if not np.all(self.lower <= self.upper):
            raise InvalidArgument("Expected lower <= upper for every record.")

    @classmethod
    def of_draws(
        cls,
        records: Any,
        lower: Floats,
        upper: Floats,
        effort: Effort | None,
        draws: int,
        **others: Any,
    ) -> "RecordBounds":
        """Intervals that rest on draws of this effort; on none of them where it is None."""
        if effort is None:
            return cls(records, lower, upper, Evidence.ENCLOSURE, **others)
        random: dict[str, Any] = {
            "confidence": effort.confidence,
            "draws": draws,
            "seed": effort.seed,
        }
        return cls(records, lower, upper, Evidence.CONFIDENCE, **random, **others)

    @classmethod
    def of_nothing(cls, records: Ints, method: str) -> "RecordBounds":
        """Return 0 for all: nothing can be learnt if all records are the same."""
        none = np.zeros(len(records))
        return cls(records, none, none, Evidence.EXACT).by(method)

    def by(self, method: str) -> "RecordBounds":
        """Both ends of every record by one method."""
        methods = (method,) * len(self.records)
        return attrs.evolve(self, lower_methods=methods, upper_methods=methods)

    @property
    def method(self) -> str:
        """What gave the upper bound of the worst record."""
        return self.upper_methods[int(np.argmax(self.upper))]

    def worst(self) -> int:
        """The record with the largest upper bound; the first of several."""
        return int(self.records[np.argmax(self.upper)])

    def of_worst(self) -> "RecordBounds":
        """One record, the worst, stands for the maximum over all of them."""
        top = slice(at := int(np.argmax(self.upper)), at + 1)
        return attrs.evolve(
            self,
            records=self.records[top],
            lower=self.lower.max(),
            upper=self.upper.max(),
            lower_methods=self.lower_methods[top],
            upper_methods=self.upper_methods[top],
        )

    def maximum(self) -> Bound:
        """ε̃ over all the records."""
        return self._bound(float(self.lower.max()), float(self.upper.max()))

    def each(self) -> list[Bound]:
        """One bound a record, in their order."""
        return [self._bound(*interval) for interval in zip(self.lower, self.upper, strict=True)]

    def guaranteed_upper(self) -> float:
        """The certified upper bound over all records.

        Raises `NotApplicable` if the bounds are estimates.
        """
        return self.maximum().guaranteed_upper()

    def cap(self, most: float | Floats, method: str | None = None) -> "RecordBounds":
        """Cap every record's bound at `most`, by another theorem; name it, if it has a name."""
        upper = np.minimum(self.upper, most)
        lowered = zip(self.upper_methods, self.upper, upper, strict=True)
        above = tuple(method if method and new < old else name for name, old, new in lowered)
        return attrs.evolve(
            self, lower=np.minimum(self.lower, upper), upper=upper, upper_methods=above
        )

    def widen(self, by: float) -> "RecordBounds":
        """Both ends moved outwards by what the numbers put in may be off."""
        return attrs.evolve(self, lower=np.maximum(self.lower - by, 0.0), upper=self.upper + by)

    def only(self, records: Records) -> "RecordBounds":
        """Keep the bounds of the records in question; what concerns all records stays."""
        if isinstance(records, str):
            return self
        place = {int(record): k for k, record in enumerate(self.records)}
        at = [place[record] for record in records]
        below, above = (
            tuple(methods[k] for k in at) if methods else ()
            for methods in (self.lower_methods, self.upper_methods)
        )
        return attrs.evolve(
            self,
            records=self.records[at],
            lower=self.lower[at],
            upper=self.upper[at],
            lower_methods=below,
            upper_methods=above,
        )

    def _bound(self, lower: float, upper: float) -> Bound:
        return Bound(
            lower,
            upper,
            self.evidence,
            confidence=self.confidence,
            draws=self.draws,
            seed=self.seed,
        )
