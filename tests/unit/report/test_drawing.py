"""Charts as this package draws them, beside Vega's own drawings of the same."""

import json
import math
import re
import xml.etree.ElementTree as ElementTree

import attrs
import numpy as np
import pytest
import vl_convert

from deniable.auditing.page import audited_beliefs_chart
from deniable.gwas.pages import (
    Column,
    GenomeAxis,
    ManhattanPicture,
    Point,
    Tick,
    genome_layers,
    quantile_layers,
)
from deniable.ledger.page import course_chart
from deniable.pipeline.check_files import may_be_drawing, split_charts
from deniable.report import vega_lite as vega
from deniable.report.charts import (
    Bar,
    bar_chart,
    belief_chart,
    belief_picture,
    error_chart,
    inline,
    point_chart,
    without_drawings,
)
from deniable.report.drawing import cut, draw, measure
from deniable.rules.pages.page import spans
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate

AXIS = GenomeAxis.of(["9", "9", "X", "X"], [1, 1000, 1, 1000])
POINTS = (Point(0.2, 1.0, "rs1", 0.5, 1.6), Point(0.9, 2.0, "rs2", 1.5, 2.2, faint=True))
WIDE = [Bar("a", 6840.0, 6569.0, 7111.0), Bar("b", -41.0, -312.0, 230.0), Bar("c", 3.0)]


def numbers(seed):
    """Bars of random sizes, from 1e-9 to 1e12, some without an error bar."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-9, 12)
    for k in range(rng.integers(1, 9)):
        value, half = rng.normal() * size, abs(rng.normal()) * size
        ends = (value - half, value + half) if rng.random() < 0.8 else (None, None)
        yield Bar(f"row {k}", value, *ends, faint=bool(rng.random() < 0.5))


CHARTS = {
    "belief": belief_chart(belief_picture(sample_certificate())),
    "near zero": belief_chart(belief_picture(gaussian_certificate())),
    "bars": bar_chart(WIDE),
    "points": point_chart(WIDE),
    "domain": point_chart([Bar("all", 26.0, 20.5, 31.5)], (0.0, 120.0)),
    "years": point_chart([Bar("all", 1987.2, 1980.0, 1995.0)], (1900.0, 2024.0), years=True),
    "errors": error_chart([(0.1, 0.73), (0.5, 0.31)]),
    "charges": course_chart([(0, 0.5), (1, 0.6), (3, 0.57)], 0.73),
    "audited": audited_beliefs_chart([(0.1, 0.2), (0.3, 0.6)], [(0.1, 0.37)]),
    "stems": genome_layers(ManhattanPicture(AXIS, POINTS, height_title="h")),
    "ranks": genome_layers(ManhattanPicture(AXIS, POINTS, ranks=7, height_title="Rank")),
    "columns": genome_layers(
        ManhattanPicture(
            AXIS, POINTS, (Column(0.0, 0.1, 0.0, 2.5),), "h", None, 1.2, "line",
            (Tick(1.0, "1e-01"),), "p", "KEEP THIS",
        )
    ),
    "quantiles": quantile_layers([0.1, 0.5, 2.0], [0.2, 0.4, 3.3], "KEEP THIS"),
    "spans": spans(
        [{"name": "0", "low": 0.1, "high": 0.5}, {"name": "5", "low": 0.2, "high": 1.0}],
        "Published", [0.7],
    ),
    **{f"bars {k}": bar_chart(list(numbers(k))) for k in range(12)},
    **{f"points {k}": point_chart(list(numbers(k))) for k in range(12, 24)},
}  # fmt: skip


def marks_of_vega(node):
    """Vega's marks in order: the kind and the places of each item."""
    if str(node.get("name", "")).endswith("marks") or node.get("role") == "mark":
        yield node["marktype"], node["items"]
    for item in node.get("items", ()):
        for child in item.get("items", ()):
            yield from marks_of_vega(child)


def axes_of_vega(node):
    """Vega's labels and ticks, by their role."""
    if str(node.get("role", "")).startswith("axis-"):
        yield node["role"], node["items"]
    for item in node.get("items", ()):
        for child in item.get("items", ()):
            yield from axes_of_vega(child)


def scene(chart):
    """Vega's drawing of a chart, as numbers."""
    text = json.dumps(chart.as_json())
    return vl_convert.vegalite_to_scenegraph(text)["scenegraph"]


def shapes(chart):
    """The shapes of our drawing, in order."""
    _, _, drawn = draw(chart.specification)
    root = ElementTree.fromstring(f"<svg>{drawn}</svg>")
    return [each for each in root.iter() if each.tag not in ("svg", "g")]


def points_of(path):
    """All points that a path goes through."""
    pairs = re.findall(r"(-?[\d.]+),(-?[\d.]+)", path.get("d"))
    return [(float(x), float(y)) for x, y in pairs]


def near(one, other):
    """Whether two places are the same but for a rounding, in pixels."""
    return all(abs(a - b) < 0.51 for a, b in zip(one, other, strict=True))


def place_of_vega(kind, item):
    """The place of an item, ends in order where it has two."""
    x, y = item.get("x", 0.0), item.get("y", 0.0)
    if kind == "rect":
        return x, y, x + item["width"], y + item["height"]
    if kind == "rule":
        x2, y2 = item.get("x2", x), item.get("y2", y)
        return min(x, x2), min(y, y2), max(x, x2), max(y, y2)
    return x, y


