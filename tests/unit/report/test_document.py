import html.parser
import itertools
import math
import re

import attrs
import pytest

from deniable.certificate.results import ResultRow
from deniable.priors import BoundedPriors
from deniable.report.document import document
from tests.cases.sample_certificate import (
    CertifiedGroup,
    cells,
    gaussian_certificate,
    sample_certificate,
    sample_rows,
)

VOID = {"meta", "link", "br"}
HOSTILE = "</style><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\"'&\x00"


class Page(html.parser.HTMLParser):
    """Reads a page and complains about what no valid page has."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(set(names)) == len(names)
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    def all(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in names]


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
    assert len(page.all("title")) >= 1
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


def test_the_first_line_is_the_protected_unit():
    words = [word for word in Page(PAGES["pure"]()).words if word.strip()]
    assert words[0] == "What may be believed after this release"  # the window's title
    assert words[1] == sample_certificate().unit.sentence


def test_everything_that_a_signature_needs_is_there():
    told = "".join(Page(PAGES["pure"]()).words)
    certificate = sample_certificate()
    wanted = (
        *certificate.assumptions,
        *certificate.not_covered,
        *(step.theorem.split(" (")[0] for step in certificate.derivation),
        *(query.name for query in certificate.queries),
        certificate.plan_sha256,
        "discrete Laplace noise",
        "For any other belief no more than γ = 2.43 is promised.",
        "share of ε = 0.8874 in all",
        "Date and signature",
    )
    assert [text for text in wanted if text not in told] == []


def test_the_unrestricted_adversary_has_no_outside():
    anything = attrs.evolve(sample_certificate(), adversary=BoundedPriors(0.0, 1.0))
    assert "Other adversaries" not in document(anything, sample_rows())


def test_a_budget_outright_has_nothing_to_derive():
    outright = attrs.evolve(sample_certificate(), derivation=())
    assert "there is nothing to derive" in document(outright, sample_rows())


def test_a_public_part_is_shown_as_public():
    sample = sample_certificate()
    size = attrs.evolve(
        sample.queries[0].parts[0],
        label="size", mechanism=None, scale=None, sensitivity=None, epsilon=None,
        half_width_95=None,
    )  # fmt: skip
    queries = (attrs.evolve(sample.queries[0], parts=(size,)), *sample.queries[1:])
    assert "none: public" in document(attrs.evolve(sample, queries=queries), sample_rows())


def test_no_limit_at_all_is_shown_as_such():
    sample = sample_certificate()
    guarantee = attrs.evolve(
        sample.guarantee,
        epsilon=math.inf, gamma=math.inf, gamma_outside=math.inf, attack_success=1.0, advantage=1.0,
    )  # fmt: skip
    told = "".join(Page(document(attrs.evolve(sample, guarantee=guarantee), sample_rows())).words)
    assert "at most 100 in 100" in told
    assert "ε = ∞" in told


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
