"""The report of noisy frequencies: beliefs as for tables, variants, and what noise changes."""

import math

from deniable.gwas.certificates import Frequencies, FrequenciesCertificate, PublishedFrequency
from deniable.gwas.pages.study import filter_lines
from deniable.report.belief_section import belief_section, error_sections
from deniable.report.charts import Bar, bar_chart, point_chart
from deniable.report.heading import Heading
from deniable.report.html import Html, element, join, name, table, text
from deniable.report.page import (
    Section,
    appendices,
    guarantee_sections,
    ledger_sections,
    page,
    programs,
)
from deniable.report.sentences import format_value, half_width, rounded_up, significant

_MOST_ROWS = 50
"""Rows that the table shows; results.csv has all."""
_MOST_DRAWN = 25
"""Rows that are drawn: about a screen."""
_MISSING = {
    "refuse": "none at a published variant, which is public",
    "major": "read as two copies of allele 2",
    "panel": "read as the genotype that most people of the reference panel have",
}
_NOISE = {
    "discrete-gaussian": "discrete Gaussian noise",
    "discrete-laplace": "discrete Laplace noise",
}
_LEAST_INTEGER = 10
"""People; from so many on they are told without a fraction."""
_UNLIKELY = 0.01
"""With which probability a stranger passes for a participant, in the example of exact answers."""


def frequencies_document(certificate: FrequenciesCertificate, rows: Frequencies) -> str:
    """The whole report as one HTML page, from the certificate and the published rows only.

    Parameters
    ----------
    certificate : FrequenciesCertificate
        What holds, why and for whom.
    rows : Frequencies
        All published rows.

    Returns
    -------
    str
        HTML that opens offline: charts are inline SVG, there is no script.
    """
    adversary = element("p", text(certificate.study_adversary.sentence))
    sections: list[Section] = [
        ("believed", "What may be believed", join([adversary, belief_section(certificate)])),
        ("published", "What is published", _published_section(certificate, rows)),
        ("exact", "Beside exact frequencies", _beside_exact(certificate)),
        *_beacon_section(certificate, rows),
        *error_sections(certificate),
        ("noise", "How much noise", _noise(certificate)),
        *ledger_sections(certificate),
        *guarantee_sections(certificate),
        *appendices(certificate),
    ]
    heading = Heading(**certificate.report)
    return page(certificate, sections, _origin(certificate), _worth(certificate), heading)


def _worth(certificate: FrequenciesCertificate) -> Html:
    """The first lines: for what such frequencies are enough."""
    comparison, people = certificate.compared, certificate.compared.people
    worth = (
        f"For whoever wants the population's frequencies, these are as precise as exact ones of "
        f"{_round_down(comparison.as_of_people)} people at a frequency of one half, and of "
        f"{_round_down(comparison.as_of_people_rare)} at 1 in 20. There are {people:,}"
        f"{' in the smaller group' if certificate.counted.of == 'both' else ''}."
    )
    if comparison.as_of_people < 1:
        worth += (
            " Single frequencies say next to nothing here: publish fewer variants, or of more "
            "people. Only averages over many variants mean something."
        )
    title = element("b", text("What it is worth."))
    return element("div", element("p", title, " ", text(worth)), class_="finds")


def _published_section(certificate: FrequenciesCertificate, rows: Frequencies) -> Html:
    width, joint = certificate.counted.part.half_width_95, certificate.counted.half_width_95_all
    what = (
        f"The frequency of allele 1 at {_number(certificate.study.variants, 'variant')} among "
        f"{_who(certificate)}. In 95 of 100 releases a noisy count is within "
        f"{half_width(width, 'rows')} copies of the exact one; all counts together are within "
        f"{half_width(joint, 'rows')}. Noisy counts may be negative or above what is possible; "
        "the count beside them is the nearest possible one, and the frequency is its share."
    )
    displayed = rows[:_MOST_ROWS]
    return join(
        [
            element("p", text(what), class_="what"),
            _figure(rows[:_MOST_DRAWN], len(rows)),
            _table(certificate, displayed, len(rows)),
        ]
    )


def _who(certificate: FrequenciesCertificate) -> str:
    study = certificate.study
    cases, controls = _number(study.cases, "case"), _number(study.controls, "control")
    return {
        "cases": cases,
        "controls": controls,
        "everybody": f"{cases} and {controls} together",
        "both": f"{cases}, and {controls} apart",
    }[certificate.counted.of]


