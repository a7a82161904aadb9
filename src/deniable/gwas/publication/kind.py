"""Releases of studies: the kind of release that `gwas release` makes."""

from typing import TYPE_CHECKING

from deniable.errors.late import late
from deniable.gwas.certificates.study import StudyCertificate
from deniable.gwas.certificates.study_results import ReleasedVariant, study_table
from deniable.gwas.publication.certify import certified_study
from deniable.gwas.publication.request import PreparedStudy, Request, prepared_study
from deniable.pipeline.kind import Noise, ReleaseKind
from deniable.theorems.analysis.target import EpsilonTarget, GammaTarget

if TYPE_CHECKING:
    from deniable.gwas.publication import published_study
else:  # needed for the files of a release only
    published_study = late("deniable.gwas.publication.published_study")


def again(certificate: StudyCertificate) -> PreparedStudy:
    """The request that a certificate speaks of, calibrated for a study of its size."""
    chromosomes = None if certificate.is_first else certificate.chromosomes
    return prepared_study(
        _request(certificate),
        certificate.study,
        chromosomes,
        certificate.report,
        certificate.filters,
    )


def _request(certificate: StudyCertificate) -> Request:
    chosen, target = certificate.selection, certificate.target
    line, believer = chosen.threshold, certificate.study_adversary
    default = believer.source == "default"
    return Request.of(
        top=chosen.top,
        gamma=target.value if isinstance(target, GammaTarget) else None,
        epsilon=target.value if isinstance(target, EpsilonTarget) else None,
        prior=None if default else (believer.prior.low, believer.prior.high),
        adjacency=certificate.unit.adjacency,
        score=chosen.score,
        threshold="bonferroni" if line is None or line.p_value is None else line.p_value,
        missing=certificate.missing,
        statistics=certificate.statistics is not None,
        dataset=_dataset(certificate),
        window=chosen.window,
    )


def _dataset(certificate: StudyCertificate) -> str | None:
    """Its own word for it; the first format knew of no ledger."""
    if certificate.ledger is None or certificate.is_first:
        return None
    return certificate.ledger.dataset


def _noise(prepared: PreparedStudy) -> Noise:
    for planned in (prepared.selection, prepared.statistics):
        if planned is not None:
            yield planned.mechanism, planned.part


KIND = ReleaseKind[StudyCertificate, PreparedStudy, ReleasedVariant](
    certificate=StudyCertificate,
    again=again,
    noise=_noise,
    certified=certified_study,
    number=lambda prepared: prepared.request.top,
    rebuilt=lambda _, prepared, published: published_study.rebuilt(prepared, published),
    results=study_table,
    dataset=lambda prepared: prepared.request.dataset,
    report=lambda *release: published_study.page(*release),
)
