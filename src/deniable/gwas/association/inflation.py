"""Genomic control: how much larger than chance explains the typical statistic of a study is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from deniable.errors.late import late
from deniable.gwas.association.statistics import Floats

if TYPE_CHECKING:
    from scipy import special
else:
    special = late("scipy.special")  # slow to import; a check of a table does not need it

MEDIAN = 0.45493642311957283
"""Of χ² with 1 degree of freedom."""

NOTABLE = 1.1
"""From this λ on people of different origin, or relatives, are commonly suspected."""


def genomic_inflation(statistic: Floats) -> float | None:
    r"""λ of genomic control.

    .. math:: \lambda_{GC} = \frac{\operatorname{median} \chi^2}{0.4549}

    over the variants of which the statistic is defined. It is about 1 where nearly all variants
    differ between cases and controls by chance alone, and larger where they differ otherwise too:
    in ancestry, in relatives, in genotyping, or in many small effects. PLINK shows 1 where it is
    less.

    Parameters
    ----------
    statistic : array of float, shape (n_variants,)
        χ² with 1 degree of freedom, NaN where it is not defined.

    Returns
    -------
    float or None
        None where no statistic is defined.

    References
    ----------
    devlin-roeder-1999.

    Examples
    --------
    >>> genomic_inflation(np.array([0.1, 0.9098728462391457, 7.0, np.nan]))
    2.0
    """
    defined = statistic[~np.isnan(statistic)]
    return float(np.median(defined)) / MEDIAN if len(defined) else None


def as_one_degree(p_value: Floats) -> Floats:
    """χ² with 1 degree of freedom of these p-values, NaN for NaN.

    Examples
    --------
    >>> as_one_degree(np.array([0.05, 1.0])).round(4).tolist()
    [3.8415, 0.0]
    """
    # p = erfc(√(x/2)); where erfc has no more digits its inverse is infinite, and so is x.
    root = special.erfcinv(np.asarray(p_value, dtype=np.float64))
    return np.asarray(2 * np.minimum(root, math.sqrt(np.finfo(np.float64).max / 4)) ** 2)
