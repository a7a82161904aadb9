"""What earlier public programs for private association studies got wrong, and is not so here."""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.association.statistics import allelic_chi_squared, chi_squared_threshold
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.owner.utility import selection_mechanism, set_probability
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.distance import signed_distance, signed_swap_distance
from deniable.gwas.scores.scores import Score, allelic_sensitivity, scores
from deniable.mechanisms import NoisyTopK
from tests.cases.divided import strata_for
from tests.cases.refusals import refuses
from tests.oracles import studies as brute

GENOTYPE, SWAP = StudyAdjacency


def counted(*tables):
    cases, controls = zip(*tables, strict=True)
    return GenotypeCounts(*(np.pad(np.array(g), ((0, 0), (0, 1))) for g in (cases, controls)))


# The allelic sensitivity that was published, and empty columns.


def published_allelic_sensitivity(cases, controls):
    """Yu and others' formula, which needs all three columns of both tables filled."""
    changes = []
    for r, s in ((cases, controls), (controls, cases)):
        n = r + s
        changes += [
            Fraction(8 * n**2 * s, r * (2 * s + 3) * (2 * s + 1)),
            Fraction(
                4 * n**2 * ((2 * r**2 - 1) * (2 * s - 1) - 1),
                s * r * (2 * r + 1) * (2 * r - 1) * (2 * s + 1),
            ),
        ]
    return max(changes)


def filled(table):
    return all(a + b for a, b in zip(*table, strict=True))


def test_the_allelic_sensitivity_holds_with_empty_columns():
    changes = {True: [], False: []}
    for table in brute.tables(3, 3):
        for other in brute.with_a_replaced_genotype(table):
            change = abs((brute.allelic(table) or 0) - (brute.allelic(other) or 0))
            changes[filled(table) and filled(other)].append(change)
    published = published_allelic_sensitivity(3, 3)
    assert float(published) == pytest.approx(5.486, abs=1e-3)
    assert max(changes[True]) <= published < max(changes[False])
    assert max(changes[False]) == allelic_sensitivity(GENOTYPE, 3, 3) == 6


# The greedy distance on the 2×3 table.


def greedy_distance(table, threshold):
    """Always the single change that moves the genotypic χ² farthest towards the threshold."""
    significant, steps = chi_squared(table) >= threshold, 0
    while (chi_squared(table) >= threshold) is significant:
        pick = min if significant else max
        table = pick(brute.with_a_replaced_genotype(table), key=chi_squared)
        steps += 1
    return steps if significant else 1 - steps


def chi_squared(table):
    (r, s), n_r, n_s = table, sum(table[0]), sum(table[1])
    n = n_r + n_s
    return sum(
        (a * n - (a + b) * n_r) ** 2 / ((a + b) * n_r * n_s)
        for a, b in zip(r, s, strict=True)
        if a + b
    )


ONE = ((25, 239, 236), (24, 246, 230))
OTHER = ((24, 240, 236), (24, 246, 230))


def test_one_genotype_moves_the_distance_by_one_where_the_greedy_walk_jumps():
    threshold = 29.0
    jump = abs(greedy_distance(ONE, threshold) - greedy_distance(OTHER, threshold))
    assert jump == 50
    for exact in (3.84, threshold):
        one, other = signed_distance(
            np.array([ONE[0], OTHER[0]]), np.array([ONE[1], OTHER[1]]), exact
        )
        assert abs(one - other) <= 1


# A line between significant and not that is drawn between the data's own scores.


def test_the_threshold_does_not_look_at_the_data():
    # It has no argument that could: a p-value and the public number of variants.
    assert chi_squared_threshold("bonferroni", 4) == chi_squared_threshold("bonferroni", 4)
    rng = np.random.default_rng(0)
    lines = set()
    for _ in range(5):
        tables = [(tuple(g), tuple(h)) for g, h in rng.multinomial(40, [0.5, 0.3, 0.2], (4, 2))]
        scored = scores(counted(*tables), score=Score.DISTANCE, adjacency=GENOTYPE)
        lines.add(scored.threshold)
    assert lines == {chi_squared_threshold("bonferroni", 4)}


