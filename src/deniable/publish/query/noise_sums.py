r"""How far a sum of noises reaches: Pr[\|E\| <= h] >= 95 % for E = Σ c_k X_k, certainly.

Five ways, each a proof:

*Exact law.* On a lattice of few points masses are multiplied as polynomials, in balls. What is cut
off is never counted as inside, so the half-width is never too small.

*Smoothed.* Let X be discrete Gaussian of scale s, G normal, τ > 0, v = s²τ²/(s² + τ²). Completing
the square, X + τG has at y the density

.. math:: \frac{e^{-y^2/2(s^2+\tau^2)} \sum_k e^{-(k-\mu)^2/2v}}
               {\sqrt{2\pi}\,\tau \sum_k e^{-k^2/2s^2}}
          \le (1 + \vartheta)\, \varphi_{s^2+\tau^2}(y), \quad
          \vartheta = 2\sum_{j \ge 1} e^{-2\pi^2 v j^2},

by Poisson summation of both sums; the lower one is at least √(2π)s. Convolution keeps such a
factor, so E + τCG, with C² = Σ c_k², has at most ∏(1 + ϑ_k) times the density of a normal law of
variance Σ c_k²(s_k² + τ²). Where E > h the smoothed number passes h − qτC with probability Φ(q) at
least, so

.. math:: \Pr[|E| > h] \le \frac{\prod_k (1 + \vartheta_k)}{\Phi(q)}\,
          2\Phi\left(-\frac{h - q\tau C}{\sqrt{\sum c_k^2 (s_k^2 + \tau^2)}}\right),

whatever q and τ: for s of 1,000 and more some 0.2 % above 1.96 standard deviations.

*Sub-Gaussian.* :math:`E e^{\lambda X} \le e^{\lambda^2 s^2/2}` gives √(2 ln 40) = 2.716 deviations.

*Inverted*, for discrete Laplace noise: `LaplaceSum`.

*Chernoff*, where that takes too long: with α = e^{−1/s}, :math:`E e^{\lambda X} =
(1-\alpha)^2/((1-\alpha e^\lambda)(1-\alpha e^{-\lambda}))`, and h = (ln 40 + Σ ln E e^{λ c X})/λ.

References
----------
canonne-kamath-steinke-2020, Section 2 (sub-Gaussian tails, Poisson summation).
"""

import enum
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import TypeAlias

import attrs
import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.numerics.rounding import Ball, Directed, directed, least, lower, upper
from deniable.pipeline.noise import DiscreteGaussian, DiscreteLaplace

DiscreteNoise: TypeAlias = DiscreteGaussian | DiscreteLaplace

CONFIDENCE = 0.95
"""Probability that an interval covers; a share of repeated releases."""
MOST_POINTS = 2**13
"""Points on either side of 0 up to which a law is convolved: some 50 ms a product."""
_BITS = 96  # bits of a ball in a convolution; a few thousand additions lose some 15 of them
_GAUSSIAN_REACH = 9.0
"""Standard deviations that a convolution keeps: beyond lie some 1e-18, which count as outside."""
_LAPLACE_REACH = 40.0  # scales of one Laplace number that are kept: beyond lie e^−40
_SMOOTHING = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
"""τ that are tried, in whole numbers: at 0.7 a coordinate adds 1e-4 to the factor, at 1.2 1e-12."""
_SHIFTS = tuple(0.25 * step for step in range(2, 25))
"""q that are tried, in deviations of the smoothing."""
_CHERNOFF_STEPS = 60  # ternary steps for λ: its interval is 1e-10 as long as at first


class Method(enum.StrEnum):
    """The proof by which a half-width covers."""

    EXACT_LAW = "exact-law"
    SMOOTHED = "smoothed"
    SUB_GAUSSIAN = "sub-gaussian"
    CHERNOFF = "chernoff"
    INVERTED = "inverted"


def on_numbers(noise: object) -> DiscreteNoise:
    """The noise of a part, where that is one on whole numbers."""
    if isinstance(noise, DiscreteGaussian | DiscreteLaplace):
        return noise
    raise InvalidArgument(f"Expected a noise on numbers, got {noise!r}.")


@attrs.frozen
class HalfWidth:
    """A half-width, rounded up, and the proof that it covers."""

    value: float
    method: Method


@attrs.frozen
class ErrorTerm:
    """Noise of so many independent coordinates, which enters a cell with a factor of size > 0."""

    size: Fraction
    number: int
    noise: DiscreteNoise


