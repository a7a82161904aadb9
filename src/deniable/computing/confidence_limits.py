"""Confidence limits: by bets that may stop at any time, and exact ones of a probability."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deniable.numerics.rounding import UNIT

_OUTWARD = 1e-9
"""Share of a rate and of its distance to 1: more than floating point errs in a Beta quantile."""

Rates = NDArray[np.float64]


def binomial_limits(successes: ArrayLike, trials: int, level: float) -> tuple[Rates, Rates]:
    """Return two limits, each on the wrong side with probability at most `level`."""
    # clopper-pearson-1934. For an interval of confidence 1 − α, `level` is α/2.
    low, high = clopper_pearson(successes, trials, level)
    # Four units more are room next to 1, where the distance has no more digits.
    return low * (1 - _OUTWARD), np.minimum(high + ((1 - high) * _OUTWARD + 4 * UNIT), 1.0)


def clopper_pearson(successes: ArrayLike, trials: int, level: float) -> tuple[Rates, Rates]:
    """Return the same limits as floating point has them, to start from."""
    k = np.asarray(successes, np.float64)
    rest = trials - k
    low = np.where(k > 0, special.betaincinv(np.maximum(k, 1), rest + 1, level), 0.0)
    high = np.where(rest > 0, special.betainccinv(k + 1, np.maximum(rest, 1), level), 1.0)
    return low, high


def tail_probability(trials: ArrayLike, least: ArrayLike, p: ArrayLike) -> Rates:
    """Return Pr[Bin(trials, p) >= least] in floating point; shapes are broadcast."""
    wanted, n = np.asarray(least), np.asarray(trials)
    k = np.maximum(wanted, 1)
    tails = special.betainc(k, np.maximum(n - k, 0) + 1, np.asarray(p, np.float64))
    return np.asarray(np.where(wanted > 0, tails, 1.0), np.float64)


WEIGHTS = (0.6, 0.2, 0.2)
"""Shares of the capital on the three of `best_stakes`: most on the best, some on the bolder."""

Floats = NDArray[np.float64]


def best_stakes(mean: float, variance: float, largest: float) -> tuple[float, ...]:
    """Return what to bet on gains of this mean and variance, and bolder bets for short runs."""
    # λ = mean/variance makes E ln(1 + λ gain) largest, to second order; bolder stakes are for when
    # time runs out.
    return (*(min(mean / variance * factor, largest) for factor in (1.0, 4.0)), largest)


def log_capital(
    gains: Floats,
    stakes: Sequence[float],
    weights: Sequence[float],
    *,
    further: tuple[int, float] = (0, 0.0),
) -> float:
    """Return ln of the capital after all gains G_i, and after further ones that are all alike."""
    # Stakes and weights are λ_j and w_j. `further` is how many more there are of one gain, and that
    # gain; their draws need no place in the array.
    number, gain = further
    logs = [
        number * math.log1p(stake * gain) + float(np.log1p(stake * gains).sum()) for stake in stakes
    ]
    return float(np.logaddexp.reduce(np.log(np.maximum(weights, 1e-300)) + logs))
