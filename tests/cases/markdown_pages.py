"""The project's pages as Markdown: headings, links and what a table of contents lists."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MARKDOWN = MarkdownIt("commonmark").enable("table")


def parse_pages() -> dict[Path, list[Token]]:
    """Every page at the root, in docs/ and of reproductions."""
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("reproductions/**/*.md")]
    return {page: MARKDOWN.parse(page.read_text(encoding="utf-8")) for page in sorted(pages)}


def anchor(heading: str) -> str:
    """What a link to a heading ends in, as on the usual forges."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(tokens: list[Token]) -> set[str]:
    """Of every heading of a page."""
    places = [index + 1 for index, each in enumerate(tokens) if each.type == "heading_open"]
    return {anchor(tokens[place].content) for place in places}


def inline(tokens: list[Token], kind: str) -> Iterator[Token]:
    """Links (`link_open`) or pictures (`image`) of a page."""
    return (x for token in tokens for x in token.children or [] if x.type == kind)


def dead_links(pages: dict[Path, list[Token]]) -> list[str]:
    """Links to a file or a heading that is not there, each with its page; a folder is no page."""
    known = {page: anchors(tokens) for page, tokens in pages.items()}
    dead = []
    for page, tokens in pages.items():
        for link in inline(tokens, "link_open"):
            path, _, heading = str(link.attrs["href"]).partition("#")
            if "://" in path or path.startswith("mailto:"):
                continue
            to = Path(os.path.normpath(page.parent / path)) if path else page
            if not to.is_file() or (heading and heading not in known.get(to, set())):
                dead.append(f"{page.relative_to(ROOT)}: {link.attrs['href']}")
    return dead


def listed(page: Path, tokens: list[Token]) -> Iterator[Path]:
    """Pages that the tables of contents of a page list, in their order."""
    for token in tokens:
        if token.type == "fence" and token.info == "{toctree}":
            for line in token.content.splitlines():
                if line and line[0] != ":":
                    name = line.rpartition("<")[2].removesuffix(">")
                    yield from sorted(page.parent.glob(f"{name}.md")) or [page.parent / name]
