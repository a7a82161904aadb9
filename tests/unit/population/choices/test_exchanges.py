import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.population.choices.exchanges import exchange_bounds, exchange_means
from tests.oracles import choices as brute


def plainly(scores):
    """Both means, by their definition."""
    candidates, records = scores.shape
    rise, fall = np.zeros((records, candidates)), np.zeros((records, candidates))
    for x in range(records):
        for w in range(candidates):
            away = [scores[:, x] - scores[:, y] for y in range(records) if y != x]
            rise[x, w] = np.log(np.mean([np.exp(d.max() - d[w]) for d in away]))
            fall[x, w] = np.log(np.mean([np.exp(d[w] - d.min()) for d in away]))
    return rise, fall


def test_the_means():
    scores = np.random.default_rng(0).normal(size=(3, 7)) * 5
    for found, expected in zip(exchange_means(scores, 3), plainly(scores), strict=True):
        assert found == pytest.approx(expected, rel=1e-12)
        assert (found >= expected).all()


def test_the_means_in_several_blocks():
    """A block holds 2^20 differences: of 1,100 records it has 953."""
    scores = np.random.default_rng(0).normal(size=(2, 1100))
    rise, fall = exchange_means(scores, 3)
    for x in (0, 952, 953, 1099):
        away = scores[:, [x]] - np.delete(scores, x, axis=1)
        for w in range(2):
            up = np.log(np.exp(away.max(axis=0) - away[w]).mean())
            down = np.log(np.exp(away[w] - away.min(axis=0)).mean())
            assert rise[x, w] == pytest.approx(up, rel=1e-11)
            assert fall[x, w] == pytest.approx(down, rel=1e-11)


def test_scores_too_far_apart_for_one_product():
    scores = np.random.default_rng(0).normal(size=(3, 7)) * 400
    rise, fall = exchange_means(scores, 3)
    away = scores[:, [0]] - scores[:, 1:]
    expected = np.logaddexp.reduce(away.max(axis=0) - away[1]) - np.log(6)
    assert rise[0, 1] == pytest.approx(expected, rel=1e-12, abs=1e-11)
    assert rise[0, 1] >= expected
    assert np.isfinite(fall).all()


def test_never_above_the_worst_exchange_and_nothing_for_equal_records():
    scores = np.random.default_rng(1).normal(size=(4, 9))
    found = exchange_bounds(scores, 3)
    assert found.evidence is Evidence.ENCLOSURE
    assert found.maximum().upper <= brute.exchange_epsilon(scores.tolist()) + 1e-12
    assert (found.lower == 0).all()
    assert exchange_bounds(np.ones((4, 9)), 3).maximum().upper < 1e-12


def test_two_records():
    """One of two is sampled: the bound is the exchange itself."""
    scores = np.array([[0.0, 1.0], [2.0, 0.0]])
    assert exchange_bounds(scores, 1).maximum().upper == pytest.approx(3.0)
