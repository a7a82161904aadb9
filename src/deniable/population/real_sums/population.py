"""The parent set of a sum: centred values with multiplicities and chances to be chosen."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import directed, lower

_TINY = 1e-18
"""A record's share of what may be left out: a hundredth of the rounding of one factor."""


@attrs.frozen(eq=False)
class Population:
    """N numbers, centred and in units of the noise, of which n are summed.

    Parameters
    ----------
    values : array of float, shape (n_values,)
        The distinct numbers.
    counts : array of int, shape (n_values,)
        How many records have each.
    size : int
        n, in 1..N−1.
    rates : array of float, shape (n_values,)
        Chances π_i of independent choices whose law, given that n are chosen, is meant. All the
        same for the uniform law; any number in (0, 1) then gives the same answers.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    size: int
    rates: NDArray[np.float64]

    @property
    def records(self) -> int:
        """N."""
        return int(self.counts.sum())

    @property
    def rate(self) -> float:
        """The float next to n/N."""
        return self.size / self.records

    @property
    def others(self) -> tuple[int, int]:
        """How many of the others are chosen, given that a record is in and that it is out."""
        return self.size - 1, self.size

    @property
    def tiny(self) -> float:
        """What may be left out of a characteristic function: far below the rounding error."""
        return _TINY * self.records

    @property
    def variances(self) -> NDArray[np.float64]:
        """π_i(1−π_i), shape (n_values,)."""
        return self.rates * (1 - self.rates)

    def total(self, of: NDArray[np.float64]) -> float:
        """Sum over the records of a function of their values."""
        return float(self.counts @ of)

    def centre_and_spread(self) -> tuple[float, float]:
        """Mean and standard deviation, about, of the sum of n chosen at these rates."""
        # Σ π y, and √(Σ v y² − (Σ v y)²/Σ v): the variance of the sum given its number, if both
        # were normal.
        v, scale = self.variances, float(np.max(np.abs(self.values))) or 1.0
        values = self.values / scale
        mean = self.total(self.rates * values)
        # Under an extreme tilt every record is in or out for sure, and there is no variance.
        square = self.total(v * values**2)
        square -= self.total(v * values) ** 2 / max(self.total(v), 1e-300)
        return mean * scale, scale * math.sqrt(max(square, 0.0))

    def chances(self) -> tuple[float, float]:
        """Pr[Bin(N−1, rate) = n−1] and Pr[… = n]."""
        others = self.records - 1
        return self._chance(others, self.size - 1), self._chance(others, self.size)

    def typical_chance(self) -> float:
        """About Pr[K = n] at these rates, if n is their sum; a scale, not a bound."""
        return 1 / (1 + math.sqrt(2 * math.pi * self.total(self.variances)))

    def chance(self) -> float:
        """Pr[Bin(N, rate) = n]."""
        return self._chance(self.records, self.size)

    def _chance(self, trials: int, successes: int) -> float:
        with directed() as r:
            # C(N, n) p^n (1 − p)^(N − n)
            p = r(self.rate)
            ways = r.binomial(trials, successes)
            return lower(ways * p**successes * (1 - p) ** (trials - successes))


def standardise_population(
    distinct: NDArray[np.float64], counts: NDArray[np.int64], size: int, unit: float
) -> Population:
    """Distinct values in units of the noise, about their mean; a shift changes no ε̃."""
    centre = float(np.average(distinct, weights=counts))
    rates = np.full(len(distinct), size / int(counts.sum()))
    return Population((distinct - centre) / unit, counts, size, rates)
