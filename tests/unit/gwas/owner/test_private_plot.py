import xml.etree.ElementTree as ElementTree

import attrs
import numpy as np
import pytest

from deniable import gwas
from deniable.errors import InvalidArgument
from deniable.gwas.files import ScanColumns
from deniable.gwas.genotypes import CountedStudy, GenotypeCounts, MissingRule, Variants
from deniable.gwas.owner import WARNING, Scan, private_picture, write_private_plot
from tests.cases.genotype_files import plink_files
from tests.cases.prose import Page
from tests.cases.refusals import refuses

MANY = 200_000


@pytest.fixture
def scan(tmp_path):
    calls = [[2, 1, 0, 1, 1], [0, 0, 1, 1, 2], [1, 1, 1, 1, 1]]
    return gwas.scan(plink_files(tmp_path, calls, ["case", "control"] * 2 + ["unknown"]))


def large():
    """A scan with many variants, as flat as they come, and one that stands out."""
    n = MANY
    chromosome = np.repeat([str(c) for c in range(1, 21)], n // 20)
    names = Variants(chromosome, [f"rs{i}" for i in range(n)], np.arange(n), ["A"] * n, ["G"] * n)
    counts = GenotypeCounts(np.tile([1, 0, 0, 0], (n, 1)), np.tile([0, 1, 0, 0], (n, 1)))
    study = CountedStudy(names, counts, 2, 1, 1, 0, MissingRule.LEAVE)
    p = np.random.default_rng(0).random(n)
    p[5], p[6] = 0.0, np.nan
    nothing = np.zeros(n)
    return Scan(study, "allelic", ScanColumns(nothing, nothing, nothing, p), np.arange(0))


@pytest.mark.parametrize("name", ["plot.html", "plot.svg", "plot.SVG"])
def test_it_is_marked_on_its_face(tmp_path, scan, name):
    path = tmp_path / name
    write_private_plot(scan, path)
    assert path.stat().st_mode & 0o077 == 0
    content = path.read_text(encoding="utf-8")
    assert WARNING == "NOT FOR PUBLICATION"
    svg = content[content.index("<svg") : content.index("</svg>") + 6]
    drawn = [each.text for each in ElementTree.fromstring(svg).iter() if each.text]
    assert sum(WARNING in text for text in drawn) >= 3
    if path.suffix == ".html":
        page = Page(content)
        assert page.title == WARNING
        assert page.all("script") == []
    else:
        assert content.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert [p.name for p in tmp_path.iterdir() if "partial" in p.name] == []


def test_a_scan_draws_it_and_refuses_its_place_before_it_reads(tmp_path):
    prefix = plink_files(tmp_path, [[2, 1, 0, 1], [0, 0, 1, 1]], ["case", "control"] * 2)
    scan = gwas.scan(prefix, plot=tmp_path / "scan.svg")
    write_private_plot(scan, tmp_path / "again.svg")
    assert (tmp_path / "scan.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()
    with refuses(InvalidArgument, "plot-named-html-or-svg"):
        gwas.scan(tmp_path / "none", plot=tmp_path / "scan.png")


def test_of_many_variants_the_highest_are_points_and_the_file_stays_small(tmp_path):
    many = large()
    picture = private_picture(many)
    assert len(picture.points) == 2000
    assert max(point.height for point in picture.points) == pytest.approx(323.3, abs=0.1)
    assert 0 < len(picture.columns) <= 640
    lowest = min(point.height for point in picture.points)
    assert max(column.high for column in picture.columns) <= lowest
    assert picture.line == pytest.approx(-np.log10(0.05 / MANY))
    write_private_plot(many, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size < 2**20


def test_what_is_significant_is_named_with_its_p_value_and_nothing_else_is():
    many = large()
    many.columns.p_value[[40_000, 40_001, 110_000, 160_000]] = [1e-20, 1e-19, 3e-9, 3e-7]
    picture = private_picture(many)
    named = {point.label for point in picture.points if point.label}
    assert named == {"rs5, p < 5e-324", "rs40000, p = 1e-20", "rs110000, p = 3e-09"}
    assert picture.line_label == "significant: p ≤ 2.5e-07"


def test_every_variant_is_drawn_or_within_a_column():
    many = large()
    picture = private_picture(many)
    heights = -np.log10(many.columns.p_value[1000:20000])
    axis, names = picture.axis, many.study.variants
    places = axis.places(names.chromosome[1000:20000], names.position[1000:20000])
    points = {(point.place, point.height) for point in picture.points}
    columns = {int(column.start * 640 + 0.5): column for column in picture.columns}
    for place, height in zip(places.tolist(), heights.tolist(), strict=True):
        column = columns.get(int(place * 640))
        inside = column is not None and column.low <= height <= column.high
        assert inside or (place, height) in points


def test_a_distance_has_its_line_between_both_sides(tmp_path):
    prefix = plink_files(tmp_path, [[2, 2, 0, 0]], ["case", "case", "control", "control"])
    picture = private_picture(gwas.scan(prefix, statistic="distance"))
    assert picture.line == 0.5
    assert len(picture.points) == 1


def test_a_page_shows_observed_against_expected_p_values_and_lambda(tmp_path, scan):
    drawn = {}
    for kind in ("allelic", "distance"):
        write_private_plot(attrs.evolve(scan, statistic=kind), tmp_path / f"{kind}.html")
        page = (tmp_path / f"{kind}.html").read_text(encoding="utf-8")
        body = page[page.index("<body") : page.index("</body>")] + "</body>"
        drawn[kind] = ElementTree.fromstring(body)
    assert [len(body.findall(".//svg")) for body in drawn.values()] == [2, 1]
    texts = {kind: " ".join(body.itertext()) for kind, body in drawn.items()}
    assert texts["allelic"].count("Expected −log10 p") == 1
    assert f"λ of genomic control: {scan.lambda_gc:.4f}" in texts["allelic"]
    assert "genomic control" not in texts["distance"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("plot.png", "plot-named-html-or-svg"), ("none/plot.svg", "file-in-existing-folder")],
)
def test_other_places_are_refused(tmp_path, scan, name, message):
    with refuses(InvalidArgument, message):
        write_private_plot(scan, tmp_path / name)
