"""What the mechanisms that add noise to a sum or mean have in common."""

import math
from collections.abc import Callable
from typing import Literal, TypeAlias, TypeVar

import attrs
import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.effort import Effort
from deniable.numerics.rounding import directed, lower
from deniable.population.answer import (
    Noise,
    PopulationAnswer,
    RecordBounds,
    Search,
    Searched,
    answer,
    target_epsilon,
)
from deniable.population.bounds import Noise as Mechanism
from deniable.population.bounds import epsilon_at, epsilon_of_exchanges, is_change_exact
from deniable.population.question import (
    Floats,
    Question,
    Records,
    Source,
    Summands,
    Types,
    clip_records,
    shift_columns,
)

SMALL = 1e-100
"""The least number whose square, and the inverse of it, floats hold with room to spare."""
SHARE = 1e-8
"""Noise below this share of the records' range hides nobody: ε̃ would be 1e8 and more."""
INTEGER_SCALES = (1e-6, 1e15)
"""Scales of whole noise that can be told from none, and whose reach is a whole number still."""
Query: TypeAlias = Literal["mean", "sum"]
_QUERIES = ("mean", "sum")
Value = TypeVar("Value")


@attrs.frozen(eq=False)
class AdditiveQuery:
    """A sum or mean over a sample of a parent set, before noise.

    `unit` times the noise on the query is the noise on the sum: n for a mean, 1 for a sum.
    """

    question: Question[Summands] | Question[Types]
    clip: float | None
    unit: float

    @classmethod
    def of(
        cls,
        data: Source,
        size: int,
        *,
        delta: float,
        query: str,
        clip: float | None,
        records: Records,
        counts: bool = False,
    ) -> "AdditiveQuery":
        """From raw arguments; with `counts` the last column says how many have a row."""
        question: Question[Summands] | Question[Types]
        if counts:
            question = Question(Types.of_table(data), size, delta, records)
        else:
            question = Question(Summands(data), size, delta, records)
        values = question.data.values
        if clip is not None:
            values, clip = clip_records(values, clip), float(clip)
        unit = 1.0 if validate.one_of(query, _QUERIES, "query") == "sum" else float(question.size)
        moved = attrs.evolve(question.data, values=shift_columns(values))
        return cls(attrs.evolve(question, data=moved), clip, unit)  # type: ignore[arg-type]

    def in_reach(self, total: float, least: float = SMALL, most: float = 1 / SMALL) -> float:
        """Noise on the sum with which floats can work.

        Raises
        ------
        InvalidArgument
            If squares would under- or overflow, or the noise is lost beside the records.
        """
        return in_reach(self.question.data.present, total, least, most)

    def on_the_sum(self, scale: float) -> float:
        """The scale of the noise on the sum, rounded down: less noise is no more private."""
        with directed() as r:
            return lower(r(self.unit) * r(scale))

    def on_the_query(self, total: float) -> float:
        """A scale on the query whose noise on the sum is at least `total`."""
        scale = total / self.unit
        while self.on_the_sum(scale) < total:
            scale = math.nextafter(scale, math.inf)
        return scale

    def start(self, target: float) -> float:
        """A scale on the sum from which to search for a target."""
        spread = float(np.linalg.norm(np.ptp(self.question.data.present, axis=0)))
        if spread == 0:
            raise InvalidArgument(
                "Expected records that differ for a target, got records that are all the same. "
                "Every noise meets every target."
            )
        return spread / max(target, 0.05)

    def answer(
        self,
        bounds: RecordBounds,
        mechanism: Callable[[float], Mechanism],
        parameter: str,
        scale: float,
        effort: Effort,
        search: Searched | None = None,
    ) -> PopulationAnswer:
        """The answer at this noise on the query, with the DP that holds beside it.

        Every pair of records is exchanged by some pair of adjacent subsets, and for a linear
        query under this noise the largest change is the worst, so the exact ε over adjacent
        subsets is that of the restricted sensitivity. ε̃ never passes it.
        """
        noise, delta = mechanism(self.on_the_sum(scale)), self.question.delta
        restricted = epsilon_of_exchanges(noise, self.question.data.present, delta)
        # Of vectors with whole noise only the largest pure loss is exact.
        several = self.question.data.columns > 1
        gaussian = isinstance(noise, Gaussian) and is_change_exact(self.question.data.present)
        simple = not several or gaussian or delta == 0
        worst = math.inf if self.clip is None else epsilon_at(noise, 2 * self.clip, delta)
        result = answer(
            self.question,
            Noise(parameter, scale),
            bounds.cap(restricted),
            effort,
            epsilon=worst,
            restricted=restricted,
            adjacent=restricted if simple else None,
            search=search,
        )
        if not result.records:
            return result
        far, data = self._distances(), self.question.data
        many = data.counts if isinstance(data, Types) else None
        records = tuple(
            attrs.evolve(
                each,
                distance=float(far[each.record]),
                count=None if many is None else int(many[each.record]),
            )
            for each in result.records
        )
        return attrs.evolve(result, records=records)

    def _distances(self) -> Floats:
        """How far each record, or row, is from the mean of all records."""
        data = self.question.data
        weights = data.counts if isinstance(data, Types) else None
        middle = np.average(data.values, axis=0, weights=weights)
        return np.asarray(np.linalg.norm(data.values - middle, axis=1), np.float64)

    def least(
        self,
        analysis: Callable[[float], RecordBounds],
        target: float,
        *,
        monotone: bool = True,
        largest: float = 1 / SMALL,
    ) -> tuple[float, RecordBounds, Searched]:
        """The least noise on the query that meets a target, its analysis, and how it was found."""
        wanted = target_epsilon(target)
        # Less than the reach, so that rounding to the sum does not pass it.
        most = largest / (2 * self.unit)
        search = Search(analysis, RecordBounds.guaranteed_upper, wanted, most=most)
        start = self.start(wanted) / self.unit
        best = search.least(start) if monotone else search.least_with_all_above(start)
        return best.scale, best.result, Searched(wanted, best.missed, best.complete)


def in_reach(values: Floats, total: float, least: float = SMALL, most: float = 1 / SMALL) -> float:
    """Noise on the sum of such records with which floats can work; see `Released.in_reach`."""
    spread = float(np.ptp(values, axis=0).max())
    if 0 < spread < SMALL:
        raise InvalidArgument(
            f"Expected records that differ by {SMALL:g} or more, got less. Use another unit."
        )
    if not least <= total <= most:
        raise InvalidArgument(
            f"Expected noise on the sum from {least:g} to {most:g}, got {total:g}. Change "
            "`sigma` or `scale`, or choose another unit."
        )
    if total < SHARE * spread:
        raise InvalidArgument(
            f"Expected noise on the sum of at least {SHARE:g} of the range of the records, got "
            f"{total:g}. Raise `sigma` or `scale`."
        )
    return total


def only_one(**given: Value | None) -> tuple[str, Value]:
    """The name and value of the only argument that was given."""
    there = {name: value for name, value in given.items() if value is not None}
    if len(there) != 1:
        names, got = ", ".join(given), ", ".join(there) or "none"
        raise InvalidArgument(f"Expected exactly one of {names}, got {got}.")
    return next(iter(there.items()))
