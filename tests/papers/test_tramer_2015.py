"""Tramèr, Huang, Hubaux, Ayday, *Differential privacy with bounded priors*, CCS 2015.

With zhao-2019, Lemma 1, where it restates Theorem 2. What needs genotypes is not here.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deniable import calibrate, explain
from deniable.notions import PositiveMembership, PureDP
from deniable.priors import BoundedPriors
from deniable.theorems.membership import (
    pure_dp_for_positive_membership,
    pure_dp_to_positive_membership,
)
from tests.cases.effort import usual
from tests.oracles import beliefs as brute

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def test_section_3_2_posteriors_under_dp():
    """p/(p + e^ε(1−p)) <= Pr[t|S] <= e^ε p/((e^ε−1)p + 1), and γ(t) is what they leave of p."""
    for epsilon in (0.1, math.log(2), 3.0):
        e = math.exp(epsilon)
        for p in (0.01, 0.3, 0.5, 0.9):
            answer = explain(epsilon, prior=(p, p))
            assert answer.posterior[0].lower == pytest.approx(p / (p + e * (1 - p)))
            assert answer.posterior[0].upper == pytest.approx(e * p / ((e - 1) * p + 1))
            gamma = max((e - 1) * p + 1, e / ((e - 1) * p + 1))
            assert answer.gamma == pytest.approx(gamma)


@pytest.mark.parametrize(
    ("prior", "gamma", "epsilon"),
    [
        ((0.5, 0.5), 2.0, math.log(3)),
        ((0.5, 0.5), 1.5, math.log(2)),
        ((0.1, 0.9), 2.0, 0.747214),
        ((0.3, 0.7), 2.0, 0.887303),
        ((0.0, 1.0), 2.0, math.log(2)),
        ((0.0, 1.0), 1.1, math.log(1.1)),
    ],
)
def test_theorem_2_examples(prior, gamma, epsilon):
    assert calibrate(gamma=gamma, prior=prior).epsilon == pytest.approx(epsilon, abs=5e-7)
    found = pure_dp_to_positive_membership(PureDP(epsilon), BoundedPriors(*prior)).gamma
    assert found == pytest.approx(gamma, abs=2e-6)


def test_theorem_2_for_every_prior_is_li_s():
    for gamma in (1.1, 2.0, 10.0):
        anyone = PositiveMembership(gamma, BoundedPriors())
        epsilon = pure_dp_for_positive_membership(anyone).epsilon
        assert epsilon == pytest.approx(math.log(gamma), rel=1e-15)


def test_theorem_2_has_no_converse():
    """a = b = 1/3, every output has likelihoods 1, 1, 0 in some order: γ = 1.5 and no ε at all."""
    law = brute.conditioned(brute.product_law([HALF] * 3), 1)
    assert brute.uncertain(law, 3) == [THIRD] * 3
    mechanism = {t: [Fraction(0) if s in t else HALF for s in range(3)] for t in law}
    assert [mechanism[t][2] / HALF for t in law] == [1, 1, 0]  # so e^ε = 1/0
    assert brute.positive_gamma(law, mechanism, 3) == Fraction(3, 2)
    assert {brute.posterior(law, mechanism, t, s) for t in range(3) for s in range(3)} == {0, HALF}


def zhao_g(prior, gamma):
    """zhao-2019, Lemma 1: the largest Pr[S|t]/Pr[S|¬t] that keeps γ at this prior."""
    if prior * (1 + gamma) <= 1:
        return (1 - prior) / (1 / gamma - prior)
    return (gamma - 1 + prior) / prior


@given(
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
    st.fractions(Fraction(11, 10), 20, max_denominator=20),
)
def test_zhao_lemma_1_is_theorem_2_at_a_point(prior, gamma):
    assert zhao_g(prior, gamma) == brute.theorem_2_inverse(gamma, prior, prior)
    found = pure_dp_for_positive_membership(
        PositiveMembership(float(gamma), BoundedPriors(float(prior), float(prior)))
    )
    assert found.epsilon == pytest.approx(math.log(zhao_g(prior, gamma)), rel=1e-12)
    for excess, keeps in ((Fraction(1), True), (Fraction(1001, 1000), False)):
        ratio = zhao_g(prior, gamma) * excess
        rows = [Fraction(1, 10**6) * ratio, 1 - Fraction(1, 10**6) * ratio]
        rare = [Fraction(1, 10**6), 1 - Fraction(1, 10**6)]
        mechanism = {frozenset([0]): rows, frozenset(): rare}
        law = brute.product_law([prior])
        assert (brute.positive_gamma(law, mechanism, 1) <= gamma) is keeps


def test_zhao_s_threshold_peaks_at_twice_epsilon():
    """g(0) = g(1) = e^ε; the maximum e^2ε stands at prior 1/(1 + e^ε)."""
    gamma = Fraction(3)
    peak = 1 / (1 + gamma)
    assert zhao_g(peak, gamma) == gamma**2
    grid = [Fraction(k, 100) for k in range(1, 101)]
    assert max(zhao_g(p, gamma) for p in grid) == zhao_g(Fraction(1, 4), gamma)
    assert zhao_g(Fraction(0), gamma) == zhao_g(Fraction(1), gamma) == gamma
    assert calibrate(gamma=3.0, prior=(0.25, 0.25)).epsilon == pytest.approx(2 * math.log(3))
    assert calibrate(gamma=3.0, prior=(0.0, 0.0)).epsilon == pytest.approx(math.log(3))
    assert calibrate(gamma=3.0, prior=(1.0, 1.0)).epsilon == pytest.approx(math.log(3))


def test_section_3_4_outside_the_interval_gamma_is_e_to_the_epsilon():
    answer = calibrate(gamma=2.0, prior=(0.3, 0.7))
    assert answer.gamma == 2.0
    assert answer.gamma_outside == pytest.approx(math.exp(0.887303), abs=1e-5)
    assert answer.as_json()["gamma_outside"] > answer.as_json()["gamma"]


def reflected(ratio, low, high):
    """γ of negative membership privacy over [a, b]: Theorem 2 over [1 − b, 1 − a]."""
    return brute.theorem_2(ratio, 1 - high, 1 - low)


def reflected_inverse(gamma, low, high):
    """As the theory page writes it."""
    second = (gamma - low) / (1 - low)
    if (1 - high) * gamma < 1:
        return min(high * gamma / (1 - (1 - high) * gamma), second)
    return second


tenths = st.integers(0, 10).map(lambda number: Fraction(number, 10))


@given(st.data())
@settings(max_examples=usual(33, 100))
def test_negative_membership_needs_the_reflected_interval(data):
    entities = data.draw(st.integers(2, 3))
    size = data.draw(st.integers(1, entities - 1))
    weights = data.draw(st.lists(tenths, min_size=entities, max_size=entities))
    law = brute.conditioned(brute.product_law(weights), size)
    assume(law is not None)
    chances = brute.uncertain(law, entities)
    assume(chances)
    levels = {t: Fraction(data.draw(st.sampled_from([1, 2, 5])), 1000) for t in law}
    mechanism = {t: [x, 1 - x] for t, x in levels.items()}
    ratio = brute.replace_one_ratio(mechanism)
    bound = reflected(ratio, min(chances), max(chances))
    assert brute.negative_gamma(law, mechanism, entities) <= bound


def test_negative_membership_breaks_the_interval_that_is_not_reflected():
    """Erratum-like: a member certain at 0.1 to 0.2 loses more belief than Theorem 2 allows."""
    low, high, ratio = Fraction(1, 10), Fraction(2, 10), Fraction(3)
    mechanism = {
        frozenset([0]): [Fraction(1, 100), Fraction(99, 100)],
        frozenset(): [Fraction(3, 100), Fraction(97, 100)],
    }
    assert brute.add_remove_ratio(mechanism) == ratio
    found = max(brute.negative_gamma(brute.product_law([p]), mechanism, 1) for p in (low, high))
    assert found > brute.theorem_2(ratio, low, high)
    assert found == reflected(ratio, low, high)


@given(
    st.fractions(Fraction(11, 10), 20, max_denominator=20),
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
)
def test_the_reflected_maps_invert_each_other(gamma, one, other):
    low, high = sorted([one, other])
    assert reflected(reflected_inverse(gamma, low, high), low, high) == gamma


def test_figure_2_posterior_against_prior_at_gamma_2():
    """The bound min(γp, (γ−1+p)/γ) and the tighter one that ε = ln 2 gives through γ(t)."""
    for p in np.linspace(0.01, 0.99, 99).tolist():
        loose = min(2 * p, (1 + p) / 2)
        tight = explain(math.log(2), prior=(p, p)).posterior[0].upper
        assert tight == pytest.approx(2 * p / (p + 1))
        assert tight < loose
        at_point = explain(math.log(2), prior=(p, p)).gamma
        assert tight <= min(at_point * p, (at_point - 1 + p) / at_point) + 1e-12
    # The curves at a few priors, as read off the figure: 1/10, 1/2, 9/10.
    read = [explain(math.log(2), prior=(p, p)).posterior[0].upper for p in (0.1, 0.5, 0.9)]
    assert read == pytest.approx([2 / 11, 2 / 3, 18 / 19])


def test_section_4_1_example_table():
    """Cases 70/10/20, controls 40/30/30: allele frequency .35, χ² of the 2×3 table 20.181818."""
    table = np.array([[70, 10, 20], [40, 30, 30]])
    copies = (table * np.array([0, 1, 2])).sum()
    assert copies / (2 * table.sum()) == pytest.approx(0.35)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    assert ((table - expected) ** 2 / expected).sum() == pytest.approx(20.181818, abs=5e-7)


def test_headline_budgets_at_gamma_2():
    """ε = ln 2 against anyone (10,000 patients), ln 3 at prior 1/2 (7,500)."""
    assert calibrate(gamma=2.0).epsilon == pytest.approx(math.log(2), rel=1e-15)
    assert calibrate(gamma=2.0, prior=(0.5, 0.5)).epsilon == pytest.approx(math.log(3), rel=1e-15)
