"""An upper end that always holds: the noise alone hides the exchange of two records.

The in-law and the out-law are mixtures of shifted noise, coupled so that no shift exceeds the
distance of the record from another; the divergence is jointly convex.
"""

import math

import numpy as np
from numpy.typing import NDArray

from deniable._rounding import least
from deniable.mechanisms.gaussian import Gaussian
from deniable.population.real_sums.problem import Problem

_FINE = 200
"""Beyond so many targets, all get the bound of the worst."""


def pairwise_limits(problem: Problem, targets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Upper ends of ε̃ from each target's largest distance; infinite for pure Gaussian."""
    distances = np.array([problem.farthest(int(target)) for target in targets])
    if len(targets) > _FINE:
        return np.full(len(targets), _limit(problem, float(distances.max())))
    return np.array([_limit(problem, float(distance)) for distance in distances])


def _limit(problem: Problem, distance: float) -> float:
    noise, delta = problem.noise, problem.delta
    if not isinstance(noise, Gaussian):
        pure = noise.epsilon(distance)
        return least(lambda e: noise.delta(e, distance) <= delta, 0.0, pure) if pure else 0.0
    if delta == 0:
        return math.inf
    top = 1.0
    while not noise.satisfies(top, delta, distance):
        top *= 2
    return least(lambda e: noise.satisfies(e, delta, distance), 0.0, top)
