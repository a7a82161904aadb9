"""Gaussian noise on a mean: Proposition 12 beside exact and certified values, Figures 4 to 6."""

from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable import population_gaussian
from deniable.analysis.population.answer import PopulationAnswer
from deniable.analysis.population.crowd import crowd_bounds
from deniable.analysis.population.effort import Effort
from deniable.analysis.population.estimate import estimates
from deniable.analysis.population.pairwise import pairwise_of_record
from deniable.analysis.population.projection import projected_lower_ends
from deniable.analysis.population.sensitivity import largest_change
from deniable.bounds import Bound, Evidence
from deniable.mechanisms import Gaussian
from reproductions.lowy_2024.marks import PAPER, Curve, Mark
from reproductions.lowy_2024.settings import COLUMNS, DELTA, RESTRICTED, SEED, Settings


def normal(size: int, columns: int) -> NDArray[np.float64]:
    """2n records N(0, I); a smaller parent set is the beginning of a larger one."""
    return np.random.default_rng([SEED, columns]).normal(size=(2 * size, columns))


@attrs.frozen(eq=False)
class NoisyMean:
    """The mean of n of 2n records, with the noise for which ε(X), by sensitivity, is as given."""

    records: NDArray[np.float64]
    restricted: float

    @property
    def size(self) -> int:
        """n."""
        return len(self.records) // 2

    @property
    def sigma(self) -> float:
        """Of the noise on the sum."""
        return Gaussian.for_approx_dp(self.restricted, DELTA, largest_change(self.records)).scale

    def analysed(self, seconds: float) -> PopulationAnswer:
        """ε̃ over all records."""
        return population_gaussian(
            self.records,
            self.size,
            sigma=self.sigma / self.size,
            delta=DELTA,
            query="mean",
            effort=Effort(time_limit=seconds, seed=SEED),
        )

    def worst_ranked(self, seconds: float) -> Bound:
        """The record whose estimate is largest: exact projection below, crowd above."""
        case = (self.records, self.size, self.sigma, DELTA)
        effort = Effort(time_limit=seconds, seed=SEED)
        worst = [int(np.argmax(estimates(*case)))]
        lower = projected_lower_ends(*case, worst, effort)
        most = [pairwise_of_record(self.records, self.sigma, DELTA, worst[0])]
        found = crowd_bounds(*case, records=worst, effort=effort, lower=lower, fallback=most)
        return found.maximum()


def marks_of(figure: int, x: float, case: NoisyMean, seconds: float, names: str) -> Iterator[Mark]:
    """The paper's bound, our brackets and the estimate."""
    found = case.analysed(seconds)
    assert found.pairwise_bound is not None
    yield Curve(figure, f"Proposition 12{names}", PAPER).point(
        x, found.pairwise_bound, "upper bound"
    )
    bound = found.population_epsilon
    if bound.evidence is not Evidence.CONFIDENCE:
        yield Curve(figure, f"exact{names}").bracket(x, bound.lower, bound.upper, "enclosure")
        return
    assert found.estimate is not None
    for who, ends in (("all records", bound), ("worst-ranked", case.worst_ranked(seconds))):
        what = f"confidence {ends.confidence:g}, {ends.draws} draws"
        yield Curve(figure, f"certified{names}, {who}").bracket(x, ends.lower, ends.upper, what)
    yield Curve(figure, f"estimate{names}").point(x, found.estimate, "no bound")


def figure_4(settings: Settings) -> Iterator[Mark]:
    """ε̃ against ε(X)."""
    for columns in (1, COLUMNS):
        records = normal(settings.large, columns)
        for restricted in settings.restricted:
            case = NoisyMean(records, restricted)
            yield from marks_of(4, restricted, case, settings.crowd_seconds, f", d = {columns}")


def figure_5(settings: Settings) -> Iterator[Mark]:
    """ε̃ against n, ε(X) = 10."""
    for columns, sizes in ((1, settings.exact_sizes), (COLUMNS, settings.sizes)):
        for size in sizes:
            case = NoisyMean(normal(size, columns), RESTRICTED)
            yield from marks_of(5, size, case, settings.crowd_seconds, f", d = {columns}")


def figure_6(settings: Settings) -> Iterator[Mark]:
    """ε̃ against the dimension, ε(X) = 10."""
    for columns in settings.columns:
        case = NoisyMean(normal(settings.large, columns), RESTRICTED)
        yield from marks_of(6, columns, case, settings.crowd_seconds, "")
