"""Statistics of association, by variant; NaN where a variant says nothing.

A missing call is left out of its variant, as PLINK does. So R, S and N = R + S are here the
cases, controls and individuals with a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deniable.errors.late import late
from deniable.gwas.genotypes import Floats, GenotypeCounts

if TYPE_CHECKING:
    from scipy import special
else:
    special = late("scipy.special")  # slow to import; a check of a table does not need it

_FAR = 20.0
"""Square root of χ²/2 from which the complementary error function is close to underflow."""

Integers = NDArray[np.int64]


def allelic_chi_squared(counts: GenotypeCounts) -> Floats:
    r"""Pearson's χ² of the 2×2 table of alleles, 1 degree of freedom.

    .. math:: \chi^2_A = \frac{2N (xS - yR)^2}{R S (x + y)(2N - x - y)}

    where x and y are the copies of allele 1 in cases and controls.

    Parameters
    ----------
    counts : GenotypeCounts
        Genotypes of n_variants variants.

    Returns
    -------
    array of float, shape (n_variants,)
        NaN where everybody has the same allele, or no case or no control has a call.

    Examples
    --------
    >>> table = GenotypeCounts([[2, 5, 3, 0]], [[6, 3, 1, 0]])
    >>> allelic_chi_squared(table).tolist()
    [3.75]
    """
    both, together, contrast, groups = _contrast(counts)
    alleles = together.astype(np.float64) * (2 * both - together)
    return _ratio(2.0 * both * contrast, groups * alleles)


def genotypic_chi_squared(counts: GenotypeCounts) -> Floats:
    r"""Pearson's χ² of the 2×3 table of genotypes.

    .. math:: \chi^2_G = \sum_i \frac{(r_i N - n_i R)^2}{n_i R S}

    over the genotypes that somebody has, with r_i cases and n_i individuals.

    Parameters
    ----------
    counts : GenotypeCounts
        Genotypes of n_variants variants.

    Returns
    -------
    array of float, shape (n_variants,)
        NaN where everybody has the same genotype, or no case or no control has a call.

    Examples
    --------
    >>> table = GenotypeCounts([[2, 5, 3, 0]], [[6, 3, 1, 0]])
    >>> genotypic_chi_squared(table).tolist()
    [3.5]
    """
    called_cases, called_controls = called(counts.cases), called(counts.controls)
    both = called_cases + called_controls
    column = counts.cases[:, :3] + counts.controls[:, :3]
    difference = counts.cases[:, :3] * both[:, None] - column * called_cases[:, None]
    terms = difference.astype(np.float64) ** 2 / np.maximum(column, 1)
    varied = np.where(column.max(axis=1, initial=0) < both, 1.0, 0.0)
    return _ratio(terms.sum(axis=1), varied * called_cases * called_controls)


def trend_chi_squared(counts: GenotypeCounts) -> Floats:
    r"""Cochran and Armitage's test for a trend in copies of allele 1, 1 degree of freedom.

    .. math:: \chi^2_T = \frac{N (xS - yR)^2}{R S (N q - (x + y)^2)}, \qquad q = n_1 + 4 n_2

    with x and y copies of allele 1 in cases and controls, and n_i individuals with i copies: N
    times the squared correlation of copies and status.

    Parameters
    ----------
    counts : GenotypeCounts
        Genotypes of n_variants variants.

    Returns
    -------
    array of float, shape (n_variants,)
        NaN where everybody has the same genotype, or no case or no control has a call.

    References
    ----------
    armitage-1955.

    Examples
    --------
    >>> table = GenotypeCounts([[2, 5, 3, 0]], [[6, 3, 1, 0]])
    >>> trend_chi_squared(table).round(4).tolist()
    [3.2143]
    """
    both, together, contrast, groups = _contrast(counts)
    squares = together + 2 * (counts.cases[:, 2] + counts.controls[:, 2])
    spread = (both * squares - together**2).astype(np.float64)
    return _ratio(both * contrast, groups * spread)


def genotypic_degrees(counts: GenotypeCounts) -> Integers:
    """Degrees of freedom of the genotypic χ², one less than the genotypes that somebody has.

    As PLINK has it: with all three 2; an empty column is no row of the table.

    Examples
    --------
    >>> genotypic_degrees(GenotypeCounts([[2, 5, 3, 0]], [[6, 4, 0, 0]])).tolist()
    [2]
    """
    column = counts.cases[:, :3] + counts.controls[:, :3]
    return np.asarray((column > 0).sum(axis=1) - 1)


def chi_squared_p_value(statistic: Floats, degrees: int | Integers) -> Floats:
    r"""Upper tail of χ² with 1 or 2 degrees of freedom, to the smallest float64.

    .. math:: \operatorname{erfc}\sqrt{x/2} \quad\text{and}\quad e^{-x/2}

    Parameters
    ----------
    statistic : array of float
        χ², >= 0 or NaN.
    degrees : int or array of int
        1 or 2; anything where the statistic is NaN.

    Returns
    -------
    array of float
        Probabilities; 0 only below 5e-324, NaN for NaN.

    Examples
    --------
    >>> [f"{p:.4g}" for p in chi_squared_p_value(np.array([3.8414588, 1400.0]), 1)]
    ['0.05', '2.101e-306']
    """
    half = np.asarray(statistic, dtype=np.float64) / 2
    root = np.sqrt(half)
    far = np.exp(np.log(special.erfcx(np.maximum(root, _FAR))) - half)
    one = np.where(root > _FAR, far, special.erfc(root))
    return np.where(np.equal(degrees, 2), np.exp(-half), one)


def allele_frequency(counts: GenotypeCounts) -> Floats:
    """Frequency of allele 1 among the calls of cases and controls; shape (n_variants,).

    Examples
    --------
    >>> allele_frequency(GenotypeCounts([[2, 5, 3, 0]], [[6, 3, 1, 0]])).tolist()
    [0.4]
    """
    both = called(counts.cases) + called(counts.controls)
    return _ratio(copies(counts.cases) + copies(counts.controls), 2 * both)


def minor_allele_frequency(counts: GenotypeCounts) -> Floats:
    """Frequency of the rarer allele among cases and controls; shape (n_variants,)."""
    frequency = allele_frequency(counts)
    return np.minimum(frequency, 1 - frequency)


def copies(group: Integers) -> Integers:
    """Copies of allele 1; (n_variants, 4) -> (n_variants,)."""
    return np.asarray(group[:, 1] + 2 * group[:, 2])


def called(group: Integers) -> Integers:
    """Individuals with a call; (n_variants, 4) -> (n_variants,)."""
    return np.asarray(group[:, 0] + group[:, 1] + group[:, 2])


def _contrast(counts: GenotypeCounts) -> tuple[Integers, Integers, Floats, Floats]:
    """N, x + y, (xS − yR)² and R S: what the tests of allele counts are made of."""
    x, y = copies(counts.cases), copies(counts.controls)
    called_cases, called_controls = called(counts.cases), called(counts.controls)
    difference = (x * called_controls - y * called_cases).astype(np.float64)
    groups = called_cases.astype(np.float64) * called_controls
    return called_cases + called_controls, x + y, difference**2, groups


def _ratio(above: NDArray[np.number], below: NDArray[np.number]) -> Floats:
    undefined = np.full(len(below), np.nan)
    return np.asarray(np.divide(above, below, out=undefined, where=below > 0))
