"""VCF and BCF files, through cyvcf2.

Allele 1 is the alternative allele and allele 2 the reference, as PLINK makes them from a VCF.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.individuals import Individuals, from_names
from deniable.gwas.genotypes import GenotypeCounts, Variants

try:
    import cyvcf2
except ImportError:  # an extra
    cyvcf2 = None

SUFFIXES = (".vcf", ".bcf")
_NO_ALLELE = "0"
_MISSING_CALL = 3
"""What the reader gives for a call that is missing."""

Record = tuple[str, str, int, str, str]


class VcfFile:
    """A file of genotypes, read again for each question.

    Parameters
    ----------
    path : path
        VCF, packed or not, or BCF.
    phenotype : path, optional
        A phenotype file; individuals are found by its second column. Needed, as a VCF holds none.

    Raises
    ------
    InvalidArgument
        If the file or `phenotype` is missing, or cyvcf2 is not installed.
    DataError
        If it is no VCF, names an individual twice, or the phenotype is not one of cases and
        controls.
    """

    def __init__(self, path: Path, phenotype: Path | None) -> None:
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
        self.path = path
        with self._opened() as file:
            self._names = list(file.samples)
        if len(set(self._names)) < len(self._names):
            raise DataError(
                f"Expected every individual once, got somebody twice at {path}. Remove duplicates."
            )
        self.individuals: Individuals = from_names(self._names, phenotype)

    def counts(self) -> tuple[Variants, GenotypeCounts]:
        """Genotypes by variant in cases and controls."""
        names: list[Record] = []
        groups: tuple[list[NDArray[np.int64]], ...] = [], []
        masks = self.individuals.cases, self.individuals.controls
        for name, calls in self._records():
            names.append(name)
            for mask, counts in zip(masks, groups, strict=True):
                counts.append(np.bincount(calls[mask], minlength=4))
        return self._variants(names), GenotypeCounts(*map(np.stack, groups))

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
        with self._opened() as file:
            for record in self._each(file):
                # First: of a line without them no allele may be asked for, or cyvcf2 crashes.
                calls = self._asked(partial(getattr, record, "gt_types"))
                if len(record.ALT) > 1:
                    raise DataError(
                        f"Expected one alternative allele a line, got {len(record.ALT)} at "
                        f"{self.path}, {record.CHROM}:{record.POS}. Split them with bcftools norm "
                        "-m -any."
                    )
                alternative = record.ALT[0] if record.ALT else _NO_ALLELE
                name = record.ID or "."
                yield (record.CHROM, name, record.POS, alternative, record.REF), calls

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
        file = self._asked(lambda: cyvcf2.VCF(str(self.path), gts012=True, strict_gt=True))
        try:
            yield file
        finally:
            file.close()

    def _variants(self, names: list[Record]) -> Variants:
        if not names:
            raise DataError(f"Expected a variant or more, got none at {self.path}.")
        return Variants(*zip(*names, strict=True))
