"""Amounts of privacy loss as whole numbers, so that sums in any store are exact.

One unit is 2⁻⁴⁰ of ε or of ρ. What is charged is rounded up, what may be spent is rounded down, and
both in exact fractions.
"""

import math
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from typing import Any

from deniable.errors import InvalidArgument, validate

UNITS = 2**40
"""Units in an ε or a ρ of 1: a charge is rounded up by less than 1e-12, which no report shows."""
MOST = 2**50
"""Units of the largest budget, a loss of 1,024: no belief is protected beyond it, a float holds it
exactly, and SQLite may add up 8,000 of its voids in 64 bits, in whatever order."""

_DIGITS = range(6, 18)
"""Significant digits of an amount in a message; 17 tell any two floats apart."""


def to_units(amount: float | Fraction) -> int:
    """Units that a release of this ε or ρ is charged, rounded up.

    Raises
    ------
    InvalidArgument
        If the amount is not a finite number > 0, or passes any budget.

    Examples
    --------
    >>> to_units(1.0) == UNITS, to_units(Fraction(1, 3)) * 3 - UNITS
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


def part_of(budget: int, share: Fraction) -> int:
    """Units of a share of a budget, rounded down: shares of 1 together fit.

    Examples
    --------
    >>> part_of(UNITS, Fraction(1, 3)) * 3 - UNITS
    -1
    """
    return math.floor(budget * share)


def in_whole_units(amount: Fraction) -> Fraction:
    """An ε or ρ rounded down to whole units, so that exactly what is charged is spent.

    Raises
    ------
    InvalidArgument
        If there is not one unit.

    Examples
    --------
    >>> to_units(in_whole_units(Fraction(1, 10))) * 10 <= budget(1.0)
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


def format_distinct(left: int, wanted: int) -> tuple[str, str]:
    """What is left, rounded down, and more that is wanted, with as many digits as tell them apart.

    Examples
    --------
    >>> format_distinct(UNITS // 10, UNITS // 4), format_distinct(UNITS // 4, UNITS // 4 + 1)
    (('0.0999999', '0.25'), ('0.25', '0.250000000001'))
    """
    for digits in _DIGITS:
        texts = [f"{float(amount(each)):.{digits}g}" for each in (left, wanted)]
        if texts[0] != texts[1]:
            break
    down = Context(digits, ROUND_FLOOR).divide(left, UNITS)  # who asks for what is told gets it
    return f"{float(down):.{digits}g}", texts[1]


def check_units(value: Any) -> int:
    """A number of units, which is never rounded on the way."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidArgument(f"Expected whole units, got {value!a}.")
    return value


def _exact(amount: float | Fraction, what: str) -> Fraction:
    exact = amount if isinstance(amount, Fraction) else Fraction(validate.positive(amount, what))
    if exact <= 0:
        raise InvalidArgument(f"Expected {what} to be > 0, got {float(exact):g}.")
    return exact
