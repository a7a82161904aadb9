"""Small values of functions that several commands share."""

from fractions import Fraction

from deniable.cli.mistakes import with_options
from deniable.cli.output import printable
from deniable.rules.design_lines import chance
from deniable.rules.numbers import Chance


def test_a_message_names_options():
    message = with_options("Expected gamma >= 1, got gamma=0.5.", {"gamma": "--gamma"})
    assert message == "Expected --gamma >= 1, got --gamma 0.5."


def test_a_terminal_obeys_nothing():
    assert printable("rs1\x1b[2J\tb") == "rs1\ufffd[2J b"


def test_small_chances_are_powers_of_ten():
    small = Fraction(1, 2**4000)
    assert chance(Chance.between(small, small)) == "10^-1204.1"
