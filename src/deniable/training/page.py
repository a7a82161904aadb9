"""The report of a training: beliefs as for tables, then errors of attacks and what was done."""

from deniable.report.belief_section import belief_section, error_section
from deniable.report.page import appendices, guarantee_sections, ledger_sections, page
from deniable.report.rendering import section
from deniable.training.certificate import TrainingCertificate

_ALL = 7
"""Digits that show every end of an enclosure as it is stated, in six: none is rounded inwards."""


def training_document(certificate: TrainingCertificate) -> str:
    """The whole report as one HTML page, from the certificate only."""
    # It opens offline: charts are inline SVG, there is no script.
    training = certificate.training
    sections = [
        belief_section(certificate),
        error_section(
            certificate,
            "training/errors.html",
            "the model",
            [(each.fpr, each.fnr) for each in training.trade_off],
            [(training.rates.fpr, training.rates.fnr)],
            digits=_ALL,
        ),
        section("trained", "training/trained.html", certificate=certificate),
        *ledger_sections(certificate, "training/charged.html"),
        *guarantee_sections(certificate),
        *appendices(certificate),
    ]
    return page(certificate, sections, "training/report.html")
