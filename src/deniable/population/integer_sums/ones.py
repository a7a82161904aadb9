r"""Counting queries: how many ones are in the sample, with noise, for populations of any size.

A sample of n with y ones has a certain one among them with probability y/K, and a certain zero
with probability (n − y)/(N − K). Hence the two laws of the count are those of all samples,
hypergeometric, times factors linear in y:

.. math:: \frac{\Pr[y|in]}{\Pr[y|out]} = \frac{y}{n} \Big/ \frac{K - y}{N - n}
          \text{ for a one},\qquad
          \frac{n - y}{n} \Big/ \frac{N - K - n + y}{N - n} \text{ for a zero.}

Both are monotone in y, and noise with a log-concave law keeps that: the suprema of the ratio are
its limits at the two ends, which are ratios of expectations under the law tilted by e^(±y/b).
"""

import math

import numpy as np

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.rounding import UNIT
from deniable.population.integer_sums.hockey_stick import least_epsilons
from deniable.population.integer_sums.hypergeometric import TiltedCounts, tilted_counts
from deniable.population.integer_sums.laws import Floats, SumLaws
from deniable.population.integer_sums.release import Noise, least_epsilons_of
from deniable.population.question import Ones

_LARGEST = 2**40
"""Records: a window of some million counts, each of which a float holds exactly."""


def one_and_zero(data: Ones, size: int, noise: Noise, delta: float) -> tuple[Floats, Floats]:
    """Enclosure of ε̃ of a noisy count, for a one and for a zero; shape (2,) each.

    Only the counts that carry the mass are looked at, and what the others can add is bounded.

    Raises
    ------
    InvalidArgument
        If there are more than 2^40 records.
    """
    everyone, k = data.population, data.ones
    if everyone > _LARGEST:
        raise InvalidArgument(f"Expected a population of at most 2^40, got {everyone}.")
    if data.constant:  # the count is no secret
        return np.zeros(2), np.zeros(2)
    n = min(size, everyone - size)
    if delta == 0:
        return _pure(k, everyone, n, noise)
    return _approximate(k, everyone, n, noise, delta)


def _factors(counts: Floats, k: int, everyone: int, n: int) -> Floats:
    """Proportional to Pr[in|y] and Pr[out|y] for a one and for a zero; shape (2, 2, n_counts)."""
    inside = np.stack([counts, n - counts])
    outside = np.stack([k - counts, everyone - k - n + counts])
    return np.stack([inside, outside])


def _pure(k: int, everyone: int, n: int, noise: Noise) -> tuple[Floats, Floats]:
    """The limits of the log-ratio at both ends."""
    even = math.log(everyone - n) - math.log(n)
    lower, upper = np.zeros(2), np.zeros(2)
    for counts in _tails(k, everyone, n, noise):
        # ln lim Pr[t|in]/Pr[t|out] = ln((N − n)/n) + ln Σ inside·weight − ln Σ outside·weight,
        # the weights tilted by ±1/b.
        factors = _factors(counts.counts.astype(np.float64), k, everyone, n)
        for kind in (0, 1):
            inside, outside = (counts.log_sum(factor[kind]) for factor in factors)
            low, high = even + inside[0] - outside[1], even + inside[1] - outside[0]
            slack = UNIT * 8 * (abs(even) + sum(map(abs, (*inside, *outside))) + 1)
            if not math.isfinite(slack):
                lower[kind] = upper[kind] = math.inf
                continue
            lower[kind] = max(lower[kind], low - slack, -high - slack)
            upper[kind] = max(upper[kind], high + slack, -low + slack)
    return lower, upper


def _tails(k: int, everyone: int, n: int, noise: Noise) -> list[TiltedCounts]:
    """The law of the count as outputs far to the left and to the right weigh it."""
    if isinstance(noise, DiscreteLaplace):
        return [tilted_counts(k, everyone, n, sign / noise.scale) for sign in (-1, 1)]
    extremes = (max(0, n - (everyone - k)), min(n, k))
    return [TiltedCounts.at(end) for end in extremes]


def _approximate(
    k: int, everyone: int, n: int, noise: Noise, delta: float
) -> tuple[Floats, Floats]:
    return least_epsilons_of(_laws(k, everyone, n, delta), noise, delta, min(n, k))


def without_noise(data: Ones, size: int, delta: float) -> tuple[Floats, Floats]:
    """Enclosure of ε̃ of a count that is published as it is; as `one_and_zero`, δ in (0, 1)."""
    if data.population > _LARGEST:
        raise InvalidArgument(f"Expected a population of at most 2^40, got {data.population}.")
    if data.constant:
        return np.zeros(2), np.zeros(2)
    n = min(size, data.population - size)
    laws = _laws(data.ones, data.population, n, delta)
    missing = (np.exp(laws.below) + np.exp(laws.above)) * (1 + 1e-9)
    low, high = np.exp(laws.low) * (1 - 4 * UNIT), np.exp(laws.high) * (1 + 4 * UNIT)
    return least_epsilons(low, high, missing, delta)


def _laws(k: int, everyone: int, n: int, delta: float) -> SumLaws:
    """Of the count, for a one and for a zero."""
    counts = tilted_counts(k, everyone, n, 0.0, min(1e-30, max(delta * 1e-20, 1e-290)))
    factors = _factors(counts.counts.astype(np.float64), k, everyone, n)
    low, high = (np.full(factors.shape, -np.inf) for _ in range(2))
    beyond = np.full((2, 2, 2), -np.inf)
    for place in np.ndindex(2, 2):
        factor = factors[place]
        least, most = counts.log_sum(factor)
        with np.errstate(divide="ignore"):
            logs = counts.logs + np.log(factor)
        error = counts.errors + UNIT * 4 * (2 + np.where(factor > 0, np.abs(logs), 0.0))
        low[place], high[place] = logs - error - most, logs + error - least
        beyond[0][place] = counts.log_rest(factor, below=True) - least
        beyond[1][place] = counts.log_rest(factor, below=False) - least
    return SumLaws(low, high, *beyond)
