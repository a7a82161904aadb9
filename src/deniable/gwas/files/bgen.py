"""BGEN files, versions 1.1 to 1.3, by the library bgen: probabilities, read as hard calls.

A person's dosage of an allele is the mean number of copies, Σ copies·probability. The call is the
nearest whole number if the dosage lies within 0.1 of it, and missing otherwise, as plink2 imports
it (--hard-call-threshold 0.1). The rule looks at one person's probabilities only. Phase is not
looked at. The format does not say which allele is the reference: UK Biobank writes it first, and
plink2 --export bgen-1.2 last. Allele 1, whose copies are counted, is the second allele of the file,
or the first one where the reference is said to be the last.
"""

import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import how_read
from deniable.gwas.files.individuals import (
    Individuals,
    PeopleTable,
    check_distinct,
    from_names,
    from_table,
    phenotype_file,
)
from deniable.gwas.files.lines import check_file, rows
from deniable.gwas.genotypes import MISSING

try:
    import bgen
except ImportError:  # an extra
    bgen = None  # type: ignore[assignment]

SUFFIX = ".bgen"
THRESHOLD = 0.1
"""Copies between a dosage and its hard call; plink2's default, so that both read the same."""
_SLACK = 1e-3
"""The slack of a sum of probabilities: 8 bits give less error, a broken file more."""
_AS_IT_IS = how_read.HowRead()
_BINARY = "B"
_STATUS = {"0": "1", "1": "2", "NA": "0", "NAN": "0", "-9": "0", ".": "0"}
"""A binary phenotype of this format is 0 or 1; here are PLINK's words for it."""
_OFFSET = 4
"""Bytes that say where variants begin, and are not counted in it."""
_BEFORE = {1: 8, 2: 10}
"""Bytes of a variant of each layout before its packed probabilities, beside names and place."""
_NAMED = 2
"""Columns that name a person: family and individual."""


def oxford_sample(path: Path) -> PeopleTable:
    """People and their binary phenotypes; other columns are not looked at.

    Two lines of names and types (0, D, C, P or B), then a line a person. A column of type B is a
    phenotype: 0 control, 1 case, NA unknown.
    """
    lines = rows(path)
    good = len(lines) > 2 and lines[0][0].upper().startswith("ID") and lines[1][0] == "0"
    if not good or any(len(line) != len(lines[0]) for line in lines):
        raise DataError(
            f"Expected two lines of names and types, then a line a person, got others at {path}. "
            "Write it with plink2 --export bgen-1.2 ref-first."
        )
    header, types, *people = lines
    second = int(len(header) > 1 and types[1] == "0")
    names = [(line[0], line[second]) for line in people]
    check_distinct(names, path)
    columns = {
        name: [_STATUS.get(line[i].upper(), "") for line in people]
        for i, (name, kind) in enumerate(zip(header, types, strict=True))
        if i >= _NAMED and kind == _BINARY
    }
    if any("" in words for words in columns.values()):
        raise DataError(
            "Expected binary phenotypes 0 (control), 1 (case) or NA, got another value at "
            f"{path}. Give a phenotype file with --pheno."
        )
    families = bool(second) and all(family != "0" for family, _ in names)
    return PeopleTable(path, names, families, columns)


