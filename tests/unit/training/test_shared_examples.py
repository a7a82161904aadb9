"""Small values of functions that several modules share."""

from decimal import ROUND_CEILING, ROUND_FLOOR

from deniable.notions.training import Phase
from deniable.training.certify import stated
from deniable.training.history import (
    notion_of_training,
    read_history,
    schedule_of_options,
    validate_engine,
)


def test_two_noises_are_one_notion():
    training = notion_of_training([Phase(1.0, 0.5, 3), Phase(2.0, 0.5, 1)])
    assert training.spec == "privacy-curve:0.5,1.0,3@add-remove@then-0.5,2.0,1"


def test_an_engine_that_draws_fresh_noise():
    assert validate_engine("opacus") == "opacus"


def test_rows_of_the_same_step_are_one_phase():
    rows = [(1.0, 0.03125, 160), (1.0, 0.03125, 160)]
    assert read_history(rows) == (Phase(noise_multiplier=1.0, sample_rate=0.03125, steps=320),)


def test_steps_of_thirty_epochs():
    assert schedule_of_options(None, None, 60000, 256, 30).steps == 7050


def test_six_digits_on_the_safe_side():
    assert (stated(0.12345678, ROUND_CEILING), stated(0.5, ROUND_CEILING)) == (0.123457, 0.5)
    assert stated(0.12345678, ROUND_FLOOR) == 0.123456
