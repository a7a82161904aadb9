"""Sentences of the certificate of noisy frequencies; public numbers only."""

from deniable.gwas.allele_frequencies.request import Request
from deniable.gwas.public_filters import StudyFilters
from deniable.gwas.publication import statements

_WHERE = "every published variant"

_LISTED = {
    "list": (
        "The list of variants is public and was not made by looking at these genotypes: a list of "
        "the variants that are polymorphic here would tell of everybody who carries one."
    ),
    "file": (
        "Which variants the file holds is public, and was not decided by looking at these "
        "genotypes: a file of the variants that are polymorphic here tells of everybody who "
        "carries one."
    ),
}


def assumptions(request: Request, filters: StudyFilters) -> tuple[str, ...]:
    """What the guarantee rests on."""
    listed = "" if filters.people is None else " and is left by the owner's lists of people"
    return (
        *statements.assumptions(request.adjacency, request.missing, _WHERE),
        _LISTED[request.listed],
        statements.AUTOSOMES_ONLY,
        f"Frequencies are of whoever is a case or a control in the study's own files{listed}; "
        "people of unknown status are not counted.",
        *statements.chosen_by(filters),
    )


def not_covered(request: Request) -> tuple[str, ...]:
    """What the guarantee does not speak about."""
    return (
        *statements.not_covered(request.adjacency, request.missing, _WHERE),
        "How the participants stand for other people: half-widths are of the noise alone, around "
        "the participants' own frequencies.",
    )
