r"""Discrete Laplace noise that adds up to zero, for cells whose total is public.

Each of K cells gets a whole number. The vector has the law

.. math:: \Pr[Z = z] = \frac{\alpha^{|z_1| + \dots + |z_K|}}{C_K}, \quad \sum_i z_i = 0, \quad
          \alpha = e^{-1/s},

of K independent discrete Laplace numbers of scale s, given that they add up to zero.

**Where it is private.** Let every entity lie in exactly one of the cells, and let the number of
entities be the same for neighbours. A neighbour's counts are x + v with Σ v_i = 0, so that z and
z − v are both vectors that add up to zero and have the same normaliser C_K. An output y is

.. math:: \frac{\Pr[x + Z = y]}{\Pr[x + v + Z = y]}
          = \alpha^{\|y - x\|_1 - \|y - x - v\|_1} \le e^{\|v\|_1/s}

times as probable. One entity that changes its cell has ‖v‖₁ = 2, so ε = 2/s; y = x attains it. ∎
If neighbours' totals differ, no output of one is an output of the other: there is no ε at all.
So one cell must count everybody who is in none of the others. It need not be published.

**The law of a sum of k cells.** Let f_k be the law of a sum of k independent numbers. Then

.. math:: \Pr[S_k = t] = \frac{f_k(t) f_{K-k}(t)}{f_K(0)}
          = \frac{\alpha^{2t} P_k(t) P_{K-k}(t)}{P_K(0)}, \quad t \ge 0,

.. math:: P_k(t) = \sum_{j=0}^{k-1} \binom{k+t-1}{k-1-j} \binom{k+j-1}{j} w^j, \quad
          w = \frac{\alpha^2}{1 - \alpha^2} .

*Proof.* The number is a difference of two geometric ones, so f_k is the law of a difference of two
negative binomial ones: with x = α², :math:`f_k(t) = (1-\alpha)^{2k} \alpha^t \sum_j
\binom{k+t+j-1}{t+j} \binom{k+j-1}{j} x^j`, which is :math:`\binom{k+t-1}{t} F(k+t, k; t+1; x)`
times a power. Pfaff's transformation :math:`F(a, b; c; x) = (1-x)^{-b} F(c-a, b; c; x/(x-1))` ends
it after k terms, as c − a = 1 − k: :math:`f_k(t) = ((1-\alpha)/(1+\alpha))^k \alpha^t P_k(t)`. The
powers cancel. ∎ Nothing is cut off, and no term is negative.

**A sum is never wider than that of independent numbers**, in the usual stochastic order of its
absolute value. *Proof.* The ratio of both laws at t is proportional to :math:`f_{K-k}(t)`. As a
convolution of symmetric log-concave laws it is symmetric and log-concave, so it falls with
\|t\|. ∎ The fewer cells, the narrower: for two it is discrete Laplace noise of half the scale.
"""

import functools
import itertools
import math
from typing import ClassVar

import attrs

from deniable.errors import InvalidArgument, NotApplicable, validate
from deniable.notions import Adjacency, PureDP
from deniable.numerics.rounding import PRECISION, Ball, Directed, directed, upper
from deniable.numerics.search import bisect_integers
from deniable.pipeline.noise.scale import positive_scale

MOST_CELLS = 1_000
"""Cells of one law: a half-width then takes a second, and a draw half a second."""
_FARTHEST = 2**62
"""Whole numbers beyond it are no cells' counts."""


