"""Releases of frequencies: the kind of release that `gwas frequencies` makes."""

from typing import TYPE_CHECKING

from deniable.errors.late import late
from deniable.gwas.allele_frequencies import rows
from deniable.gwas.allele_frequencies.request import (
    FrequencyRequest,
    PreparedFrequencies,
    prepare_frequencies,
)
from deniable.gwas.certificates import (
    Counted,
    FrequenciesCertificate,
    PublishedFrequency,
    frequencies_table,
    in_columns,
)
from deniable.gwas.public_filters import StudyFilters
from deniable.gwas.publication import adversary, statements, unit
from deniable.pipeline.kind import Noise, Origin, ReleaseKind, certify_part, guarantee

if TYPE_CHECKING:
    from deniable.gwas.pages import frequencies as report
else:
    report = late("deniable.gwas.pages.frequencies")


# --- Sentences of the certificate of noisy frequencies; public numbers only.


_WHERE = "every published variant"

_LISTED = {
    "list": (
        "The list of variants is public and was not made by looking at these genotypes: a list of "
        "the variants that are polymorphic here would tell of everybody who carries one."
    ),
    "file": (
        "Which variants the file holds is public, and was not decided by looking at these "
        "genotypes: a file of the variants that are polymorphic here tells of everybody who "
        "carries one."
    ),
}


def assumptions(request: FrequencyRequest, filters: StudyFilters) -> tuple[str, ...]:
    """What the guarantee rests on."""
    listed = "" if filters.people is None else " and is left by the owner's lists of people"
    return (
        *statements.assumptions(request.adjacency, request.missing, _WHERE),
        _LISTED[request.listed],
        statements.AUTOSOMES_ONLY,
        f"Frequencies are of whoever is a case or a control in the study's own files{listed}; "
        "people of unknown status are not counted.",
        *statements.describe_filters(filters),
    )


def not_covered(request: FrequencyRequest) -> tuple[str, ...]:
    """What the guarantee does not speak about."""
    return (
        *statements.not_covered(request.adjacency, request.missing, _WHERE),
        "How the participants stand for other people: half-widths are of the noise alone, around "
        "the participants' own frequencies.",
    )


# --- The certificate of prepared frequencies; made without the data.


def certify_frequencies(prepared: PreparedFrequencies, origin: Origin) -> FrequenciesCertificate:
    """What the release guarantees, why, and against whom; without digests of files."""
    request, calibration = prepared.request, prepared.calibration
    near = request.adjacency
    return FrequenciesCertificate(
        created=origin.created,
        unit=unit(near),
        study=prepared.size,
        missing=request.missing.value,
        study_adversary=adversary(near, calibration.adversary, given=request.prior is not None),
        target=request.target,
        guarantee=guarantee(calibration),
        derivation=calibration.derivation,
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
        assumptions=assumptions(request, prepared.filters),
        not_covered=not_covered(request),
        versions=origin.versions,
        report=prepared.words,
        filters=prepared.filters,
    )


# --- Releases of frequencies: the kind of release that `gwas frequencies` makes.


def prepare_from_certificate(certificate: FrequenciesCertificate) -> PreparedFrequencies:
    """The request that a certificate speaks of, calibrated for a study of its size."""
    target, adversary = certificate.target, certificate.study_adversary
    default = adversary.source == "default"
    request = FrequencyRequest.from_arguments(
        of=certificate.counted.of,
        listed=certificate.counted.listed,
        targets={target.kind: target.value},
        delta=certificate.guarantee.delta or None,
        prior=None if default else (adversary.prior.low, adversary.prior.high),
        adjacency=certificate.unit.adjacency,
        missing=certificate.missing,
        false_yes=None if certificate.beacon is None else certificate.beacon.false_yes,
        dataset=None if certificate.ledger is None else certificate.ledger.dataset,
    )
    return prepare_frequencies(request, certificate.study, certificate.report, certificate.filters)


def _noise(prepared: PreparedFrequencies) -> Noise:
    yield prepared.mechanism, prepared.part


KIND = ReleaseKind[FrequenciesCertificate, PreparedFrequencies, PublishedFrequency](
    certificate=FrequenciesCertificate,
    again=prepare_from_certificate,
    noise=_noise,
    certified=certify_frequencies,
    number=lambda prepared: prepared.part.coordinates,
    rebuilt=lambda _, prepared, published_rows: rows.rebuild_rows(prepared, published_rows),
    results=frequencies_table,
    dataset=lambda prepared: prepared.request.dataset,
    report=lambda certificate, _, published_rows: report.frequencies_document(
        certificate, in_columns(published_rows)
    ),
)
