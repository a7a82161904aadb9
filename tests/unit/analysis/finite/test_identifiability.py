import math

import numpy as np
import pytest

from deniable.analysis.finite.identifiability import (
    identifiability,
    negative_gamma,
    positive_gamma,
    worlds,
)
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.universe import Universe


def test_three_worlds(pick):
    assert dict(identifiability(pick)) == {3: 0.5}
    found = positive_gamma(pick)
    assert found.bound.upper == pytest.approx(1.5)
    assert found.witness.prior == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    assert negative_gamma(pick).bound.upper == math.inf


def test_the_converse_of_theorem_2_is_false(pick):
    """Likelihoods 1, 1, 0 (halved): γ = 3/2 at a = b = 1/3 though no ε holds."""
    assert positive_gamma(pick).bound.upper == pytest.approx(1.5)


def test_a_known_rest_is_never_found_by_subtraction():
    rows = np.full((8, 2), np.nan)
    rows[[1, 2, 4]] = [[0.5, 0.5], [1e-20, 1 - 1e-20], [1e-20, 1 - 1e-20]]
    matrix = StochasticMatrix(Universe(("a", "b", "c")), ("x", "y"), rows)
    assert positive_gamma(matrix).bound.upper == pytest.approx(0.5 / 3 / 1e-20)
    assert worlds(matrix, largest=True).rest[0, 0] == 2e-20


def test_a_useless_mechanism(constant):
    assert dict(identifiability(constant)) == {2: 0.5}
    assert positive_gamma(constant).bound.upper == negative_gamma(constant).bound.upper == 1.0


def test_nobody_to_choose_between(flip):
    assert dict(identifiability(flip)) == {}
    assert positive_gamma(flip) is None
    assert negative_gamma(flip) is None


def test_counts_of_worlds(pick):
    assert worlds(pick, largest=True).count.tolist() == [3, 0, 0, 0, 0, 0, 0, 0]


def test_full_certainty():
    rows = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y", "z"), rows)
    assert dict(identifiability(matrix)) == {2: 1.0}
    assert positive_gamma(matrix).bound.upper == math.inf
