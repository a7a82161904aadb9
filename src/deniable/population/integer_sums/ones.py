"""Counting queries: how many ones are in the sample, with noise, for populations of any size.

The two laws of the count are those of all samples, hypergeometric, times factors linear in y, with
the ratio y/n ÷ (K − y)/(N − n) for a one, and the same of n − y and N − K for a zero. Both are
monotone, and noise with a log-concave law keeps that: the suprema are limits at the two ends,
ratios of expectations under the law tilted by e^(±y/b).
"""

import math
from collections.abc import Callable

import attrs
import numpy as np

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.effort import check
from deniable.numerics.rounding import UNIT
from deniable.numerics.search import bisect_integers
from deniable.population.integer_sums.multiset import SumLaws
from deniable.population.integer_sums.release import IntegerNoise, least_epsilons, least_epsilons_of
from deniable.population.question import Floats, Ints, Ones

_STEEP = 100.0  # Tilts beyond leave a few terms at one end; populations stay below e^28
_FLOOR = -700.0  # Logarithms below it may have underflowed


@attrs.frozen
class Rest:
    """Weights beyond a window, at most w, wρ, wρ², …: log is ln w/(1 − ρ), stretch 1/(1 − ρ)."""

    log: float = -math.inf
    stretch: float = 1.0


@attrs.frozen(eq=False)
class TiltedCounts:
    """Weights ∝ Pr[y ones in the sample]·e^(τy), from the mode outwards.

    Ratios of neighbours fall as y grows, so products from the mode lose a few units a step, and
    what lies beyond the window is at most a geometric series.
    """

    counts: Ints  # (n_counts,): the y of the window, ascending
    logs: Floats  # (n_counts,): ln weight, 0 at the mode
    errors: Floats  # (n_counts,): relative error of each weight
    # below, above: what lies beyond each end.
    below: "Rest"
    above: "Rest"

    @classmethod
    def at(cls, count: int) -> "TiltedCounts":
        """All the mass at one count: the limit of an endless tilt."""
        return cls(np.array([count]), np.zeros(1), np.zeros(1), Rest(), Rest())

    def log_sum(self, factor: Floats) -> tuple[float, float]:
        """Enclosure of ln Σ factor·weight over all y; the factor is >= 0 and linear in y."""
        some = factor > 0
        if not some.any():
            return -math.inf, math.inf
        peak = float(self.logs[some].max())
        terms = np.where(some, np.exp(np.minimum(self.logs - peak, 0.0)) * factor, 0.0)
        total = math.fsum(terms)
        lost = math.fsum(terms * self.errors) + total * UNIT * 8
        rest = sum(math.exp(self.log_rest(factor, below=below) - peak) for below in (True, False))
        low, high = math.log(total - lost), math.log(total + lost + rest)
        rounding = 4 * UNIT * (1 + abs(low) + abs(high) + abs(peak))
        return peak + low - rounding, peak + high + rounding

    def log_rest(self, factor: Floats, *, below: bool) -> float:
        """ln of a bound on Σ factor·weight on one side of the window; the factor is linear in y.

        With f the factor at the end and g its slope, Σ ρ^i (f + (i + 1) g) over i >= 0 is
        f/(1 − ρ) + g/(1 − ρ)².
        """
        side, edge = (self.below, factor[0]) if below else (self.above, factor[-1])
        slope = abs(float(factor[-1] - factor[0])) / max(len(factor) - 1, 1)
        return side.log + math.log(float(edge) + slope * side.stretch + 1e-300) + 1e-9


