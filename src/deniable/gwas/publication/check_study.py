"""Recompute everything that a study's certificate claims, without the data."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from deniable.analysis.target import EpsilonTarget, GammaTarget
from deniable.certificate.leaves import ON_TRUST, WITHOUT_FILES
from deniable.certificate.study import FORMAT_1, SCHEMA, StudyCertificate
from deniable.certificate.study_results import NoisyAlleles, ReleasedVariant, study_table
from deniable.errors import DeniableError, InvalidArgument
from deniable.gwas.publication.certify import StudyOrigin, stated_study
from deniable.gwas.publication.published_study import page, published_alleles
from deniable.gwas.publication.request import PreparedStudy, Request, prepared_study
from deniable.pipeline.check_files import Expected, Rebuilt
from deniable.pipeline.checked import Check, Checked, compared, failed, sealed, standing

_MOST_COPIES = 2**63
"""Totals of copies are 64-bit integers."""


def check_study(
    document: Mapping[str, Any], *, files_beside: bool = False
) -> tuple[Checked, Expected | None]:
    """Recompute a study's certificate; see `publish.check.check_certificate`."""
    try:
        certificate = StudyCertificate.from_json(document)
    except DeniableError as error:
        return Checked((failed("schema", error),)), None
    schema = Check("schema", True)
    try:
        prepared = prepared_study(_request(certificate), certificate.study)
    except DeniableError as error:
        return Checked((schema, failed("derivation", error))), None
    origin = StudyOrigin(
        certificate.created, certificate.versions, certificate.chromosomes, certificate.report
    )
    expected = attrs.evolve(stated_study(prepared, origin), format=certificate.format)
    taken = ("format", "created", "versions", "files", "statement_sha256")
    parts = [
        {key: value for key, value in each.items() if key not in taken}
        for each in (dict(document), expected.document())
    ]
    checks = [schema, *compared({}, *parts), _shares(certificate)]
    if certificate.format != FORMAT_1:
        checks.append(sealed(document))
    keywords = [ON_TRUST, *([] if files_beside else [WITHOUT_FILES])]
    answer = Checked(tuple(checks), *standing(SCHEMA, keywords, document))
    return answer, _expected_files(certificate, prepared)


def _request(certificate: StudyCertificate) -> Request:
    chosen, target = certificate.selection, certificate.target
    line, believer = chosen.threshold, certificate.believer
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
    )


def _shares(certificate: StudyCertificate) -> Check:
    """Whether the shares add up to no more than the budget, in exact fractions."""
    parts = [certificate.selection.part, certificate.statistics]
    spent = [part.epsilon for part in parts if part is not None and part.epsilon is not None]
    total, limit = sum(map(Fraction, spent), Fraction(0)), certificate.guarantee.epsilon
    if total > Fraction(limit):
        return Check("sum of shares", False, f"Expected at most {limit}, got more.")
    return Check("sum of shares", True)


def _expected_files(certificate: StudyCertificate, prepared: PreparedStudy) -> Expected:
    return Expected(
        certificate=certificate,
        deniable=certificate.versions.deniable,
        texts={},
        rows=certificate.selection.top,
        rebuilt=lambda found: _rebuilt(certificate, prepared, found),
    )


def _rebuilt(
    certificate: StudyCertificate, prepared: PreparedStudy, found: Sequence[Mapping[str, Any]]
) -> Rebuilt:
    """Ranks, and of noisy counts all that follows from them; names and counts are published."""
    noisy: list[NoisyAlleles | None] = [None] * len(found)
    if prepared.statistics is not None:
        counts = [
            _copies(row.get(name))
            for name in ("cases_allele_1", "controls_allele_1")
            for row in found
        ]
        noisy = [*published_alleles(np.array(counts, dtype=np.int64), prepared)]
    released = [_variant(rank, row, noisy[rank - 1]) for rank, row in enumerate(found, start=1)]
    known = {each.name: each for each in certificate.chromosomes}
    for each in released:
        place = known.get(each.chromosome)
        if certificate.files and (place is None or not place.first <= each.position <= place.last):
            raise InvalidArgument("Expected variants on the study's chromosomes, got others.")
    return Rebuilt(study_table(released), lambda: page(certificate, prepared, released))


def _variant(rank: int, row: Mapping[str, Any], noisy: NoisyAlleles | None) -> ReleasedVariant:
    names = ("variant", "chromosome", "allele_1", "allele_2")
    texts = [row.get(name) for name in names]
    position = row.get("position")
    if not all(isinstance(each, str) for each in texts) or not isinstance(position, int):
        raise InvalidArgument("Expected a name and a place of every variant, got none.")
    variant, chromosome, first, second = map(str, texts)
    return ReleasedVariant(rank, variant, chromosome, position, first, second, noisy)


def _copies(value: Any) -> int:
    if not isinstance(value, int) or not -_MOST_COPIES <= value < _MOST_COPIES:
        raise InvalidArgument("Expected noisy counts of 64 bits, got others.")
    return value
