"""Numbers as they are meant, and as they are shown: 0.05 is one twentieth."""

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import Ball, Directed, directed, lower, upper

_LONGEST = 400  # Of a written number: more digits and smaller exponents than any probability

_FARTHEST = 1000  # Powers of ten that a number may have: as a fraction it has as many digits

_DIGITS = 40  # Digits of a numerator or denominator up to which a fraction is shown: half a line

Number: TypeAlias = Fraction | Ball  # A number known exactly, or a ball that holds it


def fraction(value: Any, what: str) -> Fraction:
    """A number as a fraction; a float is the decimal that it prints as, a text may be "1/20"."""
    if isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str) and len(value) <= _LONGEST:
        try:
            if "/" in value:
                return Fraction(value)
            value = Decimal(value)
        except (ValueError, ArithmeticError):
            pass
    if isinstance(value, Decimal) and value.is_finite():
        if value and not -_FARTHEST <= value.adjusted() <= _FARTHEST:
            raise InvalidArgument(
                f"Expected {what} between 1e-{_FARTHEST} and 1e{_FARTHEST}, or 0, got "
                f"{validate.format_value(str(value))}."
            )
        return Fraction(value)
    exact = repr(validate.finite(value, what))
    # NumPy's float32 of 0.1 is printed as 0.1, and as a float it is another number.
    return Fraction(str(value) if type(value).__module__ == "numpy" else exact)


def probability(value: Any, what: str) -> Fraction:
    """A fraction in [0, 1]."""
    result = fraction(value, what)
    if not 0 <= result <= 1:
        if result <= 100:  # it says what it is where it is in percent
            validate.probability(float(result), what)
        raise InvalidArgument(f"Expected 0 <= {what} <= 1, got {validate.format_value(value)}.")
    return result


def prior_range(value: Any) -> tuple[Fraction, Fraction]:
    """The least and the largest prior, in order."""
    low, high = (probability(each, "prior") for each in validate.pair(value, "prior"))
    if high < low:
        validate.interval(float(low), float(high), "prior")
        raise InvalidArgument("Expected the lower prior first. Put the lower bound first.")
    return low, high


def ball_of(number: Number, r: Directed) -> Ball:
    """Return a ball that holds the number."""
    return r(number) if isinstance(number, Fraction) else number


def times(first: Number, second: Number) -> Number:
    """Return a product, exact where both are."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first * second
    with directed() as r:
        return ball_of(first, r) * ball_of(second, r)


def plus(first: Number, second: Number) -> Number:
    """Return a sum, exact where both are."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first + second
    with directed() as r:
        return ball_of(first, r) + ball_of(second, r)


def complement(number: Number) -> Number:
    """Return 1 less a number."""
    with directed():
        return 1 - number


def at_most(number: Number, limit: Number) -> bool:
    """Whether a number is no larger than another, for certain: not where their balls overlap."""
    if isinstance(number, Fraction) and isinstance(limit, Fraction):
        return number <= limit
    with directed() as r:
        return bool(ball_of(number, r) <= ball_of(limit, r))


def larger(first: Number, second: Number) -> Number:
    """Return the second number where the first is not at least as large for certain."""
    return first if at_most(second, first) else second


def smaller(first: Number, second: Number) -> Number:
    """Return the second number where the first is not at least as small for certain."""
    return first if at_most(first, second) else second


def is_within(lower: Number, upper: Number, limit: Number) -> bool | None:
    """Whether what lies between two bounds is at most a limit; None where it may be or not."""
    if at_most(upper, limit):
        return True
    return None if at_most(lower, limit) else False


def bound_between(least: Number, most: Number) -> Bound:
    """Return an interval of probabilities from the lower bound of one to the upper of another."""
    exact = isinstance(least, Fraction) and isinstance(most, Fraction) and least == most
    with directed() as r:
        low, high = lower(ball_of(least, r)), upper(ball_of(most, r))
    return Bound(max(low, 0.0), min(high, 1.0), Evidence.EXACT if exact else Evidence.ENCLOSURE)


@attrs.frozen
class Belief:
    """A belief with what it rests on.

    `fraction` is the belief itself, where it is known exactly.
    """

    bound: Bound
    fraction: Fraction | None = None

    @classmethod
    def between(cls, least: Number, most: Number) -> "Belief":
        """Return the belief that lies between two numbers."""
        bound = bound_between(least, most)
        if bound.evidence is Evidence.EXACT and isinstance(least, Fraction):
            return cls(bound, least)
        return cls(bound)

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """Bounds of the belief as fractions, which are equal where it is known exactly."""
        if self.fraction is not None:
            return self.fraction, self.fraction
        return Fraction(self.bound.lower), Fraction(self.bound.upper)

    @property
    def text(self) -> str | None:
        """The fraction as a text such as "281/397", where that is short."""
        if self.fraction is None or self.fraction.denominator >= 10**_DIGITS:
            return None
        return str(self.fraction)

    def as_json(self) -> dict[str, Any]:
        """Its bounds, and the fraction where that is short."""
        entry: dict[str, Any] = self.bound.as_json()
        return entry if self.text is None else entry | {"fraction": self.text}


@attrs.frozen
class Chance:
    """A probability that may be far below what a float can hold.

    `power_of_ten` bounds its logarithm to base 10; None where it is 0, so that the event is
    impossible.
    """

    bound: Bound
    power_of_ten: tuple[float, float] | None

    @classmethod
    def between(cls, least: Number, most: Number) -> "Chance":
        """Return the probability that lies between two numbers."""
        bound = bound_between(least, most)
        with directed() as r:
            low, high = ball_of(least, r), ball_of(most, r)
            if most == 0:
                return cls(bound, None)
            ten = r.log(r(10))
            below = lower(r.log(low) / ten) if low > 0 else -math.inf
            return cls(bound, (min(below, 0.0), min(upper(r.log(high) / ten), 0.0)))

    def as_json(self) -> dict[str, Any]:
        """Its bounds, and their powers of ten."""
        powers = None if self.power_of_ten is None else list(self.power_of_ten)
        return self.bound.as_json() | {"power_of_ten": powers}


def power_above(power: float) -> str:
    """Return the power of ten of a probability, rounded up to a tenth."""
    return f"{math.ceil(Fraction(power) * 10) / 10:g}" if power > -1e5 else str(math.ceil(power))
