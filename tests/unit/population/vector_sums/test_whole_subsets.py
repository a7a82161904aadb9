import math

import numpy as np
import pytest

from deniable.population.vector_sums.release import Release
from deniable.population.vector_sums.whole_subsets import (
    WholeDraws,
    whole_draws,
    whole_guide,
)

RELEASE = Release.of(np.random.default_rng(0).normal(size=(7, 2)), 3, 1.0)


def draws(records, candidates, n_draws):
    rng = np.random.default_rng(1)
    return whole_draws(rng, RELEASE, whole_guide(RELEASE), records, candidates, n_draws)


def test_a_draw_belongs_to_the_in_world_of_its_members():
    found = draws(np.arange(7), 16, 50)
    assert found.inside.sum(axis=1).tolist() == [3] * 50
    assert found.log_ratios.shape == (50, 7)


def test_alone_the_truth_tells_everything():
    found = draws(np.arange(7), 1, 20)
    assert np.all(np.isposinf(found.log_ratios) == found.inside)
    assert np.all(np.isneginf(found.log_ratios) == ~found.inside)


def test_only_the_records_asked_for_in_their_order():
    found, both = draws(np.arange(7), 16, 10), draws(np.array([5, 2]), 16, 10)
    assert both.log_ratios == pytest.approx(found.log_ratios[:, [5, 2]])
    assert np.array_equal(both.inside, found.inside[:, [5, 2]])


def test_ratios_towards_a_world():
    found = WholeDraws(np.array([[1.0], [2.0], [-math.inf]]), np.array([[True], [False], [False]]))
    assert found.towards(0, 0).tolist() == [1.0]
    assert found.towards(0, 1).tolist() == [-2.0, math.inf]
