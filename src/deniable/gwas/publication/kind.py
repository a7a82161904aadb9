"""Releases of studies: the kind of release that `gwas release` makes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from deniable.certificate.model import CertifiedPart
from deniable.errors.late import late, pa
from deniable.gwas.certificates import (
    FORMAT,
    FORMAT_1,
    CertifiedSelection,
    ReleasedVariant,
    StudyCertificate,
    Threshold,
    study_table,
)
from deniable.gwas.publication import statements
from deniable.gwas.publication.families import derivation
from deniable.gwas.publication.request import (
    NoisedPart,
    PreparedGenomes,
    PreparedStudy,
    StudyRequest,
    prepare_study,
)
from deniable.pipeline import kind

if TYPE_CHECKING:
    from deniable.gwas.publication import published_study
else:
    published_study = late("deniable.gwas.publication.published_study")


def _part(noised: NoisedPart) -> CertifiedPart:
    return kind.certify_part(noised.part, noised.share, noised.mechanism, noised.half_width_95)


def fields_of_genomes(prepared: PreparedGenomes, origin: kind.Origin) -> dict[str, Any]:
    """What certificates of all releases of genomes say, by the names of their fields."""
    request, calibration = prepared.request, prepared.calibration
    near, strata = request.adjacency, bool(prepared.size.strata)
    return {
        "created": origin.created,
        "unit": statements.unit(near, strata=strata, families=request.families),
        "study": prepared.size,
        "missing": request.missing.value,
        "study_adversary": statements.adversary(
            near, calibration.adversary, given=request.prior is not None, strata=strata
        ),
        "target": request.target,
        "guarantee": kind.guarantee(calibration),
        "derivation": derivation(calibration, request.families),
        "versions": origin.versions,
        "report": prepared.words,
        "filters": prepared.filters,
        "families": request.families,
    }


class StudyKind(kind.ReleaseKind[StudyCertificate, PreparedStudy, ReleasedVariant]):
    """Releases of studies."""

    certificate = StudyCertificate

    def again(self, certificate: StudyCertificate) -> PreparedStudy:
        """The request that it speaks of, calibrated for a study of its size."""
        chromosomes = None if certificate.is_first else certificate.chromosomes
        selection = certificate.selection
        line = selection.threshold
        request = StudyRequest.from_certificate(
            certificate,
            top=selection.top,
            score=selection.score,
            threshold="bonferroni" if line is None or line.p_value is None else line.p_value,
            statistics=certificate.statistics is not None,
            window=selection.window,
        )
        return prepare_study(
            request, certificate.study, chromosomes, certificate.report, certificate.filters
        )

    def certified(self, prepared: PreparedStudy, origin: kind.Origin) -> StudyCertificate:
        """What the release guarantees, why, and against whom; made without the data."""
        request = prepared.request
        near, strata = request.adjacency, bool(prepared.size.strata)
        threshold, word = None, request.threshold
        if prepared.line is not None:
            rule, p_value = (word, None) if isinstance(word, str) else ("p-value", float(word))
            threshold = Threshold(rule, p_value, prepared.line)
        return StudyCertificate(
            **fields_of_genomes(prepared, origin),
            selection=CertifiedSelection(
                top=request.top,
                score=str(request.score),
                score_unit=statements.score_unit(request.score, near),
                threshold=threshold,
                part=_part(prepared.selection),
                window=request.window,
            ),
            statistics=None if prepared.statistics is None else _part(prepared.statistics),
            assumptions=(
                *statements.assumptions(
                    near, request.missing, strata=strata, families=request.families
                ),
                *(() if prepared.chromosomes is None else (statements.AUTOSOMES_ONLY,)),
                *statements.describe_filters(prepared.filters),
                *(() if request.window is None else (statements.WINDOWS,)),
            ),
            not_covered=statements.not_covered(
                near, request.missing, strata=strata, families=request.families
            ),
            chromosomes=prepared.chromosomes or (),
            format=FORMAT_1 if prepared.chromosomes is None else FORMAT,
        )

    def noise(self, prepared: PreparedStudy) -> kind.Noise:
        """Return the noise of the selection, and of the selected variants' statistics."""
        for planned in (prepared.selection, prepared.statistics):
            if planned is not None:
                yield planned.mechanism, planned.part

    def number(self, prepared: PreparedStudy) -> int:
        """One a chosen variant."""
        return prepared.request.top

    def rebuilt(
        self, _certificate: StudyCertificate, prepared: PreparedStudy, published: kind.PublishedRows
    ) -> Sequence[ReleasedVariant]:
        """Everything but names and noisy numbers computed again."""
        return published_study.rebuild_rows(prepared, published)

    def results(self, rows: Sequence[ReleasedVariant]) -> "pa.Table":
        """The rows as they are published."""
        return study_table(rows)

    def dataset(self, prepared: PreparedStudy) -> str | None:
        """What was asked for."""
        return prepared.request.dataset

    def report(
        self,
        certificate: StudyCertificate,
        prepared: PreparedStudy,
        rows: Sequence[ReleasedVariant],
    ) -> str:
        """The report of a study."""
        return published_study.page(certificate, prepared, rows)


KIND = StudyKind()
