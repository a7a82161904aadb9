"""The report of a study: beliefs as for tables, then the variants and where they stand."""

import math
from collections.abc import Sequence
from statistics import NormalDist

from deniable.certificate.model import CertifiedPart
from deniable.gwas.certificates.study import StudyCertificate
from deniable.gwas.certificates.study_results import NoisyAlleles, ReleasedVariant
from deniable.gwas.pages.filters import chosen_lines
from deniable.gwas.pages.genome_chart import manhattan_chart
from deniable.gwas.pages.manhattan import GenomeAxis, ManhattanPicture, Point, Tick
from deniable.gwas.pages.reach import Reach, reach_paragraph
from deniable.gwas.pages.variant_rows import variant_rows
from deniable.gwas.public_filters import Window
from deniable.report.belief_section import belief_section
from deniable.report.heading import Heading
from deniable.report.html import Html, element, join, table, text
from deniable.report.ledger import ledger_sections
from deniable.report.numbers import half_width, significant
from deniable.report.page import appendices, guarantee_sections, page, programs
from deniable.report.sentences import rounded_up

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
        *chosen_lines(certificate.filters),
        ("Computed with", text(programs(certificate))),
        ("Statement, SHA-256", element("code", text(certificate.statement_sha256))),
        ("For programs", element("code", text("certificate.json"))),
    ]
