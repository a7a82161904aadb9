"""Both ends of every record of a sum of vectors, while one method after the other narrows them."""

import math
from collections.abc import Callable, Iterable

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population import real_sums
from deniable.population.answer import RecordBounds
from deniable.population.bounds import direction, estimates, mixture_bounds, pairwise_bounds
from deniable.population.question import Floats, Question, Summands
from deniable.population.vector_sums.search import quiet

# --- Lower bounds by projection: an attacker may look along one direction only.
#
# u·A(D) = Σ_{i∈D} u·x_i + N(0, σ²) for a unit vector u is post-processing of the release, so its
# exact ε̃ is a lower bound on that of the vector, without sampling.


_MOST_LOST = 0.5
"""Share of 1 − δ beyond which rounding takes too much of δ, and the lower bound is 0."""


def projected_lower_bounds(
    question: Question[Summands], records: Iterable[int], sigma: float, effort: Effort
) -> Floats:
    """Lower bounds on ε̃ of some records, each along the direction where it shows most.

    Parameters
    ----------
    question : Question
        The parent set, n, and δ in (0, 1).
    records : iterable of int
        Positions of the records asked for.
    sigma : float
        Standard deviation of the noise on the sum, in every coordinate.
    effort : Effort
        Workers and checkpoint of the one-dimensional analysis.

    Returns
    -------
    array of float, shape (n_records asked for,)
        ≥ 0.
    """
    return np.array([_lower_bound(question, int(record), sigma, effort) for record in records])


def lower_bound_despite_rounding(
    analysis: Callable[[float], RecordBounds], delta: float, moved: float
) -> float:
    """The lower bound of an analysis of laws that each are moved in total variation by rounding.

    The first pass finds ε; the second asks for it at a δ that is larger by (1 + e^ε) times what
    the laws moved, so that what it finds holds for the exact laws.

    Parameters
    ----------
    analysis : callable
        δ to the bounds of one record.
    delta : float
        In (0, 1).
    moved : float
        Total variation between either law and what was analysed in its place, ≥ 0.
    """
    end, allowed = 0.0, delta
    for _ in range(2):
        bounds = analysis(allowed)
        if bounds.evidence > Evidence.ENCLOSURE:
            return 0.0
        end = float(bounds.lower[0])
        lost = (1 + math.exp(min(end, 700.0))) * moved
        if lost > _MOST_LOST * (1 - delta):
            return 0.0
        allowed = delta + lost * (1 + 1e-12)
    return end


def _lower_bound(question: Question[Summands], record: int, sigma: float, effort: Effort) -> float:
    values, size = question.data.values, question.size
    along = direction(values, size, sigma, record)
    centred = values - values.mean(axis=0)  # moves every sum alike
    projected = Summands(centred @ along)
    # A projected number is off by rounding, a sum by η, which moves either law by at most
    # 0.4 η/σ in total variation.
    largest = float(np.abs(centred).max()) * math.sqrt(values.shape[1])
    off = size * 2e-16 * (values.shape[1] + 4) * largest
    # The unit vector is one only up to rounding: too long is too much.
    noise = Gaussian(sigma * float(np.linalg.norm(along)) * (1 + 1e-14))

    def analysis(delta: float) -> RecordBounds:
        return real_sums.bracket(Question(projected, size, delta, [record]), noise, effort)

    return lower_bound_despite_rounding(analysis, question.delta, 0.4 * off / sigma)


# --- Both ends of every record of a sum of vectors, while one method after the other narrows them.


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
