"""Outward rounding by ball arithmetic: a theorem rounds once, at its end.

`directed` opens a block in which a callable turns floats into exact balls; `upper` and `lower`
turn a ball into the nearest float on the safe side. The only place that imports python-flint.
"""

import functools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import cast

from flint import arb, arb_poly, ctx, fmpq, fmpq_mat, fmpz_mat, fmpz_poly

_APART = 2.0**-10
"""Ends whose sizes differ more are halved by size; nearer ones have some 60 steps to go."""

UNIT = 2.0**-53
"""Half the distance from 1 to the next float64: the largest relative error of one operation."""

_LEAST = 5e-324
"""The least float above 0."""

PRECISION = 192
"""Bits that a ball carries; a float64 has 53."""

Ball = arb


class Directed:
    """Exact balls from floats and the functions that theorems need."""

    def __call__(self, value: float | int | Fraction) -> arb:
        """Return the exact ball of a number."""
        if type(value) is int or (type(value) is float and math.isfinite(value)):
            return arb(value)  # to ask whether it is a fraction takes longer
        if isinstance(value, Fraction):
            return arb(fmpq(value.numerator, value.denominator))
        if isinstance(value, float) and math.isinf(value):
            return arb("inf") if value > 0 else arb("-inf")
        return arb(value)

    def exp(self, value: float | arb) -> arb:
        """Natural exponential."""
        return self._ball(value).exp()

    def expm1(self, value: float | arb) -> arb:
        """e^x − 1, to full precision near 0."""
        return self._ball(value).expm1()

    def log(self, value: float | arb) -> arb:
        """Natural logarithm; -inf at 0."""
        ball = self._ball(value)
        return arb("-inf") if ball.is_zero() else ball.log()

    def log1p(self, value: float | arb) -> arb:
        """ln(1 + x), to full precision near 0."""
        return self._ball(value).log1p()

    def sqrt(self, value: float | arb) -> arb:
        """Square root."""
        return self._ball(value).sqrt()

    def normal_cdf(self, value: float | arb) -> arb:
        """Φ, the standard normal distribution function, accurate in both tails."""
        return (-self._ball(value) / arb(2).sqrt()).erfc() / 2

    def normal_quantile(self, probability: float | arb) -> arb:
        """The inverse of Φ on (0, 1)."""
        return -arb(2).sqrt() * (2 * self._ball(probability)).erfcinv()

    def gaussian_delta(self, epsilon: arb, mu: arb, slack: float | arb = 0) -> arb:
        """Φ(μ/2 − ε/μ + τ) − e^ε Φ(−μ/2 − ε/μ − τ): the curve of μ-Gaussian DP with slack τ."""
        # balle-wang-2018, Theorem 8, for τ = 0; μ > 0.
        rise = self.normal_cdf(mu / 2 - epsilon / mu + slack)
        return rise - epsilon.exp() * self.normal_cdf(-mu / 2 - epsilon / mu - slack)

    def binomial(self, n: int, k: int) -> arb:
        """The binomial coefficient: how many subsets of `k` things `n` things have."""
        return arb(n).bin(k)

    def log_binomial(self, n: int, k: int) -> arb:
        """The logarithm of `binomial`, which takes no longer for large numbers."""
        below, above = arb(k + 1).lgamma(), arb(n - k + 1).lgamma()
        return arb(n + 1).lgamma() - below - above

    def log_gamma(self, value: float | Fraction | arb) -> arb:
        """The logarithm of Euler's Γ, at positive numbers."""
        return (value if isinstance(value, arb) else self(value)).lgamma()

    def hull(self, first: arb, second: arb) -> arb:
        """A ball that holds two balls and all between."""
        return first.union(second)

    def product(self, first: Sequence[arb | int], second: Sequence[arb | int]) -> list[arb]:
        """The product of two polynomials, from lists of their coefficients to one."""
        coefficients = (arb_poly(list(first)) * arb_poly(list(second))).coeffs()
        return coefficients + [arb(0)] * (len(first) + len(second) - 1 - len(coefficients))

    def max(self, first: arb, *rest: arb) -> arb:
        """Largest of the balls."""
        return functools.reduce(arb.max, rest, first)

    def min(self, first: arb, *rest: arb) -> arb:
        """Smallest of the balls."""
        return functools.reduce(arb.min, rest, first)

    def _ball(self, value: float | arb) -> arb:
        return value if isinstance(value, arb) else self(value)


