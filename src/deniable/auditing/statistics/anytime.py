"""Bets against a claim, run by run: a lower limit of ε that may be looked at any time."""

import math

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deniable.auditing.runs import Bits
from deniable.auditing.statistics.exact import checked_confidence, checked_delta
from deniable.errors import InvalidArgument, validate
from deniable.numerics.rounding import UNIT, directed, greatest, lower

_STAKES = 2.0 ** -np.arange(14)
"""Shares of the stake, no unit: the best share for n runs is about √(2 ln 20 / n) or more, and
2^-13 is that of 4e8 runs. Halves in between cost at most a tenth of the exponent."""

_ROUNDING = 64 * UNIT
"""Error of one summand of the wealth's logarithm, for each unit of its size: a logarithm, a
product and the places of a pairwise sum, with room."""

Guesses = NDArray[np.int8]


def _floats(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)


def _integers(values: ArrayLike) -> NDArray[np.int64]:
    return np.asarray(values, dtype=np.int64)


@attrs.frozen(eq=False)
class RunShares:
    """How many runs had which share of right guesses: all that the bets need to know.

    Parameters
    ----------
    shares : array_like of float, shape (n,)
        Different shares of right guesses in a run, in [0, 1].
    runs : array_like of int, shape (n,)
        How many runs had each.

    Raises
    ------
    InvalidArgument
        If the shapes differ, a share leaves [0, 1] or a number of runs is negative.
    """

    shares: NDArray[np.float64] = attrs.field(converter=_floats)
    runs: NDArray[np.int64] = attrs.field(converter=_integers)

    def __attrs_post_init__(self) -> None:
        if self.shares.ndim != 1 or self.shares.shape != self.runs.shape:
            raise InvalidArgument(
                f"Expected as many shares as numbers of runs, got {self.shares.shape} and "
                f"{self.runs.shape}."
            )
        if not ((self.shares >= 0) & (self.shares <= 1)).all() or (self.runs < 0).any():
            raise InvalidArgument("Expected shares in [0, 1] of 0 or more runs each.")

    @classmethod
    def of(cls, members: Bits, guesses: Guesses, *, delta: float) -> "RunShares":
        """Shares of right guesses in each run; runs without a guess do not count.

        Parameters
        ----------
        members : ndarray of bool, shape (n_runs, n_records)
            The truth.
        guesses : ndarray of int8, shape (n_runs, n_records)
            1 for "in", -1 for "out", 0 for none.
        delta : float
            With δ > 0 there must be a guess everywhere: who guesses revealed records only is
            always right.

        Raises
        ------
        InvalidArgument
            If the shapes differ, or with δ > 0 a guess is missing.
        """
        if members.ndim != 2 or members.shape != guesses.shape:
            raise InvalidArgument(
                f"Expected guesses of shape (n_runs, n_records) as the members, got "
                f"{guesses.shape} and {members.shape}."
            )
        if checked_delta(delta) > 0 and not guesses.all():
            raise InvalidArgument(
                "Expected a guess about every record in every run where delta > 0, got none "
                "for some. Leave records out of all runs, chosen beforehand."
            )
        right = (guesses == np.where(members, 1, -1)).sum(axis=1)
        made = (guesses != 0).sum(axis=1)
        values, runs = np.unique(right[made > 0] / made[made > 0], return_counts=True)
        return cls(values, runs)

    def __add__(self, other: "RunShares") -> "RunShares":
        """Both together: bets do not depend on the order of runs."""
        values, place = np.unique(np.append(self.shares, other.shares), return_inverse=True)
        runs = np.zeros(len(values), dtype=np.int64)
        np.add.at(runs, place, np.append(self.runs, other.runs))
        return RunShares(values, runs)


def log_wealth(seen: RunShares, mean: float) -> float:
    r"""ln of what bets against "the mean share of right guesses is at most `mean`" have earned.

    .. math:: W(q_0) = \frac{1}{J} \sum_j \prod_t \left(1 + \lambda_j (y_t - q_0)\right),
        \quad \lambda_j = c_j / q_0, \quad 0 < c_j \le 1

    *Each is a fair game or a worse one.* y_t is the share of right guesses in run t, a mean of
    indicators that are right with probability at most q₀ each given the past, however they depend
    on each other; so E W_t <= W_{t−1}, and no factor is negative. Hence Pr[ever W >= 1/α] <= α
    (Ville's inequality). The stakes are fixed, so the order of runs, blocks and workers is
    irrelevant, and a mixture earns, up to ln J, what the best of them earns. A factor is
    1 − c_j + c_j y_t / q₀, which falls with q₀: what refutes q₀ refutes every smaller one.

    Examples
    --------
    >>> round(log_wealth(RunShares([0.0, 1.0], [20, 80]), 0.6), 3)
    6.592
    """
    had = seen.runs > 0
    with np.errstate(divide="ignore"):  # who stakes all on a share of 0 has lost all
        factors = np.log1p(_STAKES[:, None] * (seen.shares[had] / mean - 1))
    terms = seen.runs[had] * factors
    finite = np.where(np.isfinite(terms), terms, 0.0)
    error = _ROUNDING * (np.abs(finite) + seen.runs[had]).sum(axis=1)
    return float(special.logsumexp(terms.sum(axis=1) - error)) - math.log(len(_STAKES))


def anytime_limit(seen: RunShares, *, delta: float = 0.0, confidence: float = 0.95) -> float:
    r"""A lower limit of ε that holds at all times at once, for records that depend on each other.

    The least ε that bets have not refuted, q₀ = (e^ε + δ)/(1 + e^ε). Look after every run, stop
    when you like, go on later: the chance that any of these limits is ever wrong is at most
    1 − confidence. So the largest limit ever seen holds, too.

    Parameters
    ----------
    seen : RunShares
        Shares of right guesses of the runs so far.
    delta : float
        δ of the claim, in [0, 1).
    confidence : float
        Probability with which no limit is ever above ε, in (0, 1).

    Returns
    -------
    float
        ε >= 0, natural logarithm, rounded down; 0 where nothing is proven.

    References
    ----------
    waudby-smith-ramdas-2024 (bets on a bounded mean); ville-1939.

    Examples
    --------
    >>> round(anytime_limit(RunShares([0.0, 1.0], [200, 800])), 3)
    1.13
    """
    d, level = checked_delta(delta), checked_confidence(confidence)
    goal = -math.log1p(-level)
    goal += abs(goal) * _ROUNDING
    chance = (1 + d) / 2

    def refuted(mean: float) -> bool:
        return log_wealth(seen, mean) >= goal

    if not refuted(chance):
        return 0.0
    mean = greatest(refuted, chance, 1.0)
    with directed() as r:
        return max(lower(r.log((r(mean) - r(d)) / (1 - r(mean)))), 0.0)


def share_needed(epsilon: float, delta: float = 0.0) -> float:
    """(e^ε + δ)/(1 + e^ε), the largest mean share of right guesses that (ε, δ) allows."""
    e = validate.non_negative(epsilon, "epsilon")
    return float(special.expit(e) + checked_delta(delta) * special.expit(-e))
