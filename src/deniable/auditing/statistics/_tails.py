"""Tails of the binomial law in ball arithmetic: sums of positive terms, nothing cancels."""

import math
from collections.abc import Iterator

from deniable.numerics.rounding import Ball, Directed, upper

_NEGLIGIBLE = 2.0**-70
"""Share of a sum, no unit: what may be left out, far below the last bit of a float64."""

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
        if ratio < 0.999 and (rest := term * ratio / (1 - ratio)) < total * _NEGLIGIBLE:
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
    first, last = _usual(runs, float(delta.mid()), right)
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


def _usual(runs: int, delta: float, right: int) -> tuple[int, int]:
    """First and last number of revealed bits that count on their own."""
    mean = runs * delta
    width = _FAR * (math.sqrt(mean) + 1) + _FAR
    return max(min(math.floor(mean - width), right), 0), min(math.ceil(mean + width), runs)


def _masses(r: Directed, trials: int, first: int, p: Ball) -> Iterator[Ball]:
    """Pr[Bin(trials, p) = k] for k from `first` on."""
    term, odds = mass(r, trials, first, p), p / (1 - p)
    for k in range(first, trials + 1):
        yield term
        term = term * odds * (trials - k) / (k + 1)


def _log_factorial(n: int) -> Ball:
    return Ball(n + 1).lgamma()


def at_most(ball: Ball, level: Ball) -> bool:
    """Whether everything in the ball is certainly at most the level."""
    return upper(ball - level) <= 0
