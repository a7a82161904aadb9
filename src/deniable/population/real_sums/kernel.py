"""The noise as the inversion sees it: a Gaussian part and, perhaps, a Laplace part."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray


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
