"""What is published of a study, from noisy and public numbers only: also where none is read."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.gwas.certificates import Chromosome, NoisyAlleles, ReleasedVariant, StudyCertificate
from deniable.gwas.chromosomes import chromosome_name
from deniable.gwas.pages import GenomeAxis, study_document, study_picture
from deniable.gwas.publication.noisy_alleles import CountNoise, noisy_alleles
from deniable.gwas.publication.reach import reach
from deniable.gwas.publication.request import CONFIDENCE, PreparedStudy
from deniable.gwas.publication.windows import BASES
from deniable.mechanisms import DiscreteLaplace
from deniable.pipeline.kind import PublishedRows

_charts: Any = late("deniable.gwas.pages.genome_chart")

_MOST_COPIES = 2**63
"""Totals of copies are 64-bit integers."""


def page(
    certificate: StudyCertificate, prepared: PreparedStudy, released: Sequence[ReleasedVariant]
) -> str:
    """The report, from public numbers and the published variants only."""
    places = {each.name: (each.first, each.last) for each in certificate.chromosomes}
    return study_document(certificate, released, GenomeAxis.between(places), reach(prepared))


def study_plot(certificate: StudyCertificate, released: Sequence[ReleasedVariant]) -> Any:
    """The picture of the report as an Altair chart."""
    places = {each.name: (each.first, each.last) for each in certificate.chromosomes}
    picture, _ = study_picture(certificate, released, GenomeAxis.between(places))
    return _charts.manhattan_plot(picture)


def publish_alleles(counts: NDArray[np.int64], prepared: PreparedStudy) -> Iterator[NoisyAlleles]:
    """What is published of noisy counts, those of cases first; all of it follows from them."""
    planned, size = prepared.statistics, prepared.size
    if planned is None or not isinstance(planned.mechanism, DiscreteLaplace):
        raise AssertionError("allele counts were calibrated to other noise")
    reach = CountNoise.of(planned.mechanism, CONFIDENCE)
    return noisy_alleles(counts, size.cases, size.controls, reach)


def rebuild_rows(prepared: PreparedStudy, published: PublishedRows) -> list[ReleasedVariant]:
    """Ranks, and of noisy counts all that follows from them; names and counts are published.

    Raises
    ------
    InvalidArgument
        If a count is none of 64 bits, or a variant stands elsewhere than on the chromosomes.
    """
    noisy: list[NoisyAlleles | None] = [None] * len(published)
    if prepared.statistics is not None:
        counts = [
            _copies(row.get(name))
            for name in ("cases_allele_1", "controls_allele_1")
            for row in published
        ]
        noisy = [*publish_alleles(np.array(counts, dtype=np.int64), prepared)]
    released = [_variant(rank, row, noisy[rank - 1]) for rank, row in enumerate(published, start=1)]
    if prepared.chromosomes is not None:
        _check_places(prepared.chromosomes, released)
    if (window := prepared.request.window) is not None and window.kb is not None:
        _check_apart(window.kb * BASES, released)
    return released


def _check_apart(bases: float, released: Sequence[ReleasedVariant]) -> None:
    """No chosen variant stands in another's window; on a genetic map that is taken on trust."""
    places = [(chromosome_name(each.chromosome), each.position) for each in released]
    for (one, here), (other, there) in itertools.combinations(places, 2):
        if one == other and abs(here - there) <= bases:
            raise InvalidArgument("Expected one variant in each window, got two.")


def _check_places(chromosomes: Sequence[Chromosome], released: Sequence[ReleasedVariant]) -> None:
    known = {each.name: each for each in chromosomes}
    for each in released:
        place = known.get(each.chromosome)
        if place is None or not place.first <= each.position <= place.last:
            raise InvalidArgument("Expected variants on the study's chromosomes, got others.")


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
