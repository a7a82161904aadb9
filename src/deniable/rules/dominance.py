"""Rules on sums of values: which sums they hide, and which attack each of them stands for.

Such a rule looks at the values x₁ ≥ x₂ ≥ … behind a sum T. It is an attack in disguise: some
contributors subtract their own values, and bound what the others have from above.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.rules.numbers import fraction, probability

_WIDEST = 10**300  # Times a value, of a bound that is too close: answers write it as a float


def _number(value: Any) -> int:
    return validate.integer(value, "a number of contributors", least=1)


def _part(value: Any) -> Fraction:
    part = fraction(value, "p")
    if part <= 0:
        raise InvalidArgument(f"Expected p > 0, got {validate.format_value(value)}.")
    return part


def _share(value: Any) -> Fraction:
    return probability(value, "a share")


@attrs.frozen
class Threat:
    """An attack on a sum: some intruders bound the values of the largest others too closely.

    `largest` contributors are attacked together by `intruders` others, who subtract their own
    values; a bound is too close if it is nearer to the truth than `within` times the truth.
    """

    largest: int
    intruders: int
    within: Fraction | None

    def __attrs_post_init__(self) -> None:
        if self.within is not None and self.within > _WIDEST:
            raise InvalidArgument(
                "Expected p and within of at most 1e300 and a share of at least 1e-300, got others."
            )


@attrs.frozen
class Dominance:
    """Hide a sum where a few contributors make up too much: the (n, k) rule.

    Parameters
    ----------
    largest : int
        n, how many of the largest contributors are added up.
    share : Fraction or float
        k, in [0, 1]; a float is read as the decimal that it prints.

    Examples
    --------
    >>> Dominance(2, 0.9).hides([60, 30, 10]), Dominance(2, 0.9).hides([60, 31, 9])
    (False, True)
    """

    largest: int = attrs.field(converter=_number)
    share: Fraction = attrs.field(converter=_share)

    def hides(self, values: Iterable[Any]) -> bool:
        """Whether the sum of these values is hidden."""
        ordered = _contributions(values)
        return sum(ordered[: self.largest]) > self.share * sum(ordered)

    @property
    def threat(self) -> Threat:
        """An outsider who bounds the n largest values by the sum: p = (1 - k)/k."""
        within = (1 - self.share) / self.share if self.share else None
        return Threat(self.largest, 0, within)


@attrs.frozen
class PPercent:
    """Hide a sum from which a few contributors could estimate the first too closely.

    With the values x₁ ≥ x₂ ≥ …, the second knows that x₁ is at most total − x₂; that is too close
    where total − x₁ − x₂ < p x₁. More intruders subtract the values after the second, too.

    Parameters
    ----------
    part : Fraction or float
        p, above 0; 0.1 is ten percent.
    intruders : int
        How many contributors put their values together.

    Examples
    --------
    >>> PPercent(0.1).hides([100, 50, 9]), PPercent(0.1).hides([100, 50, 10])
    (True, False)
    """

    part: Fraction = attrs.field(converter=_part)
    intruders: int = attrs.field(default=1, converter=_number)

    def hides(self, values: Iterable[Any]) -> bool:
        """Whether the sum of these values is hidden."""
        ordered = _contributions(values)
        rest = sum(ordered[self.intruders + 1 :], Fraction(0))
        return bool(ordered) and rest < self.part * ordered[0]

    @property
    def threat(self) -> Threat:
        """The next contributors, who bound the largest value."""
        return Threat(1, self.intruders, self.part)


@attrs.frozen
class PriorPosterior:
    """Hide a sum from which someone who knows all values roughly could estimate one closely.

    Everybody knows each value within q times itself. The second contributor then bounds the first
    within q times the rest, R = total − x₁ − x₂; that is too close where q R < p x₁.

    Parameters
    ----------
    part : Fraction or float
        p, above 0 and below q.
    before : Fraction or float
        q, at most 1.

    Examples
    --------
    >>> PriorPosterior(0.1, 0.5).hides([100, 50, 19]), PriorPosterior(0.1, 0.5).hides([100, 50, 20])
    (True, False)
    """

    part: Fraction = attrs.field(converter=_part)
    before: Fraction = attrs.field(converter=_share)

    def __attrs_post_init__(self) -> None:
        if self.part >= self.before:
            raise InvalidArgument(
                "Expected p < q, got p at least as large. Put p first: what the sum may tell, then "
                "what everybody knew before."
            )

    def hides(self, values: Iterable[Any]) -> bool:
        """Whether the sum of these values is hidden."""
        return PPercent(self.part / self.before).hides(values)

    @property
    def threat(self) -> Threat:
        """The second contributor, as under the p % rule with p/q."""
        return Threat(1, 1, self.part / self.before)


ValueRule: TypeAlias = PPercent | PriorPosterior | Dominance


def _contributions(values: Iterable[Any]) -> list[Fraction]:
    """Values from the largest on."""
    ordered = sorted((fraction(value, "a value") for value in values), reverse=True)
    if ordered and ordered[-1] < 0:
        raise InvalidArgument("Expected values >= 0, got one below.")
    return ordered
