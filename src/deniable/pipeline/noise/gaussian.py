"""Gaussian noise on whole numbers."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import validate
from deniable.notions import ZCDP, Adjacency
from deniable.numerics.rounding import Ball, directed, least, lower, upper
from deniable.pipeline.noise.laplace import DiscreteLaplace
from deniable.pipeline.noise.scale import Generator, positive_scale

LARGEST_SUM = 4096.0
"""Standard deviation beyond which tails are enclosed between normal ones."""
_EXPONENT = 150
"""Terms below e^−150 of the first one count with the rest of a series."""


def upper_tail(scale: float, first: int) -> Ball:
    """A ball around Pr[X >= first] for Pr[X = k] ∝ exp(−k²/2σ²)."""
    # Up to σ = 4096 the series is summed and the ball is as narrow as its precision. Beyond, it
    # reaches from the normal tail at `first` to that at first − 1, by the comparison in
    # `DiscreteGaussian`.
    with directed() as r:
        if first <= 0:
            return 1 - upper_tail(scale, 1 - first)
        if scale <= LARGEST_SUM:
            return _series(scale, first) / _normaliser(scale)
        least = lower(r.normal_cdf(-r(first) / r(scale)))
        most = upper(r.normal_cdf(-r(first - 1) / r(scale)))
        middle = (r(least) + r(most)) / 2
        return middle + (r(most) - middle) * Ball(0, 1)


def _series(scale: float, first: int) -> Ball:
    """Σ exp(−j²/2σ²) over j >= first > 0."""
    with directed() as r:
        rate = 1 / (2 * r(scale) ** 2)
        last = max(math.ceil(math.hypot(first, scale * math.sqrt(2 * _EXPONENT))), first)
        term, step, turn = r(1), r.exp(-rate * (2 * first + 1)), r.exp(-2 * rate)
        total = r(0)
        for _ in range(first, last + 1):
            total += term
            term *= step
            step *= turn
        rest = term / (1 - step) * Ball(0.5, 0.5)  # falls off faster than a geometric series
        return (total + rest) * r.exp(-rate * first * first)


def _normaliser(scale: float) -> Ball:
    """Σ exp(−k²/2σ²) over all whole k; by Poisson summation where σ >= 1."""
    with directed() as r:
        if scale < 1:
            return 1 + 2 * _series(scale, 1)
        angle = 2 * (Ball.pi() * r(scale)) ** 2
        dual = sum((r.exp(-angle * m * m) for m in (1, 2, 3)), r(0))
        rest = 2 * r.exp(-angle * 16) * Ball(0.5, 0.5)
        return r(scale) * r.sqrt(2 * Ball.pi()) * (1 + 2 * (dual + rest))


_SELF_DUAL = 1 / math.sqrt(2 * math.pi)
"""σ at which the sum and its dual fall off equally fast."""
_TERMS = np.arange(1, 7)
_LARGEST_BALL_SUM = 256
"""σ up to which a tail is summed in ball arithmetic: some 10^4 exponentials."""
_LARGEST_FLOAT_SUM = 4096
"""σ up to which a tail is summed in float64: 10^5 terms."""
_DISCRETE_REACH = 40
"""Standard deviations beyond which even the least float64 probability lies."""


@attrs.frozen
class GaussianNoise:
    """What noise on whole and on real numbers has in common: concentrated DP by L2 sensitivity."""

    scale: float = attrs.field(converter=positive_scale)

    def rho(self, l2: float) -> float:
        """The ρ of zero-concentrated DP at this L2 sensitivity, l2²/2σ², rounded up."""
        with directed() as r:
            ratio = r(validate.non_negative(l2, "l2")) / r(self.scale)
            return upper(ratio * ratio / 2)


@attrs.frozen
class DiscreteGaussian(GaussianNoise):
    r"""Adds to every coordinate an independent whole number, Pr[X = k] ∝ exp(−k²/2σ²).

    .. math:: \Pr[X = k] = e^{-k^2/2\sigma^2} \Big/ \sum_{j \in \mathbb{Z}} e^{-j^2/2\sigma^2}

    **Comparison with the normal law.** For Y ~ N(0, σ²), in the usual stochastic order

    .. math:: \lfloor |Y| \rfloor \le_{st} |X| \le_{st} \lceil |Y| \rceil .

    *Proof.* Up to constants \|X\| has the probabilities 1/2, e^(−1/2σ²), e^(−4/2σ²), … on 0, 1, 2,
    … and an order follows when the ratio of two laws is monotone. On the right,
    Pr[⌈|Y|⌉ = 0] = 0 and for k >= 1, substituting u = k − v,

    .. math:: \frac{\Pr[\lceil |Y| \rceil = k]}{\Pr[|X| = k]}
              \propto \int_{k-1}^{k} e^{(k^2 - u^2)/2\sigma^2} du
              = \int_0^1 e^{(2kv - v^2)/2\sigma^2} dv,

    which grows with k, and is 0 at k = 0. On the left, substituting u = k + v,

    .. math:: \frac{\Pr[\lfloor |Y| \rfloor = k]}{\Pr[|X| = k]}
              \propto c_k \int_0^1 e^{-(2kv + v^2)/2\sigma^2} dv, \quad c_0 = 2,\ c_k = 1,

    which falls with k. ∎ So Pr[\|Y\| >= t + 1] <= Pr[\|X\| > t] <= Pr[\|Y\| > t] for whole t >= 0.

    Parameters
    ----------
    scale : float
        σ in whole numbers, finite, > 0; the parameter, which the standard deviation stays below.

    References
    ----------
    canonne-kamath-steinke-2020, Definition 1 and Theorem 4.

    Examples
    --------
    >>> noise = DiscreteGaussian(2.0)
    >>> noise.pmf([0, 1]).round(4).tolist(), noise.half_width(0.95), noise.rho(1.0)
    ([0.1995, 0.176], 4, 0.125)
    """

    name: ClassVar[str] = "discrete-gaussian"

    def log_pmf(self, k: ArrayLike) -> NDArray[np.float64]:
        """Natural log-probability of each whole number; any shape."""
        with np.errstate(over="ignore"):
            squares = (np.asarray(k, dtype=np.float64) / self.scale) ** 2
        return np.asarray(-squares / 2 - self._log_normaliser())

    def pmf(self, k: ArrayLike) -> NDArray[np.float64]:
        """Probability of each whole number; any shape."""
        return np.exp(self.log_pmf(k))

    def tail(self, t: float) -> float:
        """The probability that the noise is farther than t from 0, to 9 digits.

        A sum up to σ = 4096; above it the integral from ⌊t⌋ + 1/2 with the first term of Euler
        and Maclaurin, whose next term is a share below 1e-10.
        """
        if t < 0:
            return 1.0
        first = math.floor(t) + 1
        if self.scale <= _LARGEST_FLOAT_SUM:
            k = np.arange(
                first, first + math.ceil(_DISCRETE_REACH * self.scale) + 1, dtype=np.float64
            )
            return min(2 * float(self.pmf(k).sum()), 1.0)
        middle = first - 0.5
        density = float(self.pmf(middle))
        integral = math.erfc(middle / (self.scale * math.sqrt(2)))
        return integral - 2 * density * (middle / self.scale / self.scale) / 24

    def half_width(self, confidence: float) -> int:
        r"""A whole t with Pr[\|X\| <= t] >= confidence, certainly.

        The least one up to σ = 256, where the series is summed in balls; above it the least
        whole t with Pr[\|Y\| <= t] >= confidence for the normal Y, which the comparison above
        shows to be enough, and at most one more than the least.
        """
        c = validate.open_probability(confidence, "confidence")
        if self.scale > _LARGEST_BALL_SUM:
            return math.ceil(normal_half_width(self.scale, c))
        with directed() as r:
            rate = -1 / (2 * r(self.scale) ** 2)
            last = math.ceil(_DISCRETE_REACH * self.scale)
            weights = [r.exp(rate * k * k) for k in range(1, last + 2)]
            # What is left out falls off at least as fast as a geometric series.
            rest = weights[-1] / (1 - r.exp(rate * (2 * last + 1)))
            total = 1 + 2 * (sum(weights[:-1], r(0)) + rest * Ball(0.5, 0.5))
            inside = r(1)
            for t, weight in enumerate(weights):
                if inside >= r(c) * total:
                    return t
                inside += 2 * weight
            return last + 1

    def guarantee(self, sensitivity: float, adjacency: Adjacency) -> ZCDP:
        """Concentrated DP for inputs whose L2 distance is at most `sensitivity`.

        `theorems.discrete_gaussian_to_gaussian_dp` adds what holds in Gaussian DP.
        """
        return ZCDP(self.rho(sensitivity), adjacency)

    def delta(self, epsilon: float, sensitivity: int) -> float:
        r"""The least δ at this ε where one coordinate moves by a whole Δ or less, rounded up.

        .. math:: \delta = \Pr[X \le m] - e^\epsilon \Pr[X \le m - \Delta], \quad
                  m = \lceil \Delta/2 - \epsilon\sigma^2/\Delta \rceil - 1

        exactly up to σ = 4096; beyond, an upper bound by the comparison above. *Less is not
        worse*: the likelihood ratio is monotone, so the best tests are X >= t, with randomised
        ties; their false positive rates Pr[X >= t] do not depend on Δ and their false negative
        rates Pr[X < t − Δ] fall with it. ∎

        References
        ----------
        canonne-kamath-steinke-2020, Theorem 7; balle-wang-2018, Theorem 5.
        """
        e = validate.non_negative(epsilon, "epsilon")
        moved = validate.integer(sensitivity, "sensitivity", least=0)
        if moved == 0:
            return 0.0
        m = math.ceil(Fraction(moved, 2) - Fraction(e) * Fraction(self.scale) ** 2 / moved) - 1
        with directed() as r:
            fall = r.exp(e) * upper_tail(self.scale, moved - m)
            return min(max(upper(upper_tail(self.scale, -m) - fall), 0.0), 1.0)

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.int64]:
        """Independent simulated noise, never for a release; shape (n_draws,).

        Discrete Laplace noise, thinned out (canonne-kamath-steinke-2020, Algorithm 3).
        """
        n = validate.integer(n_draws, "n_draws", least=0)
        spread = math.floor(self.scale) + 1
        kept = np.empty(0, dtype=np.int64)
        while len(kept) < n:
            tried = DiscreteLaplace(spread).draws(rng, 2 * (n - len(kept)) + 16)
            off = (np.abs(tried) - self.scale * self.scale / spread) / self.scale
            kept = np.concatenate([kept, tried[rng.random(len(tried)) < np.exp(-off * off / 2)]])
        return kept[:n]

    def _log_normaliser(self) -> float:
        """Logarithm of Σ exp(−k²/2σ²): a sum below σ = 1/√(2π), Poisson summation above it."""
        # The dual series is σ√(2π) Σ exp(−2π²σ²m²); what either leaves out is below e^(−49π).
        if self.scale < _SELF_DUAL:
            with np.errstate(over="ignore"):
                weights = np.exp(-((_TERMS / self.scale) ** 2) / 2)
            return math.log1p(2 * float(weights.sum()))
        angles = math.pi * self.scale * _TERMS
        dual = float(np.exp(-2 * angles * angles).sum()) if self.scale < _DISCRETE_REACH else 0.0
        return math.log(self.scale) + math.log(2 * math.pi) / 2 + math.log1p(2 * dual)


_REACH = 40.0
"""Standard deviations within which every half-width lies: 1 − confidence is at least 2^−53."""


def normal_half_width(scale: float, confidence: float) -> float:
    r"""Return the least t with Pr[\|Y\| <= t] >= confidence for Y ~ N(0, σ²), rounded up."""
    c = validate.open_probability(confidence, "confidence")
    with directed() as r:
        outside = 1 - r(c)

        def covers(t: float) -> bool:
            return bool(2 * r.normal_cdf(-r(t) / r(scale)) <= outside)

        return least(covers, 0.0, _REACH * scale)


_SMOOTHING = 1.2
"""τ of a half-width, in whole numbers: the factor is 1 + 1e-12 a coordinate."""
_SHIFT = 7.0
"""q of a half-width, in deviations of the smoothing: Φ(q) is 1 − 1.3e-12."""


def smoothed_half_widths(
    noise: DiscreteGaussian, sums: Iterable[tuple[int, Fraction]], confidence: float
) -> list[float]:
    r"""Return for each weighted sum E of noise an h with Pr[\|E\| <= h] >= confidence, certainly.

    The proof called *smoothed* in `publish/query/noise_sums.py`, at one τ and one q: with
    E = Σ c_j X_j over t numbers, C² = Σ c_j², and ϑ the factor's excess of one number,

    .. math:: \Pr[|E| > h] \le \frac{(1 + \vartheta)^t}{\Phi(q)}\,
              2\Phi\left(-\frac{h - q\tau C}{C\sqrt{\sigma^2 + \tau^2}}\right) .

    `noise` is the law of each X_j; `sums` hold of each sum t and C², or something larger.
    """
    c = validate.open_probability(confidence, "confidence")
    widths = list[float]()
    with directed() as r:
        square, tau = r(noise.scale) ** 2, r(_SMOOTHING)
        narrow = square * tau * tau / (square + tau * tau)
        excess = r.exp(-2 * Ball.pi() ** 2 * narrow)
        factor = 1 + 2 * excess / (1 - excess)  # j² >= j: a geometric series bounds ϑ
        beyond = (1 - r(c)) * r.normal_cdf(_SHIFT) / 2
        for number, total in sums:
            deviations = -r.normal_quantile(beyond / factor**number)
            reach = deviations * r.sqrt(square + tau * tau) + _SHIFT * tau
            widths.append(upper(reach * r.sqrt(r(total))))
    return widths
