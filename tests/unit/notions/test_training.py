"""Phases of a training: what they take."""

import math

import pytest

from deniable.errors import InvalidArgument
from deniable.notions.training import Phase


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sample_rate": 0}, "0 < sample_rate <= 1"),
        ({"sample_rate": 1.01}, "sample_rate"),
        ({"sample_rate": 1e-300}, "sample_rate >= 1e-12"),
        ({"sample_rate": math.nan}, "sample_rate"),
        ({"noise_multiplier": 0}, "noise_multiplier > 0"),
        ({"noise_multiplier": math.inf}, "noise_multiplier to be finite"),
        ({"steps": 0}, "steps >= 1"),
        ({"steps": 1.5}, "steps to be a whole number"),
        ({"steps": "12"}, "steps"),
    ],
)
def test_a_phase_refuses_what_is_out_of_range(wrong, message):
    numbers = {"noise_multiplier": 1.0, "sample_rate": 0.5, "steps": 3} | wrong
    with pytest.raises(InvalidArgument, match=message):
        Phase(**numbers)
