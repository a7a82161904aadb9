"""Small values of functions that several modules share."""

from fractions import Fraction

from deniable.errors.late import late
from deniable.errors.public_names import nearest
from deniable.errors.validate import begins_formula, format_value, guard_formula


def test_a_late_module_is_the_module():
    assert late("fractions").Fraction("0.5") == Fraction(1, 2)


def test_what_a_spreadsheet_computes():
    texts = ("=1+1", "\uff0b1", "\t=1", "rs1", "-")
    assert [begins_formula(each) for each in texts] == [True, True, True, False, False]


def test_a_guard_can_be_taken_away():
    assert [guard_formula(each) for each in ("=1+1", "'=1+1", "it's")] == [
        "'=1+1", "''=1+1", "it's",
    ]  # fmt: skip


def test_values_in_a_message_are_short():
    assert format_value("four") == "'four'"
    assert format_value(10**400) == f"1{'0' * 59}…"


def test_a_word_that_was_meant():
    assert nearest("Add_Remove", ["add-remove", "replace-one"]) == "add-remove"
    assert nearest("average", ["mean", "sum"], {"average": "mean"}) == "mean"
