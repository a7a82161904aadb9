"""Laws of whole numbers as logarithms of probabilities, right to a relative error everywhere.

Only non-negative numbers are added and multiplied, in blocks whose entries are close enough for
floating point; nothing underflows, however far into the tails.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SPREAD = 300.0
"""Largest difference of logarithms in a block; two of them stay above the least float."""
_VANISHING = -600.0


def convolved(one: Floats, other: Floats) -> Floats:
    """The law of the sum of two independent numbers; (a,), (b,) -> (a + b - 1,)."""
    result = np.full(len(one) + len(other) - 1, -np.inf)
    right = _blocks(other, 0)
    for start, scale, masses in _blocks(one, 0):
        for begin, factor, weights in right:
            with np.errstate(divide="ignore"):
                part = np.log(np.convolve(masses, weights)) + (scale + factor)
            there = slice(start + begin, start + begin + len(part))
            result[there] = np.logaddexp(result[there], part)
    return result


def mixed(laws: Floats, weights: Floats) -> Floats:
    """Σ_x weights[x, z] e^laws[x, ·] for each z; (k, n), (k, l) -> (l, n)."""
    top = laws.max(axis=0)
    level = np.where(np.isneginf(top), 0.0, top)
    relative = laws - level
    least = np.log(weights.min(where=weights > 0, initial=1.0))
    with np.errstate(divide="ignore"):
        # Not a product of matrices: BLAS would start threads for work this small.
        result = np.log(np.einsum("xz,xm->zm", weights, np.exp(relative))) + level
        lost = ((relative + least < _VANISHING) & ~np.isneginf(laws)).any(axis=0)
        if lost.any():
            terms = laws[:, None, lost] + np.log(weights)[:, :, None]
            result[:, lost] = np.logaddexp.reduce(terms, axis=0)
    return np.asarray(result)


def laplace_mixture(laws: Floats, scale: float) -> Floats:
    r"""The densities of M + X at the whole numbers 0, …, n − 1, up to a common factor.

    .. math:: \ln \sum_m \Pr[M = m] e^{-|y-m|/s}

    where M has the law on the last axis. Between whole numbers both halves of the sum are
    exponentials, so the ratio of two such densities is monotone there, and beyond the ends it is
    constant: its extremes over all real y stand among these.
    """
    marks = np.arange(laws.shape[-1]) / scale
    before = np.logaddexp.accumulate(laws + marks, axis=-1) - marks
    after = np.logaddexp.accumulate((laws - marks)[..., ::-1], axis=-1)[..., ::-1] + marks
    after = np.concatenate([after[..., 1:] - 1 / scale, np.full_like(after[..., :1], -np.inf)], -1)
    return np.asarray(np.logaddexp(before, after))


def largest_loss(laws: Floats, scale: float) -> float:
    """sup over y and two of the laws of the log-ratio of their densities; (k, n), k >= 1."""
    densities = laplace_mixture(laws, scale)
    return float((densities.max(axis=0) - densities.min(axis=0)).max())


def _blocks(law: Floats, start: int) -> list[tuple[int, float, Floats]]:
    """Start, logarithm of the scale, and probabilities relative to it."""
    there = np.flatnonzero(~np.isneginf(law))
    if len(there) == 0:
        return []
    start, law = start + int(there[0]), law[there[0] : there[-1] + 1]
    finite = law[~np.isneginf(law)]
    if finite.max() - finite.min() <= _SPREAD:
        return [(start, float(finite.max()), np.exp(law - finite.max()))]
    half = len(law) // 2
    return [*_blocks(law[:half], start), *_blocks(law[half:], start + half)]
