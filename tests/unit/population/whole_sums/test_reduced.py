import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums.multiset import multiset
from deniable.population.whole_sums.reduced import Reduced

NOISE = DiscreteLaplace(20.0)


def reduced(values, size, noise=NOISE, delta=0.01):
    problem, _ = multiset(values, size)
    return Reduced(problem, np.arange(len(problem.values)), noise, delta)


def test_farthest_in_units_of_the_data():
    assert reduced([0, 3, 30], 1).farthest().tolist() == [30, 27, 30]
    assert reduced([0, 3, 30], 1).only(np.array([1])).farthest().tolist() == [27]


def test_noise_alone_is_an_exchange_for_the_farthest():
    lower, upper = reduced([0, 3, 30], 1, delta=0.0).noise_alone()
    assert lower.tolist() == [0, 0, 0]
    assert upper == pytest.approx(30 / 20, rel=1e-12)


@pytest.mark.parametrize("noise", [DiscreteLaplace(2.0), DiscreteGaussian(2.0)])
def test_tilts_for_likely_outputs_are_fewer(noise):
    question = reduced([*range(9), 150], 4, noise)
    assert question.likely_tilt() < question.farthest_tilt()


def test_every_output_counts_without_delta():
    assert reduced(range(9), 4, DiscreteLaplace(2.0), 0.0).likely_tilt() == 0.5
