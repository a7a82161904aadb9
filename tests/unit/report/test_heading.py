import re

from deniable.report.heading import TITLE, Heading


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
