"""What an attacker can conclude: picture, key, figures, table; and what attacks get wrong."""

import math
from collections.abc import Sequence
from typing import Any

from deniable.certificate.model import GAUSSIAN, Certificate
from deniable.certificate.tables import TableCertificate
from deniable.errors import NotApplicable
from deniable.report import charts
from deniable.report.headline import change
from deniable.report.rendering import Section, section
from deniable.report.sentences import members
from deniable.theorems.analysis import ErrorCurve

_TABLE_RATES = (0.001, 0.01, 0.1, 0.5)
"""False-positive rates of the table: of a strict attack to that of a coin."""
_FINE = (0.001, *(step / 50 for step in range(1, 50)), 0.01)
"""False-positive rates of the picture, 2 % apart, and those of the table."""
_COARSE = (0.05, 0.3, 0.7)
"""False-positive rates of the picture if only ρ is known: each takes a search for its order."""

Rates = Sequence[tuple[float, float]]
"""False positives in rising order, and false negatives rounded down."""


def belief_section(certificate: Certificate, **values: Any) -> Section:
    """Chart, key and figures; then the posteriors of a few priors."""
    loss, band = certificate.guarantee.loss, certificate.adversary
    picture = charts.belief_picture(certificate)
    return section(
        "believed",
        "report/belief.html",
        certificate=certificate,
        unit=certificate.unit,
        change=change(certificate),
        picture=picture,
        chart=charts.belief_chart(picture),
        steepest=charts.steepest_prior(band, loss),
        noise_multiplier=noise_multiplier(certificate),
        priors=charts.table_priors(band),
        **values,
    )


def noise_multiplier(certificate: Certificate) -> float | None:
    """Standard deviation per unit of L2 sensitivity, rounded down; None with other noise.

    ρ = μ²/2 for Gaussian noise, and the noise multiplier is 1/μ.
    """
    rho = certificate.guarantee.rho
    if rho is None or not isinstance(certificate, TableCertificate):
        return None
    if any(part.mechanism not in (None, GAUSSIAN) for part in certificate.parts):
        return None
    return 1 / math.sqrt(2 * rho) * (1 - 1e-9)


def error_sections(certificate: Certificate) -> list[Section]:
    """The least that attacks get wrong by what is stated; none where that bounds no tests."""
    try:
        curve = ErrorCurve(certificate.notions)
    except NotApplicable:
        return []
    rates = [
        (fpr, curve.false_negatives(fpr))
        for fpr in sorted({*_TABLE_RATES, *(_COARSE if curve.is_searched else _FINE)})
    ]
    return [error_section(certificate, "report/errors.html", "this release", rates, curve=curve)]


def error_section(
    certificate: Certificate,
    template: str,
    attacked: str,
    rates: Rates,
    also: Rates = (),
    **values: Any,
) -> Section:
    """Chart and table of false positives and the least false negatives.

    `template` includes "report/error_rates.html"; the certificate's claim names members and others.
    """
    insiders, outsiders = members(certificate.unit)
    if insiders == outsiders:  # of one's value, not of being there
        outsiders = "others"
    return section(
        "errors",
        template,
        certificate=certificate,
        unit=certificate.unit,
        attacked=attacked,
        chart=charts.error_chart(rates, (insiders.capitalize(), outsiders.capitalize())),
        insiders=insiders,
        outsiders=outsiders,
        listed=sorted({*(row for row in rates if row[0] in _TABLE_RATES), *also}),
        **values,
    )
