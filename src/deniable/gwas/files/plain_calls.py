"""Lines of a VCF that hold nothing but calls of two alleles, 0, 1 or missing: read in blocks.

Such a line has GT alone, one alternative at most, and every call is three bytes behind a tab. Its
calls are looked up two bytes at a time. At the first line that is anything else this reader stops
and says how far it came; cyvcf2 reads on from there, and knows what else a line may hold.
"""

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.files.records import NO_ALLELE, Record
from deniable.gwas.genotypes import MISSING

_HEAD = re.compile(
    rb"([0-9A-Za-z_.-]+)\t([1-9][0-9]{0,8})\t([!-~]+)\t([ACGTNacgtn]+)\t([ACGTNacgtn]+|\.)"
    rb"\t(?:\.|[0-9]+(?:\.[0-9]+)?)\t(?:\.|[0-9A-Za-z_]+)\t[!-~]+\tGT"
)
"""What stands before the calls: chromosome, position, identifier, two alleles, quality, filter,
information, format."""
_WIDTH = 4
"""Bytes of a call: a tab, an allele, / or |, an allele."""
_GZIP = b"\x1f\x8b"
_CHUNK = 2**21
"""Bytes that are unpacked at once."""
_CELLS = 2**18
"""Calls that are looked up at once: a megabyte, which fits the cache of a core."""
_FIRST, _SECOND, _HOLE, _OTHER = 0, 16, 4, 100
"""What the first half of a call counts, the second, a missing allele in either, and anything else.
Sums from 16 to 24 have both halves: 16 and the copies of allele 1, or 20 and more where an allele
is missing; two first halves have less and two second halves more."""
_LAST = _SECOND + 2 * _HOLE
"""The largest sum of both halves."""


def _halves() -> NDArray[np.uint8]:
    """What two bytes of a call count, by the number that they make, the first one the low byte."""
    found = np.full(2**16, _OTHER, np.uint8)
    for allele, counts in ((b"0", 0), (b"1", 1), (b".", _HOLE)):
        for before, part in ((b"\t", _FIRST), (b"/", _SECOND), (b"|", _SECOND)):
            found[int.from_bytes(before + allele, "little")] = part + counts
    return found


_COUNTED = _halves()


@attrs.define
class PlainLines:
    """The plain lines at the beginning of a file.

    Parameters
    ----------
    path : Path
        A VCF, packed by bgzip or gzip or not; of any other file no line is read.
    people : int
        How many columns of calls it has.
    """

    path: Path
    people: int
    lines: int = attrs.field(default=0, init=False)
    """How many were read, once `blocks` has ended."""
    ended: bool = attrs.field(default=False, init=False)
    """Whether these are all lines of the file."""

    def blocks(self) -> Iterator[tuple[list[Record], NDArray[np.uint8]]]:
        """Names of variants, and copies of the alternative or 3; (n_variants, n_people)."""
        self.lines, self.ended = 0, False
        rows, width = max(_CELLS // self.people, 1), _WIDTH * self.people
        names: list[Record] = []
        calls: list[bytes] = []
        for line in self._lines():
            record = None if line is None else _record(line[:-width])
            if line is not None and record is not None:
                names.append(record)
                calls.append(line[-width:])
                if len(names) < rows:
                    continue
            copies = self._copies(names, calls)
            self.lines += len(copies)
            yield names[: len(copies)], copies
            if record is None or len(copies) < len(names):
                self.ended = line is None and len(copies) == len(names)
                return
            names, calls = [], []

    def _copies(self, names: list[Record], calls: list[bytes]) -> NDArray[np.uint8]:
        """Copies of the alternative or 3, up to the first line that is not plain."""
        words = np.frombuffer(b"".join(calls), "<u2").reshape(len(names), 2 * self.people)
        halves = _COUNTED.take(words)
        sums = halves[:, ::2] + halves[:, 1::2]
        plain = np.logical_and(sums.min(axis=1) >= _SECOND, sums.max(axis=1) <= _LAST)
        for row, name in enumerate(names):
            if name[3] == NO_ALLELE:
                plain[row] &= not np.any(sums[row] % _HOLE)
        until = len(plain) if plain.all() else int(plain.argmin())
        return np.asarray(np.minimum(sums[:until] - _SECOND, MISSING), np.uint8)

    def _lines(self) -> Iterator[bytes | None]:
        """Lines behind the header, and None behind the last one of a file that is whole."""
        rest, header = b"", True
        try:
            with _opened(self.path) as file:
                while chunk := file.read(_CHUNK):
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in lines:
                        if not header:
                            yield line
                        elif line.startswith(b"#CHROM\t"):
                            header = False
                        elif not line.startswith(b"##"):
                            yield b""
        except (OSError, EOFError, zlib.error):
            yield b""
        yield b"" if rest or header else None


def _opened(path: Path) -> gzip.GzipFile | BinaryIO:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return gzip.open(path, "rb") if packed else path.open("rb")


def _record(head: bytes) -> Record | None:
    """The names of a plain line, of what stands before its calls."""
    if (found := _HEAD.fullmatch(head)) is None:
        return None
    chromosome, position, identifier, reference, alternative = found.groups()
    named = NO_ALLELE if alternative == b"." else alternative.decode()
    return chromosome.decode(), identifier.decode(), int(position), named, reference.decode()
