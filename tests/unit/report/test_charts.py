"""Pictures."""

import html
import re
import xml.etree.ElementTree as ElementTree

import altair as alt
import attrs
import numpy as np
import pytest

from deniable.auditing.page import audited_beliefs_chart
from deniable.gwas.pages import (
    WIDTH,
    Column,
    GenomeAxis,
    ManhattanPicture,
    Point,
    Tick,
    genome_layers,
)
from deniable.ledger.page import course_chart
from deniable.report.charts import (
    Bar,
    bar_chart,
    belief_chart,
    belief_picture,
    error_chart,
    in_words,
    inline,
    point_chart,
    records,
    row_height,
)
from deniable.report.html import PALETTE
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate

BARS = [Bar("free", 6840.0, 6569.0, 7111.0), Bar("shared", -41.0, -312.0, 230.0), Bar("x", 3.0)]
CHARTS = {
    "belief": lambda: inline(belief_chart(belief_picture(sample_certificate())), "c", "t", "d"),
    "near zero": lambda: inline(
        belief_chart(belief_picture(gaussian_certificate())), "c", "t", "d"
    ),
    "bars": lambda: inline(bar_chart(BARS), "c", "t", "d"),
    "points": lambda: inline(point_chart(BARS), "c", "t", "d"),
    "domain": lambda: inline(point_chart([Bar("all", 26.0)], (0.0, 120.0)), "c", "t", "d"),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_one_image_with_title_and_description(name):
    svg = CHARTS[name]()
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "c-title c-desc"
    assert [root[0].text, root[1].text] == ["t", "d"]


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_asks_for_nothing_outside(name):
    for element in ElementTree.fromstring(CHARTS[name]()).iter():
        assert element.tag in {
            "svg",
            "title",
            "desc",
            "g",
            "path",
            "line",
            "rect",
            "circle",
            "text",
        }
        for key, value in element.attrib.items():
            assert not key.endswith(("href", "src"))
            assert not key.startswith("on")
            assert not re.search(r"//|url\((?!#c-)|javascript:", value)


def test_the_same_chart_is_the_same_text():
    assert [CHARTS[name]() for name in CHARTS] == [CHARTS[name]() for name in CHARTS]


def test_pictures_keep_to_the_schema_of_vega_lite():
    """A page does not look, and notebooks hand them to Altair."""
    axis = GenomeAxis.between({"1": (1, 731)})
    points = (Point(0.3, 0.7, "a", 0.1, 0.9), Point(0.7, 0.3, faint=True))
    columns = (Column(0.1, 0.2, 0.3, 0.4),)
    for chart in (
        belief_chart(attrs.evolve(belief_picture(sample_certificate()), worst=(0.3, 0.7))),
        bar_chart([Bar("a", 0.3), Bar("b", 5.7, 1.0, 9.0, faint=True)]),
        point_chart([Bar("a", 3.7, 1.0, 9.0)], (0.0, 120.5), years=True),
        genome_layers(ManhattanPicture(axis, points, columns, "h", None, 0.57, "w")),
        genome_layers(ManhattanPicture(axis, points, ranks=2, height_title="h")),
        error_chart([(0.1, 0.73), (0.5, 0.31)]),
        course_chart([(0, 0.5), (3, 0.57)], 0.73),
        audited_beliefs_chart([(0.1, 0.2)], [(0.1, 0.37)]),
    ):
        with in_words():
            words = re.search(r"</desc>(.*)</svg>", inline(chart, *"ctd"))[1]
        assert alt.Chart.from_json(html.unescape(words), validate=True).to_dict(validate=True)


@pytest.mark.parametrize("name", CHARTS)
def test_every_name_within_a_chart_is_its_own(name):
    identifiers = re.findall(r'\bid="([^"]+)"', CHARTS[name]())
    assert len(set(identifiers)) == len(identifiers)
    assert all(identifier.startswith("c-") for identifier in identifiers)


def test_labels_are_text_and_nothing_else():
    hostile = "<script>alert(1)</script> ]]> & \"'\u202e\x00"
    svg = inline(bar_chart([Bar(hostile, 1.0)]), "c", hostile, hostile)
    elements = list(ElementTree.fromstring(svg).iter())
    assert "script" not in {element.tag for element in elements}
    assert any("<script>alert(1)</script>" in (element.text or "") for element in elements)


def test_equal_labels_keep_rows_of_their_own():
    one = inline(bar_chart([Bar("a", 1.0)]), "c", "t", "d")
    two = inline(bar_chart([Bar("a", 1.0), Bar("a", 2.0)]), "c", "t", "d")
    height = [float(ElementTree.fromstring(svg).get("height")) for svg in (one, two)]
    assert height[1] - height[0] == pytest.approx(26)


def test_the_end_of_an_error_bar_is_drawn_where_there_is_one():
    some, none = (inline(bar_chart(bars), "c", "t", "d") for bars in (BARS[:1], BARS[2:]))
    assert some.count("<line") > none.count("<line")


AXIS = GenomeAxis.of(["9", "9", "X", "X"], [1, 1000, 1, 1000])


def texts(chart):
    """What stands between tags."""
    found = (element.text for element in ElementTree.fromstring(chart).iter() if element.text)
    return [each for each in found if each.strip()]


def manhattan(**changes):
    picture = ManhattanPicture(AXIS, (Point(0.2, 1.0, "rs1"), Point(0.9, 2.0, "rs<2>")))
    chart = genome_layers(attrs.evolve(picture, **changes))
    return inline(chart, "m", "title", "what is shown")


def test_a_manhattan_chart_names_chromosomes_and_variants_and_nothing_else():
    words = texts(manhattan(ranks=2, height_title="Rank"))
    assert {"9", "X", "Chromosome", "rs1", "rs<2>", "Rank", "1", "2"} == {
        word for word in words if word not in ("title", "what is shown")
    }


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (60_000, 5_999_999, ["1", "2", "3", "4", "5"]),
        (1, 249_250_621, ["50", "100", "150", "200"]),
        (752_566, 1_052_565, ["0.80", "0.85", "0.90", "0.95", "1.00", "1.05"]),
        (10_001, 10_030, ["10,005", "10,010", "10,015", "10,020", "10,025", "10,030"]),
        (7, 7, ["7"]),
    ],
)
def test_the_only_chromosome_has_round_positions_where_they_are(low, high, labels):
    axis = GenomeAxis.of(["6", "6"], [low, high])
    assert [tick.label for tick in axis.positions] == labels
    unit = 1_000_000 if axis.title.endswith(", Mb") else 1
    bases = [round(float(label.replace(",", "")) * unit) for label in labels]
    assert [tick.at for tick in axis.positions] == axis.places(["6"] * len(bases), bases).tolist()
    words = texts(manhattan(axis=axis, points=()))
    assert {*labels, axis.title} <= set(words)
    assert axis.title.startswith("Position on chromosome 6")


