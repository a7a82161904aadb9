"""Numbers as a certificate states them: few digits, rounded to the safe side."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import isinf

_DIGITS = 6
"""Significant digits: ends of an enclosure differ in their last ones from machine to machine."""


def stated_up(value: float) -> float:
    """The least float of so many digits that is no smaller.

    Examples
    --------
    >>> stated_up(0.12345678), stated_up(0.5)
    (0.123457, 0.5)
    """
    return _round(value, ROUND_CEILING)


def stated_down(value: float) -> float:
    """The greatest float of so many digits that is no larger.

    Examples
    --------
    >>> stated_down(0.12345678)
    0.123456
    """
    return _round(value, ROUND_FLOOR)


def _round(value: float, rounding: str) -> float:
    if isinf(value):
        return value
    # A float that is no larger than a decimal is no larger than the float nearest to it.
    return float(Context(prec=_DIGITS, rounding=rounding).create_decimal(Decimal(value)))
