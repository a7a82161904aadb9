"""Releases of frequencies: the kind of release that `gwas frequencies` makes."""

from typing import TYPE_CHECKING

from deniable.errors.late import late
from deniable.gwas.allele_frequencies import rows
from deniable.gwas.allele_frequencies.certify import certified_frequencies
from deniable.gwas.allele_frequencies.request import (
    PreparedFrequencies,
    Request,
    prepared_frequencies,
)
from deniable.gwas.certificates.frequencies import FrequenciesCertificate
from deniable.gwas.certificates.frequencies_results import (
    PublishedFrequency,
    frequencies_table,
    in_columns,
)
from deniable.pipeline.kind import Noise, ReleaseKind

if TYPE_CHECKING:
    from deniable.gwas.pages import frequencies as report
else:  # needed for the page only
    report = late("deniable.gwas.pages.frequencies")


def again(certificate: FrequenciesCertificate) -> PreparedFrequencies:
    """The request that a certificate speaks of, calibrated for a study of its size."""
    target, believer = certificate.target, certificate.study_adversary
    default = believer.source == "default"
    request = Request.given(
        of=certificate.counted.of,
        listed=certificate.counted.listed,
        targets={target.kind: target.value},
        delta=certificate.guarantee.delta or None,
        prior=None if default else (believer.prior.low, believer.prior.high),
        adjacency=certificate.unit.adjacency,
        missing=certificate.missing,
        false_yes=None if certificate.beacon is None else certificate.beacon.false_yes,
        dataset=None if certificate.ledger is None else certificate.ledger.dataset,
    )
    return prepared_frequencies(request, certificate.study, certificate.report, certificate.filters)


def _noise(prepared: PreparedFrequencies) -> Noise:
    yield prepared.mechanism, prepared.part


KIND = ReleaseKind[FrequenciesCertificate, PreparedFrequencies, PublishedFrequency](
    certificate=FrequenciesCertificate,
    again=again,
    noise=_noise,
    certified=certified_frequencies,
    number=lambda prepared: prepared.part.coordinates,
    rebuilt=lambda _, prepared, found: rows.rebuilt(prepared, found),
    results=frequencies_table,
    dataset=lambda prepared: prepared.request.dataset,
    report=lambda certificate, _, found: report.frequencies_document(
        certificate, in_columns(found)
    ),
)
