import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PureDP, Semantic
from deniable.theorems.pure_dp_to_semantic_of_one_record import pure_dp_to_semantic_of_one_record


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 0.2, 1.0, 20.0])
def test_a_quarter_of_the_loss(epsilon):
    found = pure_dp_to_semantic_of_one_record(PureDP(epsilon))
    assert found.records == 1
    assert found.epsilon == pytest.approx(math.tanh(epsilon / 4), rel=1e-14)


def test_edges():
    assert pure_dp_to_semantic_of_one_record(PureDP(0.0)) == Semantic(0.0, records=1)
    assert pure_dp_to_semantic_of_one_record(PureDP(math.inf)).epsilon == 1.0
    with pytest.raises(NotApplicable, match="got add-remove"):
        pure_dp_to_semantic_of_one_record(PureDP(1.0, Adjacency.ADD_REMOVE))