def half_width(terms: Sequence[ErrorTerm], confidence: float = CONFIDENCE) -> HalfWidth:
    """The least half-width that one of the proofs gives; 0 without noise.

    >>> half_width([ErrorTerm(Fraction(1), 1, DiscreteGaussian(2.0))])
    HalfWidth(value=4.0, method=<Method.EXACT_LAW: 'exact-law'>)
    """
    c = validate.open_probability(confidence, "confidence")
    if not terms:
        return HalfWidth(0.0, Method.EXACT_LAW)
    exact = _of_exact_law(terms, c)
    if exact is not None:
        return HalfWidth(exact, Method.EXACT_LAW)
    if not all(isinstance(term.noise, DiscreteGaussian) for term in terms):
        # By inversion, and else by Chernoff's bound, which says how far to look.
        farthest = half_width_by_chernoff(terms, c)
        if all(isinstance(term.noise, DiscreteLaplace) for term in terms):
            made = LaplaceSum.of(
                [(each.size, each.number, each.noise.scale) for each in terms], farthest
            )
            inverted = None if made is None else made.half_width(c)
            if inverted is not None and inverted < farthest:
                return HalfWidth(inverted, Method.INVERTED)
        return HalfWidth(farthest, Method.CHERNOFF)
    with directed() as r:
        # The least of the module's bound over the τ and q that are tried; and by moments.
        factor, deviation, shift = smoothed_law(terms, c)
        smoothed = upper(shift - r.normal_quantile((1 - r(c)) / (2 * factor)) * deviation)
        squares = (r(each.size) ** 2 * each.number * r(each.noise.scale) ** 2 for each in terms)
        by_moments = upper(r.sqrt(2 * r.log(2 / (1 - r(c))) * sum(squares, r(0))))
    if smoothed <= by_moments:
        return HalfWidth(smoothed, Method.SMOOTHED)
    return HalfWidth(by_moments, Method.SUB_GAUSSIAN)


def _of_exact_law(terms: Sequence[ErrorTerm], confidence: float) -> float | None:
    """The least half-width on the lattice of the error, but for what is cut off; None if costly."""
    if len(terms) == 1 and terms[0].number == 1:
        return _rounded_up(terms[0].noise.half_width(confidence) * terms[0].size)
    exact = exact_law(terms)
    if exact is None:
        return None
    step, law = exact
    with directed(_BITS) as r:
        centre, inside, wanted = len(law) // 2, law[len(law) // 2], r(confidence)
        for steps in range(centre + 1):
            if steps:
                inside += law[centre - steps] + law[centre + steps]
            if inside >= wanted:
                return _rounded_up(steps * step)
    return None


