"""Lower limits of ε from right guesses: the exact test for independent runs, and bets."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deniable.auditing.runs import Bits
from deniable.computing.confidence_limits import clopper_pearson, tail_probability
from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.numerics.rounding import UNIT, Ball, Directed, directed, greatest, lower, upper

if TYPE_CHECKING:
    from scipy import optimize
else:
    optimize = late("scipy.optimize")  # a tenth of a second that audits without δ do not need


def _check_counts(runs: int, guesses: int, right: int) -> None:
    """Refuse what are no numbers of runs, of guesses, at most one a run, and of right ones."""
    for name, value, least in (("runs", runs, 1), ("guesses", guesses, 0), ("right", right, 0)):
        validate.integer(value, name, least=least)
    if not right <= guesses <= runs:
        raise InvalidArgument(
            f"Expected right <= guesses <= runs, got right={right}, guesses={guesses}, runs={runs}."
        )


def checked_delta(value: float) -> float:
    """A δ in [0, 1)."""
    checked = validate.probability(value, "delta")
    if checked == 1:
        raise InvalidArgument("Expected delta < 1, got delta=1.0.")
    return checked


def log_odds(probability: float) -> float:
    """ln(p/(1−p)); infinite at 0 and 1."""
    if probability in (0.0, 1.0):
        return math.copysign(math.inf, probability - 0.5)
    return math.log(probability) - math.log1p(-probability)


_FAR = 15
"""Standard deviations: beyond them a binomial law has less than 1e-45 of its mass."""


def mass(r: Directed, trials: int, successes: int, p: Ball) -> Ball:
    """Pr[Bin(trials, p) = successes] for 0 < p < 1."""
    failures = trials - successes
    ways = _log_factorial(trials) - _log_factorial(successes) - _log_factorial(failures)
    return r.exp(ways + successes * r.log(p) + failures * r.log1p(-p))


def tail(r: Directed, trials: int, least: int, p: Ball) -> Ball:
    """Pr[Bin(trials, p) >= least] for 0 < p < 1, with what is left out inside the ball."""
    if least <= 0:
        return r(1)
    if least > trials:
        return r(0)
    odds, total, term = p / (1 - p), r(0), mass(r, trials, least, p)
    for k in range(least, trials + 1):
        total += term
        # Pr[k+1] = Pr[k] · (n−k)/(k+1) · p/(1−p); the ratio falls with k, so that from a ratio
        # ρ < 1 on the rest is at most Pr[k] · ρ/(1−ρ).
        ratio = odds * (trials - k) / (k + 1)
        # Share of a sum, no unit: what may be left out, far below the last bit of a float64.
        if ratio < 0.999 and (rest := term * ratio / (1 - ratio)) < total * 2.0**-70:
            return total + rest.union(r(0))
        term *= ratio
    return total


def tail_with_revealed(
    r: Directed, runs: int, guesses: int, right: int, q: Ball, delta: Ball
) -> Ball:
    """An upper end of Σ_k Pr[Bin(N,δ) = k] · Pr[Bin(r−min(k,r), q) >= v−min(k,r)]; δ, q < 1.

    With T_k the second factor, T_{k+1} = T_k + (1−q) Pr[Bin(r−k−1, q) = v−k−1]: both factors are
    running products and sums of positive numbers. Below `first` T_k is replaced by T_first.
    """
    # first and last number of revealed bits that count on their own
    mean = runs * float(delta.mid())
    width = _FAR * (math.sqrt(mean) + 1) + _FAR
    first = max(min(math.floor(mean - width), right), 0)
    last = min(math.ceil(mean + width), runs)
    total, weights = r(0), _masses(r, runs, first, delta)
    second = tail(r, guesses - first, right - first, q)
    step = (1 - q) * mass(r, guesses - first - 1, right - first - 1, q) if first < right else r(0)
    seen = r(0)
    for k in range(first, last + 1):
        if k >= right:
            break
        weight = next(weights)
        total, seen = total + weight * second, seen + weight
        second += step
        if k + 1 < right:
            # Pr[Bin(n−1,q) = c−1] / Pr[Bin(n,q) = c] = c/(nq), n = r−k−1, c = v−k−1
            step = step * (right - k - 1) / ((guesses - k - 1) * q)
    # Below `first` T_k <= T_first; above what was summed T_k <= 1. Both together are at most the
    # mass that was not seen; below is a tail of its own.
    below = tail(r, runs, runs - first + 1, 1 - delta) if first else r(0)
    above = 1 - seen - below
    return total + below * tail(r, guesses - first, right - first, q) + above.max(r(0))


def _masses(r: Directed, trials: int, first: int, p: Ball) -> Iterator[Ball]:
    """Pr[Bin(trials, p) = k] for k from `first` on."""
    term, odds = mass(r, trials, first, p), p / (1 - p)
    for k in range(first, trials + 1):
        yield term
        term = term * odds * (trials - k) / (k + 1)


def _log_factorial(n: int) -> Ball:
    return Ball(n + 1).lgamma()


_FIRST_STEP = 2.0**-48
"""Share of ε by which the first try lies below what floating point found: some 30 last bits."""


def p_value(runs: int, guesses: int, right: int, epsilon: float, *, delta: float = 0.0) -> float:
    r"""An upper end of the probability of so many right guesses, were the target (ε, δ)-DP.

    .. math:: p(\epsilon) = \sum_k \Pr[\mathrm{Bin}(N, \delta) = k] \,
        \Pr[\mathrm{Bin}(r - \min(k, r), q) \ge v - \min(k, r)],
        \quad q = \frac{e^\epsilon}{1 + e^\epsilon}

    *Proof.* The two output laws of a run come, by a map that does not know the bit, from
    randomised response that reveals the bit with probability δ and otherwise tells it rightly
    with probability q (kairouz-oh-viswanath-2015). Give the adversary what randomised response
    says. K bits of N are revealed, Bin(N, δ); of the others each guess is right with probability
    at most q given all outputs, independently between runs. Of r guesses at most min(K, r) are
    about revealed bits, and more of those only help. ∎

    With δ = 0 it holds given all outputs: which runs are guessed, and how many, may depend on
    them. With δ > 0 *which* may, but `guesses` must have been fixed before.

    Of N runs with a fair bit each, r guesses and v right ones; it grows with ε.
    """
    _check_counts(runs, guesses, right)
    d = checked_delta(delta)
    with directed():
        return min(upper(_p_value(runs, guesses, right, epsilon, d)), 1.0)


def lower_limit(
    runs: int, guesses: int, right: int, *, delta: float = 0.0, confidence: float = 0.95
) -> float:
    r"""A lower limit of ε: the largest with p(ε) <= 1 − confidence, never above it by rounding.

    For δ = 0 it is the log-odds of the Beta(v, r − v + 1) quantile at 1 − confidence. Floating
    point finds it, ball arithmetic proves it: the answer is at most some 1e-12 of its size below.

    With δ > 0 the number of guesses must have been fixed before these runs were looked at. 0 where
    nothing is proven.
    """
    _check_counts(runs, guesses, right)
    d, level = checked_delta(delta), validate.open_probability(confidence, "confidence")
    if 2 * right <= guesses:
        return 0.0
    guess = _guess(runs, guesses, right, d, 1 - level)
    step = max(guess, _FIRST_STEP) * _FIRST_STEP
    with directed() as r:
        while (tried := guess - step) > 0:
            # Everything in the ball is certainly at most the level.
            if upper(_p_value(runs, guesses, right, tried, d) - (1 - r(level))) <= 0:
                return tried
            step *= 4
    return 0.0


def _p_value(runs: int, guesses: int, right: int, epsilon: float, delta: float) -> Ball:
    with directed() as r:
        q = 1 / (1 + r.exp(-r(epsilon)))
        if delta == 0:
            return tail(r, guesses, right, q)
        return tail_with_revealed(r, runs, guesses, right, q, r(delta))


def _guess(runs: int, r: int, v: int, delta: float, level: float) -> float:
    """The limit in floating point."""
    highest = log_odds(float(clopper_pearson(v, r, level)[0]))
    if delta == 0 or highest <= 0:
        return max(highest, 0.0)
    mean = runs * delta
    # Standard deviations: how far the number of revealed bits is followed in floating point.
    width = 12 * (math.sqrt(mean) + 1)
    k = np.arange(max(math.floor(mean - width), 0), min(math.ceil(mean + width), runs) + 1)
    ways = special.gammaln(runs + 1) - special.gammaln(k + 1)
    ways -= special.gammaln(runs - k + 1)
    weights = np.exp(ways + k * math.log(delta) + (runs - k) * math.log1p(-delta))

    def excess(epsilon: float) -> float:
        q = special.expit(epsilon)
        return float((weights * tail_probability(r - k, v - k, q)).sum()) - level

    if excess(0.0) >= 0:
        return 0.0
    return float(optimize.brentq(excess, 0.0, highest)) if excess(highest) > 0 else highest


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
    """How many runs had which share of right guesses: all that the bets need to know."""

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

        Guesses, (n_runs, n_records), are 1 for "in", −1 for "out", 0 for none. With δ > 0 there
        must be one everywhere: who guesses revealed records only is always right.
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
    """
    had = seen.runs > 0
    with np.errstate(divide="ignore"):  # who stakes all on a share of 0 has lost all
        factors = np.log1p(_STAKES[:, None] * (seen.shares[had] / mean - 1))
    terms = seen.runs[had] * factors
    finite = np.where(np.isfinite(terms), terms, 0.0)
    error = _ROUNDING * (np.abs(finite) + seen.runs[had]).sum(axis=1)
    earned = terms.sum(axis=1) - error
    most = float(earned.max())
    if most == -math.inf:
        return most
    # scipy's logsumexp takes ten times as long for so few numbers.
    return most + math.log(float(np.exp(earned - most).sum())) - math.log(len(_STAKES))


def anytime_limit(seen: RunShares, *, delta: float = 0.0, confidence: float = 0.95) -> float:
    r"""A lower limit of ε that holds at all times at once, for records that depend on each other.

    The least ε that bets have not refuted, q₀ = (e^ε + δ)/(1 + e^ε). Look after every run, stop
    when you like, go on later: the chance that any of these limits is ever wrong is at most
    1 − confidence. So the largest limit ever seen holds, too.

    It is 0 where nothing is proven (waudby-smith-ramdas-2024, bets on a bounded mean; ville-1939).
    """
    d, level = checked_delta(delta), validate.open_probability(confidence, "confidence")
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
