r"""Which numbers of copies a p-value of the allelic test leaves possible.

With x of 2R copies in cases and y of 2S in controls (N = R + S, c = x + y) the test's statistic is

.. math:: z^2 = \frac{2N (xS - yR)^2}{R S c (2N - c)}

For a given x this is a quadratic equation in y, whose two roots belong to the two directions. A
p-value with many digits leaves few pairs of whole numbers, often one, although it says neither the
frequency nor the direction. Of a normal law without direction next to nothing would be left.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.published.normal_update import Normal
from deniable.gwas.published.text_table import Floats

_DEVIATIONS = 7.0
"""Standard deviations of cases' copies about the reference's that are tried: beyond lie 3e-12."""
_AROUND = 10
"""Copies about the mean that are always tried, for rare alleles."""
_MOST_COPIES = 2**14
"""Numbers of copies in cases that are tried at most."""
_WIDEST = 0.05
"""Half of the range of z in which pairs are looked for; in wider ones the normal law does."""
_EXACT = 1e-6
"""Copies by which a root may be off the whole number: float64 keeps 1e-9 of 10,000."""
_SLACK = 1.001
"""How much wider than its last digit a printed number's range is."""
_FITTING = 0.9
"""Share of variants that some pair must fit; fewer do where the test is another one."""
_CELLS = 2**21
"""Numbers in one array at most: 16 MiB."""


@attrs.frozen
class Tested:
    """What a table says of cases and controls at some variants.

    Parameters
    ----------
    z, half : ndarray of float, shape (n_variants,)
        |z|, and how far it may be off.
    sign : ndarray of float, shape (n_variants,)
        1 where the allele is more frequent in cases, −1 in controls, 0 unknown.
    overall, overall_half : ndarray of float, shape (n_variants,), or None
        The frequency of both together, where the table prints it.
    """

    z: Floats
    half: Floats
    sign: Floats
    overall: Floats | None = None
    overall_half: Floats | None = None

    def taken(self, which: NDArray[np.intp]) -> "Tested":
        """Those variants."""
        return Tested(
            self.z[which],
            self.half[which],
            self.sign[which],
            None if self.overall is None else self.overall[which],
            None if self.overall_half is None else self.overall_half[which],
        )


