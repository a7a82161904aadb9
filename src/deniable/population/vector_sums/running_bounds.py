"""Both ends of every record of a sum of vectors, while one method after the other narrows them."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds import estimates, mixture_bounds, pairwise_bounds
from deniable.population.question import Floats, Question, Summands
from deniable.population.vector_sums.projection import projected_lower_bounds
from deniable.population.vector_sums.search import quiet

_LEADERS = 4
"""Records, ranked by the estimate, that may turn out to be the worst."""
_NEAR = 0.85
"""Share of the largest estimate below which a record is taken not to be the worst: the estimate is
seldom off by more, and a record taken wrongly costs draws, not truth."""


@attrs.define(eq=False)
class RunningBounds:
    """What is known by now.

    Parameters
    ----------
    question : Question
        What is asked.
    sigma : float
        Noise on every coordinate of the sum.
    pairwise, certain, upper : array of float, shape (N,)
        Upper bounds by Proposition 12, the smaller of it and the mixture bound, and the present.
    projected, lower : array of float, shape (N,)
        Lower bounds without a draw, and as they are now; 0 where none is known.
    estimate : float
        The largest Gaussian estimate.
    leaders, others : array of int
        Records asked for: those that may be the worst, and the rest; the largest estimate first.
    draws : int
        Releases drawn.
    candidates : int, optional
        The longest list, where one was drawn.
    """

    question: Question[Summands]
    sigma: float
    pairwise: Floats
    certain: Floats
    upper: Floats
    projected: Floats
    lower: Floats
    estimate: float
    leaders: NDArray[np.int64]
    others: NDArray[np.int64]
    draws: int = 0
    candidates: int | None = None

    @classmethod
    def without_draws(
        cls,
        question: Question[Summands],
        sigma: float,
        effort: Effort,
        *,
        pairwise_only: bool = False,
    ) -> "RunningBounds":
        """Upper bounds by Proposition 12 or a mixture, lower ones of the leaders by projection."""
        values, delta, targets = question.data.values, question.delta, question.targets
        pairwise = pairwise_bounds(values, sigma, delta)
        certain = pairwise
        if not pairwise_only:
            certain = np.minimum(pairwise, mixture_bounds(values, question.size, sigma, delta))
        expected = estimates(values, question.size, sigma, delta)
        ranking = targets[np.argsort(-expected[targets], kind="stable")]
        first = ranking[:_LEADERS]
        leaders = first[expected[first] >= _NEAR * expected[ranking[0]]]
        bounds = cls(
            question,
            sigma,
            pairwise,
            certain,
            certain.copy(),
            np.zeros(len(pairwise)),
            np.zeros(len(pairwise)),
            float(expected.max()),
            leaders,
            ranking[len(leaders) :],
        )
        bounds.project(leaders, effort)
        return bounds

    def project(self, records: NDArray[np.int64], effort: Effort) -> None:
        """Take exact lower bounds of some records, along one direction each."""
        lower = projected_lower_bounds(self.question, records, self.sigma, quiet(effort))
        self.projected[records] = np.minimum(lower, self.certain[records])
        self.lower[records] = np.maximum(self.lower[records], self.projected[records])

    def take(self, bounds: RecordBounds) -> None:
        """Take what a method found of some records, where it is narrower."""
        at = bounds.records
        self.upper[at] = np.minimum(self.upper[at], bounds.upper)
        lower = np.maximum(self.lower[at], bounds.lower)
        self.lower[at] = np.minimum(lower, self.upper[at])
        self.draws += bounds.draws or 0
        if bounds.candidates is not None:
            self.candidates = max(self.candidates or 0, bounds.candidates)

    def level(self) -> None:
        """Give every record the largest upper bound, where only that one holds for all.

        A record's own bound without draws is certain, and stays where it is smaller. The
        record that attains the largest is told from the others by one unit in the last place,
        upwards.
        """
        worst = int(np.argmax(self.upper))
        largest = self.upper[worst]
        self.upper = np.minimum(self.certain, largest)
        if self.upper[worst] < self.certain[worst]:
            self.upper[worst] = np.nextafter(largest, np.inf)
        self.lower = np.minimum(self.lower, self.upper)

    def record_bounds(self, drawn: Effort | None = None) -> RecordBounds:
        """All of it as one value; `drawn` is the effort behind random ends, if any are."""
        below = np.where(self.lower > self.projected, "threshold", "projection")
        below = np.where(self.lower == 0, "none", below)
        above = np.where(self.certain < self.pairwise, "mixture", "pairwise")
        above = np.where(self.upper < self.certain, "crowd", above)
        return RecordBounds(
            np.arange(len(self.upper)),
            self.lower,
            self.upper,
            Evidence.ENCLOSURE if drawn is None else Evidence.CONFIDENCE,
            confidence=None if drawn is None else drawn.confidence,
            draws=None if drawn is None else self.draws,
            seed=None if drawn is None else drawn.seed,
            lower_methods=below.tolist(),
            upper_methods=above.tolist(),
            pairwise=float(self.pairwise.max()),
            estimate=self.estimate,
            candidates=self.candidates,
        )
