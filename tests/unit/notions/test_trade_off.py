"""Trade-off curves as they are given: checked, lowered by a rounding, written and read."""

import pytest

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency, TradeOffCurve
from deniable.notions.notation import parse, wish
from tests.cases.refusals import refuses

SHARP = [(0, 1), (0.25, 0.25), (1, 0)]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([], "pairs-of-rates"),
        ([(0, 1, 2)], "pairs-of-rates"),
        ([(0, 1), (0.5, 1.5)], "not-from-0-to-1: beta"),
        ([(0, 0.5), (0.2, 0.6), (1, 0)], "not-to-rise-with-alpha"),
        ([(0, 0.9), (0.2, 0.5)], "from-alpha-0-to-beta"),
        ([(0.1, 0.5), (1, 0)], "from-alpha-0-to-beta"),
        ([(0, 1), (0.5, 0.6), (1, 0)], "beta-at-most-1-alpha"),
        ([(0, 0.5), (0.2, 0.45), (0.5, 0)], "convex-curve"),
    ],
)
def test_what_is_no_trade_off_curve_is_refused(points, message):
    with refuses(InvalidArgument, message):
        TradeOffCurve(points)


def test_points_are_put_in_order_and_roundings_are_lowered():
    rounded = [(1, 0), (0.25, 0.25), (0, 1), (0.125, 0.6250004), (1.0, 4e-7)]
    assert TradeOffCurve(rounded) == TradeOffCurve(SHARP)
    above = TradeOffCurve([(0, 1), (0.3, 0.7000005), (1, 0)])
    assert above.points in (((0, 1), (1, 0)), ((0, 1), (0.3, 0.7), (1, 0)))
    assert TradeOffCurve([(0, 1), (0, 0.8), (0.8, 0), (1, 0)]).points == ((0, 0.8), (0.8, 0))


def test_a_curve_without_protection_has_one_point():
    assert TradeOffCurve([(0, 0), (1, 0)]).spec == "trade-off:0.0,0.0"
    assert parse("trade-off:0,0").points == ((0.0, 0.0),)


@pytest.mark.parametrize("name", ["trade-off", "f-dp", "tradeoff", "fdp", "F-DP"])
def test_its_names(name):
    assert parse(f"{name}:0,1/0.25,0.25/1,0@add-remove") == TradeOffCurve(SHARP, "add-remove")
    asked = wish(name)
    assert asked.fixed == {"adjacency": Adjacency.REPLACE_ONE}


@pytest.mark.parametrize(
    "text", ["trade-off", "trade-off:", "trade-off:?", "trade-off:0,1/0.25", "trade-off:0,x/1,0"]
)
def test_what_is_not_written_as_one_is_refused(text):
    with refuses(InvalidArgument, "trade-off-alpha-beta-number"):
        parse(text)


def test_the_mirrored_curve_exchanges_the_errors():
    lopsided = TradeOffCurve([(0, 0.9), (0.2, 0.5), (1, 0)])
    assert lopsided.mirrored.points == ((0, 1), (0.5, 0.2), (0.9, 0))
    assert lopsided.mirrored.mirrored == lopsided
    assert not lopsided.is_above(lopsided.mirrored)
    assert lopsided.is_above(TradeOffCurve([(0, 0.5), (0.5, 0)]))
    assert lopsided.area == lopsided.mirrored.area


def test_a_file_has_two_columns_and_perhaps_their_names(tmp_path):
    place = tmp_path / "curve.csv"
    place.write_text("alpha,beta\n0,1\n0.25,0.25\n\n1,0\n", encoding="utf-8")
    assert TradeOffCurve.from_csv(place) == TradeOffCurve(SHARP)
    assert TradeOffCurve.from_csv(place, "add-remove").adjacency is Adjacency.ADD_REMOVE
    place.write_text("0,1\n0.25;0.25\n1,0\n", encoding="utf-8")
    with refuses(InvalidArgument, "line-of-two-numbers: 2"):
        TradeOffCurve.from_csv(place)
