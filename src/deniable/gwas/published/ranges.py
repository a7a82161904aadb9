"""A frequency that is published with rounding or with noise: what it may be."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.published.text_table import Floats

_POINTS = 65
"""Numbers of copies that are tried at most; where more are possible, so many of them, evenly."""
_DEVIATIONS = 8.0
"""Standard deviations of the group's frequency about the reference's that are looked at, where
noise is wider: beyond lie 1 in 10^15."""
_SCALES = 40.0
"""Scales of noise that are looked at: beyond lie e^−40 of it."""


@attrs.frozen
class Spread:
    """How far published frequencies are off.

    Parameters
    ----------
    half : ndarray of float, shape (n_variants,)
        Half of the last digit.
    alleles : ndarray of float, shape (n_variants,), or None
        What a frequency is a share of; None where nothing is published.
    noise : float or None
        Scale of Laplace noise, in copies.
    """

    half: Floats
    alleles: Floats | None = None
    noise: float | None = None

    def taken(self, which: NDArray[np.intp]) -> "Spread":
        """Those variants."""
        alleles = None if self.alleles is None else self.alleles[which]
        return Spread(self.half[which], alleles, self.noise)


def moments_within(
    near: Floats, spread: Spread, p: Floats, variance: Floats
) -> tuple[Floats, Floats]:
    r"""Mean and variance of a frequency near a published one; both (n_variants, n_references).

    The weight of a number of copies c of a alleles is

    .. math:: \exp\left(-\frac{(c/a - p)^2}{2 V} - \frac{|c - c'|}{b}\right)

    with c′ the noisy count and b its noise's scale, over all c that could be published so.

    Parameters
    ----------
    near : ndarray of float, shape (n_variants,)
        As published.
    spread : Spread
        How far it may be off.
    p, variance : ndarray of float, shape (n_variants, n_references)
        The reference's frequency, and how far the group's differs from it by chance.
    """
    if spread.alleles is None:
        raise AssertionError("a published frequency is a share of something")
    whole = spread.alleles[:, None]
    low, high = _ends(near, spread, whole, p, variance)
    first, last = np.ceil(low * whole - 1e-9), np.floor(high * whole + 1e-9)
    steps = np.linspace(0.0, 1.0, _POINTS)
    lattice = (last - first < _POINTS) & (last >= first)
    possible = first + np.arange(_POINTS)
    q = np.where(lattice, possible / whole, low + (high - low) * steps)
    usable = np.where(lattice, possible <= last, True)
    weight = -((q[:, None, :] - p[:, :, None]) ** 2) / (2 * variance[:, :, None])
    if spread.noise is not None:
        weight = weight - (np.abs(q - near[:, None]) * whole / spread.noise)[:, None, :]
    weight = np.where(usable[:, None, :], weight, -np.inf)
    weight = np.exp(weight - weight.max(axis=2, keepdims=True))
    weight /= weight.sum(axis=2, keepdims=True)
    mean = (weight * q[:, None, :]).sum(axis=2)
    return mean, (weight * (q[:, None, :] - mean[:, :, None]) ** 2).sum(axis=2)


def _ends(
    near: Floats, spread: Spread, whole: Floats, p: Floats, variance: Floats
) -> tuple[Floats, Floats]:
    """What is looked at; as columns."""
    if spread.noise is None:
        low, high = (near - spread.half)[:, None], (near + spread.half)[:, None]
    else:
        reach = _SCALES * spread.noise / whole
        low, high = near[:, None] - reach, near[:, None] + reach
        chance = _DEVIATIONS * np.sqrt(variance.max(axis=1, keepdims=True))
        middle = p.mean(axis=1, keepdims=True)
        low, high = (
            np.clip(low, np.minimum(middle - chance, high), None),
            np.clip(high, None, np.maximum(middle + chance, low)),
        )
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    return low, np.maximum(high, low)
