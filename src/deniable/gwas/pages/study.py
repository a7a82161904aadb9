"""The report of a study: beliefs as for tables, then the variants and where they stand."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import attrs

from deniable.certificate.model import CertifiedPart
from deniable.gwas.certificates import NoisyAlleles, ReleasedVariant, StudyCertificate
from deniable.gwas.pages.genome_chart import (
    GenomeAxis,
    ManhattanPicture,
    Point,
    Tick,
    manhattan_chart,
)
from deniable.gwas.public_filters import StudyFilters, Window
from deniable.report.belief_section import belief_section, error_sections
from deniable.report.heading import Heading
from deniable.report.html import Html, element, join, name, table, text
from deniable.report.page import appendices, guarantee_sections, ledger_sections, page, programs
from deniable.report.sentences import format_value, half_width, rounded_up, significant

# --- What a private choice of variants can find, in the first lines of the report.


@attrs.frozen
class Reach:
    """What the noise of a release lets through; from public numbers only.

    Parameters
    ----------
    probability : float
        With at least this probability a variant that leads by `lead` is published.
    lead : float
        By how much its score exceeds that of all variants but top − 1 others; in score units.
    largest_lead : float
        What the strongest association has that cases and controls can show.
    largest_probability : float
        With what probability, at least, a variant with that lead is published.
    chi_squared : tuple of (float, float or None)
        For the distance: a share of allele 1 among the controls' alleles, and about what allelic
        χ² has a score of `lead` there; None where none has.
    frequency_difference : float or None
        For published statistics: by how much published frequencies of cases and controls must
        differ, so that noise alone does not explain it.
    """

    probability: float
    lead: float
    largest_lead: float
    largest_probability: float
    chi_squared: tuple[tuple[float, float | None], ...]
    frequency_difference: float | None

    def as_json(self) -> dict[str, Any]:
        """The same under its names, with examples by share of the allele."""
        examples = [
            {"controls_frequency": share, "chi_squared": value} for share, value in self.chi_squared
        ]
        return attrs.asdict(self) | {"chi_squared": examples}

    @property
    def possible(self) -> bool:
        """Whether any association leads so far."""
        return self.lead <= self.largest_lead


def reach_paragraph(certificate: StudyCertificate, reach: Reach) -> Html:
    """What this release can find, what it cannot, and what its numbers tell from noise."""
    title = element("b", text("What it can find."))
    paragraphs = [element("p", title, " ", text(_choice(certificate, reach)))]
    if reach.frequency_difference is not None:
        sentence = _NUMBERS_OF_NOISE
        if reach.frequency_difference < 1:
            sentence = (
                "Published frequencies of cases and controls that differ by "
                f"{_up(reach.frequency_difference, 2)} or less may differ by noise alone."
            )
        paragraphs.append(element("p", text(sentence)))
    return element("div", *paragraphs, class_="finds")


def _choice(certificate: StudyCertificate, reach: Reach) -> str:
    choice, study = certificate.selection, certificate.study
    if choice.top == study.variants:
        return "All variants are published, so that only their order is chosen."
    published = f"among the {choice.top:,} published" if choice.top > 1 else "the one published"
    if not reach.possible:
        whom = f"{study.cases:,} cases and {study.controls:,} controls"
        return (
            f"Nothing reliably: even the strongest association that {whom} can show is promised to "
            f"be {published} with a probability of only "
            f"{significant(reach.largest_probability, 2)}. {_LESS}"
        )
    often = f"{significant(100 * reach.probability, 3)} in 100"
    what = "a variant" if choice.window is None else "a variant, or one whose window holds it,"
    intro = f"With a probability of at least {often} {what} is {published} if"
    if choice.threshold is None:
        least = _up(reach.lead, 3)
        return f"{intro} its {choice.score_unit} exceeds {_rest(choice.top)} by {least}. {_LESS}"
    least = f"{math.ceil(reach.lead):,} {choice.score_unit}"
    return (
        f"{intro} it is significant by at least {least}, and {_others(choice.top)} significant. "
        f"{_examples(reach) if reach.chi_squared else 'The score is stratified'}; significance "
        f"begins at {significant(choice.threshold.chi_squared, 3)}. {_LESS}"
    )


_NUMBERS_OF_NOISE = (
    "The published numbers say nothing: even frequencies of 0 and 1 may differ by noise alone."
)
_LESS = "A weaker one may be missing, and any variant may be here by chance."


def _rest(top: int) -> str:
    if top == 1:
        return "that of every other variant"
    return f"that of all but {top - 1:,} other{'' if top == 2 else 's'}"


def _others(top: int) -> str:
    if top == 1:
        return "no other is"
    return f"at most {top - 1:,} other{' is' if top == 2 else 's are'}"


def _examples(reach: Reach) -> str:
    known = [
        f"{significant(value, 3)} for an allele of frequency {significant(share, 2)} in controls"
        for share, value in reach.chi_squared
        if value is not None
    ]
    if not known:
        return "Only an association stronger than usual is"
    return f"In a study of this size that is an allelic χ² of about {' and '.join(known)}"


def _up(value: float, digits: int) -> str:
    """So many significant digits, rounded up."""
    if value <= 0:
        return "0"
    step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return significant(math.ceil(value / step * (1 - 1e-12)) * step, digits)


# --- Lines of a report on what chose the variants and people of a genome study.


def filter_lines(filters: StudyFilters) -> list[tuple[str, Html]]:
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


# --- The table of published variants.


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
    """A value and, below it, its bounds, with as many decimals as their distance has."""
    width = high - low
    number = "undefined" if value is None else format_value(value, width, None)
    least = format_value(low, width, None)
    if low and not float(least.replace(",", "")):  # a bound above 0 is not shown as 0
        least = significant(low, 1)
    interval = f"{least} to {format_value(high, width, None)}"
    return join([text(number), element("span", text(interval), class_="ends")])


# --- The report of a study: beliefs as for tables, then the variants and where they stand.


_MOST_LABELS = 15
"""Variants that are labelled in the picture; more overlap."""
_LEAST_POWER = 300
"""Of 10: p-values down to 1e-300 are floats of full precision."""
_POWERS = (1, 2, 5, 10, 20, 50)
"""From p-value to p-value on the scale on the right, in powers of 10."""
_MOST_POWERS = 6
"""P-values on that scale, so that their numbers have room."""
_MISSING = {
    "refuse": "none, which is public: every participant has a call at every variant",
    "major": "read as two copies of allele 2",
    "panel": "read as the genotype that most people of the reference panel have",
}


def study_document(
    certificate: StudyCertificate,
    released: Sequence[ReleasedVariant],
    axis: GenomeAxis,
    reach: Reach,
) -> str:
    """The whole report as one HTML page.

    It is built from the certificate, the published variants and public numbers and places only.

    Parameters
    ----------
    certificate : StudyCertificate
        What holds, why and for whom.
    released : sequence of ReleasedVariant
        By rank.
    axis : GenomeAxis
        The chromosomes of all variants that were tested.
    reach : Reach
        What such a release can find.

    Returns
    -------
    str
        HTML that opens offline: charts are inline SVG, there is no script.
    """
    sections = [
        ("believed", "What may be believed", _beliefs_section(certificate)),
        ("published", "What is published", _published_section(certificate, released, axis)),
        *error_sections(certificate),
        ("noise", "How the noise was shared", _noise(certificate)),
        *ledger_sections(certificate),
        *guarantee_sections(certificate),
        *appendices(certificate),
    ]
    findings = reach_paragraph(certificate, reach)
    heading = Heading(**certificate.report)
    return page(certificate, sections, _origin(certificate), findings, heading)


def _beliefs_section(certificate: StudyCertificate) -> Html:
    adversary = element("p", text(certificate.study_adversary.sentence))
    return join([adversary, belief_section(certificate)])


def _published_section(
    certificate: StudyCertificate, released: Sequence[ReleasedVariant], axis: GenomeAxis
) -> Html:
    return join(
        [
            element("p", text(_what(certificate)), class_="what"),
            _figure(certificate, released, axis),
            *variant_rows(certificate, released),
        ]
    )


def _what(certificate: StudyCertificate) -> str:
    study, selection = certificate.study, certificate.selection
    description = (
        f"{_number(selection.top, 'variant')} of {study.variants:,}, chosen by noisy scores from "
        f"{_number(study.cases, 'case')} and {_number(study.controls, 'control')}"
        f"{_describe_strata(certificate)}, in the order chosen. The score is {_score(certificate)}."
    )
    width = selection.part.half_width_95
    outside = "left out"
    if selection.window is not None:
        description += (
            f" Around each of them all variants within {_window(selection.window)} were removed "
            "before the next was chosen, so that each stands for a locus."
        )
        outside = "outside all windows"
    if width is not None:
        description += (
            f" Over many such releases, in 95 of 100 no variant {outside} exceeds a chosen one by "
            f"more than {half_width(width, None).removeprefix('± ')} {selection.score_unit}."
        )
    return description


def _describe_strata(certificate: StudyCertificate) -> str:
    number = len(certificate.study.strata)
    return f" in {number:,} {'strata' if number > 1 else 'stratum'} with both" if number else ""


def _window(window: Window) -> str:
    if window.kb is not None:
        return f"{significant(window.kb, 6)} kb"
    return f"{significant(window.cm or 0.0, 6)} cM of a public genetic map"


def _number(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _score(certificate: StudyCertificate) -> str:
    choice = certificate.selection
    if choice.threshold is None:
        return f"the {choice.score_unit}"
    line, rule = choice.threshold, "Bonferroni's rule"
    if line.p_value is not None:
        rule = f"a p-value of {significant(line.p_value, 3)}"
    if certificate.study.strata:
        return (
            "by how many copies of an allele cases differ, beyond significance, from controls of "
            "their stratum (Cochran–Mantel–Haenszel); significance begins at a χ² of "
            f"{significant(line.chi_squared, 4)} ({rule})"
        )
    return (
        f"the distance from the other side of significance, in {choice.score_unit}; significance "
        f"begins at an allelic χ² of {significant(line.chi_squared, 4)} ({rule})"
    )


def _figure(
    certificate: StudyCertificate, released: Sequence[ReleasedVariant], axis: GenomeAxis
) -> Html:
    picture, note = study_picture(certificate, released, axis)
    chart = manhattan_chart(
        picture,
        "manhattan",
        "Published variants along the genome",
        "Only published variants are drawn, at their public positions. The table names all of "
        "them.",
    )
    extents = "Shaded are the chromosomes of all variants that were tested."
    return element(
        "figure",
        element(
            "div", chart, class_="wide", tabindex="0", role="region",
            aria_labelledby="manhattan-title",
        ),
        element("figcaption", text(f"{note} {extents}")),
    )  # fmt: skip


def study_picture(
    certificate: StudyCertificate, released: Sequence[ReleasedVariant], axis: GenomeAxis
) -> tuple[ManhattanPicture, str]:
    """Published variants along the genome, and what their heights are."""
    names, positions = [r.chromosome for r in released], [r.position for r in released]
    places = axis.places(names, positions).tolist()
    few, line, begins = len(released) <= _MOST_LABELS, None, ""
    right: tuple[Tick, ...] = ()
    if certificate.statistics is None:
        note = "Height is rank: the variant chosen first stands highest. It is no statistic."
        heights = [float(each.rank) for each in released]
        labels = [each.variant for each in released]
        title, ranks = "Rank", certificate.selection.top
    else:
        note = (
            "Height is the χ² of the noisy counts in the table; numbers are ranks. Whiskers reach "
            "over what the study's own χ² can be, at 95 %. Hollow and grey: noise alone explains "
            "it. Variants whose χ² is undefined stand at 0."
        )
        heights = [(each.noisy and each.noisy.chi_squared) or 0.0 for each in released]
        labels = [str(each.rank) for each in released]
        title, ranks = "Noisy allelic χ²", None
        if (threshold := certificate.selection.threshold) is not None:
            line = threshold.chi_squared
            begins = f"significant: p ≤ {significant(_p_value(line), 3)}"
            note += f" Dashed: significance begins at {significant(line, 3)}."
        right = _p_values(max((top for each in released if (top := _top(each))), default=0.0))
        if right:
            note += " The scale on the right is the p-value of such a χ² where there is no noise."
    points = tuple(
        _point(place, height, label if few else "", each.noisy)
        for place, height, label, each in zip(places, heights, labels, released, strict=True)
    )
    picture = ManhattanPicture(
        axis,
        points,
        height_title=title,
        ranks=ranks,
        line=line,
        line_label=begins,
        right=right,
        right_title="p" if right else "",
    )
    return picture, note


def _top(released: ReleasedVariant) -> float:
    noisy = released.noisy
    return 0.0 if noisy is None else max(noisy.chi_squared or 0.0, noisy.chi_squared_high or 0.0)


def _p_value(chi_squared: float) -> float:
    """Of a χ² with 1 degree of freedom: P(|Z| ≥ √χ²)."""
    return math.erfc(math.sqrt(chi_squared / 2))


def _p_values(top: float) -> tuple[Tick, ...]:
    """Powers of 10 as p-values, at their χ² up to `top`."""
    most = min(math.floor(-math.log10(max(_p_value(top), 10.0**-_LEAST_POWER))), _LEAST_POWER)
    step = next(each for each in _POWERS if most <= each * _MOST_POWERS)
    normal = NormalDist()
    # p = 2 Φ(−√χ²), so χ² = Φ⁻¹(p / 2)².
    return tuple(
        Tick(normal.inv_cdf(10.0**-power / 2) ** 2, f"1e-{power:02d}")
        for power in range(step, most + 1, step)
    )


def _point(place: float, height: float, label: str, noisy: NoisyAlleles | None) -> Point:
    if noisy is None:
        return Point(place, height, label)
    interval = noisy.chi_squared_low, noisy.chi_squared_high
    return Point(place, height, label, *interval, faint=not noisy.above_noise)


def _noise(certificate: StudyCertificate) -> Html:
    selection, statistics = certificate.selection, certificate.statistics
    total = rounded_up(certificate.guarantee.epsilon, 4)
    shares = f"The choice of variants has all of ε = {total}."
    if statistics is not None:
        shares = (
            f"Of ε = {total} in all, the choice of variants and what is published of them have "
            "their shares."
        )
    intro = (
        f"{shares} The scale of the noise follows from the share and from the sensitivity: how far "
        "a neighbouring study can move the exact numbers. None of this depends on anybody's "
        "genotype."
    )
    rows = [_share("choice of variants", selection.part, selection.score_unit)]
    if statistics is not None:
        rows.append(_share("allele counts", statistics, "copies in all"))
    titles = ("What", "Noise", "Scale", "Sensitivity", "Unit", "Share,\u00a0ε", "± 95 %")
    facts = table(
        "shares",
        text("Noise by part; the sensitivity of a choice is that of each single score"),
        [text(title) for title in titles],
        rows,
        [False, False, True, True, False, True, True],
    )
    return join([element("p", text(intro)), facts])


def _share(label: str, part: CertifiedPart, unit: str) -> list[Html]:
    if part.sensitivity is None or part.step is None or part.epsilon is None or part.scale is None:
        raise AssertionError("every part of a study's release has noise")
    noise = {
        "discrete-laplace": "discrete Laplace noise",
        "noisy-top-k-exponential": "choice by noisy scores (exponential noise)",
    }[part.mechanism or ""]
    return [
        text(label),
        text(noise),
        text(significant(part.scale)),
        text(significant(part.sensitivity.value * part.step)),
        text(unit),
        text(significant(part.epsilon, 4)),
        text(half_width(part.half_width_95, None)),
    ]


def _origin(certificate: StudyCertificate) -> list[tuple[str, Html]]:
    return [
        ("Released", text(certificate.created)),
        ("Missing calls", text(_MISSING[certificate.missing])),
        *filter_lines(certificate.filters),
        ("Computed with", text(programs(certificate))),
        ("Statement, SHA-256", element("code", text(certificate.statement_sha256))),
        ("For programs", element("code", text("certificate.json"))),
    ]
