"""VCF and BCF files, through cyvcf2; lines with nothing but plain calls by a reader of our own.

Allele 1 is the alternative allele and allele 2 the reference, as PLINK makes them from a VCF. A
call of which one allele is missing (a half-call, 0/.) is missing, as with plink --vcf-half-call
missing.
"""

import gzip
import itertools
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.how_read import NO_ALLELE, HowRead, LineFile, Record, in_blocks
from deniable.gwas.files.lines import check_file, check_last_block
from deniable.gwas.genotypes import MISSING

try:
    import cyvcf2
    from cyvcf2.cyvcf2 import set_htslib_log_level
except ImportError:  # an extra
    cyvcf2 = None

SUFFIXES = (".vcf", ".bcf")
_HEAD = re.compile(
    rb"([0-9A-Za-z_.-]+)\t([1-9][0-9]{0,8})\t([!-~]+)\t([ACGTNacgtn]+)\t([ACGTNacgtn]+|\.)"
    rb"\t(?:\.|[0-9]+(?:\.[0-9]+)?)\t(?:\.|[0-9A-Za-z_]+)\t[!-~]+\tGT"
)
"""What stands before the calls: chromosome, position, identifier, two alleles, quality, filter,
information, format."""
_CALL = re.compile(rb"(?:[0-9]+|\.)(?:[/|](?:[0-9]+|\.))*")
_FIXED = 9
"""Columns before the calls."""
_WIDTH = 4
"""Bytes of a call: a tab, an allele, / or |, an allele."""
_GZIP = b"\x1f\x8b"
_CHUNK = 2**19
"""Bytes that are read or unpacked at once: half a megabyte, which fits the cache of a core."""
_CELLS = 2**18
"""Calls that are looked up at once: a megabyte, which fits the cache of a core."""
_FIRST, _SECOND, _MISSING_CALL, _OTHER = 0, 16, 4, 100
"""What the first half of a call counts, the second, a missing allele in either, and anything else.
Sums from 16 to 24 have both halves: 16 and the copies of allele 1, or 20 and more where an allele
is missing; two first halves have less and two second halves more."""
_LAST = _SECOND + 2 * _MISSING_CALL
"""The largest sum of both halves."""


def _halves() -> NDArray[np.uint8]:
    """What two bytes of a call count, by the number that they make, the first one the low byte."""
    codes = np.full(2**16, _OTHER, np.uint8)
    for allele, counts in ((b"0", 0), (b"1", 1), (b".", _MISSING_CALL)):
        for before, part in ((b"\t", _FIRST), (b"/", _SECOND), (b"|", _SECOND)):
            codes[int.from_bytes(before + allele, "little")] = part + counts
    return codes


_COUNTED = _halves()