def exact_product(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """The product of two polynomials with whole coefficients, as a list of them."""
    multiplied = fmpz_poly(list(first)) * fmpz_poly(list(second))
    coefficients = [int(each) for each in multiplied.coeffs()]
    return coefficients + [0] * (len(first) + len(second) - 1 - len(coefficients))


def exact_solution(
    matrix: Sequence[Sequence[int]], column: Sequence[int]
) -> tuple[list[int], int] | None:
    """The solution of a linear system in whole numbers, as numerators and one denominator > 0.

    None where the matrix has no inverse.
    """
    size = len(matrix)
    flat = fmpz_mat(size, size, [each for row in matrix for each in row])
    try:
        solution = flat.solve(fmpz_mat(size, 1, list(column)))
    except ZeroDivisionError:
        return None
    numerators, denominator = cast("fmpq_mat", solution).numer_denom()
    return [int(each) for each in numerators.entries()], int(denominator)


@contextmanager
def directed(precision: int = PRECISION) -> Iterator[Directed]:
    """Work in balls of `precision` bits; the previous precision returns at the end."""
    before = ctx.prec
    ctx.prec = precision
    try:
        yield Directed()
    finally:
        ctx.prec = before


def upper(ball: arb) -> float:
    """The least float that is no smaller than anything in the ball."""
    if not ball.is_finite():
        # A NaN or an unbounded ball says nothing: the safe answer is infinite.
        return -math.inf if ball == arb("-inf") else math.inf
    end = ball.upper()
    result = max(float(end), -sys.float_info.max)
    while math.isfinite(result) and arb(result) < end:
        result = math.nextafter(result, math.inf)
    while math.isfinite(below := math.nextafter(result, -math.inf)) and arb(below) >= end:
        result = below
    return result + 0.0  # -0.0 becomes 0.0


def lower(ball: arb) -> float:
    """The greatest float that is no larger than anything in the ball."""
    return -upper(-ball) + 0.0


def float_up(value: Fraction) -> float:
    """The number as a float that is no smaller."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def greatest(
    holds: Callable[[float], bool], low: float, high: float, *, tolerance: float = 0.0
) -> float:
    """The greatest float in [low, high] at which a downward closed condition holds."""
    # `holds(low)` is taken for granted; the answer is always a point where `holds` was true. With a
    # tolerance it may be below the greatest, by at most this share of its size.
    if holds(high):
        return high
    while (middle := _middle(low, high)) not in (low, high):
        low, high = (middle, high) if holds(middle) else (low, middle)
        if high - low <= tolerance * abs(low):
            break
    return low


def _middle(low: float, high: float) -> float:
    """A float in between: by size while the ends lie far apart, then the mean."""
    # From [0, 1000] the mean alone takes a thousand steps down to the least floats. An infinite
    # bound counts as the largest float, so that something is always in between or nothing is left.
    low, high = max(low, -sys.float_info.max), min(high, sys.float_info.max)
    near, far = sorted((abs(low), abs(high)))
    if low * high < 0 or near >= far * _APART:
        return low / 2 + high / 2 if math.isinf(high - low) else low + (high - low) / 2
    middle = math.sqrt(max(near, _LEAST)) * math.sqrt(far)
    return math.copysign(middle, low + high) if near < middle < far else low + (high - low) / 2


def least(
    holds: Callable[[float], bool], low: float, high: float, *, tolerance: float = 0.0
) -> float:
    """The least float in [low, high] at which an upward closed condition holds; see `greatest`."""
    return -greatest(lambda value: holds(-value), -high, -low, tolerance=tolerance)


def greatest_within(
    value: Callable[[float], float],
    limit: float,
    low: float,
    high: float,
    *,
    tolerance: float = 0.0,
) -> float:
    """The greatest float in [low, high] at which a growing quantity is at most a limit >= 0."""
    # The answer of `greatest` in a third of its steps: near the limit the logarithm of the quantity
    # is nearly straight, so that a secant says where it crosses. A bound that does not move counts
    # half, and each step goes a little from the crossing towards the middle, so that both bounds
    # come close at once. Where secants do not help, it bisects.
    # `value` falls nowhere, and may be 0 or infinite; `value(low)` is taken to be within the limit.
    if (reached := value(high)) <= limit:
        return high
    below, above = -math.inf, _log_ratio(reached, limit)
    start, slow, secants, moved = high - low, 0, 0, math.nan  # `moved` is the last step's bound
    while (middle := _middle(low, high)) not in (low, high):
        width, point = high - low, middle
        near = above - below < _STEEP and width < _NEAR * abs(middle)
        if near and slow < _SLOW and secants < _MOST_SECANTS:
            secants += 1
            secant = high - width * (above / (above - below)) if above > below else middle
            towards = math.copysign(width * min(width / start / 5, 0.5), middle - secant)
            inner = (math.nextafter(low, high), math.nextafter(high, low))
            point = min(max(secant + towards, inner[0]), inner[1])
        else:
            start = width
        if (reached := value(point)) <= limit:
            above /= 1 + (low == moved)
            low = moved = point
            below = _log_ratio(reached, limit)
        else:
            below /= 1 + (high == moved)
            high = moved = point
            above = _log_ratio(reached, limit)
        slow = slow + 1 if high - low > width / 2 else 0
        if high - low <= tolerance * abs(low):
            break
    return low


_SLOW = 4
"""Secants in turn that may leave more than half of an interval, before one is bisected."""
_MOST_SECANTS = 40
"""Secants in all, before every step is a bisection: a quantity in steps has no use for them."""
_STEEP = 30.0
"""Natural logarithm of a quantity's growth in an interval up to which secants are drawn."""
_NEAR = 4.0
"""Width of such an interval over its middle, at most."""


def _log_ratio(value: float, limit: float) -> float:
    """How far a value is over a limit, for a guess only."""
    if value <= 0 or limit <= 0:
        return 0.0 if value == limit else math.copysign(math.inf, value - limit)
    return math.log(value) - math.log(limit)


def least_within(
    value: Callable[[float], float],
    limit: float,
    low: float,
    high: float,
    *,
    tolerance: float = 0.0,
) -> float:
    """The least float in [low, high] at which a falling quantity is at most a limit."""
    # See `greatest_within`.
    return -greatest_within(lambda x: value(-x), limit, -high, -low, tolerance=tolerance)
