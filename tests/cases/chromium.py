"""Debian's Chromium for pages; ask for it with the fixture `browser`.

A page is opened with every request caught: what asks for anything but its own file is told.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.cases.programs import need


@contextmanager
def started_browser() -> Iterator[Browser]:
    """One browser for all tests of a process."""
    place = need("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, file: Path, **settings: Any) -> Iterator[Page]:
    """A page from a file; afterwards it has asked for nothing else and complained of nothing."""
    context = browser.new_context(**settings)
    page = context.new_page()
    asked, complaints = [], []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    context.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    yield page
    context.close()
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [file.as_uri()]
    assert complaints == []
