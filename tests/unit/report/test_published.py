import itertools
import re

import attrs

from deniable.certificate.limits import measured
from deniable.certificate.results import ResultRow
from deniable.report.published import MOST_BARS, MOST_ROWS, published_section
from deniable.report.style import PALETTE
from tests.cases.sample_certificate import (
    CertifiedGroup,
    cells,
    laplace,
    query,
    sample_certificate,
    sample_rows,
)

PAGE = published_section(sample_certificate(), sample_rows())


def block(number: int) -> str:
    return re.findall(r'<section aria-labelledby="q\d+">.*?</section>', PAGE, re.DOTALL)[number - 1]


def head(html: str) -> list[str]:
    return [
        re.sub("<[^>]*>", "", cell) for cell in re.findall(r'scope="col"[^>]*>(.*?)</th>', html)
    ]


def long_page(keys: int) -> str:
    group = CertifiedGroup("k", tuple(range(keys)))
    wide = query("long", "count", [laplace("count", 1.0, 1, 3.0)], groups=[group])
    rows = [ResultRow("long", "count", None, key, value=1.0) for key in cells([group])]
    return published_section(attrs.evolve(sample_certificate(), queries=(wide,)), rows)


def test_every_query_has_its_heading_table_and_chart_except_lists():
    assert PAGE.count("<h3") == PAGE.count("<table>") == 6
    assert PAGE.count('role="img"') == 5


def test_every_value_stands_in_a_table_with_its_half_width():
    assert head(block(1)) == ["plan", "Value", "± 95 %, rows", "More than noise?"]
    for told in ("6,840", "2,377", "−41", "± 271"):
        assert f">{told}</td>" in block(1)
    assert head(block(2)) == ["plan", "since", "Value", "± 95 %", "More than noise?"]
    assert ">14,211</td>" in block(2)


def test_the_count_behind_a_mean_stands_beside_it():
    assert head(block(3)) == ["plan", "Value", "± 95 %", "More than noise?", "Rows", "± 95 %"]
    assert ">6,851</td>" in block(3)


def test_every_caption_and_picture_names_the_limits():
    certificate = sample_certificate()
    for number, each in enumerate(certificate.queries, start=1):
        told = measured(each, certificate.unit, certificate.rows_per_entity)
        captions = re.findall(
            r"<caption[^>]*><span>(.*?)</span>", block(number).replace("\u2060", "")
        )
        assert captions == [f"Published: {told}"]
        for description in re.findall(r"<desc[^>]*>(.*?)</desc>", block(number)):
            assert told in description


def test_bins_and_years_stand_as_people_write_them():
    edges = (1990.0, 2000.0, 2010.0, 2020.0)
    years = query("years", "histogram", [laplace("histogram", 1.0, 1, 3.0)], "year", edges=edges)
    rows = [
        ResultRow("years", "histogram", "year", {}, low, high, value=5.0)
        for low, high in itertools.pairwise(edges)
    ]
    page = published_section(attrs.evolve(sample_certificate(), queries=(years,)), rows)
    assert re.findall(r'scope="row">(.*?)</th>', page) == [
        "1990 to under 2000", "2000 to under 2010", "2010 to 2020",
    ]  # fmt: skip


def test_bins_ranks_and_categories_have_columns():
    assert head(block(4)) == ["visits", "Value", "± 95 %, rows", "More than noise?"]
    assert ">16 to 52</th>" in block(4)
    assert head(block(6)) == ["Rank", "reason", "± 95 %, rows"]


def test_a_quantile_never_gets_an_error_bar_in_its_unit():
    assert "No error bar" in block(5)
    assert "± 612" in block(5)


def test_long_queries_are_cut_with_a_pointer():
    page = long_page(MOST_ROWS + 203)
    assert f"The first {MOST_ROWS} of 403 rows; results.csv holds them all." in page
    assert f"The first {MOST_BARS} of 403 values." in page
    assert page.count("<tr>") == MOST_ROWS + 1
    assert "results.csv holds them all" not in long_page(MOST_ROWS)


def test_a_value_without_half_width_has_no_bar():
    assert "±" not in re.sub(r"<(thead|p|figcaption)\b.*?</\1>", "", long_page(1))


def test_values_smaller_than_their_half_width_are_marked():
    told = re.findall(r"<tr>(.*?)</tr>", block(1))[1:]
    answers = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in told]
    assert [(value, noise) for value, _, noise in answers] == [
        ("6,840", "yes"), ("2,377", "yes"), ("−41", "no"),
    ]  # fmt: skip
    fills = re.findall(r'<path aria-label[^>]*fill="([^"]+)"|<path d="[^"]*" fill="([^"]+)"', PAGE)
    assert fills  # bars are drawn
    hollow = block(1).count(f'fill="{PALETTE["paper"]}"')
    assert hollow == 1


def test_a_quantile_tells_its_error_in_percentiles():
    told = re.sub("<[^>]*>", "", block(5))
    assert "of 10,000 rows, between the 43rd and the 57th percentile" in told
