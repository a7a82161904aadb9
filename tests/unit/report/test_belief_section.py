import attrs
import pytest

from deniable.analysis.target import (
    AdvantageTarget,
    AttackSuccessTarget,
    EpsilonTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
)
from deniable.priors import BoundedPriors
from deniable.report.belief_section import belief_section
from tests.cases.prose import Page
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate
from tests.cases.sample_study import study_certificate


def section(**changes) -> Page:
    return Page(belief_section(attrs.evolve(sample_certificate(), **changes)))


def facts(**changes) -> dict[str, str]:
    (found,) = section(**changes).facts
    return found


def test_the_table_is_rounded_outwards():
    (table,) = section().tables
    rows = {before: rest for before, *rest in table.cells}
    assert rows["1 in 100"] == ["0 in 100", "3 in 100", "outside"]
    assert rows["5 in 100"] == ["2 in 100", "12 in 100", "outside"]
    assert rows["50 in 100"] == ["29 in 100", "71 in 100", "within"]
    assert rows["70 in 100"] == ["48 in 100", "85 in 100", "within"]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        (
            GammaTarget(2.0),
            "no belief multiplied, and no doubt divided, by more than 2 (γ)",
        ),
        (
            MaxPosteriorTarget(0.8),
            "whoever gives at most 70 in 100 before gives at most 80 in 100 after",
        ),
        (
            AttackSuccessTarget(0.6),
            "a guess at even odds is right at most 60 in 100 times",
        ),
        (
            AdvantageTarget(0.3),
            "members and non-members told apart with an advantage of at most 30 in 100",
        ),
        (
            IdentifiabilityTarget(0.3, 8),
            "of 8 equally likely candidates, none is given more than 30 in 100",
        ),
        (EpsilonTarget(1.0), "none in beliefs: the plan sets the budget ε = 1 outright"),
    ],
)
def test_every_target_has_its_words(target, told):
    page = section(target=target)
    assert page.facts[0]["Limit asked for"] == told
    lines = page.sections[""]
    assert ("limit that the plan asked for" in lines) == (target.kind != "epsilon")


def test_both_factors_stand_inside_and_outside_the_range():
    page = facts()
    assert page["Limit asked for"] == (
        "no belief multiplied, and no doubt divided, by more than 2 (γ)"
    )
    assert page["Release, outside that range"] == (
        "by no more than 2.43, whatever is believed before"
    )
    assert "Release, within that range" not in page  # 2 again: it is the limit


def test_one_factor_is_not_told_as_two():
    sample = sample_certificate()
    same = attrs.evolve(sample.guarantee, gamma_outside=2.0)
    told = facts(guarantee=same)
    assert not any(term.startswith("Release") for term in told)
    wide = attrs.evolve(same, gamma=2.43, gamma_outside=2.43)
    told = facts(guarantee=wide)
    assert [term for term in told if term.startswith("Release")] == ["Release"]
    assert told["Release"].endswith("by more than 2.43 (γ), whatever is believed before")


@pytest.mark.parametrize(
    ("band", "told"),
    [
        (BoundedPriors(0.0, 1.0), "gives any chance"),
        (BoundedPriors(0.5, 0.5), "gives exactly 50 in 100"),
        (BoundedPriors(0.3, 0.7), "gives between 30 in 100 and 70 in 100"),
    ],
)
def test_every_band_has_its_words(band, told):
    assert facts(adversary=band)["Adversary"] == (
        f"{told} that a given person is in the data, before the release"
    )


def test_with_delta_no_gamma_stands_bare():
    page = Page(belief_section(gaussian_certificate()))
    (found,) = page.facts
    assert found["Release"] == (
        "no belief is multiplied, and no doubt divided, by more than 5.02 (γ), except with "
        "probability at most 1 in 1,000,000 for each row, whatever is believed before"
    )
    assert [term for term, told in found.items() if "γ" in told] == ["Release"]
    assert page.tables[0].caption == (
        "Beliefs before and after, for some adversaries; limits are rounded outwards, "
        "except with probability at most 1 in 1,000,000 for each row."
    )


def test_a_studys_beliefs_are_about_its_claim_and_about_a_release():
    page = Page(belief_section(study_certificate(adjacency="swap")))
    (found,) = page.facts
    assert found["Adversary"] == (
        "gives exactly 33.3333 in 100 that a given participant is a case, before the release"
    )
    assert found["Telling cases apart"] == (
        "the share of cases pointed out exceeds that of controls by at most 60 in 100 (advantage)"
    )
    assert found["Privacy budget"] == "ε = 1.3863, swap neighbours"
    assert page.sections[""][1] == "limit that the release asked for"
    assert "plan" not in " ".join(page.words)
