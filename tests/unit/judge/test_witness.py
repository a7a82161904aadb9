import math

import numpy as np
import pytest

from deniable.bounds import Bound
from deniable.judge.neighbours import Likelihoods
from deniable.judge.witness import Witness, between, certain, described, spread
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.universe import Universe


def test_json(flip):
    witness = described(flip, 0, 1, {1: 0.25, 0: 0.75})
    assert witness == Witness("a", "yes", {"": 0.75, "a": 0.25})
    assert witness.as_json() == {"entity": "a", "output": "yes", "prior": {"": 0.75, "a": 0.25}}


def test_impossible_subsets_are_left_out(flip):
    assert described(flip, 0, 0, {0: 0.0, 1: 1.0}).prior == {"a": 1.0}


def test_a_prior_that_spreads_too_far_is_not_written_out():
    matrix = StochasticMatrix(Universe(tuple(f"e{i}" for i in range(11))), ("x",), [[1.0]] * 2048)
    witness = spread(matrix, 0, 0, np.full(2048, 1 / 2048))
    assert witness.prior is None
    assert witness.as_json()["prior"] is None


def test_gamma_is_at_least_1():
    assert certain(0.9).bound == Bound.exact(1.0)
    assert certain(math.inf).bound.upper == math.inf


def shown(witness, ratio):
    q = witness.prior["a"]
    return max(ratio / (q * ratio + 1 - q), q * ratio + 1 - q)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, 2.0), (0, 0.3, 2.0), (0.4, 1, 2.0), (0.5, 0.5, 1.5), (0.1, 0.2, 2 / 1.1)],
)
def test_the_best_prior_between_two_ends(flip, low, high, expected):
    witness = between(flip, Likelihoods(0.5, 0.25, 1, 0, 1, 0), low, high)
    assert low <= witness.prior["a"] <= high
    assert shown(witness, 2.0) == pytest.approx(expected, rel=1e-8)
    assert shown(witness, 2.0) <= expected * (1 + 1e-15)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 0.3), (0.7, 1), (0.2, 0.2)])
def test_an_infinite_ratio_needs_no_limit(flip, low, high):
    witness = between(flip, Likelihoods(0.5, 0.0, 1, 0, 1, 0), low, high)
    assert 0 < witness.prior["a"] < 1
    assert low <= witness.prior["a"] <= high


def test_a_ratio_of_1_shows_at_any_prior(flip):
    assert between(flip, Likelihoods(0.5, 0.5, 1, 0, 1, 0)).prior == {"": 0.5, "a": 0.5}
