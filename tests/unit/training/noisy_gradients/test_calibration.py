"""The least noise multiplier as a user meets it."""

import pytest

from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.notions import Adjacency, Advantage, ApproxDP
from deniable.training.noisy_gradients import (
    Phase,
    least_noise_multiplier,
    privacy_curve,
)
from tests.cases.refusals import refuses

OUT = Adjacency.ADD_REMOVE


def test_the_answer_meets_the_target_and_what_is_necessary_does_not():
    found = least_noise_multiplier(ApproxDP(1.0, 1e-5, OUT), sample_rate=0.01, steps=100)
    enough = privacy_curve([Phase(found.noise_multiplier, 0.01, 100)], gap=1e-4).delta(1.0)
    little = privacy_curve([Phase(found.necessary, 0.01, 100)], gap=1e-4).delta(1.0)
    assert enough.lower <= 1e-5 < little.upper
    assert found.noise_multiplier <= 1.001 * found.necessary


def test_a_target_of_data_of_one_size_is_refused():
    with refuses(InvalidArgument, "with-add-remove-adjacency"):
        least_noise_multiplier(Advantage(0.1), sample_rate=0.01, steps=100)


def test_a_target_that_no_noise_meets_is_refused():
    with refuses(InfeasibleTarget, "up-to-proved-to-meet: 16384"):
        least_noise_multiplier(Advantage(0.0, OUT), sample_rate=0.01, steps=100)


@pytest.mark.parametrize(
    "of",
    [lambda p: Advantage(p, OUT), lambda p: ApproxDP(1.0, p, OUT)],
    ids=["advantage", "delta"],
)
def test_what_holds_of_a_record_that_is_hardly_ever_in_a_step_needs_no_noise(of):
    in_some_step = 1 - 0.75**3
    found = least_noise_multiplier(of(in_some_step * 1.001), sample_rate=0.25, steps=3)
    assert found.noise_multiplier < 0.1
    assert found.necessary == 0.0
    curve = privacy_curve([Phase(found.noise_multiplier, 0.25, 3)], gap=1e-2)
    assert curve.advantage().lower <= in_some_step
    assert curve.delta(1.0).lower <= in_some_step


@pytest.mark.parametrize(
    ("rate", "steps"),
    [(0, 10), (-1, 10), (1e-15, 1), ("x", 1), (1e-9, 0), (1e-9, -5), (1e-9, 2.5), (1e-9, 10**400)],
)
def test_numbers_that_are_no_training_s_are_refused_before_anything_holds_of_them(rate, steps):
    with pytest.raises(InvalidArgument):
        least_noise_multiplier(Advantage(0.1, "add-remove"), sample_rate=rate, steps=steps)
