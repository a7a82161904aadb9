"""A study from its files: PLINK, VCF, BGEN or a table of counts, told apart by name."""

from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable._notebook import notebook_bar
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.chromosomes import AUTOSOMES, autosomal
from deniable.gwas.files.bgen import SUFFIX as BGEN_SUFFIX
from deniable.gwas.files.bgen import BgenFile
from deniable.gwas.files.counts_file import read_counts
from deniable.gwas.files.filters import Filters, Lists, opened_lists
from deniable.gwas.files.individuals import Individuals
from deniable.gwas.files.multiallelic import Multiallelic
from deniable.gwas.files.packed import Progress
from deniable.gwas.files.panel import Panel
from deniable.gwas.files.pgen import SUFFIXES as PGEN_SUFFIXES
from deniable.gwas.files.pgen import PgenFile
from deniable.gwas.files.plink import PlinkStudy, file_of, plink_study
from deniable.gwas.files.strata_file import Blocks, counted_strata, strata_of
from deniable.gwas.files.vcf import SUFFIXES as VCF_SUFFIXES
from deniable.gwas.files.vcf import VcfFile
from deniable.gwas.genotypes import CountedStudy, GenotypeCounts, MissingRule, Variants
from deniable.gwas.strata import Strata

_PACKED = (".gz", ".bgz")


def counted_study(
    prefix: str | Path,
    *,
    phenotype: str | Path | None = None,
    phenotype_name: str | None = None,
    missing: str | MissingRule = MissingRule.REFUSE,
    multiallelic: str | Multiallelic = Multiallelic.REFUSE,
    filters: Filters | None = None,
    autosomes: int = AUTOSOMES,
    strata: str | Path | None = None,
    progress: Progress | None = None,
) -> CountedStudy:
    """Count a study's genotypes in cases and controls.

    Variants on X, Y and mitochondria are left out, by the name of their chromosome.

    Parameters
    ----------
    prefix : path
        PREFIX of PREFIX.bed, .bim and .fam, or else of .pgen, .pvar and .psam; or a file .vcf,
        .vcf.gz, .bcf or .bgen, or a .tsv of counts.
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
    lists = opened_lists(filters, rule)
    source = _Source.of(prefix, phenotype, phenotype_name, multiallelic, autosomes, lists)
    divided = None if strata is None else _stratified(source, Path(strata), rule)
    study = _counted(source, notebook_bar(progress) or _silent)
    study = _filtered(study, lists, source)
    if rule is MissingRule.REFUSE and study.missing_calls:
        raise DataError(
            f"Expected a call for every case and control at every variant, got missing ones at "
            f'{source.path}. Fill them with missing "major" (--missing major), or impute them from '
            "an outside panel; leaving out variants or people for it would be a choice by looking."
        )
    match rule, lists.panel:
        case MissingRule.MAJOR, _:
            counts = study.counts.filled()
        case MissingRule.PANEL, Panel() as panel:
            counts = study.counts.filled(panel.fill(study.variants))
        case _:
            counts = study.counts
    return attrs.evolve(study, counts=counts, rule=rule, strata=divided)


@attrs.frozen
class Genotypes:
    """A study person by person, for simulations and attacks; nothing of it is ever released.

    As in `counted_study`, only variants that everybody has two copies of.

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
) -> Genotypes:
    """Open a study to read it person by person.

    Parameters
    ----------
    prefix, phenotype, phenotype_name, multiallelic, filters, autosomes
        As `counted_study`; not a table of counts. Whom the lists leave out is neither a case nor a
        control, and has a column among the genotypes.

    Raises
    ------
    InvalidArgument
        If a file is missing, or holds counts only.
    DataError
        If a file cannot be read.
    """
    lists = opened_lists(filters, MissingRule.LEAVE)
    source = _Source.of(prefix, phenotype, phenotype_name, multiallelic, autosomes, lists)
    variants, individuals, blocks = _by_person(source)
    return Genotypes(variants(), individuals, blocks)


def _stratified(source: "_Source", path: Path, rule: MissingRule) -> Strata:
    if rule is MissingRule.PANEL:
        raise InvalidArgument(
            'Expected missing "refuse" or "major" with strata, got "panel". Fill them with major.'
        )
    _, individuals, blocks = _by_person(source)
    return counted_strata(individuals, blocks, strata_of(individuals, path), rule)


def _by_person(source: "_Source") -> tuple[Callable[[], Variants], Individuals, Blocks]:
    if source.suffix == ".tsv":
        raise InvalidArgument(
            f"Expected genotypes person by person, got a table of counts {source.path}. Give "
            "PLINK, VCF or BGEN files."
        )
    if (file := source.opened()) is not None:
        return _filtered_blocks(file, source)
    study = source.plink()
    two = autosomal(study.variants.chromosome, source.autosomes)
    (which,) = np.nonzero(two & source.lists.variants(study.variants, source.path))

    def blocks(block: int = 1024) -> Iterator[NDArray[np.int8]]:
        for start in range(0, len(which), block):
            yield study.genotypes.rows(which[start : start + block])

    return lambda: study.variants.taken(which), study.individuals, blocks


