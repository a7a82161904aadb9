"""Certificates of made-up frequencies with made-up results, for the tests of what is published."""

import attrs
import numpy as np

from deniable.gwas.allele_frequencies.kind import KIND, publish_rows
from deniable.gwas.allele_frequencies.request import (
    FrequencyRequest,
    PreparedFrequencies,
    prepare_frequencies,
)
from deniable.gwas.certificates.frequencies import Frequencies, FrequenciesCertificate
from deniable.gwas.certificates.study import StudySize
from deniable.gwas.genotypes import Variants
from deniable.pipeline.kind import Origin
from tests.cases.sample_study import VERSIONS

SIZE = StudySize(cases=1000, controls=2000, variants=3)
VARIANTS = Variants(["9", "9", "10"], ["rs1", "rs2", "rs<3"], [10, 20, 5], [*"ACG"], [*"GTC"])


def request(**changes: object) -> FrequencyRequest:
    """γ = 2 with δ of one in a million, for everybody, unless something else is said."""
    asked: dict[str, object] = {
        "of": "everybody",
        "listed": "list",
        "targets": {"gamma": 2.0},
        "delta": 1e-6,
        "prior": None,
        "adjacency": "genotype",
        "missing": "refuse",
        "false_yes": None,
    }
    return FrequencyRequest(**(asked | changes))  # type: ignore[arg-type]


def prepared_sample(size: StudySize = SIZE, **changes: object) -> PreparedFrequencies:
    report, filters = changes.pop("report", {}), changes.pop("filters", None)
    asked = request(**changes)
    return prepare_frequencies(asked, size, report, filters)  # type: ignore[arg-type]


def frequencies_certificate(**changes: object) -> FrequenciesCertificate:
    made = KIND.certified(prepared_sample(**changes), Origin("2026-11-22", VERSIONS))
    return attrs.evolve(made, files=dict.fromkeys(made.FILES, "0" * 64))


def sample_rows(prepared: PreparedFrequencies) -> Frequencies:
    """A negative count, one in the middle and one above what is possible, in every group."""
    noisy = np.repeat([-40, 700, 9000], len(prepared.people))
    return publish_rows(noisy.astype(np.int64), VARIANTS, prepared)
