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
from deniable.certificate.tables import NOT_COVERED, TableCertificate
from deniable.notions import ZCDP, Adjacency
from deniable.report.page import guarantee_sections
from deniable.theorems.analysis import posterior_upper
from deniable.theorems.analysis.together import SIZES, group_loss
from tests.cases.certified_case import PLANS, certificate

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


def columns(page):
    """Each row of the table: people, the belief if they come together, and if their records do."""
    cells = r"<tr><th[^>]*>(\d+)</th>" + 2 * r"<td[^>]*>([\d.]+)\s%</td>" + "</tr>"
    for people, tied, records in re.findall(cells, page):
        yield int(people), float(tied) / 100, float(records) / 100


def shown(certificate):
    """The section on what is not covered: its words, and the first two columns of its table."""
    [page] = [text for name, _, text in guarantee_sections(certificate) if name == "uncovered"]
    rows = {people: belief for people, belief, _ in columns(page)}
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
    assert "than this certificate states" not in words
    assert str(NOT_COVERED[0]) not in words


def test_records_that_are_tied_count_two_changes_for_each_of_the_others():
    made = certificate_of("plan", epsilon=0.2, prior=(0.0, 0.1))
    [page] = [text for name, _, text in guarantee_sections(made) if name == "uncovered"]
    for people, _, records in columns(page):
        odds = math.exp((2 * people - 1) * 0.2) / 9
        assert odds / (1 + odds) <= records <= odds / (1 + odds) + 0.01


def test_the_chart_has_a_text_with_every_number_of_the_table():
    made = certificate_of("plan", epsilon=0.2, prior=(0.0, 0.1))
    [page] = [text for name, _, text in guarantee_sections(made) if name == "uncovered"]
    [chart] = re.findall(r'<svg[^>]*role="img"[^>]*>.*?</svg>', page, re.DOTALL)
    said = re.search(r"<desc[^>]*>(.*?)</desc>", chart, re.DOTALL)[1]
    told = re.findall(r"(\d+): at most ([\d.]+)\s%, with their records ([\d.]+)\s%", said)
    assert [(int(k), float(a) / 100, float(b) / 100) for k, a, b in told] == [*columns(page)]
    widths = [float(each) for each in re.findall(r'<rect[^>]*width="([\d.]+)"', chart)]
    assert len(widths) == 2 * len(SIZES) == 10
    assert widths[::2] == sorted(widths[::2])
    assert max(widths) <= 170


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("members", ("changes the odds of another", "Nobody can check this", "does not hold")),
        (
            "members, budget",
            ("inclination to take part. It follows a beta distribution", "Nobody can check this"),
        ),
        ("members, difference", ("total variation", "If the model does not hold")),
        ("members, any tie", ("may be tied in any way", "may know who else is in the data")),
    ],
)
def test_a_model_is_said_in_words_with_what_follows_if_it_is_wrong(name, words):
    made = certificate(PLANS[name])
    text, _ = shown(made)
    for each in words:
        assert each in text
    household = made.guarantee.household
    worst = posterior_upper(household.loss_without_model, made.group_prior)
    assert ("Nobody can check" in text) == (household.households.model is not None)
    if household.households.model is not None:
        percent = re.search(r"does not hold, this person can become at most ([\d.]+)\s%", text)[1]
        assert worst <= float(percent) / 100 <= worst + 0.01


def test_the_figures_are_those_of_explain_and_the_first_is_the_certificate_s_own():
    pure = certificate_of("plan")
    answer = explain_households(pure.guarantee.epsilon, 1, prior=(0.1, 0.5))
    assert pure.group_beliefs == answer.tied
    noisy = certificate_of("plan-gaussian")
    stated = noisy.guarantee
    answer = explain_households(
        ZCDP(stated.rho, Adjacency.ADD_REMOVE), 1, exceedance=stated.exceedance, prior=(0.1, 0.5)
    )
    assert noisy.group_beliefs[1:] == answer.tied[1:]
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
    assert "The number of patients is public, so data with a smaller group" in words


def test_keys_that_only_a_group_has_are_no_matter_of_a_table():
    words, rows = shown(certificate_of("plan-gaussian", exposure=1e-7))
    assert not rows
    assert "a key that nobody knew beforehand can reveal a whole group at once" in words


def test_a_release_that_protects_nobody_shows_that_groups_are_not_protected_either():
    assert {*shown(certificate_of("plan", epsilon=math.inf))[1].values()} == {1.0}
