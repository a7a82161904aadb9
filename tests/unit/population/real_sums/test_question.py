import numpy as np

from deniable.mechanisms import Gaussian
from deniable.population.real_sums.question import Question
from deniable.population.work.effort import Effort


def question(values, **limits):
    return Question(np.array(values), 1, Gaussian(1.0), 0.1, Effort(**limits))


def test_equal_values_share_a_place():
    asked = question([3.0, 1.0, 3.0])
    assert asked.distinct.tolist() == [1.0, 3.0]
    assert asked.place.tolist() == [1, 0, 1]
    assert asked.counts.tolist() == [1, 2]
    assert not asked.constant
    assert question([2.0, 2.0]).constant


def test_the_farthest_other_value():
    asked = question([0.0, 1.0, 5.0])
    assert [asked.farthest(place) for place in range(3)] == [5.0, 4.0, 5.0]
