"""Genotypes of a block of variants, and which of two blocks are linked: exact decisions.

A product of whole blocks gives r of every pair at once, with a known error. Pairs that are nearer
to the bound than that are decided in whole numbers.
"""

from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.genotypes import MISSING

_COPIES = np.arange(3)
_UNIT_32, _UNIT_64 = 2.0**-24, 2.0**-53
"""Relative errors of one rounding in float32 and float64."""
_ROUNDINGS = 16
"""Roundings in float64 between a product and r, at most; there are nine."""
_WHOLE_32 = 2**24
"""Whole numbers up to here are exact in float32."""
_WHOLE_64 = 2**20
"""People up to whom a sum of products of two whole deviations, at most 4 n³, fits 64 bits."""


@attrs.frozen
class Genotypes:
    """Copies of an allele about a whole number, ready for products.

    Parameters
    ----------
    values : ndarray of float32, shape (n_variants, n_individuals)
        Copies less the whole number that is nearest to their mean; the mean's own where missing.
    sums : ndarray of int64, shape (n_variants, 3)
        Known calls, and the sum of their values and of the squares of these.
    measures : ndarray of float64, shape (n_variants, 4)
        The mean value; one divided by the root of the sum of squares about it, 0 where a variant
        does not vary; the length of the row in units of that root; how many calls are missing.
    """

    values: NDArray[np.float32]
    sums: NDArray[np.int64]
    measures: NDArray[np.float64]

    @classmethod
    def of(cls, copies: NDArray[np.int8], counts: NDArray[np.integer] | None = None) -> "Genotypes":
        """From copies of an allele.

        Parameters
        ----------
        copies : ndarray of int8, shape (n_variants, n_individuals)
            0, 1, 2; −1 where missing.
        counts : ndarray of int, shape (n_variants, 4), optional
            Individuals with 0, 1, 2 copies and missing, where they are known already.

        Examples
        --------
        >>> block = Genotypes.of(np.array([[0, 1, 2, -1], [2, 2, 2, 1]], np.int8))
        >>> block.values.tolist()
        [[-1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, -1.0]]
        """
        found = _counts(copies) if counts is None else counts
        known = found[:, :MISSING].astype(np.int64)
        called, people = known.sum(axis=1), copies.shape[1]
        middle = np.rint(known @ _COPIES / np.maximum(called, 1)).astype(np.int8)
        about = _COPIES - middle[:, None]
        total, squares = (known * about).sum(axis=1), (known * about**2).sum(axis=1)
        mean = total / np.maximum(called, 1)
        holes = people - called
        values = (copies - middle[:, None]).astype(np.float32)
        if holes.any():
            missing = copies < 0
            values[missing] = np.repeat(mean, holes)
        # Σ (x - m)² = (k Σ x² - (Σ x)²) / k, the numerator in whole numbers.
        about_mean = (called * squares - total**2) / np.maximum(called, 1)
        scale = 1 / np.sqrt(np.where(about_mean > 0, about_mean, np.inf))
        length = np.sqrt(squares + holes * mean**2) * scale
        sums = np.stack([called, total, squares], axis=1)
        return cls(values, sums, np.stack([mean, scale, length, holes], axis=1))

    def __len__(self) -> int:
        return len(self.values)

    def taken(self, which: slice | NDArray[np.integer] | NDArray[np.bool_]) -> "Genotypes":
        """These variants only."""
        return Genotypes(self.values[which], self.sums[which], self.measures[which])

    @property
    def varies(self) -> NDArray[np.bool_]:
        """Whether known calls differ."""
        return np.asarray(self.measures[:, 1] > 0)


def linked(ones: Genotypes, others: Genotypes, r_squared: float) -> NDArray[np.bool_]:
    r"""Which pairs have r² of the bound or more; (n_ones, n_others).

    .. math:: r = \frac{\sum_i (x_i - \bar x)(y_i - \bar y)}
        {\sqrt{\sum_i (x_i - \bar x)^2 \sum_i (y_i - \bar y)^2}}

    with means and sums of squares over the known calls of each variant, and a missing call at its
    variant's mean. r² with a variant that does not vary is 0.

    Parameters
    ----------
    r_squared : float
        The bound, in [0, 1].
    """
    mean, scale = ones.measures[:, :1], ones.measures[:, 1:2]
    # Without missing calls a sum of whole numbers.
    r = (ones.values @ others.values.T).astype(np.float64)
    r -= ones.values.shape[1] * mean * others.measures[:, 0]
    r *= scale
    r *= others.measures[:, 1]
    np.abs(r, out=r)
    root = np.sqrt(r_squared)
    found = r >= root
    for one, other in np.argwhere(np.abs(r - root) <= _error(ones, others)).tolist():
        found[one, other] = _exactly(
            ones.taken(slice(one, one + 1)), others.taken(slice(other, other + 1)), r_squared
        )
    return np.asarray(found)


def _error(ones: Genotypes, others: Genotypes) -> float:
    """How far an r of any pair is from the truth, at most."""
    people = ones.values.shape[1]
    _, scale, length, holes = (each.max(initial=0.0) for each in ones.measures.T)
    _, its_scale, its_length, its_holes = (each.max(initial=0.0) for each in others.measures.T)
    lengths = float(length * its_length)
    # Without missing calls products are sums of whole numbers, which are exact. Otherwise any order
    # of summation errs by at most n units of rounding of Σ |x y|, which is at most the product of
    # the lengths (Cauchy), and the mean that stands for a missing call is rounded itself.
    whole = people < _WHOLE_32 and not holes and not its_holes
    single = 0.0 if whole else (people + 4) * _UNIT_32 * lengths
    double = _ROUNDINGS * _UNIT_64 * (lengths + people * float(scale * its_scale) + 1)
    return float(single + double)


def _exactly(one: Genotypes, other: Genotypes, r_squared: float) -> bool:
    """Whether one pair has r² of the bound or more, in whole numbers."""
    (first, x), (second, y) = _deviations(one), _deviations(other)
    if not first or not second:
        return r_squared <= 0
    bound = Fraction(r_squared)
    covariance = int(x @ y)
    return covariance**2 * bound.denominator >= first * second * bound.numerator


def _deviations(one: Genotypes) -> tuple[int, NDArray[np.int64]]:
    """k (x − x̄) in whole numbers, k the known calls, 0 where missing; and the sum of squares."""
    called, total, squares = one.sums[0].tolist()
    # At a missing call stands the mean, rounded, so that this is less than half away from 0.
    found = np.rint(called * one.values[0].astype(np.float64) - total)
    kind = np.int64 if len(found) < _WHOLE_64 else object
    return called * (called * squares - total**2), found.astype(np.int64).astype(kind)


def _counts(copies: NDArray[np.int8]) -> NDArray[np.int64]:
    """Individuals with 0, 1, 2 copies and missing; (n_variants, 4)."""
    return np.stack([np.count_nonzero(copies == code, axis=1) for code in (0, 1, 2, -1)], axis=1)
