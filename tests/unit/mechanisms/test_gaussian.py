"""Gaussian noise, for one number and for sums."""

import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, Gaussian
from deniable.notions import Adjacency, GaussianDP
from deniable.numerics.rounding import directed, lower, upper
from deniable.pipeline.noise.gaussian import LARGEST_SUM, upper_tail
from tests.cases.refusals import refuses
from tests.oracles.privacy_curves import gaussian_delta


def test_density_tail_and_half_width_belong_together():
    noise = Gaussian(2.0)
    x = np.linspace(-40, 40, 80_001)
    assert np.trapezoid(noise.pdf(x), x) == pytest.approx(1, abs=1e-12)
    assert noise.log_pdf(2.0) == pytest.approx(-0.5 - math.log(2 * math.sqrt(2 * math.pi)))
    assert noise.tail(-1.0) == 1.0
    assert noise.half_width(0.95) == pytest.approx(2 * 1.959963984540054)
    assert noise.tail(noise.half_width(0.95)) <= 0.05 + 1e-15
    assert Gaussian(1e300).log_pdf(1e308) < 0 < Gaussian(1e-300).pdf(0.0)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_guarantee_is_gaussian_and_rounded_up(adjacency):
    assert Gaussian(4.0).guarantee(2.0, adjacency) == GaussianDP(0.5, adjacency)
    assert Gaussian(10.0).mu(3) == math.nextafter(0.3, 1)
    assert Gaussian(2.0).rho(1.0) == 0.125


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
def test_curve_is_that_of_balle_and_wang(scale, epsilon):
    expected = gaussian_delta(1.5 / scale, epsilon)
    assert Gaussian(scale).delta(epsilon, 1.5) == pytest.approx(expected, rel=1e-9, abs=1e-14)
    assert Gaussian(scale).delta(epsilon, 0.0) == 0.0


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 8.0])
@pytest.mark.parametrize("delta", [0.3, 1e-5, 1e-12])
@pytest.mark.parametrize("l2", [0.01, 1.0, 300.0])
def test_the_least_noise_for_approx_dp(epsilon, delta, l2):
    noise = Gaussian.for_approx_dp(epsilon, delta, l2)
    assert noise.satisfies(epsilon, delta, l2)
    assert not Gaussian(math.nextafter(noise.scale, 0)).satisfies(epsilon, delta, l2)


def test_draws_follow_the_scale():
    drawn = Gaussian(3.0).draws(np.random.default_rng(1), 200_000)
    assert drawn.shape == (200_000,)
    assert drawn.std() == pytest.approx(3.0, rel=0.02)


@pytest.mark.parametrize("scale", [0, -1.0, math.inf, math.nan, "wide", None])
def test_scale_must_be_a_finite_positive_number(scale):
    with refuses(InvalidArgument, "scale-above"):
        Gaussian(scale)


def test_arguments_are_checked():
    noise = Gaussian(1.0)
    with refuses(InvalidArgument, "below-least: l2 | 0"):
        noise.mu(-1.0)
    with refuses(InvalidArgument, "below-least: epsilon | 0"):
        noise.delta(-0.1, 1.0)
    with refuses(InvalidArgument, "not-between-0-and-1: delta"):
        Gaussian.for_approx_dp(1.0, 0.0, 1.0)
    with refuses(InvalidArgument, "not-between-0-and-1: confidence"):
        noise.half_width(0.0)


def test_is_a_frozen_value_with_a_name():
    assert Gaussian(2) == Gaussian(2.0)
    assert Gaussian.name == "gaussian"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Gaussian(2.0).scale = 3.0


@pytest.mark.parametrize("scale", [0.05, 0.4, 0.99, 1.0, 3.3, 50.0])
@pytest.mark.parametrize("first", [-7, -1, 0, 1, 2, 9])
def test_a_tail_is_the_plain_sum(scale, first):
    noise = DiscreteGaussian(scale)
    last = math.ceil(40 * scale) + 10
    plain = math.fsum(noise.pmf(range(first, last + 1)))
    ball = upper_tail(scale, first)
    assert float(ball) == pytest.approx(plain, rel=1e-12, abs=1e-300)
    assert upper(ball) - lower(ball) <= 1e-15 * upper(ball) + 5e-324


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.0, LARGEST_SUM])
def test_both_tails_together_are_everything(scale):
    with directed() as r:
        total = upper_tail(scale, 4) + upper_tail(scale, -3)
        assert abs(total - 1) < r(2.0**-150)


@pytest.mark.parametrize("first", [1, 100, 4096, 40_000])
def test_wide_noise_is_enclosed(first):
    near = math.nextafter(LARGEST_SUM, math.inf)
    summed, enclosed = upper_tail(LARGEST_SUM, first), upper_tail(near, first)
    assert lower(enclosed) <= float(summed) <= upper(enclosed)
    assert upper(enclosed) - lower(enclosed) < 0.01 * float(summed)
