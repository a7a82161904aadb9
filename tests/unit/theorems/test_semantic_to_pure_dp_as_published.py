import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import PureDP, Semantic
from deniable.theorems.semantic_to_pure_dp import semantic_to_pure_dp
from deniable.theorems.semantic_to_pure_dp_as_published import semantic_to_pure_dp_as_published


@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 2.0])
def test_the_hypothesis_of_the_paper(epsilon):
    hypothesis = Semantic(0.5 - 1 / (math.exp(epsilon) + 1))
    published = semantic_to_pure_dp_as_published(hypothesis).epsilon
    assert published == pytest.approx(epsilon, rel=1e-6)
    assert semantic_to_pure_dp(hypothesis).epsilon <= published


def test_edges():
    assert semantic_to_pure_dp_as_published(Semantic(0.0)) == PureDP(0.0)
    with pytest.raises(NotApplicable, match="below 1/2"):
        semantic_to_pure_dp_as_published(Semantic(0.5))
