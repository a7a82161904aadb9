"""The pages as a site: no request outside, a search that finds, every docstring."""

import json
import re

import pytest

import deniable
from docs import build
from tests.cases.left_out import left_out
from tests.cases.programs import need

ADDRESSES = re.compile(r'\b(?:src|href)="([^"]*)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The whole site in a folder of its own."""
    return build.site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        left_out("pages in a browser", "pip install playwright")
    place = need("chromium")
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=place, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def pages(site):
    return sorted(site.rglob("*.html"))


def test_a_page_asks_for_nothing_outside_and_runs_nothing_that_stands_in_it(site):
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        head = text.split("<main")[0] + text.split("</main>")[1]
        assert "default-src 'none'" in head
        assert not any("//" in address for address in ADDRESSES.findall(head))
        assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
        assert not re.search(r"<(?:img|iframe|link)[^>]*(?:src|href)=\"https?:", text)


def test_every_link_between_pages_leads_to_a_page_and_a_place_in_it(site):
    anchors = {
        page: set(re.findall(r'\bid="([^"]+)"', page.read_text(encoding="utf-8")))
        for page in pages(site)
    }
    for page in pages(site):
        for address in ADDRESSES.findall(page.read_text(encoding="utf-8")):
            if "://" in address:
                continue
            name, _, anchor = address.partition("#")
            to = (page.parent / name).resolve() if name else page
            if to.suffix == ".html":
                assert to in anchors, (page.name, address)
                assert not anchor or anchor in anchors[to], (page.name, address)


def index(site):
    text = (site / "pages.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("const PAGES = ").removesuffix(";\n"))


def test_every_public_name_is_in_the_index_with_its_docstring(site):
    found = {heading: text for _, heading, place, text in index(site) if "/api/" in place}
    for name in dir(deniable):
        value = getattr(deniable, name)
        if callable(value) and not isinstance(value, type):
            first = value.__doc__.split()[0]
            assert first.strip("`*") in found[f"deniable.{name}"].replace("`", "")


def test_every_page_lists_all_pages_without_script(site):
    listed = {place.split("#")[0] for _, _, place, _ in index(site)}
    for page in pages(site):
        nav = page.read_text(encoding="utf-8").split("<nav")[1].split("</nav>")[0]
        to = {(page.parent / each).resolve() for each in ADDRESSES.findall(nav)}
        assert to == {site.resolve() / place for place in listed}


LOOKS = {
    "desktop": {"viewport": {"width": 1200, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 800}},
    "dark": {"viewport": {"width": 1200, "height": 800}, "color_scheme": "dark"},
}


@pytest.mark.parametrize("look", LOOKS)
def test_search_finds_by_keyboard_alone_and_no_page_is_wider_than_the_screen(site, browser, look):
    context = browser.new_context(**LOOKS[look])
    asked, failed = [], []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    for name in ("README.html", "docs/reference/commands.html", "docs/reference/api/deniable.html"):
        page.goto((site / name).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("/")
    for words in ("rows_per_entity", "(a", "\\", "[data", "<script>"):
        page.fill("#search-words", words)
        page.keyboard.press("Escape")
        assert page.locator("#found a").count() == 0
    page.fill("#search-words", "threat model")
    assert "Threat model" in page.locator("#found a").first.inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/threat-model.html*")
    assert failed == []
    assert all(url.startswith("file://") for url in asked)
    context.close()


def test_pages_have_nothing_that_keeps_people_out(site, browser):
    from axe_playwright_python.sync_playwright import Axe

    page = browser.new_page()
    for name in ("README.html", "docs/reference/plan.html"):
        page.goto((site / name).as_uri())
        page.fill("#search-words", "budget")
        found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"][:100]) for each in found] == []
