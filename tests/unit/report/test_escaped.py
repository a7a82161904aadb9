"""No page shows its own markup."""

import functools
import re

import pytest

from deniable.publish.page import document
from tests.cases.certified_case import PLANS, certificate

ESCAPED = re.compile(r"&lt;/?(?:bdi|b|i|em|code|span|a|p|td|dd)&gt;|&amp;(?:amp|lt|gt|quot|#x27);")


WITH_ROWS = ("crosstab", "tree")
"""Whose tables are made of their rows; a released tree: tests/unit/publish/test_tree_release.py."""


@functools.cache
def page_of(name):
    return document(certificate(PLANS[name]), [])


@pytest.mark.parametrize("name", [name for name in PLANS if name not in WITH_ROWS])
def test_a_report_shows_no_markup_of_its_own(name):
    assert not ESCAPED.search(page_of(name))


@pytest.mark.parametrize("name", [name for name in PLANS if name not in WITH_ROWS])
def test_no_word_of_a_report_runs_into_a_link(name):
    """A template's line that begins with a tag loses the blank before it."""
    page = page_of(name)
    assert re.findall(r"\w+[,;]?<a [^>]*>", page) == []
