"""The certificate of a prepared study; made without the data."""

from deniable.certificate.model import CertifiedPart
from deniable.gwas.certificates.study import (
    FORMAT,
    FORMAT_1,
    CertifiedSelection,
    StudyCertificate,
    Threshold,
)
from deniable.gwas.publication import statements
from deniable.gwas.publication.request import NoisedPart, PreparedStudy
from deniable.pipeline.certified_parts import certify_part, guarantee
from deniable.pipeline.kind import Origin


def certified_study(prepared: PreparedStudy, origin: Origin) -> StudyCertificate:
    """What the release guarantees, why, and against whom; without digests of files."""
    request, calibration = prepared.request, prepared.calibration
    near, strata = request.adjacency, bool(prepared.size.strata)
    return StudyCertificate(
        created=origin.created,
        unit=statements.unit(near, strata=strata),
        study=prepared.size,
        missing=request.missing.value,
        study_adversary=statements.adversary(
            near, calibration.adversary, given=request.prior is not None, strata=strata
        ),
        target=request.target,
        guarantee=guarantee(calibration),
        derivation=calibration.derivation,
        selection=_selection(prepared),
        statistics=None if prepared.statistics is None else _part(prepared.statistics),
        assumptions=(
            *statements.assumptions(near, request.missing, strata=strata),
            *(() if prepared.chromosomes is None else (statements.AUTOSOMES_ONLY,)),
            *statements.chosen_by(prepared.filters),
            *(() if request.window is None else (statements.WINDOWS,)),
        ),
        not_covered=statements.not_covered(near, request.missing, strata=strata),
        versions=origin.versions,
        chromosomes=prepared.chromosomes or (),
        report=prepared.words,
        filters=prepared.filters,
        format=FORMAT_1 if prepared.chromosomes is None else FORMAT,
    )


def _selection(prepared: PreparedStudy) -> CertifiedSelection:
    request = prepared.request
    return CertifiedSelection(
        top=request.top,
        score=str(request.score),
        score_unit=statements.score_unit(request.score, request.adjacency),
        threshold=_threshold(prepared),
        part=_part(prepared.selection),
        window=request.window,
    )


def _threshold(prepared: PreparedStudy) -> Threshold | None:
    if prepared.line is None:
        return None
    word = prepared.request.threshold
    if isinstance(word, str):
        return Threshold(word, None, prepared.line)
    return Threshold("p-value", float(word), prepared.line)


def _part(noised: NoisedPart) -> CertifiedPart:
    return certify_part(noised.part, noised.share, noised.mechanism, noised.half_width_95)
