import math

import numpy as np
import pytest

from deniable.judge.curve import advantage, privacy_curve
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency
from deniable.universe import Universe

ADD_REMOVE, REPLACE_ONE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE


def test_corners_of_one_pair(flip):
    curve = privacy_curve(flip, ADD_REMOVE)
    assert curve.complete
    # Two lines: 3/4 − z/2 for "no", 1/2 − z/4 for "yes"; they meet at z = 1.
    assert [math.exp(epsilon) for epsilon, _ in curve.points] == pytest.approx([1.0, 2.0])
    assert [delta for _, delta in curve.points] == [0.25, 0.0]


def test_a_delta_that_no_epsilon_removes(parity):
    curve = privacy_curve(parity, ADD_REMOVE)
    assert curve.points == ((0.0, 1.0),)
    assert curve.delta(0.0) == curve.delta(1e9) == 1.0


def test_nothing_to_tell(constant):
    for adjacency in Adjacency:
        assert privacy_curve(constant, adjacency).points == ((0.0, 0.0),)
        assert advantage(constant, adjacency) == 0.0


def test_sizes_that_lack(pick):
    assert privacy_curve(pick, ADD_REMOVE) is None
    assert advantage(pick, ADD_REMOVE) is None
    assert privacy_curve(pick, REPLACE_ONE).advantage == advantage(pick, REPLACE_ONE) == 0.5


def test_one_entity_has_no_replacement(flip):
    assert privacy_curve(flip, REPLACE_ONE).points == ((0.0, 0.0),)


def test_too_much_work_leaves_exact_points():
    rows = np.random.default_rng(3).dirichlet(np.ones(12), size=32)
    matrix = StochasticMatrix(Universe(tuple("abcde")), list("0123456789xy"), rows)
    full, part = privacy_curve(matrix, ADD_REMOVE), privacy_curve(matrix, ADD_REMOVE, work=0)
    assert full.complete
    assert not part.complete
    assert len(part.points) < len(full.points)
    for epsilon, delta in part.points:
        assert delta == pytest.approx(full.delta(epsilon), abs=1e-12)
    assert part.points[0] == full.points[0]
    assert part.points[-1] == pytest.approx(full.points[-1])


def test_ratios_near_the_largest_float():
    rows = [[0.5, 0.5], [1e-305, 1.0]]
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), rows)
    curve = privacy_curve(matrix, ADD_REMOVE)
    assert curve.complete
    assert curve.points[-1] == (pytest.approx(math.log(0.5) + 305 * math.log(10)), 0.0)
