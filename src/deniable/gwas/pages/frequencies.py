"""The report of noisy frequencies: beliefs as for tables, variants, and what noise changes."""

import math

from deniable.gwas.certificates import Frequencies, FrequenciesCertificate
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
    """Round a number of people down to what is readable."""
    if people >= _LEAST_INTEGER:
        return f"{math.floor(people):,}"
    return significant(math.floor(10 * people) / 10, 2)


def _in_100(share: float) -> str:
    return significant(math.ceil(1000 * share - 1e-9) / 10, 3)