def place_of(shape):
    """The same of our shape; a mark that Vega draws as a thin box is a line here."""
    known = {name: float(value) for name, value in shape.attrib.items() if name in PLACES}
    match shape.tag:
        case "rect":
            x, y = known["x"], known["y"]
            return x, y, x + known["width"], y + known["height"]
        case "line":
            xs, ys = sorted((known["x1"], known["x2"])), sorted((known["y1"], known["y2"]))
            return xs[0], ys[0], xs[1], ys[1]
        case "path":
            xs, ys = zip(*points_of(shape), strict=True)
            return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    return known["cx"], known["cy"]


PLACES = ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height")


@pytest.mark.parametrize("name", CHARTS)
def test_each_mark_is_where_vega_puts_it(name):
    own = shapes(CHARTS[name])
    expected = list(marks_of_vega(scene(CHARTS[name])))
    number = sum(1 if kind in ("line", "area") else len(items) for kind, items in expected)
    marks = iter(own[len(own) - number - titles(CHARTS[name]) :])
    for kind, items in expected:
        if kind in ("line", "area"):
            found = points_of(next(marks))
            wanted = [(item["x"], item["y"]) for item in items]
            if kind == "area":
                wanted += [(item["x"], item["y2"]) for item in items]
            assert all(any(near(one, each) for each in found) for one in wanted)
            continue
        for item in items:
            shape = next(marks)
            if kind == "text":
                assert shape.text == item["text"]
            elif kind == "rect" and shape.tag == "line":  # a tick
                x, y, x2, y2 = place_of_vega(kind, item)
                left, top, right, bottom = place_of(shape)
                assert near(((left + right) / 2, (top + bottom) / 2), ((x + x2) / 2, (y + y2) / 2))
            else:
                assert near(place_of(shape), place_of_vega(kind, item))


def titles(chart):
    """Texts that are written after all marks."""
    return 1 if "title" in chart.specification else 0


@pytest.mark.parametrize("name", CHARTS)
def test_labels_and_ticks_are_those_of_vega(name):
    """Where Vega leaves out labels that would overlap, we may leave out others."""
    drawn = {each.text for each in shapes(CHARTS[name]) if each.tag == "text"}
    ticks = 0
    for role, items in axes_of_vega(scene(CHARTS[name])):
        ticks += len(items) if role == "axis-tick" else 0
        if role == "axis-title":
            assert {items[0]["text"]} <= drawn
        if role == "axis-label":
            words = [
                line
                for item in items
                if item.get("opacity", 1)
                for line in (item["text"] if isinstance(item["text"], list) else [item["text"]])
            ]
            shown = [each for each in words if each in drawn]
            assert len(shown) >= len(words) / 2
            assert shown[:1] == words[:1]
    axis = [each for each in shapes(CHARTS[name]) if each.get("stroke") == "#566373"]
    assert len(axis) >= ticks


HOSTILE = [
    "<script>",
    'a" onload="b',
    "url(#c-0)",
    "]]> &amp; <!--",
    "\u202eabc",
    "a\\b",
    "'",
    "url(x)",
]


@pytest.mark.parametrize("name", [*CHARTS, *HOSTILE])
def test_a_drawing_is_one_that_a_check_takes_for_shapes_and_labels(name):
    chart = CHARTS[name] if name in CHARTS else bar_chart([Bar(name, 1.0), Bar("b", 2.0)])
    drawn = inline(chart, "c", "title", "description")
    with without_drawings():
        undrawn = inline(chart, "c", "title", "description")
    (words, [drawing]), (expected, [nothing]) = map(split_charts, (drawn, undrawn))
    assert words == expected
    assert may_be_drawing(drawing, nothing)


def test_a_curve_is_divided_where_a_value_is_missing():
    rows = [{"x": x, "y": y} for x, y in [(0, 1.0), (1, 2.0), (2, None), (3, 4.0), (4, 5.0)]]
    chart = vega.layer(vega.chart(rows).mark("line", color="#000000").encode(x="x:Q", y="y:Q"))
    drawn = shapes(chart.properties(width=100, height=100))
    assert len([each for each in drawn if each.tag == "path"]) == 2


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400])
def test_a_number_that_has_no_place_is_an_error_that_does_not_quote_it(value):
    bars = [Bar("a", 1.0), attrs.evolve(Bar("b", 1.0), value=value)]
    with pytest.raises((ValueError, OverflowError)) as error:
        draw(bar_chart(bars).specification)
    assert str(value)[:9] not in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "a" * 300, "ÄÖÜ" * 90, "漢字" * 60, "e\u0301" * 200, "W" * 99]
)
def test_a_text_is_cut_to_its_room_and_says_so(text):
    short = cut(text, 190)
    assert measure(short, 13) <= 190
    assert short == text or short.endswith("…")


SIZES = [0.0, 5e-324, 1e-310, 1e-300, 1e-9, 1.0, 3.0, 1e15, 1e17, 1e300, 1.7e308]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("other", [-1.7e308, -1e300, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1.7e308])
def test_any_two_finite_numbers_have_a_place_and_an_axis(size, other):
    for chart in (bar_chart, point_chart):
        bars = [Bar("a", size, min(size, other), max(size, other)), Bar("b", other)]
        width, height, drawn = draw(chart(bars).specification)
        assert 260 < width < 2000
        assert 52 < height < 200
        assert not re.search("nan|inf", drawn, re.IGNORECASE)
        assert any(each.tag == "text" and each.text not in "ab" for each in shapes(chart(bars)))
