"""What a report says of people who are all in the data or all out of it, against Bayes' rule."""

import html
import json
import math
import re
from pathlib import Path

import attrs
import pytest
from scipy.special import ndtr

from deniable import explain_households
from deniable.certificate.tables import ALL_OR_NONE, TableCertificate
from deniable.notions import ZCDP, Adjacency
from deniable.report.page import guarantee_sections
from deniable.theorems.analysis.together import SIZES, group_loss

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"


def certificate_of(name, *, prior=(0.1, 0.5), adjacency=Adjacency.ADD_REMOVE, word=None, **stated):
    text = (GOLDEN / name / "certificate.json").read_text(encoding="utf-8")
    made = TableCertificate.from_json(json.loads(text))
    return attrs.evolve(
        made,
        unit=attrs.evolve(made.unit, adjacency=adjacency, word=word),
        adversary=type(made.adversary)(*prior),
        guarantee=attrs.evolve(made.guarantee, **stated),
    )


def shown(certificate):
    """The section on what is not covered: its words, and the rows of its table."""
    [page] = [text for name, _, text in guarantee_sections(certificate) if name == "uncovered"]
    lines = re.findall(r"<tr><th[^>]*>(\d+)</th><td[^>]*>([\d.]+)\s%</td></tr>", page)
    rows = {int(people): float(percent) / 100 for people, percent in lines}
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page))), rows


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 0.81])
@pytest.mark.parametrize(("prior", "before"), [((0.0, 1.0), 0.1), ((0.1, 0.5), 0.5)])
def test_the_odds_of_each_of_k_people_grow_by_the_kth_power(epsilon, prior, before):
    words, rows = shown(certificate_of("plan", epsilon=epsilon, prior=prior, word="patient"))
    assert [*rows] == [1, 2, 3, 5, 10]
    for people, belief in rows.items():
        odds = before / (1 - before) * math.exp(people * epsilon)
        exact = odds / (1 + odds)
        assert exact <= belief <= exact + 0.01  # whole percentages, and finer near 100 %
    assert f"who is {100 * before:.0f} % sure before the release" in words
    assert "Patients, all in or all out" in words
    assert "is learned of the group" not in words
    assert str(ALL_OR_NONE) not in words


def test_the_figures_are_those_of_explain_and_the_first_is_the_certificate_s_own():
    pure = certificate_of("plan")
    answer = explain_households(pure.guarantee.epsilon, 1, prior=(0.1, 0.5))
    assert pure.group_beliefs == answer.together
    noisy = certificate_of("plan-gaussian")
    stated = noisy.guarantee
    answer = explain_households(
        ZCDP(stated.rho, Adjacency.ADD_REMOVE), 1, exceedance=stated.exceedance, prior=(0.1, 0.5)
    )
    assert noisy.group_beliefs[1:] == answer.together[1:]
    odds = math.exp(stated.epsilon)
    assert noisy.group_beliefs[0].posterior == pytest.approx(odds / (1 + odds), rel=1e-12)
    words, rows = shown(noisy)
    assert [*rows] == [*SIZES]
    assert "except with probability at most 1 in 1,000,000 for each person" in words


@pytest.mark.parametrize("people", SIZES)
@pytest.mark.parametrize("rho", [0.001, 0.02, 0.7])
def test_gaussian_noise_passes_the_loss_of_a_group_no_more_often_than_stated(rho, people):
    exceedance = 1e-5
    loss = group_loss(ZCDP(rho), people, exceedance)
    mu = people * math.sqrt(2 * rho)  # k steps of a shift; the loss is normal about μ²/2
    assert ndtr(mu / 2 - loss / mu) <= exceedance
    spread = people**2 * rho
    assert math.exp(-((loss - spread) ** 2) / (4 * spread)) == pytest.approx(exceedance)


def test_where_the_number_of_people_is_public_there_is_no_table_and_the_reason():
    words, rows = shown(certificate_of("plan", adjacency=Adjacency.REPLACE_ONE, word="patient"))
    assert not rows
    assert "because the number of patients is public" in words


def test_keys_that_only_a_group_has_are_no_matter_of_a_table():
    words, rows = shown(certificate_of("plan-gaussian", exposure=1e-7))
    assert not rows
    assert "a key that nobody knew beforehand can show a whole group at once" in words


def test_a_release_that_protects_nobody_shows_that_groups_are_not_protected_either():
    assert {*shown(certificate_of("plan", epsilon=math.inf))[1].values()} == {1.0}
