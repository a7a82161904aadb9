"""Variants that carry their own information: pruning by linkage disequilibrium."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

WINDOW = 64
"""How many kept variants of the same chromosome a variant is compared with. PLINK is customarily
told to look at 50 variants, kept or not."""
_BLOCK = 64
"""Variants whose correlations are computed in one product: float32 rows of 5,000 people fit a
cache of some megabytes."""
_UNVARIED = 1e-6
"""Sum of squares about the mean, in copies², below which a variant does not vary."""
_VARIES = 0.5
"""r² of a variant with itself is 1, or 0 where it does not vary."""


class Pruning:
    """A greedy choice, in file order, of variants with pairwise r² below a bound.

    r is the correlation of genotypes over the individuals given, with the seven digits of float32.
    A variant is compared with the last `WINDOW` kept ones of its chromosome, or a few more: linkage
    fades.

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
        self._window = np.empty((0, 0), np.float32)

    @property
    def keeps_all(self) -> bool:
        """Whether every variant that varies is kept."""
        return self._bound == 1

    def kept(
        self, chromosomes: Sequence[str], genotypes: NDArray[np.floating]
    ) -> NDArray[np.bool_]:
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
        return self.kept_of(chromosomes, standardised(genotypes))

    def kept_of(self, chromosomes: Sequence[str], rows: NDArray[np.float32]) -> NDArray[np.bool_]:
        """As `kept`, of rows that are `standardised` already."""
        kept = np.zeros(len(rows), bool)
        start = 0
        while start < len(rows):
            chromosome, stop = chromosomes[start], start + 1
            while stop < min(start + _BLOCK, len(rows)) and chromosomes[stop] == chromosome:
                stop += 1
            if chromosome != self._chromosome or self._window.shape[1] != rows.shape[1]:
                self._chromosome = chromosome
                self._window = np.empty((0, rows.shape[1]), np.float32)
            kept[start:stop] = self._next(rows[start:stop])
            start = stop
        return kept

    def _next(self, rows: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Of at most `_BLOCK` variants of the window's chromosome."""
        if self.keeps_all:
            return np.asarray(np.any(rows, axis=1))
        kept = np.ones(len(rows), bool)
        if len(self._window):
            kept &= ~np.any((self._window @ rows.T) ** 2 >= self._bound, axis=0)
        # Few are left to be compared with each other; one that does not vary is 0 with itself.
        (open_,) = np.nonzero(kept)
        squared = (rows[open_] @ rows[open_].T) ** 2
        kept[open_] = squared.diagonal() > _VARIES
        among = squared >= self._bound
        for index in range(1, len(open_)):
            if (among[index, :index] & kept[open_[:index]]).any():
                kept[open_[index]] = False
        self._window = np.concatenate([self._window, rows[kept]])[-WINDOW:]
        return kept


def standardised(genotypes: NDArray[np.floating]) -> NDArray[np.float32]:
    """Rows of length 1 about their mean; zero where a variant does not vary.

    Parameters
    ----------
    genotypes : ndarray of float, shape (n_variants, n_individuals)
        Copies of one allele, 0 to 2; NaN where missing, which counts as the variant's mean.
    """
    known = np.isfinite(genotypes)
    counted = np.maximum(known.sum(axis=1, keepdims=True), 1)
    mean = np.where(known, genotypes, 0.0).sum(axis=1, keepdims=True) / counted
    centred = np.where(known, genotypes - mean, 0.0)
    squares = (centred * centred).sum(axis=1, keepdims=True)
    varies = squares > _UNVARIED
    unit = np.where(varies, centred / np.sqrt(np.where(varies, squares, 1.0)), 0.0)
    return np.asarray(unit, np.float32)


def standardised_copies(copies: NDArray[np.int8]) -> NDArray[np.float32]:
    """As `standardised`, of copies 0, 1, 2 and −1 where missing, in one array of float32."""
    rows = copies.astype(np.float32)
    missing = copies < 0 if copies.size and int(copies.min()) < 0 else None
    called = np.full(len(rows), rows.shape[1])
    if missing is not None:
        rows[missing] = 0
        called -= missing.sum(axis=1)
    # Sums of whole numbers below 2^24 are exact.
    total, squares = rows.sum(axis=1), np.einsum("ij,ij->i", rows, rows)
    mean = total.astype(np.float64) / np.maximum(called, 1)
    about = squares - mean * total
    varies = about > _UNVARIED
    scale = np.where(varies, 1 / np.sqrt(np.where(varies, about, 1.0)), 0.0)
    rows -= mean[:, None].astype(np.float32)
    rows *= scale[:, None].astype(np.float32)
    if missing is not None:
        rows[missing] = 0
    return rows
