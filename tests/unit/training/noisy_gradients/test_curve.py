"""The enclosed curve as a user meets it."""

import math

import pytest
from scipy.special import ndtr

from deniable.errors import InvalidArgument
from deniable.training.noisy_gradients import Phase, privacy_curve
from deniable.training.noisy_gradients.curve import Direction
from tests.cases.refusals import refuses


def gaussian_delta(mu, epsilon):
    return ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(("sigma", "steps"), [(1.0, 1), (3.0, 9), (100.0, 10_000)])
def test_without_sampling_it_is_the_curve_of_one_gaussian(sigma, steps):
    curve = privacy_curve([Phase(sigma, 1.0, steps)])
    for epsilon in (0.0, 0.5, 2.0, 5.0):
        for direction in Direction:
            found = curve.delta(epsilon, direction)
            assert found.lower <= gaussian_delta(math.sqrt(steps) / sigma, epsilon) <= found.upper
            assert found.upper <= 1.05 * found.lower


def test_both_sides_are_as_near_as_was_asked():
    found = privacy_curve([Phase(1.0251, 0.002, 10_000)], gap=1e-3).advantage()
    assert found.upper - found.lower <= 1e-3 * found.lower
    assert 0.0998 < found.lower <= found.upper < 0.1001


def test_equal_phases_are_one_whatever_their_order():
    one, other = Phase(1.0, 0.01, 60), Phase(2.0, 0.02, 50)
    parts = [Phase(1.0, 0.01, 40), other, Phase(1.0, 0.01, 20)]
    assert privacy_curve(parts).schedule == privacy_curve([one, other]).schedule


def test_wrong_schedules_are_refused():
    with refuses(InvalidArgument, "at-least-one-phase"):
        privacy_curve([])
    with refuses(InvalidArgument, "schedule-of-phases: tuple"):
        privacy_curve([(1.0, 0.1, 10)])
    with refuses(InvalidArgument, "not-between-0-and-1: gap"):
        privacy_curve([Phase(1.0, 0.1, 10)], gap=0.0)
    with refuses(InvalidArgument, "epsilon-at-least-0"):
        privacy_curve([Phase(1.0, 0.1, 10)]).delta(-1.0)
