import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import NoisyTopK
from deniable.mechanisms.exponential import ExponentialMechanism
from deniable.notions import Adjacency, PureDP
from tests.cases.refusals import refuses


def test_law_is_in_proportion():
    law = ExponentialMechanism(2.0).law([0.0, 2.0, 4.0])
    assert law.sum() == pytest.approx(1)
    assert law[2] / law[1] == pytest.approx(math.e)
    assert law == pytest.approx(NoisyTopK(2.0, 1, "gumbel").round_law([0.0, 2.0, 4.0]))


def test_law_runs_over_the_last_axis_and_keeps_its_tails():
    choose = ExponentialMechanism(1.0)
    assert choose.law([[0, 0], [0, 1]]).sum(axis=1) == pytest.approx([1, 1])
    assert choose.log_law([0.0, -1e5]).tolist() == [0.0, -1e5]


@pytest.mark.parametrize("adjacency", Adjacency)
def test_guarantee_depends_on_whether_scores_move_together(adjacency):
    choose = ExponentialMechanism(4.0)
    assert choose.guarantee(2.0, adjacency) == PureDP(1.0, adjacency)
    assert choose.guarantee(2.0, adjacency, monotone=True) == PureDP(0.5, adjacency)
    assert choose.rho(2.0) == 0.125
    assert choose.rho(2.0, monotone=True) == 0.5**2 / 8


def test_curve_at_its_ends():
    choose = ExponentialMechanism(1.0)
    assert choose.delta(2.0, 1.0) == choose.delta(9.0, 1.0) == choose.delta(0.0, 0.0) == 0.0
    assert choose.delta(0.0, 1.0) == pytest.approx(math.tanh(0.5), abs=1e-15)
    assert choose.delta(0.0, 1.0, monotone=True) == pytest.approx(math.tanh(0.25), abs=1e-15)
    assert 0 < choose.delta(math.nextafter(2.0, 0), 1.0) < 1e-30


def test_draws_follow_the_law():
    choose = ExponentialMechanism(1.0)
    drawn = choose.draws(np.random.default_rng(1), 100_000, [0.0, 1.0, -2.0])
    shares = np.bincount(drawn, minlength=3) / 100_000
    assert shares == pytest.approx(choose.law([0.0, 1.0, -2.0]), abs=0.01)


def test_arguments_are_checked():
    choose = ExponentialMechanism(1.0)
    with refuses(InvalidArgument, "not-above-0: scale"):
        ExponentialMechanism(0.0)
    with refuses(InvalidArgument, "one-candidate-or-more"):
        choose.law([])
    with refuses(InvalidArgument, "below-least: sensitivity | 0"):
        choose.epsilon(-1.0)
    with refuses(InvalidArgument, "below-least: epsilon | 0"):
        choose.delta(-0.1, 1.0)
    with refuses(InvalidArgument, "scores-of-one-choice"):
        choose.draws(np.random.default_rng(1), 1, [[0.0, 1.0]])


def test_is_a_frozen_value_with_a_name():
    assert ExponentialMechanism(2) == ExponentialMechanism(2.0)
    assert ExponentialMechanism.name == "exponential"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        ExponentialMechanism(2.0).scale = 3.0
