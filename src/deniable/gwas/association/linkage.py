"""Variants that carry their own information: pruning by linkage disequilibrium."""

import itertools
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
    every = np.arange(len(others))
    compared = _Compared(ones, others)
    compared.add(np.arange(len(ones)), every)
    return compared.find_linked(np.arange(len(ones)), every, r_squared)


def _r(ones: Genotypes, others: Genotypes) -> NDArray[np.float64]:
    """|r| of each pair; no further from the truth than `_error` says."""
    mean, scale = ones.measures[:, :1], ones.measures[:, 1:2]
    # Without missing calls a sum of whole numbers.
    r = (ones.values @ others.values.T).astype(np.float64)
    r -= ones.values.shape[1] * mean * others.measures[:, 0]
    r *= scale
    r *= others.measures[:, 1]
    np.abs(r, out=r)
    return r


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
"""Variants that are compared with each other in one product: of some thousands of people, as many
as the cache of a core has room for, and as a word has bits."""

_FIRST = 8
"""Variants of a block that the window is asked about at once; 0 to 20 take equally long."""
_WASTE = 1.3
"""Variants that are compared for one that is asked for, where that spares a copy of these."""


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
        self._levels = PruningLevels((r_squared,))
        self.keeps_all = r_squared == 1
        """Whether every variant that varies is kept."""

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
        return self._levels.keep(chromosomes, genotypes).reshape(-1)


