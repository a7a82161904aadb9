"""Scores on a public grid, and how far one person moves them."""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.association import (
    allelic_chi_squared,
    chi_squared_threshold,
    genotypic_chi_squared,
)
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.scores import (
    MOST_INDIVIDUALS,
    Grid,
    Score,
    Scores,
    StudyAdjacency,
    allelic_sensitivity,
    genotypic_sensitivity,
    public_grid,
    scores,
    signed_distance,
    signed_swap_distance,
    sizes,
)
from deniable.priors import BoundedPriors
from tests.cases.divided import strata_for
from tests.cases.refusals import refuses

GENOTYPE, SWAP = StudyAdjacency


COUNTS = GenotypeCounts(
    [[70, 10, 20, 0], [100, 0, 0, 0], [0, 100, 0, 0]],
    [[30, 30, 40, 0], [100, 0, 0, 0], [0, 100, 0, 0]],
)


def test_words():
    assert [str(score) for score in Score] == [
        "distance",
        "allelic",
        "genotypic",
        "trend",
        "stratified",
    ]
    assert Score("allelic") is Score.ALLELIC
    with refuses(InvalidArgument, "one-of-score-distance: score | distance | allelic | genotypic"):
        Score("odds")


@pytest.mark.parametrize("adjacency", StudyAdjacency)
@pytest.mark.parametrize(
    ("score", "statistic", "claimed"),
    [
        (Score.ALLELIC, allelic_chi_squared, allelic_sensitivity),
        (Score.GENOTYPIC, genotypic_chi_squared, genotypic_sensitivity),
    ],
)
def test_chi_squared_on_a_grid(adjacency, score, statistic, claimed):
    scored = scores(COUNTS, score=score, adjacency=adjacency)
    assert math.frexp(scored.step)[0] == 0.5  # a power of two
    assert scored.steps[0] == math.floor(statistic(COUNTS)[0] / scored.step)
    assert scored.steps[1] == 0  # one genotype only: nothing is associated
    assert claimed(adjacency, 100, 100) <= scored.sensitivity
    assert scored.sensitivity == pytest.approx(float(claimed(adjacency, 100, 100)), rel=3e-6)
    assert scored.threshold is None


def test_the_distance_counts_what_the_adjacency_changes():
    line = chi_squared_threshold("bonferroni", 3)
    for adjacency, distance in ((GENOTYPE, signed_distance), (SWAP, signed_swap_distance)):
        scored = scores(COUNTS, score=Score.DISTANCE, adjacency=adjacency)
        assert (scored.step, scored.sensitivity_steps, scored.threshold) == (1.0, 1, line)
        assert (scored.steps == distance(COUNTS.cases, COUNTS.controls, line)).all()


def test_the_threshold_is_passed_on():
    scored = scores(COUNTS, score=Score.DISTANCE, adjacency=GENOTYPE, threshold=5e-8)
    assert scored.threshold == chi_squared_threshold(5e-8, 1)


def test_the_smallest_study():
    one = GenotypeCounts([[1, 0, 0, 0]], [[0, 0, 1, 0]])
    scored = scores(one, score=Score.GENOTYPIC, adjacency=SWAP)
    assert scored.steps[0] * scored.step == 2.0
    assert scored.sensitivity_steps >= 1  # a swap changes nothing but the last bits
    assert scored.sensitivity < 1e-4


def test_no_scores_without_every_call():
    counts = GenotypeCounts([[1, 0, 0, 1]], [[0, 0, 2, 0]])
    for score in Score:
        with refuses(InvalidArgument, "no-missing-calls-some-fill"):
            scores(counts, score=score, adjacency=GENOTYPE)


def test_selection():
    scored = scores(COUNTS, score=Score.ALLELIC, adjacency=GENOTYPE)
    part = scored.selection(2)
    assert (part.cells, part.candidates, part.number, part.monotone) == (1, 3, 2, False)
    assert (part.sensitivity, part.step) == (scored.sensitivity_steps, scored.step)
    with refuses(InvalidArgument, "top-at-most-number: 3"):
        scored.selection(4)
    with refuses(InvalidArgument, "below-least: top | 1"):
        scored.selection(0)


def test_scores_are_values_that_show_no_score():
    arguments = (Score.DISTANCE, GENOTYPE, 3.0)
    one, two = (Scores(*arguments, np.array([1, last]), 1.0, 1) for last in (7, 8))
    assert one == Scores(*arguments, np.array([1, 7]), 1.0, 1)
    assert one != two
    assert "7" not in repr(one)


@pytest.mark.parametrize("adjacency", StudyAdjacency)
@pytest.mark.parametrize("score", Score)
def test_the_grid_is_public(adjacency, score):
    strata = strata_for(score, COUNTS)
    scored = scores(COUNTS, score=score, adjacency=adjacency, strata=strata)
    grid = public_grid(score, adjacency, 100, 100, strata.sizes if strata else ())
    assert grid == Grid(scored.step, scored.sensitivity_steps)


def test_a_balanced_study_stays_below_four():
    for half in (1, 10, 1000):
        n = 2 * half
        assert genotypic_sensitivity(GENOTYPE, half, half) == Fraction(4 * n, n + 2) < 4
        assert genotypic_sensitivity(SWAP, half, half) == 8 - Fraction(8, half)


def test_cases_and_controls_may_change_places():
    for adjacency in StudyAdjacency:
        for of in (genotypic_sensitivity, allelic_sensitivity):
            assert of(adjacency, 3, 11) == of(adjacency, 11, 3)


def test_allelic_is_twice_genotypic():
    assert allelic_sensitivity(SWAP, 4, 9) == 2 * genotypic_sensitivity(SWAP, 4, 9)


def test_distances():
    for adjacency in StudyAdjacency:
        assert public_grid(Score.DISTANCE, adjacency, 4, 9) == Grid(1.0, 1)


def test_sizes_are_checked():
    with refuses(InvalidArgument, "below-least: cases"):
        genotypic_sensitivity(SWAP, 0, 4)


def test_adjacency_words():
    assert [str(adjacency) for adjacency in StudyAdjacency] == ["genotype", "swap"]
    assert StudyAdjacency("swap") is StudyAdjacency.SWAP
    assert StudyAdjacency(StudyAdjacency.GENOTYPE) is StudyAdjacency.GENOTYPE
    with refuses(InvalidArgument, "not-one-of: adjacency | genotype, swap | 'label'"):
        StudyAdjacency("label")


def test_each_says_what_it_protects():
    assert "genome is among the participants' genomes" in StudyAdjacency.GENOTYPE.sentence
    assert "known participant is a case" in StudyAdjacency.SWAP.sentence


@pytest.mark.parametrize(("cases", "controls"), [(1, 1), (1000, 1000), (1, 2), (7, 3)])
def test_default_priors(cases, controls):
    assert StudyAdjacency.GENOTYPE.default_prior(cases, controls) == BoundedPriors(0.0, 1.0)
    swapped = StudyAdjacency.SWAP.default_prior(cases, controls)
    share = Fraction(cases, cases + controls)
    assert Fraction(swapped.low) <= share <= Fraction(swapped.high)
    assert swapped.high - swapped.low < 1e-15


def test_adjacency_sizes_are_checked():
    assert sizes(1, 2) == (1, 2)
    with refuses(InvalidArgument, "below-least: cases | 1 | cases=0"):
        sizes(0, 5)
    with refuses(InvalidArgument, "not-whole: controls"):
        StudyAdjacency.SWAP.default_prior(5, 2.5)
    with refuses(InvalidArgument, "at-most-individuals: 67108864"):
        sizes(MOST_INDIVIDUALS, 1)
