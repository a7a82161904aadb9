"""Cochran, Mantel and Haenszel's test: cases against controls of the same stratum."""

import numpy as np

from deniable.gwas.strata import Floats, Strata


def mantel_haenszel_chi_squared(strata: Strata) -> Floats:
    """Cochran, Mantel and Haenszel's χ² = D²/V, 1 degree of freedom, not corrected for continuity.

    Returns
    -------
    array of float, shape (n_variants,)
        NaN where nobody differs from others of the stratum.

    References
    ----------
    cochran-1954; mantel-haenszel-1959.

    Examples
    --------
    >>> mantel_haenszel_chi_squared(Strata(((10, 10),), np.array([3.0]), np.array([2.0]))).tolist()
    [4.5]
    """
    undefined = np.full(len(strata), np.nan)
    squared = strata.difference**2
    return np.asarray(np.divide(squared, strata.variance, out=undefined, where=strata.variance > 0))
