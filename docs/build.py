"""docs/*.md and the README as linked HTML in build/docs/; a dead link is an error."""

import html
import os
import re
import shutil
import sys
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "docs"
MARKDOWN = MarkdownIt("commonmark").enable("table")
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 1rem/1.55 system-ui, sans-serif; max-width: 46rem }}
body {{ margin: 2rem auto; padding: 0 1rem }}
pre {{ background: #f4f4f2; padding: .8rem; overflow-x: auto }}
table {{ border-collapse: collapse; display: block; overflow-x: auto }}
th, td {{ border: 1px solid #ccc; padding: .25rem .6rem; text-align: left; vertical-align: top }}
</style>
</head>
<body>
<nav><a href="{home}">Deniable</a></nav>
<main>
{body}</main>
</body>
</html>
"""


def parsed() -> dict[Path, list[Token]]:
    """Every page of the documentation."""
    sources = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    return {page: MARKDOWN.parse(page.read_text(encoding="utf-8")) for page in sources}


def slug(heading: str) -> str:
    """The anchor that a heading gets, as on the usual forges."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def headings(tokens: list[Token]) -> list[tuple[Token, str]]:
    """Each opening heading token with its text."""
    return [
        (token, tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def links(tokens: list[Token]) -> list[Token]:
    """Every link in the page."""
    return [
        child
        for token in tokens
        for child in token.children or []
        if child.type == "link_open" and "://" not in str(child.attrs["href"])
    ]


def target(page: Path, link: str) -> tuple[Path, str]:
    """The file and the anchor that a relative link leads to."""
    path, _, anchor = link.partition("#")
    return (page.parent / path).resolve() if path else page, anchor


def dead_links(pages: dict[Path, list[Token]]) -> list[str]:
    """Links to a file or a heading that is not there, each with its page."""
    anchors = {page: {slug(text) for _, text in headings(tokens)} for page, tokens in pages.items()}
    return [
        f"{page.relative_to(ROOT)}: {token.attrs['href']}"
        for page, tokens in pages.items()
        for token in links(tokens)
        for path, anchor in [target(page, str(token.attrs["href"]))]
        if not path.exists() or (anchor and anchor not in anchors.get(path, set()))
    ]


def write(page: Path, tokens: list[Token]) -> None:
    """One page, with anchors at its headings and links to the other written pages."""
    for token, text in headings(tokens):
        token.attrSet("id", slug(text))
    to = (OUT / page.relative_to(ROOT)).with_suffix(".html")
    for token in links(tokens):
        link = str(token.attrs["href"])
        path, _ = target(page, link)
        written = re.sub(r"\.md(?=#|$)", ".html", link)
        token.attrSet("href", written if ".md" in link else os.path.relpath(path, to.parent))
    to.parent.mkdir(parents=True, exist_ok=True)
    text = PAGE.format(
        title=html.escape(headings(tokens)[0][1]),
        home="../" * (len(to.relative_to(OUT).parts) - 1) + "README.html",
        body=MARKDOWN.renderer.render(tokens, MARKDOWN.options, {}),
    )
    to.write_text(text, encoding="utf-8")


def main() -> int:
    """Write every page; 1 if a link leads nowhere."""
    pages = parsed()
    dead = dead_links(pages)
    for line in dead:
        print(f"Expected a link that leads somewhere, got {line}.", file=sys.stderr)
    shutil.rmtree(OUT, ignore_errors=True)
    for page, tokens in pages.items():
        write(page, tokens)
    print(OUT.relative_to(ROOT) / "README.html")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
