"""Whole sums with noise: their laws and their divergences."""

import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.integer_sums import least_epsilons, release
from deniable.population.integer_sums.multiset import SumLaws
from deniable.population.integer_sums.release import least_epsilons_of


def test_reach():
    noise = DiscreteGaussian(3.0)
    assert noise.tail(release.reach(noise, 1e-9)) <= 1e-9


@pytest.mark.parametrize("scale", [0.3, 4.0, 60.0])
def test_the_product_is_the_convolution(scale):
    rng, noise = np.random.default_rng(0), DiscreteGaussian(scale)
    law = rng.dirichlet(np.ones(90), (2, 3))
    nothing = np.full((2, 3), -np.inf)
    low, high = release.gaussian_law(
        SumLaws(np.log(law), np.log(law), nothing, nothing), noise, 1e-20
    )
    reach = release.reach(noise, 1e-20)
    weights = noise.pmf(np.arange(-reach, reach + 1))
    for place in np.ndindex(2, 3):
        expected = np.convolve(law[place], weights)
        np.testing.assert_allclose(high[place], expected + 1e-20, rtol=1e-11)
        assert np.all(low[place] <= expected)
        assert np.all(expected <= high[place])


def point_laws():
    """In: surely 0; out: surely 2; columns 0 to 2."""
    logs = np.full((2, 1, 3), -np.inf)
    logs[0, 0, 0] = logs[1, 0, 2] = 0.0
    nothing = np.full((2, 1), -np.inf)
    return SumLaws(logs, logs, nothing, nothing)


def test_a_point_becomes_the_noise():
    low, high = release.laplace_law(point_laws(), 0.5)
    noise = DiscreteLaplace(2.0)
    inside = noise.pmf([0, 1, 2]).tolist()
    tails = [noise.tail(0) / 2, noise.tail(2) / 2]
    assert high[0, 0] == pytest.approx(inside + tails, rel=1e-12)
    assert np.all(low <= high)
    assert low[0, 0].sum() <= 1 <= high[0, 0].sum()


def test_two_points_are_told_apart_by_their_distance():
    lower, upper = release.largest_losses(point_laws(), 0.5)
    assert lower[0] <= 1.0 <= upper[0] <= lower[0] + 1e-12


def test_what_lies_beyond_is_contained():
    """One tenth at 5, beyond the columns: the high end covers it at every column and at 5."""
    laws = point_laws()
    beyond = np.array([[math.log(0.1) + 0.5 * 3], [-np.inf]])
    low, high = release.noisy_logs(SumLaws(laws.low, laws.high, laws.below, beyond), 0.5)
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
    low, high = release.noisy_logs(SumLaws(logs, logs, nothing, nothing), rate)
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
    low, high = release.noisy_logs(SumLaws(logs, logs, nothing, nothing), 3.0)
    assert low[0, 0, 1000] == pytest.approx(-3000 - math.log(2), rel=1e-12)
    assert high[1, 0, 1000] == pytest.approx(-3000, rel=1e-12)


def test_what_one_target_is_does_not_move_another():
    rng = np.random.default_rng(6)
    logs = rng.normal(0, 20, (2, 3, 40))
    nothing = np.full((2, 3), -np.inf)
    together = release.largest_losses(SumLaws(logs, logs, nothing, nothing), 0.2)
    for at in range(3):
        some = [each[:, [at]] for each in (logs, logs, nothing, nothing)]
        alone = release.largest_losses(SumLaws(*some), 0.2)
        assert [end[0] for end in alone] == [end[at] for end in together]


P, Q = [0.6, 0.3, 0.1], [0.2, 0.3, 0.5]


NOTHING = np.zeros((2, 1))


def stick(epsilon):
    return max(
        sum(max(a - math.exp(epsilon) * b, 0) for a, b in zip(*pair, strict=True))
        for pair in ((P, Q), (Q, P))
    )


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.31])
def test_by_the_definition(delta):
    laws = np.array([[P], [Q]])
    lower, upper = least_epsilons(laws, laws, NOTHING, delta)
    assert upper[0] - lower[0] < 1e-13
    assert stick(upper[0] + 1e-12) <= delta < stick(lower[0] - 1e-9)


def test_total_variation_needs_no_epsilon():
    laws = np.array([[P], [Q]])
    lower, upper = least_epsilons(laws, laws, NOTHING, 0.41)
    assert (lower[0], upper[0]) == (0.0, 0.0)


def test_wider_laws_and_missing_mass_widen():
    laws = np.array([[P], [Q]])
    lower, upper = least_epsilons(laws, laws, NOTHING, 0.1)
    wide = least_epsilons(laws * 0.999, laws * 1.001, NOTHING, 0.1)
    missing = least_epsilons(laws, laws, NOTHING + 0.01, 0.1)
    assert wide[0][0] < lower[0]
    assert upper[0] < wide[1][0]
    assert missing[0][0] == lower[0]
    assert upper[0] < missing[1][0]


def test_disjoint_laws_have_no_finite_epsilon():
    laws = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    assert least_epsilons(laws, laws, NOTHING, 0.5)[1][0] == math.inf


def two_points(apart):
    logs = np.full((2, 1, apart + 1), -np.inf)
    logs[0, 0, 0] = logs[1, 0, apart] = 0.0
    nothing = np.full((2, 1), -np.inf)
    return SumLaws(logs, logs, nothing, nothing)


@pytest.mark.parametrize(
    "noise", [DiscreteLaplace(3.0), DiscreteGaussian(3.0), DiscreteGaussian(0.4)]
)
def test_two_points_have_the_curve_of_the_noise(noise):
    lower, upper = least_epsilons_of(two_points(4), noise, 0.013, 4)
    assert noise.delta(upper[0] + 1e-9, 4) <= 0.013 < noise.delta(lower[0] - 1e-9, 4)
    assert upper[0] - lower[0] < 1e-9 * upper[0]


def test_steps_are_units_apart():
    close = least_epsilons_of(two_points(4), DiscreteLaplace(3.0), 0.013, 4)
    wide = least_epsilons_of(two_points(2), DiscreteLaplace(3.0), 0.013, 2, step=2)
    assert close[1][0] == pytest.approx(wide[1][0], rel=1e-12)


def test_laplace_never_exceeds_the_distance():
    lower, upper = least_epsilons_of(two_points(4), DiscreteLaplace(0.001), 0.013, 4)
    assert lower[0] <= upper[0] <= 4000 * (1 + 1e-12)
    assert math.isfinite(upper[0])
