"""The normal distribution function to some 60 digits by its Taylor series, in decimals."""

import decimal
from decimal import Decimal
from functools import cache

from scipy.special import ndtri

CONTEXT = decimal.Context(prec=140)


@cache
def pi() -> Decimal:
    """Machin: 16 arctan(1/5) − 4 arctan(1/239)."""
    with decimal.localcontext(CONTEXT):
        return 16 * _arctan_of_reciprocal(5) - 4 * _arctan_of_reciprocal(239)


def _arctan_of_reciprocal(n: int) -> Decimal:
    total, power, k = Decimal(0), Decimal(1) / n, 0
    while abs(power) > Decimal(10) ** -138:
        total += power / (2 * k + 1) * (-1) ** k
        power /= n * n
        k += 1
    return total


def cdf(x: Decimal | float) -> Decimal:
    """Φ(x) = ½ + φ(x)(x + x³/3 + x⁵/15 + …), for |x| up to about 12."""
    with decimal.localcontext(CONTEXT):
        x = Decimal(x)
        density = (-x * x / 2).exp() / (2 * pi()).sqrt()
        term, total, k = x, Decimal(0), 1
        while abs(term) > Decimal(10) ** -136:
            total += term
            k += 2
            term *= x * x / k
        return Decimal("0.5") + density * total


def quantile(probability: Decimal) -> Decimal:
    """The x with Φ(x) = p to some 60 digits: Newton's steps from a float."""
    with decimal.localcontext(CONTEXT):
        x = Decimal(float(ndtri(float(probability))))
        for _ in range(4):
            density = (-x * x / 2).exp() / (2 * pi()).sqrt()
            x -= (cdf(x) - probability) / density
        return x
