"""VCF Zarr, the layout of bio2zarr and of the specification of VCF Zarr, through zarr.

A store is a folder of arrays in chunks. Its number 0 of a line's alleles is the reference, as in a
VCF; allele 1, whose copies are counted, is the alternative, and allele 2 the reference. In a call
−1 is a missing allele, and −2 fills up a call that has fewer alleles than others. A chunk without a
file holds zeros, which is how bio2zarr writes a chunk in which nobody carries an alternative.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.errors.late import late
from deniable.gwas.files.how_read import NO_ALLELE, HowRead, LineFile, Record
from deniable.gwas.files.several import is_store
from deniable.gwas.files.vcf import copies_of_alternative

if TYPE_CHECKING:
    import zarr
else:
    zarr = late("zarr", extra="zarr")

SUFFIXES = (".vcz", ".zarr")
_VERSION = "vcf_zarr_version"
"""The attribute of stores whose first allele is the reference."""
_OF_TWO = 2
"""Alleles of a call on an autosome."""
_NO_MORE = -2
"""Fills up calls, where others have more alleles."""
_CHUNKS = ("c/", *"0123456789")
"""What names of chunks begin with, in an array's folder."""
_BLOSC = 16
"""Bytes of the header of a chunk of Blosc, the last four of which are the chunk's length."""


