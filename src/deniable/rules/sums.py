"""Rules for sums of values, such as turnover: they protect the values, not who is counted.

What such a rule lets one know is an interval of a contributor's value, and no belief.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.rules.numbers import fraction, probability


def _number(value: Any) -> int:
    return validate.integer(value, "a number of contributors", least=1)


def _share(value: Any) -> Fraction:
    return probability(value, "a share")


def _part(value: Any) -> Fraction:
    part = fraction(value, "p")
    if part <= 0:
        raise InvalidArgument(f"Expected p > 0, got {validate.format_value(value)}.")
    return part


@attrs.frozen
class Contributors:
    """Hide a sum to which fewer than some number of people contribute.

    Parameters
    ----------
    least : int
        The smallest number of contributors with which a sum is shown.

    Examples
    --------
    >>> Contributors(3).hides([10, 20])
    True
    """

    least: int = attrs.field(converter=_number)

    def hides(self, values: Iterable[Any]) -> bool:
        """Whether the sum of these values is hidden."""
        return len(_contributions(values)) < self.least


@attrs.frozen
class Dominance:
    """Hide a sum of which a few contributors make up too much: the (n, k) rule.

    Parameters
    ----------
    largest : int
        n, how many of the largest contributors are added up.
    share : Fraction or float
        k, in [0, 1]; a float is read as the decimal that it prints.
    or_equal : bool
        Whether a share of exactly k is too much, as ACRO has it.

    Examples
    --------
    >>> Dominance(2, 0.9).hides([60, 30, 10]), Dominance(2, 0.9, or_equal=True).hides([60, 30, 10])
    (False, True)
    """

    largest: int = attrs.field(converter=_number)
    share: Fraction = attrs.field(converter=_share)
    or_equal: bool = False

    def hides(self, values: Iterable[Any]) -> bool:
        """Whether the sum of these values is hidden."""
        ordered = _contributions(values)
        few, limit = sum(ordered[: self.largest]), self.share * sum(ordered)
        return few > limit or (self.or_equal and few == limit and few > 0)


@attrs.frozen
class PPercent:
    """Hide a sum from which the second contributor could estimate the first too closely.

    With the largest values x₁ and x₂, the second knows that x₁ is at most total − x₂; that is too
    close where total − x₁ − x₂ < p x₁.

    Parameters
    ----------
    part : Fraction or float
        p, above 0; 0.1 is ten percent.

    Examples
    --------
    >>> PPercent(0.1).hides([100, 50, 9]), PPercent(0.1).hides([100, 50, 10])
    (True, False)
    """

    part: Fraction = attrs.field(converter=_part)

    def hides(self, values: Iterable[Any]) -> bool:
        """Whether the sum of these values is hidden."""
        first, second, total = _two_largest(values)
        return total - first - second < self.part * first

    def known(self, values: Iterable[Any]) -> tuple[Fraction, Fraction]:
        """Bounds of the largest value for the second contributor, who knows the exact sum."""
        _, second, total = _two_largest(values)
        return second, total - second


def _contributions(values: Iterable[Any]) -> list[Fraction]:
    """Values from the largest on."""
    ordered = sorted((fraction(value, "a value") for value in values), reverse=True)
    if ordered and ordered[-1] < 0:
        raise InvalidArgument("Expected values >= 0, got one below.")
    return ordered


def _two_largest(values: Iterable[Any]) -> tuple[Fraction, Fraction, Fraction]:
    ordered = _contributions(values)
    first, second, *_ = *ordered, Fraction(0), Fraction(0)
    return first, second, sum(ordered, Fraction(0))
