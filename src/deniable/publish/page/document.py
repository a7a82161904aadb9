"""The report: one HTML file without scripts and without any request to the outside."""

from collections.abc import Sequence

from deniable.certificate.model import CertifiedPart
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery, TableCertificate
from deniable.publish.page.plan_appendix import plan_appendix
from deniable.publish.page.published import published_section
from deniable.report.belief_section import belief_section
from deniable.report.heading import Heading
from deniable.report.html import Html, element, join, name, table, text
from deniable.report.ledger import ledger_sections
from deniable.report.numbers import half_width, significant
from deniable.report.page import appendices, guarantee_sections, page, programs
from deniable.report.population import above_everything, population_sections
from deniable.report.sentences import rounded_up

_MECHANISMS = {
    "discrete-laplace": "discrete Laplace noise",
    "discrete-gaussian": "discrete Gaussian noise",
    "noisy-top-k-exponential": "choice by noisy scores (exponential noise)",
    "noisy-top-k-gumbel": "choice by noisy scores (Gumbel noise)",
}
_NORMS = {"l1": "L1", "l2": "L2", "linf-sum": "L∞, summed over cells"}


def document(certificate: TableCertificate, rows: Sequence[ResultRow]) -> str:
    """The whole report as one HTML page.

    It is built from the certificate and the published rows only, and no part of its structure
    depends on published values.

    Parameters
    ----------
    certificate : TableCertificate
        What holds, why and for whom.
    rows : sequence of ResultRow
        All published rows, in plan order, then key order.

    Returns
    -------
    str
        HTML that opens offline: charts are inline SVG, there is no script.
    """
    sections = [
        ("believed", "What may be believed", belief_section(certificate)),
        *population_sections(certificate),
        ("published", "What is published", published_section(certificate, rows)),
        ("noise", "How the noise was shared", _noise(certificate)),
        *ledger_sections(certificate),
        *guarantee_sections(certificate),
    ]
    if certificate.plan is not None:
        sections.append(("plan", "What was asked for", plan_appendix(certificate.plan)))
    sections += appendices(certificate)
    heading = Heading.of(certificate.plan)
    return page(certificate, sections, _origin(certificate), above_everything(certificate), heading)


def _noise(certificate: TableCertificate) -> Html:
    parts = [(query, part) for query in certificate.queries for part in query.parts]
    pure = all(part.rho is None for _, part in parts)
    total = certificate.guarantee.epsilon if pure else certificate.guarantee.rho
    symbol = "ε" if pure else "ρ"
    budget = "" if total is None else f" of {symbol} = {rounded_up(total, 4)} in all"
    intro = (
        f"Each query has its share{budget}, by its weight in the plan. The scale of the noise "
        "follows from the share and from the sensitivity: how far one entity can move the exact "
        "numbers. None of this depends on the table's values."
    )
    titles = ("Query", "Part", "Noise", "Scale", "Sensitivity", f"Share,\u00a0{symbol}", "± 95 %")
    return join(
        [
            element("p", text(intro)),
            table(
                "shares",
                text("Noise by query; scale and sensitivity in the published unit, or in rows"),
                [text(title) for title in titles],
                [_share(query, part) for query, part in parts],
                [False, False, False, True, False, True, True],
            ),
        ]
    )


def _share(query: CertifiedQuery, part: CertifiedPart) -> list[Html]:
    if part.mechanism is None or part.sensitivity is None:
        return [name(query.name), text(part.label), text("none: public"), *[text("")] * 4]
    moved = part.sensitivity.value * (part.step or 1.0)
    spent = part.epsilon if part.rho is None else part.rho
    return [
        name(query.name),
        text(part.label),
        text(_MECHANISMS.get(part.mechanism, part.mechanism)),
        text("" if part.scale is None else significant(part.scale)),
        text(f"{significant(moved)} ({_NORMS[part.sensitivity.norm]})"),
        text("" if spent is None else significant(spent, 4)),
        text(half_width(part.half_width_95, None)),
    ]


def _origin(certificate: TableCertificate) -> list[tuple[str, Html]]:
    return [
        ("Released", text(certificate.created)),
        ("Plan, SHA-256", element("code", text(certificate.plan_sha256))),
        ("Computed with", text(programs(certificate))),
        ("Statement, SHA-256", element("code", text(certificate.statement_sha256))),
        ("For programs", element("code", text("certificate.json"))),
    ]