class VczFile(LineFile):
    """A store of VCF Zarr, or a range of its variants.

    A phenotype file is needed, as a store holds none; individuals are found by its second column.
    """

    def __init__(self, path: Path, how: HowRead) -> None:
        super().__init__(path, how)
        if not is_store(path):
            raise InvalidArgument(
                f"Expected a folder {path} of VCF Zarr, got none. Check the name."
            )
        store = self._open()
        calls = self._array(store, "call_genotype", 3)
        names = self._read(self._array(store, "sample_id", 1), slice(None))
        if len(names) != calls.shape[1] or not names:
            raise self.broken()
        self.individuals = self.find_people(names)
        self._range = range(calls.shape[0])
        self._chunk = int(calls.chunks[0])

    def pieces(self, rows: int) -> Sequence[Self]:
        """Ranges of about so many variants, at the edges of chunks."""
        step = max(rows // self._chunk, 1) * self._chunk
        parts = []
        for start in range(0, len(self._range), step):
            part = copy.copy(self)
            part._range = self._range[start : start + step]
            parts.append(part)
        return parts or [self]

    @property
    def part(self) -> str:
        """What of the store is counted, and how it is read."""
        return f"{self._range} {super().part}"

    @property
    def weight(self) -> float:
        """Calls that are read."""
        return float(len(self._range) * len(self.individuals))

    def blocks(self) -> Iterator[tuple[list[Record], NDArray[np.uint8]]]:
        """Names, and copies of the alternative allele or 3; (n_variants, n_individuals)."""
        store = self._open()
        contigs = self._read(self._array(store, "contig_id", 1), slice(None))
        named = [
            self._array(store, name, dimensions)
            for name, dimensions in (
                ("variant_contig", 1), ("variant_position", 1), ("variant_id", 1),
                ("variant_allele", 2),
            )
        ]  # fmt: skip
        calls = self._array(store, "call_genotype", 3)
        for start in range(self._range.start, self._range.stop, self._chunk):
            rows = slice(start, min(start + self._chunk, self._range.stop))
            lines = self._lines(contigs, *[self._read(each, rows) for each in named])
            if lines:
                yield [record for _, record, _, _ in lines], self._copies(calls, start, lines)

    def _lines(
        self,
        contigs: list[str],
        places: list[int],
        positions: list[int],
        names: list[str],
        alleles: list[list[str]],
    ) -> list[tuple[int, Record, int, int]]:
        """Row, names, which alternative and how many, of the variants that are counted."""
        lines = []
        for row, (place, position, name, all_of) in enumerate(
            zip(places, positions, names, alleles, strict=True)
        ):
            reference, *others = all_of
            while others and not others[-1]:
                others.pop()
            good = 0 <= place < len(contigs) and position > 0
            if not (good and reference and all(others)):
                raise self.broken()
            if not self.is_autosomal(contigs[place]):
                self.not_autosomal += 1
                continue
            for allele in self.select(len(others), f"{self.path}, {contigs[place]}:{position}"):
                of = [*others, NO_ALLELE][allele - 1]
                record = contigs[place], name or ".", position, of, reference
                lines.append((row, record, allele, len(others)))
        return lines

    def _copies(
        self, calls: Any, start: int, lines: list[tuple[int, Record, int, int]]
    ) -> NDArray[np.uint8]:
        """Copies of each line's alternative, people by people as their chunks have them."""
        copies = np.empty((len(lines), calls.shape[1]), np.uint8)
        last = lines[-1][0] + 1
        for first in range(0, calls.shape[1], calls.chunks[1]):
            people = slice(first, first + calls.chunks[1])
            read = self.call(lambda: np.asarray(calls[start : start + last, people], np.int16))  # noqa: B023
            if int(read.min(initial=0)) < _NO_MORE:
                raise self.broken()
            if read.shape[2] < _OF_TWO:
                read = np.concatenate([read, np.full_like(read, _NO_MORE)], axis=2)
            for place, (row, record, allele, alternatives) in enumerate(lines):
                own = read[row]
                if own.shape[1] > _OF_TWO and bool((own[:, _OF_TWO:] == _NO_MORE).all()):
                    own = own[:, :_OF_TWO]
                counted = copies_of_alternative(own, alternatives, allele)
                if counted is None:
                    raise DataError(
                        "Expected two alleles in every call, each one that its line names, got "
                        f"another call at {self.path}, {record[0]}:{record[2]}. Correct the store; "
                        "not everybody's calls are of two alleles on X, Y and mitochondria only, "
                        "and those are left out."
                    )
                copies[place, people] = counted
        return copies

    def _open(self) -> Any:
        open_group = zarr.open_group  # outside: a missing package is another error
        files = _files_of(self.path)
        store = self.call(lambda: open_group(files, mode="r"))
        if _VERSION not in store.attrs:
            raise DataError(
                f"Expected the attribute {_VERSION}, got a store without it at {self.path}. There "
                "the first allele need not be the reference: sgkit numbers a BED file's alleles "
                "the other way round. Write the store with bio2zarr."
            )
        return store

    def _array(self, store: Any, name: str, dimensions: int) -> Any:
        array = self.call(lambda: store[name])
        if len(array.shape) != dimensions:
            raise self.broken()
        # A shard has chunks within and a checksum of where they lie.
        of = [] if array.shards else [type(each).__name__ for each in array.compressors]
        if of and of[-1].startswith("Blosc"):
            array.store.blosc.add(array.path)
        return array

    def _read(self, array: Any, rows: slice) -> list[Any]:
        values = self.call(lambda: array[rows])
        # Four bytes a letter, which NumPy does not look at.
        if values.dtype.kind == "U" and values.view(np.uint32).max(initial=0) > sys.maxunicode:
            raise self.broken()
        listed: list[Any] = values.tolist()
        return listed

    def broken(self, _error: Exception | None = None) -> DataError:
        """Return what is said of a store that zarr cannot read, or that is no VCF Zarr."""
        return DataError(
            f"Expected a whole store of VCF Zarr with genotypes, got another at {self.path}. Copy "
            "it again, or write it with bio2zarr."
        )


def _files_of(path: Path) -> Any:
    """A store on a disk, whose files are looked at before zarr decodes them."""

    class Files(zarr.storage.LocalStore):
        blosc: set[str]
        """Arrays whose chunks are of Blosc, whose decoder reads as far as a chunk's header says."""

        async def get(self, key: str, prototype: Any = None, byte_range: Any = None) -> Any:
            file = self.root / key
            # To zarr a folder is a chunk of zeros, and a pipe is waited for.
            if os.path.lexists(file) and not file.is_file():
                raise OSError
            data = await super().get(key, prototype, byte_range)
            array, _, name = key.partition("/")
            if data is not None and array in self.blosc and name.startswith(_CHUNKS):
                header = data.as_numpy_array()[:_BLOSC].tobytes()
                if len(header) < _BLOSC or int.from_bytes(header[-4:], "little") != len(data):
                    raise OSError
            return data

    files = Files(path, read_only=True)
    files.blosc = set()
    return files
