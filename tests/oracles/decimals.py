"""Elementary functions to 90 digits by the decimal module, which rounds each of them correctly.

Independent of the package's ball arithmetic: another library, another method, other formulas.
"""

import decimal
import math
from decimal import Decimal
from fractions import Fraction

CONTEXT = decimal.Context(prec=90, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
DIGITS = Fraction(1, 10**70)
"""What 90 digits lose, relative, with room to spare."""
BALLS = Fraction(1, 10**50)
"""What the package's balls may lose, relative; far below half an ulp of a float64."""


def number(value: float | Fraction) -> Decimal:
    """A float exactly, a fraction to 90 digits."""
    if isinstance(value, Fraction):
        return CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Decimal(value)


def exp(value: float | Decimal) -> Decimal:
    return CONTEXT.exp(Decimal(value))


def ln(value: Fraction | Decimal) -> Decimal:
    return CONTEXT.ln(value if isinstance(value, Decimal) else number(value))


def claims(given: float, truth: Decimal | Fraction) -> bool:
    """Whether `given` is at or above the truth, and the float below it is not."""
    if math.isinf(given):
        return truth > Decimal(math.nextafter(math.inf, 0))
    exact = Fraction(truth)
    safe = Fraction(given) >= exact - _lost(truth)
    return safe and Fraction(math.nextafter(given, -math.inf)) < exact + BALLS * abs(exact)


def applies(given: float, truth: Decimal | Fraction) -> bool:
    """Whether `given` is at or below the truth, and the float above it is not."""
    exact = Fraction(truth)
    safe = Fraction(given) <= exact + _lost(truth)
    return safe and Fraction(math.nextafter(given, math.inf)) > exact - BALLS * abs(exact)


def _lost(truth: Decimal | Fraction) -> Fraction:
    return Fraction(0) if isinstance(truth, Fraction) else abs(Fraction(truth)) * DIGITS
