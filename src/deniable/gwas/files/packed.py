"""Genotypes as PLINK packs them, two bits each: counted and unpacked in blocks of variants.

A genotype is 00 (two copies of allele 1), 01 (missing), 10 (one copy) or 11 (none), the first
individual in the low bits of the first byte. With a group's mask laid over a row three popcounts
say all: of the high bits (one copy or none), of the low bits (missing or none) and of both (none).
Nothing is unpacked.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError
from deniable.gwas.genotypes import Integers
from deniable.gwas.products import CompiledCounts, compile_counts

MAGIC = b"\x6c\x1b"
SNP_MAJOR, INDIVIDUAL_MAJOR = b"\x01", b"\x00"
HEADER = len(MAGIC) + 1
"""Bytes before the first variant: the magic number and the order of the file."""

BLOCK_BYTES = 2**19
"""Rows at once; with one buffer for them they fit the cache of a core, and calls are few."""
WORTH_COMPILING = 2**25
"""Bytes of a file that compiled code counts: to compile takes 0.1 s, as NumPy for 2**27 bytes."""

_WORD = 8
"""Bytes of a machine word, 32 genotypes."""
_LOW, _ONE = np.uint64(0x5555555555555555), np.uint64(1)
"""The low bit of each of 32 genotypes, and a shift by one bit."""

_COPIES = np.array([2, -1, 1, 0], dtype=np.int8)
_FOURS = _COPIES[(np.arange(256)[:, None] >> np.array([0, 2, 4, 6])) & 3]
_UNPACKED = _FOURS.view(np.uint32)[:, 0]
"""The copies of four individuals, in one word of four bytes, for each byte."""
_TWO = np.dtype("<u2")
_UNPACKED_TWO = np.stack([np.tile(_UNPACKED, 256), np.repeat(_UNPACKED, 256)], axis=1)
_UNPACKED_TWO = _UNPACKED_TWO.view(np.uint64)[:, 0]
"""The copies of eight individuals for each two bytes: one look-up for all."""
_LOOK_UPS = 2**14
"""Look-ups at once: NumPy writes eight bytes for each first, which stay in a core's cache."""

Progress = Callable[[float], None]
"""Called with the fraction done, 0 to 1."""


