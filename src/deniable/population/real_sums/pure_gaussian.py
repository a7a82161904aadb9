"""δ = 0 under Gaussian noise: infinite, unless neither tail tells whether a record is in."""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.population.real_sums.question import Intervals, Question

_ROUNDING = 1e-14
"""Relative error of a logarithm of a ratio, with room."""


def pure_gaussian_epsilons(question: Question, places: NDArray[np.int64]) -> Intervals:
    """Ends of sup |ln(p/q)|.

    In the right tail the largest sum decides. It is the same with the record and without it only
    if the record ties at the n-th place from above; then the ratio tends to that of the chances
    of the largest sum, k/(c−k)·(N−n)/n with c records of that value of which k are in it. The
    same from below. Where both tails are finite the supremum is, but it may lie between them: the
    upper end stays infinite. Some record of every set that is not constant has an infinite one.
    """
    lower = np.array([_tails(question, int(place)) for place in places])
    return Intervals(places, lower, np.full(len(places), np.inf))


def _tails(question: Question, place: int) -> float:
    """The larger |ln ratio| of both tails, rounded down."""
    counts, n = question.counts, question.size
    same, odds = int(counts[place]), math.log((counts.sum() - n) / n)
    found = 0.0
    for beyond in (counts[place + 1 :], counts[:place]):
        taken = n - int(beyond.sum())
        if not 0 < taken < same:
            return math.inf
        found = max(found, abs(math.log(taken / (same - taken)) + odds))
    return found * (1 - _ROUNDING)