@attrs.define
class PlainLines:
    """The plain lines at the beginning of a VCF, packed by bgzip or gzip or not, of so many people.

    Such a line has GT alone, one alternative at most, and every call is three bytes behind a tab.
    Its calls are looked up two bytes at a time. At the first line that is anything else this reader
    stops and says how far it came; cyvcf2 reads on from there, and knows what else a line may hold.
    Of any other file no line is read. In a file that is not packed, and so has no checksum, it
    refuses what cyvcf2 passes over: calls behind those of all people, and bytes behind a zero byte.
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
        read: list[bytes] = []
        lines = self._lines()
        for line in lines:
            record = None if line is None else _record(line[:-width])
            if line is not None:
                read.append(line)
            if record is not None:
                names.append(record)
                if len(names) < rows:
                    continue
            copies = self._copies(names, [line[-width:] for line in read[: len(names)]])
            self.lines += len(copies)
            yield names[: len(copies)], copies
            if record is None or len(copies) < len(names):
                self.ended = line is None and len(copies) == len(names)
                if not _is_packed(self.path):
                    self._check(itertools.chain(read[len(copies) :], lines))
                return
            names, read = [], []

    def _check(self, lines: Iterator[bytes | None]) -> None:
        """Refuse what cyvcf2 would pass over in the other lines."""
        most = _FIXED + self.people - 1
        for number, line in enumerate(lines, self.lines + 1):
            if line is not None and (line.count(b"\t") > most or b"\0" in line):
                raise self._other_line(f"line {number} behind the header of {self.path}")

    def _other_line(self, where: str) -> DataError:
        return DataError(
            "Expected a call for each person and no zero byte in every line, got more calls or "
            f"such a byte at {where}. Copy the file again, or correct it."
        )

    def _copies(self, names: list[Record], calls: list[bytes]) -> NDArray[np.uint8]:
        """Copies of the alternative or 3, up to the first line that is not plain."""
        words = np.frombuffer(b"".join(calls), "<u2").reshape(len(names), 2 * self.people)
        halves = _COUNTED.take(words)
        sums = halves[:, ::2] + halves[:, 1::2]
        plain = np.logical_and(sums.min(axis=1) >= _SECOND, sums.max(axis=1) <= _LAST)
        for row, name in enumerate(names):
            if name[3] == NO_ALLELE:
                plain[row] &= not np.any(sums[row] % _MISSING_CALL)
        until = len(plain) if plain.all() else int(plain.argmin())
        return np.asarray(np.minimum(sums[:until] - _SECOND, MISSING), np.uint8)

    def _lines(self) -> Iterator[bytes | None]:
        """Lines behind the header, and None behind the last one of a file that is whole.

        Of a file that is no VCF there is one empty line.
        """
        rest, header = b"", True
        try:
            with gzip.open(self.path) if _is_packed(self.path) else self.path.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in lines:
                        if not header:
                            yield line
                            continue
                        header = line.startswith(b"##")
                        if not header and not line.startswith(b"#CHROM\t"):
                            yield b""
                            return
                        if b"\0" in line:
                            raise self._other_line(f"the header of {self.path}")
        except (OSError, EOFError, zlib.error):
            yield b""
        # No plain line holds the end of a line, and so cyvcf2 reads one that lacks it.
        yield rest + b"\n" if rest or header else None


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def _describe_damage(lines: Iterable[bytes]) -> str:
    """What is wrong in the first damaged line of a text, by its number; no word of the line."""
    columns, wrong = 0, ""
    for number, line in enumerate(lines, 1):
        if not columns and line.startswith(b"##"):
            continue
        fields = line.rstrip(b"\r\n").split(b"\t")
        people, form = fields[_FIXED:], b"".join(fields[_FIXED - 1 : _FIXED]).split(b":")
        if not columns:
            if fields[0] != b"#CHROM":
                return "another"
            columns = len(fields)
            wrong = "" if len({*people}) == len(people) else "an individual's name twice"
        elif len(fields) != columns:
            wrong = f"{len(fields)} columns and not {columns}"
        elif re.fullmatch(b"[0-9]{1,10}", fields[1]) is None or int(fields[1]) >= 2**31:
            wrong = "a position that is no whole number of 31 bits"
        elif b"GT" not in form:
            wrong = "no GT"
        else:  # the last fields of a call may be left out
            place = form.index(b"GT")
            calls = [call for each in people for call in each.split(b":")[place : place + 1]]
            wrong = "" if all(map(_CALL.fullmatch, calls)) else "a call that is no genotype"
        if wrong:
            return f"{wrong} in line {number}"
    return "another"


def _record(head: bytes) -> Record | None:
    """The names of a plain line, of what stands before its calls."""
    if (match := _HEAD.fullmatch(head)) is None:
        return None
    chromosome, position, identifier, reference, alternative = match.groups()
    named = NO_ALLELE if alternative == b"." else alternative.decode()
    return chromosome.decode(), identifier.decode(), int(position), named, reference.decode()


_HOLE, _NONE = -1, -2
"""A missing allele, and what is there where a call has fewer alleles than others."""
_END = 1 - 2**31
"""BCF's number behind the last allele of a call."""
_NO_SUCH_ALLELE = 2**30
"""More than any line's alternatives: BCF's numbers have 31 bits with that of the phase."""


