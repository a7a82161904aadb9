import itertools
import math

import numpy as np
import pytest
from scipy.special import ndtr

from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.reach import reach, window


@pytest.mark.parametrize("exponent", [3.0, 20.0, 41.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_tail_is_bounded(small, exponent, sign):
    numbers = np.repeat(small.values, small.counts)
    sums = sign * np.array([sum(each) for each in itertools.combinations(numbers, 3)])
    end = reach(small, Kernel(1.0), exponent, sign)
    assert ndtr(sums - end).mean() * small.chance() <= math.exp(-exponent)
    assert end <= sums.max() + 2 + math.sqrt(2 * exponent)


def test_laplace_tails_need_more_room(small):
    assert window(small, Kernel(0.1, 1.0), -40.0) > window(small, Kernel(1.0), -40.0)


def test_little_noise_keeps_to_the_range_of_sums(small):
    assert window(small, Kernel(1e-3), -40.0) < 16
