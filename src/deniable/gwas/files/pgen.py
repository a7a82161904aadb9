"""The three files of PLINK 2: pgen (genotypes), pvar (variants), psam (people), by pgenlib.

A dosage is read as the hard call that PLINK stored beside it, at its --hard-call-threshold (0.1 by
default: further than that from a whole number of copies, the call is missing). The rule looks at
one person's dosage only. Phase is not looked at.
"""

from __future__ import annotations

import copy
import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.arrow import csv, pa
from deniable.gwas.files.how_read import NO_ALLELE, HowRead, Multiallelic, check_some
from deniable.gwas.files.individuals import from_fam, from_psam
from deniable.gwas.files.lines import to_array
from deniable.gwas.files.plink import bim_variants, file_of
from deniable.gwas.genotypes import AS_ARRAYS, Integers, Variants, autosomal

_PACKED = {".zst": "zstd", ".gz": "gzip"}
_COLUMNS = ("#CHROM", "POS", "ID", "REF", "ALT")
_LINE = 2**24
"""Bytes of the longest line: 16 MB, thousands of alleles; more is no list of variants."""
_META = 2**28
"""Bytes of all lines that begin with ##: 256 MB, beyond any header; a packed file may be a bomb."""


@attrs.frozen
class PvarTable:
    """The lines of a .pvar file; one of several alternatives holds them between commas.

    Allele 1 of a line is the alternative, allele 2 the reference. Each has one alternative or more,
    (n_lines,).
    """

    path: Path
    variants: Variants
    alternatives: Integers = attrs.field(eq=AS_ARRAYS)

    def select(self, lines: NDArray[np.intp], rule: Multiallelic) -> tuple[Variants, Integers]:
        """Return the counted variants of these lines, with line and allele, from 1, of each."""
        if bool((self.alternatives[lines] == 1).all()):
            return self.variants.take(lines), np.stack([lines, np.ones_like(lines)], axis=1)
        places = [
            (line, allele)
            for line in lines.tolist()
            for allele in rule.select(
                int(self.alternatives[line]),
                f"{self.path}, {self.variants.chromosome[line]}:{self.variants.position[line]}",
            )
        ]
        pairs = np.array(places, dtype=np.int64).reshape(-1, 2)
        variants = self.variants.take(pairs[:, 0])
        alleles = [
            of.split(",")[allele - 1]
            for of, allele in zip(variants.allele_1.tolist(), pairs[:, 1].tolist(), strict=True)
        ]
        return attrs.evolve(variants, allele_1=alleles), pairs


def pvar_table(path: Path, most: int) -> PvarTable:
    """Read a .pvar file whose header begins with #CHROM; packed where its name ends in .zst or .gz.

    It may have at most as many variants as the .pgen file; nothing is unpacked behind the first
    line too many.
    """
    try:
        with _stream(path) as file:
            reader, behind = io.BufferedReader(file), 0
            while (line := reader.readline(_LINE)).startswith(b"##") and behind < _META:
                behind += len(line)
        behind += len(line)  # the bytes up to the first line below the names of columns
        header = line.decode("utf-8").rstrip("\r\n").split("\t")
        if any(header.count(name) != 1 for name in _COLUMNS):
            raise DataError(
                f"Expected a header with the columns {', '.join(_COLUMNS)}, got another at {path}. "
                "Write it with plink2 --make-pgen."
            )
        # A stream of Arrow's own: its thread calls nothing of Python's (`parse_table`).
        with _stream(path) as file:
            while behind:
                behind -= len(file.read(min(behind, _LINE)))
            parts = _parts(file, header, path, most)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise DataError(
            "Expected a whole .pvar file, with a name, a place and two alleles or more in every "
            f"line, got another at {path}. Write it with plink2 --make-pgen, or copy it again."
        ) from None
    if not parts:
        raise DataError(f"Expected a variant or more, got none at {path}.")
    columns = [to_array(pa.chunked_array([part[i] for part in parts])) for i in range(5)]
    chromosome, position, identifier, reference, alternative = columns
    if not (reference.all() and alternative.all()):  # as where the last line is cut
        raise DataError(f"Expected two alleles or more in every line, got an empty one at {path}.")
    several = np.array([word.count(",") + 1 for word in alternative.tolist()], dtype=np.int64)
    absent = np.where(alternative == ".", NO_ALLELE, alternative)
    return PvarTable(path, Variants(chromosome, identifier, position, absent, reference), several)


