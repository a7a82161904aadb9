import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.publication.published_statistics import (
    allele_count_part,
    allele_counts,
    allele_frequencies,
)
from deniable.gwas.scores.adjacency import StudyAdjacency

COUNTS = GenotypeCounts(
    [[5, 3, 2, 0], [9, 1, 0, 0], [0, 0, 10, 0]], [[4, 0, 0, 0], [1, 1, 2, 0], [0, 4, 0, 0]]
)


def test_counts_of_the_chosen_in_their_order():
    assert allele_counts(COUNTS, [2, 0]).tolist() == [20, 7, 4, 0]
    with pytest.raises(InvalidArgument, match="Expected each chosen variant once"):
        allele_counts(COUNTS, [1, 1])


def test_missing_calls_are_refused():
    counts = GenotypeCounts([[5, 3, 1, 1]], [[4, 0, 0, 0]])
    with pytest.raises(InvalidArgument, match="no missing calls"):
        allele_counts(counts, [0])


def test_parts():
    part = allele_count_part(StudyAdjacency.GENOTYPE, 4)
    assert (part.coordinates, part.l1, part.l2, part.moved) == (8, 8, 4.0, 4)
    part = allele_count_part(StudyAdjacency.SWAP, 2)
    assert (part.coordinates, part.l1, part.l2, part.moved) == (4, 8, 4.0, 4)
    with pytest.raises(InvalidArgument, match="variants >= 1"):
        allele_count_part(StudyAdjacency.SWAP, 0)


def test_frequencies_are_clamped():
    cases, controls = allele_frequencies(np.array([20, 7, 4, -3]), 10, 4)
    assert cases.tolist() == [1.0, 0.35]
    assert controls.tolist() == [0.5, 0.0]
    assert allele_frequencies(np.array([99, 99]), 1, 1)[0].tolist() == [1.0]
