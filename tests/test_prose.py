"""Sentences are plain English: counts of foreign patterns may only fall, never rise.

A pattern below puts another language's order of words into English ones. Each has a limit for the
source (docstrings, comments, strings and templates) and one for the pages. If a count has fallen,
lower its limit here.
"""

import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = {
    # pattern: (most in the source, most on the pages)
    r"\bwho(?:m)?ever\b": (103, 133),
    r"\bin 100\b": (70, 46),
    r"\b(?:Protected|Told|Said|Asked|Meant|Shown|Published|Left out) (?:is|are)\b": (9, 1),
    r"\blets? (?:one|somebody|anybody) (?:come to )?believe\b": (5, 18),
    r"\bmay be believed\b": (48, 22),
    r"\b(?:as far as it goes|as much again)\b": (4, 4),
    r"\bas \w+ (?:has|have) (?:it|them)\b": (5, 2),
    r"\b(?:of|in|by|for|to|with|from) (?:which|whom)\b": (478, 196),
    r"\bsomebody who\b": (30, 43),
    r"\bis (?:told|asked)\b": (109, 56),
}
FRAGMENTS = 678
LEANS = (
    "About Above Against Among As At Because Before Below Beside Between By For From If In Into "
    "Like On Only Out Over Per Since So Than That Though Through To Under Until Up When Where "
    "While With Within Without Of Who Whom Whose"
).split()
"""First words of a docstring that leans on another place; a sentence or a name begins otherwise."""


@functools.cache
def source() -> str:
    """Every module and template of the package, one text with its line breaks as spaces."""
    folder = ROOT / "src" / "deniable"
    files = [path for end in ("py", "pyi", "html") for path in sorted(folder.rglob(f"*.{end}"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@functools.cache
def pages() -> str:
    """The README, CONTRIBUTING and the pages of docs, without blocks of code and output."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M)


def count(pattern: str, text: str) -> int:
    """How often a pattern stands in a text, over the ends of lines too."""
    ignored = re.NOFLAG if pattern.startswith(r"\b(?:P") else re.IGNORECASE
    return len(re.findall(pattern.replace(" ", r"[\s#]+"), text, ignored))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_foreign_pattern_does_not_become_more_frequent(pattern):
    in_source, on_pages = PATTERNS[pattern]
    assert count(pattern, source()) <= in_source, "in src/deniable"
    assert count(pattern, pages()) <= on_pages, "in README.md, CONTRIBUTING.md or docs"


def test_the_first_line_of_a_docstring_stands_alone():
    first_words = re.findall(r'^\s*[ru]?"""([A-Z][a-z]+)\b', source(), re.M)
    assert len(first_words) > 4000
    assert sum(word in LEANS for word in first_words) <= FRAGMENTS


def test_a_pattern_is_seen_over_the_end_of_a_line_and_not_in_code():
    assert count(r"\bin 100\b", "at most 30 in\n    # 100 of them") == 1
    assert count(r"\bwho(?:m)?ever\b", "Whoever") == 1
    assert "make fast" not in pages()  # in a block of CONTRIBUTING.md
