import numpy as np
import pytest

from deniable.certificate.study import StudySize
from deniable.gwas.publication.published_study import published_alleles
from deniable.gwas.publication.request import Request, prepared_study

SIZE = StudySize(cases=30, controls=30, variants=12)


def prepared(*, statistics):
    request = Request.of(
        top=2, gamma=None, epsilon=4.0, prior=None, adjacency="genotype", score="distance",
        threshold="bonferroni", missing="refuse", statistics=statistics,
    )  # fmt: skip
    return prepared_study(request, SIZE)


def test_everything_published_of_noisy_counts_follows_from_them():
    rows = list(published_alleles(np.array([40, 10, 20, 10]), prepared(statistics=True)))
    assert [(row.cases_allele_1, row.controls_allele_1) for row in rows] == [(40, 20), (10, 10)]
    assert rows[0].cases_frequency == pytest.approx(40 / 60)


def test_a_study_without_statistics_publishes_no_counts():
    with pytest.raises(AssertionError, match="other noise"):
        list(published_alleles(np.zeros(4, dtype=np.int64), prepared(statistics=False)))
