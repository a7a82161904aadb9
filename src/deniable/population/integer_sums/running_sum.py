"""Sums that run over non-negative numbers, in float64 or far outside its range."""

import math
from collections.abc import Callable
from typing import Any, Self, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import UNIT, directed, upper
from deniable.numerics.time_limit import check
from deniable.population.integer_sums.laws import Floats
from deniable.population.integer_sums.multiset import Ints

_LN2 = math.log(2)
"""From natural logarithms to exponents of 2."""
_NOTHING = -(2**60)
"""The exponent of 0: below any other, and far enough from the least int64 to be subtracted."""
_VANISHES = 1100
"""Powers of 2 by which a term that does not count lies below another: float64 has 53 bits, and
2^−1100 of the sum is allowed for."""


@attrs.frozen(eq=False)
class Plain:
    """Numbers in float64, for as long as none that matters comes near the least of them."""

    values: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.values.shape

    @classmethod
    def of(cls, logs: Floats) -> Self:
        """e^logs."""
        return cls(np.exp(logs))

    @classmethod
    def power(cls, rate: float, distance: int) -> Self:
        """e^(−rate·distance) to one unit, or 0."""
        with directed() as r:
            return cls(np.array(upper(r.exp(-r(rate) * distance))))

    def at(self, place: Any) -> Self:
        """Some of the numbers, by any index of NumPy."""
        return type(self)(self.values[place])

    def put(self, place: Any, other: Self) -> None:
        """Write in place."""
        self.values[place] = other.values

    def add(self, place: Any, other: Self) -> None:
        """Add in place."""
        self.values[place] += other.values

    def times(self, other: Self) -> Self:
        """The product, to one unit."""
        return type(self)(self.values * other.values)

    def rearrange(self, change: Callable[[NDArray[Any], Any], NDArray[Any]]) -> Self:
        """The arrays arranged anew; `change` is told what stands for 0."""
        return type(self)(change(self.values, 0.0))

    def log(self) -> Floats:
        """Natural logarithm."""
        with np.errstate(divide="ignore"):
            return np.log(self.values)


@attrs.frozen(eq=False)
class Scaled:
    """mantissa · 2^exponent, elementwise; a mantissa is 0 or in [1/2, 1)."""

    mantissa: Floats
    exponent: Ints

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the arrays."""
        return self.mantissa.shape

    @classmethod
    def of(cls, logs: Floats) -> Self:
        """e^logs, to (3·|log| + 4) units."""
        finite = np.isfinite(logs)
        safe = np.where(finite, logs, 0.0)
        exponent = np.floor(safe / _LN2)
        fraction = np.where(finite, np.exp(safe - exponent * _LN2), 0.0)
        return cls._normal(fraction, exponent.astype(np.int64))

    @classmethod
    def power(cls, rate: float, distance: int) -> Self:
        """e^(−rate·distance) to one unit, however small."""
        exponent = math.floor(-rate * distance / _LN2)
        with directed() as r:
            mantissa = upper(r.exp(-r(rate) * distance - r.log(2) * exponent))
        return cls._normal(np.array(mantissa), np.array(exponent, np.int64))

    def at(self, place: Any) -> Self:
        """Some of the numbers, by any index of NumPy."""
        return type(self)(self.mantissa[place], self.exponent[place])

    def put(self, place: Any, other: Self) -> None:
        """Write in place."""
        self.mantissa[place] = other.mantissa
        self.exponent[place] = other.exponent

    def add(self, place: Any, other: Self) -> None:
        """Add in place, to one unit and 2^−1100 of the sum."""
        here, there = self.exponent[place], other.exponent
        exponent = np.maximum(here, there)
        mantissa = np.ldexp(self.mantissa[place], _shift(here - exponent))
        mantissa += np.ldexp(other.mantissa, _shift(there - exponent))
        self.put(place, self._normal(mantissa, exponent))

    def times(self, other: Self) -> Self:
        """The product, to one unit."""
        return self._normal(self.mantissa * other.mantissa, self.exponent + other.exponent)

    def rearrange(self, change: Callable[[NDArray[Any], Any], NDArray[Any]]) -> Self:
        """The arrays arranged anew; `change` is told what stands for 0."""
        return type(self)(change(self.mantissa, 0.0), change(self.exponent, _NOTHING))

    def log(self) -> Floats:
        """Natural logarithm, to three units of the larger of its two terms."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.mantissa) + self.exponent * _LN2)

    @classmethod
    def _normal(cls, mantissa: Floats, exponent: Ints) -> Self:
        fraction, shift = np.frexp(mantissa)
        return cls(fraction, np.where(fraction == 0, _NOTHING, exponent + shift))


Numbers = TypeVar("Numbers", Plain, Scaled)


def running(terms: Numbers, rate: float, before: Numbers) -> tuple[Numbers, float]:
    r"""Σ_{s <= t} terms[s] e^(−rate (t − s)) along the last axis, and its relative error.

    `before` is the sum just before the first term.
    """
    kind, (rows, length) = type(terms), terms.shape
    # A(t) = terms[t] + e^(−rate) A(t − 1), in pieces of about the square root of the length: all
    # pieces at once, then over the pieces. Every path has that many roundings, twice.
    piece = math.isqrt(length - 1) + 1
    pieces = -(-length // piece)
    step, leap = kind.power(rate, 1), kind.power(rate, piece)
    local = terms.rearrange(lambda part, zero: _cut(part, zero, piece, pieces))
    for t in range(1, piece):
        check()
        local.add(t, local.at(t - 1).times(step))
    carried = terms.rearrange(lambda part, zero: np.full((rows, pieces), zero, part.dtype))
    carried.put((slice(None), 0), before)
    for at in range(1, pieces):
        check()
        carried.put((slice(None), at), local.at((-1, slice(None), at - 1)))
        carried.add((slice(None), at), carried.at((slice(None), at - 1)).times(leap))
    for t in range(piece):
        check()
        carried = carried.times(step)
        local.add(t, carried)
    flat = local.rearrange(lambda part, _: part.transpose(1, 2, 0).reshape(rows, -1)[:, :length])
    return flat, UNIT * 8 * (piece + pieces + 2)


def _cut(part: NDArray[Any], zero: Any, piece: int, pieces: int) -> NDArray[Any]:
    """Shape (piece, rows, pieces): the place within a piece first."""
    rows, length = part.shape
    full = np.full((rows, pieces * piece), zero, part.dtype)
    full[:, :length] = part
    return np.ascontiguousarray(full.reshape(rows, pieces, piece).transpose(2, 0, 1))


def _shift(difference: Ints) -> NDArray[np.int32]:
    return np.maximum(difference, -_VANISHES).astype(np.int32)
