import numpy as np
import pytest

from deniable import population
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses

AGES, AMONG = [20.0, 30.0, 35.0, 35.0, 61.0, 80.0], [0.0, 33.0, 35.0, 66.0, 99.0]


@pytest.mark.parametrize("q", [0.25, 0.5, 0.9])
def test_ranks_all_at_once_are_those_one_by_one(q):
    def rank(candidate, rows):
        return abs((1 - q) * np.sum(rows < candidate) - q * np.sum(rows > candidate))

    asked = {"sensitivity": 1.0, "epsilon": 2.0, "records": "all"}
    one = population.exponential(AGES, AMONG, 3, loss=rank, **asked)
    all_at_once = population.exponential(
        AGES, AMONG, 3, losses=population.quantile_losses(AMONG, q), **asked
    )
    for a, b in zip(one.records, all_at_once.records, strict=True):
        assert a.bound.upper == pytest.approx(b.bound.upper, rel=1e-12)
    assert one.epsilon_adjacent_subsets <= 2.0


def test_the_sensitivity_is_attained_and_never_passed():
    losses = population.quantile_losses(AMONG, 0.3)
    moves = [
        np.abs(losses(np.array([*others, a])) - losses(np.array([*others, b]))).max()
        for others in ([], [40.0], [0.0, 99.0, 35.0])
        for a in AGES
        for b in AGES
    ]
    assert max(moves) == pytest.approx(1.0)
    with refuses(InvalidArgument, "sensitivity-that-exchanging-two-records"):
        population.exponential(
            AGES, AMONG, 3, losses=population.quantile_losses(AMONG, 0.5), sensitivity=0.2,
            epsilon=1.0,
        )  # fmt: skip


def test_categories():
    table = population.top_losses(["b", "a", "z"], ["a", "b"])
    np.testing.assert_array_equal(table, [[0, -1], [-1, 0], [0, 0]])
    # Gumbel noise of scale 2/ε on the counts of a sample is the exponential mechanism at ε.
    found = population.exponential(losses=table, size=1, sensitivity=1.0, epsilon=2.0)
    laws = np.exp([[0, 1], [1, 0], [0, 0]])
    laws /= laws.sum(axis=1, keepdims=True)
    truth = max(
        np.abs(np.log(laws[i] / np.delete(laws, i, axis=0).mean(axis=0))).max() for i in range(3)
    )
    assert found.population_epsilon.upper == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("shape", [(1,), (6,), (5, 1)])
def test_a_loss_for_each_candidate(shape):
    with refuses(InvalidArgument, "loss-for-each-of-candidates: 5"):
        population.exponential(
            AGES, AMONG, 3, losses=lambda _: np.zeros(shape), sensitivity=1.0, epsilon=1.0
        )


def test_nothing_to_choose_from():
    with refuses(InvalidArgument, "at-least-one"):
        population.quantile_losses([], 0.5)
    with refuses(InvalidArgument, "records-and-of-keys-at-least"):
        population.top_losses([], ["a"])
    with refuses(InvalidArgument, "not-between-0-and-1: quantile"):
        population.quantile_losses(AMONG, 1.5)


def test_two_losses_are_one_too_many():
    with refuses(InvalidArgument, "no-with-loss-of-your: losses"):
        population.exponential(
            AGES, AMONG, 3, loss=lambda _, __: 0.0, losses=lambda _: np.zeros(5), sensitivity=1.0,
            epsilon=1.0,
        )  # fmt: skip
