"""The report of a training: beliefs as for tables, then errors of attacks and what was done."""

from deniable.report.belief_section import belief_section, error_section
from deniable.report.page import appendices, guarantee_sections, ledger_sections, page
from deniable.report.rendering import section
from deniable.training.batches.batched import Neighbours
from deniable.training.batches.options import WAYS
from deniable.training.certificate import TrainingCertificate

_CHANGES = {
    Neighbours.ZERO_OUT: "{} silent, or not: the same batches, to which it gives nothing",
    Neighbours.ADD_REMOVE: "{} added or removed",
    Neighbours.REPLACE_ONE: "{} exchanged for another",
}
"""What differs between the data that the guarantee compares."""
_ALL = 7
"""Digits that show every end of an enclosure as it is stated, in six: none is rounded inwards."""


def training_document(certificate: TrainingCertificate) -> str:
    """The whole report as one HTML page, from the certificate only."""
    # It opens offline: charts are inline SVG, there is no script.
    training, batches = certificate.training, certificate.training.batches
    many = 1 if batches is None else batches.records_per_person
    one = "one record" if many == 1 else f"up to {many} records of one person"
    change = Neighbours.ADD_REMOVE if batches is None else batches.neighbours
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
        section(
            "trained",
            "training/trained.html",
            certificate=certificate,
            change=_CHANGES[change].format(one),
            way=None if batches is None else WAYS[batches.batches],
        ),
        *ledger_sections(certificate, "training/charged.html"),
        *guarantee_sections(certificate),
        *appendices(certificate),
    ]
    return page(certificate, sections, "training/report.html")
