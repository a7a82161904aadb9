"""Where a study lies: PLINK, VCF, BGEN or a table of counts, distinguished by name."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.gwas.files.bgen import SUFFIX as BGEN_SUFFIX
from deniable.gwas.files.bgen import BgenFile
from deniable.gwas.files.filters import Filters, Lists, read_lists
from deniable.gwas.files.how_read import HowRead, Multiallelic, NoVariants, check_some
from deniable.gwas.files.individuals import Blocks, Individuals
from deniable.gwas.files.pgen import SUFFIXES as PGEN_SUFFIXES
from deniable.gwas.files.pgen import PgenFile
from deniable.gwas.files.plink import PlinkStudy, file_of, plink_study
from deniable.gwas.files.several import (
    StudyFiles,
    StudyPath,
    in_order,
    join_variants,
    match_people,
)
from deniable.gwas.files.vcf import SUFFIXES as VCF_SUFFIXES
from deniable.gwas.files.vcf import VcfFile
from deniable.gwas.genotypes import AUTOSOMES, MissingRule, Variants, autosomal

# --- Where a study lies: PLINK, VCF, BGEN or a table of counts, distinguished by name.


_PACKED = (".gz", ".bgz")
Part = TypeVar("Part")

GenotypeFile = VcfFile | PgenFile | BgenFile
"""A file that is read line by line; those of PLINK 1 are read at any place."""


@attrs.frozen
class StudySource:
    """Where a study lies, and how it is to be read."""

    path: Path
    how: HowRead
    lists: Lists

    @classmethod
    def of(
        cls,
        prefix: StudyPath | StudyFiles,
        phenotype: str | Path | None,
        phenotype_name: str | None,
        multiallelic: str | Multiallelic,
        autosomes: int,
        lists: Lists,
    ) -> "tuple[StudySource, ...]":
        """The source of each file of raw arguments, checked."""
        autosomal([], autosomes)
        status = None if phenotype is None else Path(phenotype)
        rule = Multiallelic.of(multiallelic)
        how = HowRead(status, phenotype_name, autosomes, rule, lists.order)
        sources = tuple(cls(path, how, lists) for path in StudyFiles.of(prefix).paths)
        for source in sources:
            if lists.order is not None and source.suffix != BGEN_SUFFIX:
                raise InvalidArgument(
                    f"Expected a BGEN file with allele_order (--allele-order), got {source.path}. "
                    "Leave it out: a VCF and a .pvar file say which allele is the reference, and "
                    "in a .bim file it is the second one."
                )
        return sources

    @property
    def suffix(self) -> str:
        """What the name ends in, .pgen where only PLINK 2's files have this prefix."""
        return _kind(self.path)

    def open_file(self) -> GenotypeFile | None:
        """The file with the people whom lists leave, or None for PLINK 1 or counts."""
        if (file := self._file()) is not None:
            file.individuals = self.lists.people(file.individuals, self.path)
        return file

    def _file(self) -> GenotypeFile | None:
        match self.suffix:
            case ".pgen":
                named = self.path.suffix in PGEN_SUFFIXES
                return PgenFile(self.path.with_suffix("") if named else self.path, self.how)
            case ".bgen":
                return BgenFile(self.path, self.how)
            case suffix if suffix in VCF_SUFFIXES:
                return VcfFile(self.path, self.how)
            case _:
                return None

    def people(self) -> Individuals | None:
        """Everybody in the file, or None for a table of counts."""
        if self.suffix == ".tsv":
            return None
        file = self.open_file()
        return self.plink().individuals if file is None else file.individuals

    def plink(self) -> PlinkStudy:
        """The three files of PLINK 1."""
        study = plink_study(_without_bed(self.path), self.how.phenotype, self.how.phenotype_name)
        return attrs.evolve(study, individuals=self.lists.people(study.individuals, self.path))


def holds_counts(study: StudyFiles) -> bool:
    """Whether a name is that of a table of counts, which nobody's genotype can be read from."""
    return any(_suffix(path) == ".tsv" for path in study.paths)


def is_plink(study: StudyFiles) -> bool:
    """Whether all names are prefixes of bed, bim and fam files."""
    return all(_kind(path) == ".bed" for path in study.paths)


def _kind(path: Path) -> str:
    suffix = _suffix(path)
    if suffix in PGEN_SUFFIXES:
        return ".pgen"
    if suffix in (*VCF_SUFFIXES, BGEN_SUFFIX, ".tsv", ".bed"):
        return suffix
    of_two = not file_of(path, "bed").exists() and file_of(path, "pgen").is_file()
    return ".pgen" if of_two else ".bed"


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix


