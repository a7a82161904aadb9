"""Small mechanisms whose figures can be worked out by hand."""

import numpy as np
import pytest

from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.universe import Universe


@pytest.fixture
def flip():
    """One entity: Pr[yes] is 1/4 without and 1/2 with it."""
    return StochasticMatrix(Universe(("a",)), ("no", "yes"), [[0.75, 0.25], [0.5, 0.5]])


@pytest.fixture
def parity():
    """Two entities: publishes whether their number is odd."""
    return StochasticMatrix(Universe(("a", "b")), ("even", "odd"), [[1, 0], [0, 1], [0, 1], [1, 0]])


@pytest.fixture
def constant():
    """Two entities and an output that says nothing, and one that never comes."""
    return StochasticMatrix(Universe(("a", "b")), ("x", "y", "z"), [[0.5, 0.5, 0.0]] * 4)


@pytest.fixture
def pick():
    """Three entities, one in: names it with probability 1/2, else the one after it."""
    rows = np.full((8, 3), np.nan)
    rows[[1, 2, 4]] = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]
    return StochasticMatrix(Universe(("a", "b", "c")), ("A", "B", "C"), rows)
