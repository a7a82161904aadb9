"""Small values of functions that several modules share."""

from deniable.notions import ApproxDP
from deniable.notions.notation import example_wish, form_of, parse, wish


def test_a_text_is_read_and_written():
    assert parse("pure-dp:1@add-remove").spec == "pure-dp:1.0@add-remove"


def test_a_wish_keeps_what_is_written():
    assert wish("approx-dp:1.0,?").fixed["epsilon"] == 1.0


def test_the_first_of_two_claims_is_wished_for():
    assert example_wish(form_of(ApproxDP)) == "approx-dp:?,1e-6"
