"""One-sided tails of discrete Gaussian noise, in balls."""

import math

from deniable.numerics.rounding import Ball, directed, lower, upper

LARGEST_SUM = 4096.0
"""Standard deviation beyond which tails are enclosed between normal ones."""
_EXPONENT = 150
"""Terms below e^−150 of the first one count with the rest of a series."""


def upper_tail(scale: float, first: int) -> Ball:
    r"""A ball around Pr[X >= first] for Pr[X = k] ∝ exp(−k²/2σ²).

    Up to σ = 4096 the series is summed and the ball is as narrow as its precision. Beyond, it
    reaches from the normal tail at `first` to that at first − 1, by the comparison in
    `DiscreteGaussian`.
    """
    with directed() as r:
        if first <= 0:
            return 1 - upper_tail(scale, 1 - first)
        if scale <= LARGEST_SUM:
            return _series(scale, first) / _normaliser(scale)
        least = lower(r.normal_cdf(-r(first) / r(scale)))
        most = upper(r.normal_cdf(-r(first - 1) / r(scale)))
        middle = (r(least) + r(most)) / 2
        return middle + (r(most) - middle) * Ball(0, 1)


def _series(scale: float, first: int) -> Ball:
    """Σ exp(−j²/2σ²) over j >= first > 0."""
    with directed() as r:
        rate = 1 / (2 * r(scale) ** 2)
        last = max(math.ceil(math.hypot(first, scale * math.sqrt(2 * _EXPONENT))), first)
        term, step, turn = r(1), r.exp(-rate * (2 * first + 1)), r.exp(-2 * rate)
        total = r(0)
        for _ in range(first, last + 1):
            total += term
            term *= step
            step *= turn
        rest = term / (1 - step) * Ball(0.5, 0.5)  # falls off faster than a geometric series
        return (total + rest) * r.exp(-rate * first * first)


def _normaliser(scale: float) -> Ball:
    """Σ exp(−k²/2σ²) over all whole k; by Poisson summation where σ >= 1."""
    with directed() as r:
        if scale < 1:
            return 1 + 2 * _series(scale, 1)
        angle = 2 * (Ball.pi() * r(scale)) ** 2
        dual = sum((r.exp(-angle * m * m) for m in (1, 2, 3)), r(0))
        rest = 2 * r.exp(-angle * 16) * Ball(0.5, 0.5)
        return r(scale) * r.sqrt(2 * Ball.pi()) * (1 + 2 * (dual + rest))
