"""GWAS-SSF: the columns in which catalogues take a study's summary statistics (version 1.1).

The effect is the allelic log odds ratio of allele 1, with its standard error

    β = ln(a d / (b c)),   SE = √(1/a + 1/b + 1/c + 1/d)

of copies a, b of alleles 1 and 2 in cases and c, d in controls: what `plink --assoc` gives as OR
and, with --ci, as SE. Where a cell is empty neither is finite, and the standard takes numbers
only; such variants are left out and counted, as are those that it has no words for.
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deniable.errors.late import late
from deniable.gwas.association.statistics import called, copies
from deniable.gwas.chromosomes import chromosome_name
from deniable.gwas.genotypes import CountedStudy

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import csv
else:
    pa = late("pyarrow", extra="gwas")
    csv = late("pyarrow.csv", extra="gwas")

COLUMNS = (
    "chromosome", "base_pair_location", "effect_allele", "other_allele", "beta", "standard_error",
    "effect_allele_frequency", "p_value", "rsid", "n",
)  # fmt: skip
"""The first eight in the standard's order, then those that it encourages and we know."""

MISSING = "#NA"
_NUMBERS = {str(number): number for number in range(1, 23)} | {
    "X": 23, "Y": 24, "MT": 25, "23": 23, "24": 24, "26": 25,
}  # fmt: skip
"""Chromosomes as the standard numbers them; pseudo-autosomal regions belong to X."""
_PSEUDO = {"XY": 23, "PAR1": 23, "PAR2": 23, "25": 23}
_ALLELE = re.compile(r"[ACGT]+")
_RSID = re.compile(r"rs[0-9]+")


def write_gwas_ssf(path: Path, study: CountedStudy, p_value: NDArray[np.float64]) -> int:
    """A row a variant that the standard can hold, in file order; how many were left out.

    Left out are variants whose alleles are not two different words of A, C, G and T, that stand on
    no numbered chromosome or at no position above 0, and those of which a group lacks an allele.

    Parameters
    ----------
    path : path
        A file .tsv; it appears whole, in place of an older one.
    study : CountedStudy
        Counts, with missing calls left out of their variant.
    p_value : array of float, shape (n_variants,)
        Of the association.
    """
    table, left_out = _table(study, p_value)
    partial = path.with_name(f".{path.name}.partial-{secrets.token_hex(8)}")
    as_tsv = csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
    try:
        with partial.open("xb") as file:
            file.write("\t".join(COLUMNS).encode() + b"\n")
            csv.write_csv(table, file, as_tsv)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return left_out


def _table(study: CountedStudy, p_value: NDArray[np.float64]) -> tuple[pa.Table, int]:
    counts, variants = study.counts, study.variants
    sizes = called(counts.cases), called(counts.controls)
    first = copies(counts.cases), copies(counts.controls)
    cells = np.stack([first[0], 2 * sizes[0] - first[0], first[1], 2 * sizes[1] - first[1]])
    cells = cells.astype(np.float64)
    numbers = np.array([_number(name) for name in variants.chromosome.tolist()], dtype=np.int64)
    words = [
        bool(_ALLELE.fullmatch(one) and _ALLELE.fullmatch(other) and one != other)
        for one, other in zip(variants.allele_1, variants.allele_2, strict=True)
    ]
    kept = np.array(words, dtype=bool) & (numbers > 0) & (variants.position > 0)
    kept &= (cells > 0).all(axis=0) & ~np.isnan(p_value)
    a, b, c, d = cells[:, kept]
    both = sizes[0] + sizes[1]
    named = variants.taken(kept)
    names = [name if _RSID.fullmatch(name) else MISSING for name in named.identifier.tolist()]
    columns = (
        numbers[kept],
        named.position,
        named.allele_1,
        named.allele_2,
        np.log(a) - np.log(b) - np.log(c) + np.log(d),
        np.sqrt(1 / a + 1 / b + 1 / c + 1 / d),
        (first[0] + first[1])[kept] / (2 * both[kept]),
        p_value[kept],
        names,
        both[kept],
    )
    arrays = {name: pa.array(each) for name, each in zip(COLUMNS, columns, strict=True)}
    return pa.table(arrays), int(np.count_nonzero(~kept))


def _number(name: str) -> int:
    """The standard's number of a chromosome, 0 for none."""
    word = chromosome_name(name)
    return _PSEUDO.get(word) or _NUMBERS.get(word) or 0
