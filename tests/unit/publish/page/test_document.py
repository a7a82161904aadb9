import itertools
import math
import re

import attrs
import pytest

from deniable.certificate.results import ResultRow
from deniable.priors import BoundedPriors
from deniable.publish.page import document
from deniable.report.heading import TITLE
from tests.cases.prose import Page
from tests.cases.sample_certificate import (
    CertifiedGroup,
    cells,
    gaussian_certificate,
    sample_certificate,
    sample_rows,
)

HOSTILE = "</style><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\"'&\x00"


def rows_of(certificate):
    names = {query.name for query in certificate.queries}
    return [row for row in sample_rows() if row.query in names]


def hostile():
    certificate = sample_certificate()
    group = CertifiedGroup(HOSTILE, (HOSTILE, "", "x" * 300))
    query = attrs.evolve(
        certificate.queries[0], name=HOSTILE, group_by=(group,), where=((HOSTILE, "==", HOSTILE),)
    )
    unit = attrs.evolve(certificate.unit, entity=HOSTILE, sentence=HOSTILE)
    evil = attrs.evolve(
        certificate,
        unit=unit,
        queries=(query,),
        assumptions=(HOSTILE,),
        not_covered=(HOSTILE,),
        plan_sha256=HOSTILE,
    )
    rows = [
        ResultRow(HOSTILE, "count", None, key, value=1.0, half_width_95=2.0, half_width_unit="rows")
        for key in cells([group])
    ]
    return document(evil, rows)


PAGES = {
    "pure": lambda: document(sample_certificate(), sample_rows()),
    "delta": lambda: document(gaussian_certificate(), rows_of(gaussian_certificate())),
    "hostile": hostile,
}


@pytest.fixture(scope="module", params=PAGES)
def source(request) -> str:
    return PAGES[request.param]()


@pytest.fixture(scope="module")
def page(source) -> Page:
    return Page(source)


def test_the_page_names_its_language_and_stands_by_itself(source, page):
    assert source.startswith("<!DOCTYPE html>")
    assert page.all("html") == [{"lang": "en"}]
    assert page.title == TITLE
    assert page.all("script", "iframe", "object", "embed", "form", "img", "image") == []


def test_nothing_is_asked_for_outside(source, page):
    for _, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("href", "src", "xlink:href", "action"):
                assert re.match(r"#|data:,$", value)
    assert "http://" not in source
    assert "https://" not in source
    assert "@import" not in source
    assert "url(" not in source.replace("url(#", "")


def test_one_first_heading_and_no_level_left_out(page):
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))


def test_every_picture_has_a_text_or_is_hidden(page):
    identifiers = {attributes.get("id") for _, attributes in page.tags}
    pictures = page.all("svg")
    assert sum(svg.get("role") == "img" for svg in pictures) >= 3
    for svg in pictures:
        if svg.get("aria-hidden") != "true":
            assert svg["role"] == "img"
            assert set(svg["aria-labelledby"].split()) <= identifiers


def test_names_are_unique_and_links_lead_somewhere(page):
    identifiers = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(identifiers)) == len(identifiers)
    for link in page.all("a", "use"):
        assert link["href"].removeprefix("#") in identifiers
    for _, attributes in page.tags:
        for name in attributes.get("aria-labelledby", "").split():
            assert name in identifiers


def test_every_table_has_a_caption_and_scopes(page):
    assert len(page.all("caption")) == len(page.all("table")) >= 3
    assert {cell["scope"] for cell in page.all("th")} == {"row", "col"}


def test_hostile_texts_stay_texts():
    source = hostile()
    page = Page(source)
    assert source.count("<style>") == source.count("</style>") == 1
    assert not any("\u202e" in word or "\x00" in word for word in page.words)
    assert "".join(page.words).count("<script>alert(1)</script>") >= 8


def test_the_first_lines_are_the_date_the_beliefs_and_the_protected_unit():
    page, certificate = Page(PAGES["pure"]()), sample_certificate()
    assert page.sections[""] == [f"Released {certificate.created}"]
    assert page.sections[TITLE][1] == certificate.unit.sentence


