"""Scores of variants against every small study: sensitivities attained, distances shortest."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.publication.noisy_alleles import allele_count_part, allele_counts
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.distance import signed_distance, signed_swap_distance
from deniable.gwas.scores.scores import (
    Score,
    allelic_sensitivity,
    genotypic_sensitivity,
    scores,
    trend_sensitivity,
)
from tests.cases.divided import strata_for
from tests.cases.effort import one_in, usual
from tests.oracles import studies as brute

SIZES = [(r, s) for r in range(1, 6) for s in range(1, 6)] + [(6, 4), (2, 9)]
ADJACENCIES = pytest.mark.parametrize("adjacency", StudyAdjacency)

genotypic = cache(brute.genotypic)
trend = cache(brute.trend)


@cache
def allelic(table):
    return brute.allelic(table) or Fraction(0)


def largest_change(score, tables, neighbours):
    return max(
        (abs(score(one) - score(other)) for one in tables for other in neighbours(one)), default=0
    )


def arrays(tables):
    cases, controls = zip(*tables, strict=True)
    return np.array(cases), np.array(controls)


def counted(tables):
    groups = (np.pad(group, ((0, 0), (0, 1))) for group in arrays(tables))
    return GenotypeCounts(*groups)


@ADJACENCIES
@pytest.mark.parametrize("sizes", SIZES)
def test_sensitivities_of_chi_squared_are_attained(adjacency, sizes):
    tables = list(brute.tables(*sizes))
    neighbours = brute.NEIGHBOURS[adjacency]
    for score, claimed in ((genotypic, genotypic_sensitivity), (allelic, allelic_sensitivity)):
        assert largest_change(score, tables, neighbours) == claimed(adjacency, *sizes)


@ADJACENCIES
@pytest.mark.parametrize("sizes", SIZES)
def test_the_trend_moves_by_no_more_than_is_claimed(adjacency, sizes):
    moved = largest_change(trend, brute.tables(*sizes), brute.NEIGHBOURS[adjacency])
    assert moved <= trend_sensitivity(adjacency, *sizes)


@pytest.mark.parametrize("sizes", [(1000, 1000), (1000, 4000), (4000, 1000), (60_000, 40_000)])
def test_the_trend_moves_by_nearly_what_is_claimed(sizes):
    # One group has one copy each, the smaller one none; in the neighbour one of those has two.
    r, s = sizes
    study, other = ((0, r, 0), (s, 0, 0)), ((0, r, 0), (s - 1, 0, 1))
    if r < s:
        study, other = ((r, 0, 0), (0, s, 0)), ((r - 1, 0, 1), (0, s, 0))
    claimed = trend_sensitivity(StudyAdjacency.GENOTYPE, r, s)
    assert 0.98 * claimed <= trend(study) - trend(other) <= claimed


def thresholds(tables, wanted):
    """Thin and thick ellipses, values that tables attain, the largest of all and one above it."""
    attained = sorted({allelic(table) for table in tables})
    n = sum(map(sum, tables[0]))
    picked = [float(value) for value in attained[1 :: max(len(attained) // wanted, 1)]]
    return [1e-9, 0.2, 1.0, 3.84, *picked, 2.0 * n, 2.0 * n + 1e-9]


@pytest.mark.parametrize("sizes", [*one_in(8, SIZES), (2, 9), (1, 25), (25, 1)])
def test_distances_are_shortest_ways(sizes):
    tables = list(brute.tables(*sizes))
    for threshold in thresholds(tables, usual(2, 3)):
        for score, neighbours in (
            (signed_distance, brute.with_a_replaced_genotype),
            (signed_swap_distance, brute.with_a_swap),
        ):
            shortest = brute.distances(tables, threshold, neighbours)
            distances = score(*arrays(tables), threshold).tolist()
            assert distances == [shortest[table] for table in tables]


def test_distances_are_shortest_ways_among_ten_and_ten():
    tables = list(brute.tables(10, 10))
    for score, neighbours in (
        (signed_distance, brute.with_a_replaced_genotype),
        (signed_swap_distance, brute.with_a_swap),
    ):
        shortest = brute.distances(tables, 4.8, neighbours)
        assert score(*arrays(tables), 4.8).tolist() == [shortest[table] for table in tables]


def test_sensitivities_of_distances_are_attained():
    tables = list(brute.tables(6, 5))
    for score, adjacency, claimed in (
        (signed_distance, StudyAdjacency.GENOTYPE, 1),
        (signed_distance, StudyAdjacency.SWAP, 2),
        (signed_swap_distance, StudyAdjacency.SWAP, 1),
    ):
        distance_of = dict(zip(tables, score(*arrays(tables), 3.0).tolist(), strict=True))
        assert largest_change(distance_of.get, tables, brute.NEIGHBOURS[adjacency]) == claimed


def test_replaced_genotypes_move_the_swap_distance_far():
    tables = list(brute.tables(6, 5))
    distance_of = dict(
        zip(tables, signed_swap_distance(*arrays(tables), 3.0).tolist(), strict=True)
    )
    assert largest_change(distance_of.get, tables, brute.with_a_replaced_genotype) > 2


@st.composite
def large_studies(draw):
    """Tables of one large study, and a random neighbour of each, genotype and swap."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = draw(st.tuples(*[st.integers(20, 4000)] * 2))
    alike = draw(st.booleans())
    kinds = [rng.dirichlet([0.6] * 3, 300) for _ in sizes]
    if alike:
        kinds[1] = kinds[0]
    groups = [
        rng.multinomial(size, kind, 300)
        if kind.ndim == 1
        else np.array([rng.multinomial(size, row) for row in kind])
        for size, kind in zip(sizes, kinds, strict=True)
    ]
    return list(zip(*(map(tuple, group.tolist()) for group in groups), strict=True)), rng


