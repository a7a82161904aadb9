import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.judge.bayesian_semantic import bayesian_semantic, over_all_laws
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors import ProductPrior, TablePrior, UniformPrior
from deniable.universe import Universe


@pytest.mark.parametrize("chance", [1e-300, 1e-6, 0.5, 1 - 1e-12])
def test_beliefs_are_free_of_the_law(flip, chance):
    """The law of one record says nothing about the unknown records: there are none."""
    expected = math.tanh(math.log(2) / 4)
    assert bayesian_semantic(flip, ProductPrior([chance])) == pytest.approx(expected)
    assert over_all_laws(flip) == pytest.approx(expected)


def test_all_or_nobody():
    """Nothing known: the ratio is 4; each of the two alone never moves it by more than 2."""
    rows = [[0.1, 0.9], [0.2, 0.8], [0.2, 0.8], [0.4, 0.6]]
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    together = TablePrior([[False, False], [True, True]], [0.5, 0.5])
    assert bayesian_semantic(matrix, together) == pytest.approx(1 / 3)
    assert bayesian_semantic(matrix, UniformPrior(2)) == pytest.approx(math.tanh(math.log(2) / 4))
    assert over_all_laws(matrix) == pytest.approx(1 / 3)


def test_a_certain_entity_has_nothing_to_compare():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[1, 0], [0, 1]])
    assert bayesian_semantic(matrix, ProductPrior([1.0])) == 0.0
    assert bayesian_semantic(matrix, ProductPrior([0.0])) == 0.0
    assert bayesian_semantic(matrix, ProductPrior([0.5])) == 1.0


def test_an_output_that_absence_rules_out():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[1, 0], [0.5, 0.5]])
    assert bayesian_semantic(matrix, ProductPrior([0.5])) == over_all_laws(matrix) == 1.0


def test_an_output_that_never_occurs():
    matrix = StochasticMatrix(Universe(("a",)), ("x", "y"), [[1, 0], [1, 0]])
    assert bayesian_semantic(matrix, ProductPrior([0.5])) == over_all_laws(matrix) == 0.0


def test_a_useless_mechanism(constant):
    assert bayesian_semantic(constant, UniformPrior(2)) == pytest.approx(0.0, abs=1e-15)
    assert over_all_laws(constant) == 0.0


def test_only_subsets_that_the_law_allows_are_needed(pick):
    law = TablePrior([[True, False, False], [False, True, False]], [0.5, 0.5])
    assert 0 < bayesian_semantic(pick, law) <= 1
    assert over_all_laws(pick) is None
    with pytest.raises(InvalidArgument, match=r'allows, got none of ""\. Add its row\.'):
        bayesian_semantic(pick, UniformPrior(3))


def test_too_many_known_sets():
    matrix = StochasticMatrix(Universe(tuple("abcdefghijk")), ("x",), np.ones((2048, 1)))
    with pytest.raises(InvalidArgument, match="at most 10 entities to try all known sets of"):
        bayesian_semantic(matrix, UniformPrior(11))
    assert over_all_laws(matrix) == 0.0
