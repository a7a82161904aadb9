"""One worked example of each function that modules of the rules share."""

from fractions import Fraction

from deniable.rules.joint import whole_law
from deniable.rules.numbers import fraction, power_above
from deniable.rules.relations import product


def test_numbers_are_read_as_they_are_meant_and_shown_rounded_up():
    assert fraction(0.05, "a prior") == Fraction(1, 20)
    assert fraction("1/3", "a prior") == Fraction(1, 3)
    assert (power_above(-1204.12), power_above(-0.01)) == ("-1204.1", "0")


def test_laws_and_likelihoods():
    assert whole_law(3, Fraction(1, 2), 1, 3) == [6, 6, 2]
    runs = product([(0, 5, Fraction(1, 2))], [(3, 9, Fraction(1, 3))])
    assert runs == ((3, 5, Fraction(1, 6)),)
