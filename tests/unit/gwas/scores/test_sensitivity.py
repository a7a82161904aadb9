from fractions import Fraction

import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.scores.adjacency import StudyAdjacency
from deniable.gwas.scores.sensitivity import (
    allelic_sensitivity,
    genotype_distance_sensitivity,
    genotypic_sensitivity,
    swap_distance_sensitivity,
)

GENOTYPE, SWAP = StudyAdjacency


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
    assert genotype_distance_sensitivity(GENOTYPE) == 1
    assert genotype_distance_sensitivity(SWAP) == 2
    assert swap_distance_sensitivity(SWAP) == 1
    with pytest.raises(InvalidArgument, match="Expected adjacency=swap for the swap distance"):
        swap_distance_sensitivity(GENOTYPE)


def test_sizes_are_checked():
    with pytest.raises(InvalidArgument, match="cases"):
        genotypic_sensitivity(SWAP, 0, 4)