def tilted_counts(
    ones: int, population: int, size: int, tilt: float, outside: float = 1e-30
) -> TiltedCounts:
    """The window beyond which less than `outside` of the mode's weight lies on each side."""
    least, most = max(0, size - (population - ones)), min(ones, size)

    def log_ratio(y: Ints) -> Floats:
        # ln Pr[y + 1]/Pr[y] + τ
        up, down = (ones - y) * 1.0 * (size - y), (y + 1.0) * (population - ones - size + y + 1)
        return np.asarray(np.log(up / down) + tilt)

    # The first y from which the weights fall; `most` if they never do.
    mode = 1 + bisect_integers(lambda y: bool(log_ratio(np.array([y]))[0] > 0), least - 1, most)
    up = _side(lambda j: log_ratio(mode + j), most - mode, tilt, outside)
    down = _side(lambda j: -log_ratio(mode - 1 - j), mode - least, tilt, outside)
    counts = np.arange(mode - len(down[0]), mode + len(up[0]) + 1)
    zero = np.zeros(1)
    return TiltedCounts(
        counts,
        np.concatenate([down[0][::-1], zero, up[0]]),
        np.concatenate([down[1][::-1], zero, up[1]]),
        down[2],
        up[2],
    )


def _side(
    log_ratio: Callable[[Ints], Floats], steps: int, tilt: float, outside: float
) -> tuple[Floats, Floats, Rest]:
    """Log-weights and errors from next to the mode on, and what lies beyond them."""
    length, rest = min(steps, 64), Rest()
    while True:
        check(100.0 * length)  # Nanoseconds of a count: four logarithms. Nominal.
        ratios = log_ratio(np.arange(length))
        if abs(tilt) > _STEEP:
            logs = np.cumsum(ratios)
        else:  # through products, which err less than sums of many terms
            with np.errstate(divide="ignore", under="ignore"):
                logs = np.log(np.cumprod(np.exp(ratios)))
        if length == steps:
            break
        # Beyond the window weights fall at least by r = e^fall a step: w r/(1 − r) in all.
        fall = float(log_ratio(np.array([length]))[0]) + 1e-12
        if fall < 0:
            stretch = -1 / math.expm1(fall)
            last = max(float(logs[-1]), _FLOOR) if abs(tilt) <= _STEEP else float(logs[-1])
            rest = Rest(last + fall + math.log(stretch) + 1e-9, stretch * (1 + 1e-9))
            if rest.log < math.log(outside):
                break
        length = min(steps, 2 * length)
        rest = Rest()
    seen = np.maximum(np.abs(ratios), 0.0) * 2 + np.minimum(np.abs(logs), -_FLOOR)
    return logs, np.cumsum(8 + abs(tilt) + seen) * UNIT, rest


_LARGEST = 2**40  # Records: a window of some million counts, each of which a float holds exactly


def one_and_zero(data: Ones, size: int, noise: IntegerNoise, delta: float) -> tuple[Floats, Floats]:
    """Enclosure of ε̃ of a noisy count, for a one and for a zero; shape (2,) each.

    Only the counts that carry the mass are looked at, and what the others can add is bounded.

    Raises `InvalidArgument` if there are more than 2^40 records.
    """
    everyone, k = data.population, data.ones
    if everyone > _LARGEST:
        raise InvalidArgument(f"Expected a population of at most 2^40, got {everyone}.")
    if data.constant:  # the count is no secret
        return np.zeros(2), np.zeros(2)
    n = min(size, everyone - size)
    if delta == 0:
        # The limits of the log-ratio at both ends.
        even = math.log(everyone - n) - math.log(n)
        lower, upper = np.zeros(2), np.zeros(2)
        # The law of the count as outputs far to the left and to the right weigh it.
        if isinstance(noise, DiscreteLaplace):
            tails = [tilted_counts(k, everyone, n, sign / noise.scale) for sign in (-1, 1)]
        else:
            tails = [TiltedCounts.at(end) for end in (max(0, n - (everyone - k)), min(n, k))]
        for counts in tails:
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
    return least_epsilons_of(_laws(k, everyone, n, delta), noise, delta, min(n, k))


def _factors(counts: Floats, k: int, everyone: int, n: int) -> Floats:
    """Proportional to Pr[in|y] and Pr[out|y] for a one and for a zero; shape (2, 2, n_counts)."""
    inside = np.stack([counts, n - counts])
    outside = np.stack([k - counts, everyone - k - n + counts])
    return np.stack([inside, outside])


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
    """Return the laws of the count, for a one and for a zero."""
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
