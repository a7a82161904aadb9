"""Curves that protect nobody, or are steeper than a float, are composed as others are."""

import itertools
from fractions import Fraction

import pytest

import deniable
from deniable.notions import ApproxDP, PureDP, TradeOffCurve
from deniable.notions.trade_off import height
from deniable.theorems.trade_off import compose_trade_offs

CURVES = [
    [(0, 0)],
    [(0, 5e-324), (1, 0)],
    [(0, 1), (5e-324, 0)],
    [(0, 1), (5e-324, 1e-300), (1, 0)],
    [(0, 1), (1e-300, 1e-300), (1, 0)],
    [(0, 0.5), (0.5, 0)],
    [(0, 1), (0.1, 0.5), (1, 0)],
    [(0, 1), (1, 0)],
]


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("first", "second"), [*itertools.product(CURVES, CURVES)])
def test_two_releases_tell_at_least_what_either_tells(first, second, adjacency):
    one, other = (TradeOffCurve(points, adjacency) for points in (first, second))
    both = compose_trade_offs(one, other)
    for curve in (one, other):
        alike = [curve] if adjacency == "add-remove" else [curve, curve.mirrored]
        rates = {rate for each in (both, *alike) for rate, _ in each.corners}
        for rate in rates | {Fraction(k, 16) for k in range(17)}:
            assert height(both.corners, rate) <= max(height(x.corners, rate) for x in alike)


@pytest.mark.parametrize("other", [PureDP(1.0), PureDP(1e5), ApproxDP(1.0, 1.0)])
def test_beside_a_curve_everything_has_a_total(other):
    steep = TradeOffCurve([(0, 1), (5e-324, 0)])
    assert deniable.compose([steep, other]).total == TradeOffCurve([(0, 0)])
