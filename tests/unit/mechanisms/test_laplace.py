import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import Laplace
from deniable.notions import Adjacency, PureDP
from tests.cases.refusals import refuses


def test_density_tail_and_half_width_belong_together():
    noise = Laplace(2.0)
    x = np.linspace(-80, 80, 160_001)
    assert np.trapezoid(noise.pdf(x), x) == pytest.approx(1, abs=1e-7)
    assert noise.log_pdf(-3.0) == pytest.approx(-1.5 - math.log(4))
    outside = np.abs(x) >= 3
    assert np.trapezoid(noise.pdf(x) * outside, x) == pytest.approx(noise.tail(3.0), abs=1e-3)
    assert noise.tail(-1.0) == noise.tail(0.0) == 1.0
    assert noise.tail(noise.half_width(0.95)) <= 0.05 + 1e-15
    assert noise.tail(noise.half_width(0.95) * (1 - 1e-12)) > 0.05


@pytest.mark.parametrize("adjacency", Adjacency)
def test_guarantee_is_pure_and_rounded_up(adjacency):
    assert Laplace(4.0).guarantee(2.0, adjacency) == PureDP(0.5, adjacency)
    assert Laplace(10.0).epsilon(3) == math.nextafter(0.3, 1)


def test_curve_at_its_ends():
    noise = Laplace(2.0)
    assert noise.delta(0.5, 1.0) == noise.delta(7.0, 1.0) == noise.delta(0.0, 0.0) == 0.0
    assert noise.delta(0.0, 1.0) == pytest.approx(1 - math.exp(-0.25), abs=1e-15)
    assert noise.delta(0.0, 1e6) == 1.0


def test_draws_follow_the_scale():
    drawn = Laplace(3.0).draws(np.random.default_rng(1), 200_000)
    assert drawn.shape == (200_000,)
    assert np.abs(drawn).mean() == pytest.approx(3.0, rel=0.02)


@pytest.mark.parametrize("scale", [0, -1.0, math.inf, math.nan, "wide", None])
def test_scale_must_be_a_finite_positive_number(scale):
    with refuses(InvalidArgument, "scale-above"):
        Laplace(scale)


def test_arguments_are_checked():
    noise = Laplace(1.0)
    with refuses(InvalidArgument, "below-least: l1 | 0"):
        noise.epsilon(-1.0)
    with refuses(InvalidArgument, "below-least: epsilon | 0"):
        noise.delta(-0.1, 1.0)
    with refuses(InvalidArgument, "below-least: sensitivity | 0"):
        noise.delta(0.1, -1.0)
    with refuses(InvalidArgument, "not-between-0-and-1: confidence"):
        noise.half_width(1.0)
    with refuses(InvalidArgument, "below-least: n_draws | 0"):
        noise.draws(np.random.default_rng(1), -1)


def test_is_a_frozen_value_with_a_name():
    assert Laplace(2) == Laplace(2.0)
    assert Laplace.name == "laplace"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Laplace(2.0).scale = 3.0
