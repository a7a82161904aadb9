"""A worked example of the ratios that a mechanism has between neighbours."""

import math

import pytest

from deniable.judge.differential import add_remove, sampling_epsilon
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.universe import Universe


def flip(*rows):
    return StochasticMatrix(Universe(("a",)), ("no", "yes"), list(rows))


def test_both_halves_of_add_remove():
    answer = add_remove(flip([0.75, 0.25], [0.5, 0.5]))
    assert answer.positive == pytest.approx(math.log(2))
    assert answer.negative == pytest.approx(math.log(1.5))


def test_sampling_half_of_all():
    # 1/2 against 1/4
    assert sampling_epsilon(flip([0.75, 0.25], [0.25, 0.75]), 0.5) == pytest.approx(math.log(2))
