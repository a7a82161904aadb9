"""The site that `make docs` built: it asks for nothing outside, shows everything, and is found in.

Without the variable `DENIABLE_SITE`, which names its folder, nothing of it is tested: to build it
takes most of a minute.
"""

import os
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from docs.python import rooms
from tests.cases.left_out import PREFIX

SITE = Path(os.environ.get("DENIABLE_SITE", "")).resolve()
pytestmark = pytest.mark.skipif(
    "DENIABLE_SITE" not in os.environ,
    reason=f"{PREFIX}the site (make docs builds it, and runs its tests)",
)
ASSETS = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)=\"([^\"]*)\"")
LINKS = re.compile(r"<a\b[^>]*?\bhref=\"([^\"]*)\"")
LOOKS = {
    "desktop": {"viewport": {"width": 1200, "height": 800}},
    "phone": {"viewport": {"width": 375, "height": 800}},
    "dark": {"viewport": {"width": 1200, "height": 800}, "color_scheme": "dark"},
}
CUT_OFF = """[...document.querySelectorAll('pre, h1, h2, dt')]
    .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)"""
RULES = {
    "runOnly": ["wcag2a", "wcag2aa"],
    # Sphinx writes a signature of several lines as a list of descriptions of nothing.
    "rules": {"definition-list": {"enabled": False}},
}
PAGES = (
    "docs/index",
    "docs/how-to/index",
    "docs/reference/commands",
    "docs/reference/commands/rules",
    "docs/reference/plan",
    "docs/reference/theorems",
    "docs/reference/api/deniable.mechanisms.DiscreteGaussian",
    "docs/explanation/errata",
)


@pytest.fixture(scope="module")
def texts():
    return {page: page.read_text(encoding="utf-8") for page in sorted(SITE.rglob("*.html"))}


def test_a_page_loads_nothing_from_outside(texts):
    assert len(texts) > 300
    loaded = {address for text in texts.values() for address in ASSETS.findall(text)}
    assert {each for each in loaded if "//" in each} == set()
    assert not any("url(http" in sheet.read_text("utf-8") for sheet in SITE.rglob("*.css"))


def test_every_link_leads_to_a_page_and_a_place_in_it(texts):
    places = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    dead = []
    for page, text in texts.items():
        for address in set(LINKS.findall(text)):
            name, _, place = address.partition("#")
            to = (page.parent / name).resolve() if name else page
            if "://" not in address and to.suffix == ".html" and place not in places[to] | {""}:
                dead.append((page.name, address))
    assert dead == []


def test_every_public_name_has_its_page():
    names = {f"{room}.{name}" for room, value in rooms().items() for name in dir(value)} | {
        *rooms()
    }
    pages = {path.name.removesuffix(".html") for path in (SITE / "docs/reference/api").iterdir()}
    assert pages == names


def test_every_picture_has_words(texts):
    pictures = [x for text in texts.values() for x in re.findall(r"<img\b[^>]*>", text)]
    assert len(pictures) >= 15
    assert [x for x in pictures if not re.search(r'alt="[^"]{80,}"', x)] == []


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_is_cut_off_and_search_finds(browser, look):
    context = browser.new_context(**LOOKS[look])
    page, asked, failed = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    for name in PAGES:
        page.goto((SITE / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert page.evaluate(CUT_OFF) == [], name
    page.goto(f"{(SITE / 'search.html').as_uri()}?q=threat+model")
    page.wait_for_selector("#search-results li a[href*='threat-model']")
    # Only from a server can a script read pages, of which the results show the words around.
    assert set(failed) <= {"Failed to fetch"}
    assert all(url.startswith(("file://", "data:")) for url in asked)
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_nothing_that_keeps_people_out(browser, name):
    page = browser.new_page()
    page.goto((SITE / f"{name}.html").as_uri())
    found = Axe().run(page, options=RULES).response["violations"]
    page.close()
    assert [(each["id"], each["nodes"][0]["html"][:100]) for each in found] == []