def _without_bed(path: Path) -> Path:
    return path.with_suffix("") if path.suffix == ".bed" else path


# --- A study person by person, from whatever files it lies in.


@attrs.frozen
class StudyGenotypes:
    """A study person by person, for simulations and attacks; nothing of it is ever released.

    As in `count_study`, only variants that everybody has two copies of.

    Parameters
    ----------
    variants : Variants
        In file order.
    individuals : Individuals
        Cases and controls.
    blocks : callable
        Reads the file from its start: given a number of variants, yields arrays of that many rows,
        (n_variants, n_individuals), with copies of allele 1 and −1 for a missing call.
    """

    variants: Variants
    individuals: Individuals
    blocks: Blocks = attrs.field(repr=False, eq=False)


def genotypes(
    prefix: StudyPath | StudyFiles,
    *,
    phenotype: str | Path | None = None,
    phenotype_name: str | None = None,
    multiallelic: str | Multiallelic = Multiallelic.REFUSE,
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
) -> StudyGenotypes:
    """Open a study to read it person by person.

    Parameters
    ----------
    prefix, phenotype, phenotype_name, multiallelic, filters, autosomes
        As `count_study`; not a table of counts. Whom the lists leave out is neither a case nor a
        control, and has a column among the genotypes.

    Raises
    ------
    InvalidArgument
        If a file is missing, or holds counts only.
    DataError
        If a file cannot be read.
    """
    lists = read_lists(filters, MissingRule.LEAVE)
    sources = StudySource.of(prefix, phenotype, phenotype_name, multiallelic, autosomes, lists)
    variants, individuals, blocks = by_person(sources)
    return StudyGenotypes(variants(), individuals, blocks)


def by_person(
    sources: Sequence[StudySource],
) -> tuple[Callable[[], Variants], Individuals, Blocks]:
    """The variants, read when they are asked for, the people, and genotypes in blocks.

    Raises
    ------
    InvalidArgument, DataError
        As `genotypes`; also if files of one study do not belong together.
    """
    parts = [_by_person(source) for source in sources]
    if len(parts) == 1:
        return parts[0]
    first = parts[0][1]
    orders = [
        match_people(first, people, source.path)
        for source, (_, people, _) in zip(sources, parts, strict=True)
    ]
    which: list[int] = []

    def variants() -> Variants:
        some, which[:] = skip_empty([part[0] for part in parts])
        return join_variants(some, [sources[place].path for place in which])

    def blocks(block: int = 1024) -> Iterator[NDArray[np.int8]]:
        if not which:
            variants()
        for place in which:
            yield from in_order(parts[place][2](block), orders[place])

    return variants, first, blocks


def skip_empty(parts: Sequence[Callable[[], Part]]) -> tuple[list[Part], list[int]]:
    """What is read of the parts that have variants, and which these are.

    Raises
    ------
    NoVariants
        If none has.
    """
    some, which, empty = [], [], []
    for place, read in enumerate(parts):
        try:
            some.append(read())
            which.append(place)
        except NoVariants as error:
            empty.append(error)
    if not some:
        raise empty[0]
    return some, which


def _by_person(source: StudySource) -> tuple[Callable[[], Variants], Individuals, Blocks]:
    if source.suffix == ".tsv":
        raise InvalidArgument(
            f"Expected genotypes person by person, got a table of counts {source.path}. Give "
            "PLINK, VCF or BGEN files."
        )
    if (file := source.open_file()) is not None:
        return _filter_blocks(file, source)
    study = source.plink()
    two = autosomal(study.variants.chromosome, source.how.autosomes)

    def which() -> NDArray[np.intp]:
        check_some(int(two.sum()), source.path, (len(two), 0))
        return np.flatnonzero(two & source.lists.variants(study.variants, source.path))

    def blocks(block: int = 1024) -> Iterator[NDArray[np.int8]]:
        rows = which()
        for start in range(0, len(rows), block):
            yield study.genotypes.rows(rows[start : start + block])

    return lambda: study.variants.take(which()), study.individuals, blocks


def _filter_blocks(
    file: GenotypeFile, source: StudySource
) -> tuple[Callable[[], Variants], Individuals, Blocks]:
    kept: list[NDArray[np.bool_]] = []

    def variants() -> Variants:
        every = file.variants()
        kept[:] = [source.lists.variants(every, source.path)]
        return every.take(kept[0])

    def blocks(block: int = 1024) -> Iterator[NDArray[np.int8]]:
        if not source.lists.of_variants:
            yield from file.dosages(block)
            return
        if not kept:
            variants()
        start = 0
        for copies in file.dosages(block):
            yield copies[kept[0][start : start + len(copies)]]
            start += len(copies)

    return variants, file.individuals, blocks
