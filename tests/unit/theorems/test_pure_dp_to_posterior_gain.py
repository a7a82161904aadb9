import math

import pytest

from deniable.notions import Adjacency, PosteriorGain, PureDP
from deniable.theorems.pure_dp_to_posterior_gain import (
    pure_dp_for_posterior_gain,
    pure_dp_to_posterior_gain,
)

OUT = Adjacency.ADD_REMOVE


def test_one_step_or_two():
    assert pure_dp_to_posterior_gain(PureDP(0.0)) == PosteriorGain(0.0)
    assert pure_dp_to_posterior_gain(PureDP(1.0)).gain == pytest.approx(math.tanh(0.25))
    assert pure_dp_to_posterior_gain(PureDP(1.0, OUT)).gain == pytest.approx(math.tanh(0.5))
    assert pure_dp_to_posterior_gain(PureDP(math.inf)).gain == 1.0


@pytest.mark.parametrize("gain", [0.0, 0.1, 0.5, 1.0])
def test_the_largest_budget(gain):
    for adjacency in Adjacency:
        budget = pure_dp_for_posterior_gain(PosteriorGain(gain), adjacency)
        assert budget.adjacency is adjacency
        assert gain * (1 - 1e-14) <= pure_dp_to_posterior_gain(budget).gain <= gain


def test_the_budgets_of_the_paper():
    for gain in (0.1, 0.5):
        budget = pure_dp_for_posterior_gain(PosteriorGain(gain), OUT)
        assert budget.epsilon == pytest.approx(math.log((1 + gain) / (1 - gain)), rel=1e-14)
