import math
from fractions import Fraction

import pytest

from deniable.crosstabs.margins import (
    Basis,
    Design,
    balance,
    close_downwards,
    half_widths,
    largest_scale,
    residual_design,
    sensitivity,
    weigh,
)
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from deniable.notions import Adjacency
from tests.cases.refusals import refuses

MARGINS = close_downwards((2, 3, 5), [(0, 1), (1, 2)])
OUT = Adjacency.ADD_REMOVE


def test_one_count_known_to_ten():
    """Half-width 10 under replace-one with l2 = √2: s = 5.36501, ρ = .0347423."""
    count = Design(close_downwards((), []), (1,), Basis.COUNTS)
    scale = largest_scale(count, {(): 10.0})
    assert scale == pytest.approx(5.36501, abs=1e-5)
    assert DiscreteGaussian(scale).half_width(0.95) == 10
    assert DiscreteGaussian(scale * (1 + 1e-8)).half_width(0.95) == 11
    assert 2 / (2 * scale**2) == pytest.approx(0.0347423, abs=1e-7)


def balanced(*, public_total=False):
    best = balance(MARGINS, public_total=public_total)
    return residual_design(MARGINS, best, public_total=public_total)


def rho_of(design, scale):
    return float(Fraction(sensitivity(design, OUT).squared_l2) / (2 * Fraction(scale) ** 2))


@pytest.mark.parametrize("fixed", [False, True])
def test_every_half_width_is_kept_and_one_is_reached(fixed):
    design = balanced(public_total=fixed)
    wanted = {margin: 10.0 + 5 * len(margin) for margin, _ in design.measured()}
    widths = half_widths(design, DiscreteGaussian(largest_scale(design, wanted)))
    assert all(widths[margin].value <= most for margin, most in wanted.items())
    assert max(widths[margin].value / most for margin, most in wanted.items()) > 1 - 1e-3


def test_no_other_split_that_is_tried_costs_less():
    wanted = dict.fromkeys(MARGINS.margins, 20.0)
    best = rho_of(balanced(), largest_scale(balanced(), wanted))
    for importance in ({}, {(0, 1): 5.0}, {(1, 2): 5.0}, {(): 20.0}, {(1,): 10.0}):
        design = residual_design(MARGINS, weigh(MARGINS, importance))
        assert rho_of(design, largest_scale(design, wanted)) >= best * (1 - 1e-3)


def test_twice_the_width_costs_a_quarter():
    narrow, wide = (
        largest_scale(balanced(), dict.fromkeys(MARGINS.margins, width)) for width in (20.0, 40.0)
    )
    assert wide / narrow == pytest.approx(2, rel=1e-3)


def test_a_public_total_has_no_scale():
    total = Design(close_downwards((2,), [(0,)]), (0, 1))
    with refuses(InvalidArgument, "some-measured-margin"):
        largest_scale(total, {(): 1.0})


def test_a_scale_is_found_where_noise_hardly_moves_a_count():
    """Below half a row a count is right with 95 %: the scale is positive all the same."""
    count = Design(close_downwards((), []), (1,), Basis.COUNTS)
    scale = largest_scale(count, {(): 0.5})
    assert 0.3 < scale < 0.5
    assert math.isclose(2 * DiscreteGaussian(scale).pmf(1), 0.05, rel_tol=1e-2)