def without_groups(sentences):
    """All but what is said of people who belong together, of which tests/unit/report has tests."""
    (groups,) = (each for each in sentences if each.startswith("Entities"))
    return [each for each in sentences if each != groups]


def test_everything_that_a_signature_needs_is_there():
    page, certificate = Page(PAGES["pure"]()), sample_certificate()
    assert page.sections["What it rests on"] == list(certificate.assumptions)
    other, *rest = page.sections["What is not covered"]
    assert other.endswith(" For any other prior belief, the release promises only γ = 2.43.")
    assert without_groups(rest) == without_groups(certificate.not_covered)
    assert page.sections["Decision"][1:4] == ["Name", "Decision", "Date and signature"]
    assert {query.name for query in certificate.queries} <= set(page.headings)
    assert page.facts[-1]["Plan, SHA-256"] == certificate.plan_sha256
    (shares,) = (table for table in page.tables if "Noise" in table.head)
    assert shares.rows[0]["Noise"] == "discrete Laplace noise"
    (told, *_) = page.sections["How the budget is shared"]
    assert told.startswith("Each query has a share of the total budget ε = 0.8874, in proportion")
    theorems = {step.theorem.split(" (")[0] for step in certificate.derivation}
    stated = {told.splitlines()[-1] for facts in page.facts for told in facts.values()}
    assert {f"In Deniable's catalogue: {name}" for name in theorems} <= stated


def test_the_unrestricted_adversary_has_no_outside():
    anything = attrs.evolve(sample_certificate(), adversary=BoundedPriors(0.0, 1.0))
    page = Page(document(anything, sample_rows()))
    shown = page.sections["What is not covered"]
    assert without_groups(shown) == without_groups(anything.not_covered)


def test_a_budget_outright_has_nothing_to_derive():
    outright = attrs.evolve(sample_certificate(), derivation=())
    assert Page(document(outright, sample_rows())).sections["Why this holds"] == [
        "The plan sets the budget directly, so there is nothing to derive."
    ]


def test_a_public_part_is_shown_as_public():
    sample = sample_certificate()
    size = attrs.evolve(
        sample.queries[0].parts[0],
        label="size", mechanism=None, scale=None, sensitivity=None, epsilon=None,
        half_width_95=None,
    )  # fmt: skip
    queries = (attrs.evolve(sample.queries[0], parts=(size,)), *sample.queries[1:])
    page = Page(document(attrs.evolve(sample, queries=queries), sample_rows()))
    (shares,) = (table for table in page.tables if "Noise" in table.head)
    assert shares.cells[0] == [sample.queries[0].name, "size", "none: public", *[""] * 4]


def test_no_limit_at_all_is_shown_as_such():
    sample = sample_certificate()
    guarantee = attrs.evolve(
        sample.guarantee,
        epsilon=math.inf, gamma=math.inf, gamma_outside=math.inf, attack_success=1.0, advantage=1.0,
    )  # fmt: skip
    (facts, *_) = Page(document(attrs.evolve(sample, guarantee=guarantee), sample_rows())).facts
    assert facts["A guess at even odds"] == "is right at most 100 % of the time (attack success)"
    assert facts["Privacy budget"] == "ε = ∞, replace-one neighbours"


def skeleton(text: str) -> list[str]:
    """The page's tags outside of pictures, without any number."""
    without = re.sub(r"<svg.*?</svg>", "<svg>", text, flags=re.DOTALL)
    return re.findall(r"<[^>]*>", without)


def test_the_same_release_is_the_same_page_and_other_values_keep_the_structure():
    certificate, rows = sample_certificate(), sample_rows()
    first = document(certificate, rows)
    assert document(certificate, rows) == first
    moved = [row if row.value is None else attrs.evolve(row, value=row.value + 3.0) for row in rows]
    assert skeleton(document(certificate, moved)) == skeleton(first)
