"""Variants that carry their own information: pruning by linkage disequilibrium."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.gwas.association.linked import Genotypes, linked

WINDOW = 64
"""How many kept variants of the same chromosome a variant is compared with. PLINK is customarily
told to look at 50 variants, kept or not."""
_BLOCK = 64
"""Variants that are compared with each other in one product, and chosen among by the bits of a
word; no more than `WINDOW`, so that none leaves the window before its block ends."""
_FIRST = 8
"""Variants of a block that the window is asked about at once; 0 to 20 take equally long."""
_HELD = 4 * WINDOW
"""Kept variants that have a place: so many that the window is seldom moved, in variants."""


class Pruning:
    """A greedy choice, in file order, of variants with pairwise r² below a bound.

    r is the correlation of genotypes over the individuals given, a missing call at its variant's
    mean, and the bound is met or not in whole numbers. A variant is compared with the last `WINDOW`
    kept ones of its chromosome: linkage fades. Whatever is left out is explained by something
    kept. PLINK's ``--indep-pairwise`` drops the rarer of each linked pair, whether or not the other
    one stays, and so keeps fewer: of 6,000 made-up variants at r² < .1 it kept 1,027 and this
    1,749, and of the 4,937 that it left out 1,280 had no kept neighbour within 50 variants that
    explains them.

    Parameters
    ----------
    r_squared : float
        The bound, in (0, 1]; 1 keeps everything that varies.

    Examples
    --------
    >>> pruning = Pruning(0.1)
    >>> genotypes = np.array([[0, 1, 2, 1], [0, 1, 2, 1], [1, 0, 1, 2]], np.int8)
    >>> pruning.kept(["1", "1", "1"], Genotypes.of(genotypes)).tolist()
    [True, False, True]
    """

    def __init__(self, r_squared: float) -> None:
        self._bound = r_squared
        self._chromosome: str | None = None
        self._window: _Window | None = None

    @property
    def keeps_all(self) -> bool:
        """Whether every variant that varies is kept."""
        return self._bound == 1

    def kept(self, chromosomes: Sequence[str], genotypes: Genotypes) -> NDArray[np.bool_]:
        """Which variants of the next block stay; how the file is cut into blocks changes nothing.

        Parameters
        ----------
        chromosomes : list of str, length n_variants
            Where each lies; variants of one chromosome follow each other.
        genotypes : Genotypes
            Of the same individuals each time.

        Returns
        -------
        ndarray of bool, shape (n_variants,)
        """
        if self.keeps_all:
            return genotypes.varies
        kept = np.zeros(len(genotypes), bool)
        start = 0
        while start < len(genotypes):
            chromosome, stop = chromosomes[start], start + 1
            while stop < min(start + _BLOCK, len(genotypes)) and chromosomes[stop] == chromosome:
                stop += 1
            if self._window is None:
                self._window = _Window(genotypes)
            if chromosome != self._chromosome:
                self._chromosome = chromosome
                self._window.clear()
            kept[start:stop] = self._next(genotypes.taken(slice(start, stop)), self._window)
            start = stop
        return kept

    def _next(self, block: Genotypes, held: "_Window") -> NDArray[np.bool_]:
        """Of at most `_BLOCK` variants of the window's chromosome."""
        window = held.last()
        neighbours = _words(linked(block, block, self._bound))
        possible, ages = block.varies, [WINDOW] * len(block)
        # Neighbours explain most variants: the window is asked only about those that would stay,
        # and the first ones, whose neighbours it holds. Where it explains one, the choice among
        # its neighbours is made again without it.
        kept = _first_come(possible, neighbours, ages)
        new = kept.copy()
        new[:_FIRST] = possible[:_FIRST]
        asked = np.zeros(len(block), bool)
        while len(window) and new.any():
            asked |= new
            found = self._ages(block.taken(new), window)
            for index, age in zip(np.flatnonzero(new).tolist(), found, strict=True):
                ages[index] = age
            kept = _first_come(possible, neighbours, ages)
            new = kept & ~asked
        held.hold(block.taken(kept))
        return kept

    def _ages(self, block: Genotypes, window: Genotypes) -> list[int]:
        """How many were kept after the latest one of the window that explains each; else WINDOW."""
        explains = np.ones((len(block), WINDOW + 1), bool)
        explains[:, len(window) : WINDOW] = False
        explains[:, : len(window)] = linked(block, window, self._bound)[:, ::-1]
        ages: list[int] = explains.argmax(axis=1).tolist()
        return ages


class _Window:
    """The last kept variants, in one place that is seldom moved."""

    def __init__(self, like: Genotypes) -> None:
        self._places = Genotypes(
            *(np.empty((_HELD, part.shape[1]), part.dtype) for part in _parts(like))
        )
        self._held = 0

    def last(self) -> Genotypes:
        """At most `WINDOW` of them, the latest one last."""
        return self._places.taken(slice(max(self._held - WINDOW, 0), self._held))

    def hold(self, kept: Genotypes) -> None:
        """Put these behind the others, which move to the front where there is no room."""
        last = self.last()
        move = self._held + len(kept) > _HELD
        start = len(last) if move else self._held
        for place, old, new in zip(*map(_parts, (self._places, last, kept)), strict=True):
            if move:
                place[: len(last)] = old.copy()
            place[start : start + len(kept)] = new
        self._held = start + len(kept)

    def clear(self) -> None:
        """Forget all of them."""
        self._held = 0


def _parts(genotypes: Genotypes) -> tuple[NDArray[np.generic], ...]:
    return genotypes.values, genotypes.sums, genotypes.measures


def _first_come(
    possible: NDArray[np.bool_], neighbours: list[int], ages: list[int]
) -> NDArray[np.bool_]:
    """Of possible ones, in order, those that neither a chosen one nor the window explains.

    Parameters
    ----------
    possible : ndarray of bool, shape (n,)
        Which may stay.
    neighbours : list of int, length n
        Those that each is linked with, a bit each.
    ages : list of int, length n
        How many were kept after the latest one of the window that explains each.
    """
    chosen, found = 0, list[int]()
    for index in np.flatnonzero(possible).tolist():
        # Each one that was chosen since pushes another one out of the window.
        if not neighbours[index] & chosen and ages[index] + len(found) >= WINDOW:
            chosen |= 1 << index
            found.append(index)
    stay = np.zeros(len(possible), bool)
    stay[found] = True
    return stay


def _words(bits: NDArray[np.bool_]) -> list[int]:
    """Each row of at most `_BLOCK` bits as a number."""
    whole = np.zeros((len(bits), _BLOCK), bool)
    whole[:, : bits.shape[1]] = bits
    words: list[int] = np.packbits(whole, axis=1, bitorder="little").view("<u8")[:, 0].tolist()
    return words
