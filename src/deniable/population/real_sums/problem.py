"""What every method needs of a real sum: its records, its values, its noise."""

import math
from typing import ClassVar, TypeAlias

import attrs
import numpy as np

from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.effort import Effort
from deniable.numerics.rounding import directed, lower, upper
from deniable.population.bounds import epsilon_at
from deniable.population.question import (
    Complexes,
    Floats,
    Ints,
    Question,
    Summands,
    only_column,
    shift_columns,
)

_REACH = 6.0
"""Standard deviations from its middle in which a piece is used: e^−18 of the peak, above the
error."""
_TINY = 1e-18  # A record's share of what may be left out: a hundredth of the rounding of one factor


@attrs.frozen(eq=False)
class Population:
    """N numbers, centred and in units of the noise, of which n are summed."""

    values: Floats  # (n_values,): the distinct numbers
    counts: Ints  # (n_values,): how many records have each
    size: int  # n, in 1..N−1
    # (n_values,): chances π_i of independent choices whose law, given that n are chosen, is meant.
    # All the same for the uniform law; any number in (0, 1) then gives the same answers.
    rates: Floats

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
    def variances(self) -> Floats:
        """π_i(1−π_i), shape (n_values,)."""
        return self.rates * (1 - self.rates)

    def total(self, of: Floats) -> float:
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
        """Estimate Pr[K = n] at these rates, if n is their sum; a scale, not a bound."""
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


def standardise_population(distinct: Floats, counts: Ints, size: int, unit: float) -> Population:
    """Distinct values in units of the noise, about their mean; a shift changes no ε̃."""
    centre = float(np.average(distinct, weights=counts))
    rates = np.full(len(distinct), size / int(counts.sum()))
    return Population((distinct - centre) / unit, counts, size, rates)


@attrs.frozen
class Kernel:
    r"""The law of g·Z + b·W, Z standard normal, W standard Laplace, independent.

    .. math:: \nu(\theta) = \frac{e^{-g^2\theta^2/2}}{1 + b^2\theta^2}, \qquad
              \mathrm{E}\,e^{\lambda X} = \frac{e^{g^2\lambda^2/2}}{1 - b^2\lambda^2}
    """

    gaussian: float  # Standard deviation g of the normal part, > 0
    laplace: float = 0.0  # Scale b of the Laplace part, >= 0

    def log_characteristic(self, theta: Floats) -> Floats:
        """ln ν(θ), decreasing in θ >= 0."""
        return np.asarray(
            -((self.gaussian * theta) ** 2) / 2 - np.log1p((self.laplace * theta) ** 2)
        )

    def log_moment(self, tilt: float) -> float:
        """ln E e^(λX); infinite where the moment does not exist."""
        if abs(tilt) * self.laplace >= 1:
            return math.inf
        return (self.gaussian * tilt) ** 2 / 2 - math.log1p(-((self.laplace * tilt) ** 2))

    def limit(self, sign: int) -> float:  # noqa: ARG002 - the law is symmetric
        """Return the λ > 0 up to which the moment exists."""
        return 1 / self.laplace if self.laplace else math.inf

    def steep(self, exponent: float) -> float:
        """The λ that bounds the tail best, were the noise normal of the same variance."""
        return math.sqrt(2 * exponent / (self.gaussian**2 + 2 * self.laplace**2))

    def cutoff(self, exponent: float) -> float:
        """A θ > 0 beyond which ln ν is below −exponent; the normal part alone gives it."""
        return math.sqrt(2 * exponent) / self.gaussian

    def beyond(self, theta: float, step: float) -> float:
        """Bound the sum of ν(jh)² over all jh > θ from above, for θ > 0 and one step h."""
        # At most ∫_θ^∞ e^(−g²t²) dt / h, and by Mills' ratio e^(−g²θ²)/(2g²θ) >= the integral.
        g = self.gaussian
        return math.exp(-((g * theta) ** 2)) / (2 * g * g * theta * step)


