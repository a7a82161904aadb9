"""A study person by person, from whatever files it lies in."""

from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.gwas.chromosomes import AUTOSOMES, autosomal
from deniable.gwas.files.filters import Filters, read_lists
from deniable.gwas.files.how_read import Multiallelic
from deniable.gwas.files.individuals import Individuals
from deniable.gwas.files.strata_file import Blocks
from deniable.gwas.files.study_source import GenotypeFile, StudySource
from deniable.gwas.genotypes import MissingRule, Variants


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
    prefix: str | Path,
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
    source = StudySource.of(prefix, phenotype, phenotype_name, multiallelic, autosomes, lists)
    variants, individuals, blocks = by_person(source)
    return StudyGenotypes(variants(), individuals, blocks)


def by_person(source: StudySource) -> tuple[Callable[[], Variants], Individuals, Blocks]:
    """The variants, read when they are asked for, the people, and genotypes in blocks.

    Raises
    ------
    InvalidArgument, DataError
        As `genotypes`.
    """
    if source.suffix == ".tsv":
        raise InvalidArgument(
            f"Expected genotypes person by person, got a table of counts {source.path}. Give "
            "PLINK, VCF or BGEN files."
        )
    if (file := source.open_file()) is not None:
        return _filter_blocks(file, source)
    study = source.plink()
    two = autosomal(study.variants.chromosome, source.how.autosomes)
    (which,) = np.nonzero(two & source.lists.variants(study.variants, source.path))

    def blocks(block: int = 1024) -> Iterator[NDArray[np.int8]]:
        for start in range(0, len(which), block):
            yield study.genotypes.rows(which[start : start + block])

    return lambda: study.variants.take(which), study.individuals, blocks


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
