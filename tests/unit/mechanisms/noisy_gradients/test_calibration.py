"""The least noise multiplier as a user meets it."""

import pytest

from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.mechanisms.noisy_gradients import (
    Phase,
    calibration,
    least_noise_multiplier,
    privacy_curve,
)
from deniable.notions import Adjacency, Advantage, ApproxDP
from tests.cases.effort import usual

OUT = Adjacency.ADD_REMOVE


def test_the_answer_meets_the_target_and_what_is_necessary_does_not():
    found = least_noise_multiplier(ApproxDP(1.0, 1e-5, OUT), sample_rate=0.01, steps=100)
    enough = privacy_curve([Phase(found.noise_multiplier, 0.01, 100)], gap=1e-4).delta(1.0)
    little = privacy_curve([Phase(found.necessary, 0.01, 100)], gap=1e-4).delta(1.0)
    assert enough.lower <= 1e-5 < little.upper
    assert found.noise_multiplier <= 1.001 * found.necessary


def test_a_target_of_data_of_one_size_is_refused():
    with pytest.raises(InvalidArgument, match="add-remove"):
        least_noise_multiplier(Advantage(0.1), sample_rate=0.01, steps=100)


def test_a_target_that_no_noise_meets_is_refused():
    with pytest.raises(InfeasibleTarget, match="up to 16384 is proved to meet"):
        least_noise_multiplier(Advantage(0.0, OUT), sample_rate=0.01, steps=100)


def test_where_any_noise_will_do_none_is_too_little(monkeypatch):
    least = usual(1.0, 2.0**-4)  # the less noise is tried, the longer the curves take
    monkeypatch.setattr(calibration, "_LEAST", least)
    found = least_noise_multiplier(Advantage(0.9, OUT), sample_rate=1e-6, steps=1)
    assert least < found.noise_multiplier < 1.6 * least
    assert found.necessary == 0.0
