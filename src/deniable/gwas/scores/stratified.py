r"""The stratified score: how far beyond significance cases differ from controls of their stratum.

Cochran, Mantel and Haenszel's χ² = D²/V compares within strata, so that two groups of people of
whom different shares are cases do not look like a disease. But one person can move it far: where V
is small, by hundreds in an uneven stratum. A variant is significant if :math:`|D| \ge \sqrt{cV}`.
The score is by how many copies it is,

.. math:: q = |D| - \sqrt{cV + 4c^2},

with an addend that keeps the root's slope in V at ¼ or less. It is what V is of a variant with
about 16c copies in even groups, so it matters for rare variants only.
"""

import numpy as np

from deniable.gwas.strata import Floats, Strata


def stratified_score(strata: Strata, threshold: float) -> Floats:
    """q of each variant, in copies of an allele.

    Parameters
    ----------
    strata : Strata
        Sums over strata.
    threshold : float
        c > 0, in units of χ² with 1 degree of freedom.

    Returns
    -------
    array of float, shape (n_variants,)
        −2c where everybody of each stratum has the same genotype.

    Examples
    --------
    >>> score = stratified_score(Strata(((10, 10),), np.array([3.0]), np.array([2.0])), 2.0)
    >>> round(float(score[0]), 4)
    -1.4721
    """
    c = threshold
    return np.asarray(np.abs(strata.difference) - np.sqrt(c * strata.variance + 4 * c * c))