def _filtered_blocks(
    file: VcfFile | PgenFile | BgenFile, source: "_Source"
) -> tuple[Callable[[], Variants], Individuals, Blocks]:
    kept: list[NDArray[np.bool_]] = []

    def variants() -> Variants:
        every = file.variants()
        kept[:] = [source.lists.variants(every, source.path)]
        return every.taken(kept[0])

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


@attrs.frozen
class _Source:
    """Where a study lies, and how it is to be read."""

    path: Path
    phenotype: Path | None
    phenotype_name: str | None
    multiallelic: Multiallelic
    autosomes: int
    lists: Lists

    @classmethod
    def of(
        cls,
        prefix: str | Path,
        phenotype: str | Path | None,
        phenotype_name: str | None,
        multiallelic: str | Multiallelic,
        autosomes: int,
        lists: Lists,
    ) -> "_Source":
        """The source of raw arguments, checked."""
        autosomal([], autosomes)
        status = None if phenotype is None else Path(phenotype)
        rule = Multiallelic.of(multiallelic)
        return cls(Path(prefix), status, phenotype_name, rule, autosomes, lists)

    @property
    def suffix(self) -> str:
        """What the name ends in, .pgen where only PLINK 2's files have this prefix."""
        suffix = _suffix(self.path)
        if suffix in PGEN_SUFFIXES:
            return ".pgen"
        if suffix in (*VCF_SUFFIXES, BGEN_SUFFIX, ".tsv", ".bed"):
            return suffix
        of_two = not file_of(self.path, "bed").exists() and file_of(self.path, "pgen").is_file()
        return ".pgen" if of_two else ".bed"

    def opened(self) -> VcfFile | PgenFile | BgenFile | None:
        """The file with the people whom lists leave, or None for PLINK 1 or counts."""
        if (file := self._file()) is not None:
            file.individuals = self.lists.people(file.individuals, self.path)
        return file

    def _file(self) -> VcfFile | PgenFile | BgenFile | None:
        how = self.phenotype, self.phenotype_name, self.autosomes, self.multiallelic
        match self.suffix:
            case ".pgen":
                named = self.path.suffix in PGEN_SUFFIXES
                return PgenFile(self.path.with_suffix("") if named else self.path, *how)
            case ".bgen":
                return BgenFile(self.path, *how)
            case suffix if suffix in VCF_SUFFIXES:
                return VcfFile(self.path, *how)
            case _:
                return None

    def plink(self) -> PlinkStudy:
        """The three files of PLINK 1."""
        study = plink_study(_without_bed(self.path), self.phenotype, self.phenotype_name)
        return attrs.evolve(study, individuals=self.lists.people(study.individuals, self.path))


def _counted(source: _Source, progress: Progress) -> CountedStudy:
    if source.suffix == ".tsv":
        study = _from_counts(source)
    elif (file := source.opened()) is not None:
        study = _of_file(file, progress)
    else:
        opened = source.plink()
        people = opened.individuals
        founders = people.controls & people.founders
        everybody = founders.sum() == people.controls.sum()
        third = () if everybody else (founders,)
        cases, controls, *own = opened.genotypes.counts(
            (people.cases, people.controls, *third), progress
        )
        counts = GenotypeCounts(cases, controls)
        study = _study(opened.variants, people, counts, own[0] if own else None)
    return _autosomal_only(study, source.autosomes, source.path)


def _of_file(file: VcfFile | PgenFile | BgenFile, progress: Progress) -> CountedStudy:
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
    if not kept.any():
        raise DataError(
            f"Expected a variant on an autosome or more, got X, Y and mitochondrial ones only at "
            f"{path}. Not everybody has two copies there, and such variants are left out."
        )
    counts = GenotypeCounts(study.counts.cases[kept], study.counts.controls[kept])
    own = study.founder_controls
    return attrs.evolve(
        study,
        variants=study.variants.taken(kept),
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


def _from_counts(source: _Source) -> CountedStudy:
    path, phenotype = source.path, source.phenotype
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


def _filtered(study: CountedStudy, lists: Lists, source: _Source) -> CountedStudy:
    stated = lists.stated(source.multiallelic.value)
    kept = lists.variants(study.variants, source.path)
    if kept.all():
        return attrs.evolve(study, filters=stated)
    counts, own = study.counts.taken(kept), study.founder_controls
    return attrs.evolve(
        study,
        variants=study.variants.taken(kept),
        counts=counts,
        missing_calls=counts.missing_calls,
        filters=stated,
        founder_controls=None if own is None else own[kept],
    )


def holds_counts(path: Path) -> bool:
    """Whether its name is that of a table of counts, which nobody's genotype can be read from."""
    return _suffix(path) == ".tsv"


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix


def _without_bed(path: Path) -> Path:
    return path.with_suffix("") if path.suffix == ".bed" else path


def _silent(_: float) -> None:
    """The progress of work that nobody watches."""
