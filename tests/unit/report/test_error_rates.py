"""What attacks get wrong: a report's table of two errors, and μ."""

import math
import re

import attrs
import pytest
from scipy.special import ndtr, ndtri

from deniable.report.belief_section import error_sections
from tests.cases.certified_case import PLANS, certificate
from tests.cases.prose import Page, probability_of
from tests.cases.sample_study import study_certificate


def of(made):
    ((name, title, section),) = error_sections(made)
    assert (name, title) == ("errors", "What attacks get wrong")
    return Page(section)


def rates(page):
    """The table's rows: false positives and the least false negatives."""
    (found,) = page.tables
    rows = [tuple(float(probability_of(cell)) for cell in row) for row in found.cells]
    assert [row[0] for row in rows] == [0.001, 0.01, 0.1, 0.5]
    assert all(guessing == pytest.approx(1 - fpr) for fpr, _, guessing in rows)
    return [row[:2] for row in rows]


@pytest.mark.parametrize("name", ["gaussian", "crosstab", "moments"])
def test_gaussian_noise_has_a_mu_and_its_curve(name):
    made = certificate(PLANS[name])
    page = of(made)
    (told,) = re.findall(r"μ = (\d\.\d+)", " ".join(page.paragraphs))
    shifts = [each.sensitivity.value * each.step / each.scale for each in made.parts]
    nearly = math.hypot(*shifts)
    assert nearly < float(told) <= nearly * 1.003 + 1e-5
    for fpr, fnr in rates(page):
        least = float(ndtr(-(ndtri(fpr) + nearly)))
        assert least - 0.012 <= fnr <= least  # in whole parts of 100, rounded down


@pytest.mark.parametrize("name", ["every statistic", "budget", "running", "unknown keys"])
def test_other_noise_has_a_curve_and_no_mu(name):
    made = certificate(PLANS[name])
    page = of(made)
    assert not re.findall(r"μ = ", " ".join(page.paragraphs))
    epsilon, delta = made.guarantee.epsilon, made.guarantee.delta
    for fpr, fnr in rates(page):
        by_budget = max(
            1 - delta - math.exp(epsilon) * fpr, math.exp(-epsilon) * (1 - delta - fpr), 0
        )
        assert fnr >= by_budget - 0.01
        assert fnr <= 1 - fpr
        if made.guarantee.rho is None:
            assert fnr <= by_budget


def test_selections_with_rho_take_what_rho_proves():
    made = certificate(PLANS["budget"])
    tight = attrs.evolve(made, guarantee=attrs.evolve(made.guarantee, rho=1e-6))
    for (_, loose), (fpr, sharp) in zip(rates(of(made)), rates(of(tight)), strict=True):
        assert loose < sharp or fpr < 0.05
        assert sharp >= 1 - fpr - 0.02


def test_an_exchange_of_two_people_has_no_such_section():
    made = study_certificate()
    assert of(made).tables
    swapped = attrs.evolve(made, unit=attrs.evolve(made.unit, adjacency="swap"))
    assert error_sections(swapped) == []


def test_the_picture_falls_and_no_step_is_above_guessing():
    page = of(certificate(PLANS["gaussian"]))
    ((title, description),) = page.alts
    assert title == "Trade-off curve: false negatives against false positives"
    assert "members that an attack misses" in description
