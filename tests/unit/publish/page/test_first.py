"""The first page stands alone: beliefs, the main numbers, what is protected and what is not."""

import functools
import html
import re

import polars as pl
import pytest

import deniable
from tests.cases.chromium import opened
from tests.cases.effort import some_pairs

PAPER = {"A4": {"width": 703, "height": 1009}, "Letter": {"width": 725, "height": 942}}
"""Pages without their margins, in CSS pixels."""
REPORT = {
    "title": "Hospital stays by ward and month",
    "organisation": "St Mary's Hospital, Office of Statistics",
    "study": "Admissions cohort",
    "contact": "statistics@example.org",
}
FRAME = pl.DataFrame(
    {
        "patient": [f"p{i % 400}" for i in range(900)],
        "ward": ["medicine", "surgery", "children"] * 300,
        "month": [f"2024-{i % 12 + 1:02}" for i in range(900)],
        "stay": [i % 9 for i in range(900)],
    }
)
KEYS = {
    "ward": ["medicine", "surgery", "children"],
    "month": [f"2024-{m:02}" for m in range(1, 13)],
}
COUNT = {"name": "stays", "statistic": "count", "group_by": ["ward", "month"]}
CROSSTAB = {"name": "stays", "statistic": "crosstab", "columns": ["ward", "month"]}
SINGLE = [
    {"name": "all stays", "statistic": "count"},
    {"name": "mean stay", "statistic": "mean", "column": "stay", "bounds": [0, 30]},
    {"name": "usual stay", "statistic": "quantile", "column": "stay", "bounds": [0, 30]},
]
PLANS = {
    "two groupings": [COUNT],
    "one grouping": [*SINGLE, COUNT | {"group_by": ["month"]}],
    "a crosstab": [*SINGLE, CROSSTAB],
    "numbers": SINGLE,
    "bins": [{"name": "h", "statistic": "histogram", "column": "stay", "edges": [0, 5, 30]}],
    "bins of groups": [
        {"name": "h", "statistic": "histogram", "column": "stay", "edges": [0, 5, 30],
         "group_by": ["ward"]},
    ],
    "a choice": [
        {"name": "t", "statistic": "top", "column": "ward", "number": 2,
         "keys": {"ward": KEYS["ward"]}},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """The release of one of PLANS, made once."""
    return functools.cache(lambda name: released(tmp_path_factory.mktemp("page"), PLANS[name]))


def released(folder, queries, **data):
    plan = {
        "data": {"source": "memory", "entity": "patient", "unit": "patient", **data},
        "target": {"max_posterior": 0.75, "delta": 1e-6},
        "adversary": {"prior": [0.0, 0.5]},
        "limits": {"rows_per_entity": 2},
        "keys": {name: KEYS[name] for name in KEYS if any(name in str(q) for q in queries)},
        "query": queries,
        "report": REPORT,
    }
    return deniable.release(plan, folder / "out", data=FRAME)


def first_of(page: str) -> str:
    inside = page.partition('class="first"')[2].partition("<nav")[0]
    return html.unescape(re.sub(r"<[^>]+>", " ", inside))


def head_of(answer) -> str:
    page = (answer.out / "report.html").read_text("utf-8").partition("<header>")[2]
    return html.unescape(re.sub(r"<[^>]+>", "", page.partition("</header>")[0]))


@pytest.mark.parametrize("name", PLANS)
def test_it_has_numbers_and_answers(page_of, name):
    out = page_of(name).out
    first = first_of((out / "report.html").read_text("utf-8"))
    assert "protected" in first
    assert "patients belonging together" in first
    assert "other attackers" in first
    assert "Whom to ask:" in first
    assert (
        re.search(r"Are my\s+“\s*ward\s*”\s+and my\s+“\s*month\s*”\s+protected too", first)
        is not None
    ) == (name in ("two groupings", "a crosstab"))
    numbers = re.findall(r"2024-05.*?(−?[\d,]+)", first, re.DOTALL)
    assert bool(numbers) == (name not in ("numbers", "bins", "bins of groups", "a choice"))
    assert ("mean stay" in first) == (name == "numbers")


def test_the_numbers_are_those_of_the_results(page_of):
    answer = page_of("two groupings")
    first = first_of((answer.out / "report.html").read_text("utf-8"))
    line = re.search(r"2024-03\s+(\S+)\s+(\S+)\s+(\S+)", first)
    shown = [float(each.replace("−", "-").replace(",", "")) for each in line.groups()]
    exact = [row.value for row in answer.rows if row.groups["month"] == "2024-03"]
    assert len(exact) == 3
    assert shown == pytest.approx(
        exact, abs=0.51 * 10 ** len(str(int(answer.rows[0].half_width_95)))
    )


@pytest.mark.parametrize(("name", "paper"), some_pairs([*PLANS], [*PAPER]))
def test_on_paper_it_is_one_page(page_of, browser, name, paper):
    out = page_of(name).out
    with opened(browser, out / "report.html", viewport=PAPER[paper]) as page:
        page.emulate_media(media="print")
        box = page.locator(".first").bounding_box()
        assert box["y"] + box["height"] <= PAPER[paper]["height"]
        tops = {each.bounding_box()["y"] for each in page.locator(".pair svg").all()}
        assert len(tops) == 1  # icons stand side by side
        signature = page.locator(".sign").bounding_box()
        assert signature["y"] + signature["height"] <= 2 * PAPER[paper]["height"]
        assert page.locator("#first-table, [aria-labelledby=first-table-caption]").count() <= 1


def test_on_a_telephone_nothing_is_cut_off(page_of, browser):
    out = page_of("a crosstab").out
    with opened(browser, out / "report.html", viewport={"width": 375, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        heads = page.locator("#first-table-caption ~ tbody th").all()
        assert len({each.bounding_box()["height"] for each in heads}) == 1  # 2024-01 on one line


def test_the_first_page_says_what_the_error_leaves_out(page_of):
    first = first_of((page_of("a crosstab").out / "report.html").read_text("utf-8"))
    assert "The number after ± covers the noise alone" in first
    assert "at most 2 rows per patient" in first
    assert REPORT["contact"] in first
    assert f"{REPORT['organisation']} · {REPORT['study']} · Released" in head_of(
        page_of("a crosstab")
    )
    bins = first_of((page_of("bins").out / "report.html").read_text("utf-8"))
    assert "±" not in bins


@pytest.mark.parametrize("whole", [False, True])
def test_numbers_that_noise_explains_are_pale_totals_and_clipped_ones_too(tmp_path, whole):
    answer = released(tmp_path, [CROSSTAB | {"whole": whole}])
    page = (answer.out / "report.html").read_text("utf-8")
    table = page.partition('"first-table-caption"')[2].partition("</table>")[0]
    cells = re.findall(r'<span class="(?:heat heat-\d+|total)( faint)?">([^<]*)</span>', table)
    assert len(cells) == len(answer.rows) == (4 + 1) * (13 + 1)
    explained = [
        row.whole_number == 0 or abs(row.value) <= row.half_width_95 for row in answer.rows
    ]
    assert sum(bool(pale) for pale, _ in cells) == sum(explained)
    assert all(pale for pale, number in cells if number == "0")


def test_of_two_groupings_the_page_shows_all_and_not_the_first_forty(tmp_path):
    more = COUNT | {"group_by": ["month", "ward"], "name": "turned"}
    page = (released(tmp_path, [COUNT, more]).out / "report.html").read_text("utf-8")
    published = page.partition('id="published"')[2]
    assert published.count("As a list") == 0  # 36 cells: a chart holds them
    keys = {"month": [f"2024-{m:02}" for m in range(1, 13)], "stay": list(range(9))}
    plan = {
        "data": {"source": "memory", "entity": "patient"},
        "target": {"epsilon": 1.0},
        "limits": {"rows_per_entity": 1},
        "keys": keys,
        "query": [COUNT | {"group_by": ["month", "stay"]}],
    }
    out = deniable.release(plan, tmp_path / "many", data=FRAME).out
    published = (out / "report.html").read_text("utf-8").partition('id="published"')[2]
    assert "As a list" in published
    assert "first 40" not in published


def test_a_long_recoding_is_folded(tmp_path):
    recode = {"ward": {f"old {i}": "medicine" for i in range(60)}}
    out = released(tmp_path, [COUNT], recode=recode).out
    page = (out / "report.html").read_text("utf-8")
    assert "60 entries" in page
    assert "<details>" in page.partition("old 59")[0][-20_000:]
