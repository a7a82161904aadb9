"""Laws of whole numbers as logarithms of probabilities, right to a relative error everywhere.

Only non-negative numbers are added and multiplied, in blocks whose entries are close enough for
floating point; nothing underflows, however far into the tails.

Each function has its `…_error`: how much it adds, at most, to the absolute error of a logarithm
(an impossible number stays impossible). Sums, products and quotients are right to half a unit in
the last place, exp, log and log1p are taken to be right to four units. Errors of the input pass
through unchanged, for all the numbers added have the same sign.
"""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import UNIT

Floats = NDArray[np.float64]


_SPREAD = 300.0
"""Largest difference of logarithms in a block; two of them stay above the least float."""
_VANISHING = -600.0
"""Logarithm of a product of which exp may lose digits; such columns are added in logarithms."""


def convolve(one: Floats, other: Floats) -> Floats:
    """The law of the sum of two independent numbers; (a,), (b,) -> (a + b - 1,)."""
    # Pr[M + L = s] = Σ_m Pr[M = m] Pr[L = s − m], block by block: e^(scale + factor) times a plain
    # convolution of numbers in [e^−300, 1], added up in logarithms.
    result = np.full(len(one) + len(other) - 1, -np.inf)
    right = _blocks(other, 0)
    for start, scale, masses in _blocks(one, 0):
        for begin, factor, weights in right:
            with np.errstate(divide="ignore"):
                part = np.log(np.convolve(masses, weights)) + (scale + factor)
            there = slice(start + begin, start + begin + len(part))
            result[there] = np.logaddexp(result[there], part)
    return result


def mix(laws: Floats, weights: Floats) -> Floats:
    """Σ_x weights[x, z] e^laws[x, ·] for each z; (k, n), (k, l) -> (l, n)."""
    # With the level c of a column: ln Σ_x w_xz e^l_x = c + ln Σ_x w_xz e^(l_x − c).
    top = laws.max(axis=0)
    level = np.where(np.isneginf(top), 0.0, top)
    relative = laws - level
    least = np.log(weights.min(where=weights > 0, initial=1.0))
    with np.errstate(divide="ignore"):
        # Not a product of matrices: BLAS would start threads for work this small.
        result = np.log(np.einsum("xz,xm->zm", weights, np.exp(relative))) + level
        lost = ((relative + least < _VANISHING) & ~np.isneginf(laws)).any(axis=0)
        # Columns whose smallest product may lose digits in exp: ln Σ_x e^(l_x + ln w_xz), term by
        # term.
        if lost.any():
            terms = laws[:, None, lost] + np.log(weights)[:, :, None]
            result[:, lost] = np.logaddexp.reduce(terms, axis=0)
    return np.asarray(result)


def mix_error(n_states: int, size: float) -> float:
    """Of `mix`, for so many summands and logarithms of at most this size.

    In a block |relative| <= 600: exp of it is off by 608 units, the sum by n_states more, its
    logarithm by 8 · (600 + n_states), adding the level by the size of both. In the slow branch
    ln(weight) is off by 8 · 745 units, and each of n_states summands adds the size of the sum.
    """
    return UNIT * ((n_states + 2) * (size + n_states + 1000) + 8000)


def convolve_error(one: Floats, other: Floats, size: float) -> float:
    """Of `convolve`, for logarithms of at most this size.

    In a block exp is off by 308 units on either side and the sum by its length; its logarithm,
    at most 600 in size, by 8 units each. Then come the two scales, and one sum for each pair of
    blocks.
    """
    width = len(one) + len(other)
    pairs = len(_blocks(one, 0)) * len(_blocks(other, 0))
    return UNIT * (9 * width + 6200 + (pairs + 2) * (2 * size + 800))


def normalise(law: Floats) -> Floats:
    """The same law with probabilities that sum to 1."""
    return np.asarray(law - np.logaddexp.reduce(law))


def normalise_error(law: Floats, size: float) -> float:
    """Of `normalise`, beside the input's own error, which counts twice: in law and in sum."""
    return UNIT * ((len(law) + 3) * (size + len(law) + 30))


def laplace_mixture(laws: Floats, scale: float) -> Floats:
    r"""The densities of M + X at the whole numbers 0, …, n − 1, up to a common factor.

    .. math:: \ln \sum_m \Pr[M = m] e^{-|y-m|/s}

    where M has the law on the last axis. Between whole numbers both halves of the sum are
    exponentials, so the ratio of two such densities is monotone there, and beyond the ends it is
    constant: its extremes over all real y stand among these.
    """
    # Σ_{m <= y} e^(l_m − (y − m)/s), a running sum to the right, and Σ_{m > y} e^(l_m − (m −
    # y)/s), one to the left that starts a step later so that m = y counts once.
    marks = np.arange(laws.shape[-1]) / scale
    before = np.logaddexp.accumulate(laws + marks, axis=-1) - marks
    after = np.logaddexp.accumulate((laws - marks)[..., ::-1], axis=-1)[..., ::-1] + marks
    after = np.concatenate([after[..., 1:] - 1 / scale, np.full_like(after[..., :1], -np.inf)], -1)
    return np.asarray(np.logaddexp(before, after))


def largest_loss(laws: Floats, scale: float) -> float:
    """sup over y and two of the laws of the log-ratio of their densities; (k, n), k >= 1."""
    # Both laws of the largest ratio may be any: at each y the largest less the least logarithm.
    densities = laplace_mixture(laws, scale)
    return float((densities.max(axis=0) - densities.min(axis=0)).max())


def loss_error(width: int, scale: float, size: float, error: float) -> float:
    """Of `largest_loss` itself, for logarithms up to this size and off by this error.

    With R the width over the scale, marks are off by 2 units of R each (the scale may be a
    rounded quotient), every step of the running sums adds the size of the sum, at most
    size + 2R + 40, and so do the dozen operations around them. A loss is a difference of two.
    """
    return 2 * (error + UNIT * (width + 14) * (size + 2 * width / scale + 40))


def enclose(loss: float, error: float) -> Bound:
    """A loss >= 0 that is off by at most so much; exact where nothing was computed."""
    if error == 0:
        return Bound.exact(loss)
    low, high = math.nextafter(loss - error, -math.inf), math.nextafter(loss + error, math.inf)
    return Bound(max(low, 0.0), high, Evidence.ENCLOSURE)


def _blocks(law: Floats, start: int) -> list[tuple[int, float, Floats]]:
    """Start, logarithm of the scale, and probabilities relative to it."""
    # Halve until the logarithms of a block lie within 300 of each other; impossible ends are cut
    # off.
    there = np.flatnonzero(~np.isneginf(law))
    if len(there) == 0:
        return []
    start, law = start + int(there[0]), law[there[0] : there[-1] + 1]
    finite = law[~np.isneginf(law)]
    if finite.max() - finite.min() <= _SPREAD:
        return [(start, float(finite.max()), np.exp(law - finite.max()))]
    half = len(law) // 2
    return [*_blocks(law[:half], start), *_blocks(law[half:], start + half)]
