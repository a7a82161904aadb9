r"""The law of a sum of discrete Laplace numbers, by inversion of a characteristic function.

A discrete Laplace number is ⌊A⌋ − ⌊B⌋ with A, B exponential of mean s, as ⌊A⌋ is geometric with
e^{−1/s}. So E = Σ c_k X_k lies within C = Σ |c_k| of L = Σ c_k (A_k − B_k), a sum of Laplace
numbers, whose characteristic function is φ(t) = ∏ 1/(1 + a_k²t²), a_k = |c_k| s_k.

With t_k = (k + ½)Δ the sum Σ sin(t_k u)/(π(k + ½)) is ½ for 0 < u < 2π/Δ and −½ for as many
negative u (a square wave). With u = x − L, in the mean,

.. math:: \Pr[|L| \le x] = 2 \sum_{k \ge 0} \frac{\varphi(t_k) \sin(t_k x)}{\pi (k + 1/2)}
          \pm 2 \Pr[|L| \ge 2\pi/\Delta - x],

and Chernoff bounds the last term: with ψ(λ) = −Σ ln(1 − a_k²λ²) it is at most 2 e^{ψ − λ(…)}. Terms
from m on are left out. For t >= t_m a factor with a t_m > 1 is at most (a t)^{−2}; with M such
factors and φ(t) <= B (t_m/t)^{2M} those terms sum to at most B/π (1/(m + ½) + 1/2M).

References
----------
davies-1973 (the sum and its error).
"""

from collections.abc import Sequence
from fractions import Fraction

import attrs

from deniable.numerics.rounding import Ball, Directed, directed, least, lower, upper

_BITS = 96
"""Of a ball: some thousand terms are added."""
_LEFT_OUT = 2.0**-22
"""Probability that the terms left out may come to; a half-width grows by a share of some 1e-6."""
_CHECKED = 16
"""Terms between two looks at what is left out."""
_MOST_TERMS = 2**14
"""Where one number decides alone the terms fall off as k^-3, and some 3,000 are enough."""
_FAR = 30.0
"""Exponent of Chernoff's bound at the other end of the square wave."""
_TOLERANCE = 2.0**-12
"""Of a half-width, as a share of it: that much too wide at most."""


@attrs.frozen(eq=False)
class LaplaceSum:
    """A sum of Laplace numbers, and how far the discrete one may be from it.

    Parameters
    ----------
    spacing : Ball
        Δ.
    weights : list of Ball
        φ(t_k)/(π(k + ½)) of the terms that are summed.
    error : Ball
        Bounds what is left out, on both counts, up to `farthest`.
    farthest : float
        The largest x that probabilities are asked for.
    shift : Ball
        C.
    """

    spacing: Ball
    weights: list[Ball]
    error: Ball
    farthest: float
    shift: Ball

    @classmethod
    def of(
        cls, terms: Sequence[tuple[Fraction, int, float]], farthest: float
    ) -> "LaplaceSum | None":
        """The sum of so many numbers of each size and scale; None where it takes too many terms.

        Parameters
        ----------
        terms : sequence of (size, number, scale)
            Sizes above 0.
        farthest : float
            The largest x that probabilities are asked for.
        """
        with directed(_BITS) as r:
            scales = [(r(size) * r(scale), number) for size, number, scale in terms]
            shift = sum((r(size) * number for size, number, _ in terms), r(0))
            largest = r.max(*(scale for scale, _ in scales))
            rate = r(Fraction(7, 8)) / largest
            moment = -sum((n * r.log(1 - (a * rate) ** 2) for a, n in scales), r(0))
            spacing = 2 * Ball.pi() / (r(farthest) + (moment + _FAR) / rate)
            weights, rest = _weights(r, scales, spacing)
            if rest is None:
                return None
            error = 2 * rest + 4 * r.exp(r(-_FAR))
            return cls(spacing, weights, error, farthest, shift)

    def inside(self, x: float) -> tuple[float, float]:
        r"""Bounds on Pr[\|L\| <= x], for x up to `farthest`."""
        with directed(_BITS) as r:
            step, total = self.spacing * r(x) / 2, r(0)
            for k, weight in enumerate(self.weights):
                total += weight * (step * (2 * k + 1)).sin()
            return lower(2 * total - self.error), upper(2 * total + self.error)

    def half_width(self, confidence: float) -> float | None:
        r"""A t with Pr[\|E\| <= t] >= confidence; None where it lies beyond `farthest`."""
        with directed(_BITS) as r:
            wanted = upper(r(confidence))
            if self.inside(self.farthest)[0] < wanted:
                return None
            x = least(
                lambda x: self.inside(x)[0] >= wanted,
                self.farthest / 8,
                self.farthest,
                tolerance=_TOLERANCE,
            )
            return upper(r(x) + self.shift)


def _weights(
    r: Directed, scales: Sequence[tuple[Ball, int]], spacing: Ball
) -> tuple[list[Ball], Ball | None]:
    """The terms' weights, and a bound on those left out; None where these are never few enough."""
    weights: list[Ball] = []
    while len(weights) < _MOST_TERMS:
        k = len(weights)
        t = spacing * (2 * k + 1) / 2
        if k % _CHECKED == 0:
            rest = _rest(r, scales, t, k)
            if rest is not None and rest <= _LEFT_OUT:
                return weights, rest
        product = r(1)
        for scale, number in scales:
            product *= (1 + (scale * t) ** 2) ** number
        weights.append(2 / (product * Ball.pi() * (2 * k + 1)))
    return weights, None


def _rest(r: Directed, scales: Sequence[tuple[Ball, int]], t: Ball, k: int) -> Ball | None:
    """A bound on the sum of all weights from this one on; None where no factor falls off."""
    falling, product = 0, r(1)
    for scale, number in scales:
        square = (scale * t) ** 2
        if square > 1:
            falling += number
            product *= square**number
        else:
            product *= (1 + square) ** number
    if not falling:
        return None
    return (r(Fraction(2, 2 * k + 1)) + r(Fraction(1, 2 * falling))) / (product * Ball.pi())
