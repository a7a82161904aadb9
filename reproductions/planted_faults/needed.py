"""How many runs any audit needs for faults of the sparse vector technique, by theory.

    python -m reproductions.planted_faults.needed

DP-Sniper's SVT3, SVT4, SVT6 and SVT34Parallel with ε = .1 on ten queries. Given the threshold's
noise r the queries are independent, so that each output's chance is an integral over r, and both
laws P and Q of a pair of inputs are known. The claim holds on the pair if no output's log ratio
passes ε. Otherwise a sequential test of level α that makes every other run with either input needs

    ln(1/α) / min ½ (KL(P‖P') + KL(Q‖Q'))

runs in the mean, the minimum over all pairs of laws that keep the claim: no bet against all of
them grows faster. Values of SVT3 are cut into bins, so that its figures are of what the bins tell.
"""

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import laplace

from reproductions._output import markdown_table
from reproductions.planted_faults.cases import QUERIES, patterns

EPSILON, THRESHOLD, ALPHA = 0.1, 1.0, 0.05
POINTS = 4_000
"""Values of the threshold's noise, of equal weight."""

Law = NDArray[np.float64]


@attrs.frozen
class Vector:
    """A sparse vector technique: scales of both noises, and after how many truths it stops.

    With `bins` the noisy value of a query above the threshold is published, in so many bins.
    """

    of_threshold: float
    of_query: float
    most: int = QUERIES
    bins: int = 1

    def law(self, inputs: Sequence[int]) -> Law:
        """The chance of each output, always in the same order."""
        r = laplace.ppf((np.arange(POINTS) + 0.5) / POINTS, scale=self.of_threshold) + THRESHOLD
        edges = laplace.ppf(np.linspace(0, 1, self.bins + 1), THRESHOLD, self.of_query)
        live, ended = [(np.ones_like(r), 0)], []
        for x in inputs:
            below = laplace.cdf(r - x, scale=self.of_query)
            above = laplace.sf(np.maximum(edges[:, None], r) - x, scale=self.of_query)
            above = above[:-1] - above[1:]
            goes_on = [(weight * below, truths) for weight, truths in live]
            for weight, truths in live:
                if truths + 1 == self.most:
                    ended += list((above @ weight) / POINTS)
                else:
                    goes_on += [(weight * part, truths + 1) for part in above]
            live = goes_on
        return np.array([*ended, *(weight.mean() for weight, _ in live)])


def runs_needed(p: Law, q: Law) -> float:
    """The mean number of runs; infinite where the claim holds on this pair."""

    def nearest(multiplier: float) -> tuple[Law, Law]:
        # Of Σ −p ln a − q ln b + λ a + μ b with |ln a/b| ≤ ε; λ + μ = 2 as both laws add up to 1.
        other, e = 2 - multiplier, np.exp(EPSILON)
        a, b = p / multiplier, q / other
        high, low = (p + q) / (multiplier * e + other), (p + q) / (multiplier + other * e)
        is_high, is_low = a > e * b, b > e * a
        a = np.where(is_high, e * high, np.where(is_low, low, a))
        b = np.where(is_high, high, np.where(is_low, e * low, b))
        return a, b

    root = brentq(lambda multiplier: nearest(multiplier)[0].sum() - 1, 1e-3, 2 - 1e-3, xtol=1e-14)
    a, b = nearest(root)
    distance = (p @ np.log(p / a) + q @ np.log(q / b)) / 2
    return float(np.log(1 / ALPHA) / distance) if distance > 1e-12 else np.inf


def main() -> None:
    """Print the pair of inputs that shows most of each fault."""
    half, quarter = EPSILON / 2, EPSILON / 4
    alone: dict[str, tuple[Vector, ...]] = {
        "SparseVectorTechnique3": (Vector(1 / half, 1 / half, 1, bins=40),),
        "SparseVectorTechnique4": (Vector(1 / quarter, 1 / (EPSILON - quarter), 1),),
        "SparseVectorTechnique6": (Vector(1 / half, 1 / half),),
        "SVT34Parallel": (
            Vector(1 / half, 2 / half, 2, bins=6), Vector(1 / quarter, 1 / (EPSILON - quarter), 2),
        ),
    }  # fmt: skip
    rows = []
    for name, vectors in alone.items():
        tried = []
        for pair in patterns(QUERIES):
            p, q = np.ones(1), np.ones(1)
            for vector in vectors:
                p, q = (
                    np.outer(one, vector.law(x)).ravel()
                    for one, x in zip((p, q), pair, strict=True)
                )
            tried.append((runs_needed(p, q), np.abs(np.log(p / q)).max(), pair))
        runs, loss, pair = min(tried, key=lambda each: each[0])
        shown = sum(np.isfinite(each[0]) for each in tried)
        rows.append((name, f"{loss:.3f}", f"{shown} of {len(tried)}", f"{runs:,.0f}", str(pair)))
    print(
        markdown_table(("mechanism", "ε on the pair", "pairs that show it", "runs", "pair"), rows)
    )


if __name__ == "__main__":
    main()
