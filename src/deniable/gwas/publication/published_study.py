"""What is published of a study, from noisy and public numbers only: also where none is read."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.certificate.study import StudyCertificate
from deniable.certificate.study_results import NoisyAlleles, ReleasedVariant
from deniable.gwas.publication.noisy_alleles import CountNoise, noisy_alleles
from deniable.gwas.publication.reach import reach
from deniable.gwas.publication.request import CONFIDENCE, PreparedStudy
from deniable.mechanisms import DiscreteLaplace
from deniable.report.manhattan import GenomeAxis
from deniable.report.study import study_document


def page(
    certificate: StudyCertificate, prepared: PreparedStudy, released: Sequence[ReleasedVariant]
) -> str:
    """The report, from public numbers and the published variants only."""
    places = {each.name: (each.first, each.last) for each in certificate.chromosomes}
    return study_document(certificate, released, GenomeAxis.between(places), reach(prepared))


def published_alleles(counts: NDArray[np.int64], prepared: PreparedStudy) -> Iterator[NoisyAlleles]:
    """What is published of noisy counts, those of cases first; all of it follows from them."""
    planned, size = prepared.statistics, prepared.size
    if planned is None or not isinstance(planned.mechanism, DiscreteLaplace):
        raise AssertionError("allele counts were calibrated to other noise")
    reach = CountNoise.of(planned.mechanism, CONFIDENCE)
    return noisy_alleles(counts, size.cases, size.controls, reach)
