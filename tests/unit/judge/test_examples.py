"""Worked examples of what is judged of a mechanism that is written out."""

import math

import numpy as np
import pytest

from deniable.judge.curve import population, privacy_curve
from deniable.judge.differential import Ratios, add_remove, sampling_epsilon
from deniable.judge.identifiability import identifiability
from deniable.judge.semantic import bayesian_semantic, leakage, over_all_laws, semantic
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency
from deniable.priors import ProductPrior
from deniable.priors.universe import Universe


def flip(*rows):
    return StochasticMatrix(Universe(("a",)), ("no", "yes"), list(rows))


def test_both_halves_of_add_remove():
    answer = add_remove(Ratios(flip([0.75, 0.25], [0.5, 0.5])))
    assert answer.positive == pytest.approx(math.log(2))
    assert answer.negative == pytest.approx(math.log(1.5))


def test_sampling_half_of_all():
    # 1/2 against 1/4
    assert sampling_epsilon(flip([0.75, 0.25], [0.25, 0.75]), 0.5) == pytest.approx(math.log(2))


SYMMETRIC = ([0.75, 0.25], [0.25, 0.75])


def test_how_far_a_release_moves_beliefs():
    moved = math.tanh(math.log(3) / 4)
    assert semantic(flip(*SYMMETRIC)) == pytest.approx(moved)
    assert bayesian_semantic(flip(*SYMMETRIC), ProductPrior([1e-6])) == pytest.approx(moved)
    rows = [[0.1, 0.9], [0.2, 0.8], [0.2, 0.8], [0.4, 0.6]]
    sums = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    assert over_all_laws(sums) == pytest.approx(math.tanh(math.log(4) / 4))  # all or none


def test_two_records_that_always_agree_leak_together():
    answer = leakage([[0.5, 0.0], [0.0, 0.5]], [[[0.8, 0.2], [0.6, 0.4]], [[0.4, 0.6], [0.2, 0.8]]])
    assert math.exp(answer) == pytest.approx(4.0)


def test_a_curve_and_a_population():
    answer = privacy_curve(flip(*SYMMETRIC), Adjacency.ADD_REMOVE)
    assert answer.complete
    assert answer.points == ((0.0, 0.5), (pytest.approx(math.log(3)), 0.0))
    rows = np.full((4, 2), np.nan)
    rows[1], rows[2] = SYMMETRIC
    shown = StochasticMatrix(Universe(("a", "b")), ("0", "1"), rows)
    assert population(shown, 1).epsilon == pytest.approx(math.log(3))


def test_two_worlds_are_told_apart():
    rows = [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75], [0.5, 0.5]]
    which = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    assert identifiability(which) == {2: 0.75}
