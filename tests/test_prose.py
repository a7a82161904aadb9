"""Sentences are plain English: counts of foreign patterns may only fall, never rise.

Each pattern puts another language's order of words into English. It has a limit for the source
(docstrings, comments, strings, templates and tables) and one for the pages. If you rewrite
sentences, lower the limit to the new count.
"""

import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = {
    # pattern: (most in the source, most on the pages)
    r"\b[Ww]ho(?:m)?ever\b": (0, 2),
    r"\bin 100\b": (2, 3),
    r"\b(?:Protected|Told|Said|Asked|Meant|Shown|Published|Left out) (?:is|are)\b": (5, 0),
    r"\blets? (?:one|somebody|anybody) (?:come to )?believe\b": (1, 0),
    r"\bmay be believed\b": (29, 3),
    r"\b(?:as far as it goes|as much again)\b": (1, 1),
    r"\bas \w+ (?:has|have) (?:it|them)\b": (3, 0),
    r"\b[Oo]f (?:which|whom)\b": (168, 17),
    r"\b[Ss]omebody who\b": (16, 1),
    r"\bis (?:told|asked)\b": (92, 0),
    r"\bbeta law": (0, 1),  # the page of certificates quotes format 2
}
LEANING_DOCSTRINGS = 0
LEANING = re.compile(
    r'^\s*[ru]?"""(?:About|Above|Against|Among|As|At|Because|Before|Below|Beside|Between|By|For|From|If|In|'
    r"Into|Like|Of|On|Only|Out|Over|Per|Since|So|Than|That|Though|Through|To|Under|Until|Up|When|Where|"
    r"While|Who|Whom|Whose|With|Within|Without)\b",
    re.M,
)
"""A docstring that leans on another place; one that stands alone begins with a verb or a noun."""


def joined(text: str) -> str:
    """Return the text in one line, without the marks of comments between lines."""
    return re.sub(r"\s*\n[\s#]*", " ", text)


def without_code(text: str) -> str:
    """Return a page without its blocks of code and output."""
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M)


@functools.cache
def source() -> str:
    """Return every module, template and table of the package."""
    folder = ROOT / "src" / "deniable"
    files = [
        path for end in ("py", "pyi", "html", "toml") for path in sorted(folder.rglob(f"*.{end}"))
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@functools.cache
def sentences() -> tuple[str, str]:
    """Return the text of the source, and that of the README, CONTRIBUTING and the pages of docs."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = "\n".join(without_code(path.read_text(encoding="utf-8")) for path in files)
    return joined(source()), joined(pages)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_foreign_pattern_does_not_become_more_frequent(pattern):
    counts = [len(re.findall(pattern, text)) for text in sentences()]
    most = PATTERNS[pattern]
    assert counts[0] <= most[0], "in src/deniable"
    assert counts[1] <= most[1], "in README.md, CONTRIBUTING.md and docs"


def test_no_more_docstrings_lean_on_another_place():
    assert len(LEANING.findall(source())) <= LEANING_DOCSTRINGS


def test_a_pattern_is_seen_over_the_end_of_a_line_and_not_in_code():
    assert joined("at most 30 in\n    # 100 of them") == "at most 30 in 100 of them"
    assert without_code("before\n```console\n$ whoever\n```\nafter") == "before\n\nafter"
    assert LEANING.search('    """Of a time limit."""')
    assert not LEANING.search('    """Return the limit."""')


_BARE = re.compile(r"""(?<![\w.\])}%*/\\:"'?-])\.\d+(?=[^\w.~"']|\.(?!\w)|$)""", re.M)
_OF_FORMATS = "read-a-messy-file.md"
"""It says how numbers may be written in a file."""


def test_a_number_has_a_digit_before_its_point():
    """One form wherever people read: 0.5, as programs print it, and never .5."""
    texts = ROOT / "src", ROOT / "docs", ROOT / "README.md"
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for text in texts
        for path in ([text] if text.is_file() else sorted(text.rglob("*.*")))
        if path.suffix in (".py", ".toml", ".html", ".md")
        and "decisions" not in path.parts
        and path.name != _OF_FORMATS
        for match in _BARE.finditer(path.read_text("utf-8"))
    ]
    assert found == []


_CLOSE = re.compile(r"""[\d}]%(?=["'\s.,;:)<]|$)|:\.\d%}""", re.M)
"""Per cent beside its number, or as Python's own format writes it."""
_OF_OTHERS = ("printed.py", "tables.py", "judge-tables-as-your-program-prints-them.md")
"""They say how other programs print."""


def test_per_cent_has_a_blank_before_it():
    """One form wherever people read: 50 %, and never 50%."""
    texts = ROOT / "src", ROOT / "docs", ROOT / "README.md", ROOT / "examples"
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for text in texts
        for path in ([text] if text.is_file() else sorted(text.rglob("*.*")))
        if path.suffix in (".py", ".toml", ".html", ".md", ".js", ".json", ".ipynb")
        and path.name not in _OF_OTHERS
        for match in _CLOSE.finditer(_STYLE.sub("", path.read_text("utf-8")))
    ]
    assert found == []


_STYLE = re.compile(r"<style>.*?</style>|(?:width|height|style)=(.)[^>]*?\1", re.S)
"""Lengths of a page's elements, which a browser reads."""