def _stream(path: Path) -> Any:
    return pa.input_stream(str(path), compression=_PACKED.get(path.suffix.lower()))


def _parts(file: Any, header: list[str], path: Path, most: int) -> list[list[Any]]:
    stream = csv.open_csv(
        file,
        read_options=csv.ReadOptions(column_names=header, block_size=_LINE, use_threads=False),
        parse_options=csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=csv.ConvertOptions(
            column_types={"#CHROM": pa.string(), "POS": pa.int64()}
            | {name: pa.string() for name in header if name not in ("#CHROM", "POS")},
            include_columns=list(_COLUMNS),
            null_values=[],
        ),
    )
    batches, lines = [], 0
    for batch in stream:
        lines += batch.num_rows
        if lines > most:
            raise DataError(
                f"Expected {most:,} variants, as the .pgen file has, got more at {path}. Use the "
                "files that were written together."
            )
        batches.append(batch.columns)
    return batches


try:
    import pgenlib
except ImportError:  # an extra
    pgenlib = None


_STORED_APART = (0x01, 0x20, 0x21)
"""Modes of a .pgen file that does not itself say how many variants it has: bed, and with .pgi."""
_KINDS = (0, 1, 2, -9)
"""Copies as pgenlib reads them, and a missing call."""
_MOST = 2**31 - 3
"""Variants that PLINK 2 takes."""
_ALLELES = 2
"""Alleles of a plain line."""
_AS_IT_IS = HowRead()


