"""An upper end that always holds: the noise alone hides the exchange of two records.

The in-law and the out-law are mixtures of shifted noise, coupled so that no shift exceeds the
distance of the record from another; the divergence is jointly convex.
"""

import math

import numpy as np
from numpy.typing import NDArray

from deniable._rounding import least
from deniable.mechanisms.gaussian import Gaussian
from deniable.population.real_sums.question import Question

_FINE = 200
"""Beyond so many places, all get the bound of the worst."""


def pairwise_limits(question: Question, places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Upper ends of ε̃ from each place's largest distance; infinite for pure Gaussian."""
    distances = np.array([question.farthest(int(place)) for place in places])
    if len(places) > _FINE:
        return np.full(len(places), _limit(question, float(distances.max())))
    return np.array([_limit(question, float(distance)) for distance in distances])


def _limit(question: Question, distance: float) -> float:
    noise, delta = question.noise, question.delta
    if not isinstance(noise, Gaussian):
        pure = noise.epsilon(distance)
        return least(lambda e: noise.delta(e, distance) <= delta, 0.0, pure) if pure else 0.0
    if delta == 0:
        return math.inf
    top = 1.0
    while not noise.satisfies(top, delta, distance):
        top *= 2
    return least(lambda e: noise.satisfies(e, delta, distance), 0.0, top)