def exact_law(terms: Sequence[ErrorTerm]) -> tuple[Fraction, list[Ball]] | None:
    """The lattice's step, and probabilities at as many of its points on either side of 0.

    What lies beyond is in none of them. None where the lattice has too many points.
    """
    common = math.lcm(*(term.size.denominator for term in terms))
    numerators = [int(term.size * common) for term in terms]
    divisor = math.gcd(*numerators)
    factors = [number // divisor for number in numerators]
    # Lattice points on either side beyond which nearly nothing lies.
    deviation = math.sqrt(
        sum(
            term.number
            * (
                factor
                * (
                    term.noise.scale
                    * (1.0 if isinstance(term.noise, DiscreteGaussian) else math.sqrt(2))
                )
            )
            ** 2
            for term, factor in zip(terms, factors, strict=True)
        )
    )
    single = max(
        factor * _reach_of_one(term.noise) for term, factor in zip(terms, factors, strict=True)
    )
    reach = math.ceil(max(_GAUSSIAN_REACH * deviation, single))
    if reach > MOST_POINTS:
        return None
    with directed(_BITS) as r:
        law = [r(1)]
        for term, factor in zip(terms, factors, strict=True):
            # Probabilities of −R … R, as balls; what lies beyond R is in the normaliser only.
            noise = term.noise
            last = _reach_of_one(noise)
            if isinstance(noise, DiscreteGaussian):
                rate = 1 / (2 * r(noise.scale) ** 2)
                weights = [r.exp(-rate * (k * k)) for k in range(last + 1)]
                # e^{-(R+1)²/2s²} and on: at most a geometric series
                rest = r.exp(-rate * ((last + 1) ** 2)) / (1 - r.exp(-rate * (2 * last + 3)))
            else:
                alpha = r.exp(-1 / r(noise.scale))
                weights = [alpha**k for k in range(last + 1)]
                rest = alpha ** (last + 1) / (1 - alpha)
            total = 2 * sum(weights[1:], r(0)) + weights[0] + 2 * rest * Ball(0.5, 0.5)
            half = [weight / total for weight in weights]
            masses = _power(r, half[:0:-1] + half, term.number, reach // factor)
            spread = [r(0)] * ((len(masses) - 1) * factor + 1)
            spread[::factor] = masses
            law = _trim(r.product(law, spread), reach)
    return Fraction(divisor, common), law


def _reach_of_one(noise: DiscreteNoise) -> int:
    gaussian = isinstance(noise, DiscreteGaussian)
    return math.ceil((_GAUSSIAN_REACH if gaussian else _LAPLACE_REACH) * noise.scale)


def _power(r: Directed, masses: list[Ball], number: int, reach: int) -> list[Ball]:
    """The law of the sum of so many copies, cut off beyond `reach`."""
    result, square = [r(1)], _trim(masses, reach)
    while number:
        if number & 1:
            result = _trim(r.product(result, square), reach)
        number >>= 1
        if number:
            square = _trim(r.product(square, square), reach)
    return result


def _trim(law: list[Ball], reach: int) -> list[Ball]:
    centre = len(law) // 2
    return law if centre <= reach else law[centre - reach : centre + reach + 1]


def _rounded_up(value: Fraction) -> float:
    with directed() as r:
        return upper(r(value))


def smoothed_law(
    terms: Sequence[ErrorTerm], confidence: float = CONFIDENCE
) -> tuple[Ball, Ball, Ball]:
    """Return F, σ and d of Gaussian noise with Pr[E >= t] <= F Φ(−(t − d)/σ) for all t.

    The bound holds at all t, and is nearly the least at the half-width of this confidence.
    """
    scales = [term.noise.scale for term in terms]
    squares = [float(term.size) ** 2 * term.number for term in terms]
    joint, normal = math.sqrt(sum(squares)), NormalDist()

    def roughly(tried: tuple[float, float]) -> float:
        """The half-width in floating point, for the choice of τ and q."""
        tau, q = tried
        log_factor, spread = 0.0, 0.0
        for term, scale, square in zip(terms, scales, squares, strict=True):
            narrow = (scale * tau) ** 2 / (scale * scale + tau * tau)
            log_factor += term.number * 2 * math.exp(-2 * math.pi**2 * narrow)
            spread += square * (scale * scale + tau * tau)
        outside = (1 - confidence) * normal.cdf(q) / 2 * math.exp(-min(log_factor, 600.0))
        return -normal.inv_cdf(max(outside, 1e-300)) * math.sqrt(spread) + q * tau * joint

    tau, shift = min(((tau, q) for tau in _SMOOTHING for q in _SHIFTS), key=roughly)
    with directed() as r:
        t, q = r(tau), r(shift)
        factor, spread, joint_square = r(1), r(0), r(0)
        for term, scale in zip(terms, scales, strict=True):
            square = r(scale) ** 2
            first = r.exp(-2 * Ball.pi() ** 2 * square * t * t / (square + t * t))
            # j² >= j: a geometric series bounds ϑ
            factor *= (1 + 2 * first / (1 - first)) ** term.number
            weight = r(term.size) ** 2 * term.number
            spread += weight * (square + t * t)
            joint_square += weight
        return factor / r.normal_cdf(q), r.sqrt(spread), q * t * r.sqrt(joint_square)


def half_width_by_chernoff(terms: Sequence[ErrorTerm], confidence: float = CONFIDENCE) -> float:
    """Return the half-width for Laplace noise, alone or beside Gaussian noise."""
    rate = chernoff_rate(terms, confidence)
    with directed() as r:
        exponent = r.log(2 / (1 - r(confidence)))
        for term in terms:
            exponent += term.number * log_moment(r, r(rate) * r(term.size), term.noise)
        return upper(exponent / r(rate))


def chernoff_rate(terms: Sequence[ErrorTerm], confidence: float = CONFIDENCE) -> float:
    """Estimate the λ at which Chernoff's half-width is least."""
    largest = min(
        (1 / (float(term.size) * term.noise.scale))
        for term in terms
        if isinstance(term.noise, DiscreteLaplace)
    )

    def roughly(rate: float) -> float:
        exponents = (
            term.number * _log_moment(rate * float(term.size), term.noise) for term in terms
        )
        return (-math.log((1 - confidence) / 2) + math.fsum(exponents)) / rate

    low, high = 0.0, largest
    for _ in range(_CHERNOFF_STEPS):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if roughly(left) <= roughly(right) else (left, high)
    return low or high / 2


def _log_moment(rate: float, noise: DiscreteNoise) -> float:
    """Logarithm of E e^{λX}, or its bound for Gaussian noise."""
    if isinstance(noise, DiscreteGaussian):
        return (rate * noise.scale) ** 2 / 2
    # (1 − α)²/((1 − αe^λ)(1 − αe^−λ)) = 1/(1 − 4 sinh²(λ/2)/(e^{1/2s} − e^{−1/2s})²)
    share = (math.sinh(rate / 2) / math.sinh(1 / (2 * noise.scale))) ** 2
    return -math.log1p(-share) if share < 1 else math.inf


def log_moment(r: Directed, rate: Ball, noise: DiscreteNoise) -> Ball:
    """ln E e^{λX}, or its bound for Gaussian noise."""
    if isinstance(noise, DiscreteGaussian):
        return (rate * r(noise.scale)) ** 2 / 2
    share = _sinh(r, rate / 2) / _sinh(r, 1 / (2 * r(noise.scale)))
    return -r.log(1 - share * share)


def _sinh(r: Directed, value: Ball) -> Ball:
    return (r.expm1(value) - r.expm1(-value)) / 2


_LEFT_OUT = 2.0**-22
"""Probability that the terms left out may come to; a half-width grows by a share of some 1e-6."""
_CHECKED = 16  # terms between two looks at what is left out
_MOST_TERMS = 2**14
"""The most terms: where one number decides alone they fall as k^-3, and 3,000 do."""
_FAR = 30.0  # exponent of Chernoff's bound at the other end of the square wave
_TOLERANCE = 2.0**-12  # the most that a half-width is too wide, as a share of it


@attrs.frozen(eq=False)
class LaplaceSum:
    r"""A sum of Laplace numbers, and how far the discrete one may be from it.

    A discrete Laplace number is ⌊A⌋ − ⌊B⌋ with A, B exponential of mean s, as ⌊A⌋ is geometric with
    e^{−1/s}. So E = Σ c_k X_k lies within C = Σ |c_k| of L = Σ c_k (A_k − B_k), a sum of Laplace
    numbers, whose characteristic function is φ(t) = ∏ 1/(1 + a_k²t²), a_k = |c_k| s_k.

    With t_k = (k + ½)Δ the sum Σ sin(t_k u)/(π(k + ½)) is ½ for 0 < u < 2π/Δ and −½ for as many
    negative u (a square wave). With u = x − L, in the mean,

    .. math:: \Pr[|L| \le x] = 2 \sum_{k \ge 0} \frac{\varphi(t_k) \sin(t_k x)}{\pi (k + 1/2)}
              \pm 2 \Pr[|L| \ge 2\pi/\Delta - x],

    and Chernoff bounds the last term: with ψ(λ) = −Σ ln(1 − a_k²λ²) it is at most 2 e^{ψ − λ(…)}.
    Terms from m on are left out. For t >= t_m a factor with a t_m > 1 is at most (a t)^{−2}; with M
    such factors and φ(t) <= B (t_m/t)^{2M} those terms sum to at most B/π (1/(m + ½) + 1/2M).

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

    References
    ----------
    davies-1973 (the sum and its error).
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

        `terms` are sizes above 0, numbers and scales; `farthest` is the largest x that
        probabilities are asked for.
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

            def certainly(x: float) -> bool:
                return self.inside(x)[0] >= wanted

            roughly = self.roughly()  # a hundredth of the work; what it gives is tried
            for holds in (lambda x: roughly(x) >= wanted, certainly):
                x = least(holds, self.farthest / 8, self.farthest, tolerance=_TOLERANCE)
                if certainly(x):
                    break
            return upper(r(x) + self.shift)

    def roughly(self) -> Callable[[float], float]:
        """The lower bound of `inside`, but for errors of floating point."""
        weights = np.array([*map(float, self.weights)])
        steps = float(self.spacing) / 2 * (2 * np.arange(len(weights)) + 1)
        error = float(self.error)
        return lambda x: 2 * float((weights * np.sin(x * steps)).sum()) - error


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