def test_several_chromosomes_have_names_and_no_positions():
    assert AXIS.positions == ()
    assert GenomeAxis.of([], []).positions == ()
    assert AXIS.title == GenomeAxis.of([], []).title == "Chromosome"


def test_a_line_may_have_a_name_and_heights_a_second_scale():
    right = (Tick(1.0, "1e-01"), Tick(1.5, "1e-02"))
    words = texts(manhattan(line=1.2, line_label="significant", right=right, right_title="p"))
    assert {"significant", "1e-01", "1e-02", "p"} <= set(words)
    assert {"significant", "1e-01", "p"}.isdisjoint(texts(manhattan(line=1.2)))


def test_a_manhattan_chart_without_points_has_its_axis():
    assert "Chromosome" in texts(manhattan(points=()))


def test_columns_a_line_and_a_warning_are_drawn():
    columns = (Column(0.0, 0.1, 0.0, 2.5), Column(0.1, 0.2, 0.5, 3.0))
    chart = manhattan(columns=columns, line=2.0, warning="KEEP THIS TO YOURSELF")
    assert texts(chart).count("KEEP THIS TO YOURSELF") == 2
    assert "stroke-dasharray" in chart
    assert "stroke-dasharray" not in manhattan(columns=columns)


def test_stems_stand_on_zero():
    points = (Point(0.2, 30.0), Point(0.9, 40.0))
    assert "0" in texts(manhattan(points=points))
    columns = (Column(0.0, 0.1, 25.0, 28.0),)
    assert "0" not in texts(manhattan(points=points, columns=columns))
    assert "0" not in texts(manhattan(points=points, warning="KEEP THIS TO YOURSELF"))


def test_whiskers_reach_from_end_to_end_and_what_noise_explains_is_hollow_and_grey():
    points = (
        Point(0.2, 40.0, "1", low=0.0, high=150.0, faint=True),
        Point(0.9, 70.0, "2", low=40.0, high=110.0),
    )
    chart = manhattan(points=points, height_title="Noisy")
    one, both = (manhattan(points=points[1:]), chart)
    grey, paper = PALETTE["muted"], PALETTE["paper"]
    faint = [e.attrib for e in ElementTree.fromstring(both).iter() if e.get("stroke") == grey]
    assert [each for each in faint if each.get("fill") == paper]
    assert not [e for e in ElementTree.fromstring(one).iter() if e.get("fill") == paper]
    # The axis holds the upper end of the longest whisker.
    assert max(int(word) for word in texts(chart) if word.isdigit()) >= 140
    assert manhattan(points=(attrs.evolve(points[0], low=None, high=None), points[1])) != chart


