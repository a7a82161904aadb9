"""The variants of PLINK 2: a .pvar file, read as a stream, as long as the .pgen file says."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError
from deniable.errors.late import late
from deniable.gwas.files.lines import array_of
from deniable.gwas.files.multiallelic import Multiallelic
from deniable.gwas.genotypes import Variants

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import csv
else:
    pa = late("pyarrow", extra="gwas")
    csv = late("pyarrow.csv", extra="gwas")

_PACKED = {".zst": "zstd", ".gz": "gzip"}
_COLUMNS = ("#CHROM", "POS", "ID", "REF", "ALT")
_NO_ALLELE = "0"
_LINE = 2**24
"""Bytes of the longest line: 16 MB, thousands of alleles; more is no list of variants."""
_META = 2**28
"""Bytes of all lines that begin with ##: 256 MB, beyond any header; a packed file may be a bomb."""


@attrs.frozen
class PvarTable:
    """The lines of a .pvar file; one of several alternatives holds them between commas.

    Parameters
    ----------
    path : Path
        The file, for messages.
    variants : Variants
        Line by line; allele 1 is the alternative, allele 2 the reference.
    alternatives : array of int, shape (n_lines,)
        How many alternatives each line has, >= 1.
    """

    path: Path
    variants: Variants
    alternatives: NDArray[np.int64] = attrs.field(eq=attrs.cmp_using(eq=np.array_equal))

    @property
    def offsets(self) -> NDArray[np.uintp]:
        """Where the alleles of each line begin, and the end; shape (n_lines + 1,)."""
        return np.concatenate([[0], np.cumsum(self.alternatives + 1)]).astype(np.uintp)

    def counted(
        self, lines: NDArray[np.intp], rule: Multiallelic
    ) -> tuple[Variants, NDArray[np.int64]]:
        """Of these lines, the variants that are counted, with line and allele, from 1, of each.

        Raises
        ------
        DataError
            If a line has several alternatives and the rule refuses them.
        """
        if bool((self.alternatives[lines] == 1).all()):
            return self.variants.taken(lines), np.stack([lines, np.ones_like(lines)], axis=1)
        places = [
            (line, allele)
            for line in lines.tolist()
            for allele in rule.counted(int(self.alternatives[line]), self._where(line))
        ]
        found = np.array(places, dtype=np.int64).reshape(-1, 2)
        taken = self.variants.taken(found[:, 0])
        alleles = [
            of.split(",")[allele - 1]
            for of, allele in zip(taken.allele_1.tolist(), found[:, 1].tolist(), strict=True)
        ]
        return attrs.evolve(taken, allele_1=alleles), found

    def _where(self, line: int) -> str:
        place = self.variants.chromosome[line], self.variants.position[line]
        return f"{self.path}, {place[0]}:{place[1]}"


def pvar_table(path: Path, most: int) -> PvarTable:
    """Read at most so many lines; packed by Zstandard or gzip where the name says so.

    Parameters
    ----------
    path : path
        A .pvar, .pvar.zst or .pvar.gz file with a header that begins with #CHROM.
    most : int
        Variants of the .pgen file; nothing is unpacked behind the first line too many.

    Raises
    ------
    DataError
        If it is none, or holds more lines.
    """
    try:
        with pa.input_stream(str(path), compression=_PACKED.get(path.suffix.lower())) as file:
            parts = _parts(io.BufferedReader(file), path, most)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise DataError(
            "Expected a whole .pvar file, with a name, a place and two alleles or more in every "
            f"line, got another at {path}. Write it with plink2 --make-pgen, or copy it again."
        ) from None
    if not parts:
        raise DataError(f"Expected a variant or more, got none at {path}.")
    columns = [array_of(pa.chunked_array([part[i] for part in parts])) for i in range(5)]
    chromosome, position, identifier, reference, alternative = columns
    several = np.array([word.count(",") + 1 for word in alternative.tolist()], dtype=np.int64)
    absent = np.where(alternative == ".", _NO_ALLELE, alternative)
    return PvarTable(path, Variants(chromosome, identifier, position, absent, reference), several)


def _parts(file: io.BufferedReader, path: Path, most: int) -> list[list[Any]]:
    header = _header(file, path)
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
    found, lines = [], 0
    for batch in stream:
        lines += batch.num_rows
        if lines > most:
            raise DataError(
                f"Expected {most:,} variants, as the .pgen file has, got more at {path}. Use the "
                "files that were written together."
            )
        found.append(batch.columns)
    return found


def _header(file: io.BufferedReader, path: Path) -> list[str]:
    read = 0
    while (line := file.readline(_LINE)).startswith(b"##") and read < _META:
        read += len(line)
    header = line.decode("utf-8").rstrip("\r\n").split("\t")
    if any(header.count(name) != 1 for name in _COLUMNS):
        raise DataError(
            f"Expected a header with the columns {', '.join(_COLUMNS)}, got another at {path}. "
            "Write it with plink2 --make-pgen."
        )
    return header
