"""From a messy file of a hospital to its report, in a real browser, without TOML."""

import os
import tomllib

import pytest
from axe_playwright_python.sync_playwright import Axe

import deniable
from tests.cases.studio_page import WARDS, hospital_file, served

WIDTHS = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 375, "height": 800}}


@pytest.fixture(scope="module")
def walked(browser, tmp_path_factory):
    """The folder of a walk, and the step, the violations and the overflow of each page."""
    folder = tmp_path_factory.mktemp("walk")
    pages = []
    with served(hospital_file(folder)) as (_, address):
        context = browser.new_context(viewport=WIDTHS["desk"])
        page = context.new_page()
        complaints, asked = [], []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        context.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        walk(page, lambda name: pages.append(seen(page, folder, name)))
        context.close()
    return folder, pages, complaints, [url for url in asked if not url.startswith(address)]


def seen(page, folder, name):
    """What is wrong with a page for somebody who does not see it, or sees it on a phone."""
    found = Axe().run(page).response["violations"]
    take_picture(page, folder / f"{name}.png")
    page.set_viewport_size(WIDTHS["phone"])
    fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    take_picture(page, folder / f"{name}-phone.png")
    page.set_viewport_size(WIDTHS["desk"])
    return name, [(each["id"], each["nodes"][0]["html"]) for each in found], fits


def take_picture(page, place):
    """A picture to look at, where somebody wants to; it takes as long as the rest of a page."""
    if "STUDIO_PICTURES" in os.environ:
        page.screenshot(path=place, full_page=True)


def press(page, label, role="button"):
    """Press a button or follow a link, and wait for the next page, which a click does not."""
    with page.expect_navigation():
        page.get_by_role(role, name=label).first.click()


def choose(page, label, option):
    page.get_by_label(label, exact=True).select_option(option)


def walk(page, look):
    # 1. The file: an encoding and a delimiter are offered, types are chosen.
    look("1-unread")
    press(page, "Read it this way")
    look("1-one-column")
    press(page, "Read it this way")
    choose(page, "Before decimals", ",")
    choose(page, "Dates", "31.12.2024")
    page.get_by_label("Texts that mean no value").fill("k. A.")
    for column, kind in [("Aufnahme", "integer"), ("Alter", "integer"), ("Kosten in €", "number")]:
        choose(page, column, kind)
    choose(page, "Verstorben", "boolean")
    press(page, "Read it again")
    assert page.locator("td.unread").count() == 8  # a day is no integer
    look("1-unread-cells")
    choose(page, "Aufnahme", "date")
    press(page, "Read it again")
    assert page.locator("td.unread").count() == 0
    look("1-file")
    press(page, "go on")
    # 2. and 3. Who, and against whom.
    page.get_by_label("A person, who may own several rows").check()
    choose(page, "The column that says whose it is", "Patient")
    page.get_by_label("At most how many rows").fill("3")
    page.get_by_label("What one of them is called").fill("patient")
    page.get_by_label("Yes, anyone may know").check()
    look("2-who")
    press(page, "Go on")
    slider = page.get_by_role("slider", name="After the release, at most")
    for _ in range(10):
        slider.press("ArrowLeft")
    page.get_by_text("can become at most 40 % sure").wait_for()
    look("3-attacker")
    press(page, "Go on")
    # 4. Two tables, one by wards and months that are computed.
    page.get_by_text("Compute a column").click()
    choose(page, "From the column", "Aufnahme")
    choose(page, "Take its", "quarter")
    press(page, "Compute it")
    press(page, "Counts of rows", "link")
    page.get_by_label("Its name in the results").fill("Aufenthalte")
    choose(page, "Group by", "Station")
    page.get_by_label("Its values that are published").first.fill("\n".join(WARDS))
    choose(page, "And group by", "Aufnahme quarter")
    page.get_by_label("Its values that are published").nth(1).fill("2024-Q1..2024-Q4")
    look("4-table")
    press(page, "Publish this")
    press(page, "A mean", "link")
    page.get_by_label("Its name in the results").fill("Mittlere Kosten")
    choose(page, "The column", "Kosten in €")
    page.get_by_label("Lowest value").fill("0")
    page.get_by_text("Only some rows, or another").click()
    choose(page, "Condition 1 is on the column", "Alter")
    choose(page, "Comparison 1", ">=")
    page.get_by_label("Value 1").fill("18")
    page.get_by_label("How much of the budget it gets").fill("2")
    press(page, "Publish this")
    assert "expected a number" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Lowest value").input_value() == "0"
    look("4-refused")
    page.get_by_label("Highest value").fill("10000")
    press(page, "Publish this")
    look("4-publish")
    press(page, "See what it costs", "link")
    # 5. The advice is taken by one click.
    look("5-cost")
    press(page, "Make it a table with totals")
    assert 'statistic = "crosstab"' in page.locator("pre").inner_text()
    look("5-cost-after")
    press(page, "Go on", "link")
    # 6. to 8. Preview, release, results.
    press(page, "Look at the data")
    page.get_by_role("heading", name="Mittlere Kosten").wait_for()
    look("6-preview")
    press(page, "Go on", "link")
    press(page, "Release")
    page.get_by_role("button", name="Yes, release it").wait_for()
    look("7-asked")
    press(page, "Yes, release it")
    page.get_by_role("heading", name="Results").wait_for()
    page.frame_locator("iframe").get_by_text("can become at most").first.wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download results.csv").click()
    assert download.value.suggested_filename == "results.csv"
    look("8-results")


def test_a_messy_file_becomes_a_report_that_checks(walked):
    folder, *_ = walked
    plan = tomllib.loads((folder / "aufenthalte.toml").read_text("utf-8"))
    assert plan["data"]["csv"]["encoding"] == "windows-1252"
    assert plan["target"] == {"max_posterior": 0.4}
    assert [each["statistic"] for each in plan["query"]] == ["crosstab", "mean"]
    assert (plan["query"][1]["where"], plan["query"][1]["weight"]) == ([["Alter", ">=", 18]], 2)
    deniable.check(folder / "aufenthalte-release")


def test_no_page_of_the_walk_violates_accessibility(walked):
    assert [(name, found) for name, found, _ in walked[1] if found] == []


def test_every_page_of_the_walk_fits_a_phone(walked):
    assert [name for name, _, fits in walked[1] if not fits] == []


def test_the_walk_asks_nothing_of_the_network_and_complains_of_nothing(walked):
    _, _, complaints, elsewhere = walked
    assert [each for each in complaints if "422" not in each] == []
    assert elsewhere == []
