"""The kind of a study's release: certificate, sentences, rows."""

import copy
import json
import math

import numpy as np
import pytest

from deniable.certificate.json_documents import statement_sha256
from deniable.errors import InvalidArgument
from deniable.gwas.association import allelic_chi_squared, chi_squared_threshold
from deniable.gwas.certificates import StudySize
from deniable.gwas.genotypes import GenotypeCounts, MissingRule
from deniable.gwas.publication import (
    CountNoise,
    StudyRequest,
    allele_count_part,
    allele_counts,
    noisy_alleles,
    prepare_study,
    publish_alleles,
    statements,
)
from deniable.gwas.scores import Score, StudyAdjacency, allelic_sensitivity
from deniable.pipeline.check import check
from deniable.priors import BoundedPriors
from tests.cases.refusals import refuses
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
    assert study_certificate().study_adversary.source == "default"
    assert study_certificate(prior=(0.0, 1.0)).study_adversary.source == "assumption"


def test_statistics_are_there_where_they_are_published():
    assert study_certificate().statistics is None
    part = study_certificate(statistics=True, adjacency="swap").statistics
    assert (part.mechanism, part.sensitivity.norm, part.sensitivity.value) == (
        "discrete-laplace",
        "l1",
        12,
    )


OPTIONS = [
    {"statistics": True},
    {"adjacency": "swap", "score": "genotypic"},
    {"prior": (0.3, 0.7), "threshold": 5e-8, "missing": "major"},
    {"epsilon": 1.0, "statistics": True},
]


def checked(folder, document):
    path = folder / "certificate.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return check(path)


def failing(answer):
    return [each.name for each in answer.checks if not each.holds]


def with_change(document, place, change):
    forged = copy.deepcopy(document)
    holder = forged
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = change(holder[place[-1]])
    return forged | {"statement_sha256": statement_sha256(forged)}


def down(value):
    return math.nextafter(value, 0)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_certificate_as_it_was_made_holds(tmp_path, options):
    answer = checked(tmp_path, study_certificate(**options).as_json())
    assert answer.holds, answer
    assert answer.checks[0].name == "schema"


DOCUMENT = study_certificate(statistics=True, score="allelic", gamma=2.5).as_json()


