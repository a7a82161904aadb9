"""Small values of functions that several modules share."""

from deniable.mechanisms.continual_counts import (
    STEPS,
    measurement_weights,
    squared_sensitivity,
)
from deniable.notions import Adjacency
from deniable.notions.training import Phase
from deniable.training.noisy_gradients.curve import group_phases


def test_weights_of_earlier_periods():
    assert measurement_weights(4) == (1048576, 419430, 293601, 234881)


def test_sensitivity_of_all_periods_to_one_row():
    one = squared_sensitivity(Adjacency.ADD_REMOVE)
    assert round(float(one) / STEPS**2, 4) == 2.0701


def test_many_phases_become_few():
    schedule = [Phase(1 + i / 10_000, 0.01, 1) for i in range(1000)]
    few = group_phases(schedule, worse=True)
    assert len(few) < 32
    assert sum(phase.steps for phase in few) == 1000
