"""A study from its files: PLINK, VCF or a table of counts, told apart by name."""

from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable._notebook import notebook_bar
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.counts_file import read_counts
from deniable.gwas.files.individuals import Individuals
from deniable.gwas.files.packed import Progress
from deniable.gwas.files.plink import plink_study
from deniable.gwas.files.vcf import SUFFIXES as VCF_SUFFIXES
from deniable.gwas.files.vcf import VcfFile
from deniable.gwas.genotypes import CountedStudy, GenotypeCounts, MissingRule, Variants

_PACKED = (".gz", ".bgz")


def counted_study(
    prefix: str | Path,
    *,
    phenotype: str | Path | None = None,
    missing: str | MissingRule = MissingRule.REFUSE,
    progress: Progress | None = None,
) -> CountedStudy:
    """Count a study's genotypes in cases and controls.

    Parameters
    ----------
    prefix : path
        PREFIX of PREFIX.bed, .bim and .fam, or a file .vcf, .vcf.gz or .bcf, or a .tsv of counts.
    phenotype : path, optional
        Family, individual, phenotype: 1 control, 2 case, 0 or −9 unknown.
    missing : {"refuse", "major", "leave"}
        What becomes of missing calls. "major" reads them as two copies of allele 2.
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
        If a file cannot be read, or calls are missing and `missing` is "refuse".
    """
    rule, path = MissingRule.of(missing), Path(prefix)
    study = _counted(
        path, None if phenotype is None else Path(phenotype), notebook_bar(progress) or _silent
    )
    if rule is MissingRule.REFUSE and study.missing_calls:
        raise DataError(
            f"Expected a call for every case and control at every variant, got missing ones at "
            f'{path}. Fill them with missing "major" (--missing major), or impute them from an '
            "outside panel; leaving out variants or people for it would be a choice by looking."
        )
    counts = study.counts.filled() if rule is MissingRule.MAJOR else study.counts
    return attrs.evolve(study, counts=counts, rule=rule)


@attrs.frozen
class Genotypes:
    """A study person by person, for simulations and attacks; nothing of it is ever released.

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
    blocks: Callable[[int], Iterator[NDArray[np.int8]]] = attrs.field(repr=False, eq=False)


def genotypes(prefix: str | Path, *, phenotype: str | Path | None = None) -> Genotypes:
    """Open a study to read it person by person.

    Parameters
    ----------
    prefix, phenotype : path
        As `counted_study`; not a table of counts.

    Raises
    ------
    InvalidArgument
        If a file is missing, or holds counts only.
    DataError
        If a file cannot be read.
    """
    path, status = Path(prefix), None if phenotype is None else Path(phenotype)
    match _suffix(path):
        case ".tsv":
            raise InvalidArgument(
                f"Expected genotypes person by person, got a table of counts {path}. Give PLINK or "
                "VCF files."
            )
        case suffix if suffix in VCF_SUFFIXES:
            file = VcfFile(path, status)
            return Genotypes(file.variants(), file.individuals, file.dosages)
        case _:
            study = plink_study(_without_bed(path), status)
            return Genotypes(study.variants, study.individuals, study.genotypes.dosages)


def _counted(path: Path, phenotype: Path | None, progress: Progress) -> CountedStudy:
    match _suffix(path):
        case ".tsv":
            return _from_counts(path, phenotype)
        case suffix if suffix in VCF_SUFFIXES:
            file = VcfFile(path, phenotype)
            variants, counts = file.counts()
            return _study(variants, file.individuals, counts)
        case _:
            study = plink_study(_without_bed(path), phenotype)
            groups = study.individuals.cases, study.individuals.controls
            cases, controls = study.genotypes.counts(groups, progress)
            return _study(study.variants, study.individuals, GenotypeCounts(cases, controls))


def _study(variants: Variants, individuals: Individuals, counts: GenotypeCounts) -> CountedStudy:
    return CountedStudy(
        variants,
        counts,
        individuals=len(individuals),
        cases=int(individuals.cases.sum()),
        controls=int(individuals.controls.sum()),
        missing_calls=counts.missing_calls,
        rule=MissingRule.LEAVE,
    )


def _from_counts(path: Path, phenotype: Path | None) -> CountedStudy:
    if phenotype is not None:
        raise InvalidArgument(
            f"Expected no phenotype file with a table of counts, got {phenotype}. Leave it out."
        )
    if not path.is_file():
        raise InvalidArgument(f"Expected a file {path}, got none. Check the name.")
    return read_counts(path)


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix


def _without_bed(path: Path) -> Path:
    return path.with_suffix("") if path.suffix == ".bed" else path


def _silent(_: float) -> None:
    """The progress of work that nobody watches."""
