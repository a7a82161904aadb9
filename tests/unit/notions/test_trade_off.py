"""Trade-off curves as they are given: checked, lowered by a rounding, written and read."""

import json

import pytest
from click.testing import CliRunner

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency, TradeOffCurve
from deniable.notions.notation import parse, wish
from tests.cases.command_line import app
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


@pytest.mark.parametrize(
    "place", ["none.csv", "none/none.csv", ".", "text.csv/in.csv", "utf16.csv"]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, place):
    (tmp_path / "text.csv").write_text("0,1\n1,0\n", encoding="utf-8")
    (tmp_path / "utf16.csv").write_text("0,1\n1,0\n", encoding="utf-16")
    with refuses(InvalidArgument, "readable-points-of-a-curve"):
        TradeOffCurve.from_csv(tmp_path / place)


def test_an_audit_reads_a_claimed_curve_from_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "curve.csv").write_text("0,1\n0.25,0.25\n1,0\n", encoding="utf-8")
    (tmp_path / "countingcurve.py").write_text(
        "def noise(data, rng):\n    return len(data) + rng.laplace()\n\n\n"
        "noise.neighbours = ([1], [2])\n",
        encoding="utf-8",
    )
    words = ["audit", "countingcurve:noise", "--runs", "40", "--json", "--claimed"]
    done = CliRunner().invoke(app, [*words, "trade-off:curve.csv"])
    assert json.loads(done.stdout)["claimed"] == "trade-off:0.0,1.0/0.25,0.25/1.0,0.0"
    assert CliRunner().invoke(app, [*words, "trade-off:none.csv"]).exit_code == 2
