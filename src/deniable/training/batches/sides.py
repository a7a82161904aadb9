"""Curves that are known from one side: a bound above what is true, or an attack that reaches it."""

from __future__ import annotations

import abc
import functools
import math
from collections.abc import Callable
from typing import Protocol

import attrs
import numpy as np

from deniable.numerics.rounding import directed, lower, upper
from deniable.training.noisy_gradients.curve import Direction, EnclosedCurve
from deniable.training.noisy_gradients.sums import least_value

_FAR = 40.0
"""ε up to which a line below a trade-off curve is looked for: e^40 is more than 1 over any rate."""


class Side(Protocol):
    """One side of an enclosure."""

    def delta(self, epsilon: float, direction: Direction) -> float:
        """δ(ε), ε >= 0, rounded to the side."""

    def misses(self, fpr: float) -> float:
        """The least false-negative rate at a false-positive rate, rounded to the other side.

        A bound above on δ is one below on what an attack misses.
        """


class AboveByLines(abc.ABC):
    """A bound above on δ, whose lines bound what attacks miss."""

    __slots__ = ()

    @abc.abstractmethod
    def delta(self, epsilon: float, direction: Direction) -> float:
        """δ(ε), ε >= 0, rounded up."""

    def misses(self, fpr: float) -> float:
        """The best line below the trade-off curve: 1 − δ(ε) − e^ε α, or e^(−ε) (1 − δ(ε) − α).

        The first is of a record that is removed, the second of one that is added; each ε gives a
        true bound.
        """

        def missed(epsilon: float, direction: Direction) -> float:
            epsilon = max(epsilon, 0.0)
            with directed() as r:
                rest = 1 - r(self.delta(epsilon, direction))
                if direction is Direction.REMOVE:
                    return lower(rest - r.exp(epsilon) * r(fpr))
                return lower(r.exp(-r(epsilon)) * (rest - r(fpr)))

        most, last = 0.0, min(-math.log(fpr), _FAR)
        for direction in Direction:
            negative = least_value(lambda e: -missed(e, direction), 0.0, last)  # noqa: B023 - at once
            most = max(most, -negative, missed(0.0, direction))
        return most


@attrs.frozen(slots=False)
class Later:
    """A side that is made when it is first asked: many questions are about one of the two.

    `otherwise` holds too, and takes its place where a number leaves the range of floats.
    """

    make: Callable[[], Side]
    otherwise: Side

    @functools.cached_property
    def made(self) -> Side:
        """The side itself."""
        try:
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                return self.make()
        except (FloatingPointError, OverflowError):
            return self.otherwise

    def delta(self, epsilon: float, direction: Direction) -> float:
        """Its δ(ε)."""
        return self.made.delta(epsilon, direction)

    def misses(self, fpr: float) -> float:
        """What attacks miss by it."""
        return self.made.misses(fpr)


@attrs.frozen
class GaussianSide:
    """The curve of N(μ, 1) against N(0, 1), the same in both directions (dong-roth-su-2022)."""

    mu: float
    is_above: bool

    def delta(self, epsilon: float, direction: Direction) -> float:
        """δ(ε) by its closed form."""
        del direction
        with directed() as r:
            ball = r.gaussian_delta(r(epsilon), r(self.mu))
            return min(upper(ball), 1.0) if self.is_above else max(lower(ball), 0.0)

    def misses(self, fpr: float) -> float:
        """Φ(Φ⁻¹(1 − α) − μ)."""
        with directed() as r:
            ball = r.normal_cdf(-r.normal_quantile(r(fpr)) - r(self.mu))
            return max(lower(ball), 0.0) if self.is_above else min(upper(ball), 1.0)


@attrs.frozen
class CurveSide:
    """One side of a curve that is enclosed already."""

    curve: EnclosedCurve
    is_above: bool

    def delta(self, epsilon: float, direction: Direction) -> float:
        """Return that end of δ(ε)."""
        bound = self.curve.delta(epsilon, direction)
        return bound.upper if self.is_above else bound.lower

    def misses(self, fpr: float) -> float:
        """The other end of the false-negative rate."""
        return self.curve.fnr_at_least(fpr) if self.is_above else self.curve.fnr(fpr).upper


@attrs.frozen
class Best:
    """The tightest of several sides in every point: all bounds hold, all attacks can be run."""

    sides: tuple[Side, ...]
    is_above: bool

    def delta(self, epsilon: float, direction: Direction) -> float:
        """The least bound above, or the worst attack."""
        deltas = (side.delta(epsilon, direction) for side in self.sides)
        return min(deltas) if self.is_above else max(deltas)

    def misses(self, fpr: float) -> float:
        """The largest bound below, or the attack that misses least."""
        missed = (side.misses(fpr) for side in self.sides)
        return max(missed) if self.is_above else min(missed)


@attrs.frozen
class Mixture(AboveByLines):
    """Bounds above, each with the probability of a case that the attacker is told."""

    cases: tuple[tuple[float, Side], ...]

    def delta(self, epsilon: float, direction: Direction) -> float:
        """The mean over the cases, for δ is jointly convex."""
        with directed() as r:
            total = r(0)
            for chance, side in self.cases:
                total += r(chance) * r(side.delta(epsilon, direction))
            return min(upper(total), 1.0)


@attrs.frozen
class TwoChanges(AboveByLines):
    """A bound above on two changes, one after the other, from bounds on each.

    If P exceeds e^x times what lies between by δ₁(x), and that e^(ε − x) times Q by δ₂(ε − x), P
    exceeds e^ε times Q by δ₁(x) + e^x δ₂(ε − x), for every x.
    """

    first: Side
    second: Side
    turns: bool
    """Whether the second change goes the other way: a record removed, and another added.

    Records that draw alone may change in either order, with neither of them in between or both, and
    both directions of an exchange are one: the tighter order counts.
    """

    def delta(self, epsilon: float, direction: Direction) -> float:
        """The least bound over x in [0, ε]."""
        if not self.turns:
            return self._least(epsilon, direction, direction)
        remove, add = Direction
        return min(self._least(epsilon, remove, add), self._least(epsilon, add, remove))

    def _least(self, epsilon: float, direction: Direction, other: Direction) -> float:
        """The least bound, where the changes are of these directions."""

        def bound(x: float) -> float:
            x = min(max(x, 0.0), epsilon)
            with directed() as r:
                return upper(
                    r(self.first.delta(x, direction))
                    + r.exp(x) * r(self.second.delta(max(lower(r(epsilon) - r(x)), 0.0), other))
                )

        at_ends = min(bound(0.0), bound(epsilon))
        return min(at_ends, least_value(bound, 0.0, epsilon), 1.0) if epsilon else min(at_ends, 1.0)


@attrs.frozen
class EqualChanges(AboveByLines):
    """A bound above on `times` changes of one kind, each with an equal part of ε.

    Of the ways to divide ε that `TwoChanges` tries all of, one: with more changes that many tries
    of each would take minutes.
    """

    one: Side
    times: int

    def delta(self, epsilon: float, direction: Direction) -> float:
        """Σ_j e^(j ε/m) δ(ε/m), j < m."""
        with directed() as r:
            part = lower(r(epsilon) / self.times)
            total = sum((r.exp(r(j) * r(epsilon) / self.times) for j in range(self.times)), r(0))
            return min(upper(total * r(self.one.delta(max(part, 0.0), direction))), 1.0)
