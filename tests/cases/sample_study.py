"""Certificates of made-up studies with made-up results, for the tests of certificate and report."""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from deniable.gwas.certificates.study import (
    Chromosome,
    ReleasedVariant,
    Stratum,
    StudyCertificate,
    StudySize,
)
from deniable.gwas.public_filters import StudyFilters
from deniable.gwas.publication.kind import KIND
from deniable.gwas.publication.noisy_alleles import CountNoise, noisy_alleles
from deniable.gwas.publication.request import PreparedStudy, StudyRequest, prepare_study
from deniable.pipeline.kind import Origin

VERSIONS = {
    "deniable": "0.1.0", "opendp": "0.16.0", "numpy": "2.0.0", "scipy": "1.14.0",
    "python": "3.11.2",
}  # fmt: skip
NO_FILTERS = StudyFilters()
SIZE = StudySize(cases=1000, controls=2000, variants=5000)
TARGETS = ("gamma", "max_posterior", "attack_success", "advantage", "epsilon")


def request(**changes: object) -> StudyRequest:
    """γ = 2 for three variants by the distance, unless something else is said."""
    asked: dict[str, object] = {
        "top": 3,
        "targets": {"gamma": 2.0},
        "prior": None,
        "adjacency": "genotype",
        "score": "distance",
        "threshold": "bonferroni",
        "missing": "refuse",
        "statistics": False,
    }
    targets = {kind: changes.pop(kind) for kind in TARGETS if kind in changes}
    asked |= {"targets": targets} if targets else {}
    return StudyRequest(**(asked | changes))  # type: ignore[arg-type]


def prepared(size: StudySize = SIZE, **changes: object) -> PreparedStudy:
    return prepare_study(request(**changes), size)


def study_certificate(
    report: Mapping[str, str] | None = None,
    *,
    strata: Sequence[tuple[int, int]] = (),
    filters: StudyFilters = NO_FILTERS,
    **changes: object,
) -> StudyCertificate:
    places = Chromosome("9", 1000, 3000), Chromosome("X", 2000, 2000)
    size = attrs.evolve(SIZE, strata=tuple(Stratum(*each) for each in strata))
    settled = prepare_study(request(**changes), size, places, report or {}, filters)
    made = KIND.certified(settled, Origin("2026-11-21", VERSIONS))
    return attrs.evolve(made, files=dict.fromkeys(made.FILES, "0" * 64))


def released(number: int = 3, *, noisy: bool = False) -> list[ReleasedVariant]:
    """Variants on chromosomes 9 and X by turns; the last one's χ² is undefined."""
    found = []
    for rank in range(1, number + 1):
        counts = [-7, -rank] if rank == number else [700 - rank, 100 * rank]
        (alleles,) = noisy_alleles(
            np.array(counts), SIZE.cases, SIZE.controls, CountNoise(each=61, both=95)
        )
        found.append(
            ReleasedVariant(
                rank,
                f"rs{rank}",
                "9" if rank % 2 else "X",
                1000 * rank,
                "A",
                "G",
                alleles if noisy else None,
            )
        )
    return found