class BgenFile(how_read.LineFile):
    """Genotypes of a BGEN file; NAME.sample beside it names people and binary phenotypes.

    Without a phenotype file, its name chooses among the phenotypes of the .sample file.
    """

    def __init__(self, path: Path, how: how_read.HowRead = _AS_IT_IS) -> None:
        super().__init__(path, how)
        if bgen is None:
            raise InvalidArgument(
                f'Expected bgen to read {path}, got none. Run: pip install "deniable[bgen]", or '
                f"convert it with plink2 --bgen {path} ref-first (or ref-last, as it was written) "
                "--make-pgen."
            )
        check_file(path)
        with self._open() as file:
            header = self.call(lambda: file.header)
            self._people = int(header.nsamples)
            names = self.call(lambda: list(file.samples)) if header.has_sample_ids else None
        self.individuals = self._individuals(names)

    def blocks(self) -> Iterator[tuple[list[how_read.Record], NDArray[np.uint8]]]:
        """Names, and copies of allele 1 or 3; (n_variants, n_individuals)."""
        return how_read.in_blocks(self._records())

    def _individuals(self, names: list[str] | None) -> Individuals:
        phenotype, phenotype_name = self.how.phenotype, self.how.phenotype_name
        sample = self.path.with_suffix(".sample")
        if not sample.is_file():
            if names is None:
                raise DataError(
                    f"Expected names of people, got none at {self.path}. Put {sample.name} beside "
                    "it."
                )
            return self.find_people(names)
        people = oxford_sample(sample)
        if len(people.names) != self._people:
            raise DataError(
                f"Expected {self._people:,} people, as {self.path} has, got {len(people.names):,} "
                f"at {sample}. Use the files that were written together."
            )
        individuals = [individual for _, individual in people.names]
        spelled = [(family, name, f"{family}_{name}") for family, name in people.names]
        # One of the two may leave out families. Names that share nothing may be pseudonyms.
        if (
            names
            and not set().union(*spelled).isdisjoint(names)
            and not all(
                name in own or name.endswith(f"_{own[1]}")
                for name, own in zip(names, spelled, strict=True)
            )
        ):
            raise DataError(
                f"Expected people in the order in which {self.path} names them, got another at "
                f"{sample}. Use the files that were written together."
            )
        if phenotype is None or phenotype_file(phenotype).families == people.families:
            return from_table(people, phenotype, phenotype_name)
        check_distinct(individuals, sample)
        return from_names(individuals, phenotype, phenotype_name)

    def _records(self) -> Iterator[tuple[how_read.Record, NDArray[np.int8]]]:
        with self._open() as file, self.path.open("rb") as raw:
            header = self.call(lambda: file.header)
            end = header.offset + _OFFSET
            for _ in range(header.nvariants):
                line, place, position, name, alleles = self.call(lambda: _next(file))
                end = line.next_variant_offset
                if not self.is_autosomal(place):
                    self.not_autosomal += 1
                    continue
                where = f"{self.path}, {place}:{position}"
                if not (counted := self.select(len(alleles) - 1, where)):
                    continue
                dosages = self._dosages(line, raw, len(alleles), where)
                if self.how.order is how_read.AlleleOrder.REF_LAST:
                    alleles, dosages = alleles[::-1], dosages[::-1]
                for allele in counted:
                    of = [*alleles, how_read.NO_ALLELE][allele]
                    copies = hard_calls(dosages[allele]) & MISSING  # of −1 its two lowest bits
                    yield (place, name, position, of, alleles[0]), copies
            if end != self.path.stat().st_size:
                raise self.broken()

    def _dosages(self, line: Any, raw: IO[bytes], alleles: int, where: str) -> NDArray[np.float64]:
        """Mean copies of each allele, NaN where missing; shape (n_alleles, n_individuals)."""
        self.call(lambda: _check_sum(raw, line))
        ploidy = self.call(lambda: line.ploidy)
        if len(ploidy) != self._people or bool((np.asarray(ploidy) != 2).any()):
            raise DataError(
                f"Expected two alleles in every call, got another call at {where}. Correct the "
                "file; not everybody has two on X, Y and mitochondria only, and those are left out."
            )
        probabilities = self.call(lambda: np.asarray(line.probabilities, dtype=np.float64))
        phased = self.call(lambda: bool(line.is_phased))
        copies = copies_of_alleles(alleles, phased)
        good = probabilities.shape == (self._people, copies.shape[1])
        if good:
            # A missing call is NaN, which is beyond no limit.
            *dosages, sums = np.vstack([copies, np.ones(copies.shape[1])]) @ probabilities.T
            outside = (probabilities < -_SLACK) | (probabilities > 1 + _SLACK)
            off = np.abs(sums - (2 if phased else 1)) > _SLACK
            good = not (outside.any() or off.any())
        if not good:
            raise DataError(
                f"Expected probabilities that add up to 1 in every call, got others at {where}. "
                "Copy the file again."
            )
        return np.array(dosages)

    def broken(self, _error: Exception | None = None) -> DataError:
        """Return what is said of a file that the library cannot read."""
        return DataError(
            f"Expected a whole BGEN file, got another at {self.path}. Copy it again, or convert it "
            "with plink2 --bgen and ref-first or ref-last, as it was written."
        )

    def _open(self) -> closing[Any]:
        return closing(self.call(lambda: bgen.BgenReader(str(self.path), delay_parsing=True)))


def hard_calls(dosage: NDArray[np.float64]) -> NDArray[np.int8]:
    """The nearest whole number of copies, −1 where it is further than 0.1 or nothing is known.

    Examples
    --------
    >>> hard_calls(np.array([0.0, 0.09, 0.11, 1.95, np.nan])).tolist()
    [0, 0, -1, 2, -1]
    """
    nearest = np.rint(dosage)
    certain = np.abs(dosage - nearest) <= THRESHOLD  # never where it is NaN
    return np.where(certain, nearest, -1).astype(np.int8)


def _next(file: Any) -> tuple[Any, str, int, str, list[str]]:
    line = next(file)
    return line, line.chrom, int(line.pos), line.rsid or line.varid or ".", list(line.alleles)


def _check_sum(file: IO[bytes], line: Any) -> None:
    """Inflate what zlib packed once more: the library does not look at the checksum."""
    if line.compression != "zlib":
        return
    words = (2 + len(word.encode()) for word in (line.varid, line.rsid, line.chrom))
    alleles = (4 + len(allele.encode()) for allele in line.alleles)
    start = line.fileoffset + _BEFORE[line.layout] + 4 + sum(words) + sum(alleles)
    file.seek(start)
    zlib.decompress(file.read(line.next_variant_offset - start))


def copies_of_alleles(alleles: int, phased: bool) -> NDArray[np.float64]:
    """Copies of each allele in each column of probabilities; (n_alleles, n_columns).

    Phased: allele by allele on the first haplotype, then on the second. Otherwise genotypes in
    the order 0/0, 0/1, 1/1, 0/2, 1/2, 2/2, …
    """
    number = max(alleles, 2)
    if phased:
        return np.tile(np.eye(number), 2)
    pairs = [(first, second) for second in range(number) for first in range(second + 1)]
    one = np.eye(number)
    return np.stack([one[first] + one[second] for first, second in pairs], axis=1)
