r"""Upper bounds on Pr[E >= t] for the noise E = Σ c_k X_k of a published number, at all t.

A table of bounds on equally spaced points, made once for each law of noise; E is symmetric, so
that it bounds both tails. Four ways, as for half-widths (`publish.margins.half_widths`):

*Exact law*, where its lattice has few points.

*One discrete Laplace number* of any scale: with α = e^{−1/s}, Pr[X >= k] = α^k/(1 + α) for k >= 1,
and 1 − α^{1−k}/(1 + α) for k <= 0.

*Smoothed*, for Gaussian noise: (1 + ϑ)/Φ(q) · Φ(−(t − qτC)/σ').

*Chernoff*, for several discrete Laplace numbers: exp(Σ ln E e^{λcX} − λt), least over some λ.

On a grid that is not the lattice of E, a point has the bound of the point before.
"""

import functools
import math
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.rounding import Ball, directed, upper
from deniable.publish.margins.half_widths import (
    ErrorTerm,
    chernoff_rate,
    exact_law,
    log_moment,
    smoothed_law,
)

_POINTS = 2**12
"""Grid points on either side of 0, where a law has none of its own: some 450 a deviation."""
_REACH = 9.0
"""Deviations that a grid covers for Gaussian noise: beyond lie some 1e-18."""
_LAPLACE_REACH = 32.0
"""Scales that it covers for Laplace noise: beyond lies e^−32."""
_ABOVE_ONE_DEVIATION = 0.16
"""Probability of a normal number above one deviation."""
_UP = 1 + 2.0**-48
"""Makes good for the conversion of a ball to the nearest float64."""
_RATES = (0.25, 0.5, 0.75, 1.0, 1.1, 1.2)
"""λ of Chernoff's bound that are tried, in multiples of the best one for 95 %."""


@attrs.frozen(eq=False)
class NoiseTail:
    """Bounds at the points −R, …, R of a grid.

    Parameters
    ----------
    step : Fraction
        Between two points, in the unit of the published number.
    bounds : array of float, shape (2 R + 1,)
        Each at least the probability that the noise is at this point or above; falling.
    """

    step: Fraction
    bounds: NDArray[np.float64]

    @property
    def deviation(self) -> float:
        """About a standard deviation: Pr[E >= this] is near .16."""
        reach = len(self.bounds) // 2
        return float(self.step) * max(int((self.bounds > _ABOVE_ONE_DEVIATION).sum()) - reach, 0)

    def above(self, distances: NDArray[np.float64], slack: float) -> NDArray[np.float64]:
        """Bounds on Pr[E >= t - slack] for each t; outside of the grid those at its borders.

        `slack` bounds the error of each t; beside it stands what the division is off by.
        """
        step = float(self.step)
        reach = len(self.bounds) // 2
        off = slack / step * (1 + 2.0**-20) + 2.0**-20
        with np.errstate(over="ignore"):
            places = np.ceil(np.clip(distances / step, -reach - 1.0, reach + 1.0) - off)
        inside = np.clip(places, -reach, reach).astype(np.int64) + reach
        return np.where(places < -reach, 1.0, self.bounds[inside])


@functools.lru_cache(maxsize=256)
def noise_tail(terms: tuple[ErrorTerm, ...]) -> NoiseTail:
    """The bounds for a sum of independent noises; without terms there is no noise.

    Examples
    --------
    >>> tail = noise_tail((ErrorTerm(Fraction(1), 1, DiscreteLaplace(2.0)),))
    >>> tail.above(np.array([0.0, 1.0]), 0.0).round(4).tolist()
    [0.6225, 0.3775]
    """
    if not terms:
        return NoiseTail(Fraction(1), np.array([1.0, 1.0, 0.0]))
    exact = exact_law(terms)
    if exact is not None:
        return _of_law(*exact)
    if all(isinstance(term.noise, DiscreteGaussian) for term in terms):
        return _smoothed(terms)
    if len(terms) == 1 and terms[0].number == 1:
        return _of_one_laplace(terms[0].size, terms[0].noise.scale)
    return _by_chernoff(terms)


def _falling(step: Fraction, balls: list[Ball]) -> NoiseTail:
    """From bounds in order of their points; each at most 1, and at most the one before."""
    values = np.array([float(ball.upper()) for ball in balls]) * _UP
    return NoiseTail(step, np.minimum.accumulate(np.minimum(values, 1.0)))


def _of_law(step: Fraction, law: list[Ball]) -> NoiseTail:
    with directed() as r:
        beyond = (1 - sum(law, r(0))) / 2
        tails, tail = [], r.max(beyond, r(0))
        for mass in reversed(law):
            tail += mass
            tails.append(tail)
    return _falling(step, tails[::-1])


def _of_one_laplace(size: Fraction, scale: float) -> NoiseTail:
    stride = math.ceil(_LAPLACE_REACH * scale / _POINTS)
    with directed() as r:
        alpha = r.exp(-1 / r(scale))
        base = alpha**stride
        powers = [1 / (1 + alpha)]
        for _ in range(_POINTS + 2):
            powers.append(powers[-1] * base)
        # The bound at j is that of Pr[X >= (j - 1) stride].
        below = [1 - alpha * powers[1 - j] for j in range(-_POINTS, 2)]
        above = [powers[j - 1] for j in range(2, _POINTS + 1)]
    return _falling(size * stride, below + above)


def _smoothed(terms: tuple[ErrorTerm, ...]) -> NoiseTail:
    with directed() as r:
        factor, deviation, shift = smoothed_law(terms)
        step = Fraction(upper(deviation) * _REACH / _POINTS)
        tails = [
            factor * r.normal_cdf((shift - r(step) * (j - 1)) / deviation)
            for j in range(-_POINTS, _POINTS + 1)
        ]
    return _falling(step, tails)


def _by_chernoff(terms: tuple[ErrorTerm, ...]) -> NoiseTail:
    best = chernoff_rate(terms)
    most = min(
        1 / (float(term.size) * term.noise.scale)
        for term in terms
        if isinstance(term.noise, DiscreteLaplace)
    )
    with directed() as r:
        rates = [min(best * share, most * (1 - 2.0**-10)) for share in _RATES]
        exponents = [
            sum(
                (term.number * log_moment(r, r(rate) * r(term.size), term.noise) for term in terms),
                r(0),
            )
            for rate in rates
        ]
        # Beyond the last point lies less than 1e-12.
        last = min((upper(each) + 28.0) / rate for each, rate in zip(exponents, rates, strict=True))
        step = Fraction(last / _POINTS)
        tails = [r(1)] * (_POINTS + 1)
        columns = []
        for exponent, rate in zip(exponents, rates, strict=True):
            fall, value = r.exp(-r(rate) * r(step)), r.exp(exponent)
            column = []
            for _ in range(_POINTS):  # at j >= 1 the bound of (j - 1) steps
                column.append(value)
                value *= fall
            columns.append(column)
        tails += [r.min(*each) for each in zip(*columns, strict=True)]
    return _falling(step, tails)
