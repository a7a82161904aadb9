r"""Confidence limits of a ratio of two means from paired bounded draws.

For pairs (a, b) >= 0 with E a = r E b, the variable Y = a − ρb has mean 0 at ρ = r and lies in an
interval of length a_max + ρ b_max. By the empirical Bernstein inequality (maurer-pontil-2009,
Theorem 4), except with probability α,

    |mean of Y| <= g(ρ) = √(2 V(ρ) ln(4/α)/T) + 7 (a_max + ρ b_max) ln(4/α) / (3(T − 1)),

V the sample variance of Y. Every ρ beyond the limits returned breaks it, so r is between them.
With ā and b̄ the means of a and b: ā − ρb̄ + g(ρ) is convex; where its slope at infinity is
negative it falls throughout and its one root is the upper limit, else there is none.
ā − ρb̄ − g(ρ) is concave and negative at ρ = ā/b̄; where it is positive near 0, its one root below
ā/b̄ is the lower limit.
"""

from functools import partial

import attrs
import numpy as np

from deniable.numerics.array_api import Floats
from deniable.numerics.search import bisect_each

_HALVINGS = 60
"""Halvings of ln ρ between 2^−40 and 2^40: to 2^−54 of it."""
_FAR = 2.0**40
"""Quotients farther than this from that of the means are not looked for."""
TINY = 1e-140
"""Means below are not used: their squares would leave the range of floats."""
ROUNDING = 1e-12
"""What rounding may hide of a variance, in units of the mean square; it is added."""
OUTWARDS = 1e-9
"""Relative error of the sums and of what was summed that the limits allow for."""


@attrs.frozen(eq=False)
class PairedSums:
    """Sums over T paired draws, each an array of one shape."""

    count: Floats
    a: Floats
    b: Floats
    aa: Floats
    bb: Floats
    ab: Floats

    @classmethod
    def zero(cls, number: int) -> "PairedSums":
        """No draws yet, for so many quotients."""
        return cls(*(np.zeros(number) for _ in attrs.fields(cls)))

    def only(self, place: int) -> "PairedSums":
        """The sums of one quotient, and none for the others."""
        kept = np.arange(len(self.count)) == place
        return PairedSums(*(each * kept for each in attrs.astuple(self, recurse=False)))

    def __add__(self, other: "PairedSums") -> "PairedSums":
        mine, theirs = (attrs.astuple(each, recurse=False) for each in (self, other))
        return PairedSums(*(one + two for one, two in zip(mine, theirs, strict=True)))


def ratio_limits(
    sums: PairedSums, a_max: Floats, b_max: Floats, log_term: float
) -> tuple[Floats, Floats]:
    """Limits of E a / E b, each pair of them holding except with probability 4 e^(−log_term).

    Parameters
    ----------
    sums : PairedSums
        Over independent draws of (a, b) in [0, a_max] × [0, b_max].
    a_max, b_max : ndarray
        Known beforehand, of the sums' shape.
    log_term : float
        ln(4/α).

    Returns
    -------
    ndarray, ndarray
        Lower limits, 0 where there is none; upper limits, infinite where there is none.
    """
    count = np.maximum(sums.count, 2.0)
    usable = (sums.count >= 2) & (sums.a > TINY * count) & (sums.b > TINY * count)
    a, b = (np.where(usable, total / count, 1.0) for total in (sums.a, sums.b))
    # From here on in units of the means: the quotient of the means is 1.
    aa, bb, ab = sums.aa / count / a**2, sums.bb / count / b**2, sums.ab / count / (a * b)
    largest_a, largest_b = a_max / a, b_max / b

    def margin(rho: Floats | float) -> Floats:
        # g(ρ) = √(2 V(ρ) ln(4/α)/T) + 7 (a_max + ρ b_max) ln(4/α)/(3(T − 1))
        variance = aa - 2 * rho * ab + rho**2 * bb - (1 - rho) ** 2
        hidden = ROUNDING * (aa + rho**2 * bb)
        spread = (np.maximum(variance, 0.0) + hidden) * count / (count - 1)
        length = largest_a + rho * largest_b
        return np.asarray(
            np.sqrt(2 * spread * log_term / count) + 7 * length * log_term / (3 * (count - 1))
        )

    one = np.ones_like(a)
    falling = margin(_FAR**2) / _FAR**2 * (1 + 1e-9) < 1
    bounded = usable & falling & (1 - _FAR + margin(_FAR) < 0)
    # Upper limit: the root of 1 − ρ + g(ρ). Lower limit: that of 1 − ρ − g(ρ) below 1.
    search = partial(bisect_each, halvings=_HALVINGS, by_size=True)
    upper = search(lambda rho: 1 - rho + margin(rho) >= 0, one, one * _FAR)[1]
    positive = usable & (1 - 1 / _FAR - margin(1 / _FAR) > 0)
    lower = search(lambda rho: 1 - rho - margin(rho) > 0, one / _FAR, one)[0]
    quotient = a / b
    low = np.where(positive, lower * quotient * (1 - OUTWARDS), 0.0)
    return low, np.where(bounded, upper * quotient * (1 + OUTWARDS), np.inf)
