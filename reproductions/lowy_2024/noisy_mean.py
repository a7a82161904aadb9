"""Gaussian noise on a mean: Figures 4 to 6, and certified values beside them.

Records are N(0, σ²I), cut to norm C; δ = 0.01. The paper's ε̃ is the smallest for which
Proposition 12 stays below δ for every record.
"""

from collections.abc import Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms import Gaussian
from deniable.numerics.effort import Effort
from deniable.population.bounds import (
    epsilon_upper,
    estimates,
    largest_change,
    pairwise_bounds,
)
from deniable.population.question import Question, Summands
from deniable.population.vector_sums import bracket
from reproductions.lowy_2024.marks import BESIDE, PAPER, TABLE, Curve, Mark
from reproductions.lowy_2024.median import OVER_EPSILON, OVER_RESTRICTED
from reproductions.lowy_2024.settings import DELTA, SEED, Settings

WORST, MEDIAN, CERTIFIED = "Proposition 12", "Proposition 12, median record", "certified"
FIRST = "the first parent set"


@attrs.frozen
class Drawing:
    """The law that a parent set is drawn from."""

    columns: int
    clip: float
    spread: float = 1.0
    outliers: int = 0
    stretch: float = 1.0

    def draw(self, number: int, size: int) -> NDArray[np.float64]:
        """2n records."""
        rng = np.random.default_rng([SEED, number, self.columns])
        records = self.spread * rng.normal(size=(2 * size, self.columns))
        records[rng.permutation(len(records))[: self.outliers]] *= self.stretch
        norms = np.linalg.norm(records, axis=1, keepdims=True)
        return np.asarray(records * np.minimum(1.0, self.clip / norms))


@attrs.frozen(eq=False)
class NoisyMean:
    """The mean of n of 2n records; `sigma` is of the noise on their sum."""

    records: NDArray[np.float64]
    sigma: float

    @property
    def size(self) -> int:
        """n."""
        return len(self.records) // 2

    @classmethod
    def restricted(cls, records: NDArray[np.float64], epsilon: float) -> "NoisyMean":
        """The least noise with this ε(X)."""
        return cls(records, _noise(epsilon) * largest_change(records))

    @classmethod
    def worst_case(cls, records: NDArray[np.float64], epsilon: float, clip: float) -> "NoisyMean":
        """The least noise with this ε: two records of the ball are up to 2C apart."""
        return cls(records, _noise(epsilon) * 2 * clip)

    def epsilons(self, clip: float) -> tuple[float, float]:
        """ε and ε(X); for Gaussian noise the latter is the same by sensitivity and exactly."""
        changes = 2 * clip, largest_change(self.records)
        worst, restricted = (epsilon_upper(change / self.sigma, DELTA) for change in changes)
        return float(worst), float(restricted)

    def pairwise(self) -> NDArray[np.float64]:
        """Proposition 12, for each record."""
        return pairwise_bounds(self.records, self.sigma, DELTA)

    def certified(self, seconds: float) -> tuple[float, float, str]:
        """ε̃ of the record that the estimate ranks worst: exact projection below, crowd above."""
        worst = int(np.argmax(estimates(self.records, self.size, self.sigma, DELTA)))
        question = Question(Summands(self.records), self.size, DELTA, [worst])
        effort = Effort(time_limit=seconds, seed=SEED)
        bound = bracket(question, Gaussian(self.sigma), effort).maximum()
        said = f"one record of {FIRST}, confidence {bound.confidence:g}, {bound.draws} draws"
        return bound.lower, bound.upper, said


def _noise(epsilon: float) -> float:
    return Gaussian.for_approx_dp(epsilon, DELTA, 1.0).scale


def _marks(
    figure: int,
    x: float,
    sets: Sequence[NoisyMean],
    clip: float,
    seconds: float,
    names: str = "",
) -> Iterator[Mark]:
    """Both ratios by Proposition 12, of the worst and of the median record, and a bracket."""
    bounds = [each.pairwise() for each in sets]
    worst_case, restricted = np.array([each.epsilons(clip) for each in sets]).T
    for name, chosen, whose in ((WORST, np.max, PAPER), (MEDIAN, np.median, BESIDE)):
        population = np.array([chosen(each) for each in bounds])
        for panel, against in ((OVER_EPSILON, worst_case), (OVER_RESTRICTED, restricted)):
            ratios = (population / against).tolist()
            yield Curve(figure, panel, f"{name}{names}", whose).mean(x, ratios)
        yield Curve(figure, TABLE, f"ε̃, {name}{names}", whose).mean(x, population.tolist())
    yield Curve(figure, TABLE, f"ε{names}", PAPER).mean(x, worst_case.tolist())
    low, high, said = sets[0].certified(seconds)
    for panel, against in ((OVER_EPSILON, worst_case), (OVER_RESTRICTED, restricted)):
        ends = low / against[0], high / against[0]
        yield Curve(figure, panel, f"{CERTIFIED}{names}", BESIDE).bracket(x, ends, said)
    yield Curve(figure, TABLE, f"ε̃, {CERTIFIED}{names}", BESIDE).bracket(x, (low, high), said)
    most = float(bounds[0].max())
    first = Curve(figure, TABLE, f"ε̃, {WORST}, {FIRST}{names}", BESIDE)
    yield first.bracket(x, (0.0, most), "upper bound")


def figure_4(settings: Settings) -> Iterator[Mark]:
    """Ratios against ε(X): d = 20, C = 50, σ = 1."""
    law = Drawing(20, clip=50.0)
    records = [law.draw(number, settings.large) for number in range(settings.noisy)]
    for x in settings.restricted:
        sets = [NoisyMean.restricted(each, x) for each in records]
        yield from _marks(4, x, sets, law.clip, settings.seconds)


def figure_5(settings: Settings) -> Iterator[Mark]:
    """Ratios against C: d = 10, σ = 5, two records times 10; ε = 5, or ε(X) = 5."""
    for x in settings.means_clips:
        law = Drawing(10, clip=x, spread=5.0, outliers=2, stretch=10.0)
        records = [law.draw(number, settings.large) for number in range(settings.noisy)]
        fixed = [NoisyMean.worst_case(each, 5.0, x) for each in records]
        yield from _marks(5, x, fixed, x, settings.seconds, ", ε = 5")
        fixed = [NoisyMean.restricted(each, 5.0) for each in records]
        for mark in _marks(5, x, fixed, x, settings.seconds, ", ε(X) = 5"):
            if mark.panel == TABLE:  # The ratios lie on those for ε = 5.
                yield mark


def figure_6(settings: Settings) -> Iterator[Mark]:
    """Ratios against d: C = 50, σ = 1; ε(X) = 10 is our choice."""
    for x in settings.means_columns:
        law = Drawing(x, clip=50.0)
        records = [law.draw(number, settings.large) for number in range(settings.noisy)]
        sets = [NoisyMean.restricted(each, 10.0) for each in records]
        yield from _marks(6, x, sets, law.clip, settings.seconds)


def _silent(_: float) -> None:
    """No progress."""
