"""γ over D_B^[a,b] with ½ in [a, b] is replace-one DP: on random mechanisms, and attained.

γ is found by Bayes' rule alone, over beliefs that the family holds.
"""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.notions import NegativeMembership, PositiveMembership
from deniable.priors import BoundedPriors
from deniable.theorems.catalogue import named
from deniable.theorems.derive import derive
from tests.cases.effort import usual
from tests.oracles.decimals import CONTEXT, claims, ln

MECHANISMS = usual(600, 4000)
NOTIONS = {"positive": PositiveMembership, "negative": NegativeMembership}


def apply(word, gamma, low, high):
    name = f"{word}_membership_around_half_to_replace_one_dp"
    return named(name).implication(NOTIONS[word](gamma, BoundedPriors(low, high))).epsilon


def moved(belief, inside, outside, word):
    """The least γ that is possible where an output has these likelihoods given t and given ¬t."""
    total = belief * inside + (1 - belief) * outside
    rise, fall = inside / total, outside / total  # of the beliefs in t and in ¬t
    return np.maximum(rise, 1 / fall) if word == "positive" else np.maximum(fall, 1 / rise)


def gamma_of_pairs(one, other, low, high, word):
    """Two entities, exactly one in: every belief in the one (and so in the other) in [low, high].

    `one` and `other` are the likelihoods of an output with the one and with the other in.
    """
    ends = max(low, 1 - high), min(high, 1 - low)
    beliefs = np.linspace(*ends, 41).clip(*ends)
    return float(moved(beliefs, one, other, word).max())


@pytest.mark.parametrize("word", NOTIONS)
def test_no_mechanism_escapes_and_two_entities_attain(word):
    rng = np.random.default_rng(20)
    for case in range(MECHANISMS):
        entities = 2 + case % 3  # one of them is in
        rows = rng.dirichlet([0.5] * 3, size=entities) + 1e-9
        low, high = 0.5 * rng.random(), 0.5 + 0.5 * rng.random()
        low, high = [(low, high), (low, 0.5), (0.5, high), (1 - high, high), (0.5, 0.5)][case % 5]
        low, high = max(low, 0.01), min(high, 0.99)
        pairs = [
            (rows[i, s], rows[j, s])
            for i, j in itertools.permutations(range(entities), 2)
            for s in range(3)
        ]
        gamma = max(gamma_of_pairs(*pair, low, high, word) for pair in pairs)
        exact = math.log(max(above / below for above, below in pairs))
        assert apply(word, gamma, low, high) == pytest.approx(exact, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("word", NOTIONS)
def test_beyond_pairs_nothing_more_follows(word):
    """Larger families of beliefs show a γ at least as large, so that ε stays an upper bound."""
    rng = np.random.default_rng(21)
    for _ in range(300):
        likelihood = rng.dirichlet([0.5, 0.5], size=3)[:, 0] + 1e-9
        gamma = 1.0
        for odds in rng.lognormal(0, 1.5, size=(60, 3)):
            beliefs = odds / odds.sum()
            if beliefs.min() >= 0.2 and beliefs.max() <= 0.6:
                rest = (beliefs @ likelihood - beliefs * likelihood) / (1 - beliefs)
                gamma = max(gamma, float(moved(beliefs, likelihood, rest, word).max()))
        for i, j in itertools.permutations(range(3), 2):
            pair = gamma_of_pairs(likelihood[i], likelihood[j], 0.2, 0.6, word)
            gamma = max(gamma, pair)
        ratio = likelihood.max() / likelihood.min()
        assert math.log(ratio) <= apply(word, gamma * (1 + 1e-12), 0.2, 0.6)


factors = st.floats(1.0001, 1e6)


@given(factors, st.floats(0.0, 0.5), st.floats(0.5, 1.0))
@settings(max_examples=usual(55, 200))
def test_rounded_outwards_and_no_further(gamma, low, high):
    """Against zhao-2019's g at both ends of the beliefs that fit, to 90 digits."""
    with localcontext(CONTEXT):
        end = min(Fraction(high), 1 - Fraction(low))
        truth = min(threshold(1 - end, Fraction(gamma)), threshold(end, Fraction(gamma)))
        for word in NOTIONS:
            assert claims(apply(word, gamma, low, high), ln(truth))


def threshold(p, gamma):
    """g(p): the largest Pr[S|t]/Pr[S|¬t] that keeps γ at the belief p."""
    if p * (1 + gamma) <= 1:
        return (1 - p) / (1 / gamma - p)
    return (gamma - 1 + p) / p


@given(factors)
def test_at_one_half_it_is_two_gamma_minus_one(gamma):
    with localcontext(CONTEXT):
        assert claims(apply("positive", gamma, 0.5, 0.5), ln(2 * Decimal(gamma) - 1))


@given(factors, st.floats(0.0, 0.5), st.floats(0.5, 1.0))
def test_over_a_symmetric_interval_theorem_2_turns_round(gamma, low, high):
    """From γ to ε and back to γ over [1 − h, h]: nothing is lost but rounding."""
    end = min(high, 1 - low)
    inside = BoundedPriors(1 - end, end)
    epsilon = derive(PositiveMembership(gamma, inside), "pure-dp").target
    back = named("pure_dp_to_positive_membership").implication(epsilon, inside).gamma
    assert back == pytest.approx(gamma, rel=1e-9)


def test_the_example_of_tramer_2015():
    """γ = 2 is ln 3 where every belief is ½, and ln 2 where beliefs are arbitrary."""
    assert derive("positive-membership:2", "pure-dp", prior=(0.5, 0.5)).target.epsilon == (
        pytest.approx(math.log(3), rel=1e-15)
    )
    assert derive("positive-membership:2", "pure-dp").target.epsilon == pytest.approx(math.log(2))
