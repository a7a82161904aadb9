"""docs/*.md, the README and the public names as a site in build/docs/; a dead link is an error.

The site asks for nothing outside. Its search runs in the browser, from an index beside the pages;
without script the list of pages is there.
"""

import html
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a script, too

from docs.api_pages import api_pages

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "docs"
SCROLLS = re.compile(r"<(pre|table)>")
"""What may be wider than a screen: the keyboard can scroll it."""
CURRENT = ' aria-current="page"'
MARKDOWN = MarkdownIt("commonmark").enable("table")
SECTIONS = ("tutorials", "how-to", "explanation", "reference", "maps-to", "decisions")
"""Folders of docs/ in the order in which the site lists them."""
API = ROOT / "docs" / "reference" / "api"
"""Where the site has the pages of the public names; they are made, and not kept."""
POLICY = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; base-uri 'none'"
PAGE = """<!doctype html>
<html lang="en" data-root="{root}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Deniable</title>
<link rel="stylesheet" href="{root}site.css">
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header><a href="{root}README.html">Deniable</a>
<search><label for="search-words">Search the documentation</label>
<input id="search-words" type="search" placeholder="Search" autocomplete="off" disabled>
<ul id="found"></ul><span id="search-told" role="status" class="skip"></span></search></header>
<div class="page">
<nav aria-label="Pages">{contents}</nav>
<main id="content">
{body}</main>
</div>
<script src="{root}pages.js"></script>
<script src="{root}search.js"></script>
</body>
</html>
"""


def parsed() -> dict[Path, list[Token]]:
    """Every page of the documentation."""
    sources = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    return {page: MARKDOWN.parse(page.read_text(encoding="utf-8")) for page in sources}


def with_api(pages: dict[Path, list[Token]]) -> dict[Path, list[Token]]:
    """The same with a page of each topic of the package, in which the docstrings stand whole."""
    made = {API / f"{name}.md": MARKDOWN.parse(text) for name, text in api_pages().items()}
    return pages | made


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
        if not (path.exists() or path in pages)
        or (anchor and anchor not in anchors.get(path, set()))
    ]


def title_of(tokens: list[Token]) -> str:
    """The first heading as it is read."""
    return plain_text(headings(tokens)[0][0], tokens)


def plain_text(opening: Token, tokens: list[Token]) -> str:
    """A heading without its marks."""
    inline = tokens[tokens.index(opening) + 1]
    return "".join(child.content for child in inline.children or [])


def place(page: Path) -> str:
    """Where the site has a page, from its root."""
    return str(page.relative_to(ROOT).with_suffix(".html"))


def contents(pages: dict[Path, list[Token]], here: Path) -> str:
    """All pages by section, for every page; the section of this one is open."""
    found = [_group("Start", [page for page in pages if page.parent == ROOT], pages, here)]
    for name in (*SECTIONS, "reference/api"):
        folder = ROOT / "docs" / name
        label = "Python" if folder == API else name.capitalize()
        found.append(_group(label, [x for x in pages if x.parent == folder], pages, here))
    return "".join(found)


def _group(label: str, listed: list[Path], pages: dict[Path, list[Token]], here: Path) -> str:
    up = "../" * (len(Path(place(here)).parts) - 1)
    rows = "".join(
        f'<li><a href="{up}{place(page)}"{CURRENT if page == here else ""}>'
        f"{html.escape(title_of(pages[page]))}</a></li>"
        for page in listed
    )
    opened = " open" if here in listed else ""
    return f"<details{opened}><summary>{html.escape(label)}</summary><ul>{rows}</ul></details>\n"


def sections(page: Path, tokens: list[Token]) -> Iterator[list[str]]:
    """What is searched: each heading with its page, its address and the words below it."""
    title, heading, anchor, words = title_of(tokens), title_of(tokens), "", []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and index:
            yield [title, heading, place(page) + anchor, " ".join(words)]
            heading, anchor = plain_text(token, tokens), f"#{slug(tokens[index + 1].content)}"
            words = []
        elif token.type == "inline" and tokens[index - 1].type != "heading_open":
            words += [x.content for x in token.children or [] if x.type in ("text", "code_inline")]
        elif token.type == "fence":
            words.append(" ".join(token.content.split()))
    yield [title, heading, place(page) + anchor, " ".join(words)]


def write_search(out: Path, pages: dict[Path, list[Token]]) -> None:
    """The index, and the script and style that every page shares."""
    index = [each for page, tokens in pages.items() for each in sections(page, tokens)]
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (out / "pages.js").write_text(f"const PAGES = {text};\n", encoding="utf-8")
    for name in ("search.js", "site.css"):
        shutil.copy(ROOT / "docs" / name, out / name)


def write(out: Path, page: Path, pages: dict[Path, list[Token]], listed: str) -> None:
    """One page, with anchors at its headings and links to the other written pages."""
    tokens, to = pages[page], out / place(page)
    for token, text in headings(tokens):
        token.attrSet("id", slug(text))
    for token in links(tokens):
        path, anchor = target(page, str(token.attrs["href"]))
        led = os.path.relpath(out / within(out, path, pages), to.parent)
        token.attrSet("href", f"{led}#{anchor}" if anchor else led)
    to.parent.mkdir(parents=True, exist_ok=True)
    body = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
    text = PAGE.format(
        title=html.escape(title_of(tokens)),
        policy=POLICY,
        root="../" * (len(to.relative_to(out).parts) - 1),
        contents=listed,
        body=SCROLLS.sub(r'<\1 tabindex="0">', body),
    )
    to.write_text(text, encoding="utf-8")


def within(out: Path, path: Path, pages: dict[Path, list[Token]]) -> str:
    """Where the site has what a link leads to: a page, a folder's first one, or a copied file."""
    if path in pages:
        return place(path)
    if path.is_dir():
        inside = [page for page in pages if path in page.parents]
        return place(inside[0]) if inside else "README.html"
    copied = out / path.relative_to(ROOT)
    copied.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, copied)
    return str(path.relative_to(ROOT))


def site(out: Path) -> Path:
    """Write every page into a folder, which is returned."""
    pages = with_api(parsed())
    listed = {page: contents(pages, page) for page in pages}
    write_search(out, pages)
    for page in pages:
        write(out, page, pages, listed[page])
    return out


def main() -> int:
    """Write the site anew; 1 if a link leads nowhere."""
    dead = dead_links(with_api(parsed()))
    for line in dead:
        print(f"Expected a link that leads somewhere, got {line}.", file=sys.stderr)
    shutil.rmtree(OUT, ignore_errors=True)
    site(OUT)
    print(OUT.relative_to(ROOT) / "README.html")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
