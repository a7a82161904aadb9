"""The names of a variant as a line of a file has them."""

from collections.abc import Sequence
from pathlib import Path

from deniable.errors import DataError
from deniable.gwas.genotypes import Variants

Record = tuple[str, str, int, str, str]
"""Chromosome, identifier, position, the allele whose copies are counted, and the other one."""

NO_ALLELE = "0"
"""The alternative of a line that names none."""


def variants_of(records: Sequence[Record], path: Path) -> Variants:
    """The variants of these lines of a file.

    Raises
    ------
    DataError
        If there are none.
    """
    if not records:
        raise DataError(f"Expected a variant or more, got none at {path}.")
    return Variants(*zip(*records, strict=True))