class PruningLevels:
    """`Pruning` by several bounds, each of what the one before it keeps; r is computed once.

    Parameters
    ----------
    r_squared : tuple of float
        The bounds, in (0, 1), in any order.

    Examples
    --------
    >>> pruning = PruningLevels((0.9, 0.1))
    >>> genotypes = np.array([[0, 1, 2, 1], [0, 1, 2, 2], [0, 1, 2, 1]], np.int8)
    >>> pruning.keep(["1", "1", "1"], Genotypes.of(genotypes)).tolist()
    [[True, True, False], [True, False, False]]
    """

    def __init__(self, r_squared: tuple[float, ...]) -> None:
        self._bounds = r_squared
        self._chromosome: str | None = None
        self._recent: _Recent | None = None

    def keep(self, chromosomes: Sequence[str], genotypes: Genotypes) -> NDArray[np.bool_]:
        """Which variants of the next block stay at each level; (n_levels, n_variants).

        Parameters are those of `Pruning.keep`.
        """
        kept = np.zeros((len(self._bounds), len(genotypes)), bool)
        places, start = np.array(chromosomes), 0
        for stop in [*(np.flatnonzero(places[1:] != places[:-1]) + 1).tolist(), len(places)]:
            if start == stop:
                continue
            if self._recent is None:
                self._recent = _Recent(genotypes, len(self._bounds))
            if chromosomes[start] != self._chromosome:
                self._chromosome = chromosomes[start]
                self._recent.clear()
            pieces = -(-(stop - start) // _BLOCK)
            cuts = [start + (stop - start) * i // pieces for i in range(pieces + 1)]
            for first, last in itertools.pairwise(cuts):
                block = genotypes.take(slice(first, last))
                kept[:, first:last] = self._next(block, self._recent)
            start = stop
        return kept

    def _next(self, block: Genotypes, recent: "_Recent") -> NDArray[np.bool_]:
        """Of at most `_BLOCK` variants of the chromosome at hand."""
        every = np.arange(len(block))
        among, window = _Compared(block, block), _Compared(block, recent.genotypes)
        among.add(every, every)
        kept = np.zeros((len(self._bounds), len(block)), bool)
        possible, compared_columns = (
            np.flatnonzero(block.varies),
            np.zeros(len(recent.genotypes), bool),
        )
        for level, bound in enumerate(self._bounds):
            columns = recent.windows[level]
            # What stayed at the levels before was compared with all of their windows.
            remaining = columns[~compared_columns[columns]]
            neighbours = _words(among.find_linked(possible, possible, bound))
            if level:
                ages = _ages(window.find_linked(possible, columns, bound))
            else:
                ages = np.full(len(possible), WINDOW)
            stay = _first_come(neighbours, ages)
            # Neighbours explain most variants: the window is asked only about those that would
            # stay, and the first ones, whose neighbours it holds. Where it explains one, the
            # choice among its neighbours is made again without it.
            new, compared = stay.copy(), np.zeros(len(possible), bool)
            new[:_FIRST] = True
            while len(remaining) and new.any():
                compared |= new
                window.add(possible[new], remaining)
                ages[new] = _ages(window.find_linked(possible[new], columns, bound))
                stay = _first_come(neighbours, ages)
                new = stay & ~compared
            compared_columns[columns] = True
            possible = possible[stay]
            kept[level, possible] = True
        recent.append(block, kept)
        return kept


class _Compared:
    """r of pairs of variants, as far as they were compared; exact decisions by bounds on r²."""

    def __init__(self, ones: Genotypes, others: Genotypes) -> None:
        self._ones, self._others = ones, others
        self._error = _error(ones, others)
        # r of those that were not compared is taken for 0.
        self._r = np.zeros((len(ones), len(others)))

    def add(self, ones: NDArray[np.intp], others: NDArray[np.intp]) -> None:
        """Compare these, each with each."""
        rows, columns = _as_slice(ones), _as_slice(others)
        every_pair = not isinstance(rows, slice) and not isinstance(columns, slice)
        place = np.ix_(ones, others) if every_pair else (rows, columns)
        self._r[place] = _r(self._ones.take(rows), self._others.take(columns))

    def find_linked(
        self, ones: NDArray[np.intp], others: NDArray[np.intp], r_squared: float
    ) -> NDArray[np.bool_]:
        """Which pairs have r² of the bound or more; (n_ones, n_others)."""
        r, root = self._r[ones].take(others, axis=1), np.sqrt(r_squared)
        linked = np.asarray(r >= root)
        near = np.abs(r - root) <= self._error
        if near.any():
            for row, column in np.argwhere(near).tolist():
                one, other = ones[row], others[column]
                linked[row, column] = _exactly(
                    self._ones.take(slice(one, one + 1)),
                    self._others.take(slice(other, other + 1)),
                    r_squared,
                )
        return linked


class _Recent:
    """The last kept variants of every level, in one place that is seldom moved."""

    def __init__(self, like: Genotypes, levels: int) -> None:
        capacity = levels * WINDOW + 2 * _BLOCK
        self._places = Genotypes(
            *(np.empty((capacity, part.shape[1]), part.dtype) for part in _parts(like))
        )
        self._length = 0
        self.windows = [np.empty(0, np.intp)] * levels
        """Where the last `WINDOW` of each level stand in `genotypes`, the latest one last."""

    @property
    def genotypes(self) -> Genotypes:
        """All that have a place."""
        return self._places.take(slice(self._length))

    def append(self, block: Genotypes, kept: NDArray[np.bool_]) -> None:
        """Put what the levels keep, (n_levels, n_variants), behind the others."""
        last = [np.flatnonzero(own)[-WINDOW:] for own in kept]
        own = np.unique(np.concatenate(last))
        if self._length + len(own) > len(self._places):
            self._move()
        stop = self._length + len(own)
        for place, new in zip(_parts(self._places), _parts(block), strict=True):
            np.take(new, own, axis=0, out=place[self._length : stop], mode="clip")
        self.windows = [
            np.concatenate([window, self._length + np.searchsorted(own, places)])[-WINDOW:]
            for window, places in zip(self.windows, last, strict=True)
        ]
        self._length = stop

    def clear(self) -> None:
        """Forget all of them."""
        self._length = 0
        self.windows = [window[:0] for window in self.windows]

    def _move(self) -> None:
        """To the front, those that are in a window."""
        live = np.unique(np.concatenate(self.windows))
        for place in _parts(self._places):
            place[: len(live)] = place[live]
        self.windows = [np.searchsorted(live, window) for window in self.windows]
        self._length = len(live)


def _parts(genotypes: Genotypes) -> tuple[NDArray[np.generic], ...]:
    return genotypes.values, genotypes.sums, genotypes.measures


def _as_slice(which: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """The same places, and few between them, as a slice, which copies nothing; or else these."""
    span = int(which[-1] - which[0]) + 1 if len(which) else 0
    return slice(int(which[0]), int(which[-1]) + 1) if 0 < span <= _WASTE * len(which) else which


def _ages(linked: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many were kept after the latest one of a window that explains each; else WINDOW."""
    if not linked.shape[1]:
        return np.full(len(linked), WINDOW)
    backwards = linked[:, ::-1]
    age = backwards.argmax(axis=1)
    return np.where(backwards[np.arange(len(age)), age], age, WINDOW)


def _first_come(neighbours: list[int], ages: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Of variants in order, those that neither a chosen one nor the window explains.

    Parameters
    ----------
    neighbours : list of int, length n
        Those that each is linked with, a bit each.
    ages : ndarray of int, shape (n,)
        How many were kept after the latest one of the window that explains each.
    """
    bits, number, kept = 0, 0, list[int]()
    for index, (linked, age) in enumerate(zip(neighbours, ages.tolist(), strict=True)):
        # Each one that was chosen since pushes another one out of the window.
        if not linked & bits and age + number >= WINDOW:
            bits |= 1 << index
            kept.append(index)
            number += 1
            if number > WINDOW:
                bits ^= 1 << kept[-WINDOW - 1]
    stay = np.zeros(len(neighbours), bool)
    stay[kept] = True
    return stay


def _words(bits: NDArray[np.bool_]) -> list[int]:
    """Each row of at most `_BLOCK` bits as a number."""
    packed = np.zeros((len(bits), _BLOCK // 8), np.uint8)
    packed[:, : -(-bits.shape[1] // 8)] = np.packbits(bits, axis=1, bitorder="little")
    words: list[int] = packed.view("<u8")[:, 0].tolist()
    return words
