import re

import attrs
import pytest
from scipy.stats import chi2

from deniable.gwas.pages import MOST_ROWS, GenomeAxis, study_document, study_picture
from deniable.gwas.publication import reach
from tests.cases.prose import Page, Table
from tests.cases.sample_study import prepared, released, study_certificate

AXIS = GenomeAxis.of(["9", "9", "X", "X"], [1, 9_000_000, 1, 9_000_000])
HOSTILE = "</svg><script>alert(1)</script>\u202e\"'&\x00"
PLAIN = {"top": 3}
NOISY = {"top": 4, "adjacency": "swap", "statistics": True}
EXAMPLES = {
    "plain": (PLAIN, False),
    "noisy": (NOISY, True),
    "assumed": ({"prior": (0.3, 0.7), "score": "allelic", "epsilon": 1.0}, False),
}


def document(variants, axis=AXIS, **options):
    return study_document(study_certificate(**options), variants, axis, reach(prepared(**options)))


def source_of(options, noisy):
    certificate = study_certificate(**options)
    return document(released(certificate.selection.top, noisy=noisy), **options)


@pytest.fixture(scope="module", params=EXAMPLES)
def source(request) -> str:
    return source_of(*EXAMPLES[request.param])


def page_of(name: str) -> Page:
    return Page(source_of(*EXAMPLES[name]))


def table(page: Page, column: str) -> Table:
    """The one table with this column."""
    (match,) = (each for each in page.tables if column in each.head)
    return match


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


CLAIM = "What an attacker can conclude from this release"


def test_the_first_line_is_the_protected_unit_and_the_claim_is_the_adjacencys():
    plain, swap = page_of("plain"), page_of("noisy")
    hides = "This release hides whether a given person's genome is among the participants' genomes."
    assert plain.sections[CLAIM][1] == hides
    assert plain.facts[0]["Protected unit"].startswith("Neighbouring studies differ in the whole")
    assert plain.sections[CLAIM][0].endswith(
        " Someone who is 41 % sure that a given person's genome is among the participants' genomes "
        "can become at most 59 % sure after seeing this release."
    )
    assert swap.sections[CLAIM][0].endswith(
        " Someone who is 33 % sure that a given participant is a case can become at most 67 % "
        "sure after seeing this release."
    )
    assert "is in the data" not in " ".join(plain.words + swap.words)
    assert swap.facts[0]["Telling cases apart"] == (
        "the share of cases flagged exceeds the share of controls flagged by at most 60 percentage "
        "points (advantage)"
    )


def test_everything_that_a_signature_needs_is_there(source):
    page = Page(source)
    assert page.sections["Decision"][1:4] == ["Name", "Decision", "Date and signature"]
    selection = table(page, "Noise").rows[0]
    assert selection["What"] == "choice of variants"
    assert selection["Noise"] == "choice by noisy scores (exponential noise)"
    programs = [each.split()[0] for each in page.facts[-1]["Computed with"].split(", ")]
    assert programs == ["Deniable", "OpenDP", "NumPy", "SciPy", "Python"]
    assert "plan" not in " ".join(page.words)


@pytest.mark.parametrize("name", EXAMPLES)
def test_all_sentences_of_the_certificate_are_there(name):
    certificate, page = study_certificate(**EXAMPLES[name][0]), page_of(name)
    assert page.sections["What an attacker can conclude"][0] == certificate.study_adversary.sentence
    assert page.sections["What it rests on"] == list(certificate.assumptions)
    covered = page.sections["What is not covered"]
    assert covered[-len(certificate.not_covered) :] == list(certificate.not_covered)
    theorems = {step.theorem.split(" (")[0] for step in certificate.derivation}
    stated = {sentence.splitlines()[-1] for facts in page.facts for sentence in facts.values()}
    assert {f"In Deniable's catalogue: {name}" for name in theorems} <= stated


def test_without_statistics_height_is_rank():
    page = page_of("plain")
    assert page.sections["What is published"][1] == (
        "Height shows rank, not a statistic. The variant chosen first is the highest. "
        "Shading marks the chromosomes of all tested variants."
    )
    variants = table(page, "Variant")
    assert variants.head == ["Rank", "Variant", "Chromosome", "Position", "Alleles 1, 2"]
    assert [row["Variant"] for row in variants.rows] == [each.variant for each in released()]


def test_with_statistics_noisy_numbers_are_shown_with_their_width():
    page = page_of("noisy")
    last = table(page, "Variant").cells[-1]
    head = table(page, "Variant").head
    assert last[head.index("χ²")] == "undefined 0 to 193"
    assert last[head.index("Copies in cases")] == "−7"
    assert last[head.index("± 95 %")] == "± 61"
    assert table(page, "Noise").rows[1]["Noise"] == "discrete Laplace noise"


@pytest.mark.parametrize("noise", [0.0, 3.0, 40.0, 1e5])
def test_the_scale_of_p_values_is_that_of_chi_squared_without_noise(noise):
    options, noisy = EXAMPLES["noisy"]
    certificate = study_certificate(**options)
    rows = released(certificate.selection.top, noisy=noisy)
    known = {"chi_squared": noise, "chi_squared_low": 0.0, "chi_squared_high": noise}
    rows = [attrs.evolve(row, noisy=attrs.evolve(row.noisy, **known)) for row in rows]
    picture = study_picture(certificate, rows, AXIS)
    note = "The scale on the right shows the p-value" in document(rows, **options)
    assert note == bool(picture.right) == (noise > 2.7)
    assert len(picture.right) <= 6
    for tick in picture.right:
        assert chi2.sf(tick.at, 1) == pytest.approx(float(tick.label), rel=1e-9)
        assert tick.at <= noise
    level = float(picture.line_label.removeprefix("significant: p ≤ "))
    assert chi2.sf(picture.line, 1) == pytest.approx(level, rel=1e-2)


def test_long_lists_are_cut_and_said_to_be():
    page = Page(document(released(MOST_ROWS + 1), top=MOST_ROWS + 1))
    variants = table(page, "Variant")
    assert variants.caption == f"Published variants, {MOST_ROWS} of {MOST_ROWS + 1}"
    assert len(variants.cells) == MOST_ROWS


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
    page = page_of("plain")
    assert page.sections["What is published"][0].endswith(
        " exceeds a chosen variant's score by more than 104 genotypes to replace."
    )
    assert table(page, "Noise").rows[0]["± 95 %"] == "± 104"