def moments_of_pairs(
    tested: Tested, sizes: tuple[int, int], weights: tuple[float, float], prior: Normal
) -> tuple[Floats, Floats]:
    """Mean and variance of a weighted sum of both frequencies; (n_variants, n_references) each.

    NaN where no pair of counts is known to fit.

    Parameters
    ----------
    tested : Tested
        By variant.
    sizes : (int, int)
        Cases and controls, all with a call.
    weights : (float, float)
        Of the frequencies in cases and controls.
    prior : Normal
        Before the table is read; (n_variants, n_references).
    """
    found = np.full((2, *prior.cases.shape), np.nan)
    asked = np.isfinite(tested.z) & (tested.half <= _WIDEST) & np.isfinite(prior.cases).all(axis=1)
    width = 2 * sizes[0] * np.sqrt(prior.of_cases.max(axis=1)) * _DEVIATIONS + _AROUND
    rows = np.flatnonzero(asked & (2 * width < _MOST_COPIES))
    rows = rows[np.argsort(width[rows], kind="stable")]
    while len(rows):
        most = int(_CELLS // (4 * width[rows[0]] * prior.cases.shape[1])) + 1
        # rows of about equal width together, that none is looked at far beyond its own
        near = int(np.searchsorted(width[rows], 2 * width[rows[0]], side="right"))
        part, rows = rows[: min(most, near)], rows[min(most, near) :]
        found[:, part] = _moments(
            tested.taken(part), sizes, weights, _taken(prior, part), float(width[part].max())
        )
    fits = np.isfinite(found[0]).all(axis=1)
    if np.count_nonzero(fits) < _FITTING * np.count_nonzero(asked):
        found[:] = np.nan
    return found[0], found[1]


def _taken(prior: Normal, rows: NDArray[np.intp]) -> Normal:
    return Normal(*(each[rows] for each in attrs.astuple(prior, recurse=False)))


def _moments(
    tested: Tested,
    sizes: tuple[int, int],
    weights: tuple[float, float],
    prior: Normal,
    reach: float,
) -> Floats:
    """(2, n_variants, n_references)."""
    cases, controls = sizes
    middle = np.rint(2 * cases * prior.cases.mean(axis=1))
    x = middle[:, None] + np.arange(-np.ceil(reach), np.ceil(reach) + 1)
    y, number = _partners(x, tested, sizes)
    x = np.concatenate([x, x], axis=1)
    possible = (number > 0) & (x >= 0) & (x <= 2 * cases) & (y >= 0) & (y <= 2 * controls)
    # Where nobody varies no test is printed, and any z fits the equation.
    possible &= (x + y > 0) & (x + y < 2 * (cases + controls))
    if tested.overall is not None and tested.overall_half is not None:
        known = np.isfinite(tested.overall)
        off = np.abs((x + y) / (2 * (cases + controls)) - tested.overall[:, None])
        possible &= (off <= tested.overall_half[:, None] * _SLACK + 1e-9) | ~known[:, None]
    with np.errstate(divide="ignore"):
        many = np.where(possible, np.log(number), -np.inf)[:, None]
    q, r = (x / (2 * cases))[:, None], (y / (2 * controls))[:, None]
    logs = many + _log_density(prior, q, r)
    best = logs.max(axis=2, keepdims=True)
    with np.errstate(invalid="ignore"):
        share = np.exp(logs - best)
        share /= share.sum(axis=2, keepdims=True)
    value = weights[0] * q + weights[1] * r
    mean = (share * value).sum(axis=2)
    return np.stack([mean, (share * (value - mean[:, :, None]) ** 2).sum(axis=2)])


def _log_density(prior: Normal, q: Floats, r: Floats) -> Floats:
    """Of a normal pair, but for a constant; (n_variants, n_references, n_pairs)."""
    a, b, c = (each[:, :, None] for each in (prior.of_cases, prior.of_controls, prior.of_both))
    u, w = q - prior.cases[:, :, None], r - prior.controls[:, :, None]
    return np.asarray(-0.5 * (b * u * u - 2 * c * u * w + a * w * w) / (a * b - c * c))


def _partners(x: Floats, tested: Tested, sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Copies in controls beside so many in cases, and how many whole numbers lie about them.

    (n_variants, 2 n_x): first where the allele is more frequent in cases, then the others.
    """
    half = tested.half * _SLACK
    low = _roots(x, np.maximum(tested.z - half, 0.0), sizes)
    high = _roots(x, tested.z + half, sizes)
    sign = tested.sign[:, None]
    starts = np.concatenate([high[0], low[1]], axis=1)
    ends = np.concatenate([low[0], high[1]], axis=1)
    first, last = np.ceil(starts - _EXACT), np.floor(ends + _EXACT)
    # Where both directions meet, the middle counts once.
    second = slice(x.shape[1], None)
    first[:, second] = np.maximum(first[:, second], last[:, : x.shape[1]] + 1)
    ways = np.repeat([1.0, -1.0], x.shape[1])
    number = np.where(sign * ways >= 0, np.maximum(last - first + 1, 0.0), 0.0)
    return (first + last) / 2, np.nan_to_num(number)


def _roots(x: Floats, z: Floats, sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    r"""The smaller and the larger y: of y² (2N R + k S) − 2 y S (2N x + k (N − x)) + … = 0."""
    cases, controls = map(float, sizes)
    people, k = cases + controls, (z * z)[:, None]
    # all divided by R: 2N (x S − y R)² = k R S (x + y)(2N − x − y)
    a = 2 * people * cases + k * controls
    b = controls * (2 * people * x + k * (people - x))
    c = 2 * people * x * x * controls**2 / cases - k * controls * x * (2 * people - x)
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    return (b - root) / a, (b + root) / a
