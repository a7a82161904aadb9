import math
from fractions import Fraction

import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from deniable.notions import Adjacency
from deniable.publish.margins.design import residual_design, weigh
from deniable.publish.margins.half_widths import half_widths
from deniable.publish.margins.layout import Basis, Design, close_downwards
from deniable.publish.margins.precision import largest_scale, least_budget
from deniable.publish.margins.sensitivity import sensitivity

MARGINS = close_downwards((2, 3, 5), [(0, 1), (1, 2)])
OUT, EXCHANGE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE


def test_one_count_known_to_ten():
    """Half-width 10 under replace-one with l2 = √2: s = 5.36501, ρ = .0347423."""
    count = Design(close_downwards((), []), (1,), Basis.COUNTS)
    scale = largest_scale(count, {(): 10.0})
    assert scale == pytest.approx(5.36501, abs=1e-5)
    assert DiscreteGaussian(scale).half_width(0.95) == 10
    assert DiscreteGaussian(scale * (1 + 1e-8)).half_width(0.95) == 11
    assert 2 / (2 * scale**2) == pytest.approx(0.0347423, abs=1e-7)


@pytest.mark.parametrize(
    ("adjacency", "fixed"), [(OUT, False), (EXCHANGE, False), (EXCHANGE, True)]
)
def test_every_half_width_is_kept_and_one_is_reached(adjacency, fixed):
    wanted = {margin: 10.0 + 5 * len(margin) for margin in MARGINS.margins}
    answer = least_budget(MARGINS, wanted, adjacency, rows=2, has_fixed_rows=fixed)
    widths = half_widths(answer.design, DiscreteGaussian(answer.scale))
    assert all(widths[margin].value <= most for margin, most in wanted.items())
    assert max(widths[margin].value / most for margin, most in wanted.items()) > 1 - 1e-3
    moves = sensitivity(answer.design, adjacency, rows=2, has_fixed_rows=fixed)
    assert answer.rho >= moves.squared_l2 / (2 * answer.scale**2) * (1 - 1e-15)
    assert answer.rho == pytest.approx(moves.squared_l2 / (2 * answer.scale**2))
    assert answer.design.has_public_total == fixed
    assert 0 <= answer.gap < 0.01


def test_no_other_split_that_is_tried_costs_less():
    wanted = dict.fromkeys(MARGINS.margins, 20.0)
    best = least_budget(MARGINS, wanted, OUT)
    for importance in ({}, {(0, 1): 5.0}, {(1, 2): 5.0}, {(): 20.0}, {(1,): 10.0}):
        design = residual_design(MARGINS, weigh(MARGINS, importance))
        scale = largest_scale(design, wanted)
        rho = Fraction(sensitivity(design, OUT).squared_l2) / (2 * Fraction(scale) ** 2)
        assert float(rho) >= best.rho * (1 - 1e-3)


def test_twice_the_width_costs_a_quarter():
    narrow = least_budget(MARGINS, dict.fromkeys(MARGINS.margins, 20.0), OUT)
    wide = least_budget(MARGINS, dict.fromkeys(MARGINS.margins, 40.0), OUT)
    assert narrow.rho / wide.rho == pytest.approx(4, rel=1e-3)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({(0, 2): 1.0}, "half-widths of published margins"),
        ({(0, 1): 1.0}, "positive weight"),
        ({(0, 1): 0.0, (1, 2): 1.0}, "> 0"),
        ({}, "some measured margin"),
    ],
)
def test_half_widths_that_mean_nothing_are_refused(wanted, message):
    with pytest.raises(InvalidArgument, match=message):
        least_budget(MARGINS, wanted, OUT)


def test_a_public_total_has_no_scale():
    with pytest.raises(InvalidArgument, match="some measured margin"):
        least_budget(close_downwards((), []), {(): 1.0}, EXCHANGE, has_fixed_rows=True)
    total = Design(close_downwards((2,), [(0,)]), (0, 1))
    with pytest.raises(InvalidArgument, match="some measured margin"):
        largest_scale(total, {(): 1.0})


def test_a_scale_is_found_where_noise_hardly_moves_a_count():
    """Below half a row a count is right with 95 %: the scale is positive all the same."""
    count = Design(close_downwards((), []), (1,), Basis.COUNTS)
    scale = largest_scale(count, {(): 0.5})
    assert 0.3 < scale < 0.5
    assert math.isclose(2 * DiscreteGaussian(scale).pmf(1), 0.05, rel_tol=1e-2)
