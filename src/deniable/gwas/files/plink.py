"""The three files of PLINK 1: bed (genotypes), bim (variants), fam (individuals)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.gwas.files.individuals import Individuals, from_fam
from deniable.gwas.files.lines import array_of, plain_or_packed, table
from deniable.gwas.files.packed import PackedGenotypes
from deniable.gwas.genotypes import Variants

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="gwas")


_PLINK_2, _BGEN = (".pgen", ".pvar", ".psam"), ".bgen"
"""Ends of names of formats that some commands do not read."""


@attrs.frozen
class PlinkStudy:
    """The three files, opened and checked against each other."""

    variants: Variants
    individuals: Individuals
    genotypes: PackedGenotypes


def plink_study(
    prefix: Path, phenotype: Path | None = None, phenotype_name: str | None = None
) -> PlinkStudy:
    """Open PREFIX.bed, .bim and .fam; the latter two may be packed by gzip.

    Parameters
    ----------
    prefix : path
        What the three names begin with.
    phenotype : path, optional
        A phenotype file that replaces the last column of the fam file.
    phenotype_name : str, optional
        Which of its phenotypes.

    Raises
    ------
    InvalidArgument
        If a file is missing.
    DataError
        If one is not what PLINK writes, or they disagree.
    """
    bed = bed_file(prefix)
    individuals = from_fam(plain_or_packed(file_of(prefix, "fam")), phenotype, phenotype_name)
    variants = bim_variants(plain_or_packed(file_of(prefix, "bim")))
    genotypes = PackedGenotypes(bed, len(individuals), len(variants))
    return PlinkStudy(variants, individuals, genotypes)


def file_of(prefix: Path, suffix: str) -> Path:
    """PREFIX.suffix; dots in the prefix stay."""
    return prefix.parent / f"{prefix.name}.{suffix}"


def bed_file(prefix: Path) -> Path:
    """PREFIX.bed.

    Raises
    ------
    InvalidArgument
        If there is none.
    """
    bed = file_of(prefix, "bed")
    if not bed.is_file():
        _check_others(prefix)
        raise InvalidArgument(f"Expected a file {bed}, got none. Check the prefix.")
    return bed


def _check_others(prefix: Path) -> None:
    """Say how to convert what is there instead of a bed file."""
    name = prefix.with_suffix("") if prefix.suffix in (*_PLINK_2, _BGEN) else prefix
    if prefix.suffix in _PLINK_2 or file_of(name, "pgen").is_file():
        raise InvalidArgument(
            f"Expected files of PLINK 1 (bed, bim, fam), got those of PLINK 2 at {name}. Convert "
            f"them with plink2 --pfile {name} --make-bed --out {name}."
        )
    if prefix.suffix == _BGEN or file_of(name, "bgen").is_file():
        raise InvalidArgument(
            f"Expected files of PLINK 1 (bed, bim, fam), got BGEN at {name}.bgen. Convert it with "
            f"plink2 --bgen {name}.bgen ref-first --sample {name}.sample --make-bed --out {name}; "
            "see there what becomes of dosages."
        )


def bim_variants(path: Path) -> Variants:
    """The variants of a bim file.

    Raises
    ------
    DataError
        If a line does not have its six columns, or a position is no whole number.
    """
    names = [field.name for field in attrs.fields(Variants)]
    found = table(path, _bim_types(), names)
    return Variants(*(array_of(found[name]) for name in names))


def _bim_types() -> dict[str, pa.DataType]:
    """The columns of a bim file in order, with their Arrow types."""
    repeated = pa.dictionary(pa.int32(), pa.string())
    return {
        "chromosome": repeated,
        "identifier": pa.string(),
        "centimorgans": pa.string(),
        "position": pa.int64(),
        "allele_1": repeated,
        "allele_2": repeated,
    }
