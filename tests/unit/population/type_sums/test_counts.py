import itertools
import math

import numpy as np
import pytest

from deniable.population.type_sums.counts import CountTables

COUNTS, SIZE = [3, 1, 4], 4


def chances():
    """Probability of each vector of counts, by binomial coefficients."""
    every = itertools.product(*(range(k + 1) for k in COUNTS))
    whole = math.comb(sum(COUNTS), SIZE)
    return {c: math.prod(map(math.comb, COUNTS, c)) / whole for c in every if sum(c) == SIZE}


def test_weights_are_those_of_all_samples():
    expected = chances()
    tables = CountTables.of(np.array(COUNTS), SIZE)
    vectors = tables.vectors(100)
    assert {tuple(c) for c in vectors.tolist()} == set(expected)
    weights = np.exp(tables.log_weight(vectors))
    np.testing.assert_allclose(
        weights / weights.sum(), [expected[tuple(c)] for c in vectors.tolist()], rtol=1e-13
    )
    assert tables.vectors(len(expected) - 1) is None


def test_impossible_counts_have_no_weight():
    tables = CountTables.of(np.array(COUNTS), SIZE)
    assert tables.log_weight(np.array([[4, 0, 0], [0, -1, 5]])).tolist() == [-math.inf, -math.inf]


@pytest.mark.parametrize("kind", range(3))
def test_one_type_alone_and_its_moments(kind):
    expected = chances()
    tables = CountTables.of(np.array(COUNTS), SIZE)
    own, law = tables.of_one(kind)
    for count, chance in zip(own, law, strict=True):
        total = sum(p for c, p in expected.items() if c[kind] == count)
        assert chance == pytest.approx(total, rel=1e-13)
    assert own @ law == pytest.approx(tables.mean[kind], rel=1e-13)
    spread = (own - tables.mean[kind]) ** 2 @ law
    assert spread == pytest.approx(tables.covariance()[kind, kind], rel=1e-13)


def test_draws_have_the_conditional_law():
    tables = CountTables.of(np.array(COUNTS), SIZE)
    own = np.full(20_000, 2)
    drawn = tables.draw_others(np.random.default_rng(0), 0, own)
    assert np.all(drawn.sum(axis=1) == SIZE)
    assert np.all((drawn >= 0) & (drawn <= COUNTS))
    share = np.mean(drawn[:, 1])
    # Two of the other five are drawn; 1e-9 alarm level.
    assert share == pytest.approx(2 / 5, abs=6.2 * math.sqrt(0.24 / 20_000))
