import math

import numpy as np
import pytest

from deniable.judge.neighbours import filled
from deniable.judge.single_exchange import Instances, best, instances


def one(own, others):
    """One instance, t = 0 with nobody certain."""
    ordered = np.array([others], dtype=float)
    names = np.arange(1, len(others) + 1)[None, :]
    zero = np.zeros(1, dtype=np.int64)
    return Instances(zero, zero, zero, np.array([own], dtype=float), ordered, names)


def on_a_grid(own, others, low, high, *, absent):
    """The same for two others, by trying every q and share."""
    top = 0.0
    for q in np.linspace(low, high, 201):
        for first in np.linspace(low, high, 201):
            second = 1 - q - first
            if not low - 1e-12 <= second <= high + 1e-12:
                continue
            rest = first * others[0] + second * others[1]
            total = q * own + rest
            factors = (own / total, total * (1 - q) / rest)
            if absent:
                factors = (1 / factors[0], 1 / factors[1])
            top = max(top, *factors)
    return top


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize(
    ("own", "others"), [(0.9, (0.1, 0.3)), (0.5, (0.2, 0.9)), (0.1, (0.5, 0.7)), (0.4, (0.4, 0.4))]
)
def test_two_others_against_a_grid(own, others, absent):
    low, high = 0.2, 0.5
    ordered = sorted(others, reverse=absent)
    found = best(one(own, ordered), low, high, 2, absent=absent)
    listed = on_a_grid(own, ordered, low, high, absent=absent)
    assert found.gamma == pytest.approx(listed, rel=5e-3)
    assert found.gamma >= listed - 1e-9
    assert sum(found.chances.values()) == pytest.approx(1.0)
    assert all(low - 1e-12 <= p <= high + 1e-12 for p in found.chances.values())


def test_no_probabilities_that_fit():
    assert best(one(0.5, [0.1, 0.2]), 0.4, 0.5, 2, absent=False) is None
    assert best(one(0.5, [0.1, 0.2]), 0.1, 0.3, 2, absent=False) is None
    assert best(one(0.5, [0.1]), 0.2, 0.8, 2, absent=False) is None


def test_thirds_add_up():
    found = best(one(0.5, [0.25, 0.5]), 1 / 3, 1 / 3, 2, absent=False)
    assert found.chances == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 1 / 3})
    # Pr[S] = 5/12, Pr[S|¬t] = 3/8
    assert found.gamma == pytest.approx(max(0.5 / (5 / 12), (5 / 12) / (3 / 8)))


def test_likelihoods_of_zero():
    assert best(one(0.5, [0.0]), 0.3, 0.7, 1, absent=False).gamma == math.inf
    assert best(one(0.0, [0.0]), 0.3, 0.7, 1, absent=False).gamma == 1.0
    assert best(one(0.0, [0.5]), 0.3, 0.7, 1, absent=True).gamma == math.inf


def test_instances_are_all_there(pick):
    found = list(instances(filled(pick), 1, absent=False))
    assert [int(each.entity[0]) for each in found] == [0, 1, 2]
    assert found[0].own.tolist() == [0.5, 0.5, 0.0]
    assert found[0].others.tolist() == [[0.0, 0.5], [0.0, 0.5], [0.5, 0.5]]
    assert found[0].names.tolist() == [[1, 2], [2, 1], [1, 2]]


def test_the_absent_one_is_read_from_the_complement(pick):
    mirrored = filled(pick)[::-1]
    straight = list(instances(filled(pick), 1, absent=False))
    turned = list(instances(np.ascontiguousarray(mirrored), 2, absent=True))
    for one_, other in zip(straight, turned, strict=True):
        assert one_.own.tolist() == other.own.tolist()
        assert np.sort(one_.others).tolist() == np.sort(other.others).tolist()


def test_some_of_them(pick):
    found = next(instances(filled(pick), 1, absent=False))
    assert found.where(found.own > 0).own.tolist() == [0.5, 0.5]
