"""Disjoint pairs a number of bins apart: as many as trying all finds."""

import numpy as np
import pytest

from deniable.population.swaps import count_pairs_at_distances
from tests.oracles.swaps import largest_matching


@pytest.mark.parametrize("seed", range(6))
def test_as_many_pairs_as_there_can_be_and_none_between_groups(seed):
    rng = np.random.default_rng(seed)
    many = rng.integers(0, 3, (2, 6))
    found = count_pairs_at_distances(many, 5)
    for apart in range(1, 6):
        each = [np.repeat(np.arange(6), group).tolist() for group in many]
        assert found[apart] == sum(largest_matching(values, apart) for values in each)
    assert found[0] == 0
