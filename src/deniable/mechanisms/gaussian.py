"""Gaussian noise on real numbers."""

import math
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import validate
from deniable.mechanisms.protocol import Generator
from deniable.notions import Adjacency, GaussianDP
from deniable.numerics.rounding import Ball, directed, least, upper

_REACH = 40.0
"""Standard deviations within which every half-width lies: 1 − confidence is at least 2^−53."""


def _scale(value: float) -> float:
    return validate.positive(value, "scale")


@attrs.frozen
class Gaussian:
    r"""Adds to every coordinate an independent normal number of standard deviation σ.

    In floating point this law leaks through its gaps; it is here to be analysed and simulated.
    Releases use `DiscreteGaussian`.

    Parameters
    ----------
    scale : float
        The standard deviation σ in units of the value, finite, > 0.

    Raises
    ------
    InvalidArgument
        If `scale` is not a finite positive number.

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

    scale: float = attrs.field(converter=_scale)

    @classmethod
    def for_approx_dp(cls, epsilon: float, delta: float, l2: float) -> "Gaussian":
        """The least noise that is (ε, δ)-DP at this L2 sensitivity.

        Parameters
        ----------
        epsilon : float
            Finite, >= 0.
        delta : float
            In (0, 1).
        l2 : float
            The L2 sensitivity in units of the value, > 0.

        Examples
        --------
        >>> round(Gaussian.for_approx_dp(1.0, 1e-5, 1.0).scale, 4)
        3.7306
        """
        e = validate.non_negative(epsilon, "epsilon")
        d = validate.normal(validate.open_probability(delta, "delta"), "delta")
        distance = validate.positive(l2, "l2")
        # At this scale even δ(0) = 2Φ(l2/2σ) − 1 <= l2/σ√(2π) is small enough.
        enough = distance / d
        return cls(least(lambda s: s > 0 and cls(s).satisfies(e, d, distance), 0.0, enough))

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
        c = validate.open_probability(confidence, "confidence")
        with directed() as r:
            outside = 1 - r(c)

            def covers(t: float) -> bool:
                return bool(2 * r.normal_cdf(-r(t) / r(self.scale)) <= outside)

            return least(covers, 0.0, _REACH * self.scale)

    def mu(self, l2: float) -> float:
        """The μ of Gaussian DP at this L2 sensitivity, l2/σ, rounded up."""
        with directed() as r:
            return upper(r(validate.non_negative(l2, "l2")) / r(self.scale))

    def rho(self, l2: float) -> float:
        """The ρ of zero-concentrated DP at this L2 sensitivity, l2²/2σ², rounded up."""
        with directed() as r:
            ratio = r(validate.non_negative(l2, "l2")) / r(self.scale)
            return upper(ratio * ratio / 2)

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
            return min(max(upper(self._curve(r(e), r(distance))), 0.0), 1.0)

    def satisfies(self, epsilon: float, delta: float, l2: float) -> bool:
        """Whether (ε, δ)-DP holds at this L2 sensitivity: Balle and Wang's exact condition."""
        return self.delta(epsilon, l2) <= validate.probability(delta, "delta")

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.float64]:
        """Independent simulated noise, never for a release; shape (n_draws,)."""
        return rng.normal(0.0, self.scale, validate.integer(n_draws, "n_draws", least=0))

    def _curve(self, epsilon: Ball, distance: Ball) -> Ball:
        with directed() as r:
            return r.gaussian_delta(epsilon, distance / r(self.scale))
