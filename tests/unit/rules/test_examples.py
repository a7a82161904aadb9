"""One worked example of each function that modules of the rules share."""

import math
import re
from fractions import Fraction

import pytest

from deniable.rules import judgement_lines
from deniable.rules.joint import whole_law
from deniable.rules.numbers import fraction, power_above
from deniable.rules.relations import product
from deniable.rules.values import ValueVerdict


def test_numbers_are_read_as_they_are_meant_and_shown_rounded_up():
    assert fraction(0.05, "a prior") == Fraction(1, 20)
    assert fraction("1/3", "a prior") == Fraction(1, 3)
    assert (power_above(-1204.12), power_above(-0.01)) == ("-1204.1", "0")


@pytest.mark.parametrize("tenths", range(1, 3000, 7))
def test_a_power_of_ten_is_never_shown_below_itself(tenths):
    for power in (-tenths / 10, *(math.nextafter(-tenths / 10, end) for end in (0.0, -math.inf))):
        shown = Fraction(power_above(power))
        assert Fraction(power) <= shown < Fraction(power) + Fraction(1, 10)


@pytest.mark.parametrize("digits", ["0.12345", "0.98765", "0.00010001", "0.5"])
def test_a_belief_on_a_line_is_never_below_the_belief(digits):
    """The fraction may lie above a short decimal by less than floats tell."""
    for more in (Fraction(0), Fraction(1, 10**30)):
        belief = Fraction(digits) + more
        verdict = ValueVerdict(
            "a", ("x",), ("y",), 0, 9, "integers", belief, (belief, belief), "kept"
        )  # fmt: skip
        line = judgement_lines._value(verdict)
        after, before = re.findall(r"(?:best guess|before) ([0-9.]+)", line)
        assert after == before
        assert belief <= Fraction(after) < belief + Fraction(1, 10**5)


def test_laws_and_likelihoods():
    assert whole_law(3, Fraction(1, 2), 1, 3) == [6, 6, 2]
    runs = product([(0, 5, Fraction(1, 2))], [(3, 9, Fraction(1, 3))])
    assert runs == ((3, 5, Fraction(1, 6)),)
