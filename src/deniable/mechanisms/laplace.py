"""Laplace noise on real numbers."""

import math
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import validate
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.noise.laplace import LaplaceNoise
from deniable.pipeline.noise.scale import Generator


@attrs.frozen
class Laplace(LaplaceNoise):
    r"""Adds to every coordinate an independent real number with density e^(−|x|/s)/2s.

    In floating point this law leaks through its gaps (mironov-2012); it is here to be analysed
    and simulated. Releases use `DiscreteLaplace`.

    Parameters
    ----------
    scale : float
        The scale s in units of the value, finite, > 0.

    References
    ----------
    dwork-2006, Section 3.

    Examples
    --------
    >>> noise = Laplace(2.0)
    >>> noise.epsilon(1.0), round(noise.delta(0.0, 1.0), 4), round(noise.half_width(0.95), 3)
    (0.5, 0.2212, 5.991)
    """

    name: ClassVar[str] = "laplace"

    def log_pdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """Natural logarithm of the density; any shape."""
        distance = np.abs(np.asarray(x, dtype=np.float64))
        return np.asarray(-distance / self.scale - math.log(2 * self.scale))

    def pdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """The density; any shape."""
        return np.exp(self.log_pdf(x))

    def tail(self, t: float) -> float:
        """The probability that the noise is farther than t from 0."""
        return min(math.exp(-t / self.scale), 1.0) if t > 0 else 1.0

    def half_width(self, confidence: float) -> float:
        r"""The least t with Pr[\|X\| <= t] >= confidence, rounded up."""
        c = validate.open_probability(confidence, "confidence")
        with directed() as r:
            return upper(-r(self.scale) * r.log(1 - r(c)))

    def delta(self, epsilon: float, sensitivity: float) -> float:
        r"""The least δ at this ε and L1 sensitivity Δ, rounded up.

        .. math:: \delta = 1 - e^{(\epsilon - \Delta/s)/2}, \quad 0 \le \epsilon \le \Delta/s

        and 0 beyond. It is attained where one coordinate moves by Δ. *No other move is worse*:
        let two coordinates move by a >= b, a + b = Δ, in units of s. Their losses add up, so the
        expectation of the curve at a, shifted by the loss at b, is

        .. math:: \delta = 1 - e^{-D/2}\left(1 + \tfrac12 \min(D/2, b)\right), \quad
                  D = \Delta - \epsilon \in [0, \Delta],

        which is no larger; ε < 0 follows by symmetry. One curve below another for all ε keeps
        below it when the same independent coordinate joins both, so coordinates merge one by
        one, and a smaller move has a smaller curve. ∎
        """
        e = validate.non_negative(epsilon, "epsilon")
        with directed() as r:
            excess = r(e) - r(validate.non_negative(sensitivity, "sensitivity")) / r(self.scale)
            return min(max(upper(-r.expm1(excess / 2)), 0.0), 1.0)

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.float64]:
        """Independent simulated noise, never for a release; shape (n_draws,)."""
        return rng.laplace(0.0, self.scale, validate.integer(n_draws, "n_draws", least=0))
