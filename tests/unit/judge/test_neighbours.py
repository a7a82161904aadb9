import math

import numpy as np
import pytest

from deniable.judge.neighbours import (
    Extremes,
    Likelihoods,
    added,
    every_subset,
    exchanged,
    extremes,
    filled,
    has_exchanges,
    sizes,
    whole_sizes,
)
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.universe import Universe


def numbered(n):
    """Every entry names its row and column."""
    return np.arange(2**n * 2, dtype=float).reshape(2**n, 2)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_views_hold_every_pair_of_neighbours_once(n):
    table = numbered(n)
    found = set()
    for pairs in added(table):
        for at in np.ndindex(pairs.first.shape[:-1]):
            one, other = pairs.rows(at)
            assert (pairs.first[at] == table[one]).all()
            assert (pairs.second[at] == table[other]).all()
            assert one ^ other == 1 << pairs.entity
            assert one > other
            found.add((one, other))
    assert len(found) == n * 2 ** (n - 1)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_views_hold_every_exchange_once(n):
    table = numbered(n)
    found = set()
    for pairs in exchanged(table):
        for at in np.ndindex(pairs.first.shape[:-1]):
            one, other = pairs.rows(at)
            assert (pairs.first[at] == table[one]).all()
            assert (pairs.second[at] == table[other]).all()
            assert one ^ other == 1 << pairs.entity | 1 << pairs.other
            assert one.bit_count() == other.bit_count()
            found.add((one, other))
    assert len(found) == math.comb(n, 2) * 2 ** max(n - 2, 0) if n > 1 else not found


def test_views_copy_nothing():
    table = numbered(4)
    for pairs in (*added(table), *exchanged(table)):
        assert np.shares_memory(pairs.first, table)


def test_sizes():
    assert sizes(3).tolist() == [row.bit_count() for row in range(8)]


def known(n, rows):
    table = np.full((2**n, 1), np.nan)
    table[list(rows)] = 1.0
    return StochasticMatrix(Universe(tuple("abcd"[:n])), ("x",), table)


@pytest.mark.parametrize(
    ("n", "rows", "whole", "exchanges"),
    [
        (2, [0, 1, 2, 3], (0, 1, 2), True),
        (2, [1, 2], (1,), True),
        (2, [0, 1, 2], (0, 1), True),
        (2, [0, 3], (0, 2), False),
        (2, [1], (), False),
        (2, [0, 1], (), False),
        (3, [1, 2, 4, 3], (), False),
        (1, [0], (0,), True),
        (1, [0, 1], (0, 1), True),
    ],
)
def test_sizes_count_only_if_all_are_whole(n, rows, whole, exchanges):
    matrix = known(n, rows)
    assert whole_sizes(matrix) == whole
    assert has_exchanges(matrix) is exchanges
    assert every_subset(matrix) is (len(rows) == 2**n)


def test_unknown_laws_become_zeros(pick):
    table = filled(pick)
    assert table[0].tolist() == [0, 0, 0]
    assert table[1].tolist() == [0.5, 0.5, 0]


def test_a_zero_on_one_side_is_infinite(parity):
    found = extremes(added(filled(parity)))
    assert found.rise.ratio == found.fall.ratio == math.inf
    assert found.rise.epsilon == math.inf
    assert found.rise.above == 1.0
    assert found.rise.below == 0.0


def test_zeros_on_both_sides_do_not_count(constant):
    found = extremes(added(filled(constant)))
    assert found.rise.ratio == found.fall.ratio == 1.0
    assert found.rise.epsilon == 0.0
    assert found.rise.output in (0, 1)


def test_an_output_that_never_comes_hides_no_pair():
    """Zeros stand first; the ratio 1 beside them is the extreme all the same."""
    matrix = StochasticMatrix(Universe(("a", "b")), ("never", "always"), [[0.0, 1.0]] * 4)
    for pairs in (added, exchanged):
        found = extremes(pairs(filled(matrix)))
        assert found.rise.ratio == found.fall.ratio == 1.0
        assert (found.rise.output, found.fall.output) == (1, 1)


def test_unknown_pairs_hide_no_pair(pick):
    found = extremes(exchanged(filled(pick)))
    assert (found.rise.ratio, found.fall.ratio) == (math.inf, math.inf)


def test_no_pairs_no_extremes(flip):
    assert extremes(exchanged(filled(flip))) == Extremes(None, None)
    assert Extremes(None, None).either is None


def test_directions(flip):
    found = extremes(added(filled(flip)))
    assert found.rise == Likelihoods(0.5, 0.25, 1, 0, 1, 0)
    assert found.fall == Likelihoods(0.75, 0.5, 0, 1, 0, 0)
    assert found.either == found.rise


def test_a_ratio_is_rounded_up():
    third = Likelihoods(1.0, 3.0, 0, 1, 0, 0)
    assert third.ratio == math.nextafter(1 / 3, 1)
    assert Likelihoods(3.0, 1.0, 0, 1, 0, 0).ratio == 3.0
    assert third.epsilon == 0.0
