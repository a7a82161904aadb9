"""Large universes of which few laws are known: the work goes with what is known, by count."""

import itertools
import math

import numpy as np
import pytest

from deniable.judge.likelihoods import joint
from deniable.judge.neighbours import (
    extremes,
    fill_unknown,
    iterate_exchanges,
    known_exchanges,
    rows_of_size,
)
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.universe import Universe


def of_sizes(n, whole, rng):
    rows = np.full((2**n, 2), np.nan)
    for size in whole:
        at = rows_of_size(n, size)
        rows[at] = rng.dirichlet([1, 1], size=len(at))
    return StochasticMatrix(Universe(tuple(f"e{i}" for i in range(n))), ("x", "y"), rows)


@pytest.mark.parametrize("whole", [(1,), (2,), (1, 15), (0, 1, 16)])
def test_pairs_are_no_more_than_known_laws_allow(whole):
    n = 16
    matrix = of_sizes(n, whole, np.random.default_rng(1))
    looked = sum(len(pairs.first) for pairs in known_exchanges(matrix))
    exact = sum(math.comb(n, k) * k * (n - k) // 2 for k in whole)
    assert looked == exact <= matrix.known.sum() * n**2


@pytest.mark.parametrize("n", [2, 5, 7])
def test_the_same_pairs_as_among_all_rows(n):
    rng = np.random.default_rng(2)
    for whole in [(1,), (n - 1,), (0, 1), (1, n), tuple(range(n + 1))]:
        matrix = of_sizes(n, whole, rng)
        few, every = known_exchanges(matrix), iterate_exchanges(fill_unknown(matrix))
        one, other = extremes(few).either, extremes(every).either
        assert (one is None) == (other is None)
        assert one is None or one.exact == other.exact
        for pairs in known_exchanges(matrix):
            for at in np.ndindex(pairs.first.shape[:-1]):
                first, second = pairs.rows(at)
                if matrix.known[first]:
                    assert (pairs.first[at] == matrix.rows[first]).all()
                    assert (pairs.second[at] == matrix.rows[second]).all()


def test_rows_of_each_size():
    for n, size in itertools.product(range(1, 9), range(-1, 10)):
        of_size = [row for row in range(2**n) if row.bit_count() == size]
        assert rows_of_size(n, size).tolist() == of_size


def test_a_prior_on_few_subsets_reads_those_alone():
    """Laws that the prior rules out may be anything, NaN too, and sums are the same."""
    rng = np.random.default_rng(3)
    prior = np.zeros(2**7)
    allowed = rows_of_size(7, 1)
    prior[allowed] = rng.dirichlet(np.ones(7))
    table = np.full((2**7, 2), np.nan)
    table[allowed] = rng.dirichlet([1, 1], size=7)
    found = joint(table, prior)
    inside = np.ldexp(prior[allowed, None], 1020) * table[allowed]
    assert found.inside == pytest.approx(inside)
    assert found.outside == pytest.approx(inside.sum(axis=0) - inside)
    assert found.member == pytest.approx(prior[allowed])
