"""What was published, in tables."""

import datetime
import itertools
import math
import re
from pathlib import Path

import attrs
import pytest

import deniable
from deniable.certificate.limits import describe_measured
from deniable.certificate.results import ResultRow
from deniable.publish.page import MOST_BARS, MOST_ROWS, description, published_section, scalar
from deniable.publish.query import STATISTICS
from deniable.report.html import PALETTE
from deniable.report.sentences import format_value, half_width, significant
from tests.cases.prose import Page, Table
from tests.cases.sample_certificate import (
    CertifiedGroup,
    cells,
    laplace,
    query,
    sample_certificate,
    sample_queries,
    sample_rows,
)

SOURCE = published_section(sample_certificate(), sample_rows())[2]
PAGE = Page(SOURCE)


def block(number: int) -> Page:
    """The part of one query."""
    blocks = re.findall(r'<section aria-labelledby="q\d+">.*?</section>', SOURCE, re.DOTALL)
    return Page(blocks[number - 1])


def table(number: int) -> Table:
    (found,) = block(number).tables
    return found


def long_page(keys: int) -> Page:
    group = CertifiedGroup("k", tuple(range(keys)))
    wide = query("long", "count", [laplace("count", 1.0, 1, 3.0)], groups=[group])
    rows = [ResultRow("long", "count", None, key, value=1.0) for key in cells([group])]
    return Page(published_section(attrs.evolve(sample_certificate(), queries=(wide,)), rows)[2])


def test_every_query_has_its_heading_table_and_chart_except_lists():
    assert PAGE.headings == [query.name for query in sample_certificate().queries]
    assert len(PAGE.tables) == len(PAGE.headings) == 6
    assert len([each for each in PAGE.all("svg") if each.get("role") == "img"]) == 5


def test_every_value_stands_in_a_table_with_its_half_width():
    assert table(1).rows == [
        {"plan": plan, "Value": value, "± 95 %, rows": "± 271", "More than noise?": noise}
        for plan, value, noise in (
            ("free", "6,840", "yes"), ("shared", "2,377", "yes"), ("catastrophic", "−41", "no"),
        )
    ]  # fmt: skip
    assert table(2).rows[0] == {
        "plan": "free",
        "since": "1974-01-01",
        "Value": "14,211",
        "± 95 %": "± 542",
        "More than noise?": "yes",
    }


def test_the_count_behind_a_mean_stands_beside_it():
    found = table(3)
    assert found.head == ["plan", "Value", "Known to within, 95 %", "Rows", "± 95 %"]
    assert found.cells[0] == ["free", "4.12", "± 0.31", "6,851", "± 271"]


def test_every_caption_and_picture_names_the_limits():
    certificate = sample_certificate()
    for number, each in enumerate(certificate.queries, start=1):
        told = describe_measured(each, certificate.unit, certificate.rows_per_entity)
        assert table(number).caption == f"Published: {told}"
        assert all(told in description for _, description in block(number).alts)


def test_bins_and_years_stand_as_people_write_them():
    edges = (1990.0, 2000.0, 2010.0, 2020.0)
    years = query("years", "histogram", [laplace("histogram", 1.0, 1, 3.0)], "year", edges=edges)
    rows = [
        ResultRow("years", "histogram", "year", {}, low, high, value=5.0)
        for low, high in itertools.pairwise(edges)
    ]
    page = Page(published_section(attrs.evolve(sample_certificate(), queries=(years,)), rows)[2])
    assert [row["year"] for row in page.tables[0].rows] == [
        "1990 to under 2000", "2000 to under 2010", "2010 to 2020",
    ]  # fmt: skip


def test_bins_ranks_and_categories_have_columns():
    bins, ranks = table(4), table(6)
    assert bins.head == ["visits", "Value", "± 95 %, rows", "More than noise?"]
    assert bins.rows[-1]["visits"] == "16 to 52"
    assert ranks.head == ["Rank", "reason", "± 95 %, rows"]
    assert [(row["Rank"], row["reason"]) for row in ranks.rows] == [
        ("1", "infection"), ("2", "check-up"), ("3", "injury"),
    ]  # fmt: skip


def test_a_quantile_never_gets_an_error_bar_in_its_unit():
    assert block(5).paragraphs[-1] == (
        "There are no error bars, because the error is in rank. The table shows the error."
    )
    assert [row["± 95 %, rows"] for row in table(5).rows] == ["± 612"]


def test_long_queries_are_cut_with_a_pointer():
    page = long_page(MOST_ROWS + 203)
    assert page.paragraphs[-1] == (
        f"The first {MOST_ROWS} of 403 rows; results.csv has all of them."
    )
    assert page.paragraphs[-2].split(". ")[0] == f"The first {MOST_BARS} of 403 values"
    assert len(page.tables[0].cells) == MOST_ROWS
    whole = long_page(MOST_ROWS)
    assert len(whole.tables[0].cells) == MOST_ROWS
    assert not any(told.startswith(f"The first {MOST_ROWS} of") for told in whole.paragraphs)


def test_a_value_without_half_width_has_no_bar():
    page = long_page(1)
    assert [row[1:] for row in page.tables[0].cells] == [["1", "", "yes"]]
    assert "±" not in page.alts[0][1]


