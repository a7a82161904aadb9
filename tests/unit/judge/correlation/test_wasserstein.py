import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from deniable.correlation import wasserstein_infinity, wasserstein_mechanism
from deniable.errors import InvalidArgument
from deniable.mechanisms import Laplace
from tests.cases.refusals import refuses


def coupled(one, other, distance):
    """Whether a coupling keeps within the distance, by linear programming."""
    pairs = [(x, y) for x, y in itertools.product(one, other) if abs(x - y) <= distance]
    if not pairs:
        return False
    rows = [[float(pair[0] == x) for pair in pairs] for x in one]
    rows += [[float(pair[1] == y) for pair in pairs] for y in other]
    sums = [float(p) for p in (*one.values(), *other.values())]
    return linprog(np.zeros(len(pairs)), A_eq=rows, b_eq=sums).status == 0


@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_least_distance_with_a_coupling(seed):
    rng = np.random.default_rng(seed)

    def law():
        values = rng.choice(12, size=rng.integers(1, 5), replace=False)
        weights = rng.integers(1, 5, size=len(values))
        total = int(weights.sum())
        return {int(v): Fraction(int(w), total) for v, w in zip(values, weights, strict=True)}

    one, other = law(), law()
    distances = sorted({abs(x - y) for x, y in itertools.product(one, other)})
    least = next(distance for distance in distances if coupled(one, other, distance))
    assert wasserstein_infinity(one, other) == least == wasserstein_infinity(other, one)


def test_rounding_of_probabilities_moves_nothing():
    third = 1 / 3
    assert (
        wasserstein_infinity(
            {0: third, 5: third, 9: third}, {0: 0.1 * third * 10, 5: third, 9: third}
        )
        == 0
    )
    assert wasserstein_infinity({0: 0.1, 3: 0.2, 9: 0.7}, {0: 0.3 - 0.2, 3: 0.2, 9: 0.7}) == 0


def test_values_without_probability_do_not_count():
    assert wasserstein_infinity({0: 1.0, 99: 0.0}, {1: 1.0}) == 1.0


def test_the_mechanism_covers_the_widest_pair():
    pairs = [({0: 1.0}, {1: 1.0}), ({0: 1.0}, {3: 1.0})]
    assert wasserstein_mechanism(pairs, 0.5) == Laplace(6.0)


def test_arguments_are_checked():
    with refuses(InvalidArgument, "law-that-sums-to-1: 0.9"):
        wasserstein_infinity({0: 0.9}, {0: 1.0})
    with refuses(InvalidArgument, "probabilities-at-least-0: -0.5"):
        wasserstein_infinity({0: 1.5, 1: -0.5}, {0: 1.0})
    with refuses(InvalidArgument, "secret-that-moves-query-none"):
        wasserstein_mechanism([({0: 1.0}, {0: 1.0})], 1.0)
    with refuses(InvalidArgument, "not-above-0: epsilon"):
        wasserstein_mechanism([({0: 1.0}, {1: 1.0})], 0.0)
