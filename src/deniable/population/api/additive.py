"""What the mechanisms that add noise to a sum or mean have in common."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import attrs
import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import DiscreteGaussian, Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, late
from deniable.numerics.rounding import directed, lower
from deniable.population import type_sums
from deniable.population.answer import (
    LADDER,
    NoiseParameter,
    PopulationAnswer,
    RecordBounds,
    Search,
    Searched,
    Tried,
    answer,
    least_sampled_scale,
    target_epsilon,
)
from deniable.population.bounds import (
    AdditiveNoise,
    epsilon_at,
    epsilon_of_exchanges,
    is_change_exact,
)
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

SMALL = 1e-100  # The least number whose square, and its inverse, floats hold with room to spare
SHARE = 1e-8  # Noise below this share of the records' range hides nobody: ε̃ would be 1e8 and more
INTEGER_SCALES = (1e-6, 1e15)  # Whole noise that can be told from none, and has a whole reach
QUERIES = ("mean", "sum")
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
        """Read raw arguments; with `counts` the last column says how many have a row."""
        question: Question[Summands] | Question[Types]
        if counts:
            question = Question(Types.of_table(data), size, delta, records)
        else:
            question = Question(Summands(data), size, delta, records)
        values = question.data.values
        if clip is not None:
            values, clip = clip_records(values, clip), float(clip)
        unit = 1.0 if validate.one_of(query, QUERIES, "query") == "sum" else float(question.size)
        moved = attrs.evolve(question.data, values=shift_columns(values))
        return cls(attrs.evolve(question, data=moved), clip, unit)  # type: ignore[arg-type]

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

    def bracket(
        self,
        mechanism: Callable[[float], AdditiveNoise],
        engine: Callable[[Any, Any, Effort], RecordBounds],
        effort: Effort,
        scale: float,
    ) -> RecordBounds:
        """ε̃ with noise of this scale on the query."""
        noise = mechanism(in_reach(self.question.data.present, self.on_the_sum(scale)))
        return engine(self.question, noise, effort)

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
        mechanism: Callable[[float], AdditiveNoise],
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
        result = answer(
            self.question,
            NoiseParameter(parameter, scale),
            bounds.cap(restricted),
            effort,
            epsilon=math.inf if self.clip is None else epsilon_at(noise, 2 * self.clip, delta),
            restricted=restricted,
            adjacent=restricted if simple else None,
            search=search,
        )
        if not result.records:
            return result
        data = self.question.data
        many = data.counts if isinstance(data, Types) else None
        # How far each record, or row, is from the mean of all records.
        middle = np.average(data.values, axis=0, weights=many)
        far = np.linalg.norm(data.values - middle, axis=1)
        records = tuple(
            attrs.evolve(
                each,
                distance=float(far[each.record]),
                count=None if many is None else int(many[each.record]),
            )
            for each in result.records
        )
        return attrs.evolve(result, records=records)

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

    def least_of(
        self,
        best: tuple[float, RecordBounds] | None,
        sure: Tried[float],
        analysis: Callable[[float], RecordBounds],
        target: float,
    ) -> tuple[float, RecordBounds, Searched]:
        """Return `least`, from a scale on the sum that draws certified, or the certain one."""
        total, bounds = best or (sure.scale, analysis(sure.scale).cap(sure.result))
        missed = None if best or sure.missed is None else self.on_the_query(sure.missed)
        how = Searched(target, missed, complete=sure.complete and not late())
        return self.on_the_query(total), bounds, how


def in_reach(values: Floats, total: float, least: float = SMALL, most: float = 1 / SMALL) -> float:
    """Noise on the sum of such records with which floats can work.

    Raises `InvalidArgument` if squares would under- or overflow, or the noise is lost beside the
    records.
    """
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


ROUGHLY = 1e-3  # Relative tolerance of a first guess, which no bound rests on
_LEAST_SHARE = 1e-4  # Of the certain noise: below it nobody is hidden, matrices are singular


def least_of_types(
    released: AdditiveQuery, mechanism: Callable[[float], Any], target: float, effort: Effort
) -> tuple[float, RecordBounds, Searched]:
    """The least noise found on the query, its analysis, and how the search ended.

    The noise that hides every exchange of two records is certain, a lower one is hoped for by the
    estimate, and the analysis looks in between. Where more noise may be worse, none of a ladder of
    larger scales may be seen to miss the target. Raises `InvalidArgument` if the counts themselves
    keep to the target without noise.
    """
    question, present = released.question, released.question.data.present
    monotone = mechanism is not DiscreteGaussian

    def alone(total: float) -> float:
        return epsilon_of_exchanges(mechanism(total), present, question.delta)

    def estimate(total: float) -> float:
        return type_sums.estimate(question, mechanism(total))

    if question.delta and type_sums.without_noise(question) <= target:
        raise InvalidArgument(
            f"Expected a target that some noise misses, got target={target}, which all noise "
            "meets. Nothing needs to be calibrated."
        )
    search, start = Search(alone, float, target), released.start(target)
    sure = search.least(start) if monotone else search.least_with_all_above(start)
    hoped = sure.scale / 2
    if question.delta:
        # The estimate of the least noise is that of the counts, which may meet the target.
        least = max(sure.scale * _LEAST_SHARE, 0.0 if mechanism is Gaussian else INTEGER_SCALES[0])
        hoped = min(least, sure.scale)
        if least < sure.scale and estimate(least) > target:
            hoped = max(Search(estimate, float, target, ROUGHLY).least(sure.scale).scale, least)
    best = _between(released, mechanism, target, (hoped, sure.scale), effort)
    return released.least_of(
        best, sure, lambda total: type_sums.bracket(question, mechanism(total), effort), target
    )


def _between(
    released: AdditiveQuery,
    mechanism: Callable[[float], Any],
    target: float,
    scales: tuple[float, float],
    effort: Effort,
) -> tuple[float, RecordBounds] | None:
    """The least scale that is certified between a hope and a certain one; None where none is."""
    question, (low, high) = released.question, scales

    def at(total: float, work: Effort) -> RecordBounds:
        return type_sums.bracket(question, mechanism(total), work)

    while True:
        best = least_sampled_scale(at, target, low, high, effort)
        if best is None or mechanism is not DiscreteGaussian:
            return best
        above = [
            scale
            for step in LADDER
            if (scale := best[0] * step) < high
            and not late()
            and type_sums.certain_lower_bound(question, mechanism(scale)) > target
        ]
        if not above:
            return best
        # Draws have one chance to mislead, which a second search would double.
        if best[1].evidence is Evidence.CONFIDENCE:
            return None
        low = above[-1]
