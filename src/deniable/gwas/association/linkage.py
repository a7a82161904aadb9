"""Variants that carry their own information: pruning by linkage disequilibrium."""

from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.genotypes import MISSING

# --- Genotypes of a block of variants, and which of two blocks are linked: exact decisions.
#
# A product of whole blocks gives r of every pair at once, with a known error. Pairs that are
# nearer to the bound than that are decided in whole numbers.


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
        genotype_counts = _counts(copies) if counts is None else counts
        known = genotype_counts[:, :MISSING].astype(np.int64)
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

    def take(self, which: slice | NDArray[np.integer] | NDArray[np.bool_]) -> "Genotypes":
        """These variants only."""
        return Genotypes(self.values[which], self.sums[which], self.measures[which])

    @property
    def varies(self) -> NDArray[np.bool_]:
        """Whether known calls differ."""
        return np.asarray(self.measures[:, 1] > 0)


def find_linked_pairs(ones: Genotypes, others: Genotypes, r_squared: float) -> NDArray[np.bool_]:
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
    is_linked = r >= root
    for one, other in np.argwhere(np.abs(r - root) <= _error(ones, others)).tolist():
        is_linked[one, other] = _exactly(
            ones.take(slice(one, one + 1)), others.take(slice(other, other + 1)), r_squared
        )
    return np.asarray(is_linked)


def _error(ones: Genotypes, others: Genotypes) -> float:
    """How far an r of any pair is from the truth, at most."""
    people = ones.values.shape[1]
    _, scale, length, holes = (each.max(initial=0.0) for each in ones.measures.T)
    _, its_scale, its_length, its_holes = (each.max(initial=0.0) for each in others.measures.T)
    lengths = float(length * its_length)
    # Without missing calls products are sums of whole numbers, which are exact. Otherwise any order
    # of summation errs by at most n units of rounding of Σ |x y|, which is at most the product of
    # the lengths (Cauchy), and the mean that stands for a missing call is rounded itself.
    exact = people < _WHOLE_32 and not holes and not its_holes
    single = 0.0 if exact else (people + 4) * _UNIT_32 * lengths
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
    deviations = np.rint(called * one.values[0].astype(np.float64) - total)
    kind = np.int64 if len(deviations) < _WHOLE_64 else object
    return called * (called * squares - total**2), deviations.astype(np.int64).astype(kind)


def _counts(copies: NDArray[np.int8]) -> NDArray[np.int64]:
    """Individuals with 0, 1, 2 copies and missing; (n_variants, 4)."""
    return np.stack([np.count_nonzero(copies == code, axis=1) for code in (0, 1, 2, -1)], axis=1)


# --- Variants that carry their own information: pruning by linkage disequilibrium.


WINDOW = 64
"""How many kept variants of the same chromosome a variant is compared with. PLINK is customarily
told to look at 50 variants, kept or not."""
_BLOCK = 64
"""Variants that are compared with each other in one product, and chosen among by the bits of a
word; no more than `WINDOW`, so that none leaves the window before its block ends."""
_FIRST = 8
"""Variants of a block that the window is asked about at once; 0 to 20 take equally long."""
_CAPACITY = 4 * WINDOW
"""Kept variants that have a place: so many that the window is seldom moved, in variants."""


class Pruning:
    """A greedy choice, in file order, of variants with pairwise r² below a bound.

    r is the correlation of genotypes over the individuals given, a missing call at its variant's
    mean, and the bound is met or not in whole numbers. A variant is compared with the last `WINDOW`
    kept ones of its chromosome: linkage fades. Whatever is left out is explained by something
    kept. PLINK's ``--indep-pairwise`` drops the rarer of each linked pair, whether or not the other
    one stays, and so keeps fewer: of 6,000 simulated variants at r² < .1 it kept 1,027 and this
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
    >>> pruning.keep(["1", "1", "1"], Genotypes.of(genotypes)).tolist()
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

    def keep(self, chromosomes: Sequence[str], genotypes: Genotypes) -> NDArray[np.bool_]:
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
            kept[start:stop] = self._next(genotypes.take(slice(start, stop)), self._window)
            start = stop
        return kept

    def _next(self, block: Genotypes, recent: "_Window") -> NDArray[np.bool_]:
        """Of at most `_BLOCK` variants of the window's chromosome."""
        window = recent.last()
        neighbours = _words(find_linked_pairs(block, block, self._bound))
        possible, ages = block.varies, [WINDOW] * len(block)
        # Neighbours explain most variants: the window is asked only about those that would stay,
        # and the first ones, whose neighbours it holds. Where it explains one, the choice among
        # its neighbours is made again without it.
        kept = _first_come(possible, neighbours, ages)
        new = kept.copy()
        new[:_FIRST] = possible[:_FIRST]
        compared = np.zeros(len(block), bool)
        while len(window) and new.any():
            compared |= new
            new_ages = self._ages(block.take(new), window)
            for index, age in zip(np.flatnonzero(new).tolist(), new_ages, strict=True):
                ages[index] = age
            kept = _first_come(possible, neighbours, ages)
            new = kept & ~compared
        recent.hold(block.take(kept))
        return kept

    def _ages(self, block: Genotypes, window: Genotypes) -> list[int]:
        """How many were kept after the latest one of the window that explains each; else WINDOW."""
        explains = np.ones((len(block), WINDOW + 1), bool)
        explains[:, len(window) : WINDOW] = False
        explains[:, : len(window)] = find_linked_pairs(block, window, self._bound)[:, ::-1]
        ages: list[int] = explains.argmax(axis=1).tolist()
        return ages


class _Window:
    """The last kept variants, in one place that is seldom moved."""

    def __init__(self, like: Genotypes) -> None:
        self._places = Genotypes(
            *(np.empty((_CAPACITY, part.shape[1]), part.dtype) for part in _parts(like))
        )
        self._length = 0

    def last(self) -> Genotypes:
        """At most `WINDOW` of them, the latest one last."""
        return self._places.take(slice(max(self._length - WINDOW, 0), self._length))

    def hold(self, kept: Genotypes) -> None:
        """Put these behind the others, which move to the front where there is no room."""
        last = self.last()
        move = self._length + len(kept) > _CAPACITY
        start = len(last) if move else self._length
        for place, old, new in zip(*map(_parts, (self._places, last, kept)), strict=True):
            if move:
                place[: len(last)] = old.copy()
            place[start : start + len(kept)] = new
        self._length = start + len(kept)

    def clear(self) -> None:
        """Forget all of them."""
        self._length = 0


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
    kept_bits, kept = 0, list[int]()
    for index in np.flatnonzero(possible).tolist():
        # Each one that was chosen since pushes another one out of the window.
        if not neighbours[index] & kept_bits and ages[index] + len(kept) >= WINDOW:
            kept_bits |= 1 << index
            kept.append(index)
    stay = np.zeros(len(possible), bool)
    stay[kept] = True
    return stay


def _words(bits: NDArray[np.bool_]) -> list[int]:
    """Each row of at most `_BLOCK` bits as a number."""
    padded = np.zeros((len(bits), _BLOCK), bool)
    padded[:, : bits.shape[1]] = bits
    words: list[int] = np.packbits(padded, axis=1, bitorder="little").view("<u8")[:, 0].tolist()
    return words
