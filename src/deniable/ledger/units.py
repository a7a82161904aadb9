"""Amounts of privacy loss as whole numbers, so that sums in any store are exact.

One unit is 2⁻⁴⁰ of ε or of ρ, or 2⁻⁵⁰ of exposure, a probability. What is charged is rounded up,
what may be spent is rounded down, and both in exact fractions.
"""

import math
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.numerics.rounding import directed, lower, upper

UNITS = 2**40
"""Units in an ε or a ρ of 1: a charge is rounded up by less than 1e-12, which no report shows."""
MOST = 2**50
"""Units of the largest budget, a loss of 1,024: no belief is protected beyond it, a float holds it
exactly, and SQLite may add up 8,000 of its voids in 64 bits, in whatever order."""
EXPOSURE_UNITS = 2**50
"""Units in a probability of 1, so that a float holds each: a charge of 1e-9 is rounded up by less
than a millionth."""

_DIGITS = range(6, 18)
"""Significant digits of an amount in a message; 17 tell any two floats apart."""


def to_units(amount: float | Fraction) -> int:
    """Units that a release of this ε or ρ is charged, rounded up."""
    units = math.ceil(_exact(amount, "what is charged") * UNITS)
    if units > MOST:
        raise InvalidArgument(
            f"Expected what is charged to be at most {MOST // UNITS}, got {float(amount):g}. "
            "Ask for less."
        )
    return units


def budget(amount: float | Fraction) -> int:
    """Units that a budget of this ε or ρ holds, rounded down; the largest budget at most."""
    units = min(MOST, math.floor(_exact(amount, "the budget") * UNITS))
    if not units:
        raise InvalidArgument(
            f"Expected the budget to be at least 2^-40, got {float(amount):g}. Ask for more."
        )
    return units


def to_exposure(amount: float | Fraction) -> int:
    """Units that a release is charged for keys of this exposure, rounded up; 0 without keys."""
    exact = Fraction(amount)
    if not 0 <= exact < 1:
        raise InvalidArgument(f"Expected 0 <= exposure < 1, got {float(exact):g}.")
    return math.ceil(exact * EXPOSURE_UNITS)


def exposure_budget(amount: float | Fraction) -> int:
    """Units that a budget of this exposure holds, rounded down."""
    exact = Fraction(validate.open_probability(amount, "exposure"))
    units = math.floor(exact * EXPOSURE_UNITS)
    if not units:
        raise InvalidArgument(
            f"Expected an exposure of at least 2^-50, got {float(exact):g}. Ask for more."
        )
    return units


def exposure(units: int) -> Fraction:
    """The probability of so many units, exactly."""
    return Fraction(units, EXPOSURE_UNITS)


@attrs.frozen
class Spending:
    """What is charged, spent, left or budgeted: two amounts that add up side by side.

    `units` are of ε or ρ, 2⁻⁴⁰ each; `exposure` is in 2⁻⁵⁰ each of the probability that keys appear
    which one entity alone has.
    """

    units: int
    exposure: int = 0

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(self.units + other.units, self.exposure + other.exposure)

    def __sub__(self, other: "Spending") -> "Spending":
        return Spending(self.units - other.units, self.exposure - other.exposure)

    def fits(self, left: "Spending") -> bool:
        """Whether neither is more than what is left of it."""
        return self.units <= left.units and self.exposure <= left.exposure


def part_of(budget: int, share: Fraction) -> int:
    """Units of a share of a budget, rounded down: shares of 1 together fit."""
    return math.floor(budget * share)


def in_whole_units(amount: Fraction) -> Fraction:
    """An ε or ρ rounded down to whole units, so that exactly what is charged is spent."""
    units = math.floor(amount * UNITS)
    if not units:
        raise InvalidArgument(
            f"Expected every share to be at least 2^-40 with a ledger, got {float(amount):g}. "
            "Ask for more, or for fewer queries."
        )
    return Fraction(units, UNITS)


def amount(units: int) -> Fraction:
    """The ε or ρ of so many units, exactly."""
    return Fraction(units, UNITS)


def at_most(units: int) -> float:
    """Return the ε or ρ of so many units as a float, rounded up."""
    with directed() as r:
        return upper(r(amount(units)))


def at_least(units: int) -> float:
    """Return the ε or ρ of so many units as a float, rounded down."""
    with directed() as r:
        return lower(r(amount(units)))


def format_distinct(left: int, wanted: int, per: int = UNITS) -> tuple[str, str]:
    """What is left, rounded down, and more that is wanted, with as many digits as tell them apart.

    `per` is how many units make 1.
    """
    for digits in _DIGITS:
        texts = [f"{float(Fraction(each, per)):.{digits}g}" for each in (left, wanted)]
        if texts[0] != texts[1]:
            break
    down = Context(digits, ROUND_FLOOR).divide(left, per)  # who asks for what is told gets it
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
