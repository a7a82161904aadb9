r"""Upper bounds on Pr[E >= t] for the noise E = Σ c_k X_k of a published number, at all t.

A table of bounds on equally spaced points, made once for each law of noise; E is symmetric, so
that it bounds both tails. Four ways, as for half-widths (`publish.query.noise_sums`):

*Exact law*, where its lattice has few points.

*One discrete Laplace number* of any scale: with α = e^{−1/s}, Pr[X >= k] = α^k/(1 + α) for k >= 1,
and 1 − α^{1−k}/(1 + α) for k <= 0.

*Smoothed*, for Gaussian noise: (1 + ϑ)/Φ(q) · Φ(−(t − qτC)/σ').

*Several discrete Laplace numbers*: Chernoff's exp(Σ ln E e^{λcX} − λt), least over some λ; near 0
inversion (`publish.query.noise_sums`). For t > x + C it gives Pr[E >= t] <= (1 − p)/2 with
p <= Pr[|L| <= x], and for t < x − C, Pr[E >= −t] <= (1 + p)/2 with p >= Pr[|L| <= x].

On a grid that is not the lattice of E, a point has the bound of the point before.
"""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import Ball, Directed, directed, lower, upper
from deniable.pipeline.noise import DiscreteGaussian
from deniable.publish import query

_POINTS = 2**12
"""Grid points on either side of 0, where a law has none of its own: some 450 a deviation."""
_REACH = 9.0  # deviations that a grid covers for Gaussian noise: beyond lie some 1e-18
_LAPLACE_REACH = 32.0  # scales that it covers for Laplace noise: beyond lies e^−32
_ABOVE_ONE_DEVIATION = 0.16  # probability of a normal number above one deviation
_UP = 1 + 2.0**-48  # makes good for the conversion of a ball to the nearest float64
_INVERTED = 128  # grid points up to Chernoff's half-width, which is some 3.5 deviations
_LAPLACE_WIDTHS = 10
"""Such half-widths that a grid covers for several Laplace numbers: beyond lie some 1e-16."""
_RATES = (0.25, 0.5, 0.75, 1.0, 1.1, 1.2)
"""λ of Chernoff's bound that are tried, in multiples of the best one for 95 %."""


@attrs.frozen(eq=False)
class NoiseTail:
    """Bounds at the points −R, …, R of a grid, of a step in the unit of the published number.

    Each is at least the probability that the noise is at this point or above; they fall.
    """

    step: Fraction
    bounds: NDArray[np.float64]

    @property
    def deviation(self) -> float:
        """Estimate a standard deviation: Pr[E >= this] is near 0.16."""
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
def noise_tail(terms: tuple[query.ErrorTerm, ...]) -> NoiseTail:
    """The bounds for a sum of independent noises; without terms there is no noise.

    >>> from deniable.pipeline.noise import DiscreteLaplace
    >>> tail = noise_tail((query.ErrorTerm(Fraction(1), 1, DiscreteLaplace(2.0)),))
    >>> tail.above(np.array([0.0, 1.0]), 0.0).round(4).tolist()
    [0.6225, 0.3775]
    """
    if not terms:
        return NoiseTail(Fraction(1), np.array([1.0, 1.0, 0.0]))
    exact = query.exact_law(terms)
    if exact is not None:
        return _of_law(*exact)
    if all(isinstance(term.noise, DiscreteGaussian) for term in terms):
        with directed() as r:
            factor, deviation, shift = query.smoothed_law(terms)
            step = Fraction(upper(deviation) * _REACH / _POINTS)
            tails = [
                factor * r.normal_cdf((shift - r(step) * (j - 1)) / deviation)
                for j in range(-_POINTS, _POINTS + 1)
            ]
        return _falling(step, tails)
    if len(terms) == 1 and terms[0].number == 1:
        return _of_one_laplace(terms[0].size, terms[0].noise.scale)
    farthest = query.half_width_by_chernoff(terms)
    step, reach = Fraction(farthest / _INVERTED), _INVERTED * _LAPLACE_WIDTHS
    law = query.LaplaceSum.of(
        [(each.size, each.number, each.noise.scale) for each in terms], farthest
    )
    with directed() as r:
        # Of t > j steps for j >= 0, and of t > -j steps.
        above, below = _by_chernoff(r, terms, step, reach), [r(1)] * (reach + 2)
        above[0] = r(Fraction(1, 2))
        if law is not None:
            for j in range(_INVERTED):
                place = r(step * j)
                nearer, further = lower(place - law.shift), upper(place + law.shift)
                if nearer > 0:
                    above[j] = r.min(above[j], (1 - r(law.inside(nearer)[0])) / 2)
                if further <= farthest:
                    below[j] = (1 + r(law.inside(further)[1])) / 2
    return _falling(step, [*below[reach + 1 : 0 : -1], *above])


def _falling(step: Fraction, balls: Sequence[Ball]) -> NoiseTail:
    """Return bounds in order of their points; each at most 1, and at most the one before."""
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


def _by_chernoff(
    r: Directed, terms: tuple[query.ErrorTerm, ...], step: Fraction, reach: int
) -> list[Ball]:
    """Bounds on Pr[E >= t] at so many multiples of a step from 0 on."""
    best = query.chernoff_rate(terms)
    most = min(1 / (float(each.size) * each.noise.scale) for each in terms) * (1 - 2.0**-10)
    columns = []
    for share in _RATES:
        rate = r(min(best * share, most))
        moments = (
            term.number * query.log_moment(r, rate * r(term.size), term.noise) for term in terms
        )
        value, fall = r.exp(sum(moments, r(0))), r.exp(-rate * r(step))
        columns.append([value * fall**j for j in range(reach)])
    return [r.min(r(1), *each) for each in zip(*columns, strict=True)]
