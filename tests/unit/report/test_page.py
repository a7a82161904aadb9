import re

import attrs
import pytest

from deniable.report.heading import TITLE, Heading
from deniable.report.html import text
from deniable.report.page import appendices, guarantee_sections, page
from tests.cases.sample_certificate import sample_certificate
from tests.cases.sample_study import study_certificate


def plain(html: str) -> str:
    return re.sub("<[^>]*>", "", html)


@pytest.mark.parametrize("make", [sample_certificate, study_certificate])
def test_the_page_has_its_sections_its_contents_and_its_facts(make):
    certificate = make()
    sections = [("own", "A section", text("a < b")), *guarantee_sections(certificate)]
    source = page(certificate, sections, [("Made by", text("nobody"))])
    assert f"<title>{TITLE}</title>" in source
    for identifier, heading, _ in sections:
        assert f'<h2 id="{identifier}">{heading}</h2>' in source
        assert f'<a href="#{identifier}">{heading}</a>' in source
    assert "a &lt; b" in source
    assert "<dt>Made by</dt><dd>nobody</dd>" in source
    assert "Content-Security-Policy" in source


@pytest.mark.parametrize(
    ("make", "word"), [(sample_certificate, "plan"), (study_certificate, "release")]
)
def test_who_asked_is_named(make, word):
    certificate = make()
    (why, *_) = guarantee_sections(certificate)
    assert f"to what the {word} asked for" in plain(why[2])
    (outright, *_) = guarantee_sections(attrs.evolve(certificate, derivation=()))
    assert plain(outright[2]).startswith(f"The {word} sets the budget outright")


def test_other_adversaries_are_named_where_there_are_some():
    told = {name: content for name, _, content in guarantee_sections(study_certificate())}
    assert "Other adversaries" not in told["uncovered"]
    swap = study_certificate(adjacency="swap")
    told = {name: content for name, _, content in guarantee_sections(swap)}
    assert "Other adversaries" in told["uncovered"]
    assert "a belief of exactly 33.3333 in 100" in told["uncovered"]
    assumed = study_certificate(prior=(0.3, 0.7))
    told = {name: content for name, _, content in guarantee_sections(assumed)}
    assert "beliefs between 30 in 100 and 70 in 100" in told["uncovered"]


def test_the_headline_stands_in_the_main_part_and_the_title_above_it():
    certificate = sample_certificate()
    heading = Heading("Own title", "House", "a@b", "One.\n\nTwo.")
    source = page(certificate, [], [], heading=heading)
    header, main = (
        re.search(rf"<{tag}>(.*)</{tag}>", source, re.DOTALL)[1] for tag in ("header", "main")
    )
    assert plain(re.search("<h1>(.*?)</h1>", header)[1]) == "Own title"
    assert "Own title" in re.search("<title>(.*?)</title>", source)[1]
    assert 'class="lead"' in main
    assert source.count("<main>") == 1


def test_theorems_are_listed_where_there_are_any():
    certificate = sample_certificate()
    assert [name for name, *_ in appendices(certificate)] == ["theorems", "glossary"]
    assert [name for name, *_ in appendices(attrs.evolve(certificate, derivation=()))] == [
        "glossary"
    ]


def test_a_caution_stands_above_everything_else_in_the_main_part():
    certificate = sample_certificate()
    assert 'class="caution"' not in page(certificate, [], [])
    nobody = attrs.evolve(
        certificate.guarantee, epsilon=1e6, gamma=1e300, gamma_outside=1e300,
        attack_success=1.0, advantage=1.0,
    )  # fmt: skip
    source = page(attrs.evolve(certificate, guarantee=nobody), [], [])
    main = re.search("<main>(.*)", source, re.DOTALL)[1]
    assert main.startswith('<div class="caution"><p>This protects nobody')
