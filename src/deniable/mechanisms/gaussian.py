"""Normal noise on real numbers."""

import math
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.notions import Adjacency, GaussianDP
from deniable.numerics.rounding import directed, least_within, upper
from deniable.pipeline.noise.gaussian import GaussianNoise, normal_half_width
from deniable.pipeline.noise.scale import Generator


@attrs.frozen
class Gaussian(GaussianNoise):
    r"""Adds to every coordinate an independent normal number of standard deviation σ.

    In floating point this law leaks through its gaps; it is here to be analysed and simulated.
    Releases use `DiscreteGaussian`.

    Parameters
    ----------
    scale : float
        The standard deviation σ in units of the value, finite, > 0.

    References
    ----------
    balle-wang-2018, Theorem 8; dong-roth-su-2022, Theorem 1.

    Examples
    --------
    >>> noise = Gaussian(2.0)
    >>> noise.mu(1.0), round(noise.delta(1.0, 1.0), 6), noise.satisfies(1.0, 0.01, 1.0)
    (0.5, 0.00683, True)
    """

    name: ClassVar[str] = "gaussian"

    @classmethod
    def for_approx_dp(cls, epsilon: float, delta: float, l2: float) -> "Gaussian":
        """The least noise that is (ε, δ)-DP, δ in (0, 1), at this L2 sensitivity > 0.

        Examples
        --------
        >>> round(Gaussian.for_approx_dp(1.0, 1e-5, 1.0).scale, 4)
        3.7306
        """
        e = validate.non_negative(epsilon, "epsilon")
        d = validate.normal(validate.open_probability(delta, "delta"), "delta")
        distance = validate.positive(l2, "l2")
        # At this scale even δ(0) = 2Φ(l2/2σ) − 1 <= l2/σ√(2π) is small enough.
        if math.isinf(enough := distance / d):
            raise InvalidArgument(
                f"Expected l2 / delta to be a float, got l2={distance} and delta={d}."
            )

        def at(scale: float) -> float:
            return cls(scale).delta(e, distance) if scale > 0 else 1.0

        return cls(least_within(at, d, 0.0, enough))

    def log_pdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """Natural logarithm of the density; any shape."""
        with np.errstate(over="ignore"):
            squares = (np.asarray(x, dtype=np.float64) / self.scale) ** 2
        return np.asarray(-squares / 2 - math.log(self.scale) - math.log(2 * math.pi) / 2)

    def pdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """The density; any shape."""
        return np.exp(self.log_pdf(x))

    def tail(self, t: float) -> float:
        """The probability that the noise is farther than t from 0."""
        return math.erfc(t / (self.scale * math.sqrt(2))) if t > 0 else 1.0

    def half_width(self, confidence: float) -> float:
        r"""The least t with Pr[\|X\| <= t] >= confidence, rounded up."""
        return normal_half_width(self.scale, confidence)

    def mu(self, l2: float) -> float:
        """The μ of Gaussian DP at this L2 sensitivity, l2/σ, rounded up."""
        with directed() as r:
            return upper(r(validate.non_negative(l2, "l2")) / r(self.scale))

    def guarantee(self, sensitivity: float, adjacency: Adjacency) -> GaussianDP:
        """Gaussian DP for inputs whose L2 distance between neighbours is at most `sensitivity`."""
        return GaussianDP(self.mu(sensitivity), adjacency)

    def delta(self, epsilon: float, sensitivity: float) -> float:
        r"""The least δ at this ε and L2 sensitivity Δ, rounded up.

        .. math:: \delta = \Phi\left(\tfrac{\Delta}{2\sigma} - \tfrac{\epsilon\sigma}{\Delta}\right)
                  - e^\epsilon
                  \Phi\left(-\tfrac{\Delta}{2\sigma} - \tfrac{\epsilon\sigma}{\Delta}\right)
        """
        e = validate.non_negative(epsilon, "epsilon")
        if (distance := validate.non_negative(sensitivity, "sensitivity")) == 0:
            return 0.0
        with directed() as r:
            delta = upper(r.gaussian_delta(r(e), r(distance) / r(self.scale)))
            return min(max(delta, 0.0), 1.0)

    def satisfies(self, epsilon: float, delta: float, l2: float) -> bool:
        """Whether (ε, δ)-DP holds at this L2 sensitivity: Balle and Wang's exact condition."""
        return self.delta(epsilon, l2) <= validate.probability(delta, "delta")

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.float64]:
        """Independent simulated noise, never for a release; shape (n_draws,)."""
        return rng.normal(0.0, self.scale, validate.integer(n_draws, "n_draws", least=0))
