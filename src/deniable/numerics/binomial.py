"""Exact limits of a probability from independent successes, after Clopper and Pearson."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deniable.numerics.rounding import UNIT

_OUTWARD = 1e-9
"""Share of a rate and of its distance to 1: more than floating point errs in a Beta quantile."""

_LAST_BITS = 4 * UNIT
"""The same next to 1, where the distance has no more digits."""

Rates = NDArray[np.float64]


def binomial_limits(successes: ArrayLike, trials: int, level: float) -> tuple[Rates, Rates]:
    """Return a lower and an upper limit, each on the wrong side with probability at most `level`.

    Parameters
    ----------
    successes : array_like of int
        Of `trials`, in any shape.
    level : float
        In (0, 1); for an interval of confidence 1 − α take α/2.

    References
    ----------
    clopper-pearson-1934.

    Examples
    --------
    >>> [round(float(limit), 4) for limit in binomial_limits(0, 10, 0.05)]
    [0.0, 0.2589]
    """
    low, high = clopper_pearson(successes, trials, level)
    return low * (1 - _OUTWARD), np.minimum(high + ((1 - high) * _OUTWARD + _LAST_BITS), 1.0)


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
