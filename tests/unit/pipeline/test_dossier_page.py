"""A dossier in a browser: no script, nothing from outside, no line wider than a telephone."""

from pathlib import Path

import attrs
import pytest

import deniable
from deniable.pipeline.dossier_page import dossier_page, figure_words
from deniable.pipeline.dossiers import regimes
from deniable.pipeline.statements import Figure, Statement
from tests.cases.answers import HOSTILE
from tests.cases.chromium import opened
from tests.cases.effort import some_pairs

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"
WIDTHS = {"telephone": 375, "desk": 1200, "paper": 703}
LONG = "x" * 300
LINKS = """[...document.querySelectorAll("a[href^='#']")].map((each) => each.getAttribute("href"))
    .filter((place) => document.querySelectorAll(place).length !== 1)"""
"""Links within a page that lead nowhere or to two places, in one question to the browser."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page of every regime, of a release with names that are hostile and long."""
    folder = tmp_path_factory.mktemp("pages")
    answer = deniable.dossier(GOLDEN / "plan-charged", "nist", candidates=10)
    figures = (Figure(HOSTILE, upper=0.5), Figure(LONG, 0.25, 1e300), *(
        answer.table["mechanisms"].figures
    ))  # fmt: skip
    table = answer.table | {
        "mechanisms": attrs.evolve(answer.table["mechanisms"], figures=figures),
        "unit": Statement(HOSTILE, (HOSTILE, LONG), (), HOSTILE, how=LONG),
    }
    for key, regime in regimes().items():
        page = dossier_page(attrs.evolve(answer, table=table, regime=regime))
        (folder / f"{key}.html").write_text(page, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("regime", "medium"), some_pairs([*regimes()], [*WIDTHS]))
def test_no_page_is_wider_than_its_screen(browser, pages, regime, medium):
    size = {"width": WIDTHS[medium], "height": 900}
    with opened(browser, pages / f"{regime}.html", viewport=size) as page:
        if medium == "paper":
            page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert page.locator("script").count() == 0
        assert page.locator("img").count() == 0
        assert page.locator("section.question").count() == page.locator("#questions-caption").count(
        ) * page.locator("tbody a[href^='#q']").count()  # fmt: skip
        assert page.evaluate(LINKS) == []


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (Figure("x", upper=0.1234561), "at most 0.123457"),
        (Figure("x", upper=1e-9), "at most 1e-09"),
        (Figure("x", lower=0.1234569), "at least 0.123456"),
        (Figure("x", 0.1234569, 0.2000001), "0.123456 to 0.200001"),
        (Figure("x", 343.0, 343.0), "343"),
        (Figure("x", upper=float("inf")), "at most ∞"),
        (Figure("x", 0.0, 1.0), "0 to 1"),
    ],
)
def test_a_figure_is_rounded_to_its_safe_side(figure, words):
    assert figure_words(figure) == words
