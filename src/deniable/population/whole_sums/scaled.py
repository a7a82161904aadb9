"""Non-negative numbers m·2^e far outside the range of float64, and a sum that runs over them."""

import math
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable._rounding import directed, upper
from deniable.population.whole_sums.laws import UNIT, Floats
from deniable.population.whole_sums.multiset import Ints

_LN2 = math.log(2)
_NOTHING = -(2**60)
"""The exponent of 0."""
_FAR = 1100
"""Terms this many powers of 2 below another do not count."""


@attrs.frozen(eq=False)
class Scaled:
    """mantissa · 2^exponent, elementwise; a mantissa is 0 or in [1/2, 1)."""

    mantissa: Floats
    exponent: Ints

    def at(self, place: Any) -> "Scaled":
        """Some of the numbers, by any index of NumPy."""
        return Scaled(self.mantissa[place], self.exponent[place])

    def put(self, place: Any, other: "Scaled") -> None:
        """Write in place."""
        self.mantissa[place] = other.mantissa
        self.exponent[place] = other.exponent

    def plus(self, other: "Scaled") -> "Scaled":
        """The sum, to one unit and 2^−1100 of it."""
        exponent = np.maximum(self.exponent, other.exponent)
        mantissa = np.ldexp(self.mantissa, _shift(self.exponent - exponent))
        mantissa += np.ldexp(other.mantissa, _shift(other.exponent - exponent))
        return _normal(mantissa, exponent)

    def times(self, other: "Scaled") -> "Scaled":
        """The product, to one unit."""
        return _normal(self.mantissa * other.mantissa, self.exponent + other.exponent)

    def log(self) -> Floats:
        """Natural logarithm, to three units of the larger of its two terms."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.mantissa) + self.exponent * _LN2)


def scaled(logs: Floats) -> Scaled:
    """e^logs, to (3·|log| + 4) units."""
    finite = np.isfinite(logs)
    safe = np.where(finite, logs, 0.0)
    exponent = np.floor(safe / _LN2)
    return _normal(np.where(finite, np.exp(safe - exponent * _LN2), 0.0), exponent.astype(np.int64))


def power(rate: float, distance: int) -> Scaled:
    """e^(−rate·distance) to one unit, however small."""
    exponent = math.floor(-rate * distance / _LN2)
    with directed() as r:
        mantissa = upper(r.exp(-r(rate) * distance - r.log(2) * exponent))
    return _normal(np.array(mantissa), np.array(exponent, np.int64))


def running(terms: Scaled, rate: float, before: Scaled) -> tuple[Scaled, float]:
    r"""Σ_{s <= t} terms[s] e^(−rate (t − s)) along the last axis, and its relative error.

    `before` is the sum just before the first term. In pieces of about the square root of the
    length, all at once, then over the pieces: every path has that many roundings, twice.
    """
    rows, length = terms.mantissa.shape
    piece = math.isqrt(length - 1) + 1
    pieces = -(-length // piece)
    step = power(rate, 1)
    local = _each(terms, lambda part, rest: _pieces(part, rest, piece, pieces))
    for t in range(1, piece):
        local.put(t, local.at(t).plus(local.at(t - 1).times(step)))
    carried = Scaled(np.empty((rows, pieces)), np.empty((rows, pieces), np.int64))
    carried.put((slice(None), 0), before)
    leap = power(rate, piece)
    for at in range(1, pieces):
        ahead = carried.at((slice(None), at - 1)).times(leap)
        carried.put((slice(None), at), local.at((-1, slice(None), at - 1)).plus(ahead))
    for t in range(piece):
        carried = carried.times(step)
        local.put(t, local.at(t).plus(carried))
    flat = _each(local, lambda part, _: part.transpose(1, 2, 0).reshape(rows, -1)[:, :length])
    return flat, UNIT * 8 * (piece + pieces + 2)


def _each(numbers: Scaled, change: Callable[[Any, Any], Any]) -> Scaled:
    """Both arrays changed, each told what stands for 0 there."""
    return Scaled(change(numbers.mantissa, 0.0), change(numbers.exponent, _NOTHING))


def _pieces(part: NDArray[Any], rest: Any, piece: int, pieces: int) -> NDArray[Any]:
    """Shape (piece, rows, pieces): the place within a piece first."""
    rows, length = part.shape
    full = np.full((rows, pieces * piece), rest, part.dtype)
    full[:, :length] = part
    return np.ascontiguousarray(full.reshape(rows, pieces, piece).transpose(2, 0, 1))


def _normal(mantissa: Floats, exponent: Ints) -> Scaled:
    fraction, shift = np.frexp(mantissa)
    return Scaled(fraction, np.where(fraction == 0, _NOTHING, exponent + shift))


def _shift(difference: Ints) -> NDArray[np.int32]:
    return np.maximum(difference, -_FAR).astype(np.int32)
