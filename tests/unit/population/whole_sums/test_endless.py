import math

import numpy as np
import pytest

from deniable.population.whole_sums.endless import endless_losses
from deniable.population.whole_sums.multiset import multiset


def test_a_record_that_both_ends_hide():
    """Of 0, 1, 1, 1, 2 two are drawn; both ends take one of the three ones: 1·3/(2·2)."""
    problem, _ = multiset([0, 1, 1, 1, 2], 2)
    lower, upper = endless_losses(problem, np.array([0, 1, 2]))
    assert lower[[0, 2]].tolist() == [math.inf, math.inf]
    assert lower[1] == pytest.approx(abs(math.log(3 / 4)), rel=1e-12)
    assert upper.tolist() == [math.inf] * 3
