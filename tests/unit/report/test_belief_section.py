import re

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
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate
from tests.cases.sample_study import study_certificate


def plain(html: str) -> str:
    return re.sub("<[^>]*>", " ", html)


def body(html: str) -> list[list[str]]:
    inside = re.search("<tbody>(.*)</tbody>", html)[1]
    rows = re.findall("<tr>(.*?)</tr>", inside)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def facts(html: str) -> dict[str, str]:
    terms = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html)
    return {plain(term).strip(): re.sub("<[^>]*>", "", told) for term, told in terms}


def test_the_table_is_rounded_outwards():
    rows = {row[0]: row[1:] for row in body(belief_section(sample_certificate()))}
    assert rows["1 in 100"] == ["0 in 100", "3 in 100", "outside"]
    assert rows["5 in 100"] == ["2 in 100", "12 in 100", "outside"]
    assert rows["50 in 100"] == ["29 in 100", "71 in 100", "within"]
    assert rows["70 in 100"] == ["48 in 100", "85 in 100", "within"]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        (GammaTarget(2.0), "no doubt divided, by more than 2 (γ)"),
        (MaxPosteriorTarget(0.8), "gives at most 70 in 100 before gives at most 80 in 100"),
        (AttackSuccessTarget(0.6), "a guess at even odds is right at most 60 in 100 times"),
        (AdvantageTarget(0.3), "an advantage of at most 30 in 100"),
        (IdentifiabilityTarget(0.3, 8), "of 8 equally likely candidates, none is given more"),
        (EpsilonTarget(1.0), "sets the budget ε = 1 outright"),
    ],
)
def test_every_target_has_its_words(target, told):
    page = plain(belief_section(attrs.evolve(sample_certificate(), target=target)))
    assert told in page
    assert ("limit that the plan asked for" in page) == (target.kind != "epsilon")


def test_both_factors_stand_inside_and_outside_the_range():
    page = facts(belief_section(sample_certificate()))
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
    told = facts(belief_section(attrs.evolve(sample, guarantee=same)))
    assert not any(term.startswith("Release") for term in told)
    wide = attrs.evolve(same, gamma=2.43, gamma_outside=2.43)
    told = facts(belief_section(attrs.evolve(sample, guarantee=wide)))
    assert [term for term in told if term.startswith("Release")] == ["Release"]
    assert told["Release"].endswith("by more than 2.43 (γ), whatever is believed before")


@pytest.mark.parametrize(
    ("band", "told"),
    [
        (BoundedPriors(0.0, 1.0), "gives any chance that"),
        (BoundedPriors(0.5, 0.5), "gives exactly 50 in 100 that"),
        (BoundedPriors(0.3, 0.7), "gives between 30 in 100 and 70 in 100 that"),
    ],
)
def test_every_band_has_its_words(band, told):
    page = plain(belief_section(attrs.evolve(sample_certificate(), adversary=band)))
    assert told in page


def test_with_delta_no_gamma_stands_bare():
    page = plain(belief_section(gaussian_certificate()))
    assert page.count(", except with probability at most 1 in 1,000,000 for each row") >= 2


def test_a_studys_beliefs_are_about_its_claim_and_about_a_release():
    told = " ".join(plain(belief_section(study_certificate(adjacency="swap"))).split())
    assert "gives exactly 33.3333 in 100 that a given participant is a case, before" in told
    assert "Telling cases apart" in told
    assert "swap neighbours" in told
    assert "limit that the release asked for" in told
    assert "plan" not in told
