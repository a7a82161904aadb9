"""A study from its files, by their names: counted in cases and controls, or person by person."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.bgen import SUFFIX as BGEN_SUFFIX
from deniable.gwas.files.bgen import BgenFile
from deniable.gwas.files.counts_file import read_counts
from deniable.gwas.files.families import check_families
from deniable.gwas.files.filters import Filters, FrequencyPanel, Lists, read_lists
from deniable.gwas.files.how_read import AlleleOrder, HowRead, Multiallelic, NoVariants, check_some
from deniable.gwas.files.individuals import Blocks, Individuals, assign_strata, count_strata
from deniable.gwas.files.lines import check_file
from deniable.gwas.files.packed import Progress
from deniable.gwas.files.pgen import PgenFile
from deniable.gwas.files.plink import PLINK_2, PlinkStudy, file_of, plink_study
from deniable.gwas.files.several import (
    StudyFiles,
    StudyPath,
    join_counts,
    join_variants,
    match_people,
)
from deniable.gwas.files.vcf import SUFFIXES as VCF_SUFFIXES
from deniable.gwas.files.vcf import VcfFile
from deniable.gwas.files.vcz import SUFFIXES as ZARR_SUFFIXES
from deniable.gwas.files.vcz import VczFile
from deniable.gwas.genotypes import (
    AUTOSOMES,
    MISSING,
    CountedStudy,
    GenotypeCounts,
    MissingRule,
    Variants,
    autosomal,
)
from deniable.gwas.public_filters import Families
from deniable.numerics.effort import notebook_bar

_PACKED = (".gz", ".bgz")
Part = TypeVar("Part")

GenotypeFile = VcfFile | VczFile | PgenFile | BgenFile
"""A file that is read line by line; those of PLINK 1 are read at any place."""


@attrs.frozen
class StudySource:
    """The place of a study, and how it is to be read."""

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
        if lists.order is not None and all(each.suffix != BGEN_SUFFIX for each in sources):
            raise InvalidArgument(
                "Expected a BGEN file with allele_order (--allele-order), got "
                f"{sources[0].path}. Leave it out: a VCF and a .pvar file say which allele is the "
                "reference, and in a .bim file it is the second one."
            )
        return sources

    @property
    def suffix(self) -> str:
        """What the name ends in, .pgen where only PLINK 2's files have this prefix."""
        return _kind(self.path)

    def open_file(self) -> GenotypeFile | None:
        """The file with the people whom lists leave, or None for PLINK 1 or counts."""
        file: GenotypeFile
        match self.suffix:
            case ".pgen":
                named = self.path.suffix in PLINK_2
                file = PgenFile(self.path.with_suffix("") if named else self.path, self.how)
            case ".bgen":
                file = BgenFile(self.path, self.how)
            case suffix if suffix in VCF_SUFFIXES:
                file = VcfFile(self.path, self.how)
            case suffix if suffix in ZARR_SUFFIXES:
                file = VczFile(self.path, self.how)
            case _:
                return None
        file.individuals = self.lists.people(file.individuals, self.path)
        return file

    def people(self) -> Individuals | None:
        """Everybody in the file, or None for a table of counts."""
        if self.suffix == ".tsv":
            return None
        file = self.open_file()
        return self.plink().individuals if file is None else file.individuals

    def plink(self) -> PlinkStudy:
        """The three files of PLINK 1."""
        prefix = self.path.with_suffix("") if self.path.suffix == ".bed" else self.path
        study = plink_study(prefix, self.how.phenotype, self.how.phenotype_name)
        return attrs.evolve(study, individuals=self.lists.people(study.individuals, self.path))


def holds_counts(study: StudyFiles) -> bool:
    """Whether a name is that of a table of counts, which nobody's genotype can be read from."""
    return any(_suffix(path) == ".tsv" for path in study.paths)


def is_plink(study: StudyFiles) -> bool:
    """Whether all names are prefixes of bed, bim and fam files."""
    return all(_kind(path) == ".bed" for path in study.paths)


def _kind(path: Path) -> str:
    suffix = _suffix(path)
    if suffix in PLINK_2:
        return ".pgen"
    if suffix in (*VCF_SUFFIXES, *ZARR_SUFFIXES, BGEN_SUFFIX, ".tsv", ".bed"):
        return suffix
    of_two = not file_of(path, "bed").exists() and file_of(path, "pgen").is_file()
    return ".pgen" if of_two else ".bed"


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix


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
            order = orders[place]
            for each in parts[place][2](block):
                yield each if order is None else each[:, order]

    return variants, first, blocks


def skip_empty(parts: Sequence[Callable[[], Part]]) -> tuple[list[Part], list[int]]:
    """What is read of the parts that have variants, and which these are."""
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
    study = _count_parts(sources, notebook_bar(progress) or (lambda _: None))
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
    is_table = source.suffix == ".tsv"
    study = _from_counts(source) if is_table else _count_people(source, progress)
    kept = autosomal(study.variants.chromosome, source.how.autosomes)
    if kept.all():
        return study
    check_some(int(kept.sum()), source.path, (len(kept), 0))
    return attrs.evolve(study.take(kept), not_autosomal=int(np.count_nonzero(~kept)))


def _count_people(source: StudySource, progress: Progress) -> CountedStudy:
    founders, left_out = None, (0, 0)
    if (file := source.open_file()) is None:
        plink = source.plink()
        variants, people = plink.variants, plink.individuals
        cases, controls, *own = plink.genotypes.counts(people.groups, progress)
        counts, founders = GenotypeCounts(cases, controls), own[0] if own else None
    else:
        people = file.individuals
        if isinstance(file, PgenFile):
            variants, counts, founders = file.counts(progress)
        else:
            variants, counts = file.counts()
        left_out = file.not_autosomal, file.multiallelic_left_out
    return CountedStudy(
        variants,
        counts,
        individuals=int(people.kept.sum()),
        cases=int(people.cases.sum()),
        controls=int(people.controls.sum()),
        missing_calls=counts.missing_calls,
        rule=MissingRule.LEAVE,
        not_autosomal=left_out[0],
        multiallelic_left_out=left_out[1],
        founder_controls=founders,
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
    check_file(path)
    return read_counts(path)
