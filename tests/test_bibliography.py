"""Every paper that is cited has an entry, every entry is cited, and documents link to it."""

import calendar
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "bibliography.md"
KEY = re.compile(r"(?<![\w-])[a-z]+(?:-[a-z]+)*-(?:18|19|20)\d\d(?![\w-])")
FOLDERS = ("src", "docs", "tests", "examples", "reproductions")
MARKDOWN = MarkdownIt("commonmark").enable("table")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def entries() -> dict[str, str]:
    """Each key with what stands under it."""
    parts = re.split(r"^## (.+)\n", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def cited() -> set[str]:
    """Every key in a source, a document or a test, but not in the bibliography itself."""
    files = [
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md", ".json", ".ipynb"} and path != PAGE
    ]
    return {
        key
        for path in [*files, *ROOT.glob("*.md"), ROOT / "CITATION.cff"]
        for key in KEY.findall(text_of(path))
    }


NAMED = re.compile(r"\b([A-Z][^\W\d_]+)(?: and [A-Z]\w+|,| et al\.)? \(?(?:18|19|20)\d\d\b")
LINK = re.compile(r"\[[^]]*\]\([^)]*\)")
MONTHS = set(calendar.month_name) | set(calendar.month_abbr)


def test_a_paper_is_named_by_its_key():
    """Or links to its entry: names and a year lead nowhere."""
    files = [*(ROOT / "src").rglob("*.py"), *(page for page in PAGES if page != PAGE)]
    named = {
        (path.name, who) for path in files for who in NAMED.findall(LINK.sub("", text_of(path)))
    }
    assert {(name, who) for name, who in named if who not in MONTHS} == set()


def text_of(path: Path) -> str:
    return "" if path == PAGE else path.read_text(encoding="utf-8")


def test_every_key_resolves_and_every_entry_is_cited():
    assert cited() == set(entries())


def test_the_entries_are_in_order_and_stand_once():
    keys = re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("key", entries())
def test_an_entry_says_who_what_where_and_when(key):
    """Authors. *Title*. Where, with the key's year. An identifier that leads where it says."""
    first = " ".join(entries()[key].split("\n\n")[0].split())
    found = re.fullmatch(r"(.+?)\. ?\*([^*]+)\*\.? (.+?)\.(?: \[(.+):(.+)\]\((.+)\)\.)?", first)
    assert found, first
    authors, _, where, kind, number, link = found.groups()
    assert key.split("-")[0] in plain(authors.split(",")[0])
    assert key[-4:] in where
    if kind:
        assert link == {"doi": "https://doi.org/", "arXiv": "https://arxiv.org/abs/"}[kind] + number


def plain(name: str) -> str:
    letters = str.maketrans("áèéöüğıš", "aeeougis")
    return name.lower().translate(letters)


def test_no_two_entries_are_one_paper():
    titles = [re.search(r"\*([^*]+)\*", " ".join(entry.split()))[1] for entry in entries().values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_key_in_a_document_is_a_link_to_its_entry(page):
    """Code aside, and the headings of the bibliography."""
    loose = []
    tokens = MARKDOWN.parse(page.read_text(encoding="utf-8"))
    for before, token in zip([None, *tokens], tokens, strict=False):
        if page == PAGE and before is not None and before.type == "heading_open":
            continue
        target = None
        for child in token.children or []:
            if child.type in {"link_open", "link_close"}:
                target = child.attrGet("href")
            elif child.type == "text":
                keys = KEY.findall(child.content)
                loose += [k for k in keys if (target or "").rpartition("/")[2] not in leading(k)]
    assert not loose, "Write [key], and its definition at the end of the page."


def leading(key: str) -> set[str]:
    return {f"bibliography.md#{key}", f"#{key}"}
