"""The report of a study: beliefs as for tables, then the variants and where they stand."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import attrs

from deniable.gwas.certificates import ReleasedVariant, StudyCertificate
from deniable.gwas.pages.genome_chart import (
    GenomeAxis,
    ManhattanPicture,
    Point,
    Tick,
    genome_layers,
)
from deniable.report.belief_section import belief_section, error_sections
from deniable.report.heading import Heading
from deniable.report.html import Html
from deniable.report.page import appendices, guarantee_sections, ledger_sections, page
from deniable.report.rendering import render, section
from deniable.report.sentences import significant


@attrs.frozen
class Reach:
    """What the noise of a release lets through; from public numbers only.

    With at least this probability a variant is published that leads by `lead`, in score units, all
    variants but top − 1 others; the strongest association that cases and controls can show has the
    largest lead, with at least its probability. For the distance, χ² is by a share of allele 1
    among the controls' alleles about what has a score of `lead` there, None where none has. For
    published statistics, frequencies of cases and controls must differ by so much that noise alone
    does not explain it.
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
    has_threshold = certificate.selection.threshold is not None
    return render(
        "gwas/pages/reach.html",
        certificate=certificate,
        reach=reach,
        lead=f"{math.ceil(reach.lead):,}" if has_threshold else _up(reach.lead, 3),
        examples=[(share, value) for share, value in reach.chi_squared if value is not None],
        difference=_up(reach.frequency_difference or 0.0, 2),
    )


def _up(value: float, digits: int) -> str:
    if value <= 0:
        return "0"
    step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return significant(math.ceil(value / step * (1 - 1e-12)) * step, digits)


MOST_ROWS = 200
"""Variants that the table shows."""


def variant_rows(certificate: StudyCertificate, released: Sequence[ReleasedVariant]) -> Html:
    """The table, and how to read it where it has numbers."""
    return render(
        "gwas/pages/variants.html",
        certificate=certificate,
        released=released[:MOST_ROWS],
        number=len(released),
    )


_MOST_LABELS = 15
"""Variants that are labelled in the picture; more overlap."""
_LEAST_POWER = 300
"""Largest power of 10: p-values down to 1e-300 are floats of full precision."""
_POWERS = (1, 2, 5, 10, 20, 50)
"""Steps between p-values on the right scale, in powers of 10."""
_MOST_POWERS = 6
"""P-values on that scale, so that their numbers have room."""


def study_document(
    certificate: StudyCertificate,
    released: Sequence[ReleasedVariant],
    axis: GenomeAxis,
    reach: Reach,
) -> str:
    """The whole report as one HTML page.

    It is built from the certificate, the published variants by rank, the chromosomes of all
    variants that were tested and what such a release can find: public numbers and places only. It
    opens offline: charts are inline SVG, there is no script.
    """
    picture = study_picture(certificate, released, axis)
    sections = [
        belief_section(certificate, adversary_words=certificate.study_adversary.sentence),
        section(
            "published",
            "gwas/pages/study_published.html",
            certificate=certificate,
            chart=genome_layers(picture),
            has_p_values=bool(picture.right),
            variants=variant_rows(certificate, released),
        ),
        *error_sections(certificate),
        section("noise", "gwas/pages/study_noise.html", certificate=certificate),
        *ledger_sections(certificate),
        *guarantee_sections(certificate),
        *appendices(certificate),
    ]
    return page(
        certificate,
        sections,
        "gwas/pages/study.html",
        Heading(**certificate.report),
        findings=reach_paragraph(certificate, reach),
    )


def study_picture(
    certificate: StudyCertificate, released: Sequence[ReleasedVariant], axis: GenomeAxis
) -> ManhattanPicture:
    """Published variants along the genome."""
    names, positions = [r.chromosome for r in released], [r.position for r in released]
    places = axis.places(names, positions).tolist()
    few, line, begins = len(released) <= _MOST_LABELS, None, ""
    right: tuple[Tick, ...] = ()
    if certificate.statistics is None:
        heights = [float(each.rank) for each in released]
        labels = [each.variant for each in released]
        title, ranks = "Rank", certificate.selection.top
    else:
        heights = [(each.noisy and each.noisy.chi_squared) or 0.0 for each in released]
        labels = [str(each.rank) for each in released]
        title, ranks = "Noisy allelic χ²", None
        if (threshold := certificate.selection.threshold) is not None:
            line = threshold.chi_squared
            begins = f"significant: p ≤ {significant(_p_value(line), 3)}"
        noisy_ones = [each.noisy for each in released if each.noisy is not None]
        tops = (max(each.chi_squared or 0.0, each.chi_squared_high) for each in noisy_ones)
        # Powers of 10 as p-values, at their χ² up to the highest: p = 2 Φ(−√χ²).
        least = max(_p_value(max(tops, default=0.0)), 10.0**-_LEAST_POWER)
        most = min(math.floor(-math.log10(least)), _LEAST_POWER)
        step = next(each for each in _POWERS if most <= each * _MOST_POWERS)
        right = tuple(
            Tick(NormalDist().inv_cdf(10.0**-power / 2) ** 2, f"1e-{power:02d}")
            for power in range(step, most + 1, step)
        )
    points = tuple(
        Point(place, height, label if few else "")
        if (noisy := each.noisy) is None
        else Point(
            place, height, label if few else "", noisy.chi_squared_low, noisy.chi_squared_high,
            faint=not noisy.above_noise,
        )
        for place, height, label, each in zip(places, heights, labels, released, strict=True)
    )  # fmt: skip
    return ManhattanPicture(
        axis,
        points,
        height_title=title,
        ranks=ranks,
        line=line,
        line_label=begins,
        right=right,
        right_title="p" if right else "",
    )


def _p_value(chi_squared: float) -> float:
    """Return the p-value of a χ² with 1 degree of freedom: P(|Z| ≥ √χ²)."""
    return math.erfc(math.sqrt(chi_squared / 2))
