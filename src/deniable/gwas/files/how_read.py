"""How a file of genotypes is read: what is asked for beside its name."""

import enum
from collections.abc import Sequence
from pathlib import Path

import attrs

from deniable.errors import DataError, validate
from deniable.gwas.genotypes import AUTOSOMES, Variants

# --- What becomes of a line that names several alternative alleles.


class Multiallelic(enum.Enum):
    """The rule for lines with several alternatives. The value is the word of the interface.

    Which lines have several is read off the file's list of variants, which is public.
    """

    REFUSE = "refuse"
    """A file with such a line is refused."""
    LEAVE_OUT = "leave-out"
    """Such lines are left out, and counted."""
    SPLIT = "split"
    """Each alternative is a variant of its own against all other alleles together, as in plink2
    --make-pgen multiallelics=-; all keep the line's identifier."""

    @classmethod
    def of(cls, word: "str | Multiallelic") -> "Multiallelic":
        """The rule of that word.

        Raises
        ------
        InvalidArgument
            If no rule has it.
        """
        if isinstance(word, cls):
            return word
        return cls(validate.one_of(word, [rule.value for rule in cls], "multiallelic"))

    def select(self, alternatives: int, where: str) -> range:
        """The alternatives, from 1, that are variants: one, all, or none of a line left out.

        Raises
        ------
        DataError
            If there are several and the rule refuses them.
        """
        if alternatives <= 1 or self is Multiallelic.SPLIT:
            return range(1, max(alternatives, 1) + 1)
        if self is Multiallelic.LEAVE_OUT:
            return range(0)
        raise DataError(
            f"Expected one alternative allele a line, got {alternatives} at {where}. Make each a "
            "variant with --multiallelic split, or leave such lines out with --multiallelic "
            "leave-out."
        )


# --- Which allele of a line is the reference, where the format does not say.


class AlleleOrder(enum.Enum):
    """Where the reference stands in the lines of a BGEN file; the words are PLINK 2's."""

    REF_FIRST = "ref-first"
    """The first allele is the reference, as in UK Biobank's files."""
    REF_LAST = "ref-last"
    """The last one is, as plink2 --export bgen-1.2 writes by default."""


# --- The names of a variant as a line of a file has them.


Record = tuple[str, str, int, str, str]
"""Chromosome, identifier, position, the allele whose copies are counted, and the other one."""

NO_ALLELE = "0"
"""The alternative of a line that names none."""


class NoVariants(DataError):
    """A file of a study, or a part of it, has no variants that are looked at.

    Parameters
    ----------
    message : str
        What an error says of it.
    left_out : (int, int)
        Lines on X, Y and mitochondria, and lines with several alternatives.
    """

    def __init__(self, message: str, left_out: tuple[int, int] = (0, 0)) -> None:
        super().__init__(message)
        self.left_out = left_out


def read_variants(records: Sequence[Record], path: Path, left_out: tuple[int, int]) -> Variants:
    """The variants of these lines of a file.

    Raises
    ------
    NoVariants
        If there are none.
    """
    check_some(len(records), path, left_out)
    return Variants(*zip(*records, strict=True))


def check_some(variants: int, path: Path, left_out: tuple[int, int]) -> None:
    """Refuse a file without a variant, and say why it has none.

    Parameters
    ----------
    variants : int
        That are read.
    path : path
        The file.
    left_out : (int, int)
        Lines on X, Y and mitochondria, and lines with several alternatives.

    Raises
    ------
    NoVariants
        If there are no variants.
    """
    if variants:
        return
    not_autosomal, several = left_out
    message = f"Expected a variant or more, got none at {path}."
    if several:
        message = (
            "Expected a variant or more on an autosome with one alternative allele, got none at "
            f"{path}. Make each alternative a variant with --multiallelic split."
        )
    elif not_autosomal:
        message = (
            "Expected a variant on an autosome or more, got X, Y and mitochondrial ones only at "
            f"{path}. Not everybody has two copies there, and such variants are left out."
        )
    raise NoVariants(message, left_out)


# --- How a file of genotypes is read: what is asked for beside its name.


@attrs.frozen
class HowRead:
    """What every reader of genotypes is told.

    Parameters
    ----------
    phenotype : path, optional
        A phenotype file; without one, phenotypes are those of the study's own files.
    phenotype_name : str, optional
        Which of several phenotypes.
    autosomes : int
        Pairs of autosomes of the species; lines of X, Y and mitochondria are left out.
    multiallelic : Multiallelic
        What becomes of lines with several alternatives.
    order : AlleleOrder, optional
        Of a BGEN file's alleles.
    """

    phenotype: Path | None = None
    phenotype_name: str | None = None
    autosomes: int = AUTOSOMES
    multiallelic: Multiallelic = Multiallelic.REFUSE
    order: AlleleOrder | None = None
