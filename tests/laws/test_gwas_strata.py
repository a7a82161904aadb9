"""The stratified score: neighbours move it by no more than is claimed, and nearly as much."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.gwas.association.statistics import mantel_haenszel_chi_squared
from deniable.gwas.genotypes import GenotypeCounts, Strata, strata_sizes, sum_over_strata
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.scores import (
    Score,
    allelic_sensitivity,
    public_grid,
    scores,
    stratified_score,
    stratified_sensitivity,
)
from tests.oracles import strata as brute

GENOTYPE, SWAP = StudyAdjacency
ADJACENCIES = pytest.mark.parametrize("adjacency", StudyAdjacency)
SIZES = [
    [(2, 1), (1, 2)],
    [(1, 1), (1, 1), (1, 1)],
    [(3, 3), (1, 1)],
    [(4, 1), (1, 1)],
    [(1, 0), (2, 2), (0, 2)],
    [(5, 5)],
    [(1, 1)],
]


def of(studies):
    """The package's sums of the same studies, a study a variant."""
    groups = np.array(studies)
    copies, called = groups[..., 1] + 2 * groups[..., 2], groups.sum(axis=-1)
    sizes = strata_sizes(*(called[0, :, side].tolist() for side in (0, 1)))
    return Strata(sizes, *sum_over_strata(copies, called))


def counted(studies):
    sums = np.pad(np.array(studies).sum(axis=1), ((0, 0), (0, 0), (0, 1)))
    return GenotypeCounts(sums[:, 0], sums[:, 1])


def score_of(studies, adjacency, threshold):
    return scores(
        counted(studies),
        score=Score.STRATIFIED,
        adjacency=adjacency,
        threshold=threshold,
        strata=of(studies),
    )


@ADJACENCIES
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("threshold", [0.9999, 0.05, 1e-300])
def test_neighbours_move_it_by_no_more_than_is_claimed(adjacency, sizes, threshold):
    studies = list(brute.tables(sizes))
    scored = score_of(studies, adjacency, threshold)
    steps = dict(zip(studies, scored.steps.tolist(), strict=True))
    moved = max(
        abs(steps[study] - steps[other])
        for study in studies
        for other in brute.neighbours(study, adjacency)
    )
    assert moved <= scored.sensitivity_steps
    claimed = stratified_sensitivity(adjacency, of(studies[:1]).sizes)
    assert scored.sensitivity_steps * Fraction(scored.step) >= claimed
    if adjacency is SWAP and (2, 2) in sizes:
        assert moved >= scored.sensitivity_steps * (1 - 1e-5)  # attained


@pytest.mark.parametrize("sizes", [((60, 60), (50, 50)), ((900, 100), (40, 60)), ((30, 1), (9, 9))])
def test_genotypes_move_it_by_nearly_what_is_claimed(sizes):
    """Nobody of the first stratum has a copy, the second differs; one of the first gets two."""
    (r, s), (more, others) = sizes
    rest = (more - 3, 0, 3), (others, 0, 0)
    gained = ((r, 0, 0), (s - 1, 0, 1)) if r >= s else ((r - 1, 0, 1), (s, 0, 0))
    before, after = ([((r, 0, 0), (s, 0, 0)), rest], [gained, rest])
    # The variance counts most where it is small beside 4c.
    steps = score_of([before, after], GENOTYPE, 1e-12)
    moved = int(steps.steps[0] - steps.steps[1])
    assert 0.93 * steps.sensitivity_steps <= moved <= steps.sensitivity_steps


@given(
    st.lists(st.tuples(st.integers(1, 10**7), st.integers(1, 10**7)), min_size=1, max_size=9),
    st.sampled_from(StudyAdjacency),
)
def test_no_strata_make_it_steeper_than_a_person_and_a_quarter(sizes, adjacency):
    assert 1 <= stratified_sensitivity(adjacency, sizes) < Fraction(9, 4)
    cases, controls = (sum(column) for column in zip(*sizes, strict=True))
    if cases + controls <= 2**26:
        grid = public_grid(Score.STRATIFIED, adjacency, cases, controls, sizes)
        assert grid.sensitivity_steps * grid.step < 2.26


def test_the_quotient_itself_may_move_by_hundreds():
    """Why a release does not rank by Cochran, Mantel and Haenszel's χ²."""
    study = [((1, 0, 0), (999, 0, 0)), ((500, 0, 0), (500, 0, 0))]
    other = [((0, 0, 1), (999, 0, 0)), ((500, 0, 0), (500, 0, 0))]
    assert brute.mantel_haenszel(study) is None
    assert brute.mantel_haenszel(other) > 1900
    assert stratified_sensitivity(GENOTYPE, [(1, 999), (500, 500)]) < 2.25
    assert allelic_sensitivity(GENOTYPE, 501, 1499) < 12


GROUP = st.tuples(*[st.integers(0, 8)] * 3) | st.tuples(*[st.integers(0, 30_000)] * 3)


@given(st.lists(st.tuples(GROUP, GROUP), min_size=1, max_size=6))
def test_sums_and_the_quotient_are_the_textbook_s(study):
    if not any(sum(r) and sum(s) for r, s in study):
        study = [*study, ((1, 2, 3), (3, 2, 1))]
    sums, (difference, variance) = of([study]), brute.sums(study)
    scale = max(float(variance), 1.0)
    people = sum(map(sum, (group for table in study for group in table)))
    assert sums.difference[0] == pytest.approx(float(difference), abs=1e-12 * people)
    assert sums.variance[0] == pytest.approx(float(variance), abs=1e-12 * scale)
    (quotient,) = mantel_haenszel_chi_squared(sums)
    exact = brute.mantel_haenszel(study)
    assert (
        math.isnan(quotient) if exact is None else quotient == pytest.approx(float(exact), abs=1e-6)
    )


@given(st.tuples(GROUP, GROUP), st.floats(1e-8, 1400))
def test_one_stratum_is_significant_where_the_score_says_so(table, line):
    """q >= 0 needs D² >= cV: nothing is ranked as significant that is not."""
    if not all(map(sum, table)):
        return
    sums = of([[table]])
    (score,), (difference, variance) = stratified_score(sums, line), brute.sums([table])
    if score > 1e-6:
        assert difference**2 > Fraction(line) * variance


def test_two_populations_do_not_look_like_a_disease():
    """Allele and case rates differ between strata, nothing within: D is about 0, χ² is not."""
    strata = [((10, 20, 70), (1, 2, 7)), ((7, 2, 1), (70, 20, 10))]
    pooled = tuple(tuple(map(sum, zip(*side, strict=True))) for side in zip(*strata, strict=True))
    assert brute.mantel_haenszel([pooled]) > 60
    assert mantel_haenszel_chi_squared(of([strata]))[0] == pytest.approx(0, abs=1e-20)


def test_scores_of_other_strata_do_not_depend_on_who_is_alone():
    alone = [((3, 2, 1), (1, 2, 3)), ((0, 0, 9), (0, 0, 0))]
    assert of([alone]).difference == of([alone[:1]]).difference
    assert of([alone]).sizes == of([alone[:1]]).sizes == ((6, 6),)
