import math
from fractions import Fraction

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from deniable.notions import ZCDP, Adjacency
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles.privacy_curves import gaussian_delta


@pytest.mark.parametrize("scale", [0.05, 0.3, 0.39, 0.4, 0.5, 1.0, 7.3, 300.0])
def test_law_against_the_plain_series(scale):
    reach = usual(200 + math.ceil(60 * scale), 20_000)  # beyond, no weight is above zero
    k = np.arange(-reach, reach + 1, dtype=np.float64)
    weights = np.exp(-((k / scale) ** 2) / 2)
    law = DiscreteGaussian(scale).pmf(k)
    assert law == pytest.approx(weights / math.fsum(weights), rel=1e-13)
    assert math.fsum(law) == pytest.approx(1, abs=1e-13)


def test_tiny_and_huge_scales_stay_finite():
    assert DiscreteGaussian(1e-300).pmf([0, 1]).tolist() == [1.0, 0.0]
    assert DiscreteGaussian(1e12).pmf(0) == pytest.approx(1e-12 / math.sqrt(2 * math.pi))
    assert DiscreteGaussian(1e12).tail(10**12) == pytest.approx(math.erfc(1 / math.sqrt(2)))
    assert DiscreteGaussian(1e300).tail(0) == pytest.approx(1.0)


@pytest.mark.parametrize("standard_deviations", [0.0, 0.5, 1.0, 3.0, 8.0, 20.0])
def test_both_formulas_of_the_tail_agree(standard_deviations):
    summed, integrated = DiscreteGaussian(4096.0), DiscreteGaussian(4096.0 * (1 + 1e-14))
    t = standard_deviations * 4096
    assert integrated.tail(t) == pytest.approx(summed.tail(t), rel=1e-9)


def test_tail_counts_whole_numbers_beyond():
    noise = DiscreteGaussian(1.0)
    assert noise.tail(-0.1) == 1.0
    assert noise.tail(0) == pytest.approx(1 - noise.pmf(0))
    assert noise.tail(1.7) == noise.tail(1) == pytest.approx(1 - noise.pmf([-1, 0, 1]).sum())


@pytest.mark.parametrize(
    ("scale", "confidence", "expected"),
    [
        (1e-3, 0.95, 0),
        (0.05, 1 - 2**-53, 0),
        (1.0, 0.95, 2),
        (256.0, 0.95, 502),
        (math.nextafter(256.0, 257), 0.95, 502),
        (1e12, 0.95, 1959963984541),
    ],
)
def test_half_width(scale, confidence, expected):
    assert DiscreteGaussian(scale).half_width(confidence) == expected


def test_half_width_of_extreme_confidence_is_finite():
    assert DiscreteGaussian(1e6).half_width(1 - 2**-53) == pytest.approx(8.29e6, rel=1e-3)
    assert DiscreteGaussian(1e6).half_width(5e-324) <= 1


def test_rho_rounds_up():
    assert DiscreteGaussian(2.0).rho(1.0) == 0.125
    assert Fraction(DiscreteGaussian(10.0).rho(3.0)) >= Fraction(9, 200)
    assert DiscreteGaussian(2.0).rho(0.0) == 0.0


@pytest.mark.parametrize("scale", [0, -1.0, math.inf, math.nan, "wide"])
def test_scale_must_be_a_finite_positive_number(scale):
    with refuses(InvalidArgument, "scale-above"):
        DiscreteGaussian(scale)


def test_arguments_are_checked():
    with refuses(InvalidArgument, "not-between-0-and-1: confidence"):
        DiscreteGaussian(1.0).half_width(1.0)
    with refuses(InvalidArgument, "below-least: l2 | 0"):
        DiscreteGaussian(1.0).rho(-1.0)


def test_is_a_frozen_value_with_a_name():
    noise = DiscreteGaussian(2)
    assert noise == DiscreteGaussian(2.0)
    assert noise.name == "discrete-gaussian"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        noise.scale = 3.0


@pytest.mark.parametrize("adjacency", Adjacency)
def test_guarantee_is_concentrated(adjacency):
    assert DiscreteGaussian(2.0).guarantee(1.0, adjacency) == ZCDP(0.125, adjacency)


@pytest.mark.parametrize("scale", [0.2, 0.9, 1.0, 1.3, 7.0, 40.0])
@pytest.mark.parametrize("moved", [1, 2, 5, 20])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0, 3.0])
def test_curve_is_the_plain_sum(scale, moved, epsilon):
    noise, k = DiscreteGaussian(scale), np.arange(-3000, 3001)
    gap = noise.pmf(k) - math.exp(epsilon) * noise.pmf(k - moved)
    expected = math.fsum(gap[gap > 0])
    assert noise.delta(epsilon, moved) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("scale", [4096.0, 4097.0, 1e9])
def test_curve_of_wide_noise_is_nearly_that_of_the_normal(scale):
    found = DiscreteGaussian(scale).delta(1.0, math.floor(scale))
    assert found == pytest.approx(gaussian_delta(1.0, 1.0), rel=1e-3)
    if scale > 4096:
        assert found >= gaussian_delta(math.floor(scale) / scale, 1.0)


def test_curve_at_its_ends():
    noise = DiscreteGaussian(2.0)
    assert noise.delta(0.0, 0) == 0.0
    assert noise.delta(0.0, 10**6) == 1.0
    assert 0 < noise.delta(50.0, 1) < 1e-300


@pytest.mark.parametrize("scale", [0.3, 1.5, 4.0])
def test_draws_follow_the_law(scale):
    noise = DiscreteGaussian(scale)
    drawn = noise.draws(np.random.default_rng(1), 100_000)
    assert drawn.shape == (100_000,)
    shares = [np.count_nonzero(drawn == k) / 100_000 for k in range(-6, 7)]
    assert shares == pytest.approx(noise.pmf(np.arange(-6, 7)), abs=0.01)
    assert noise.draws(np.random.default_rng(1), 0).shape == (0,)


def test_a_move_is_whole():
    with refuses(InvalidArgument, "not-whole: sensitivity"):
        DiscreteGaussian(1.0).delta(0.1, 1.5)
    with refuses(InvalidArgument, "below-least: epsilon | 0"):
        DiscreteGaussian(1.0).delta(-0.1, 1)
