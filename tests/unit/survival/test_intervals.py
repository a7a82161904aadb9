"""Intervals at the ends of the range, the band beside simulation, quantiles by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import chdtrc

from deniable.mechanisms import DiscreteGaussian
from deniable.notions import Adjacency
from deniable.survival.curve import (
    Z_95,
    Spread,
    band_z,
    falling,
    first_time,
    interval,
    quadratic_form,
)
from deniable.survival.log_rank import chi_squared_tail
from deniable.survival.measuring import Measuring
from deniable.survival.table import Group, Layout


def inside(s, value, people, noise, z):
    return (value - s) ** 2 <= z * z * (s * (1 - s) / people + noise)


@pytest.mark.parametrize("value", [0.0, 0.01, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("people", [0.5, 7.0, 1e4])
@pytest.mark.parametrize("noise", [0.0, 1e-4, 0.3])
def test_an_interval_is_all_shares_that_satisfy_the_inequality(value, people, noise):
    low, high = interval(value, people, noise, Z_95)
    assert 0 <= low <= value <= high <= 1
    for s in np.linspace(0, 1, 4001):
        if min(abs(s - low), abs(s - high)) > 1e-9:
            assert inside(s, value, people, noise, Z_95) == (low < s < high)


def test_without_noise_it_is_wilsons():
    low, high = interval(0.3, 50, 0.0, Z_95)
    centre = (0.3 + Z_95**2 / 100) / (1 + Z_95**2 / 50)
    assert math.isclose((low + high) / 2, centre, rel_tol=1e-12)


def test_nobody_at_risk_leaves_everything_open():
    assert interval(0.5, 0, 0.0, Z_95) == (0.0, 1.0)


def as_sampling(times):
    """Correlations of a curve by sampling alone, with as much variance in each bin."""
    variances = np.arange(1.0, times + 1)
    return np.minimum.outer(variances, variances)


def as_powers(times, correlation):
    places = np.arange(times)
    return float(correlation) ** np.abs(np.subtract.outer(places, places))


CHAINS = {
    "two": as_powers(2, 0.9),
    "two that differ": np.array([[1, -0.9], [-0.9, 1]]),
    "six": as_powers(6, 0.7),
    "sampling, 12": as_sampling(12),
    "sampling, 24": as_sampling(24),
    "independent": np.eye(5),
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_band_of_normal_numbers_is_left_in_five_per_cent(name):
    covariance = np.array(CHAINS[name], float)
    times, z = len(covariance), band_z(covariance)
    bonferroni = brentq(lambda x: times * math.erfc(x / math.sqrt(2)) - 0.05, 1, 5)
    assert Z_95 < z < bonferroni
    draws = np.random.default_rng(4).multivariate_normal(np.zeros(times), covariance, 100_000)
    outside = (np.abs(draws / np.sqrt(np.diagonal(covariance))).max(axis=1) > z).mean()
    # Five deviations of 100,000 draws are 0.0034; that of the bound by pairs would be 0.037 at 24.
    assert abs(outside - 0.05) <= 0.0034


@pytest.mark.parametrize("design", ["cells", "circle"])
@pytest.mark.parametrize("people", [20, 2_000])
def test_with_noise_a_band_is_left_no_more_often(design, people):
    """Errors by noise depend on times before the last one, too; little, and on the safe side."""
    group, layout = Group((people,) * 12, (people,) * 12, people), Layout(1, 12)
    measuring = Measuring(layout, design, Adjacency.REPLACE_ONE, gaussian=True)
    noise = DiscreteGaussian(15 * measuring.parts()[-1].l2)
    spread = Spread.of(group, "half")
    by_noise = quadratic_form(spread.gradients, measuring.covariances([noise]))
    covariance = spread.covariance_with(by_noise)
    draws = np.random.default_rng(4).multivariate_normal(np.zeros(12), covariance, 200_000)
    scaled = np.abs(draws / np.sqrt(np.diagonal(covariance))).max(axis=1)
    outside = (scaled > band_z(covariance)).mean()
    assert 0.042 <= outside <= 0.05 + 0.0024


def test_a_band_of_one_time_is_an_interval_and_no_variance_is_no_correlation():
    assert 0 <= band_z(np.eye(1)) - Z_95 < 2.0**-10
    assert band_z(np.zeros((3, 3))) == band_z(np.eye(3))
    assert band_z(np.ones((2, 2))) - Z_95 < 0.04  # as if the correlation were 0.995


def test_many_times_that_are_nearly_one_get_a_band_that_is_wide_enough():
    covariance = as_sampling(200)
    draws = np.random.default_rng(5).standard_normal((20_000, 200)).cumsum(axis=1)
    scaled = np.abs(draws / np.sqrt(np.arange(1, 201))).max(axis=1)
    # Five deviations of 20,000 draws are 0.0077.
    assert 0.04 <= (scaled > band_z(covariance)).mean() <= 0.05 + 0.0077


def test_times_of_quantiles():
    half = Fraction(1, 2)
    # Six events a month apart of six people: at 3 the curve is exactly ½.
    values = [Fraction(6 - k, 6) for k in range(1, 7)]
    assert first_time([1, 2, 3, 4, 5, 6], values, half) == 3
    assert first_time([10, 20], [Fraction(3, 4), Fraction(3, 5)], half) is None
    assert first_time([10, 20], [Fraction(3, 4), None], half) is None
    # To 0 the curve falls by equal steps, elsewhere by equal shares.
    assert first_time([10], [Fraction(0)], half) == 5
    assert math.isclose(first_time([10], [Fraction(1, 4)], half), 5, rel_tol=1e-15)
    between = first_time([10, 30], [Fraction(4, 5), Fraction(2, 5)], half)
    assert math.isclose(between, 10 + 20 * math.log(1.6) / math.log(2), rel_tol=1e-15)


def test_limits_never_rise():
    assert falling([0.9, 0.5, 0.6, 0.4]) == [0.9, 0.5, 0.5, 0.4]


@pytest.mark.parametrize("degrees", range(1, 9))
def test_the_tail_of_chi_squared(degrees):
    for value in (0.0, 0.3, 2.0, 9.0, 40.0):
        assert math.isclose(chi_squared_tail(value, degrees), chdtrc(degrees, value), rel_tol=1e-12)
