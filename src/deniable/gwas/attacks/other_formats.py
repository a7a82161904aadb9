"""Pools that are no files of PLINK 1: VCF, PLINK 2, BGEN, and tables of counts."""

from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.files.by_person import genotypes
from deniable.gwas.files.individuals import Individuals
from deniable.gwas.files.packed import Progress
from deniable.gwas.files.reading import counted_study
from deniable.gwas.genotypes import MissingRule, Variants

_ENDS = (".vcf", ".vcf.gz", ".bcf", ".pgen", ".bgen")
_COUNTS = (".tsv", ".tsv.gz")
_COPIES = np.array([0, 1, 2, -1], np.int8)
"""Of the columns of counts."""
_ROWS = 1024
"""Variants read at once."""
_SEED = 0
"""Of the lots: the same file gives the same answer."""

Copies = NDArray[np.int8]


@attrs.frozen
class HeldGenotypes:
    """Genotypes in memory, a byte each: no file of them is left anywhere.

    Parameters
    ----------
    path : Path
        Where they were read.
    copies : ndarray of int8, shape (n_variants, n_individuals)
        Copies of allele 1, −1 where missing.
    """

    path: Path
    copies: Copies = attrs.field(eq=False, repr=False)

    def counts(
        self, groups: tuple[NDArray[np.bool_], ...], tell: Progress = lambda _: None
    ) -> tuple[NDArray[np.int64], ...]:
        """Individuals with 0, 1, 2 copies and missing, by variant in each group; (n, 4) each."""
        found = []
        for group in groups:
            own = self.copies[:, group]
            found.append(np.stack([(own == code).sum(axis=1) for code in _COPIES], axis=1))
        tell(1.0)
        return tuple(found)

    def rows(self, which: NDArray[np.integer]) -> Copies:
        """Copies of these variants; (n_variants, n_individuals)."""
        return np.asarray(self.copies[which])


def is_other(prefix: Path) -> bool:
    """Whether the name is that of another format's file."""
    return prefix.name.lower().endswith(_ENDS) or only_counted(prefix)


def only_counted(prefix: Path) -> bool:
    """Whether it is a table of counts, without people."""
    return prefix.name.lower().endswith(_COUNTS)


def held(prefix: Path, phenotype: Path | None) -> tuple[Variants, Individuals, HeldGenotypes]:
    """Read everybody's genotypes.

    A table of counts has no people. They are dealt its genotypes by lot, variant by variant: each
    variant is as counted, and none is linked to another.

    Raises
    ------
    InvalidArgument
        If the file is missing, or has no phenotypes and `phenotype` is none.
    DataError
        If it cannot be read.
    """
    if not only_counted(prefix):
        opened = genotypes(prefix, phenotype=phenotype)
        copies = np.concatenate(list(opened.blocks(_ROWS)))
        return opened.variants, opened.individuals, HeldGenotypes(prefix, copies)
    study = counted_study(prefix, phenotype=phenotype, missing=MissingRule.LEAVE)
    rng = np.random.default_rng(_SEED)  # noqa: TID251 - for the owner, nothing is released
    groups = [
        np.stack([rng.permutation(np.repeat(_COPIES, row)) for row in group])
        for group in (study.counts.cases, study.counts.controls)
    ]
    cases = np.arange(study.cases + study.controls) < study.cases
    dealt = HeldGenotypes(prefix, np.concatenate(groups, axis=1))
    return study.variants, Individuals(cases, ~cases), dealt