@settings(max_examples=usual(8, 15))
@given(large_studies(), st.sampled_from([0.5, 3.84, 15.0, 29.7, 80.0]))
def test_one_neighbour_moves_large_tables_by_little(study, threshold):
    tables, rng = study
    limits = (
        (signed_distance, brute.with_a_replaced_genotype, 1),
        (signed_distance, brute.with_a_swap, 2),
        (signed_swap_distance, brute.with_a_swap, 1),
    )
    for score, neighbours, limit in limits:
        pairs = [(table, other) for table in tables for other in neighbours(table)]
        picked = [pairs[i] for i in rng.integers(len(pairs), size=1500)]
        before, after = (score(*arrays(side), threshold) for side in zip(*picked, strict=True))
        assert np.abs(before - after).max() <= limit


@ADJACENCIES
@pytest.mark.parametrize("score", Score)
@pytest.mark.parametrize("sizes", [(3, 3), (2, 5), (4, 1)])
def test_rounding_to_the_grid_is_in_the_sensitivity(adjacency, score, sizes):
    tables = list(brute.tables(*sizes))
    counts = counted(tables)
    scored = scores(
        counts, score=score, adjacency=adjacency, threshold=0.1, strata=strata_for(score, counts)
    )
    steps = dict(zip(tables, scored.steps.tolist(), strict=True))
    moved = largest_change(steps.get, tables, brute.NEIGHBOURS[adjacency])
    assert moved <= scored.sensitivity_steps
    if not score.has_threshold:
        exact = {"allelic": allelic, "genotypic": genotypic, "trend": trend}[score]
        for table in tables:
            assert abs(exact(table) - steps[table] * Fraction(scored.step)) <= scored.step
    if score in (Score.ALLELIC, Score.GENOTYPIC):  # attained
        assert moved >= scored.sensitivity_steps * (1 - 1e-5)


@ADJACENCIES
@pytest.mark.parametrize("variants", [1, 2])
def test_published_allele_counts_move_by_what_is_claimed(adjacency, variants):
    # A neighbour moves all variants of the same individual at once, each at most as far as here.
    part = allele_count_part(adjacency, variants)
    changes = [
        np.abs(
            allele_counts(counted([one] * variants), range(variants))
            - allele_counts(counted([other] * variants), range(variants))
        )
        for one in brute.tables(3, 2)
        for other in brute.NEIGHBOURS[adjacency](one)
    ]
    assert max(change.sum() for change in changes) == part.l1
    assert max(np.sqrt((change**2).sum()) for change in changes) == pytest.approx(
        part.l2, rel=1e-15
    )
    assert max(np.count_nonzero(change) for change in changes) == part.moved
    assert all(len(change) == part.coordinates for change in changes)