@attrs.frozen
class TiltedKernel:
    """Envelope of the smooth kernels under a tilt, in units of the Laplace scale."""

    middle: ClassVar[float] = 0.0  # Where it peaks, about
    log_factor: ClassVar[float] = 0.0  # ln of a factor that is left out: none

    tilt: float  # λ, in (−1, 1)
    smoothing: float  # √v, > 0

    def lower(self, theta: Floats) -> Complexes:
        """Transform of e^(λu) e^(−v/2) K_v(u)."""
        # ∫ e^(zu) e^(−v/2) K_v(u) du = e^((z² − 1)v/2)/(1 − z²), z = λ + iθ.
        z = self.tilt + 1j * theta
        v = self.smoothing**2
        return np.asarray(np.exp((z * z - 1) * v / 2) / (1 - z * z))

    def bump(self, theta: Floats) -> Complexes:
        """Transform of e^(λu) v N_v(u)."""
        # ∫ e^(zu) v N_v(u) du = v e^(z²v/2)
        z = self.tilt + 1j * theta
        v = self.smoothing**2
        return np.asarray(v * np.exp(z * z * v / 2))

    def log_characteristic(self, theta: Floats) -> Floats:
        """ln of a decreasing bound of both transforms together."""
        # |1 − z²|² = ((1 − λ)² + θ²)((1 + λ)² + θ²)
        v = self.smoothing**2
        below, above = (1 - self.tilt) ** 2, (1 + self.tilt) ** 2
        size = 1 / np.sqrt((below + theta**2) * (above + theta**2)) + v
        return np.asarray((self.tilt**2 - theta**2) * v / 2 + np.log(size))

    def zone(self, spread: float) -> tuple[float, float]:
        """How far left and right of its middle a piece is used: spreads, and the kernel's tails."""
        wide = _REACH * math.hypot(spread, 1.0)
        return wide + 2 / (1 + self.tilt), wide + 2 / (1 - self.tilt)

    def log_moment(self, tilt: float) -> float:
        """ln of a bound of ∫ e^(μu) over both kernels, and of their greatest value times e^(μu)."""
        # ∫ e^(μu) at λ + μ: e^(v/2) (1/(1 − (λ + μ)²) + v), and 1 for the greatest value.
        both = self.tilt + tilt
        if abs(both) >= 1:
            return math.inf
        v = self.smoothing**2
        return v / 2 + math.log(1 / (1 - both * both) + v + 1)

    def limit(self, sign: int) -> float:
        """Return the absolute μ of this sign up to which the moment exists."""
        return 1 - sign * self.tilt

    def steep(self, exponent: float) -> float:
        """The μ that bounds the tail best, were the noise normal of the same variance."""
        return math.sqrt(exponent)

    def cutoff(self, exponent: float) -> float:
        """A θ beyond which the envelope is below e^(−exponent)."""
        start = max(float(self.log_characteristic(np.zeros(1))[0]), 0.0)
        return math.sqrt(2 * (exponent + start)) / self.smoothing

    def beyond(self, theta: float, step: float) -> float:
        """Bound the sum of squares of the envelope over all jh > θ from above."""
        # The envelope is at most e^(start − s²θ²/2); its squares as in `kernel`.
        start = float(self.log_characteristic(np.zeros(1))[0])
        s = self.smoothing
        return math.exp(2 * start - (s * theta) ** 2) / (2 * s * s * theta * step)


@attrs.frozen
class TiltedGaussian(Kernel):
    """The normal kernel under a tilt, in units of its standard deviation; known exactly.

    e^(λu) N(u) = e^(λ²/2) N(u − λ), of which `lower` is the second factor.
    """

    gaussian: float = attrs.field(default=1.0, init=False)
    laplace: float = attrs.field(default=0.0, init=False)
    tilt: float  # λ

    @property
    def middle(self) -> float:
        """Return where the kernel peaks."""
        return self.tilt

    @property
    def log_factor(self) -> float:
        """ln of the factor that is left out."""
        return self.tilt**2 / 2

    def lower(self, theta: Floats) -> Complexes:
        """Transform of N(u − λ), e^(iθλ − θ²/2)."""
        return np.asarray(np.exp(1j * theta * self.tilt - theta**2 / 2))

    def bump(self, theta: Floats) -> Complexes:
        """Return what an upper kernel would have more: nothing."""
        return np.zeros(len(theta), np.complex128)

    def zone(self, spread: float) -> tuple[float, float]:
        """How far left and right of its middle a piece is used: some spreads."""
        wide = _REACH * math.hypot(spread, 1.0)
        return wide, wide

    def log_moment(self, tilt: float) -> float:
        """ln of ∫ e^(μu) N(u − λ) du, and of a bound of its greatest value times e^(μu)."""
        return tilt * self.tilt + tilt**2 / 2


Tilted: TypeAlias = TiltedKernel | TiltedGaussian
AnyKernel: TypeAlias = Kernel | TiltedKernel  # Bounds its characteristic function and tails


RealNoise: TypeAlias = Gaussian | Laplace
_EACH = 200  # Beyond so many targets, all get the bound of the worst: one root is some ms of balls


@attrs.frozen(eq=False)
class Problem:
    """ε̃ of the sum of n of N numbers plus noise; equal numbers share their answer."""

    # values, counts (n_values,): the distinct numbers, increasing, and how many records have each.
    # All of them may be moved alike, which moves all sums alike, and exactly.
    values: Floats
    counts: Ints
    index: Ints  # (n_records,): position in `values` of each record's number
    size: int  # n, 1..N−1
    noise: RealNoise  # In the unit of the sum
    delta: float  # In [0, 1)
    effort: Effort  # Limits of the work

    @classmethod
    def of(cls, question: Question[Summands], noise: RealNoise, effort: Effort) -> "Problem":
        """Read a question about one column."""
        column = only_column(question.data.values, type(noise).__name__)
        values, index, counts = np.unique(column, return_inverse=True, return_counts=True)
        moved = shift_columns(values[:, np.newaxis])[:, 0]
        return cls(moved, counts, index, question.size, noise, question.delta, effort)

    @property
    def population(self) -> Population:
        """The numbers about their mean, in units of the noise."""
        return standardise_population(self.values, self.counts, self.size, self.noise.scale)

    def farthest(self, target: int) -> float:
        """Largest distance of one value from another record's, rounded up."""
        mine, least, most = self.values[target], self.values[0], self.values[-1]
        with directed() as r:
            return max(
                upper(r(float(most)) - r(float(mine))), upper(r(float(mine)) - r(float(least)))
            )

    def noise_alone(self, targets: Ints) -> Floats:
        """Upper bounds of ε̃ that always hold: the noise hides the exchange of two records.

        The in-law and the out-law are mixtures of shifted noise, coupled so that no shift exceeds
        the distance of the record from another; the divergence is jointly convex.
        """
        distances = np.array([self.farthest(int(target)) for target in targets])
        if len(targets) > _EACH:
            distances = distances[[distances.argmax()]]
        each = [epsilon_at(self.noise, float(distance), self.delta) for distance in distances]
        return np.array(each) if len(targets) <= _EACH else np.full(len(targets), each[0])