@attrs.frozen(init=False)
class ZeroSumNoise:
    r"""Adds whole numbers that add up to zero, Pr[Z = z] ∝ exp(−(\|z₁\| + … + \|z_K\|)/s).

    Parameters
    ----------
    cells : int
        K, from 2 to 1,000, the cell of everybody else included, whether it is published or not.
    scale : float
        The scale s in whole numbers, finite, > 0.

    Examples
    --------
    >>> noise = ZeroSumNoise(cells=10, scale=2.0)
    >>> noise.epsilon(), noise.half_width(), round(noise.variance(), 6)
    (1.0, 5, 6.04795)
    """

    name: ClassVar[str] = "zero-sum-discrete-laplace"

    cells: int
    scale: float

    def __init__(self, cells: int, scale: float) -> None:
        many = validate.integer(cells, "cells", least=2)
        if many > MOST_CELLS:
            raise InvalidArgument(f"Expected at most {MOST_CELLS} cells, got {many}. Take fewer.")
        self.__attrs_init__(many, positive_scale(scale))

    def epsilon(self, l1: int = 2) -> float:
        """The ε of pure DP for moves of this L1 norm that keep the total, l1/s, rounded up."""
        with directed() as r:
            return upper(r(validate.non_negative(l1, "l1")) / r(self.scale))

    def guarantee(self, sensitivity: int, adjacency: Adjacency) -> PureDP:
        """Pure DP for neighbours with the same total, at most `sensitivity` apart in L1 norm.

        Raises
        ------
        NotApplicable
            Under add-remove: neighbours' totals differ, and the noise hides no total.
        """
        if adjacency is not Adjacency.REPLACE_ONE:
            raise NotApplicable(
                "Expected neighbours with the same total, got add-remove. Noise that adds up to "
                "zero shows the total. Use independent noise."
            )
        return PureDP(self.epsilon(sensitivity), adjacency)

    def probability(self, value: int, terms: int = 1) -> float:
        """The probability that the noise of so many cells adds up to a value, rounded up.

        Examples
        --------
        >>> round(ZeroSumNoise(2, 2.0).probability(1), 6)
        0.170003
        """
        t = abs(validate.integer(value, "value", least=-_FARTHEST))
        fewer = self._fewer(terms)
        if not fewer:
            return float(t == 0)
        with directed() as r:
            law = _SumLaw.of(r, self, fewer)
            return upper(r.exp(-2 * t / r(self.scale)) * law.value(t) / law.total)

    def half_width(self, terms: int = 1, confidence: float = 0.95) -> int:
        r"""The least whole h with Pr[\|S\| <= h] >= confidence for a sum S of so many cells.

        If balls cannot tell a probability from the confidence, h is one more.

        From 1 to all `cells` are added up; the confidence is in (0, 1).

        Examples
        --------
        >>> [ZeroSumNoise(14, 2.0).half_width(terms) for terms in range(1, 8)]
        [5, 7, 8, 9, 9, 10, 10]
        """
        c = validate.open_probability(confidence, "confidence")
        fewer = self._fewer(terms)
        return _half_width(self, fewer, c) if fewer else 0

    def variance(self, terms: int = 1) -> float:
        r"""The variance of the noise of so many cells together, k(K − k)/(K − 1) v, rounded up.

        With n = Σ A_i and A_i, B_i the geometric numbers, A and B are two independent uniform
        compositions of n, so :math:`v = E[Z_1^2] = 2(K-1) E[n(n+K)] / K^2(K+1)`. The law of n has
        the generating function :math:`\sum_n \binom{K+n-1}{n}^2 x^n = (1-x)^{1-2K} G(x)`, with
        :math:`G = \sum_{j<K} \binom{K-1}{j}^2 x^j` by Euler's transformation.

        Examples
        --------
        >>> [round(ZeroSumNoise(cells, 2.0).variance(), 6) for cells in (2, 10, 26)]
        [1.841347, 6.04795, 7.097465]
        """
        with directed() as r:
            return upper(self._variance(r, self._fewer(terms)))

    def covariance(self) -> float:
        """The covariance of two cells' noise, −v/(K − 1), rounded down in size."""
        with directed() as r:
            return upper(-self._variance(r, 1) / (self.cells - 1))

    def _variance(self, r: Directed, terms: int) -> Ball:
        cells = self.cells
        x = r.exp(-2 / r(self.scale))
        rest = -r.expm1(-2 / r(self.scale))  # 1 − x
        total = first = second = r(0)
        power = r(1)
        for j in range(cells):
            weight = power * math.comb(cells - 1, j) ** 2
            total, first, second = total + weight, first + j * weight, second + j * j * weight
            power *= x
        # With θ = x d/dx: E n = θF/F, and Var n = θ(θF/F), of F = (1 − x)^(1 − 2K) G.
        mean = (2 * cells - 1) * x / rest + first / total
        spread = (2 * cells - 1) * x / rest**2 + second / total - (first / total) ** 2
        both = mean * mean + spread + cells * mean
        return 2 * both * terms * (cells - terms) / (cells * cells * (cells + 1))

    def _fewer(self, terms: int) -> int:
        """The number of cells of the shorter of both sides: S of the others is −S."""
        k = validate.integer(terms, "terms", least=1)
        if k > self.cells:
            raise InvalidArgument(f"Expected at most {self.cells} terms, got {k}.")
        return min(k, self.cells - k)


