import re

import attrs
import pytest

from deniable.report.heading import TITLE, Heading
from deniable.report.html import text
from deniable.report.page import appendices, guarantee_sections, page
from tests.cases.prose import Page
from tests.cases.sample_certificate import sample_certificate
from tests.cases.sample_study import study_certificate


@pytest.mark.parametrize("make", [sample_certificate, study_certificate])
def test_the_page_has_its_sections_its_contents_and_its_facts(make):
    certificate = make()
    sections = [("own", "A section", text("a < b")), *guarantee_sections(certificate)]
    source = page(certificate, sections, [("Made by", text("nobody"))])
    found = Page(source)
    assert found.title == TITLE
    headings = [heading for _, heading, _ in sections]
    assert found.headings[1:] == headings
    assert [each["id"] for each in found.all("h2")] == [name for name, *_ in sections]
    assert [each["href"] for each in found.all("a")][: len(sections)] == [
        f"#{name}" for name, *_ in sections
    ]
    assert found.sections[TITLE][-len(sections) :] == headings  # the contents
    assert [word for word in found.words if word.startswith("a <")] == ["a < b\n"]
    assert found.facts == [{"Made by": "nobody"}]
    (policy,) = (each for each in found.all("meta") if "http-equiv" in each)
    assert policy["http-equiv"] == "Content-Security-Policy"


@pytest.mark.parametrize(
    ("make", "word"), [(sample_certificate, "plan"), (study_certificate, "release")]
)
def test_who_asked_is_named(make, word):
    certificate = make()
    (why, *_) = guarantee_sections(certificate)
    assert Page(why[2]).paragraphs[0] == (
        f"From what the noise satisfies to what the {word} asked for, one theorem a step:"
    )
    (outright, *_) = guarantee_sections(attrs.evolve(certificate, derivation=()))
    assert Page(outright[2]).paragraphs == [
        f"The {word} sets the budget outright: there is nothing to derive."
    ]


@pytest.mark.parametrize(
    ("asked", "beliefs", "gamma"),
    [
        ({"adjacency": "swap"}, "a belief of exactly 33.3333 in 100", 4),
        ({"prior": (0.3, 0.7)}, "beliefs between 30 in 100 and 70 in 100", 2.43),
    ],
)
def test_other_adversaries_are_named_where_there_are_some(asked, beliefs, gamma):
    certificate = study_certificate(**asked)
    told = {name: Page(content) for name, _, content in guarantee_sections(certificate)}
    other, *rest = told["uncovered"].paragraphs
    assert other == (
        f"Other adversaries: the limit that was asked for speaks of {beliefs}. For any other "
        f"belief no more than γ = {gamma} is promised."
    )
    assert rest == list(certificate.not_covered)


def test_where_anything_may_be_believed_there_are_no_other_adversaries():
    certificate = study_certificate()
    told = {name: Page(content) for name, _, content in guarantee_sections(certificate)}
    assert told["uncovered"].paragraphs == list(certificate.not_covered)


def test_the_headline_stands_in_the_main_part_and_the_title_above_it():
    heading = Heading("Own title", "House", "a@b", "One.\n\nTwo.")
    source = page(sample_certificate(), [], [], heading=heading)
    found = Page(source)
    assert found.headings == ["Own title"]
    assert found.title == heading.window
    order = [tag for tag, _ in found.tags if tag in {"header", "h1", "main"}]
    assert order == ["header", "h1", "main"]
    main = Page(re.search(r"<main>.*</main>", source, re.DOTALL)[0])
    assert [each for each in main.all("p") if each.get("class") == "lead"] == [{"class": "lead"}]


def test_theorems_are_listed_where_there_are_any():
    certificate = sample_certificate()
    assert [name for name, *_ in appendices(certificate)] == ["theorems", "glossary"]
    assert [name for name, *_ in appendices(attrs.evolve(certificate, derivation=()))] == [
        "glossary"
    ]


def test_a_caution_stands_above_everything_else_in_the_main_part():
    certificate = sample_certificate()
    assert {"class": "caution"} not in Page(page(certificate, [], [])).all("div")
    nobody = attrs.evolve(
        certificate.guarantee, epsilon=1e6, gamma=1e300, gamma_outside=1e300,
        attack_success=1.0, advantage=1.0,
    )  # fmt: skip
    source = page(attrs.evolve(certificate, guarantee=nobody), [], [])
    found = Page(source)
    main = [tag for tag, _ in found.tags].index("main")
    assert found.tags[main + 1] == ("div", {"class": "caution"})
    assert found.sections[TITLE][0].startswith("This protects nobody")
