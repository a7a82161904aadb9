import pytest

from deniable.gwas.association.threshold import chi_squared_threshold
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.sensitivity import allelic_sensitivity
from tests.cases.sample_study import SIZE, prepared, study_certificate


def test_the_guarantee_is_the_calibrations():
    made, certificate = prepared(), study_certificate()
    assert certificate.created == "2026-11-21"
    assert certificate.study == SIZE
    assert certificate.guarantee.epsilon == made.calibration.epsilon
    assert certificate.guarantee.gamma <= 2
    assert certificate.derivation == made.calibration.derivation


@pytest.mark.parametrize(
    ("threshold", "rule", "p_value"), [("bonferroni", "bonferroni", None), (5e-8, "p-value", 5e-8)]
)
def test_the_line_is_stated_where_the_score_looks_at_it(threshold, rule, p_value):
    line = study_certificate(threshold=threshold).selection.threshold
    assert (line.rule, line.p_value) == (rule, p_value)
    assert line.chi_squared == chi_squared_threshold(threshold, SIZE.variants)
    assert study_certificate(threshold=threshold, score="allelic").selection.threshold is None


def test_steps_scale_and_sensitivity_are_in_the_stated_units():
    part = study_certificate(score="allelic", epsilon=1.0).selection.part
    exact = float(allelic_sensitivity(StudyAdjacency.GENOTYPE, SIZE.cases, SIZE.controls))
    moved = part.sensitivity.value * part.step
    assert exact < moved < exact * (1 + 1e-5)
    assert part.scale == pytest.approx(2 * 3 * moved / 1.0)
    assert part.epsilon == 1.0


def test_the_source_of_the_prior_is_stated():
    assert study_certificate().believer.source == "default"
    assert study_certificate(prior=(0.0, 1.0)).believer.source == "assumption"


def test_statistics_are_there_where_they_are_published():
    assert study_certificate().statistics is None
    part = study_certificate(statistics=True, adjacency="swap").statistics
    assert (part.mechanism, part.sensitivity.norm, part.sensitivity.value) == (
        "discrete-laplace",
        "l1",
        12,
    )