def test_values_smaller_than_their_half_width_are_drawn_hollow():
    fills = [each["fill"] for each in block(1).all("rect")]
    assert fills.count(PALETTE["paper"]) == 1


def test_a_quantile_tells_its_error_in_percentiles():
    assert block(5).paragraphs[1].split(": ")[1].split("; ") == [
        "among 10,000 rows, between the 43rd and the 57th percentile",
        "among 100,000 rows, between the 49th and the 51st percentile.",
    ]


def said(asked) -> str:
    """The description of a query, as it is read."""
    return " ".join(Page(description(asked, sample_certificate())).paragraphs)


ROWS = "at most 5 rows per “person”"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("years by plan", f"The number of rows, by plan (3 groups). Limits: {ROWS}."),
        (
            "visits by plan and year",
            "The sum of visits, by plan and since (6 groups), for rows where age ≥ 18 and region "
            "in north, south. Limits: contribution of each “person” scaled down to at most 100 "
            "visits; values clipped to 0…52.",
        ),
        (
            "mean visits by plan",
            "The mean of visits, by plan (3 groups). The number of rows behind a mean has its own "
            f"noise. Limits: {ROWS}; values clipped to 0…52.",
        ),
        ("visits in a year", f"The number of rows by visits, in 6 bins. Limits: {ROWS}."),
        (
            "median age",
            f"The median of age, chosen from 121 candidates. Limits: {ROWS}; chosen between 0 and "
            "120.",
        ),
        (
            "most frequent reasons",
            f"The 3 most frequent of 5 values of reason, in order. Limits: {ROWS}.",
        ),
    ],
)
def test_a_query_is_told_from_its_public_parameters(name, sentence):
    (asked,) = [each for each in sample_queries() if each.name == name]
    assert said(asked) == sentence


def test_entities_are_called_what_the_plan_calls_them():
    assert said(query("q", "entities", [], max_contribution=3.0)) == (
        "The number of different values of person. Limits: contribution of each “person” scaled "
        "down to at most 3 rows."
    )


def test_other_quantiles_and_imputed_values_are_named():
    assert said(query("q", "quantile", [], "age", bounds=[0, 120], quantile=0.9)) == (
        f"The 90th percentile of age. Limits: {ROWS}; chosen between 0 and 120."
    )
    mean = query("q", "mean", [], "age", bounds=[0, 120])
    filled = {"bounds": [0, 120], "nulls": 40, "size_is_public": True}
    assert said(attrs.evolve(mean, parameters=filled)) == (
        f"The mean of age. Limits: {ROWS}; values clipped to 0…120; a missing value taken as 40."
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (False, "false"),
        (25, "25"),
        (0.5, "0.5"),
        (2019.0, "2019"),
        (20190.0, "20190"),
        ("free", "free"),
        ("", "(empty text)"),
        (datetime.date(1974, 1, 1), "1974-01-01"),
    ],
)
def test_keys_as_text(value, text):
    assert scalar(value) == text


@pytest.mark.parametrize(
    ("value", "width", "unit", "told"),
    [
        (1234.5678, 3.21, "euros", "1,234.6"),
        (1234.5678, 321.0, "euros", "1,235"),
        (0.123456, 0.0123, "m", "0.123"),
        (-7.0, 4.0, "rows", "−7"),
        (-0.2, 40.0, "euros", "0"),
        (26.0, None, None, "26"),
        (26.123456789, None, None, "26.1235"),
        (1.5, 0.0, "x", "1.5"),
        (1.5, math.inf, "x", "1.5"),
        (None, 4.0, "rows", ""),
    ],
)
def test_a_value_has_the_decimals_of_its_width(value, width, unit, told):
    assert format_value(value, width, unit) == told


@pytest.mark.parametrize(
    ("width", "unit", "told"),
    [
        (3.21, "euros", "± 3.3"),
        (541.2, "euros", "± 542"),
        (0.1, "m", "± 0.10"),
        (611.5, "rows", "± 612"),
        (math.inf, "m", "± ∞"),
        (None, None, ""),
    ],
)
def test_widths_are_rounded_up(width, unit, told):
    assert half_width(width, unit) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.0, "0"),
        (52.0, "52"),
        (-1.25, "−1.25"),
        (1234567.0, "1,234,567"),
        (1e-5, "1e-05"),
        (-2.5e-7, "−2.5e-07"),
        (1e20, "1e+20"),
        (math.inf, "∞"),
    ],
)
def test_significant_digits(value, told):
    assert significant(value) == told


FOLDERS = ("publish/page", "serve")


def test_neither_pages_nor_the_service_name_a_statistic():
    """Each statistic says itself what its report says and draws, and whether it is served."""
    named = [
        f"{path.name}: {kind}"
        for folder in FOLDERS
        for path in sorted((Path(deniable.__file__).parent / folder).rglob("*.*"))
        if path.suffix in (".py", ".html") and path.name != "page.html"
        for kind in STATISTICS
        # These are units, too, and the example of all questions; and a key of its own is no kind.
        if kind not in ("count", "entities")
        and re.search(rf"""(?<!get\()["']{kind}["']""", path.read_text("utf-8"))
    ]
    assert named == []
