import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteLaplace
from deniable.population.whole_sums import laplace
from deniable.population.whole_sums.laws import SumLaws


def point_laws():
    """In: surely 0; out: surely 2; columns 0 to 2."""
    logs = np.full((2, 1, 3), -np.inf)
    logs[0, 0, 0] = logs[1, 0, 2] = 0.0
    nothing = np.full((2, 1), -np.inf)
    return SumLaws(logs, logs, nothing, nothing)


def test_a_point_becomes_the_noise():
    low, high = laplace.noisy_law(point_laws(), 0.5)
    noise = DiscreteLaplace(2.0)
    inside = noise.pmf([0, 1, 2]).tolist()
    tails = [noise.tail(0) / 2, noise.tail(2) / 2]
    assert high[0, 0] == pytest.approx(inside + tails, rel=1e-12)
    assert np.all(low <= high)
    assert low[0, 0].sum() <= 1 <= high[0, 0].sum()


def test_two_points_are_told_apart_by_their_distance():
    lower, upper = laplace.largest_losses(point_laws(), 0.5)
    assert lower[0] <= 1.0 <= upper[0] <= lower[0] + 1e-12


def test_what_lies_beyond_is_contained():
    """One tenth at 5, beyond the columns: the high end covers it at every column and at 5."""
    laws = point_laws()
    beyond = np.array([[math.log(0.1) + 0.5 * 3], [-np.inf]])
    low, high = laplace.noisy_logs(SumLaws(laws.low, laws.high, laws.below, beyond), 0.5)
    for t in range(3):
        truth = math.log(math.exp(-0.5 * t) + 0.1 * math.exp(-0.5 * (5 - t)))
        assert low[0, 0, t] <= truth <= high[0, 0, t]
    at_five = math.log(math.exp(-0.5 * 5) + 0.1)
    assert at_five <= high[0, 0, 2] - 0.5 * 3 + 1e-12


@pytest.mark.parametrize("rate", [0.3, 2.0, 9.0])
def test_noise_is_added_by_its_definition(rate):
    """A gap of a hundred columns: at rate 9 its middle is e^−450 of the rest, of which the square
    root of the least float64 is e^−372; at any rate the sums are those of the definition."""
    chances = np.zeros((2, 2, 201))
    chances[:, :, [0, 3, 150, 200]] = [[[3, 1, 5, 1], [1, 1, 1, 7]], [[2, 2, 2, 4], [9, 0, 1, 0]]]
    with np.errstate(divide="ignore"):
        logs = np.log(chances / 10)
    nothing = np.full((2, 2), -np.inf)
    low, high = laplace.noisy_logs(SumLaws(logs, logs, nothing, nothing), rate)
    away = -rate * np.abs(np.subtract.outer(np.arange(201), np.arange(201)))
    truth = np.logaddexp.reduce(logs[:, :, None] + away, axis=3)
    assert np.all(low <= truth + 1e-12 * np.abs(truth))
    assert np.all(truth - 1e-12 * np.abs(truth) <= high)
    assert np.all(high - low < 1e-10)


def test_sums_far_below_float64_keep_their_digits():
    """The only sums lie 2,000 columns apart: between them both laws fall to e^−3000."""
    logs = np.full((2, 1, 2001), -np.inf)
    logs[0, 0, 0] = logs[1, 0, 0] = logs[1, 0, 2000] = -math.log(2)
    nothing = np.full((2, 1), -np.inf)
    low, high = laplace.noisy_logs(SumLaws(logs, logs, nothing, nothing), 3.0)
    assert low[0, 0, 1000] == pytest.approx(-3000 - math.log(2), rel=1e-12)
    assert high[1, 0, 1000] == pytest.approx(-3000, rel=1e-12)


def test_what_one_target_is_does_not_move_another():
    rng = np.random.default_rng(6)
    logs = rng.normal(0, 20, (2, 3, 40))
    nothing = np.full((2, 3), -np.inf)
    together = laplace.largest_losses(SumLaws(logs, logs, nothing, nothing), 0.2)
    for at in range(3):
        some = [each[:, [at]] for each in (logs, logs, nothing, nothing)]
        alone = laplace.largest_losses(SumLaws(*some), 0.2)
        assert [end[0] for end in alone] == [end[at] for end in together]
