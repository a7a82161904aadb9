"""Coins that hide a move, and how many there are: never more than exact fractions allow."""

import numpy as np
import pytest

from deniable.population.swaps import shift_epsilons, split_pairs
from tests.oracles.swaps import moved_coins, split_law, split_law_by_listing


def test_the_law_of_split_pairs_is_that_of_all_samples():
    assert split_law(3, 4, 8) == split_law_by_listing(3, 4, 8)


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-9])
@pytest.mark.parametrize(("pairs", "size", "population"), [(90, 150, 301), (40, 20, 200)])
def test_fewer_pairs_are_split_no_more_often_than_stated(pairs, size, population, delta):
    found = int(split_pairs(np.array([pairs]), size, population, delta)[0])
    # One pair may hold x, another the one who makes room.
    for drawn in (size - 1, size):
        law = split_law(pairs - 1, drawn, population - 1)
        assert sum(law[: found + 1]) <= delta or found == 0
    if pairs == 90 and delta > 1e-3:
        assert found > 20


@pytest.mark.parametrize("delta", [0.2, 1e-4, 1e-9])
@pytest.mark.parametrize("moved", [1, 2, 5])
@pytest.mark.parametrize("coins", [3, 40, 400])
def test_coins_hide_a_move_at_the_stated_epsilon(coins, moved, delta):
    found = float(shift_epsilons(np.array([coins]), moved, delta)[0])
    if np.isfinite(found):
        assert moved_coins(coins, moved, found) <= delta
    else:
        assert coins < 200


def test_the_bound_of_coins_is_of_the_right_size():
    found = float(shift_epsilons(np.array([400]), 1, 1e-4)[0])
    assert moved_coins(400, 1, found / 2) > 1e-4
