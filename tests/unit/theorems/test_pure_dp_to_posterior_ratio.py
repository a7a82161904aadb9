import math

import pytest

from deniable.notions import Adjacency, PosteriorRatio, PureDP
from deniable.theorems.pure_dp_to_posterior_ratio import (
    pure_dp_for_posterior_ratio,
    pure_dp_to_posterior_ratio,
)

OUT = Adjacency.ADD_REMOVE


def test_one_step_or_two():
    assert pure_dp_to_posterior_ratio(PureDP(0.0)) == PosteriorRatio(1.0)
    assert pure_dp_to_posterior_ratio(PureDP(math.log(2))).ratio == pytest.approx(2.0)
    assert pure_dp_to_posterior_ratio(PureDP(math.log(2), OUT)).ratio == pytest.approx(4.0)
    assert pure_dp_to_posterior_ratio(PureDP(math.inf)).ratio == math.inf


@pytest.mark.parametrize("ratio", [1.0, 1.5, 9.0])
def test_the_largest_budget(ratio):
    for adjacency, steps in ((Adjacency.REPLACE_ONE, 1), (OUT, 2)):
        budget = pure_dp_for_posterior_ratio(PosteriorRatio(ratio), adjacency)
        assert budget.adjacency is adjacency
        assert budget.epsilon == pytest.approx(math.log(ratio) / steps, rel=1e-15)
        assert pure_dp_to_posterior_ratio(budget).ratio <= ratio
    assert pure_dp_for_posterior_ratio(PosteriorRatio(math.inf)).epsilon == math.inf