class PgenFile:
    """Genotypes of PLINK 2, read again for each question.

    PREFIX.pgen lies beside PREFIX.pvar (or .pvar.zst, .pvar.gz, .bim) and PREFIX.psam (or .fam).
    Phenotypes are as `from_psam` takes them. What is left out is counted in `not_autosomal` and
    `multiallelic_left_out`.
    """

    def __init__(self, prefix: Path, how: HowRead = _AS_IT_IS) -> None:
        self.path, self.how = file_of(prefix, "pgen"), how
        if pgenlib is None:
            raise InvalidArgument(
                f'Expected pgenlib to read {self.path}, got none. Run: pip install "deniable[pgen]"'
                f", or convert it with plink2 --pfile {prefix} --make-bed --out {prefix}."
            )
        if not self.path.is_file():
            raise InvalidArgument(f"Expected a file {self.path}, got none. Check the prefix.")
        people = _first_of(prefix, "psam", "fam")
        read = from_fam if people.suffix == ".fam" else from_psam
        self.individuals = read(people, how.phenotype, how.phenotype_name)
        names = _first_of(prefix, "pvar", "pvar.zst", "pvar.gz", "bim")
        if names.suffix == ".bim":
            read_names = bim_variants(names)
            table = PvarTable(names, read_names, np.ones(len(read_names), dtype=np.int64))
        else:
            table = pvar_table(names, count_stored(self.path))
        self._stored = len(table.variants)
        # Where the alleles of each line begin, and the end, (n_lines + 1,): without them pgenlib
        # takes every line for one of two alleles.
        self._offsets: NDArray[np.uintp] | None = None
        if bool((table.alternatives > 1).any()):
            stops = np.cumsum(table.alternatives + 1)
            self._offsets = np.concatenate([[0], stops]).astype(np.uintp)
        known = autosomal(table.variants.chromosome, how.autosomes)
        self.not_autosomal = int(np.count_nonzero(~known))
        (lines,) = np.nonzero(known)
        with self._open() as reader:
            if reader.get_variant_ct() != self._stored:
                raise AssertionError("pgenlib takes files that disagree")
        self._variants, self._places = table.select(lines, how.multiallelic)
        self.multiallelic_left_out = len(lines) - len(np.unique(self._places[:, 0]))

    def variants(self) -> Variants:
        """The variants that are counted, in file order."""
        check_some(len(self._variants), self.path, (self.not_autosomal, self.multiallelic_left_out))
        return self._variants

    def __len__(self) -> int:
        return len(self._places)

    def rows(self, which: NDArray[np.intp]) -> NDArray[np.int8]:
        """Copies of allele 1 of these variants, one or more, −1 where missing."""
        part = copy.copy(self)
        part._places = self._places[which]
        return np.concatenate([*part.dosages()])

    @property
    def groups(self) -> tuple[NDArray[np.bool_], ...]:
        """The groups in which genotypes are counted."""
        return self.individuals.groups

    @property
    def part(self) -> str:
        """What of the file is counted, and how it is read."""
        return f"{hashlib.sha256(self._places.tobytes()).hexdigest()} {self.how}"

    @property
    def weight(self) -> float:
        """Calls that are read."""
        return float(len(self._places) * len(self.individuals))

    def pieces(self, rows: int) -> list[PgenFile]:
        """Stretches of so many variants, to be counted one by one."""
        parts = []
        for start in range(0, max(len(self._places), 1), rows):
            part = copy.copy(self)
            part._places = self._places[start : start + rows]
            part._variants = self._variants.take(np.arange(0))
            parts.append(part)
        return parts

    def counted(self) -> dict[str, Integers]:
        """`counts` of all groups; (n_groups, n_variants, 4)."""
        return {"counts": np.stack([self._count(group) for group in self.groups])}

    def dosages(self, block: int = 1024) -> Iterator[NDArray[np.int8]]:
        """Copies of allele 1, −1 where missing, in blocks of shape (block, n_individuals)."""
        people = len(self.individuals)
        with self._open() as reader:
            for start in range(0, len(self._places), block):
                places = self._places[start : start + block]
                copies = np.empty((len(places), people), dtype=np.int8)
                for row, (line, allele) in zip(copies, places.tolist(), strict=True):
                    self._call(lambda: reader.read(line, row, allele))  # noqa: B023 - at once
                if copies.max(initial=0) > 2:
                    raise self._broken()
                yield np.where(copies < 0, np.int8(-1), copies)

    def _count(self, group: NDArray[np.bool_]) -> Integers:
        table = np.zeros((len(self._places), 4), dtype=np.int64)
        which = np.flatnonzero(group).astype(np.uint32)
        if not len(which):
            return table
        several = np.zeros(len(table), bool)
        if self._offsets is not None:
            several = np.diff(self._offsets)[self._places[:, 0]] > _ALLELES
        counts, copies = np.empty(4, dtype=np.uint32), np.empty(len(which), dtype=np.int8)
        with self._open(which) as reader:
            for row, (line, allele) in enumerate(self._places.tolist()):
                if several[row]:  # pgenlib counts all alternatives as one
                    self._call(lambda: reader.read(line, copies, allele))  # noqa: B023 - at once
                    table[row] = [np.count_nonzero(copies == copied) for copied in _KINDS]
                else:
                    self._call(lambda: reader.count(line, counts))  # noqa: B023 - at once
                    table[row] = counts
        if bool((table.sum(axis=1) != len(which)).any()):
            raise self._broken()
        return table

    def _open(self, people: NDArray[np.uint32] | None = None) -> closing[Any]:
        path, sizes = str(self.path).encode(), (len(self.individuals), self._stored)
        return closing(self._call(lambda: pgenlib.PgenReader(path, *sizes, people, self._offsets)))

    def _call(self, question: Callable[[], Any]) -> Any:
        # pgenlib raises bare exceptions with a text of its own.
        try:
            return question()
        except (RuntimeError, OSError, ValueError, AssertionError):
            raise self._broken() from None

    def _broken(self) -> DataError:
        return DataError(
            f"Expected a whole .pgen file of {self._stored:,} variants and "
            f"{len(self.individuals):,} people, as the files beside it have, got another at "
            f"{self.path}. Use the files that were written together, or copy them again."
        )


def _first_of(prefix: Path, *suffixes: str) -> Path:
    for suffix in suffixes:
        if (path := file_of(prefix, suffix)).is_file():
            return path
    raise InvalidArgument(
        f"Expected a file {file_of(prefix, suffixes[0])}, got none. Keep the three files of PLINK "
        "2 together."
    )


def count_stored(path: Path) -> int:
    """The variants that a .pgen file says it has, or the most that there can be."""
    with path.open("rb") as file:
        start = file.read(7)
    if len(start) < 7 or start[:2] != b"\x6c\x1b" or start[2] in _STORED_APART:
        return _MOST
    return int.from_bytes(start[3:7], "little")
