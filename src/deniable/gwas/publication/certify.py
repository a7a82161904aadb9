"""The certificate of a prepared study; made without the data."""

import datetime
import importlib.metadata
import platform
from collections.abc import Mapping

import attrs
import numpy as np

from deniable.certificate.model import CertifiedPart
from deniable.certificate.study import (
    CertifiedSelection,
    Chromosome,
    StudyCertificate,
    StudyVersions,
    Threshold,
)
from deniable.gwas.publication import statements
from deniable.gwas.publication.request import NoisedPart, PreparedStudy
from deniable.pipeline.certified_parts import certified_part, guarantee


@attrs.frozen
class StudyOrigin:
    """What nobody can recompute: day, programs, what stands in the study's own files, words."""

    created: str
    versions: StudyVersions
    chromosomes: tuple[Chromosome, ...]
    report: Mapping[str, str] = attrs.field(factory=dict)


def certified_study(
    prepared: PreparedStudy,
    places: Mapping[str, tuple[int, int]],
    today: datetime.date,
    report: Mapping[str, str] | None = None,
) -> StudyCertificate:
    """What the release guarantees, why, and against whom.

    Parameters
    ----------
    places : mapping
        The first and last position on each chromosome of the file, in its order.
    report : mapping, optional
        The releaser's words for the report.
    """
    chromosomes = tuple(Chromosome(name, *ends) for name, ends in places.items())
    origin = StudyOrigin(today.isoformat(), _versions(), chromosomes, report or {})
    return stated_study(prepared, origin)


def stated_study(prepared: PreparedStudy, origin: StudyOrigin) -> StudyCertificate:
    """The certificate of a calibrated request, without digests of files."""
    request, calibration = prepared.request, prepared.calibration
    near = request.adjacency
    return StudyCertificate(
        created=origin.created,
        unit=statements.unit(near),
        study=prepared.size,
        missing=request.missing.value,
        believer=statements.adversary(near, calibration.adversary, given=request.prior is not None),
        target=request.target,
        guarantee=guarantee(calibration),
        derivation=calibration.derivation,
        selection=_selection(prepared),
        statistics=None if prepared.statistics is None else _part(prepared.statistics),
        assumptions=statements.assumptions(near, request.missing),
        not_covered=statements.not_covered(near, request.missing),
        versions=origin.versions,
        chromosomes=origin.chromosomes,
        report=origin.report,
    )


def _selection(prepared: PreparedStudy) -> CertifiedSelection:
    request = prepared.request
    return CertifiedSelection(
        top=request.top,
        score=str(request.score),
        score_unit=statements.score_unit(request.score, request.adjacency),
        threshold=_threshold(prepared),
        part=_part(prepared.selection),
    )


def _threshold(prepared: PreparedStudy) -> Threshold | None:
    if prepared.line is None:
        return None
    word = prepared.request.threshold
    if isinstance(word, str):
        return Threshold(word, None, prepared.line)
    return Threshold("p-value", float(word), prepared.line)


def _part(noised: NoisedPart) -> CertifiedPart:
    return certified_part(noised.part, noised.share, noised.mechanism, noised.half_width_95)


def _versions() -> StudyVersions:
    return StudyVersions(
        deniable=importlib.metadata.version("deniable"),
        opendp=importlib.metadata.version("opendp"),
        numpy=np.__version__,
        scipy=importlib.metadata.version("scipy"),
        python=platform.python_version(),
    )
