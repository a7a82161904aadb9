"""A study from its files: genotypes counted in cases and controls."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.bgen import SUFFIX as BGEN_SUFFIX
from deniable.gwas.files.counts_file import read_counts
from deniable.gwas.files.filters import Filters, FrequencyPanel, Lists, read_lists
from deniable.gwas.files.how_read import AlleleOrder, Multiallelic, NoVariants, check_some
from deniable.gwas.files.individuals import Individuals, assign_strata, count_strata
from deniable.gwas.files.packed import Progress
from deniable.gwas.files.pgen import PgenFile
from deniable.gwas.files.several import StudyFiles, StudyPath, join_counts, match_people
from deniable.gwas.files.study_source import GenotypeFile, StudySource, by_person, skip_empty
from deniable.gwas.genotypes import (
    AUTOSOMES,
    MISSING,
    CountedStudy,
    GenotypeCounts,
    MissingRule,
    Strata,
    Variants,
    autosomal,
)
from deniable.numerics.effort import notebook_bar


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
    owner: bool = False,
    progress: Progress | None = None,
) -> CountedStudy:
    """Count a study's genotypes in cases and controls.

    Variants on X, Y and mitochondria are left out, by the name of their chromosome.

    Parameters
    ----------
    prefix : path
        PREFIX of PREFIX.bed, .bim and .fam, or else of .pgen, .pvar and .psam; or a file .vcf,
        .vcf.gz, .bcf or .bgen, or a .tsv of counts. Several, or one with {chr} in its name, are
        parts of one study, of the same people.
    phenotype : path, optional
        Family, individual, phenotype: 1 control, 2 case, 0 or −9 unknown; or several phenotypes
        below a header that begins with FID IID or #IID.
    phenotype_name : str, optional
        Which of several phenotypes, in that file or in the .psam or .sample file.
    missing : {"refuse", "major", "panel", "leave"}
        What becomes of missing calls. "major" reads them as two copies of allele 2, "panel" as the
        most frequent genotype of the filters' panel.
    multiallelic : {"refuse", "leave-out", "split"}
        What becomes of lines with several alternative alleles. "split" makes each a variant.
    filters : Filters, optional
        Which variants and people are looked at.
    autosomes : int
        Pairs of autosomes of the species, as PLINK's --chr-set: X has the next number.
    strata : path, optional
        Family, individual, stratum: sums over strata are counted too, in a second reading.
    owner : bool
        Whether only the owner sees the answer: then "major" is refused where the calls show that
        allele 2 is the rarer one. A release cannot look.
    progress : callable, optional
        Called with the fraction done, 0 to 1.

    Returns
    -------
    CountedStudy
        Counts in file order.

    Raises
    ------
    InvalidArgument
        If a file is missing or an argument does not fit it.
    DataError
        If a file cannot be read, no variant is on an autosome, or calls are missing and `missing`
        is "refuse".
    """
    autosomal([], autosomes)
    rule = MissingRule.of(missing)
    lists = read_lists(filters, rule)
    sources = StudySource.of(prefix, phenotype, phenotype_name, multiallelic, autosomes, lists)
    check_allele_order(StudyFiles.of(prefix), lists.order, rule)
    divided = None if strata is None else _stratify(sources, Path(strata), rule)
    study = _count_parts(sources, notebook_bar(progress) or _silent)
    study = _filter(study, lists, sources[0])
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
    """Refuse to read missing calls as the reference of a BGEN file, which does not say which it is.

    Raises
    ------
    InvalidArgument
        If the rule is `MAJOR`, and no order is given.
    """
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


def _stratify(sources: Sequence[StudySource], path: Path, rule: MissingRule) -> Strata:
    if rule is MissingRule.PANEL:
        raise InvalidArgument(
            'Expected missing "refuse" or "major" with strata, got "panel". Fill them with major.'
        )
    _, individuals, blocks = by_person(sources)
    return count_strata(individuals, blocks, assign_strata(individuals, path), rule)


def _count_parts(sources: Sequence[StudySource], progress: Progress) -> CountedStudy:
    """The counts of all files as those of one; a file of X alone counts what it leaves out."""
    if len(sources) == 1:
        return _count(sources[0], progress)
    people = [source.people() for source in sources]
    for source, each in zip(sources, people, strict=True):
        if people[0] is not None and each is not None:
            match_people(people[0], each, source.path)

    def count(place: int) -> CountedStudy:
        try:
            return _count(sources[place], lambda share: progress((place + share) / len(sources)))
        except NoVariants as error:
            left_out.append(error.left_out)
            raise

    left_out: list[tuple[int, int]] = []
    counts, which = skip_empty([partial(count, place) for place in range(len(sources))])
    study = join_counts(counts, [sources[place].path for place in which])
    return attrs.evolve(
        study,
        not_autosomal=study.not_autosomal + sum(each[0] for each in left_out),
        multiallelic_left_out=study.multiallelic_left_out + sum(each[1] for each in left_out),
    )


def _count(source: StudySource, progress: Progress) -> CountedStudy:
    if source.suffix == ".tsv":
        study = _from_counts(source)
    elif (file := source.open_file()) is not None:
        study = _of_file(file, progress)
    else:
        plink = source.plink()
        people = plink.individuals
        founders = people.controls & people.founders
        everybody = founders.sum() == people.controls.sum()
        third = () if everybody else (founders,)
        cases, controls, *own = plink.genotypes.counts(
            (people.cases, people.controls, *third), progress
        )
        counts = GenotypeCounts(cases, controls)
        study = _study(plink.variants, people, counts, own[0] if own else None)
    return _autosomal_only(study, source.how.autosomes, source.path)


def _of_file(file: GenotypeFile, progress: Progress) -> CountedStudy:
    founders = None
    if isinstance(file, PgenFile):
        variants, counts, founders = file.counts(progress)
    else:
        variants, counts = file.counts()
    return attrs.evolve(
        _study(variants, file.individuals, counts, founders),
        not_autosomal=file.not_autosomal,
        multiallelic_left_out=file.multiallelic_left_out,
    )


def _autosomal_only(study: CountedStudy, autosomes: int, path: Path) -> CountedStudy:
    kept = autosomal(study.variants.chromosome, autosomes)
    if kept.all():
        return study
    check_some(int(kept.sum()), path, (len(kept), 0))
    counts = GenotypeCounts(study.counts.cases[kept], study.counts.controls[kept])
    own = study.founder_controls
    return attrs.evolve(
        study,
        variants=study.variants.take(kept),
        counts=counts,
        missing_calls=counts.missing_calls,
        not_autosomal=int(np.count_nonzero(~kept)),
        founder_controls=None if own is None else own[kept],
    )


def _study(
    variants: Variants,
    individuals: Individuals,
    counts: GenotypeCounts,
    founder_controls: NDArray[np.int64] | None,
) -> CountedStudy:
    return CountedStudy(
        variants,
        counts,
        individuals=int(individuals.kept.sum()),
        cases=int(individuals.cases.sum()),
        controls=int(individuals.controls.sum()),
        missing_calls=counts.missing_calls,
        rule=MissingRule.LEAVE,
        founder_controls=founder_controls,
    )


def _from_counts(source: StudySource) -> CountedStudy:
    path, phenotype = source.path, source.how.phenotype
    if phenotype is not None:
        raise InvalidArgument(
            f"Expected no phenotype file with a table of counts, got {phenotype}. Leave it out."
        )
    if source.lists.of_people:
        raise InvalidArgument(
            f"Expected people one by one for a list of people, got a table of counts {path}. Give "
            "PLINK, VCF or BGEN files."
        )
    if not path.is_file():
        raise InvalidArgument(f"Expected a file {path}, got none. Check the name.")
    return read_counts(path)


def _filter(study: CountedStudy, lists: Lists, source: StudySource) -> CountedStudy:
    stated = lists.describe(source.how.multiallelic.value)
    kept = lists.variants(study.variants, source.path)
    if kept.all():
        return attrs.evolve(study, filters=stated)
    counts, own = study.counts.take(kept), study.founder_controls
    return attrs.evolve(
        study,
        variants=study.variants.take(kept),
        counts=counts,
        missing_calls=counts.missing_calls,
        filters=stated,
        founder_controls=None if own is None else own[kept],
    )


def _silent(_: float) -> None:
    """The progress of work that nobody watches."""
