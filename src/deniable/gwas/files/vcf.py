"""VCF and BCF files, through cyvcf2.

Allele 1 is the alternative allele and allele 2 the reference, as PLINK makes them from a VCF. A
call of which one allele is missing (a half-call, 0/.) is missing, as with plink --vcf-half-call
missing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.chromosomes import AUTOSOMES, autosomal
from deniable.gwas.files.individuals import Individuals, from_names
from deniable.gwas.files.multiallelic import Multiallelic
from deniable.gwas.genotypes import GenotypeCounts, Variants

try:
    import cyvcf2
except ImportError:  # an extra
    cyvcf2 = None

SUFFIXES = (".vcf", ".bcf")
_NO_ALLELE = "0"
_MISSING_CALL = 3
"""The column of missing calls among counts."""
_MISSING, _NONE = -1, -2
"""What the reader gives for a missing allele, and where a call has fewer alleles than others."""

Record = tuple[str, str, int, str, str]


def _of_two() -> NDArray[np.int64]:
    """Copies by 4 times the first allele and the second; negative numbers count from the end."""
    found = np.full(16, _MISSING_CALL + 1)
    for first in (_MISSING, 0, 1):
        for second in (_NONE, _MISSING, 0, 1):
            if second == _NONE and first != _MISSING:
                continue
            missing = _MISSING in (first, second)
            found[4 * first + second] = _MISSING_CALL if missing else first + second
    return found


_OF_TWO = _of_two()


class VcfFile:
    """A file of genotypes, read again for each question.

    Parameters
    ----------
    path : path
        VCF, packed or not, or BCF.
    phenotype : path, optional
        A phenotype file; individuals are found by its second column. Needed, as a VCF holds none.
    phenotype_name : str, optional
        Which of its phenotypes.
    autosomes : int
        Pairs of autosomes of the species; lines of X, Y and mitochondria are left out, and counted
        in `not_autosomal` by whoever reads to the end.
    multiallelic : Multiallelic
        What becomes of lines with several alternatives; `multiallelic_left_out` counts like that.

    Raises
    ------
    InvalidArgument
        If the file or `phenotype` is missing, or cyvcf2 is not installed.
    DataError
        If it is no VCF, names an individual twice, or the phenotype is not one of cases and
        controls; while it is read, if a genotype is not of two alleles that its line names.
    """

    def __init__(
        self,
        path: Path,
        phenotype: Path | None,
        phenotype_name: str | None = None,
        autosomes: int = AUTOSOMES,
        multiallelic: Multiallelic = Multiallelic.REFUSE,
    ) -> None:
        if cyvcf2 is None:
            raise InvalidArgument(
                f"Expected cyvcf2 to read {path}, got none. Install deniable[vcf]."
            )
        if not path.is_file():
            raise InvalidArgument(f"Expected a file {path}, got none. Check the name.")
        if phenotype is None:
            raise InvalidArgument(
                f"Expected a phenotype file, as {path} holds no phenotypes, got none. Give one "
                "with --pheno: family, individual, phenotype."
            )
        self.path, self._autosomes, self._rule = path, autosomes, multiallelic
        self.not_autosomal, self.multiallelic_left_out = 0, 0
        with self._opened() as file:
            self._names = list(file.samples)
        if not self._names:
            raise DataError(
                f"Expected genotypes of individuals, got a file of sites only at {path}. Give the "
                "file that has a column for each individual."
            )
        if len(set(self._names)) < len(self._names):
            raise DataError(
                f"Expected every individual once, got somebody twice at {path}. Remove duplicates."
            )
        self.individuals: Individuals = from_names(self._names, phenotype, phenotype_name)

    def counts(self) -> tuple[Variants, GenotypeCounts]:
        """Genotypes by variant in cases and controls."""
        names: list[Record] = []
        groups: list[NDArray[np.int64]] = []
        # Cases are counted in the first four cells, controls in the next, all others in the last.
        cases, controls = self.individuals.cases, self.individuals.controls
        offset = np.where(cases, 0, np.where(controls, 4, 8))
        for name, calls in self._records():
            names.append(name)
            groups.append(np.bincount(calls + offset, minlength=12))
        variants = self._variants(names)
        table = np.stack(groups)
        return variants, GenotypeCounts(table[:, :4], table[:, 4:8])

    def variants(self) -> Variants:
        """The variants in file order."""
        return self._variants([name for name, _ in self._records()])

    def dosages(self, block: int = 1024) -> Iterator[NDArray[np.int8]]:
        """Copies of allele 1, −1 where missing, in blocks of shape (block, n_individuals)."""
        rows: list[NDArray[np.int8]] = []
        for _, calls in self._records():
            rows.append(np.where(calls == _MISSING_CALL, -1, calls).astype(np.int8))
            if len(rows) == block:
                yield np.stack(rows)
                rows = []
        if rows:
            yield np.stack(rows)

    def _records(self) -> Iterator[tuple[Record, NDArray[np.int64]]]:
        """Names, and copies of the alternative allele or 3 for each individual."""
        self.not_autosomal, self.multiallelic_left_out = 0, 0
        known: dict[str, bool] = {}
        with self._opened() as file:
            for record in self._each(file):
                place = record.CHROM
                if place not in known:
                    known[place] = bool(autosomal([place], self._autosomes)[0])
                if not known[place]:
                    self.not_autosomal += 1
                    continue
                # First: of a line without them no allele may be asked for, or cyvcf2 crashes.
                calls = self._asked(lambda: record.genotype.array())  # noqa: B023 - called at once
                alternatives = record.ALT
                where = f"{self.path}, {place}:{record.POS}"
                counted = self._rule.counted(len(alternatives), where)
                if not counted:
                    self.multiallelic_left_out += 1
                    continue
                for allele in counted:
                    copies = _copies(calls[:, :-1], len(alternatives), allele)
                    if copies is None:
                        raise DataError(
                            "Expected two alleles in every call, each one that its line names, got "
                            f"another call at {where}. Correct the file; not everybody's calls are "
                            "of two alleles on X, Y and mitochondria only, and those are left out."
                        )
                    alternative = [*alternatives, _NO_ALLELE][allele - 1]
                    yield (place, record.ID or ".", record.POS, alternative, record.REF), copies

    def _each(self, file: Any) -> Iterator[Any]:
        records = iter(file)
        while (record := self._asked(lambda: next(records, None))) is not None:
            yield record

    def _asked(self, question: Callable[[], Any]) -> Any:
        # cyvcf2 raises bare exceptions, whose text may quote the line.
        try:
            return question()
        except Exception:
            raise DataError(
                f"Expected a VCF or BCF file with genotypes (GT), got another at {self.path}. "
                "Check it with bcftools view."
            ) from None

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        file = self._asked(lambda: cyvcf2.VCF(str(self.path)))
        try:
            yield file
        finally:
            file.close()

    def _variants(self, names: list[Record]) -> Variants:
        if not names:
            raise DataError(f"Expected a variant or more, got none at {self.path}.")
        return Variants(*zip(*names, strict=True))


def _copies(
    alleles: NDArray[np.int16], alternatives: int, counted: int
) -> NDArray[np.int64] | None:
    """Copies of one alternative, 3 where missing; None where a call is none of two alleles.

    Parameters
    ----------
    alleles : array of int, shape (n_individuals, ploidy)
        By number; −1 where missing, and −2 behind the last one of a shorter call.
    alternatives, counted : int
        How many the line names, and the number of the one whose copies are counted.
    """
    if alleles.shape[1] == 2:
        if int(alleles.max(initial=_MISSING)) > alternatives:
            return None
        if alternatives > 1:
            alleles = np.where(alleles > 0, alleles == counted, alleles)
        # Of alleles −2 to 1, a cell each: copies, missing, or none of two alleles.
        copies = _OF_TWO[4 * alleles[:, 0] + alleles[:, 1]]
        return np.asarray(copies) if int(copies.max(initial=0)) <= _MISSING_CALL else None
    # "." alone stands for a missing call of any number of alleles.
    nothing = (alleles[:, 0] == _MISSING) & (alleles[:, 1:] == _NONE).all(axis=1)
    return np.full(len(alleles), _MISSING_CALL) if nothing.all() else None
