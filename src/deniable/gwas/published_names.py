"""Names of variants that may stand in a published table."""

from deniable.errors import InvalidArgument, validate
from deniable.gwas.genotypes import Variants

_LONGEST = 60
"""Characters of a name in a message: a line."""


def check_published_names(variants: Variants) -> None:
    """Refuse names that a spreadsheet would run as a formula; signs of full width among them.

    It looks at names alone, of all variants that may be published, so that a refusal tells nothing
    of a genotype.

    Raises
    ------
    InvalidArgument
        If a name, chromosome or allele begins like one.
    """
    columns = variants.identifier, variants.chromosome, variants.allele_1, variants.allele_2
    texts = {text for column in columns for text in column if validate.begins_formula(text)}
    if texts:
        raise InvalidArgument(
            f"Expected names and alleles that no spreadsheet runs, got {format_name(min(texts))}. "
            "Rename it in the study's files, or leave the variant out with --exclude."
        )


def format_name(name: str) -> str:
    """A name as messages have it, on a line."""
    return validate.format_value(name[:_LONGEST])
