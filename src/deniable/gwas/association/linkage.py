"""Variants that carry their own information: pruning by linkage disequilibrium."""

import contextlib
import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.genotypes import MISSING

_numkong: Any = None
with contextlib.suppress(ImportError):  # an extra
    import numkong

    _numkong = numkong

# --- Genotypes of a block of variants, and which of two blocks are linked: exact decisions.
#
# A product of whole blocks gives r of every pair at once, with a known error. Pairs that are
# nearer to the bound than that are decided in whole numbers. Products are NumPy's, of numbers about
# the mean in float32, or numkong's, of the copies themselves, a byte each, where the processor
# multiplies bytes. The only place that imports numkong.


_PROCESSORS = ("alder", "icelake", "neonsdot", "sapphireamx")
"""By numkong's names, those that add products of bytes in one instruction. On others float32 is as
fast."""
_TRIAL = (np.arange(5 * 1031) % 4 - 1).astype(np.int8).reshape(5, -1)
"""Copies and missing calls of more people than a register holds, whose product is compared once."""


def _multiplies_bytes() -> bool:
    """Whether there is a numkong whose products of bytes are fast and right on this processor."""
    if not (_numkong and any(map(_numkong.get_capabilities().get, _PROCESSORS))):
        return False
    exact = _TRIAL.astype(np.int64) @ _TRIAL.T
    return np.array_equal(multiply_bytes(_TRIAL, _TRIAL), exact)


def multiply_bytes(ones: NDArray[np.int8], others: NDArray[np.int8]) -> NDArray[np.int32]:
    """Σ x y of each pair of rows of `ones` and `others`, exact, where `multiplies_bytes`."""
    return np.asarray(_numkong.dots_packed(ones, _numkong.dots_pack(others)))


BYTES = _multiplies_bytes()
"""Whether products are of bytes."""
_COPIES = np.arange(3)
_UNIT_32, _UNIT_64 = 2.0**-24, 2.0**-53
"""Relative errors of one rounding in float32 and float64."""
_ROUNDINGS = 16
"""Roundings in float64 between a product in float32 and r, at most; there are nine."""
_ROUNDINGS_OF_COPIES = 128
"""Roundings of one between sums of whole copies and r, in units of a person's, at most: up to 72
of the four sums, none of which passes 4 n, and 10 of r."""
_WHOLE_32 = 2**24
"""Whole numbers up to here are exact in float32."""
_WHOLE_64 = 2**20
"""People up to whom a sum of products of two whole deviations, at most 4 n³, fits 64 bits."""


