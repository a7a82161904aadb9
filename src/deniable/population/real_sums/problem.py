"""What every method needs of a real sum: its records, its values, its noise."""

import math
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.numerics.effort import Effort
from deniable.numerics.rounding import directed, lower, upper
from deniable.population.bounds import epsilon_at
from deniable.population.question import Question, Summands, only_column, shift_columns

# --- The parent set of a sum: centred values with multiplicities and chances to be chosen.


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


# --- The noise as the inversion sees it: a Gaussian part and, perhaps, a Laplace part.


@attrs.frozen
class Kernel:
    r"""The law of g·Z + b·W, Z standard normal, W standard Laplace, independent.

    .. math:: \nu(\theta) = \frac{e^{-g^2\theta^2/2}}{1 + b^2\theta^2}, \qquad
              \mathrm{E}\,e^{\lambda X} = \frac{e^{g^2\lambda^2/2}}{1 - b^2\lambda^2}

    Parameters
    ----------
    gaussian : float
        Standard deviation g of the normal part, > 0.
    laplace : float
        Scale b of the Laplace part, >= 0.
    """

    gaussian: float
    laplace: float = 0.0

    def log_characteristic(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """ln ν(θ), decreasing in θ >= 0."""
        # ln ν(θ) = −g²θ²/2 − ln(1 + b²θ²)
        return np.asarray(
            -((self.gaussian * theta) ** 2) / 2 - np.log1p((self.laplace * theta) ** 2)
        )

    def log_moment(self, tilt: float) -> float:
        """ln E e^(λX); infinite where the moment does not exist."""
        # ln E e^(λX) = g²λ²/2 − ln(1 − b²λ²)
        if abs(tilt) * self.laplace >= 1:
            return math.inf
        return (self.gaussian * tilt) ** 2 / 2 - math.log1p(-((self.laplace * tilt) ** 2))

    def limit(self, sign: int) -> float:  # noqa: ARG002 - the law is symmetric
        """Up to which λ > 0 the moment exists."""
        return 1 / self.laplace if self.laplace else math.inf

    def steep(self, exponent: float) -> float:
        """The λ that bounds the tail best, were the noise normal of the same variance."""
        return math.sqrt(2 * exponent / (self.gaussian**2 + 2 * self.laplace**2))

    def cutoff(self, exponent: float) -> float:
        """A θ > 0 beyond which ln ν is below −exponent; the normal part alone gives it."""
        return math.sqrt(2 * exponent) / self.gaussian

    def beyond(self, theta: float, step: float) -> float:
        """At least the sum of ν(jh)² over all jh > θ, for θ > 0 and one step h.

        The sum is at most ∫_θ^∞ e^(−g²t²) dt / h, and Mills' ratio bounds that.
        """
        # e^(−g²θ²)/(2g²θ) >= ∫_θ^∞ e^(−g²t²) dt, over h.
        g = self.gaussian
        return math.exp(-((g * theta) ** 2)) / (2 * g * g * theta * step)


# --- The distinct values of a sum's records, with what every method needs to know of them.


RealNoise: TypeAlias = Gaussian | Laplace
_EACH = 200
"""Beyond so many targets, all get the bound of the worst: one root is some ms of balls."""


@attrs.frozen(eq=False)
class Problem:
    """ε̃ of the sum of n of N numbers plus noise; equal numbers share their answer.

    Parameters
    ----------
    values, counts : arrays, shape (n_values,)
        The distinct numbers, increasing, and how many records have each. All of them may be
        moved alike, which moves all sums alike, and exactly.
    index : array of int, shape (n_records,)
        Position in `values` of each record's number.
    size : int
        n, 1..N−1.
    noise : Gaussian or Laplace
        In the unit of the sum.
    delta : float
        In [0, 1).
    effort : Effort
        Limits of the work.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    index: NDArray[np.int64]
    size: int
    noise: RealNoise
    delta: float
    effort: Effort

    @classmethod
    def of(cls, question: Question[Summands], noise: RealNoise, effort: Effort) -> "Problem":
        """From a question about one column."""
        column = only_column(question.data.values, type(noise).__name__)
        values, index, counts = np.unique(column, return_inverse=True, return_counts=True)
        moved = shift_columns(values[:, np.newaxis])[:, 0]
        return cls(moved, counts, index, question.size, noise, question.delta, effort)

    def farthest(self, target: int) -> float:
        """Largest distance of one value from another record's, rounded up."""
        mine, least, most = self.values[target], self.values[0], self.values[-1]
        with directed() as r:
            return max(
                upper(r(float(most)) - r(float(mine))), upper(r(float(mine)) - r(float(least)))
            )

    def noise_alone(self, targets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Upper bounds of ε̃ that always hold: the noise hides the exchange of two records.

        The in-law and the out-law are mixtures of shifted noise, coupled so that no shift exceeds
        the distance of the record from another; the divergence is jointly convex.
        """
        distances = np.array([self.farthest(int(target)) for target in targets])
        if len(targets) > _EACH:
            distances = distances[[distances.argmax()]]
        each = [epsilon_at(self.noise, float(distance), self.delta) for distance in distances]
        return np.array(each) if len(targets) <= _EACH else np.full(len(targets), each[0])
