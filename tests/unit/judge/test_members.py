import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.judge.members import attained, is_member, pair, settled, weights_of

THIRD, HALF = Fraction(1, 3), Fraction(1, 2)


def shares(weights):
    total = sum(map(Fraction, weights.values()))
    return {entity: Fraction(weight) / total for entity, weight in weights.items()}


@pytest.mark.parametrize(
    ("chances", "ends"),
    [
        ({0: 8e-24, 1: 1.0}, (Fraction(2e-19), Fraction(1))),
        ({0: 1.0, 1: 1e-300}, (Fraction(1e-300), Fraction(1))),
        ({0: 1e-30, 1: 1.0}, (Fraction(0), 1 - Fraction(1, 2**53))),
        ({0: 0.3, 1: 0.3, 2: 0.3, 3: 0.1}, (Fraction(0), Fraction(0.3))),
        ({0: 0.5, 1: 0.5}, (Fraction(0.5), Fraction(0.7))),
    ],
)
def test_shares_are_brought_between_the_ends(chances, ends):
    found = settled(chances, ends)
    assert all(ends[0] <= share <= ends[1] for share in shares(found).values())
    assert found == pytest.approx(chances, abs=1e-12)


def test_thirds_that_floats_cannot_write_down():
    point = Fraction(1 / 3)
    found = settled(dict.fromkeys(range(3), 1 / 3), (point, point))
    assert set(found.values()) == {1 / 3}


def test_what_no_rounding_explains():
    assert settled({0: 0.5, 1: 0.5}, (Fraction(0), Fraction(0.4))) is None
    assert settled({0: 0.5, 1: 0.5}, (Fraction(0.6), Fraction(1))) is None


@pytest.mark.parametrize("chance", [0.0, 1e-300, 2e-19, 0.3, 1 - 2**-53, 1.0])
def test_a_pair_lies_between_its_ends(chance):
    for ends in ((Fraction(2e-19), 1 - Fraction(1, 2**53)), (Fraction(1e-300), HALF)):
        first, second = map(Fraction, pair(chance, ends))
        assert ends[0] <= first / (first + second) <= ends[1]


def test_membership_is_exact():
    weights = weights_of(np.array([0.0, 1.0, 2e-19, 0.0]))
    assert not is_member(weights, 2, (Fraction(2e-19), Fraction(1)))
    assert is_member(weights, 2, (Fraction(1e-19), Fraction(1)))
    assert is_member(weights, 2, (Fraction(2e-19), Fraction(1)), Fraction(1, 2**40))
    assert is_member({3: Fraction(1)}, 2, (HALF, HALF))


def test_what_a_prior_shows():
    weights = {0: HALF, 1: HALF}
    assert attained(weights, np.array([0.25, 0.75]), 0) == 2.0
    assert attained(weights, np.array([0.0, 0.75]), 0) == math.inf
    assert attained(weights, np.array([0.0, 0.0]), 0) == 1.0
    assert attained({1: HALF}, np.array([0.25, 0.75]), 0) == 1.0
    thirds = attained({0: 2 * THIRD, 1: THIRD}, np.array([0.25, 0.75]), 0)
    assert Fraction(thirds) <= Fraction(9, 5) < Fraction(math.nextafter(thirds, 2))
