"""Lines of a report on what chose the variants and people of a genome study."""

from deniable.gwas.public_filters import StudyFilters
from deniable.report.html import Html, element, join, text
from deniable.report.numbers import significant


def chosen_lines(filters: StudyFilters) -> list[tuple[str, Html]]:
    """The public lists and rules, a line each; none where none was asked for."""
    lists = {
        "Variants, only those of": filters.extract,
        "Variants, without those of": filters.exclude,
        "Reference panel": filters.panel,
    }
    lines = [
        (
            title,
            join(
                [
                    text(f"a public file that names {_variants(named.variants)}, SHA-256 "),
                    element("code", text(named.sha256)),
                ]
            ),
        )
        for title, named in lists.items()
        if named is not None
    ]
    if filters.chromosomes:
        lines.append(("Chromosomes, only", text(", ".join(filters.chromosomes))))
    if filters.minimum_frequency is not None:
        least = f"{significant(filters.minimum_frequency, 6)} in the panel"
        lines.append(("Rarer allele, at least", text(least)))
    if filters.people is not None:
        words = filters.people.replace("-", " ")
        lines.append(("People", text(f"{words} by lists that are not published")))
    if filters.multiallelic != "refuse":
        words = {"leave-out": "left out", "split": "each a variant"}[filters.multiallelic]
        lines.append(("Several alternative alleles", text(words)))
    return lines


def _variants(number: int) -> str:
    return f"{number:,} variant{'' if number == 1 else 's'}"
