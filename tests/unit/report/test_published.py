import itertools
import re

import attrs

from deniable.certificate.limits import measured
from deniable.certificate.results import ResultRow
from deniable.report.published import MOST_BARS, MOST_ROWS, published_section
from deniable.report.style import PALETTE
from tests.cases.prose import Page, Table
from tests.cases.sample_certificate import (
    CertifiedGroup,
    cells,
    laplace,
    query,
    sample_certificate,
    sample_rows,
)

SOURCE = published_section(sample_certificate(), sample_rows())
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
    return Page(published_section(attrs.evolve(sample_certificate(), queries=(wide,)), rows))


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
    assert found.head == ["plan", "Value", "± 95 %", "More than noise?", "Rows", "± 95 %"]
    assert found.cells[0] == ["free", "4.12", "± 0.31", "yes", "6,851", "± 271"]


def test_every_caption_and_picture_names_the_limits():
    certificate = sample_certificate()
    for number, each in enumerate(certificate.queries, start=1):
        told = measured(each, certificate.unit, certificate.rows_per_entity)
        assert table(number).caption == f"Published: {told}"
        assert all(told in description for _, description in block(number).alts)


def test_bins_and_years_stand_as_people_write_them():
    edges = (1990.0, 2000.0, 2010.0, 2020.0)
    years = query("years", "histogram", [laplace("histogram", 1.0, 1, 3.0)], "year", edges=edges)
    rows = [
        ResultRow("years", "histogram", "year", {}, low, high, value=5.0)
        for low, high in itertools.pairwise(edges)
    ]
    page = Page(published_section(attrs.evolve(sample_certificate(), queries=(years,)), rows))
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
    assert block(5).paragraphs[-1] == ("No error bar: the error is one of rank; the table has it.")
    assert [row["± 95 %, rows"] for row in table(5).rows] == ["± 612"]


def test_long_queries_are_cut_with_a_pointer():
    page = long_page(MOST_ROWS + 203)
    assert page.paragraphs[-1] == (
        f"The first {MOST_ROWS} of 403 rows; results.csv holds them all."
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
    fills = [each["fill"] for each in block(1).all("path") if "fill" in each]
    assert fills.count(PALETTE["paper"]) == 1


def test_a_quantile_tells_its_error_in_percentiles():
    assert block(5).paragraphs[1].split(": ")[1].split("; ") == [
        "of 10,000 rows, between the 43rd and the 57th percentile",
        "of 100,000 rows, between the 49th and the 51st percentile.",
    ]
