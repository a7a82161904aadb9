"""δ = 0 under Gaussian noise: infinite, unless neither tail tells whether a record is in."""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.population.real_sums.problem import Problem

_ROUNDING = 1e-14
"""Relative error of a logarithm of a ratio, with room."""


def pure_gaussian_epsilons(
    problem: Problem, targets: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of sup |ln(p/q)|.

    In the right tail the largest sum decides. It is the same with the record and without it only
    if the record ties at the n-th target from above; then the ratio tends to that of the chances
    of the largest sum, k/(c−k)·(N−n)/n with c records of that value of which k are in it. The
    same from below. Where both tails are finite the supremum is, but it may lie between them: the
    upper end stays infinite. Some record of every set that is not constant has an infinite one.
    """
    lower = np.array([_tails(problem, int(target)) for target in targets])
    return lower, np.full(len(targets), np.inf)


def _tails(problem: Problem, target: int) -> float:
    """The larger |ln ratio| of both tails, rounded down."""
    counts, n = problem.counts, problem.size
    same, odds = int(counts[target]), math.log((counts.sum() - n) / n)
    found = 0.0
    for beyond in (counts[target + 1 :], counts[:target]):
        taken = n - int(beyond.sum())
        if not 0 < taken < same:
            return math.inf
        found = max(found, abs(math.log(taken / (same - taken)) + odds))
    return found * (1 - _ROUNDING)
