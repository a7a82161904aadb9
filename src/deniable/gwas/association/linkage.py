"""Variants that carry their own information: pruning by linkage disequilibrium."""

import functools
import itertools
import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas import products
from deniable.gwas.genotypes import MISSING, Floats

# A product of whole blocks gives r of every pair at once, with a known error. Pairs that are
# nearer to the bound than that are decided in whole numbers. Products are NumPy's, of numbers about
# the mean in float32, or numkong's, of whole numbers of a byte, where the processor multiplies
# bytes.


_POWERS = np.array([[0, 0], [1, 1], [2, 4]])
"""The first and the second power of 0, 1 and 2 copies."""
_UNITS = 63
"""Units in a copy, at most: those of two copies fit a byte with a sign."""
_UNIT_32, _UNIT_64 = 2.0**-24, 2.0**-53
"""Relative errors of one rounding in float32 and float64."""
_ROUNDINGS = 32
"""Roundings in float64 between a product and r, at most; there are less than twenty."""
_WHOLE_32 = 2**24
"""Whole numbers up to here are exact in float32."""
_WHOLE_64 = 2**20
"""People up to whom a sum of products of two whole deviations, at most 4 n³, fits 64 bits."""


@attrs.frozen
class Genotypes:
    """Copies of an allele, ready for products.

    Copies are 0, 1, 2; −1 where missing, (n_variants, n_individuals). Values are, for products of
    bytes, the copies, where calls are missing `in_units` of which a whole number is near the mean,
    and that number where missing. Otherwise copies less the whole number that is nearest to their
    mean; the mean's own where missing. Measures, (n_variants, 9), are: the mean of all values; one
    divided by the root of the sum of squares of known ones about their mean, 0 where a variant does
    not vary; two lengths in units of that root, of the row and of what stands for missing calls
    about the mean; how many calls are missing; the sum of the copies of known ones and of their
    squares; and units in a copy and in a missing call.
    """

    copies: NDArray[np.int8]
    values: NDArray[Any]
    measures: Floats

    @classmethod
    def of(cls, copies: NDArray[np.int8], counts: NDArray[np.integer] | None = None) -> "Genotypes":
        """Take copies of an allele, with their counts, (n_variants, 4), where these are known.

        Examples
        --------
        >>> block = Genotypes.of(np.array([[0, 1, 2, -1], [2, 2, 2, 1]], np.int8))
        >>> block.measures[:, 4].tolist(), block.varies.tolist()
        ([1.0, 0.0], [True, True])
        """
        copies = np.ascontiguousarray(copies, np.int8)
        if counts is None:
            # The bits of a missing call are all set, as in −1.
            code = copies.view(np.uint8)
            some, two, missing = (
                np.bitwise_count(np.packbits(code & bits, axis=1)).sum(axis=1, dtype=np.int64)
                for bits in (0xFF, 2, 0x80)
            )
            counts = np.stack([copies.shape[1] - some, some - two, two - missing], axis=1)
        known = counts[:, :MISSING].astype(np.int64)
        called, people = known.sum(axis=1), copies.shape[1]
        total, squares = (known @ _POWERS).T
        some, holes = np.maximum(called, 1), people - called
        # Σ (x - m)² = (k Σ x² - (Σ x)²) / k, the numerator in whole numbers.
        about_mean = (called * squares - total**2) / some
        scale = 1 / np.sqrt(np.where(about_mean > 0, about_mean, np.inf))
        values: NDArray[Any] = copies
        unit, stand_in = np.ones_like(called), np.zeros_like(called)
        mean, of_values, away = total / some, squares, np.zeros_like(scale)
        if not products.BYTES:
            middle = np.rint(mean).astype(np.int64)
            mean = (total - middle * called) / some
            values = (copies - middle.astype(np.int8)[:, None]).astype(np.float32)
            if holes.any():
                values[copies < 0] = np.repeat(mean, holes)
            of_values = squares - 2 * middle * total + middle**2 * called + holes * mean**2
        elif holes.any():
            # Of each mean whole u and z with z / u near to it; sums of products fit 32 bits.
            most = min(_UNITS, math.isqrt((2**31 - 1) // max(people, 1)) // 2)
            units = np.arange(1, max(2, most + 1))
            nearest = np.rint(mean[:, None] * units)
            best = np.abs(nearest / units - mean[:, None]).argmin(axis=1)
            unit, stand_in = units[best], nearest[np.arange(len(mean)), best].astype(np.int64)
            unit[holes == 0] = 1
            scale /= unit
            away = (np.abs(stand_in - unit * mean) + 2.0**-40) * np.sqrt(holes) * scale
            mean = (unit * total + holes * stand_in) / people
            of_values = unit**2 * squares + holes * stand_in**2
        length = np.sqrt(of_values) * scale
        measures = [mean, scale, length, away, holes, total, squares, unit, stand_in]
        return cls(copies, values, np.stack(measures, axis=1, dtype=np.float64))

    def __len__(self) -> int:
        return len(self.values)

    def take(self, which: slice | NDArray[np.integer] | NDArray[np.bool_]) -> "Genotypes":
        """These variants only."""
        return Genotypes(self.copies[which], self.values[which], self.measures[which])

    def in_units(self) -> "Genotypes":
        """Ready for products of bytes; of few variants at once, so that memory is used again."""
        if self.values.dtype != np.int8 or not self.measures[:, 4].any():
            return self
        unit, stand_in = self.measures[:, 7:].T.astype(np.int8)[:, :, None]
        # Modulo 256: −1 is a unit too few.
        values = unit * self.copies + (stand_in + unit) * (self.copies < 0).view(np.int8)
        return Genotypes(self.copies, values, self.measures)

    @property
    def parts(self) -> tuple[NDArray[Any], ...]:
        """The arrays, a row a variant."""
        return self.copies, self.values, self.measures

    @property
    def varies(self) -> NDArray[np.bool_]:
        """Whether known calls differ."""
        return np.asarray(self.measures[:, 1] > 0)


class _Compared:
    """|r| of each of some variants with each of a block, and of the block's own with each other.

    Means and sums of squares are over the known calls of each variant, and a missing call is at its
    variant's mean. r with a variant that does not vary is 0.
    """

    def __init__(self, before: Genotypes, block: Genotypes) -> None:
        self._before, self._block = before, block
        measures = np.concatenate([before.measures, block.measures])
        mean, scale, *_ = columns = np.ascontiguousarray(measures.T)
        people, its = block.values.shape[1], slice(len(before), None)
        # Σ x y of each pair of values; of bytes exact.
        if block.values.dtype == np.int8:
            numkong = products.NUMKONG
            packed = numkong.dots_pack(block.values)
            parts = [np.asarray(numkong.dots_packed(e.values, packed)) for e in (before, block)]
        else:
            parts = [each.values @ block.values.T for each in (before, block)]
        r = np.concatenate(parts, dtype=np.float64)
        r -= np.multiply.outer(people * mean, mean[its])
        r *= scale[:, None]
        r *= scale[its]
        self.r = np.abs(r, out=r)
        """Shape (n_before + n_block, n_block)."""
        self.error = _error(columns, its, people, exact=block.values.dtype == np.int8)
        """How far r is from the truth, at most."""

    def find_linked(self, r_squared: float) -> NDArray[np.bool_]:
        """Which pairs have r² of the bound or more; shaped like `r`."""
        root = np.sqrt(r_squared)
        linked, surely = self.r >= root - self.error, self.r > root + self.error
        if np.count_nonzero(linked) > np.count_nonzero(surely):
            bound, deviations = Fraction(r_squared), functools.cache(self._deviations)
            for row, column in np.argwhere(linked & ~surely).tolist():
                # In whole numbers; r with a variant that does not vary is 0.
                (first, x), (second, y) = deviations(row), deviations(len(self._before) + column)
                product, squares = int(x @ y) ** 2, first * second
                far = product * bound.denominator >= squares * bound.numerator
                linked[row, column] = far if squares else bound <= 0
        return np.asarray(linked)

    def _deviations(self, row: int) -> tuple[int, NDArray[Any]]:
        """k (x − x̄) in whole numbers, k the known calls, 0 where missing; and sum of squares."""
        inside = row - len(self._before)
        block, row = (self._before, row) if inside < 0 else (self._block, inside)
        holes, total, squares = (int(each) for each in block.measures[row, 4:7])
        copies = block.copies[row]
        called = len(copies) - holes
        kind = np.int64 if len(copies) < _WHOLE_64 else object
        deviations = np.where(copies < 0, 0, called * copies.astype(np.int64) - total)
        return called * (called * squares - total**2), deviations.astype(kind)


def _error(measures: Floats, block: slice, people: int, *, exact: bool) -> Floats | float:
    """How far an r of any pair is from the truth, at most; exact where products are of bytes."""
    _, scale, length, away, holes, *_ = measures.max(axis=1, initial=0.0).tolist()
    scales, lengths = people * scale**2, length**2
    # Without missing calls products are sums of whole numbers, which are exact, and those of bytes
    # always are. Otherwise any order of summation errs by at most n units of rounding of Σ |x y|,
    # which is at most the product of the lengths (Cauchy), and the mean that stands for a missing
    # call is rounded itself.
    exact = exact or (people < _WHOLE_32 and not holes)
    single = 0.0 if exact else (people + 4) * _UNIT_32 * lengths
    error = single + _ROUNDINGS * _UNIT_64 * (lengths + scales + 1)
    if not away:
        return float(error)
    # With a and b the rows of what stands for missing calls about the mean, and x and y the others,
    # x b + a y + a b are too much, and as much as a b is lost as means are of all values (Cauchy).
    own, its = measures[3][:, None], measures[3, block]
    return np.asarray(error + own + its + 2 * own * its)


WINDOW = 64
"""How many kept variants of the same chromosome a variant is compared with. PLINK is customarily
told to look at 50 variants, kept or not."""
_BLOCK = WINDOW
"""Variants that are compared with the window and each other in one product: no more, as then none
of them leaves the window before the last one has been looked at."""
_WASTE = 1.3
"""Variants that are compared for one that is in a window."""


class Pruning:
    """A greedy choice, in file order, of variants with pairwise r² below a bound; 1 keeps all.

    r is the correlation of genotypes over the individuals given, a missing call at its variant's
    mean, and the bound is met or not in whole numbers. A variant is compared with the last `WINDOW`
    kept ones of its chromosome: linkage fades. Whatever is left out is explained by something kept.
    PLINK's ``--indep-pairwise`` drops the rarer of each linked pair, whether or not the other one
    stays, and so keeps fewer: of 6,000 simulated variants at r² < 0.1 it kept 1,027 and this 1,749,
    and of the 4,937 that it left out 1,280 had no kept neighbour within 50 variants that explains
    them.

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

        Variants of one chromosome follow each other; the individuals are the same each time.
        """
        if self.keeps_all:
            return genotypes.varies
        return self._levels.keep(chromosomes, genotypes).reshape(-1)


class PruningLevels:
    """`Pruning` by several bounds, each of what the one before it keeps; r is computed once.

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
        """Which variants of the next block stay at each level; (n_levels, n_variants)."""
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
                block = genotypes.take(slice(first, last)).in_units()
                compared, possible = _Compared(self._recent.genotypes, block), block.varies
                own = kept[:, first:last]
                for level, bound in enumerate(self._bounds):
                    window = self._recent.windows[level]
                    possible &= _first_come(compared.find_linked(bound), possible, window)
                    own[level] = possible
                self._recent.append(block, own)
            start = stop
        return kept


class _Recent:
    """The last kept variants of every level, in one place that is seldom moved."""

    def __init__(self, like: Genotypes, levels: int) -> None:
        capacity = levels * WINDOW + 8 * _BLOCK
        self._places = Genotypes(
            *(np.empty((capacity, part.shape[1]), part.dtype) for part in like.parts)
        )
        self._start = self._stop = 0
        self.windows = [np.empty(0, np.intp)] * levels
        """Keep where the last `WINDOW` of each level stand in `genotypes`, the latest one last."""

    @property
    def genotypes(self) -> Genotypes:
        """Return the genotypes of a window, the oldest first."""
        return self._places.take(slice(self._start, self._stop))

    def append(self, block: Genotypes, kept: NDArray[np.bool_]) -> None:
        """Put what the levels keep, (n_levels, n_variants), behind the others."""
        last = [own.nonzero()[0] for own in kept]
        new = _union(last)
        if self._stop + len(new) > len(self._places):
            self._move()
        behind, self._stop = self._stop, self._stop + len(new)
        for place, part in zip(self._places.parts, block.parts, strict=True):
            part.take(new, axis=0, out=place[behind : self._stop], mode="clip")
        behind -= self._start
        self.windows = [
            np.concatenate([window, behind + np.searchsorted(new, own)])[-WINDOW:]
            for window, own in zip(self.windows, last, strict=True)
        ]
        first = min((int(window[0]) for window in self.windows if len(window)), default=0)
        if first:
            self._start += first
            self.windows = [window - first for window in self.windows]
        if self._stop - self._start > _WASTE * len(_union(self.windows)):
            self._move()

    def clear(self) -> None:
        self._start = self._stop = 0
        self.windows = [window[:0] for window in self.windows]

    def _move(self) -> None:
        """Move those that are in a window to the front."""
        live = _union(self.windows)
        for place in self._places.parts:
            place[: len(live)] = place[self._start + live]
        self.windows = [np.searchsorted(live, window) for window in self.windows]
        self._start, self._stop = 0, len(live)


def _union(places: list[NDArray[np.intp]]) -> NDArray[np.intp]:
    return places[0] if len(places) == 1 else np.unique(np.concatenate(places))


def _first_come(
    linked: NDArray[np.bool_], possible: NDArray[np.bool_], window: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Return those of at most `WINDOW` ordered variants that none of the last `WINDOW` explains.

    Each variant before them, and each of them, is linked with some of them; (n_before + n_variants,
    n_variants). The window holds the last chosen ones before them.
    """
    first = len(linked) - len(possible)
    # Each row of at most 64 as a number, whose lowest bit is the first column.
    rows = np.packbits(np.concatenate([possible[None], linked]), axis=1, bitorder="little")
    padded = np.zeros((len(rows), 8), np.uint8)
    padded[:, : rows.shape[1]] = rows
    left, *words = [word for (word,) in padded.view("<u8").tolist()]
    # Each one that is chosen pushes another one out of the window, none of them in turn.
    latest = itertools.accumulate([words[place] for place in window[::-1].tolist()], operator.or_)
    by_window = [0, *latest]
    by_window += by_window[-1:] * (WINDOW - len(window))
    stay, own, number = np.zeros(len(possible), bool), 0, 0
    while free := left & ~(own | by_window[WINDOW - number]):
        index = (free & -free).bit_length() - 1
        stay[index] = True
        own |= words[first + index]
        number += 1
        left &= -2 << index
    return stay
