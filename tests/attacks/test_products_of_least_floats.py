"""Prior times likelihood below the floats: the γ under one prior keeps its digits."""

import itertools
from fractions import Fraction

import pytest

from deniable.judge.verify import verify

LEAST = 5e-324
TINY = (0.0, LEAST, 3e-320, 1e-300, 1e-160, 0.25)
CHANCES = (LEAST, 3e-320, 1e-300, 1e-20, 0.25)


def truth(rows, prior, *, positive):
    """The least γ over outputs, in fractions; None where it is infinite."""
    chances = [Fraction(prior[""]), Fraction(prior["a"])]
    total, worst = sum(chances), Fraction(1)
    for seen in zip(rows[""], rows["a"], strict=True):
        both = [p * Fraction(x) for p, x in zip(chances, seen, strict=True)]
        if not positive:
            both.reverse()
        out, inside = chances if positive else chances[::-1]
        if not sum(both):
            continue
        if not both[0]:
            return None
        rise = both[1] * total / (inside * sum(both))
        worst = max(worst, rise, out * sum(both) / (total * both[0]))
    return worst


@pytest.mark.parametrize("chance", CHANCES)
def test_one_entity(chance):
    for one, other, swapped in itertools.product(TINY, TINY, (False, True)):
        rows = {"": [0.0, one, 1 - one], "a": [0.0, other, 1 - other]}
        prior = {"": 1 - chance, "a": chance}
        if swapped:
            prior = {"": chance, "a": 1 - chance}
        spec = {"universe": ["a"], "outputs": ["0", "1", "2"], "rows": rows}
        found = verify(spec, "table", table=prior)
        for gamma, positive in ((found.positive_gamma, True), (found.negative_gamma, False)):
            exact = truth(rows, prior, positive=positive)
            if exact is None or exact > Fraction(2) ** 1024:
                assert gamma == float("inf")
            elif gamma == float("inf"):
                assert exact > Fraction(2) ** 1023
            else:
                assert abs(Fraction(gamma) / exact - 1) < Fraction(1, 2**48)


@pytest.mark.parametrize("scale", [LEAST, 1e-300])
def test_the_sum_over_another_entity(scale):
    """With a second entity that says nothing, γ of the first is that of the first alone."""
    alone = {"": [LEAST, 1.0], "a": [1e-300, 1.0]}
    pair = {"": alone[""], "a": alone["a"], "b": alone[""], "a,b": alone["a"]}
    prior = {"": 0.5, "b": 0.5, "a": scale, "a,b": scale}
    spec = {"universe": ["a", "b"], "outputs": ["0", "1"], "rows": pair}
    found = verify(spec, "table", table=prior).positive_gamma
    exact = truth(alone, {"": 1.0, "a": 2 * scale}, positive=True)
    assert abs(Fraction(found) / exact - 1) < Fraction(1, 2**48)
