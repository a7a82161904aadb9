"""What members add to sums of whole numbers, and what a search finds of it."""

import math
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.numerics.bound import Bound

ERROR = 1 / 16
"""Share of δ that goes to the chance that random draws mislead."""
LOOKS = 6
"""How often a search may look at bounds that draws gave: these share the chance of an error."""
_LARGEST_FACTOR = 2.0**22
"""Of the noise, up to which one that meets the demand is looked for."""
_CLOSE = 1.02
"""A guess at a factor is no bound, and is needed no closer than this."""


def _as_vectors(value: Any) -> NDArray[np.int64]:
    return np.atleast_2d(np.asarray(value, np.int64))


def _counts(value: Any) -> NDArray[np.int64]:
    return np.atleast_1d(np.asarray(value, np.int64))


@attrs.frozen(eq=False)
class IntegerVectors:
    """The sum over a sample of what each member adds, before noise.

    Parameters
    ----------
    values : array_like of int, shape (n_types, d)
        Different vectors.
    counts : array_like of int, shape (n_types,)
        How many members have each, ≥ 1.
    size : int
        n of the uniform sample, 1 <= n < N.
    """

    values: NDArray[np.int64] = attrs.field(converter=_as_vectors)
    counts: NDArray[np.int64] = attrs.field(converter=_counts)
    size: int

    def __attrs_post_init__(self) -> None:
        if not 1 <= self.size < self.population:
            raise InvalidArgument(
                f"Expected 1 <= size < {self.population}, the number of members, got "
                f"size={self.size}."
            )

    @property
    def population(self) -> int:
        """N."""
        return int(self.counts.sum())

    def every(self) -> NDArray[np.float64]:
        """A row a member."""
        return np.repeat(self.values, self.counts, axis=0).astype(np.float64)


@attrs.frozen
class CertifiedBound:
    """ε̃ of a noisy vector: its interval, and what gave the upper bound.

    Parameters
    ----------
    bound : Bound
        ε̃ at δ, whose upper bound is certified.
    method : str
        "constant", "types", "counts", "hypergeometric", "lattice", "fourier", "crowd", "pairwise",
        "swaps", or "exchanges" and "restricted" where only exchanges of two members were looked at.
    error : float
        The chance that random draws mislead; δ includes it.
    """

    bound: Bound
    method: str
    error: float = 0.0


def smallest(*bounds: CertifiedBound | None) -> CertifiedBound | None:
    """The one with the smallest upper bound, of those that are known."""
    known = [each for each in bounds if each is not None]
    return min(known, key=lambda each: each.bound.upper, default=None)


def guess_factor(guess: Callable[[float], float], demand: float) -> float:
    """The least factor ≥ 1 of the noise at which a falling guess of ε̃ meets the demand, about."""
    low, high = 1.0, 1.0
    while guess(high) > demand and high < _LARGEST_FACTOR:
        low, high = high, 2 * high
    while high / low > _CLOSE:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if guess(middle) <= demand else (middle, high)
    return high
