import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.notions import Adjacency, PureDP
from tests.cases.refusals import refuses


def test_law_is_geometric_on_both_sides():
    noise = DiscreteLaplace(1 / math.log(2))  # ratio 1/2
    assert noise.pmf([-2, -1, 0, 1, 2]) == pytest.approx([1 / 12, 1 / 6, 1 / 3, 1 / 6, 1 / 12])
    assert noise.tail(-1) == 1.0
    assert noise.tail(0) == pytest.approx(2 / 3)
    assert noise.tail(1.9) == pytest.approx(1 / 3)


def test_tiny_and_huge_scales_stay_finite():
    assert DiscreteLaplace(1e-3).pmf([0, 1]).tolist() == [1.0, 0.0]
    assert DiscreteLaplace(1e-3).log_pmf(1) == pytest.approx(-1000)
    assert DiscreteLaplace(1e15).pmf(0) == pytest.approx(0.5e-15, rel=1e-12)
    assert np.isfinite(DiscreteLaplace(1e15).log_pmf(2**62))


@pytest.mark.parametrize(
    ("scale", "confidence", "expected"),
    [
        (1e-3, 0.95, 0),
        (0.1, 0.999999, 1),
        (1.0, 0.95, 3),
        (1e15, 0.95, 2995732273553990),
        (1e15, 1 - 2**-53, 36736800569677101),
    ],
)
def test_half_width(scale, confidence, expected):
    assert DiscreteLaplace(scale).half_width(confidence) == expected


def test_epsilon_rounds_up():
    assert DiscreteLaplace(10.0).epsilon(3) == math.nextafter(0.3, 1)
    assert DiscreteLaplace(10.0).epsilon(0) == 0.0
    assert DiscreteLaplace(4.0).epsilon(2) == 0.5


@pytest.mark.parametrize("scale", [0, -1.0, math.inf, math.nan, "wide", None])
def test_scale_must_be_a_finite_positive_number(scale):
    with refuses(InvalidArgument, "scale-above"):
        DiscreteLaplace(scale)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, math.nan])
def test_confidence_must_be_inside(confidence):
    with refuses(InvalidArgument, "names-argument: confidence"):
        DiscreteLaplace(1.0).half_width(confidence)


def test_negative_sensitivity_is_refused():
    with refuses(InvalidArgument, "below-least: l1 | 0 | l1=-1"):
        DiscreteLaplace(1.0).epsilon(-1)


def test_is_a_frozen_value_with_a_name():
    noise = DiscreteLaplace(2)
    assert noise == DiscreteLaplace(2.0)
    assert hash(noise) == hash(DiscreteLaplace(2.0))
    assert noise.name == "discrete-laplace"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        noise.scale = 3.0


@pytest.mark.parametrize("adjacency", Adjacency)
def test_guarantee_is_pure(adjacency):
    assert DiscreteLaplace(4.0).guarantee(2, adjacency) == PureDP(0.5, adjacency)


@pytest.mark.parametrize("scale", [0.2, 1.0, 1.3, 7.0, 40.0])
@pytest.mark.parametrize("moved", [1, 2, 5, 20])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0, 3.0])
def test_curve_is_the_plain_sum(scale, moved, epsilon):
    noise, k = DiscreteLaplace(scale), np.arange(-3000, 3001)
    gap = noise.pmf(k) - math.exp(epsilon) * noise.pmf(k - moved)
    expected = math.fsum(gap[gap > 0])
    assert noise.delta(epsilon, moved) == pytest.approx(expected, abs=1e-13)


def test_curve_at_its_ends():
    noise = DiscreteLaplace(2.0)
    assert noise.delta(0.0, 0) == noise.delta(1.5, 3) == noise.delta(2.0, 3) == 0.0
    assert noise.delta(0.5, 3) == pytest.approx(1 - math.exp(-0.5))  # ε = (Δ − 2)/s
    assert DiscreteLaplace(1e15).delta(0.1, 2**60) == pytest.approx(1.0)
    assert DiscreteLaplace(1e15).delta(0.0, 1) == pytest.approx(0.5e-15, rel=1e-9)


def test_draws_follow_the_law():
    noise = DiscreteLaplace(1.5)
    drawn = noise.draws(np.random.default_rng(1), 100_000)
    shares = [np.count_nonzero(drawn == k) / 100_000 for k in range(-4, 5)]
    assert shares == pytest.approx(noise.pmf(np.arange(-4, 5)), abs=0.01)
    assert np.abs(DiscreteLaplace(1e12).draws(np.random.default_rng(1), 9)).max() > 1e11


def test_a_move_is_whole():
    with refuses(InvalidArgument, "not-whole: sensitivity"):
        DiscreteLaplace(1.0).delta(0.1, 1.5)
    with refuses(InvalidArgument, "below-least: epsilon | 0"):
        DiscreteLaplace(1.0).delta(-0.1, 1)
