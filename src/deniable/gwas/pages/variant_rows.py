"""The table of published variants."""

from collections.abc import Sequence

from deniable.gwas.certificates.study import StudyCertificate
from deniable.gwas.certificates.study_results import NoisyAlleles, ReleasedVariant
from deniable.report.html import Html, element, join, name, table, text
from deniable.report.numbers import format_value, half_width, significant

MOST_ROWS = 200
"""Variants that the table shows."""

_READING = (
    "Copies and frequencies are allele 1's. Copies have noise and may be negative; frequencies and "
    "χ² follow from them. Two numbers with “to” between them, and a copy number ± the last column, "
    "hold the study's own number, without noise, in 95 of 100 releases: each on its own, not all "
    "of them at once. Where χ² may be 0, noise alone explains it. How the participants stand for "
    "other people is another question, and the χ² of variants that a study finds tends to be "
    "larger than a second study's."
)


def variant_rows(certificate: StudyCertificate, released: Sequence[ReleasedVariant]) -> list[Html]:
    """The table, and how to read it where it has numbers."""
    titles = ["Rank", "Variant", "Chromosome", "Position", "Alleles 1, 2"]
    numeric = [True, False, False, True, False]
    if certificate.statistics is not None:
        titles += ["χ²", "More than noise?", "Frequency in cases", "in controls",
                   "Copies in cases", "in controls", "± 95 %"]  # fmt: skip
        numeric += [True, False, True, True, True, True, True]
    displayed = list(released[:MOST_ROWS])
    figures = table(
        "variants",
        text(f"Published variants, {len(displayed):,} of {len(released):,}"),
        [text(title) for title in titles],
        [_row(each) for each in displayed],
        numeric,
    )
    if certificate.statistics is None:
        return [figures]
    return [figures, element("p", text(_READING), class_="quiet")]


def _row(each: ReleasedVariant) -> list[Html]:
    cells = [
        text(each.rank),
        name(each.variant),
        name(each.chromosome),
        text(f"{each.position:,}"),
        name(f"{each.allele_1}, {each.allele_2}"),
    ]
    if each.noisy is None:
        return cells
    numbers = _numbers(each.noisy)
    if not each.noisy.above_noise:
        numbers = [element("span", number, class_="faint") for number in numbers]
    return cells + numbers


def _numbers(noisy: NoisyAlleles) -> list[Html]:
    return [
        _between(noisy.chi_squared, noisy.chi_squared_low, noisy.chi_squared_high),
        text("yes" if noisy.above_noise else "no"),
        _between(noisy.cases_frequency, noisy.cases_frequency_low, noisy.cases_frequency_high),
        _between(
            noisy.controls_frequency, noisy.controls_frequency_low, noisy.controls_frequency_high
        ),
        text(f"{noisy.cases_allele_1:,}".replace("-", "−")),
        text(f"{noisy.controls_allele_1:,}".replace("-", "−")),
        text(half_width(noisy.half_width_95, "rows")),
    ]


def _between(value: float | None, low: float, high: float) -> Html:
    """A value and, below it, its ends, with as many decimals as their distance has."""
    width = high - low
    number = "undefined" if value is None else format_value(value, width, None)
    least = format_value(low, width, None)
    if low and not float(least.replace(",", "")):  # an end above 0 is not shown as 0
        least = significant(low, 1)
    interval = f"{least} to {format_value(high, width, None)}"
    return join([text(number), element("span", text(interval), class_="ends")])
