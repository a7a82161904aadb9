from fractions import Fraction

import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.scores.adjacency import MOST_INDIVIDUALS, StudyAdjacency, sizes
from deniable.priors import BoundedPriors


def test_words():
    assert [str(adjacency) for adjacency in StudyAdjacency] == ["genotype", "swap"]
    assert StudyAdjacency.of("swap") is StudyAdjacency.SWAP
    assert StudyAdjacency.of(StudyAdjacency.GENOTYPE) is StudyAdjacency.GENOTYPE
    with pytest.raises(InvalidArgument, match="adjacency to be one of genotype, swap, got 'label'"):
        StudyAdjacency.of("label")


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


def test_sizes_are_checked():
    assert sizes(1, 2) == (1, 2)
    with pytest.raises(InvalidArgument, match="Expected cases >= 1, got cases=0"):
        sizes(0, 5)
    with pytest.raises(InvalidArgument, match="controls to be a whole number"):
        StudyAdjacency.SWAP.default_prior(5, 2.5)
    with pytest.raises(InvalidArgument, match="Expected at most 67108864 individuals"):
        sizes(MOST_INDIVIDUALS, 1)
