import itertools

import attrs
import numpy as np
import pytest

from deniable.correlation import JointSum
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses
from tests.oracles.correlation import leakage, worst_leakage


@pytest.mark.parametrize("seed", range(8))
def test_against_the_definition(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 4, size=rng.integers(1, 4)))
    table = rng.dirichlet(np.full(np.prod(shape), 0.5)).reshape(shape)
    if seed % 2:
        table = np.where(rng.random(shape) < 0.3, 0, table)
        table = np.full(shape, 1 / table.size) if table.sum() == 0 else table / table.sum()
    values = [(3 * rng.integers(-3, 4, size=size)).tolist() for size in shape]
    law, scale = dict(np.ndenumerate(table)), float(rng.uniform(0.5, 3))
    joint, n = JointSum(table, values, scale), len(shape)
    for record in range(n):
        others = [j for j in range(n) if j != record]
        for known in itertools.chain([()], *(itertools.combinations(others, k) for k in (1, 2))):
            expected = leakage(law, values, scale, record, known)
            found = joint.leakage(record, known)
            assert found.lower - 1e-13 <= expected <= found.upper + 1e-13
            assert found.upper == pytest.approx(expected, abs=1e-9)
        expected = worst_leakage(law, values, scale, record)
        assert joint.worst_leakage(record).upper == pytest.approx(expected, abs=1e-9)


def test_independent_records_leak_their_own_range():
    joint = JointSum(np.outer([0.3, 0.7], [0.5, 0.5]), [[0, 3], [0, 1]], 2.0)
    assert joint.worst_leakage(0).upper == pytest.approx(1.5)
    assert joint.leakage(0, [1]).upper == pytest.approx(1.5)
    assert joint.leakage(0).upper <= 1.5 + 1e-9


def test_a_record_with_one_possible_value_leaks_nothing():
    assert JointSum([[0.5, 0.5], [0.0, 0.0]], [[0, 5], [0, 1]], 1.0).worst_leakage(0).upper == 0


def test_every_set_of_eight_binary_records():
    law = np.random.default_rng(1).dirichlet(np.ones(2**8)).reshape((2,) * 8)
    joint = JointSum(law, [[0, 1]] * 8, 1.0)
    worst = joint.worst_leakage(5).upper
    for known in ((), (0,), (3, 4, 6), (0, 1, 2, 3, 4, 6, 7)):
        assert joint.leakage(5, known).upper <= worst


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, [], 1.0), "law-with-1-to-axes: 12 | 0"),
        (([0.5, 0.4], [[0, 1]], 1.0), "law-to-sum-to-1"),
        (([0.5, 0.5], [[0, 1, 2]], 1.0), "law-of-shape: (2,) | [3]"),
        (([0.5, 0.5], [[0, 0.5]], 1.0), "not-whole: values"),
        (([0.5, 0.5], [[0, 1]], 0.0), "not-above-0: scale"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with refuses(InvalidArgument, message):
        JointSum(*arguments)


def test_is_a_frozen_value():
    joint = JointSum([0.5, 0.5], [[0, 1]], 1.0)
    assert joint == JointSum([0.5, 0.5], [[0, 1]], 1.0)
    with refuses(InvalidArgument, "record-below: 1"):
        joint.leakage(1)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        joint.scale = 2.0
