"""A study from its files, by their names: counted in cases and controls, or person by person."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.bgen import SUFFIX as BGEN_SUFFIX
from deniable.gwas.files.counting import StudyPart, count_files, open_parts
from deniable.gwas.files.families import check_families
from deniable.gwas.files.filters import Filters, FrequencyPanel, read_lists
from deniable.gwas.files.how_read import AlleleOrder, Multiallelic, check_some
from deniable.gwas.files.individuals import Blocks, Individuals, assign_strata, count_strata
from deniable.gwas.files.packed import Progress
from deniable.gwas.files.plink import PlinkStudy
from deniable.gwas.files.several import StudyFiles, StudyPath, join_variants, skip_empty
from deniable.gwas.files.sources import GenotypeFile, StudySource
from deniable.gwas.genotypes import (
    AUTOSOMES,
    MISSING,
    CountedStudy,
    MissingRule,
    Variants,
    autosomal,
)
from deniable.gwas.public_filters import Families
from deniable.numerics.effort import Effort, notebook_bar, silent


@attrs.frozen
class StudyGenotypes:
    """A study person by person, for simulations and attacks; nothing of it is ever released.

    Only variants that everybody has two copies of, in file order. `blocks` reads the file from its
    start: given a number of variants, it yields arrays of that many rows, (n_variants,
    n_individuals), with copies of allele 1 and −1 for a missing call.
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
    """Open a study, as `count_study` does, to read it person by person; not a table of counts.

    Whom the lists leave out is neither a case nor a control, and has a column among the genotypes.
    """
    lists = read_lists(filters, MissingRule.LEAVE)
    sources = StudySource.of(prefix, phenotype, phenotype_name, multiallelic, autosomes, lists)
    variants, individuals, blocks = by_person(sources)
    return StudyGenotypes(variants(), individuals, blocks)


def by_person(
    sources: Sequence[StudySource],
) -> tuple[Callable[[], Variants], Individuals, Blocks]:
    """The variants, read when they are asked for, the people, and genotypes in blocks."""
    for source in sources:
        if source.suffix == ".tsv":
            raise InvalidArgument(
                f"Expected genotypes person by person, got a table of counts {source.path}. Give "
                "PLINK, VCF or BGEN files."
            )
    study_parts, orders = open_parts(sources)
    parts = [_by_person(each) for each in study_parts]
    if len(parts) == 1:
        return parts[0]
    first = parts[0][1]
    which: list[int] = []

    def variants() -> Variants:
        some, which[:] = skip_empty([part[0] for part in parts])
        return join_variants(some, [sources[place].path for place in which])

    def blocks(block: int = 1024) -> Iterator[NDArray[np.int8]]:
        if not which:
            variants()
        for place in which:
            order = orders[place]
            for each in parts[place][2](block):
                yield each if order is None else each[:, order]

    return variants, first, blocks


def _by_person(study_parts: StudyPart) -> tuple[Callable[[], Variants], Individuals, Blocks]:
    source, study = study_parts.source, study_parts.file
    if not isinstance(study, PlinkStudy):
        return _filter_blocks(study, source)
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


def count_study(
    prefix: StudyPath | StudyFiles,
    *,
    phenotype: str | Path | None = None,
    phenotype_name: str | None = None,
    missing: str | MissingRule = MissingRule.REFUSE,
    multiallelic: str | Multiallelic = Multiallelic.REFUSE,
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
    strata: str | Path | None = None,
    families: Families | None = None,
    owner: bool = False,
    progress: Progress | None = None,
    effort: Effort | None = None,
) -> CountedStudy:
    """Count a study's genotypes in cases and controls, in file order; arguments as of `gwas.scan`.

    Variants on X, Y and mitochondria are left out, by the name of their chromosome. Missing calls
    may be left out of their variant, too. With strata sums over them are counted, in a second
    reading. Where only the `owner` sees the answer, "major" is refused if the calls show that
    allele 2 is the rarer one. A release cannot look.
    """
    autosomal([], autosomes)
    rule = MissingRule.of(missing)
    lists = read_lists(filters, rule)
    sources = StudySource.of(prefix, phenotype, phenotype_name, multiallelic, autosomes, lists)
    check_allele_order(StudyFiles.of(prefix), lists.order, rule)
    if families is not None:
        check_families(sources[0].people(), families, sources[0].path)
    divided = None
    if strata is not None and rule is MissingRule.PANEL:
        raise InvalidArgument(
            'Expected missing "refuse" or "major" with strata, got "panel". Fill them with major.'
        )
    if strata is not None:
        _, people, blocks = by_person(sources)
        divided = count_strata(people, blocks, assign_strata(people, Path(strata)), rule)
    tell = notebook_bar(progress) or silent
    study = count_files(sources, attrs.evolve(effort or Effort(), progress=tell))
    study = attrs.evolve(study, filters=lists.describe(sources[0].how.multiallelic.value))
    kept = lists.variants(study.variants, sources[0].path)
    study = study if kept.all() else study.take(kept)
    if rule is MissingRule.REFUSE and study.missing_calls:
        raise DataError(
            "Expected a call for every case and control at every variant, got missing ones at "
            f'{StudyFiles.of(prefix)}. Fill them with missing "major" (--missing major), or impute '
            "them from an outside panel; leaving out variants or people for it would be a choice "
            "by looking."
        )
    if owner and rule is MissingRule.MAJOR:
        _check_commoner(study, StudyFiles.of(prefix))
    match rule, lists.panel:
        case MissingRule.MAJOR, _:
            counts = study.counts.fill_missing()
        case MissingRule.PANEL, FrequencyPanel() as panel:
            counts = study.counts.fill_missing(panel.fill(study.variants))
        case _:
            counts = study.counts
    return attrs.evolve(study, counts=counts, rule=rule, strata=divided)


def check_allele_order(files: StudyFiles, order: AlleleOrder | None, rule: MissingRule) -> None:
    """Refuse to read missing calls as the reference of a BGEN file, which does not name it."""
    if rule is not MissingRule.MAJOR or order is not None:
        return
    for path in files.paths:
        if path.name.lower().endswith(BGEN_SUFFIX):
            raise InvalidArgument(
                f'Expected the order of the alleles of {path} with missing "major", got none. A '
                "BGEN file does not say which allele is the reference. Give --allele-order "
                "ref-first for UK Biobank's files and those of plink2 --export bgen-1.2 ref-first, "
                "or ref-last for those of plink2 --export bgen-1.2 alone; or fill from a panel "
                "(--missing panel)."
            )


def _check_commoner(study: CountedStudy, files: StudyFiles) -> None:
    calls = study.counts.cases + study.counts.controls
    holes = calls[:, MISSING] > 0
    rarer = holes & (calls[:, 2] > calls[:, 0])
    if rarer.any():
        raise DataError(
            f"Expected allele 2 to be the commoner one wherever calls are missing, got the rarer "
            f"one at {int(rarer.sum()):,} of {int(holes.sum()):,} variants of {files}. Missing "
            "calls that are read as two copies of it make false hits, in a release too. Take a "
            'panel with missing "panel" (--missing panel), or write the file anew with allele 2 '
            "the commoner one."
        )
