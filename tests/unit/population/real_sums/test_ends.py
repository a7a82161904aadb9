import math

import numpy as np
import pytest

from deniable.population.real_sums.ends import Work, ends
from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.nodes import nodes
from deniable.population.real_sums.reach import window
from deniable.population.real_sums.smallest_epsilon import Deltas
from deniable.population.real_sums.subset_sums import chunks
from tests.oracles import real_sums as brute


def test_a_chunk_of_targets(small):
    kernel = Kernel(1.0)
    where = nodes(small, kernel, window(small, kernel, -41.0), min(small.chances()))
    (chunk,) = chunks(small, where, np.array([0, 4]))
    deltas = Deltas(0.01, 0.01)
    found = ends(Work(small, kernel, where, chunk, deltas, 1.0))
    numbers = np.repeat(small.values, small.counts).tolist()
    for row, record in enumerate((0, 6)):
        truth = brute.population_epsilon(numbers, 3, 1.0, "gaussian", 0.01, record, n_points=100)
        assert found["lower"][row] - 1e-9 <= truth <= found["upper"][row] + 1e-9
    high = math.exp(float(found["upper"].max()) + 0.1)
    harmless = ends(Work(small, kernel, where, chunk, deltas, high))
    assert harmless["lower"].tolist() == [0, 0]
    assert harmless["upper"] == pytest.approx(math.log(high))
