"""Plans whose words are markup, script or another direction, on the explorer's page."""

import csv

import pytest

from deniable.explorer.explore import explorer_page
from tests.cases.chromium import opened

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
