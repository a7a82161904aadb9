"""ε̃ of the records that were looked at, with the method that gave each end."""

import time
from typing import Literal, TypeAlias

import attrs
import numpy as np

from deniable.bounds import Bound
from deniable.population.answer import success
from deniable.population.answer.answer import Noise, PopulationAnswer, RecordBound, Searched
from deniable.population.answer.record_bounds import RecordBounds

Asked: TypeAlias = Literal["worst", "all"]
ASKED = ("worst", "all")


@attrs.frozen(eq=False)
class Bracket:
    """What an analysis at one noise found; the upper end holds for every record.

    Parameters
    ----------
    found : RecordBounds
        All records, or those among which the worst certainly is.
    lower_methods, upper_methods : tuple of str
        One a record of `found`.
    pairwise, estimate : float, optional
        Proposition 12 of [lowy-2024] and the Gaussian approximation, largest over all records.
    subsets, candidates : int, optional
        How many samples were enumerated; the length of the crowd's lists.
    optimal : float, optional
        What the best attacker with prior n/N in truth reaches, rounded up.
    search : Searched, optional
        How a search for a target ended.
    """

    found: RecordBounds
    lower_methods: tuple[str, ...]
    upper_methods: tuple[str, ...]
    pairwise: float | None = None
    estimate: float | None = None
    subsets: int | None = None
    candidates: int | None = None
    optimal: float | None = None
    search: Searched | None = None

    @classmethod
    def by(
        cls,
        method: str,
        found: RecordBounds,
        subsets: int | None = None,
        candidates: int | None = None,
    ) -> "Bracket":
        """Both ends of every record by one method."""
        methods = (method,) * len(found.records)
        return cls(found, methods, methods, subsets=subsets, candidates=candidates)

    @property
    def population_epsilon(self) -> Bound:
        """ε̃, the maximum over all records."""
        return self.found.maximum()

    @property
    def method(self) -> str:
        """What gave the upper end of the worst record."""
        return self.upper_methods[int(np.argmax(self.found.upper))]

    def upper(self) -> float:
        """The certified upper end over all records."""
        return self.population_epsilon.guaranteed_upper()

    def capped(self, most: float, method: str | None = None) -> "Bracket":
        """Where another theorem bounds every record by `most`; named, if it has a name."""
        upper = np.minimum(self.found.upper, most)
        lower = np.minimum(self.found.lower, upper)
        above = tuple(
            method if method and most < end else name
            for name, end in zip(self.upper_methods, self.found.upper, strict=True)
        )
        found = attrs.evolve(self.found, lower=lower, upper=upper)
        return attrs.evolve(self, found=found, upper_methods=above)

    def widened(self, by: float) -> "Bracket":
        """Both ends moved outwards by what the numbers put in may be off."""
        lower, upper = np.maximum(self.found.lower - by, 0.0), self.found.upper + by
        return attrs.evolve(self, found=attrs.evolve(self.found, lower=lower, upper=upper))

    def each(self) -> tuple[RecordBound, ...]:
        """One bound a record."""
        return tuple(
            RecordBound(int(record), bound, below, above)
            for record, bound, below, above in zip(
                self.found.records,
                self.found.each(),
                self.lower_methods,
                self.upper_methods,
                strict=True,
            )
        )


@attrs.frozen
class Promise:
    """Differential privacy that holds beside ε̃: against everyone, and on this parent set."""

    epsilon: float | None
    restricted: float | None
    adjacent: float | None


@attrs.frozen
class Setting:
    """What was asked: the sizes, δ, which records to list, and when the work began."""

    size: int
    population: int
    delta: float
    asked: Asked
    started: float = attrs.field(factory=time.monotonic)


def answer(bracket: Bracket, setting: Setting, noise: Noise, promise: Promise) -> PopulationAnswer:
    """Everything that a population analysis says, in one value."""
    bound = bracket.population_epsilon
    return PopulationAnswer(
        population_epsilon=bound,
        worst_record=bracket.found.worst(),
        delta=setting.delta,
        size=setting.size,
        population=setting.population,
        method=bracket.method,
        noise=noise,
        epsilon=promise.epsilon,
        epsilon_restricted_sensitivity=promise.restricted,
        epsilon_adjacent_subsets=promise.adjacent,
        pairwise_bound=bracket.pairwise,
        estimate=bracket.estimate,
        attack_success=success.attack_success(bound.upper, setting.delta),
        bayes_success=success.bayes_success(
            bound.upper, setting.delta, setting.size / setting.population
        ),
        subsets=bracket.subsets,
        seconds=time.monotonic() - setting.started,
        records=bracket.each() if setting.asked == "all" else (),
        candidates=bracket.candidates,
        bayes_optimal_success=bracket.optimal,
        search=bracket.search,
    )