class VcfFile(LineFile):
    """A VCF, packed or not, or BCF.

    A phenotype file is needed, as a VCF holds none; individuals are found by its second column.
    """

    def __init__(self, path: Path, how: HowRead) -> None:
        super().__init__(path, how)
        if cyvcf2 is None:
            raise InvalidArgument(
                f"Expected cyvcf2 to read {path}, got none. Install deniable[vcf]."
            )
        check_file(path)
        check_last_block(path)
        with self._open() as file:
            names = self.call(lambda: list(file.samples))
        if not names:
            raise DataError(
                f"Expected genotypes of individuals, got a file of sites only at {path}. Give the "
                "file that has a column for each individual."
            )
        self.individuals = self.find_people(names)

    def blocks(self) -> Iterator[tuple[list[Record], NDArray[np.uint8]]]:
        """Names, and copies of the alternative allele or 3; (n_variants, n_individuals)."""
        plain = PlainLines(self.path, len(self.individuals))
        for names, calls in plain.blocks():
            kept = np.array([self.is_autosomal(name[0]) for name in names], bool)
            self.not_autosomal += len(kept) - int(kept.sum())
            if kept.any():
                yield [name for name, stays in zip(names, kept, strict=True) if stays], calls[kept]
        if not plain.ended:
            yield from in_blocks(self._records(plain.lines))

    def _records(self, skipped: int) -> Iterator[tuple[Record, NDArray[np.uint8]]]:
        """Names and copies as in `blocks`, of lines behind those, as cyvcf2 reads them."""
        with self._open() as file:
            records = iter(file)
            each = iter(lambda: self.call(lambda: next(records, None)), None)
            for record in itertools.islice(each, skipped, None):
                place = self.call(lambda: record.CHROM)  # noqa: B023 - called at once
                if not self.is_autosomal(place):
                    self.not_autosomal += 1
                    continue
                # First: of a line without them no allele may be asked for, or cyvcf2 crashes.
                calls, name, alternatives, reference = self.call(
                    lambda: (_alleles(record), record.ID or ".", record.ALT, record.REF)  # noqa: B023
                )
                # POS has 32 bits, and start as many as the file's number needs.
                if record.start + 1 != record.POS or record.POS < 0:
                    raise self.broken()
                where = f"{self.path}, {place}:{record.POS}"
                for allele in self.select(len(alternatives), where):
                    copies = copies_of_alternative(calls, len(alternatives), allele)
                    if copies is None:
                        raise DataError(
                            "Expected two alleles in every call, each one that its line names, got "
                            f"another call at {where}. Correct the file; not everybody's calls are "
                            "of two alleles on X, Y and mitochondria only, and those are left out."
                        )
                    alternative = [*alternatives, NO_ALLELE][allele - 1]
                    yield (place, name, record.POS, alternative, reference), copies

    def broken(self, error: Exception | None = None) -> DataError:
        """Return what is said of a file that cyvcf2 cannot read."""
        if isinstance(error, UnicodeDecodeError):
            return DataError(f"Expected text in UTF-8, got other bytes at {self.path}. Save it so.")
        try:
            with (gzip.open if _is_packed(self.path) else open)(self.path, "rb") as file:
                got = _describe_damage(file)
        except (OSError, EOFError, zlib.error):
            got = "another"
        return DataError(
            f"Expected a VCF or BCF file with genotypes (GT), got {got} at {self.path}. Check it "
            "with bcftools view."
        )

    def _open(self) -> closing[Any]:
        # What htslib writes to standard error may name a person or quote a value.
        set_htslib_log_level(0)
        return closing(self.call(lambda: cyvcf2.VCF(str(self.path))))


def _alleles(record: Any) -> NDArray[np.signedinteger[Any]]:
    """Alleles of every call as in `copies_of_alternative`; (n_individuals, ploidy).

    cyvcf2 crashes where they stand behind a field without a name. Its own alleles have 16 bits, and
    so 65537 would be 1.
    """
    if "" in record.FORMAT:
        raise ValueError("a field of the line has no name")
    # (allele + 1) · 2, and 1 more where phased; 0 or 1 where missing.
    calls = record.format("GT", int)
    if calls.view(np.uint32).max() <= np.iinfo(np.uint8).max:
        return np.asarray((calls.astype(np.uint8) >> 1).view(np.int8) - 1)  # fast
    alleles = (calls >> 1) - 1
    alleles[calls < 0] = _NO_SUCH_ALLELE
    alleles[calls == _END] = _NONE
    return np.asarray(alleles)


def copies_of_alternative(
    alleles: NDArray[np.signedinteger[Any]], alternatives: int, counted: int
) -> NDArray[np.uint8] | None:
    """Copies of one alternative, 3 where missing; None where a call is none of two alleles.

    Alleles are numbers, −1 where missing and −2 behind the last one of a shorter call;
    (n_individuals, ploidy) -> (n_individuals,).
    """
    if alleles.shape[1] == 2:
        first, second = np.ascontiguousarray(alleles.T)
        least, most = int(alleles.min(initial=0)), int(alleles.max(initial=0))
        halves = (first < _HOLE) | ((second < _HOLE) & (first != _HOLE)) if least < _HOLE else None
        if most > alternatives or (halves is not None and bool(halves.any())):
            return None
        copies = (first == counted).view(np.uint8) + (second == counted).view(np.uint8)
        if least < 0:
            np.putmask(copies, (first | second) < 0, MISSING)  # where one of the two is below 0
        return np.asarray(copies)
    # "." alone stands for a missing call of any number of alleles.
    nothing = (alleles[:, 0] == _HOLE) & (alleles[:, 1:] == _NONE).all(axis=1)
    return np.full(len(alleles), MISSING, np.uint8) if nothing.all() else None
