import re

import attrs
import pytest

from deniable.gwas.publication.reach import reach
from deniable.report.manhattan import GenomeAxis
from deniable.report.study import study_document
from deniable.report.variant_rows import MOST_ROWS
from tests.cases.sample_study import prepared, released, study_certificate
from tests.unit.report.test_document import Page

AXIS = GenomeAxis.of(["9", "9", "X", "X"], [1, 9_000_000, 1, 9_000_000])
HOSTILE = "</svg><script>alert(1)</script>\u202e\"'&\x00"
PLAIN = {"top": 3}
NOISY = {"top": 4, "adjacency": "swap", "statistics": True}
SHOWN = {
    "plain": (PLAIN, False),
    "noisy": (NOISY, True),
    "assumed": ({"prior": (0.3, 0.7), "score": "allelic", "epsilon": 1.0}, False),
}


def document(found, axis=AXIS, **asked):
    return study_document(study_certificate(**asked), found, axis, reach(prepared(**asked)))


def source_of(asked, noisy):
    certificate = study_certificate(**asked)
    return document(released(certificate.selection.top, noisy=noisy), **asked)


@pytest.fixture(scope="module", params=SHOWN)
def source(request) -> str:
    return source_of(*SHOWN[request.param])


def told(source: str) -> str:
    return " ".join("".join(Page(source).words).split())


def test_the_page_is_valid_and_asks_for_nothing_outside(source):
    page = Page(source)
    identifiers = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(identifiers)) == len(identifiers)
    for _, attributes in page.tags:
        for name in attributes.get("aria-labelledby", "").split():
            assert name in identifiers
        for name in ("href", "src"):
            assert re.match(r"#|data:,$", attributes.get(name, "#"))
    assert page.all("script", "img", "iframe") == []
    assert "://" not in source


def test_the_first_line_is_the_protected_unit_and_the_claim_is_the_adjacencys():
    plain, swap = (source_of(*SHOWN[name]) for name in ("plain", "noisy"))
    first = [word for word in Page(plain).words if word.strip()][1]
    assert first.startswith("Neighbouring studies differ in the whole genotype")
    assert "that a given person's genome is among the participants' genomes; after" in told(plain)
    assert "that a given participant is a case; after everything in this release" in told(swap)
    assert "is in the data" not in told(plain) + told(swap)
    assert "the share of cases pointed out exceeds that of controls" in told(swap)


def test_everything_that_a_signature_needs_is_there(source):
    assert "Date and signature" in told(source)
    assert "choice by noisy scores (exponential noise)" in told(source)
    assert "NumPy" in told(source)
    assert "plan" not in told(source)


@pytest.mark.parametrize("name", SHOWN)
def test_all_sentences_of_the_certificate_are_there(name):
    asked, noisy = SHOWN[name]
    certificate, words = study_certificate(**asked), told(source_of(asked, noisy))
    wanted = (
        certificate.believer.sentence,
        *certificate.assumptions,
        *certificate.not_covered,
        *(step.theorem.split(" (")[0] for step in certificate.derivation),
    )
    assert [text for text in wanted if text not in words] == []


def test_without_statistics_height_is_rank():
    page = source_of(*SHOWN["plain"])
    assert "It is no statistic." in page
    assert "Frequency in cases" not in page
    assert all(f">{each.variant}<" in page for each in released())


def test_with_statistics_noisy_numbers_are_shown_with_their_width():
    words = told(source_of(*SHOWN["noisy"]))
    assert "−7" in words
    assert "± 61" in words
    assert "undefined" in words
    assert "discrete Laplace noise" in words


def test_long_lists_are_cut_and_said_to_be():
    many = released(MOST_ROWS + 1)
    page = document(many, top=MOST_ROWS + 1)
    assert f"Published variants, {MOST_ROWS} of {MOST_ROWS + 1}" in page


def test_hostile_names_stay_texts():
    evil = [
        attrs.evolve(each, variant=HOSTILE, chromosome=HOSTILE, allele_1=HOSTILE)
        for each in released()
    ]
    axis = GenomeAxis.of([HOSTILE] * 2, [1, 9_000_000])
    page = Page(document(evil, axis))
    assert page.all("script") == []
    assert not any("\u202e" in word or "\x00" in word for word in page.words)


def test_other_values_keep_the_structure():
    def skeleton(text):
        return re.findall("<[^>]*>", re.sub(r"<svg.*?</svg>", "<svg>", text, flags=re.DOTALL))

    rows = released(4, noisy=True)
    moved = [attrs.evolve(each, noisy=attrs.evolve(each.noisy, cases_allele_1=99)) for each in rows]
    pages = [document(each, **NOISY) for each in (rows, moved)]
    assert skeleton(pages[0]) == skeleton(pages[1])
    assert document(rows, **NOISY) == pages[0]


def test_the_gap_between_left_out_and_chosen_is_rounded_up():
    width = study_certificate(**PLAIN).selection.part.half_width_95
    assert 103 < width < 103.4
    words = told(source_of(*SHOWN["plain"]))
    assert "exceeds a chosen one by more than 104 genotypes to replace." in words
    assert "± 104" in words