def bytes_of(individuals: int) -> int:
    """Length of a variant's row."""
    return -(-individuals // 4)


@attrs.frozen
class PackedGenotypes:
    """A SNP-major bed file whose header and size have been checked.

    Its numbers of individuals and variants are those that the files beside it say.
    """

    path: Path
    individuals: int
    variants: int

    def __attrs_post_init__(self) -> None:
        with self.path.open("rb") as file:
            header = file.read(HEADER)
        if header[:2] != MAGIC or header[2:] not in (SNP_MAJOR, INDIVIDUAL_MAJOR):
            raise DataError(
                "Expected a bed file of PLINK 1, which begins with the bytes 6c 1b 01, got others "
                f"at {self.path}. Write one with plink --make-bed."
            )
        if header[2:] == INDIVIDUAL_MAJOR:
            raise DataError(
                f"Expected a SNP-major bed file, got an individual-major one at {self.path}. "
                "Convert it with plink --make-bed."
            )
        expected = HEADER + self.variants * bytes_of(self.individuals)
        size = self.path.stat().st_size
        if size != expected:
            raise DataError(
                f"Expected {expected:,} bytes for {self.variants:,} variants and "
                f"{self.individuals:,} individuals, got {size:,} at {self.path}. Use the bim and "
                "fam files it was written with, or copy it again."
            )

    @property
    def paths(self) -> tuple[Path, ...]:
        """The file, as of `JoinedGenotypes`."""
        return (self.path,)

    def counts(
        self,
        groups: tuple[NDArray[np.bool_], ...],
        tell: Progress = lambda _: None,
        which: range | None = None,
    ) -> Integers:
        """Individuals with 0, 1, 2 copies of allele 1 and missing, in each group by variant.

        Groups are masks of shape (n_individuals,); the counts, of all variants or of a range, have
        the shape (n_groups, n_variants, 4).
        """
        counted = range(self.variants) if which is None else which
        popcounts = np.zeros((len(counted), 3, len(groups)), np.int64)
        large = self.variants * bytes_of(self.individuals) >= WORTH_COMPILING
        counter: _RowCounter | _PlaneCounter
        if large and (compiled := compile_counts()):
            counter = _RowCounter(self.individuals, groups, compiled)
        else:
            counter = _PlaneCounter(self.individuals, groups)
        for start, packed in self._blocks(counter.rows, counted):
            stop = start + len(packed)
            counter.count(packed, popcounts[start:stop])
            tell(stop / len(counted))
        low, high, none = popcounts.transpose(1, 2, 0)
        sizes = np.array([[group.sum()] for group in groups])
        return np.stack([none, high - none, sizes - high - (low - none), low - none], axis=2)

    def pieces(self, rows: int, groups: tuple[NDArray[np.bool_], ...]) -> "list[PackedPiece]":
        """Stretches of so many variants, whose genotypes are to be counted in these groups."""
        every = range(self.variants)
        return [PackedPiece(self, groups, every[start : start + rows]) for start in every[::rows]]

    def rows(self, which: NDArray[np.integer]) -> NDArray[np.int8]:
        """Copies of allele 1 of these variants, in their order, −1 where missing.

        (n_variants,) -> (n_variants, n_individuals); neighbours in `which` and in the file are read
        together.
        """
        packed = np.empty((len(which), bytes_of(self.individuals)), dtype=np.uint8)
        cuts = [0, *(np.flatnonzero(np.diff(which) != 1) + 1).tolist(), len(which)]
        with self.path.open("rb", buffering=0) as file:
            for start, stop in itertools.pairwise(cuts):
                if stop > start:
                    file.seek(HEADER + int(which[start]) * packed.shape[1])
                    _read(file, packed[start:stop], self.path)
        if packed.shape[1] % _TWO.itemsize:
            packed = np.concatenate([packed, np.zeros((len(packed), 1), np.uint8)], axis=1)
        twos = packed.view(_TWO)
        copies = np.empty(twos.shape, np.uint64)
        step = max(_LOOK_UPS // max(twos.shape[1], 1), 1)
        for start in range(0, len(twos), step):
            own = slice(start, start + step)
            _UNPACKED_TWO.take(twos[own], out=copies[own], mode="clip")  # all are in range
        return copies.view(np.int8)[:, : self.individuals]

    def _blocks(self, rows: int, which: range) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Packed rows, in a buffer that the next ones overwrite, and the place of the first."""
        buffer = np.empty((rows, bytes_of(self.individuals)), dtype=np.uint8)
        with self.path.open("rb", buffering=0) as file:
            file.seek(HEADER + which.start * buffer.shape[1])
            for start in range(0, len(which), rows):
                packed = buffer[: len(which) - start]
                _read(file, packed, self.path)
                yield start, packed


@attrs.frozen
class PackedPiece:
    """A stretch of variants whose genotypes are to be counted in groups of people."""

    genotypes: PackedGenotypes
    groups: tuple[NDArray[np.bool_], ...] = attrs.field(eq=False, repr=False)
    which: range

    @property
    def path(self) -> Path:
        """The file."""
        return self.genotypes.path

    @property
    def part(self) -> str:
        """The place in the file."""
        return str(self.which)

    @property
    def weight(self) -> int:
        """Bytes that are read."""
        return len(self.which) * bytes_of(self.genotypes.individuals)

    def counted(self) -> dict[str, NDArray[np.int64]]:
        """`counts` of all groups; (n_groups, n_variants, 4)."""
        # Checked anew, as another machine's file of that name may be another.
        return {"counts": attrs.evolve(self.genotypes).counts(self.groups, which=self.which)}


class _RowCounter:
    """Counts by compiled code, which reads a row once from memory."""

    def __init__(
        self,
        individuals: int,
        groups: tuple[NDArray[np.bool_], ...],
        compiled: CompiledCounts,
    ) -> None:
        width = bytes_of(individuals)
        # Four times the bytes: calls are few, and the rows wait in the cache that cores share.
        self.rows = max(4 * BLOCK_BYTES // width, 1)
        self._compiled, half = compiled, width // (2 * _WORD) * _WORD
        self._masks = _masks([group[: 8 * half] for group in groups], half)
        # What is left of a row is less than two words.
        self._end, self._last = 2 * half, np.zeros((self.rows, 2 * _WORD), np.uint8)
        self._last_masks = _masks([group[8 * half :] for group in groups], _WORD)

    def count(self, packed: NDArray[np.uint8], into: NDArray[np.int64]) -> None:
        """Write the low bits of each group, the high ones, and how often both are set."""
        self._compiled.add(packed, self._masks, into)
        last = self._last[: len(packed)]
        last[:, : packed.shape[1] - self._end] = packed[:, self._end :]
        self._compiled.add(last, self._last_masks, into)


class _PlaneCounter:
    """Counts by NumPy of planes, which are half as long as a row.

    A row is turned into a plane of its low bits and one of its high bits, a bit an individual, by
    six operations on words.
    """

    def __init__(self, individuals: int, groups: tuple[NDArray[np.bool_], ...]) -> None:
        self._width = bytes_of(individuals)
        words = max(-(-self._width // (2 * _WORD)), 1)
        self._half = words * _WORD
        self.rows = max(BLOCK_BYTES // self._width, 1)
        self._left, self._right = np.zeros((2, self.rows, self._half), dtype=np.uint8)
        self._planes = np.empty((3, self.rows, words), np.uint64)
        self._bits = np.empty((self.rows, words), np.uint8)
        self._sum = np.uint16 if words * 8 * _WORD < 2**16 else np.uint32
        self._masks = [np.tile(mask, (self.rows, 1)) for mask in _masks(groups, self._half)]

    def count(self, packed: NDArray[np.uint8], into: NDArray[np.int64]) -> None:
        """Write the low bits of each group, the high ones, and how often both are set."""
        rows, half = len(packed), self._half
        self._left[:rows, : min(half, self._width)] = packed[:, :half]
        self._right[:rows, : max(self._width - half, 0)] = packed[:, half:]
        left, right = self._left.view(np.uint64)[:rows], self._right.view(np.uint64)[:rows]
        moved, none, own = self._planes[:, :rows]
        # The high bits on the left change places with the low bits on the right.
        np.right_shift(left, _ONE, out=moved)
        np.bitwise_xor(moved, right, out=moved)
        np.bitwise_and(moved, _LOW, out=moved)
        np.bitwise_xor(right, moved, out=right)
        np.left_shift(moved, _ONE, out=moved)
        np.bitwise_xor(left, moved, out=left)
        np.bitwise_and(left, right, out=none)
        bits = self._bits[:rows]
        pairs = itertools.product((left, right, none), self._masks)
        for column, (plane, mask) in zip(into.reshape(rows, -1).T, pairs, strict=True):
            np.bitwise_count(np.bitwise_and(plane, mask[:rows], out=own), out=bits)
            np.add.reduce(bits, axis=1, dtype=self._sum, out=column)


def _masks(groups: Sequence[NDArray[np.bool_]], half: int) -> NDArray[np.uint64]:
    """A bit for each member, (n_groups, half / 8): left and right halves of a row in turn.

    The left half of the people, of `half` bytes, has the low bits; the padding stays out.
    """
    fields = np.zeros((len(groups), 2, 4 * half), np.bool_)
    for field, group in zip(fields.reshape(len(groups), -1), groups, strict=True):
        field[: len(group)] = group
    in_turn = np.swapaxes(fields, 1, 2).reshape(len(groups), -1)
    return np.packbits(in_turn, axis=1, bitorder="little").view(np.uint64)


def _read(file: Any, into: NDArray[np.uint8], path: Path) -> None:
    view, done = memoryview(into.data).cast("B"), 0
    while done < len(view):
        read = file.readinto(view[done:])
        if not read:
            raise DataError(
                f"Expected the genotypes of every variant, got the end of the file at {path}. "
                "Leave it alone while it is read."
            )
        done += read
