import math

import pytest

from deniable.judge.dp import AddRemove, add_remove, replace_one_epsilon


def test_halves(flip):
    found = add_remove(flip)
    assert found.positive == pytest.approx(math.log(2), rel=1e-15)
    assert found.negative == pytest.approx(math.log(1.5), rel=1e-15)
    assert found.epsilon == found.positive >= math.log(2)


def test_one_entity_cannot_be_replaced(flip):
    assert replace_one_epsilon(flip) == 0.0


def test_a_deterministic_mechanism(parity):
    assert add_remove(parity) == AddRemove(math.inf, math.inf)
    assert replace_one_epsilon(parity) == 0.0


def test_a_useless_mechanism(constant):
    assert add_remove(constant).epsilon == replace_one_epsilon(constant) == 0.0


def test_sizes_that_lack(pick):
    assert add_remove(pick) is None
    assert replace_one_epsilon(pick) == math.inf