def _number(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _figure(first: Frequencies, total: int) -> Html:
    several = len(set(first.columns["group"].tolist())) > 1
    bars = [
        Bar(
            f"{row.variant}, {row.group}" if several else row.variant,
            row.frequency,
            row.frequency_low,
            row.frequency_high,
        )
        for row in first
    ]
    chart = point_chart(
        bars,
        "frequencies",
        "Published frequencies of allele 1",
        "Points with intervals; the table has the same numbers.",
        (0.0, 1.0),
    )
    note = (
        f"The first {len(first):,} of {total:,}. Whiskers hold the exact frequency in 95 of 100 "
        "releases, each on its own."
    )
    return element("figure", chart, element("figcaption", text(note)))


def _table(certificate: FrequenciesCertificate, displayed: Frequencies, total: int) -> Html:
    titles = ["Variant", "Group", "Chromosome", "Position", "Allele, other", "Frequency",
              "Noisy copies", "± 95 %"]  # fmt: skip
    numeric = [False, False, False, True, False, True, True, True]
    if certificate.beacon is not None:
        titles, numeric = [*titles, "Present?"], [*numeric, False]
    return table(
        "variants",
        text(f"Published frequencies, {len(displayed):,} of {total:,}; results.csv has all"),
        [text(title) for title in titles],
        [_row(row) for row in displayed],
        numeric,
    )


def _row(row: PublishedFrequency) -> list[Html]:
    width = row.frequency_high - row.frequency_low
    interval = (
        f"{format_value(row.frequency_low, width, None)} to "
        f"{format_value(row.frequency_high, width, None)}"
    )
    cells = [
        name(row.variant),
        text(row.group),
        name(row.chromosome),
        text(f"{row.position:,}"),
        name(f"{row.allele}, {row.other_allele}"),
        join(
            [
                text(format_value(row.frequency, width, None)),
                element("span", text(interval), class_="ends"),
            ]
        ),
        text(f"{row.noisy_count:,}".replace("-", "−")),
        text(half_width(row.half_width_95, "rows")),
    ]
    return cells if row.present is None else [*cells, text("yes" if row.present else "no")]


def _beside_exact(certificate: FrequenciesCertificate) -> Html:
    comparison = certificate.compared
    variants = _number(certificate.study.variants, "variant")
    exact, noisy = comparison.exact, comparison.noisy
    theory = (
        f"Suppose that exact frequencies of as many variants, {variants} of {comparison.people:,} "
        "people, were published, the variants unlinked, and that somebody who knows the "
        "population's frequencies holds a person's genome. Where they take 5 in 100 strangers for "
        f"members, they recognise {_in_100(exact.power)} in 100 members; with the noise of this "
        f"release {_in_100(noisy.power)}. A belief of one half in a member's taking part becomes "
        f"{rounded_up(exact.belief, 3)} with exact frequencies, or more for 2 in 100 members, and "
        f"{rounded_up(noisy.belief, 3)} with noise."
    )
    caution = (
        "This is theory for one attack and no promise; linked variants count for less, "
        "relatives for more, and of rare alleles it says little. What is promised, of every "
        "attack, stands above."
    )
    bars = [
        Bar("strangers taken for members", 5.0),
        Bar("members, exact frequencies", 100 * exact.power),
        Bar("members, with noise", 100 * noisy.power),
    ]
    chart = bar_chart(
        bars,
        "recognised",
        "People taken for members, in 100",
        "In theory, with exact frequencies and with those published here.",
    )
    figure = element(
        "figure", chart, element("figcaption", text("People taken for members, in 100."))
    )
    return join([element("p", text(theory)), figure, element("p", text(caution), class_="quiet")])


def _beacon_section(certificate: FrequenciesCertificate, rows: Frequencies) -> list[Section]:
    beacon = certificate.beacon
    if beacon is None:
        return []
    present = int(rows.columns["present"].sum())
    answers = (
        f"“Present” says yes for {present:,} of {len(rows):,}: where the noisy count is "
        f"{beacon.threshold:,} or more. An allele that nobody carries gets a yes with a "
        f"probability of at most {significant(beacon.false_yes, 3)}. An allele of "
        f"{_number(beacon.seen, 'copy').replace('copys', 'copies')} gets one with a probability of "
        "at least .95; one of fewer copies may be overlooked, and one that a single person carries "
        "nearly always is. That has to be so: an answer that told of one carrier would tell who "
        "takes part."
    )
    return [
        (
            "beacon",
            "Whether anybody has the allele",
            join([element("p", text(each)) for each in (answers, _raw(certificate))]),
        )
    ]


def _raw(certificate: FrequenciesCertificate) -> str:
    """What exact answers give away: a stranger is there for all alleles with (1 − (1 − p)^2n)^k."""
    copies = 2 * certificate.compared.people
    share = 1 - math.exp(-1)  # (1 − 1/2n)^2n is about 1/e
    needed = math.ceil(math.log(_UNLIKELY) / math.log(share))
    return (
        f"Exact answers would give people away. Of alleles of frequency 1 in {copies:,} in the "
        f"population a stranger who carries some gets about {100 * share:.0f} in 100 answers yes, "
        f"a participant all. So somebody who carries {needed} of them and gets a yes for each is a "
        "stranger with a probability below 1 in 100, at even odds before."
    )


def _noise(certificate: FrequenciesCertificate) -> Html:
    part = certificate.counted.part
    if part.sensitivity is None or part.scale is None:
        raise AssertionError("frequencies have noise")
    symbol, spent = ("ε", part.epsilon) if part.rho is None else ("ρ", part.rho)
    norm = part.sensitivity.norm.upper()
    description = (
        f"All counts are one vector with {_NOISE[part.mechanism or '']} of scale "
        f"{significant(part.scale)} copies on each. It spends {symbol} = "
        f"{rounded_up(spent or 0.0, 4)}. The scale follows from that and from how far a "
        f"neighbouring study can move the whole vector: {significant(part.sensitivity.value)} "
        f"copies in {norm}, as one person has up to two copies at every variant. None of this "
        "depends on anybody's genotype."
    )
    return element("p", text(description))


def _origin(certificate: FrequenciesCertificate) -> list[tuple[str, Html]]:
    return [
        ("Released", text(certificate.created)),
        ("Missing calls", text(_MISSING[certificate.missing])),
        *filter_lines(certificate.filters),
        ("Computed with", text(programs(certificate))),
        ("Statement, SHA-256", element("code", text(certificate.statement_sha256))),
        ("For programs", element("code", text("certificate.json"))),
    ]


def _round_down(people: float) -> str:
    """So many people, rounded down to what is readable."""
    if people >= _LEAST_INTEGER:
        return f"{math.floor(people):,}"
    return significant(math.floor(10 * people) / 10, 2)


def _in_100(share: float) -> str:
    return significant(math.ceil(1000 * share - 1e-9) / 10, 3)