@pytest.mark.parametrize(
    ("place", "change", "entries"),
    [
        (("guarantee", "gamma"), down, ["guarantee"]),
        (("guarantee", "epsilon"), down, ["guarantee", "sum of shares"]),
        (("selection", "part", "scale"), down, ["selection"]),
        (("selection", "part", "sensitivity", "value"), lambda x: x - 1, ["selection"]),
        (("selection", "part", "step"), lambda x: x * 2, ["selection"]),
        (("selection", "part", "half_width_95"), down, ["selection"]),
        (("selection", "part", "epsilon"), lambda x: x * 2, ["selection", "sum of shares"]),
        (("statistics", "scale"), down, ["statistics"]),
        (("statistics", "sensitivity", "value"), lambda x: x - 1, ["statistics"]),
        (("derivation", 0, "theorem"), lambda _: "by decree", ["derivation"]),
        (("unit", "sentence"), lambda _: "Everything is protected.", ["unit"]),
        (("unit", "claim"), lambda _: "something else", ["unit"]),
        (("not_covered",), lambda _: [], ["not covered"]),
        (("assumptions",), lambda kept: kept[1:], ["assumptions"]),
        (("adversary", "sentence"), lambda _: "Nobody knows anything.", ["adversary"]),
        (("adversary", "prior"), lambda _: [0.1, 0.2], ["adversary"]),
        (("study", "cases"), lambda x: x // 2, ["selection"]),
    ],
)
def test_one_ulp_of_too_strong_a_claim_is_found(tmp_path, place, change, entries):
    assert failing(checked(tmp_path, with_change(DOCUMENT, place, change))) == entries


def test_an_assumption_that_is_called_a_default_is_found(tmp_path):
    document = study_certificate(prior=(0.4, 0.6)).as_json()
    forged = with_change(document, ("adversary", "source"), lambda _: "default")
    assert "adversary" in failing(checked(tmp_path, forged))


def test_a_line_that_the_rule_does_not_give_is_found(tmp_path):
    place = "selection", "threshold", "chi_squared"
    forged = with_change(study_certificate().as_json(), place, down)
    assert failing(checked(tmp_path, forged)) == ["selection"]


def test_what_does_not_fit_or_cannot_be_recomputed_is_said(tmp_path):
    assert failing(checked(tmp_path, DOCUMENT | {"missing_calls": 3})) == ["schema"]
    assert failing(checked(tmp_path, DOCUMENT | {"created": "2026-02-30"})) == ["schema"]
    many = with_change(DOCUMENT, ("selection", "top"), lambda _: 2**31)
    many["study"]["variants"] = 2**40
    assert failing(checked(tmp_path, many)) == ["schema"]
    more = with_change(DOCUMENT, ("selection", "top"), lambda _: 5001)
    answer = checked(tmp_path, more)
    assert failing(answer) == ["derivation"]
    assert "got top=5001" in answer.checks[1].finding


GENOTYPE, SWAP = StudyAdjacency


def test_the_claim_is_the_adjacencys():
    assert statements.unit(GENOTYPE).claim.endswith("is among the participants' genomes")
    assert statements.unit(SWAP).claim == "a given participant is a case"
    assert (statements.unit(SWAP).members, statements.unit(SWAP).others) == ("cases", "controls")
    for adjacency in StudyAdjacency:
        assert statements.unit(adjacency).sentence == adjacency.sentence


@pytest.mark.parametrize("adjacency", list(StudyAdjacency))
def test_a_given_prior_is_called_an_assumption(adjacency):
    given = statements.adversary(adjacency, BoundedPriors(0.3, 0.7), given=True)
    assert given.source == "assumption"
    assert "assumption of the owner" in given.sentence
    assert "[0.3, 0.7]" in given.sentence
    assert statements.unit(adjacency).claim in given.sentence
    default = statements.adversary(adjacency, BoundedPriors(0.3, 0.7), given=False)
    assert default.source == "default"
    assert "assumption" not in default.sentence


def test_a_distance_counts_what_its_adjacency_changes():
    assert statements.score_unit(Score.DISTANCE, GENOTYPE) == "genotypes to replace"
    assert statements.score_unit(Score.DISTANCE, SWAP).startswith("swaps")
    assert statements.score_unit(Score.ALLELIC, SWAP) == "allelic χ²"


@pytest.mark.parametrize("adjacency", list(StudyAdjacency))
def test_the_missing_rule_and_relatives_are_named(adjacency):
    refused = " ".join(statements.assumptions(adjacency, MissingRule.REFUSE))
    filled = " ".join(statements.assumptions(adjacency, MissingRule.MAJOR))
    assert "call at every variant" in refused
    assert "two copies of allele 2" in filled
    sentences = " ".join(statements.not_covered(adjacency, MissingRule.REFUSE))
    for words in ("Relatives", "quality control", "Other releases", "true of everybody"):
        assert words in sentences
    assert "the order of the alleles" in refused


def test_each_adjacency_says_what_only_the_other_covers():
    assert "twice the stated ε" in " ".join(statements.not_covered(GENOTYPE, MissingRule.REFUSE))
    assert "Who took part" in " ".join(statements.not_covered(SWAP, MissingRule.MAJOR))


def test_a_release_never_leaves_calls_out():
    with pytest.raises(AssertionError):
        statements.assumptions(GENOTYPE, MissingRule.LEAVE)


PUBLISHED_STUDY_SIZE = StudySize(cases=30, controls=30, variants=12)


def published_study(*, statistics):
    request = StudyRequest(
        top=2, targets={"epsilon": 4.0}, prior=None, adjacency="genotype", score="distance",
        threshold="bonferroni", missing="refuse", statistics=statistics,
    )  # fmt: skip
    return prepare_study(request, PUBLISHED_STUDY_SIZE)


def test_everything_published_of_noisy_counts_follows_from_them():
    rows = list(publish_alleles(np.array([40, 10, 20, 10]), published_study(statistics=True)))
    assert [(row.cases_allele_1, row.controls_allele_1) for row in rows] == [(40, 20), (10, 10)]
    assert rows[0].cases_frequency == pytest.approx(40 / 60)


def test_a_study_without_statistics_publishes_no_counts():
    with pytest.raises(AssertionError, match="no allele counts"):
        list(publish_alleles(np.zeros(4, dtype=np.int64), published_study(statistics=False)))


COUNTS = GenotypeCounts(
    [[5, 3, 2, 0], [9, 1, 0, 0], [0, 0, 10, 0]], [[4, 0, 0, 0], [1, 1, 2, 0], [0, 4, 0, 0]]
)


def test_counts_of_the_chosen_in_their_order():
    assert allele_counts(COUNTS, [2, 0]).tolist() == [20, 7, 4, 0]
    with refuses(InvalidArgument, "each-chosen-variant-once"):
        allele_counts(COUNTS, [1, 1])


def test_missing_calls_are_refused():
    counts = GenotypeCounts([[5, 3, 1, 1]], [[4, 0, 0, 0]])
    with refuses(InvalidArgument, "no-missing-calls-some-fill"):
        allele_counts(counts, [0])


def test_parts():
    part = allele_count_part(StudyAdjacency.GENOTYPE, 4)
    assert (part.coordinates, part.l1, part.l2, part.moved) == (8, 8, 4.0, 4)
    part = allele_count_part(StudyAdjacency.SWAP, 2)
    assert (part.coordinates, part.l1, part.l2, part.moved) == (4, 8, 4.0, 4)
    with refuses(InvalidArgument, "below-least: variants | 1"):
        allele_count_part(StudyAdjacency.SWAP, 0)


def test_frequencies_are_clamped():
    alleles = list(noisy_alleles(np.array([20, 7, 99, 4, -3, 0]), 10, 4, CountNoise(0, 0)))
    assert [each.cases_frequency for each in alleles] == [1.0, 0.35, 1.0]
    assert [each.controls_frequency for each in alleles] == [0.5, 0.0, 0.0]


def test_without_noise_the_statistic_is_the_scans():
    counts = GenotypeCounts([[2, 5, 3, 0], [10, 0, 0, 0]], [[6, 3, 1, 0], [4, 4, 2, 0]])
    exact = np.array([11, 0, 5, 8])
    alleles = list(noisy_alleles(exact, 10, 10, CountNoise(0, 0)))
    assert [each.chi_squared for each in alleles] == pytest.approx(allelic_chi_squared(counts))
    for each in alleles:
        assert each.chi_squared_low <= each.chi_squared <= each.chi_squared_high
    assert [each.cases_frequency for each in alleles] == [0.55, 0.0]
    assert [each.controls_frequency for each in alleles] == [0.25, 0.4]


def test_counts_stay_as_noisy_as_they_are_and_the_rest_is_clamped():
    (one,) = noisy_alleles(np.array([-3, 47]), 10, 20, CountNoise(9, 14))
    assert (one.cases_allele_1, one.controls_allele_1, one.half_width_95) == (-3, 47, 9.0)
    assert (one.cases_frequency, one.controls_frequency) == (0.0, 1.0)
    assert one.chi_squared == pytest.approx(60)  # 2N, where cases and controls share no allele


@pytest.mark.parametrize("counts", [[-5, 0], [25, 99]])
def test_one_allele_only_has_no_statistic(counts):
    (one,) = noisy_alleles(np.array(counts), 10, 20, CountNoise(9, 14))
    assert one.chi_squared is None


def test_numbers_at_the_end_of_64_bits_do_not_overflow():
    (one,) = noisy_alleles(np.array([2**63 - 1, -(2**63)]), 2**25, 2**25, CountNoise(1, 2))
    assert one.chi_squared == pytest.approx(2**27)
