import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums import costs, inversion
from deniable.population.whole_sums.costs import TUNING, Cost
from deniable.population.whole_sums.multiset import multiset
from deniable.population.whole_sums.reduced import Reduced

NEAR = np.random.default_rng(8).integers(0, 9, 40).tolist()
NOISE = DiscreteLaplace(50.0)
PART = TUNING.part


def reduced(values, noise=NOISE, delta=0.0):
    problem = multiset(values, 3)[0]
    return Reduced(problem, np.arange(len(problem.values)), noise, delta)


def test_a_part_repeats_what_is_shared():
    cost = Cost(before=5 * PART, part=10 * PART, target=2 * PART, bytes=1)
    assert cost.parts(40) == 4
    assert cost.total(40) == (5 + 4 * 10 + 40 * 2) * PART
    assert cost.parts(2) == 2
    assert Cost(0.0, 0.1 * PART, 0.001 * PART, 1).parts(40) == 1
    assert Cost(0.0, 0.0, PART, 1).parts(40) == 40


@pytest.mark.parametrize("cost", [costs.counted, costs.added])
def test_costs_grow_with_the_range(cost):
    narrow, wide = reduced([*NEAR, 1510]), reduced([*NEAR, 15_101])
    assert cost(wide).total(9) > 5 * cost(narrow).total(9)
    assert cost(reduced([*NEAR, 10**7 + 1])).bytes > 10 * cost(wide).bytes


def test_noise_costs_its_width():
    smooth = costs.released(reduced(NEAR, DiscreteGaussian(1e6), 0.01), 10)
    assert smooth > 1e4 * costs.released(reduced(NEAR, delta=0.01), 10)


def test_steps_cost_columns_where_delta_is_not_0():
    one, seven = reduced(NEAR, delta=0.01), reduced([7 * value for value in NEAR], delta=0.01)
    assert costs.released(seven, 10) == 7 * costs.released(one, 10)
    pure = [without_delta(one), without_delta(seven)]
    assert costs.released(pure[0], 10) == costs.released(pure[1], 10)


def without_delta(question):
    return Reduced(question.problem, question.targets, question.noise, 0.0)


def test_what_does_not_matter_is_not_counted():
    question = reduced(NEAR)
    chosen = inversion.tilts(question.problem, 0.02)
    whole = costs.inverted(question, chosen)
    assert 0 < costs.inverted(question, chosen, within=0.0).total(9) < whole.total(9)
    assert 0 < costs.inverted(question, chosen, memory=1.0).total(9) < whole.total(9)
