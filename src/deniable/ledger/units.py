"""Amounts of privacy loss as whole numbers, so that sums in any store are exact.

One unit is 2⁻⁴⁰ of ε or of ρ. What is charged is rounded up, what may be spent is rounded down, and
both in exact fractions.
"""

import math
from fractions import Fraction
from typing import Any

from deniable import _validate
from deniable.errors import InvalidArgument

UNITS = 2**40
"""Units in an ε or a ρ of 1: a charge is rounded up by less than 1e-12, which no report shows."""
MOST = 2**60
"""Units of the largest budget, a loss of a million: sums of two stay within 64 bits."""


def charged(amount: float | Fraction) -> int:
    """Units that a release of this ε or ρ is charged, rounded up.

    Raises
    ------
    InvalidArgument
        If the amount is not a finite number > 0, or passes any budget.

    Examples
    --------
    >>> charged(1.0) == UNITS, charged(Fraction(1, 3)) * 3 - UNITS
    (True, 2)
    """
    units = math.ceil(_exact(amount, "what is charged") * UNITS)
    if units > MOST:
        raise InvalidArgument(
            f"Expected what is charged to be at most {MOST // UNITS}, got {float(amount):g}. "
            "Ask for less."
        )
    return units


def budget(amount: float | Fraction) -> int:
    """Units that a budget of this ε or ρ holds, rounded down; the largest budget at most.

    Raises
    ------
    InvalidArgument
        If the amount is not a number > 0, or holds not one unit.

    Examples
    --------
    >>> budget(Fraction(1, 3)) * 3 - UNITS
    -1
    """
    units = min(MOST, math.floor(_exact(amount, "the budget") * UNITS))
    if not units:
        raise InvalidArgument(
            f"Expected the budget to be at least 2^-40, got {float(amount):g}. Ask for more."
        )
    return units


def in_whole_units(amount: Fraction) -> Fraction:
    """An ε or ρ rounded down to whole units, so that exactly what is charged is spent.

    Raises
    ------
    InvalidArgument
        If there is not one unit.

    Examples
    --------
    >>> charged(in_whole_units(Fraction(1, 10))) * 10 <= budget(1.0)
    True
    """
    units = math.floor(amount * UNITS)
    if not units:
        raise InvalidArgument(
            f"Expected every share to be at least 2^-40 with a ledger, got {float(amount):g}. "
            "Ask for more, or for fewer queries."
        )
    return Fraction(units, UNITS)


def amount(units: int) -> Fraction:
    """The ε or ρ of so many units, exactly.

    Examples
    --------
    >>> amount(UNITS // 2)
    Fraction(1, 2)
    """
    return Fraction(units, UNITS)


def whole(value: Any) -> int:
    """A number of units, which is never rounded on the way."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidArgument(f"Expected whole units, got {value!a}.")
    return value


def _exact(amount: float | Fraction, what: str) -> Fraction:
    exact = amount if isinstance(amount, Fraction) else Fraction(_validate.positive(amount, what))
    if exact <= 0:
        raise InvalidArgument(f"Expected {what} to be > 0, got {float(exact):g}.")
    return exact
