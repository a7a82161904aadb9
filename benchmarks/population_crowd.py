"""Certified brackets of ε̃ in any dimension.

Records X ~ N(0, I_d), half of them sampled, the mean with Gaussian noise such that ε(X) = 10 at
δ = 0.01, the worst record by the Gaussian estimate. A line says the estimate, the bracket, K, the
draws. The lower end of one record is by the attack on the same draws, as of a query; where all
records are bracketed, by projection. Memory is the process's peak so far. An argument "quick"
keeps to the small cases; "long" is δ = 10⁻⁵ with the time that it takes, an hour and a half.
"""

import math
import resource
import sys
import time

import attrs
import numpy as np
from scipy.optimize import brentq
from scipy.spatial.distance import pdist
from scipy.special import ndtr

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.mechanisms import Gaussian
from deniable.numerics.effort import Effort
from deniable.population.answer.answer import RecordBounds
from deniable.population.bounds import gaussian_shifts
from deniable.population.question import Question, Summands
from deniable.population.vector_sums import bracket
from deniable.population.vector_sums.releases import SumRelease
from deniable.population.vector_sums.search import intervals

DELTA, EPSILON = 0.01, 10.0


def excess(mu: float, epsilon: float) -> float:
    """δ(ε) of two normal laws μ apart."""
    low = ndtr(-mu / 2 - epsilon / mu)
    return float(ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * low)


@attrs.frozen(eq=False)
class Case:
    """A parent set, and noise on the sum."""

    dimension: int
    size: int
    seed: int = 1

    @property
    def values(self) -> np.ndarray:
        """The records."""
        return np.random.default_rng(self.seed).normal(size=(2 * self.size, self.dimension))

    @property
    def sigma(self) -> float:
        """Noise at which the largest change between adjacent samples costs ε(X)."""
        mu = brentq(lambda m: excess(m, EPSILON) - DELTA, 0.1, 30)
        return float(pdist(self.values).max() / mu)

    @property
    def release(self) -> SumRelease:
        """In units of the noise."""
        return SumRelease.of(self.values, self.size, self.sigma)

    @property
    def worst(self) -> int:
        """The record that the Gaussian estimate ranks first."""
        return int(np.argmax(gaussian_shifts(self.values, self.size, self.sigma)))

    @property
    def estimate(self) -> float:
        """Its Gaussian estimate of ε̃."""
        mu = float(gaussian_shifts(self.values, self.size, self.sigma).max())
        return float(brentq(lambda e: excess(mu, e) - DELTA, 0, 50))


def exact(case: Case) -> float:
    """ε̃ in one dimension: the law of a subset's sum on a fine lattice, by its recursion."""
    points, step = case.release.points[:, 0], 0.004
    others, record = np.delete(points, case.worst), points[case.worst]
    places = np.rint((others - others.min()) / step).astype(int)
    law = np.zeros((case.size + 1, int(np.sort(places)[-case.size :].sum()) + 1))
    law[0, 0] = 1
    for place in places:
        shifted = law[:-1, : law.shape[1] - place]
        law[1:, place:] += shifted.copy()
    grids = []
    for count, shift in ((case.size - 1, record), (case.size, 0.0)):
        sums = np.arange(law.shape[1]) * step + count * others.min() + shift
        grids.append((sums, law[count] / law[count].sum()))
    edges = np.arange(-60.0, 60.0, 0.004)
    p, q = (np.histogram(sums, edges, weights=mass)[0] for sums, mass in grids)
    kernel = np.exp(-(np.arange(-8, 8.001, 0.004) ** 2) / 2)
    p, q = (np.convolve(each, kernel / kernel.sum(), "same") for each in (p, q))

    def reached(a: np.ndarray, b: np.ndarray) -> float:
        return float(brentq(lambda e: np.maximum(a - math.exp(e) * b, 0).sum() - DELTA, 0, 50))

    return max(reached(p, q), reached(q, p))


def line(title: str, case: Case, found: RecordBounds, seconds: float, target: str) -> None:
    """One bracket and what it took."""
    whole = found.maximum()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{title:<28} estimate {case.estimate:6.3f}   [{whole.lower:6.3f}, {whole.upper:6.3f}]   "
        f"ratio {whole.upper / max(whole.lower, 1e-9):5.3f}   K {found.candidates:4d}   "
        f"draws {found.draws:9,d}   "
        f"{seconds:6.1f} s   peak {peak:4.2f} GB   {target}".rstrip(),
        flush=True,
    )


def worst_record(case: Case, gap: float, target: str) -> None:
    """One record, as narrow as asked."""
    start = time.perf_counter()
    effort = Effort(gap=gap, time_limit=120, workers=2)
    found = intervals(case.release, np.array([case.worst]), DELTA, effort)
    seconds = time.perf_counter() - start
    line(f"d = {case.dimension}, n = {case.size}, worst", case, found, seconds, target)


def within(population: int, dimension: int, delta: float, seconds: float) -> None:
    """The worst of all records within a time limit, on one core; σ = 4."""
    values = np.random.default_rng(0).normal(size=(population, dimension))
    question = Question(Summands(values), population // 2, delta)
    start = time.process_time()
    found = bracket(question, Gaussian(4.0), Effort(gap=0.05, time_limit=seconds))
    whole = found.maximum()
    print(
        f"N = {population}, d = {dimension}, δ = {delta:g}, {seconds:g} s: "
        f"estimate {found.estimate:6.3f}   [{whole.lower:6.3f}, {whole.upper:6.3f}]   "
        f"upper/estimate {whole.upper / found.estimate:5.3f}   pairwise {found.pairwise:6.3f}   "
        f"draws {found.draws:9,d}   {time.process_time() - start:5.1f} CPU s",
        flush=True,
    )


def every_record(case: Case, gap: float, target: str) -> None:
    """All records, as `--records all` brackets them; the widest of their brackets too."""
    start = time.perf_counter()
    effort = Effort(gap=gap, time_limit=300, workers=2)
    question = Question(Summands(case.values), case.size, DELTA, "all")
    found = bracket(question, Gaussian(case.sigma), effort)
    seconds = time.perf_counter() - start
    ratios = found.upper / np.maximum(found.lower, 1e-9)
    print(
        f"d = {case.dimension}, n = {case.size}, all: upper/lower over records "
        f"median {np.median(ratios):5.3f}   largest {ratios.max():5.3f}   "
        f"draws {found.draws:9,d}   {seconds:6.1f} s   {target}",
        flush=True,
    )


def main() -> None:
    """Print a line a case."""
    quick = "quick" in sys.argv[1:]
    if sized(False, True):
        within(10, 2, 0.1, 1.0)
        return
    if "long" in sys.argv[1:]:
        within(400, 5, 1e-5, 4200.0)
        within(1000, 5, 1e-5, 7300.0)
        return
    print(f"d = 1: exact {exact(Case(1, 100)):.4f}")
    worst_record(Case(1, 100), 0.02, "target: within 1 % of exact")
    worst_record(Case(2, 100), 0.05, "")
    worst_record(Case(5, 100), 0.05, "target: within 25 %, aim 8 %")
    for population in (200, 400, 1000):
        for dimension in (2, 5):
            within(population, dimension, 0.01, 15.0)
            within(population, dimension, 1e-5, 15.0)
    within(400, 5, 1e-3, 15.0)
    if quick:
        return
    worst_record(Case(20, 100), 0.1, "target: within 60 %, aim 25 %")
    worst_record(Case(100, 100), 0.2, "")
    worst_record(Case(5, 1000), 0.1, "shown")
    every_record(Case(5, 100), 0.25, "target: within 50 %, aim 30 %")


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
