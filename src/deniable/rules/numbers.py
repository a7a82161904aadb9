"""Numbers as they are meant: 0.05 is one twentieth."""

from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

from deniable import _validate
from deniable.errors import InvalidArgument

_LONGEST = 400
"""Characters of a written number: more digits and smaller exponents than any probability has."""


def fraction(value: Any, what: str) -> Fraction:
    """A number as a fraction; a float is the decimal that it prints as, a text may be "1/20".

    Raises
    ------
    InvalidArgument
        If it is no finite number.

    Examples
    --------
    >>> fraction(0.05, "a prior"), fraction("1/3", "a prior")
    (Fraction(1, 20), Fraction(1, 3))
    """
    if isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(value.numerator, value.denominator)
    if isinstance(value, str) and len(value) <= _LONGEST:
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            pass
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    return Fraction(repr(_validate.finite(value, what)))


def probability(value: Any, what: str) -> Fraction:
    """A fraction in [0, 1]."""
    result = fraction(value, what)
    if not 0 <= result <= 1:
        _validate.probability(float(result), what)
        raise InvalidArgument(f"Expected 0 <= {what} <= 1, got {_validate.shown(value)}.")
    return result


def prior_range(value: Any) -> tuple[Fraction, Fraction]:
    """The least and the largest prior, in order."""
    low, high = (probability(each, "a prior") for each in _validate.pair(value, "prior"))
    if high < low:
        _validate.interval(float(low), float(high), "prior")
        raise InvalidArgument("Expected the lower prior first. Put the lower bound first.")
    return low, high
