"""The report of a training: beliefs as for tables, then errors of attacks and what was done."""

from collections.abc import Iterator

from deniable.report.belief_section import belief_section, error_rates
from deniable.report.html import Html, element, join, table, text
from deniable.report.page import (
    Section,
    appendices,
    guarantee_sections,
    ledger_sections,
    page,
    programs,
)
from deniable.report.sentences import chance, exactly, rounded_up, significant
from deniable.training.certificate import TrainingCertificate

_DECIMALS = 4
"""Of ε and ρ, rounded up."""
_ALL = 7
"""Digits that show every end of an enclosure as it is stated, in six: none is rounded inwards."""


def training_document(certificate: TrainingCertificate) -> str:
    """The whole report as one HTML page, from the certificate only.

    Returns
    -------
    str
        HTML that opens offline: charts are inline SVG, there is no script.
    """
    sections = [
        ("believed", "What may be believed", belief_section(certificate)),
        ("errors", "What attacks get wrong", _errors(certificate)),
        ("trained", "What was trained", _training_section(certificate)),
        *_charge_sections(certificate),
        *guarantee_sections(certificate),
        *appendices(certificate),
    ]
    return page(certificate, sections, _origin(certificate))


def _charge_sections(certificate: TrainingCertificate) -> Iterator[Section]:
    """As of tables, and why the charge is larger than what is said of beliefs."""
    explanation = (
        "What is charged does not count on sampling: it is Σ steps/(2 · noise multiplier²), as if "
        "every record took part in every step, and no smaller ρ would be true. Where few records "
        "take part in a step, a training costs far more of a budget than it lets anybody believe. "
        "The limits on beliefs of this page are those of its own curve."
    )
    for name, title, section in ledger_sections(certificate):
        yield name, title, join([section, element("p", text(explanation))])


def _errors(certificate: TrainingCertificate) -> Html:
    training = certificate.training
    rates = [(each.fpr, each.fnr) for each in training.trade_off]
    bound = training.advantage
    best = (
        "The best attack's advantage is the share of training records pointed out less that of the "
        f"others. It is at most {significant(bound.upper, _ALL)}, and no proof from this history "
        f"could promise less than {significant(bound.lower, _ALL)}: some training of the same "
        "steps gives so much away, where every step is seen."
    )
    own = (training.rates.fpr, training.rates.fnr)
    return join([error_rates(certificate, "the model", rates, [own]), element("p", text(best))])


def _training_section(certificate: TrainingCertificate) -> Html:
    training, guarantee = certificate.training, certificate.guarantee
    intro = (
        f"{training.steps:,} steps, by the history that the trainer kept of what was done. In each "
        "a record took part with the probability of its sampling rate; its clipped contribution "
        "was added up with noise, whose standard deviation is the noise multiplier times the "
        "clipping norm."
    )
    rows = [
        [
            text(f"{each.steps:,}"),
            text(exactly(each.sample_rate)),
            text(significant(each.noise_multiplier, 12)),
        ]
        for each in training.history
    ]
    facts = table(
        "phases",
        text("Steps, their sampling rate and their noise"),
        [text("Steps"), text("Sampling rate"), text("Noise multiplier")],
        rows,
        [True, True, True],
    )
    same = (
        f"In other words: (ε, δ)-differential privacy with ε = "
        f"{rounded_up(guarantee.epsilon, _DECIMALS)} and δ = {exactly(guarantee.delta)}, with one "
        "record added or removed. A ledger adds up "
        f"ρ = {rounded_up(guarantee.rho or 0.0, _DECIMALS)}, which does not count on sampling. The "
        "beliefs above are read at a privacy loss of "
        f"{rounded_up(guarantee.loss, _DECIMALS)}, which is passed with a probability of at most "
        f"{chance(guarantee.exceedance)} whatever is believed of the other records."
    )
    return join([element("p", text(intro)), facts, element("p", text(same))])


def _origin(certificate: TrainingCertificate) -> list[tuple[str, Html]]:
    return [
        ("Certified", text(certificate.created)),
        ("Computed with", text(programs(certificate))),
        ("Statement, SHA-256", element("code", text(certificate.statement_sha256))),
        ("For programs", element("code", text("certificate.json"))),
    ]
