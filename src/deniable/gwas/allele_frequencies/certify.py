"""The certificate of prepared frequencies; made without the data."""

from deniable.gwas.allele_frequencies import statements
from deniable.gwas.allele_frequencies.request import PreparedFrequencies
from deniable.gwas.certificates.frequencies import Counted, FrequenciesCertificate
from deniable.gwas.publication.statements import adversary, unit
from deniable.pipeline.certified_parts import certify_part, guarantee
from deniable.pipeline.kind import Origin


def certified_frequencies(prepared: PreparedFrequencies, origin: Origin) -> FrequenciesCertificate:
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
        assumptions=statements.assumptions(request, prepared.filters),
        not_covered=statements.not_covered(request),
        versions=origin.versions,
        report=prepared.words,
        filters=prepared.filters,
    )
