"""Releases of frequencies: the kind that `gwas frequencies` makes, its rows and its report."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.errors.late import pa
from deniable.gwas.allele_frequencies.request import (
    FrequencyRequest,
    PreparedFrequencies,
    prepare_frequencies,
)
from deniable.gwas.certificates import (
    Counted,
    Frequencies,
    FrequenciesCertificate,
    PublishedFrequency,
    frequencies_table,
    in_columns,
)
from deniable.gwas.genotypes import Floats, Integers, Variants
from deniable.gwas.publication import fields_of_genomes, statements
from deniable.gwas.publication.noisy_alleles import read_names, read_noisy_counts
from deniable.pipeline.kind import Noise, Origin, PublishedRows, ReleaseKind, certify_part
from deniable.report.belief_section import belief_section, error_sections
from deniable.report.charts import Bar, bar_chart, point_chart
from deniable.report.heading import Heading
from deniable.report.page import appendices, guarantee_sections, ledger_sections, page
from deniable.report.rendering import Section, section
from deniable.report.sentences import significant

_MOST_ROWS = 50
"""Rows that the table shows; results.csv has all."""
_MOST_DRAWN = 25
"""Rows that are drawn: about a screen."""
_LEAST_INTEGER = 10
"""People; from so many on they are told without a fraction."""
_UNLIKELY = 0.01
"""Probability that a stranger passes for a participant, in the example of exact answers."""
_WHERE = "every published variant"

_NAMES = {
    "variant": "identifier",
    "chromosome": "chromosome",
    "position": "position",
    "allele": "allele_1",
    "other_allele": "allele_2",
}
"""Columns of the results, and what `Variants` calls them."""


def publish_rows(noisy: Integers, variants: Variants, prepared: PreparedFrequencies) -> Frequencies:
    """Rows variant by variant in the order of the file, the groups of each in turn.

    The published count is the possible one nearest to the noisy count: that brings it no farther
    from the exact count, which is possible. So an interval about it covers at least as often as
    one about the noisy count, and is never empty. Noisy copies of allele 1 are of shape
    (n_variants · n_groups,).
    """
    number, people = len(variants), prepared.people
    copies = 2 * np.tile(np.array(list(people.values()), dtype=np.int64), number)
    width = int(prepared.half_width_95)
    counts = np.clip(noisy, 0, copies)
    columns: dict[str, NDArray[Any]] = {
        "group": np.tile(np.array(list(people), dtype=np.object_), number),
        **{name: np.repeat(getattr(variants, own), len(people)) for name, own in _NAMES.items()},
        "noisy_count": noisy,
        "count": counts,
        "frequency": counts / copies,
        "half_width_95": np.full(len(noisy), prepared.half_width_95),
        "frequency_low": _outwards(np.maximum(counts - width, 0), copies, -np.inf),
        "frequency_high": _outwards(np.minimum(counts + width, copies), copies, np.inf),
    }
    if prepared.beacon is not None:
        columns["present"] = noisy >= prepared.beacon.threshold
    return Frequencies(columns)


def _outwards(part: Integers, total: Integers, side: float) -> Floats:
    """part / total, to a float on that side of it, or to it where a float is that exactly."""
    share = part / total
    # In lowest terms its denominator is a power of two, small enough for a float.
    denominator = total // np.gcd(part, total)
    exact = (denominator & (denominator - 1)) == 0
    return np.where(exact, share, np.nextafter(share, side))


def frequencies_document(certificate: FrequenciesCertificate, rows: Frequencies) -> str:
    """The whole report as one HTML page, from the certificate and the published rows only.

    It opens offline: charts are inline SVG, there is no script.
    """
    exact, noisy = certificate.compared.exact, certificate.compared.noisy
    beacon = list[Section]()
    if certificate.beacon is not None:
        # A stranger has all k answers of exact ones with (1 − (1 − p)^2n)^k, p = 1/2n.
        share = 1 - math.exp(-1)  # (1 − 1/2n)^2n is about 1/e
        given_away = section(
            "beacon",
            "gwas/pages/frequencies_beacon.html",
            certificate=certificate,
            present=int(rows.columns["present"].sum()),
            number=len(rows),
            copies=2 * certificate.compared.people,
            yes_in_100=f"{100 * share:.0f}",
            needed=math.ceil(math.log(_UNLIKELY) / math.log(share)),
        )
        beacon.append(given_away)
    sections: list[Section] = [
        belief_section(certificate, adversary_words=certificate.study_adversary.sentence),
        _published_section(certificate, rows),
        section(
            "exact",
            "gwas/pages/frequencies_exact.html",
            certificate=certificate,
            exact_power=_in_100(exact.power),
            noisy_power=_in_100(noisy.power),
            chart=bar_chart(
                [
                    Bar("strangers flagged as members", 5.0),
                    Bar("members flagged, exact frequencies", 100 * exact.power),
                    Bar("members flagged, with noise", 100 * noisy.power),
                ]
            ),
        ),
        *beacon,
        *error_sections(certificate),
        section("noise", "gwas/pages/frequencies_noise.html", part=certificate.counted.part),
        *ledger_sections(certificate),
        *guarantee_sections(certificate),
        *appendices(certificate),
    ]
    return page(
        certificate,
        sections,
        "gwas/pages/frequencies.html",
        Heading(**certificate.report),
        as_of_people=_round_down(certificate.compared.as_of_people),
        as_of_people_rare=_round_down(certificate.compared.as_of_people_rare),
    )


def _published_section(certificate: FrequenciesCertificate, rows: Frequencies) -> Section:
    drawn = rows[:_MOST_DRAWN]
    several = len(set(drawn.columns["group"].tolist())) > 1
    bars = [
        Bar(
            f"{row.variant}, {row.group}" if several else row.variant,
            row.frequency,
            row.frequency_low,
            row.frequency_high,
        )
        for row in drawn
    ]
    return section(
        "published",
        "gwas/pages/frequencies_published.html",
        certificate=certificate,
        chart=point_chart(bars, (0.0, 1.0)),
        drawn=len(bars),
        rows=rows[:_MOST_ROWS],
        number=len(rows),
    )


def _round_down(people: float) -> str:
    if people >= _LEAST_INTEGER:
        return f"{math.floor(people):,}"
    return significant(math.floor(10 * people) / 10, 2)


def _in_100(share: float) -> str:
    return significant(math.ceil(1000 * share - 1e-9) / 10, 3)


class FrequenciesKind(ReleaseKind[FrequenciesCertificate, PreparedFrequencies, PublishedFrequency]):
    """Releases of frequencies."""

    certificate = FrequenciesCertificate

    def again(self, certificate: FrequenciesCertificate) -> PreparedFrequencies:
        """The request that it speaks of, calibrated for a study of its size."""
        request = FrequencyRequest.from_certificate(
            certificate,
            of=certificate.counted.of,
            listed=certificate.counted.listed,
            delta=certificate.guarantee.delta or None,
            false_yes=None if certificate.beacon is None else certificate.beacon.false_yes,
        )
        return prepare_frequencies(
            request, certificate.study, certificate.report, certificate.filters
        )

    def certified(self, prepared: PreparedFrequencies, origin: Origin) -> FrequenciesCertificate:
        """What the release guarantees, why, and against whom; made without the data."""
        request, filters = prepared.request, prepared.filters
        listed = "" if filters.people is None else " and whom the owner's lists of people leave"
        near = request.adjacency, request.missing, _WHERE
        return FrequenciesCertificate(
            **fields_of_genomes(prepared, origin),
            counted=Counted(
                of=str(request.of),
                listed=request.listed,
                part=certify_part(
                    prepared.part, prepared.share, prepared.mechanism, prepared.half_width_95
                ),
                half_width_95_all=prepared.half_width_95_all,
            ),
            compared=prepared.compared,
            beacon=prepared.beacon,
            assumptions=(
                *statements.assumptions(*near, families=request.families),
                statements.LISTED[request.listed],
                statements.AUTOSOMES_ONLY,
                "The frequencies describe everybody who is a case or a control in the study's own "
                f"files{listed}. People of unknown status are not counted.",
                *statements.describe_filters(filters),
            ),
            not_covered=(
                *statements.not_covered(*near, families=request.families),
                "How well the participants represent other people: half-widths cover the noise "
                "alone, around the participants' own frequencies.",
            ),
        )

    def noise(self, prepared: PreparedFrequencies) -> Noise:
        """Return the noise of all counts together."""
        return [(prepared.mechanism, prepared.part)]

    def number(self, prepared: PreparedFrequencies) -> int:
        """One a variant and group."""
        return prepared.part.coordinates

    def rebuilt(
        self,
        _certificate: FrequenciesCertificate,
        prepared: PreparedFrequencies,
        published: PublishedRows,
    ) -> Frequencies:
        """Everything but names and noisy counts computed again."""
        groups = len(prepared.people)
        first, *others = (
            [read_names(row, _NAMES) for row in published[group::groups]] for group in range(groups)
        )
        if any(each != first for each in others):
            raise InvalidArgument("Expected the same variants in every group, got others.")
        noisy = read_noisy_counts(row.get("noisy_count") for row in published)
        names = {own: [row[name] for row in first] for name, own in _NAMES.items()}
        return publish_rows(noisy, Variants(**names), prepared)

    def results(self, rows: Sequence[PublishedFrequency]) -> "pa.Table":
        """The rows as they are published."""
        return frequencies_table(rows)

    def dataset(self, prepared: PreparedFrequencies) -> str | None:
        """What was asked for."""
        return prepared.request.dataset

    def report(
        self,
        certificate: FrequenciesCertificate,
        _prepared: PreparedFrequencies,
        rows: Sequence[PublishedFrequency],
    ) -> str:
        """The report of frequencies."""
        return frequencies_document(certificate, in_columns(rows))


KIND = FrequenciesKind()