@functools.lru_cache(maxsize=256)  # a page asks for the same widths again
def _half_width(noise: ZeroSumNoise, terms: int, confidence: float) -> int:
    # The first K − 1 values are added up; they also determine the polynomial, whose degree is
    # K − 2, and with it every tail beyond them. A difference falls by a factor of some 4 s.
    lost = noise.cells * (2 + math.ceil(math.log2(max(noise.scale, 1.0))))
    with directed(PRECISION + lost) as r:
        law = _SumLaw.of(r, noise, terms)
        wanted, outside = r(confidence) * law.total, (1 - r(confidence)) * law.total
        values = list[Ball]()
        inside, power = r(0), r(1)
        for t in range(noise.cells - 1):
            values.append(law.value(t))
            inside += power * values[t] * (2 if t else 1)
            if inside >= wanted:
                return t
            power *= law.ratio
        newton = _differences(values)
        low = high = noise.cells - 2

        def leaves_out(t: int) -> bool:
            return not 2 * _tail(r, newton, noise.scale, t) <= outside

        while leaves_out(high):
            low, high = high, 2 * high + 1
        return bisect_integers(leaves_out, low, high) + 1


@attrs.frozen(eq=False)
class _SumLaw:
    """P_k and P_{K−k} by their weights, P_K(0), and α², for a sum of k of K cells."""

    ratio: Ball
    sides: tuple[list[Ball], list[Ball]]
    total: Ball

    @classmethod
    def of(cls, r: Directed, noise: ZeroSumNoise, terms: int) -> "_SumLaw":
        ratio = r.exp(-2 / r(noise.scale))
        odds = ratio / -r.expm1(-2 / r(noise.scale))
        sides = _weights(odds, terms), _weights(odds, noise.cells - terms)
        return cls(ratio, sides, _polynomial(_weights(odds, noise.cells), 0))

    def value(self, at: int) -> Ball:
        """P_k(t) P_{K−k}(t)."""
        return _polynomial(self.sides[0], at) * _polynomial(self.sides[1], at)


def _differences(values: list[Ball]) -> list[Ball]:
    """The coefficients q_i of Q(t) = Σ q_i C(t, i), from the values of Q at 0, 1 and so on."""
    coefficients, row = list[Ball](), values
    while row:
        coefficients.append(row[0])
        row = [after - before for before, after in itertools.pairwise(row)]
    return coefficients


def _tail(r: Directed, newton: list[Ball], scale: float, beyond: int) -> Ball:
    """Σ x^t Q(t) over t > `beyond` = h."""
    # With T_i = Σ_{t > h} C(t, i) x^t, Pascal's rule gives (1 − x) T_i = x T_{i−1} +
    # C(h + 1, i) x^{h+1}.
    ratio, rest = r.exp(-2 / r(scale)), -r.expm1(-2 / r(scale))
    first = r.exp(-2 * (beyond + 1) / r(scale))
    total, tail, binomial = r(0), r(0), 1
    for i, coefficient in enumerate(newton):
        tail = (ratio * tail + binomial * first) / rest
        total += coefficient * tail
        binomial = binomial * (beyond + 1 - i) // (i + 1)
    return total


def _weights(odds: Ball, terms: int) -> list[Ball]:
    """C(k + j − 1, j) w^j for j < k."""
    weights, power = [], odds**0
    for j in range(terms):
        weights.append(power * math.comb(terms + j - 1, j))
        power = power * odds
    return weights


def _polynomial(weights: list[Ball], at: int) -> Ball:
    """P_k(t): Σ_j C(k + t − 1, k − 1 − j) C(k + j − 1, j) w^j."""
    terms, binomial, total = len(weights), 1, weights[0] * 0
    # From the last weight, whose coefficient is C(k + t − 1, 0), to the first.
    for place, weight in enumerate(reversed(weights)):
        total += weight * binomial
        binomial = binomial * (terms + at - 1 - place) // (place + 1)
    return total
