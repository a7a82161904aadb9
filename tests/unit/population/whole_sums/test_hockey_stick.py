import math

import numpy as np
import pytest

from deniable.population.whole_sums.hockey_stick import least_epsilons

P, Q = [0.6, 0.3, 0.1], [0.2, 0.3, 0.5]
NOTHING = np.zeros((2, 1))


def stick(epsilon):
    return max(
        sum(max(a - math.exp(epsilon) * b, 0) for a, b in zip(*pair, strict=True))
        for pair in ((P, Q), (Q, P))
    )


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.31])
def test_by_the_definition(delta):
    laws = np.array([[P], [Q]])
    lower, upper = least_epsilons(laws, laws, NOTHING, delta)
    assert upper[0] - lower[0] < 1e-13
    assert stick(upper[0] + 1e-12) <= delta < stick(lower[0] - 1e-9)


def test_total_variation_needs_no_epsilon():
    laws = np.array([[P], [Q]])
    lower, upper = least_epsilons(laws, laws, NOTHING, 0.41)
    assert (lower[0], upper[0]) == (0.0, 0.0)


def test_wider_laws_and_missing_mass_widen():
    laws = np.array([[P], [Q]])
    lower, upper = least_epsilons(laws, laws, NOTHING, 0.1)
    wide = least_epsilons(laws * 0.999, laws * 1.001, NOTHING, 0.1)
    missing = least_epsilons(laws, laws, NOTHING + 0.01, 0.1)
    assert wide[0][0] < lower[0]
    assert upper[0] < wide[1][0]
    assert missing[0][0] == lower[0]
    assert upper[0] < missing[1][0]


def test_disjoint_laws_have_no_finite_epsilon():
    laws = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    assert least_epsilons(laws, laws, NOTHING, 0.5)[1][0] == math.inf
