"""Plans whose words are markup, script or another direction, on the explorer's page."""

import csv
import math
import re

import pytest

import deniable
from deniable.explorer.explore import explorer_page
from tests.cases.chromium import opened
from tests.cases.effort import one_in, usual

WORDS = [
    "</script><script>document.title='owned'</script>",
    "<!--<script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "]]>--><svg onload=alert(1)>",
    "@script@ @public@ ${1} \\u003c \\",
    "أعمار المرضى",
    "\u202egnp.tluser",
    "a\u2028b\u2029c",
    "é😀'\"`&amp;",
    "__proto__",
]
HEAD = """
[data]
source = "visits.csv"
entity = "person"
unit = {unit}
[target]
gamma = 2.0
[limits]
rows_per_entity = 2
"""
QUERY = """
[[query]]
name = {name}
statistic = "sum"
column = {name}
bounds = [0, 50]
group_by = ["plan"]
keys = {{ plan = [{keys}] }}
"""


def quoted(text):
    return '"' + "".join(f"\\U{ord(each):08x}" for each in text) + '"'


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The page of a plan with a query a word; the last has 1,000 cells."""
    folder = tmp_path_factory.mktemp("hostile")
    with (folder / "visits.csv").open("w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([["person", "plan", *WORDS], ["a", "free", *range(len(WORDS))]])
    many = [f"k{i}" for i in range(1000)]
    queries = "".join(
        QUERY.format(name=quoted(word), keys=", ".join(map(quoted, keys)))
        for word, keys in zip(WORDS, [WORDS] * (len(WORDS) - 1) + [many], strict=True)
    )
    plan = folder / "visits.toml"
    plan.write_text(HEAD.format(unit=quoted(WORDS[0])) + queries, encoding="utf-8")
    page = folder / "page.html"
    page.write_text(explorer_page(plan), encoding="utf-8")
    return page


def test_words_stay_words(browser, file):
    with opened(browser, file) as page:
        page.locator("#tab-plan").click()
        shown = page.locator("#errors tbody th bdi").all_text_contents()
        assert shown == [word.replace("\u202e", "\ufffd") for word in WORDS]
        units = page.locator("#errors tbody td bdi").all_text_contents()
        assert units == shown
        for i in range(len(WORDS)):
            page.locator("#query").select_option(str(i))
            assert page.locator("#error-chart svg text").last.text_content().endswith(shown[i])
        assert WORDS[0] in page.locator("#sentence").text_content()
        assert page.title() == "Choose a budget"
        assert page.locator("script").count() == 2
        assert page.evaluate("document.querySelectorAll('img, svg[onload]').length") == 0


def test_names_of_another_direction_leave_the_page_s_own_alone(browser, file):
    with opened(browser, file) as page:
        page.locator("#tab-plan").click()
        for row in page.locator("#errors tbody tr").all():
            places = [cell.bounding_box()["x"] for cell in row.locator("th, td").all()]
            assert places == sorted(places)


def test_a_thousand_cells(browser, file):
    with opened(browser, file) as page:
        page.locator("#tab-plan").click()
        cells, error = page.locator("#errors tbody tr").last.locator("td.number").all()
        assert cells.inner_text() == "1,000"
        assert error.inner_text().startswith("± ")


SIZES = usual((1e-300, 1.0, 1e301), (1e-300, 1e-9, 1.0, 1.7e18, 1e300, 1e301))


@pytest.mark.parametrize("target", ["", "delta = 1e-6"])
def test_bounds_of_any_size_give_a_table_and_an_axis_with_numbers(browser, tmp_path, target):
    (tmp_path / "visits.csv").write_text("person,visits\na,1\n")
    query = '[[query]]\nname = "{i}"\nstatistic = "{of}"\ncolumn = "visits"\nbounds = [0, {b}]\n'
    queries = [
        query.format(i=f"{of} {b}", of=of, b=b) for b in SIZES for of in ("sum", "mean", "quantile")
    ]
    plan = tmp_path / "visits.toml"
    head = HEAD.format(unit='"person"').replace("gamma = 2.0", f"gamma = 2.0\n{target}")
    plan.write_text(head + "".join(queries))
    file = tmp_path / "page.html"
    file.write_text(explorer_page(plan), encoding="utf-8")
    truth = {
        (query.query.name, error.of): dict(error.among).get(1000, error.half_width_95)
        for query in deniable.plan(plan).queries
        for error in query.errors
    }
    with opened(browser, file) as page:
        page.locator("#tab-plan").click()
        for i, row in enumerate(page.locator("#errors tbody tr").all()):
            name, of, _, told, _ = row.locator("th, td").all_inner_texts()
            known = truth[name, of]
            if known is not None and math.isfinite(known) and told != "± any":
                shown = float(told.removeprefix("± ").replace(",", ""))
                assert known <= shown <= known * 1.2 + 1
            page.locator("#query").select_option(str(i))
            axis = page.locator("#error-chart svg")
            assert not re.search("NaN|Infinity|undefined", axis.inner_html())
            left = axis.bounding_box()["x"]
            assert all(text.bounding_box()["x"] >= left - 1 for text in axis.locator("text").all())


WRONG_TO_THEM = re.compile("NaN|Infinity|undefined|more than 100 %")


def test_no_target_and_no_band_is_answered_with_what_is_no_number(browser, file):
    ends = [("0", "0"), ("0", "1"), ("1", "1"), ("0.5", "0.5"), ("1e-12", "0.999999999")]
    with opened(browser, file) as page:
        kinds = page.locator("#kind option").evaluate_all("all => all.map(each => each.value)")
        for place, kind in enumerate(kinds):
            page.locator("#kind").select_option(kind)
            for low, high in one_in(5, ends, place):
                page.locator("#low").fill(low)
                page.locator("#high").fill(high)
                for tail in one_in(2, ("", "yes"), place):
                    page.locator("#tail").select_option(tail)
                    page.evaluate("[...view.stale].forEach(panel => render(panel))")
                    body = page.locator("main").evaluate("node => node.outerHTML")
                    assert not WRONG_TO_THEM.search(body), (kind, low, high, tail)
