import re

import attrs

from deniable.certificate.results import ResultRow
from deniable.report.published import MOST_BARS, MOST_ROWS, published_section
from tests.sample_certificate import (
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
    assert head(block(1)) == ["plan", "Value", "± 95 %, rows"]
    for told in ("6,840", "2,377", "−41", "± 271"):
        assert f">{told}</td>" in block(1)
    assert head(block(2)) == ["plan", "since", "Value", "± 95 %"]
    assert ">14,211</td>" in block(2)


def test_the_count_behind_a_mean_stands_beside_it():
    assert head(block(3)) == ["plan", "Value", "± 95 %", "Rows", "± 95 %"]
    assert ">6,851</td>" in block(3)


def test_bins_ranks_and_categories_have_columns():
    assert head(block(4)) == ["visits", "Value", "± 95 %, rows"]
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
