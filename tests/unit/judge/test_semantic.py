import math

import pytest

from deniable.judge.semantic import semantic
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.universe import Universe


def test_one_record_reaches_a_quarter_of_the_loss(flip):
    assert semantic(flip) == pytest.approx(math.tanh(math.log(2) / 4))


def test_two_records_reach_half_of_the_loss():
    """The ratio is 3 one way beside the empty set and 3 the other way beside {b}."""
    rows = [[0.25, 0.75], [0.75, 0.25], [0.75, 0.25], [0.25, 0.75]]
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    assert semantic(matrix) == pytest.approx(math.tanh(math.log(3) / 2))


def test_certainty_is_a_distance_of_1(parity):
    assert semantic(parity) == 1.0


def test_an_output_that_absence_rules_out():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[1, 0], [0.5, 0.5]])
    assert semantic(matrix) == 1.0


def test_a_useless_mechanism(constant):
    assert semantic(constant) == 0.0


def test_sizes_that_lack(pick):
    assert semantic(pick) is None
