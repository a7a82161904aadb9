"""ε̃ of a sum of vectors with Gaussian noise: bracketed by the best of several methods."""

from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.bounds import Evidence
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds import MANY, estimates, pairwise_bounds
from deniable.population.vector_sums.ceiling import ceilings
from deniable.population.vector_sums.projection import projected_lower_ends
from deniable.population.vector_sums.release import Release
from deniable.population.vector_sums.result import CrowdResult
from deniable.population.vector_sums.search import crowd_search
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import late, left, limited

FEW = 4
"""Records, ranked by the estimate, that may turn out to be the worst."""
_NEAR = 0.85
_GROUP = 8
_LEADERS_SHARE = 0.5
_LEAST_SECONDS = 0.1


@attrs.frozen(eq=False)
class VectorSum:
    """The sum over a uniform sample of vectors.

    Parameters
    ----------
    values : array of float, shape (n_records, n_columns)
        What each record adds.
    size : int
        n.
    delta : float
        In (0, 1).
    asked : {"worst", "all"}
        Whether each record is to be bracketed, or only the worst.
    """

    values: NDArray[np.float64]
    size: int
    delta: float
    asked: Literal["worst", "all"] = "worst"

    def pairwise(self, sigma: float, effort: Effort) -> RecordBounds:
        """Upper ends by Proposition 12, lower ends by projection; no draws."""
        with limited(effort.time_limit):
            ends = _Ends.of(self, sigma, effort)
        effort.progress(1.0)
        return ends.bracket(self.estimate(sigma), None)

    def crowd(self, sigma: float, effort: Effort) -> RecordBounds:
        """Upper ends by the crowd where it is below Proposition 12; every record has one.

        Half of the failure probability is for the few records that may be the worst. The rest
        is for the others: with "worst" they are shown to stay below, with "all" each is
        bracketed. What time does not allow keeps its pairwise bound.
        """
        with limited(effort.time_limit):
            ends = _Ends.of(self, sigma, effort)
            if not late():
                self._draw(sigma, ends, effort)
        effort.progress(1.0)
        return ends.bracket(self.estimate(sigma), effort)

    def _draw(self, sigma: float, ends: "_Ends", effort: Effort) -> None:
        alpha, leaders = (1 - effort.confidence) / 2, ends.leaders
        work = _within(effort, alpha, left() * _LEADERS_SHARE)
        ends.take(self._searched(sigma, leaders, ends, work), leaders)
        effort.progress(0.5)
        if self.asked == "all":
            self._bracket_others(sigma, ends, effort, alpha)
        else:
            self._keep_others_below(sigma, ends, effort, alpha)

    def estimate(self, sigma: float) -> float:
        """The largest Gaussian estimate; no bound."""
        return float(estimates(self.values, self.size, sigma, self.delta).max())

    def _searched(
        self,
        sigma: float,
        records: NDArray[np.int64],
        ends: "_Ends",
        effort: Effort,
    ) -> CrowdResult:
        known = ends.lower[records]
        return crowd_search(
            self.values,
            self.size,
            sigma,
            self.delta,
            records=records.tolist(),
            effort=effort,
            lower=known if known.all() else None,
            fallback=ends.fallback[records],
        )

    def _bracket_others(self, sigma: float, ends: "_Ends", effort: Effort, alpha: float) -> None:
        others = ends.others()
        for start in range(0, len(others), _GROUP):
            if late():
                break
            group = others[start : start + _GROUP]
            share = len(group) / len(others)
            ends.project(self, sigma, group, effort)
            time_left = left() * len(group) / (len(others) - start)
            work = _within(effort, alpha * share, time_left)
            ends.take(self._searched(sigma, group, ends, work), group)
            effort.progress(0.5 + 0.5 * (start + len(group)) / len(others))

    def _keep_others_below(self, sigma: float, ends: "_Ends", effort: Effort, alpha: float) -> None:
        ceiling = float(ends.upper[ends.leaders].max())
        others = ends.others()
        others = others[ends.upper[others] > ceiling]
        # What time does not allow keeps its pairwise bound: the largest of them come first.
        others = others[np.argsort(-ends.upper[others], kind="stable")]
        found = ceilings(
            Release.of(self.values, self.size, sigma),
            others,
            self.delta,
            ceiling,
            attrs.evolve(effort, confidence=1 - alpha),
            progress=lambda share: effort.progress(0.5 + 0.5 * share),
        )
        ends.upper[others] = np.minimum(ends.upper[others], found.upper)
        ends.draws += found.draws


@attrs.define(eq=False)
class _Ends:
    """Both ends of every record, while methods improve them."""

    fallback: NDArray[np.float64]
    upper: NDArray[np.float64]
    lower: NDArray[np.float64]
    projected: NDArray[np.float64]
    ranking: NDArray[np.int64]
    leaders: NDArray[np.int64]
    draws: int = 0
    candidates: int | None = None

    @classmethod
    def of(cls, vectors: VectorSum, sigma: float, effort: Effort) -> "_Ends":
        """From the bounds without draws."""
        fallback = pairwise_bounds(vectors.values, sigma, vectors.delta)
        ranks = estimates(vectors.values, vectors.size, sigma, vectors.delta)
        ranking = np.argsort(-ranks, kind="stable")
        leaders = ranking[:FEW][ranks[ranking[:FEW]] >= _NEAR * ranks[ranking[0]]]
        none = np.zeros(len(fallback))
        ends = cls(fallback, fallback.copy(), none, none.copy(), ranking, leaders)
        ends.project(vectors, sigma, leaders, effort)
        return ends

    def project(
        self, vectors: VectorSum, sigma: float, records: NDArray[np.int64], effort: Effort
    ) -> None:
        """Exact lower ends of some records, along one direction each."""
        quiet = attrs.evolve(effort, progress=_silent)
        lower = np.minimum(
            projected_lower_ends(
                vectors.values, vectors.size, sigma, vectors.delta, records.tolist(), quiet
            ),
            self.fallback[records],
        )
        self.lower[records] = self.projected[records] = lower

    def others(self) -> NDArray[np.int64]:
        """All records but the leaders, the largest expected ε̃ first."""
        return self.ranking[~np.isin(self.ranking, self.leaders)]

    def take(self, found: CrowdResult, records: NDArray[np.int64]) -> None:
        """Improve the ends of some records."""
        self.upper[records] = np.minimum(self.upper[records], found.bounds.upper)
        lower = np.maximum(self.lower[records], found.bounds.lower)
        self.lower[records] = np.minimum(lower, self.upper[records])
        self.draws += found.draws
        self.candidates = max(self.candidates or 0, found.candidates)

    def bracket(self, estimate: float, drawn: Effort | None) -> RecordBounds:
        """All of it as one value; `drawn` is the effort behind random ends, if any are."""
        below = np.where(self.lower > self.projected, "threshold", "projection")
        below = np.where(self.lower == 0, "none", below)
        few = len(self.fallback) <= MANY
        without_draws = "pairwise" if few else "restricted-sensitivity"
        above = np.where(self.upper < self.fallback, "crowd", without_draws)
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
            pairwise=float(self.fallback.max()) if few else None,
            estimate=estimate,
            candidates=self.candidates,
        )


def _within(effort: Effort, alpha: float, seconds: float) -> Effort:
    return attrs.evolve(
        effort,
        confidence=1 - alpha,
        time_limit=max(seconds, _LEAST_SECONDS),
        progress=_silent,
    )


def _silent(_: float) -> None:
    """Report nothing: the caller reports the progress of the whole."""
