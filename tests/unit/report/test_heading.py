import re

import pytest

from deniable.errors import InvalidArgument
from deniable.report.heading import LONGEST, TITLE, Heading, given_words


def test_a_plan_without_words_has_the_usual_title_and_nothing_else():
    heading = Heading.of({"target": {"gamma": 2.0}})
    assert heading == Heading.of(None) == Heading()
    assert heading.window == TITLE
    assert re.sub("<[^>]*>", "", heading.top()) == TITLE
    assert heading.words() == ""


def test_the_authors_words_are_text_in_paragraphs():
    own = {"title": "<b>T</b>", "contact": "a@b", "text": "One\nline.\n\nTwo & three."}
    heading = Heading.of({"report": own})
    assert heading.window == "<b>T</b>"
    assert "&lt;b&gt;T&lt;/b&gt;" in heading.top()
    assert re.findall("<p>(.*?)</p>", heading.words()) == [
        "One line.", "Two &amp; three.", "Contact: a@b",
    ]  # fmt: skip


def test_words_as_long_as_their_place_are_taken_as_they_are():
    words = {key: "x" * most for key, most in LONGEST.items()}
    assert given_words(words) == words
    assert given_words({}) == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            {"titel": "x"},
            "Expected one of title, organisation, contact, text in report, got 'titel'",
        ),
        ({"title": "\n"}, "Expected title to be text, got none"),
        ({"title": 7}, "Expected title to be text, got none"),
        ({"text": "x" * 4001}, "Expected text to be at most 4000 characters, got 4001"),
        ({"contact": "\ud800"}, "Expected contact to be Unicode"),
    ],
)
def test_words_that_no_page_shows_are_refused(words, said):
    with pytest.raises(InvalidArgument, match=said):
        given_words(words)