def test_labels_that_would_run_into_a_point_stand_on_its_left():
    def anchors(*places):
        chart = manhattan(points=tuple(Point(p, 1.0, f"v{i}") for i, p in enumerate(places)))
        words = [e for e in ElementTree.fromstring(chart).iter() if (e.text or "").startswith("v")]
        return {word.text: word.get("text-anchor") for word in words}

    assert anchors(0.2, 0.5) == {"v0": "start", "v1": "start"}
    assert anchors(0.2, 0.21) == {"v0": "end", "v1": "start"}
    assert anchors(0.2, 0.9) == {"v0": "start", "v1": "end"}


LONG = "an official description of an occupation in a classification of the labour force"


def test_long_labels_stand_in_a_few_lines_and_make_room():
    (record,) = records([Bar(LONG, 1.0)])
    lines = record["label"].split("\n")
    assert len(lines) == 3
    assert all(len(line) <= 24 for line in lines)
    assert lines[-1].endswith("…")
    assert row_height([Bar(LONG, 1.0)]) > row_height([Bar("short", 1.0)])


def test_equal_labels_stay_two_rows():
    labels = [each["label"] for each in records([Bar("a", 1.0), Bar("a", 2.0), Bar("", 0.0)])]
    assert len(set(labels)) == 3


def test_what_noise_explains_is_handed_on():
    assert [each["faint"] for each in records([Bar("a", 1.0), Bar("b", 1.0, faint=True)])] == [
        False, True,
    ]  # fmt: skip


def test_chromosomes_stand_side_by_side_in_file_order():
    axis = GenomeAxis.of(["9", "9", "X", "X"], [101, 200, 1, 300])
    nine, x = axis.chromosomes
    assert (nine.name, x.name) == ("9", "X")
    assert nine.start == 0
    assert nine.end < x.start
    assert x.end == pytest.approx(1)
    assert (x.end - x.start) / (nine.end - nine.start) == pytest.approx(3)


def test_every_variant_falls_on_its_chromosome():
    names = ["1"] * 3 + ["2"] * 3 + ["1"]
    positions = np.array([5, 9, 7, 1, 2, 3, 20])
    axis = GenomeAxis.of(names, positions)
    extents = {each.name: (each.start, each.end) for each in axis.chromosomes}
    places = axis.places(names, positions)
    for name, place in zip(names, places, strict=True):
        assert extents[name][0] < place < extents[name][1]
    assert list(np.argsort(places[[0, 2, 1, 6]])) == [0, 1, 2, 3]
    assert list(extents) == ["1", "2"]


def test_one_chromosome_fills_the_axis_and_positions_may_be_unknown():
    (only,) = GenomeAxis.of(["0", "0"], [0, 0]).chromosomes
    assert (only.start, only.end) == (0, 1)
    assert GenomeAxis.of(["0", "0"], [0, 0]).places(["0"], [0]).tolist() == [0.5]


def test_a_name_without_room_is_left_out():
    names = [f"scaffold_{index}" for index in range(60)]
    axis = GenomeAxis.of(names, np.zeros(60, dtype=int))
    shown = [each for each in axis.chromosomes if each.label]
    assert 3 < len(shown) < 60
    middles = [(each.start + each.end) / 2 for each in shown]
    assert np.diff(middles).min() * WIDTH > 8 * len("scaffold_0")
    assert GenomeAxis.of([], []).chromosomes == ()


def test_charts_in_words_are_equal_where_the_drawings_are():
    """An audit compares pages of releases without having them drawn."""
    moved = [attrs.evolve(BARS[0], value=BARS[0].value + 1.0), *BARS[1:]]
    drawn = [inline(bar_chart(bars), "c", "t", "d") for bars in (BARS, BARS, moved)]
    with in_words():
        said = [inline(bar_chart(bars), "c", "t", "d") for bars in (BARS, BARS, moved)]
    assert (drawn[0] == drawn[1], drawn[0] == drawn[2]) == (True, False)
    assert (said[0] == said[1], said[0] == said[2]) == (True, False)
    assert not set(drawn) & set(said)


@pytest.mark.parametrize("last", [0, 1, 2, 5, 40])
def test_whole_numbers_stand_once_on_their_axis(last):
    picture = inline(course_chart([(k, 0.1) for k in range(last + 1)], 0.5), "a", "t", "d")
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", str(picture))
    numbers = labels[: labels.index("Charges")]
    assert len(numbers) == len(set(numbers)) >= 2
