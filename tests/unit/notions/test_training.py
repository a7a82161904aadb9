"""Phases of a training: what they take."""

import math

import pytest

from deniable.errors import InvalidArgument
from deniable.notions.training import Phase
from tests.cases.refusals import refuses


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sample_rate": 0}, "0-below-sample-rate-at-most-1"),
        ({"sample_rate": 1.01}, "0-below-sample-rate-at-most-1"),
        ({"sample_rate": 1e-300}, "sample-rate-at-least: 1e-12"),
        ({"sample_rate": math.nan}, "not-a-number: sample_rate"),
        ({"noise_multiplier": 0}, "not-above-0: noise_multiplier"),
        ({"noise_multiplier": math.inf}, "not-finite: noise_multiplier"),
        ({"steps": 0}, "below-least: steps | 1"),
        ({"steps": 1.5}, "not-whole: steps"),
        ({"steps": "12"}, "not-a-number: steps"),
    ],
)
def test_a_phase_refuses_what_is_out_of_range(wrong, message):
    numbers = {"noise_multiplier": 1.0, "sample_rate": 0.5, "steps": 3} | wrong
    with refuses(InvalidArgument, message):
        Phase(**numbers)
