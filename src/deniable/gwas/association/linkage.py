"""Variants that carry their own information: pruning by linkage disequilibrium."""

import numpy as np
from numpy.typing import NDArray

WINDOW = 256
"""How many kept variants of the same chromosome a variant is compared with."""


class Pruning:
    """A greedy choice, in file order, of variants with pairwise r² below a bound.

    r is the correlation of genotypes over the individuals given. A variant is compared with the
    last `WINDOW` kept ones of its chromosome: linkage fades within a few hundred common variants.

    Parameters
    ----------
    r_squared : float
        The bound, in (0, 1]; 1 keeps everything that varies.

    Examples
    --------
    >>> pruning = Pruning(0.1)
    >>> genotypes = np.array([[0, 1, 2, 1], [0, 1, 2, 1], [1, 0, 1, 2]], float)
    >>> pruning.kept(["1", "1", "1"], genotypes).tolist()
    [True, False, True]
    """

    def __init__(self, r_squared: float) -> None:
        self._bound = r_squared
        self._chromosome: str | None = None
        self._window = np.empty((0, 0))
        self._filled = 0

    def kept(self, chromosomes: "list[str]", genotypes: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which variants of the next block stay.

        Parameters
        ----------
        chromosomes : list of str, length n_variants
            Where each lies; variants of one chromosome follow each other.
        genotypes : ndarray of float, shape (n_variants, n_individuals)
            Copies of one allele, 0 to 2; NaN where missing, which counts as the variant's mean.

        Returns
        -------
        ndarray of bool, shape (n_variants,)
        """
        standard = _standardised(genotypes)
        if self._window.shape[1] != standard.shape[1]:
            self._window = np.empty((WINDOW, standard.shape[1]))
        kept = np.zeros(len(standard), bool)
        for index, (chromosome, row) in enumerate(zip(chromosomes, standard, strict=True)):
            if chromosome != self._chromosome:
                self._chromosome, self._filled = chromosome, 0
            kept[index] = row.any() and self._apart(row)
            if kept[index]:
                self._window[self._filled % WINDOW] = row
                self._filled += 1
        return kept

    def _apart(self, row: NDArray[np.float64]) -> bool:
        others = self._window[: min(self._filled, WINDOW)]
        correlations = others @ row
        return bool(np.all(correlations * correlations < self._bound)) or self._bound == 1


def _standardised(genotypes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of length 1 about their mean; zero where a variant does not vary."""
    known = np.isfinite(genotypes)
    counted = np.maximum(known.sum(axis=1, keepdims=True), 1)
    mean = np.where(known, genotypes, 0.0).sum(axis=1, keepdims=True) / counted
    centred = np.where(known, genotypes - mean, 0.0)
    length = np.sqrt((centred * centred).sum(axis=1, keepdims=True))
    varies = length > 1e-9
    return np.where(varies, centred / np.where(varies, length, 1.0), 0.0)