def test_a_line_between_the_scores_has_no_sensitivity_of_one():
    def distances(tables, threshold):
        return signed_distance(*(np.array(group) for group in zip(*tables, strict=True)), threshold)

    def between(tables):
        first, second, *_ = sorted((float(brute.allelic(table)) for table in tables), reverse=True)
        return (first + second) / 2

    # A rare allele in few cases: one genotype moves its χ², and the line, far for all variants.
    top, common = ((40, 6, 4), (950, 0, 0)), ((20, 20, 10), (475, 380, 95))
    one = [top, ((47, 0, 3), (950, 0, 0)), common]
    other = [top, ((46, 0, 4), (950, 0, 0)), common]
    drawn = np.abs(distances(one, between(one)) - distances(other, between(other)))
    assert drawn[2] > 1  # nobody's genotype at this variant has changed
    for fixed in (3.84, 29.7, between(one)):
        assert np.abs(distances(one, fixed) - distances(other, fixed)).tolist() in (
            [0, 0, 0],
            [0, 1, 0],
        )


# Variants of which everybody has the same alleles.


def test_monomorphic_variants_have_scores():
    same = ((5, 0, 0), (5, 0, 0))
    counts = counted(same, ((0, 0, 5), (0, 0, 5)), ((0, 0, 5), (5, 0, 0)))
    assert np.isnan(allelic_chi_squared(counts)[:2]).all()
    for score in Score:
        for adjacency in StudyAdjacency:
            strata = strata_for(score, counts)
            scored = scores(counts, score=score, adjacency=adjacency, threshold=0.01, strata=strata)
            steps = scored.steps
            assert steps[0] == steps[1] < steps[2]


# Missing calls.


def test_missing_calls_do_not_pass_silently():
    counts = GenotypeCounts([[4, 3, 2, 1]], [[5, 4, 1, 0]])
    for score in Score:
        with refuses(InvalidArgument, "no-missing-calls-some-fill"):
            scores(counts, score=score, adjacency=GENOTYPE)
    steps = scores(counts.fill_missing(), score=Score.ALLELIC, adjacency=GENOTYPE).steps
    assert steps.shape == (1,)


# Products beyond 64 bits.


def test_twenty_thousand_individuals_do_not_overflow():
    table = ((0, 0, 10_000), (10_000, 0, 0))
    lean = 20_000 * 10_000
    assert 2 * 20_000 * lean**2 > np.iinfo(np.int64).max
    counts = counted(table)
    assert allelic_chi_squared(counts).tolist() == [40_000.0]
    scored = scores(counts, score=Score.ALLELIC, adjacency=GENOTYPE)
    assert scored.steps[0] * scored.step == 40_000.0
    assert signed_distance(counts.cases, counts.controls, 40_000.0).tolist() == [1]
    assert signed_distance(counts.cases, counts.controls, 39_999.0).tolist() == [1]
    assert signed_distance(counts.cases, counts.controls, 40_000.1).tolist() == [-20_000]
    assert signed_swap_distance(counts.cases, counts.controls, 40_000.0).tolist() == [1]


# Noise on several scores at once, calibrated as for one.


def test_the_scale_grows_with_the_number_released():
    counts = counted(ONE, OTHER, ((300, 160, 40), (250, 200, 50)))
    ranked = scores(counts, score=Score.DISTANCE, adjacency=GENOTYPE)
    for number in (1, 2, 3):
        mechanism = selection_mechanism(ranked, number, 0.5)
        assert mechanism.scale == pytest.approx(2 * number / 0.5)


def test_pure_noise_is_not_mistaken_for_the_exponential_mechanism():
    steps = np.array([0, 1, 2])
    exponential, gumbel = (
        [set_probability(steps, [i], NoisyTopK(1.0, 1, noise)).upper for i in range(3)]
        for noise in ("exponential", "gumbel")
    )
    assert exponential == pytest.approx([0.059, 0.176, 0.765], abs=5e-4)
    assert gumbel == pytest.approx([0.090, 0.245, 0.665], abs=5e-4)
    assert math.fsum(exponential) == pytest.approx(1)
