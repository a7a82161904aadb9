"""Laplace noise on whole numbers."""

import math
from fractions import Fraction
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import validate
from deniable.notions import Adjacency, PureDP
from deniable.numerics.rounding import PRECISION, directed, upper
from deniable.pipeline.noise.scale import Generator, positive_scale


@attrs.frozen
class LaplaceNoise:
    """What noise on whole and on real numbers has in common: pure DP by the L1 sensitivity."""

    scale: float = attrs.field(converter=positive_scale)

    def epsilon(self, l1: float) -> float:
        """The ε of pure DP at this L1 sensitivity, l1/s, rounded up."""
        with directed() as r:
            return upper(r(validate.non_negative(l1, "l1")) / r(self.scale))

    def guarantee(self, sensitivity: float, adjacency: Adjacency) -> PureDP:
        """Pure DP for inputs whose L1 distance between neighbours is at most `sensitivity`."""
        return PureDP(self.epsilon(sensitivity), adjacency)


@attrs.frozen
class DiscreteLaplace(LaplaceNoise):
    r"""Adds to every coordinate an independent whole number, Pr[X = k] ∝ exp(−|k|/s).

    .. math:: \Pr[X = k] = \tanh\left(\tfrac{1}{2s}\right) e^{-|k|/s}.

    Parameters
    ----------
    scale : float
        The scale s in whole numbers, finite, > 0.

    References
    ----------
    ghosh-2012 (the geometric mechanism); canonne-kamath-steinke-2020, Section 5.2.

    Examples
    --------
    >>> noise = DiscreteLaplace(2.0)
    >>> noise.pmf([0, 1]).round(4).tolist(), noise.half_width(0.95)
    ([0.2449, 0.1486], 6)
    """

    name: ClassVar[str] = "discrete-laplace"

    def log_pmf(self, k: ArrayLike) -> NDArray[np.float64]:
        """Natural log-probability of each whole number; any shape."""
        rate = 1 / self.scale
        log_at_zero = math.log(-math.expm1(-rate)) - math.log1p(math.exp(-rate))
        return np.asarray(log_at_zero - np.abs(np.asarray(k, dtype=np.float64)) / self.scale)

    def pmf(self, k: ArrayLike) -> NDArray[np.float64]:
        """Probability of each whole number; any shape."""
        return np.exp(self.log_pmf(k))

    def tail(self, t: float) -> float:
        """The probability that the noise is farther than t from 0."""
        if t < 0:
            return 1.0
        rate = 1 / self.scale
        return 2 * math.exp(-rate * (math.floor(t) + 1)) / (1 + math.exp(-rate))

    def half_width(self, confidence: float) -> int:
        r"""The least whole t with Pr[\|X\| <= t] >= confidence.

        With α = e^(−1/s) the condition is α^(t+1) <= (1 − confidence)(1 + α)/2. Equality would
        make α algebraic, which e to a rational power other than 0 is not (Lindemann), so enough
        bits always decide.
        """
        c = validate.open_probability(confidence, "confidence")
        bits = 2 * PRECISION
        while True:
            with directed(bits) as r:
                alpha = r.exp(-1 / r(self.scale))
                steps = (r(self.scale) * r.log(2 / ((1 - r(c)) * (1 + alpha)))).ceil()
                if (integer := steps.unique_fmpz()) is not None:
                    return max(int(integer) - 1, 0)
            bits *= 2

    def delta(self, epsilon: float, sensitivity: int) -> float:
        r"""The least δ at this ε and whole L1 sensitivity Δ, rounded up.

        With α = e^(−1/s) and m = ⌈(Δ − εs)/2⌉ > 0 the outputs below m are those whose loss
        passes ε where one coordinate moves by Δ, and

        .. math:: \delta = 1 - \frac{\alpha^m + e^\epsilon \alpha^{\Delta - m + 1}}{1 + \alpha}.

        *No other move is worse.* Where ε = (Δ − 2j)/s the formula is :math:`1 - \alpha^j`. If
        two coordinates move by a >= b, a + b = Δ, the sum over the loss at b is less by
        :math:`\min(j, b)(1 - \alpha)\alpha^j/(1 + \alpha)`. Both curves are linear in e^ε
        between these points, so the first is above everywhere; the rest is as for `Laplace`. ∎
        """
        e = validate.non_negative(epsilon, "epsilon")
        moved = validate.integer(sensitivity, "sensitivity", least=0)
        m = math.ceil((moved - Fraction(e) * Fraction(self.scale)) / 2)
        if m <= 0:
            return 0.0
        with directed() as r:
            rate = 1 / r(self.scale)
            kept = r.exp(-rate * m) + r.exp(r(e) - rate * (moved - m + 1))
            return min(max(upper(1 - kept / (1 + r.exp(-rate))), 0.0), 1.0)

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.int64]:
        """Independent simulated noise, never for a release; shape (n_draws,).

        The difference of two geometric numbers, for scales up to 2^50.
        """
        n = validate.integer(n_draws, "n_draws", least=0)
        success_probability = -math.expm1(-1 / self.scale)
        return rng.geometric(success_probability, n) - rng.geometric(success_probability, n)
