import re

import attrs
import pytest

from deniable.analysis.target import AttackSuccessTarget, target_of
from deniable.priors import BoundedPriors
from deniable.report.headline import change, headline
from tests.cases.prose import Page
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate
from tests.cases.sample_study import study_certificate


def lead(certificate) -> str:
    return Page(headline(certificate)).paragraphs[0]


def bold(certificate) -> list[str]:
    found = re.search('<p class="lead">(.*?)</p>', headline(certificate), re.DOTALL)[1]
    return re.findall("<b>(.*?)</b>", found)


def big(certificate) -> list[str]:
    return re.findall('<span class="big">(.*?)</span>', headline(certificate))


def asked(kind, value, worlds=None, low=0.0, high=0.1):
    return attrs.evolve(
        sample_certificate(),
        target=target_of(kind, value, worlds),
        adversary=BoundedPriors(low, high),
    )


@pytest.mark.parametrize(
    ("certificate", "limit", "icons"),
    [
        (asked("max_posterior", 0.3), ["10 in 100", "30 in 100"], ["10 in 100", "30 in 100"]),
        (asked("attack_success", 0.6), ["60 in 100"], ["50 in 100", "60 in 100"]),
        (asked("advantage", 0.1), ["10 in 100"], ["50 in 100", "55 in 100"]),
        (asked("identifiability", 0.1, 100), ["10 in 100"], ["1 in 100", "10 in 100"]),
    ],
    ids=lambda value: value.target.kind if hasattr(value, "target") else None,
)
def test_the_limit_is_the_one_that_was_asked_for(certificate, limit, icons):
    assert bold(certificate) == limit
    assert big(certificate) == icons


def test_a_factor_is_told_with_what_it_means_at_the_worst_belief():
    certificate = sample_certificate()
    assert bold(certificate) == ["2", "70 in 100", "85 in 100"]
    assert big(certificate) == ["70 in 100", "85 in 100"]
    assert change(certificate).before == 0.7


def test_a_budget_outright_is_told_at_a_belief_that_reads_well():
    certificate = asked("epsilon", 1.0, low=0.0, high=1.0)
    assert bold(certificate) == big(certificate) == ["5 in 100", "12 in 100"]


def test_icons_and_the_number_beside_them_agree():
    page = Page(headline(asked("max_posterior", 0.3)))
    assert len(page.all("use")) == 200
    assert page.alts == [
        ("Before: 10 in 100", "10 of 100 icons are filled."),
        (
            "After, at most: 30 in 100",
            "30 of 100 icons are filled, 20 of them added by the release.",
        ),
    ]


def test_below_one_in_a_hundred_both_arrays_have_a_thousand_icons():
    page = Page(headline(gaussian_certificate()))
    assert len(page.all("use")) == 2000
    assert [told for _, told in page.alts] == [
        "1 of 1,000 icons are filled.",
        "5 of 1,000 icons are filled, 4 of them added by the release.",
    ]


def test_what_holds_with_an_exception_says_so_and_attack_success_has_none():
    rare = ", except with probability at most 1 in 1,000,000 for each row."
    gaussian = gaussian_certificate()
    assert lead(gaussian) == (
        "Before this release somebody gives at most 1 in 1,000 that a given row is in the data: "
        f"this may become at most 5 in 1,000 after everything in this plan{rare}"
    )
    guess = attrs.evolve(gaussian, target=AttackSuccessTarget(0.6))
    assert "except" not in lead(guess)


def test_a_study_speaks_of_its_own_claim():
    before, after = lead(study_certificate(adjacency="swap")).split("; after ")
    assert before.endswith("the adversary gives 33 in 100 that a given participant is a case")
    assert after == "everything in this release, at most 67 in 100."