@attrs.frozen
class Genotypes:
    """Copies of an allele, ready for products.

    Parameters
    ----------
    values : ndarray of int8 or float32, shape (n_variants, n_individuals)
        For products of bytes the copies, −1 where missing. Otherwise copies less the whole number
        that is nearest to their mean; the mean's own where missing.
    sums : ndarray of int64, shape (n_variants, 3)
        Known calls, and the sum of their values and of the squares of these.
    measures : ndarray of float64, shape (n_variants, 4)
        The mean value; one divided by the root of the sum of squares about it, 0 where a variant
        does not vary; the length of the row in units of that root; how many calls are missing.
    """

    values: NDArray[Any]
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
        >>> block.measures[:, 3].tolist(), block.varies.tolist()
        ([1.0, 0.0], [True, True])
        """
        genotype_counts = _counts(copies) if counts is None else counts
        known = genotype_counts[:, :MISSING].astype(np.int64)
        called, people = known.sum(axis=1), copies.shape[1]
        middle = np.zeros(len(copies), np.int8)
        if not multiplies_bytes():
            middle = np.rint(known @ _COPIES / np.maximum(called, 1)).astype(np.int8)
        about = _COPIES - middle[:, None]
        total, squares = (known * about).sum(axis=1), (known * about**2).sum(axis=1)
        mean = total / np.maximum(called, 1)
        holes = people - called
        values: NDArray[Any] = np.ascontiguousarray(copies, np.int8)
        if not multiplies_bytes():
            values = (copies - middle[:, None]).astype(np.float32)
            if holes.any():
                values[copies < 0] = np.repeat(mean, holes)
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
    r = _covariances(ones, others)
    r *= ones.measures[:, 1:2]
    r *= others.measures[:, 1]
    return np.asarray(np.abs(r, out=r))


def _covariances(ones: Genotypes, others: Genotypes) -> NDArray[np.float64]:
    """Σ (x − x̄)(y − ȳ) of each pair, over calls that both have."""
    mean, its_mean = ones.measures[:, :1], others.measures[:, 0]
    if ones.values.dtype != np.int8:
        sums = (ones.values @ others.values.T).astype(np.float64)
    elif ones.measures[:, 3].any() or others.measures[:, 3].any():
        own = _copies_and_calls(ones)
        its = own if others is ones else _copies_and_calls(others)
        four = multiply_bytes(own, its).reshape(2, len(ones), 2, len(others)).swapaxes(1, 2)
        (both, copies), (its_copies, calls) = four.astype(np.float64)
        sums = both - mean * its_copies - copies * its_mean + mean * its_mean * calls
        return np.asarray(sums)
    else:
        sums = multiply_bytes(ones.values, others.values).astype(np.float64)
    # Without missing calls, and where the mean stands for them, everybody counts.
    sums -= ones.values.shape[1] * mean * its_mean
    return np.asarray(sums)


def _copies_and_calls(block: Genotypes) -> NDArray[np.int8]:
    """Rows of copies, 0 where missing; and below them as many of calls, 1 where there is one."""
    both = np.empty((2, *block.values.shape), np.int8)
    np.maximum(block.values, 0, out=both[0])
    np.greater_equal(block.values, 0, out=both[1].view(np.bool_))
    return both.reshape(-1, both.shape[2])


def multiplies_bytes() -> bool:
    """Whether products are of bytes."""
    return BYTES


def _error(ones: Genotypes, others: Genotypes) -> float:
    """How far an r of any pair is from the truth, at most."""
    people = ones.values.shape[1]
    _, scale, length, holes = ones.measures.max(axis=0, initial=0.0).tolist()
    _, its_scale, its_length, its_holes = others.measures.max(axis=0, initial=0.0).tolist()
    scales, lengths = people * scale * its_scale, length * its_length
    if ones.values.dtype == np.int8:
        return float(_ROUNDINGS_OF_COPIES * _UNIT_64 * (scales + 1))
    # Without missing calls products are sums of whole numbers, which are exact. Otherwise any order
    # of summation errs by at most n units of rounding of Σ |x y|, which is at most the product of
    # the lengths (Cauchy), and the mean that stands for a missing call is rounded itself.
    exact = people < _WHOLE_32 and not holes and not its_holes
    single = 0.0 if exact else (people + 4) * _UNIT_32 * lengths
    double = _ROUNDINGS * _UNIT_64 * (lengths + scales + 1)
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
    values = one.values[0].astype(np.float64)
    if one.values.dtype == np.int8:
        values[values < 0] = total / max(called, 1)
    deviations = np.rint(called * values - total)
    kind = np.int64 if len(deviations) < _WHOLE_64 else object
    return called * (called * squares - total**2), deviations.astype(np.int64).astype(kind)


def _counts(copies: NDArray[np.int8]) -> NDArray[np.int64]:
    """Individuals with 0, 1, 2 copies and missing; (n_variants, 4)."""
    return np.stack([np.count_nonzero(copies == code, axis=1) for code in (0, 1, 2, -1)], axis=1)


# --- Variants that carry their own information: pruning by linkage disequilibrium.


WINDOW = 64
"""How many kept variants of the same chromosome a variant is compared with. PLINK is customarily
told to look at 50 variants, kept or not."""
_BLOCK, _BLOCK_OF_BYTES = 64, 128
"""Variants that are compared with each other in one product: of some thousands of people, as many
as the cache of a core has room for in float32; and more of bytes, as pairs cost less than calls."""

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
            most = _BLOCK_OF_BYTES if genotypes.values.dtype == np.int8 else _BLOCK
            pieces = -(-(stop - start) // most)
            cuts = [start + (stop - start) * i // pieces for i in range(pieces + 1)]
            for first, last in itertools.pairwise(cuts):
                block = genotypes.take(slice(first, last))
                kept[:, first:last] = self._next(block, self._recent)
            start = stop
        return kept

    def _next(self, block: Genotypes, recent: "_Recent") -> NDArray[np.bool_]:
        """Of a few variants of the chromosome at hand."""
        every = np.arange(len(block))
        among, window = _Compared(block, block), _Compared(block, recent.genotypes)
        among.add(every, every)
        kept = np.zeros((len(self._bounds), len(block)), bool)
        possible, compared_columns = (
            np.flatnonzero(block.varies),
            np.zeros(len(recent.genotypes), bool),
        )
        stepwise = block.values.dtype != np.int8
        if not stepwise:  # products of bytes cost less than asking
            columns = np.unique(np.concatenate(recent.windows))
            window.add(every, columns)
            compared_columns[columns] = True
        for level, bound in enumerate(self._bounds):
            columns = recent.windows[level]
            # What stayed at the levels before was compared with all of their windows.
            remaining = columns[~compared_columns[columns]]
            neighbours = _words(among.find_linked(possible, possible, bound))
            if level or not stepwise:
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
        own = self._ones.take(rows)
        alike = self._ones is self._others and ones is others
        self._r[place] = _r(own, own if alike else self._others.take(columns))

    def find_linked(
        self, ones: NDArray[np.intp], others: NDArray[np.intp], r_squared: float
    ) -> NDArray[np.bool_]:
        """Which pairs have r² of the bound or more; (n_ones, n_others)."""
        rows, columns = (_as_slice(each, waste=1) for each in (ones, others))
        r, root = self._r[rows][:, columns], np.sqrt(r_squared)
        linked = np.asarray(r >= root - self._error)
        near = linked & (r <= root + self._error)
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
        capacity = levels * WINDOW + 2 * max(_BLOCK, _BLOCK_OF_BYTES)
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


def _as_slice(which: NDArray[np.intp], waste: float = _WASTE) -> slice | NDArray[np.intp]:
    """The same places, and few between them, as a slice, which copies nothing; or else these."""
    span = int(which[-1] - which[0]) + 1 if len(which) else 0
    return slice(int(which[0]), int(which[-1]) + 1) if 0 < span <= waste * len(which) else which


def _ages(linked: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many were kept after the latest one of a window that explains each; else WINDOW."""
    if not linked.shape[1]:
        return np.full(len(linked), WINDOW)
    backwards = linked[:, ::-1]
    age = backwards.argmax(axis=1)
    return np.where(backwards[np.arange(len(age)), age], age, WINDOW)


def _first_come(neighbours: list[bytes], ages: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Of variants in order, those that neither a chosen one nor the window explains.

    Parameters
    ----------
    neighbours : list of bytes, length n
        Those that each is linked with, a bit each; empty where there are none.
    ages : ndarray of int, shape (n,)
        How many were kept after the latest one of the window that explains each.
    """
    if not any(neighbours) and (ages == WINDOW).all():
        return np.ones(len(neighbours), bool)
    free, old, kept = (1 << len(neighbours)) - 1, ages.tolist(), list[int]()
    number = 0
    while free:
        index = (free & -free).bit_length() - 1
        free &= free - 1
        # Each one that was chosen since pushes another one out of the window.
        if old[index] + number < WINDOW:
            continue
        kept.append(index)
        number += 1
        if neighbours[index]:
            free &= ~int.from_bytes(neighbours[index], "little")
        if number > WINDOW and neighbours[kept[-WINDOW - 1]]:
            forgotten = int.from_bytes(neighbours[kept[-WINDOW - 1]], "little")
            again = forgotten >> (index + 1) << (index + 1)
            for other in kept[-WINDOW:] if again else ():
                again &= ~int.from_bytes(neighbours[other], "little")
            free |= again
    stay = np.zeros(len(neighbours), bool)
    stay[kept] = True
    return stay


def _words(linked: NDArray[np.bool_]) -> list[bytes]:
    """Whom each row is linked with beside itself, packed in bits, the first one the lowest."""
    np.fill_diagonal(linked, False)
    packed = np.packbits(linked, axis=1, bitorder="little")
    every, width = packed.tobytes(), packed.shape[1]
    words = [b""] * len(packed)
    for row in np.flatnonzero(packed.any(axis=1)).tolist():
        words[row] = every[row * width : (row + 1) * width]
    return words
