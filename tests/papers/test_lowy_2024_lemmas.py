"""Lowy and others (2024): the posterior form of Lemma 3, and Lemma 14, by all events and samples.

Every mechanism is a table of exact laws, one for each sample; the joint law of the sample and the
output is written out, and beliefs are conditional probabilities under it.
"""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.notions import PopulationPosterior, PopulationPrivacy
from deniable.population.theorems import (
    population_posterior_to_population,
    population_posterior_to_population_as_published,
    population_to_population_posterior,
)
from tests.cases.effort import usual

OUTPUTS = 3
ratios = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3)])


@st.composite
def laws(draw, outputs=OUTPUTS):
    shares = draw(st.lists(st.integers(0, 6), min_size=outputs, max_size=outputs).filter(any))
    return [Fraction(share, sum(shares)) for share in shares]


@st.composite
def mechanisms(draw, records, size):
    samples = itertools.combinations(range(records), size)
    return {frozenset(sample): draw(laws()) for sample in samples}


def events(outputs):
    return itertools.chain.from_iterable(
        itertools.combinations(range(outputs), many) for many in range(1, outputs + 1)
    )


def chance(mechanism, event, record=None, inside=True):
    """Pr[output in the event, record in (or out of) the sample], the sample uniform."""
    kept = (d for d in mechanism if record is None or (record in d) is inside)
    return sum(mechanism[d][s] for d in kept for s in event) / Fraction(len(mechanism))


def posterior_delta(mechanism, record, ratio):
    """The least δ of (1) at e^ε, over all events of positive probability."""
    least = Fraction(0)
    for event in events(OUTPUTS):
        whole = chance(mechanism, event)
        if whole:
            here = chance(mechanism, event, record) / whole
            least = max(least, here - ratio * (1 - here), (1 - here) - ratio * here)
    return least


def likelihood_delta(mechanism, record, ratio):
    """The least δ of (2) at e^ε, over all events."""
    everything = range(OUTPUTS)
    prior = chance(mechanism, everything, record)
    least = Fraction(0)
    for event in events(OUTPUTS):
        p = chance(mechanism, event, record) / prior
        q = chance(mechanism, event, record, inside=False) / (1 - prior)
        least = max(least, p - ratio * q, q - ratio * p)
    return least


def above(value):
    return math.nextafter(float(value), math.inf) if value else 0.0


@given(mechanisms(4, 2), st.integers(0, 3), ratios)
@settings(max_examples=usual(27, 80), deadline=None)
def test_lemma_3_beliefs_bound_likelihoods_with_the_same_delta(mechanism, record, ratio):
    """(1) with δ gives (2): with 2δ as printed, and with δ."""
    believed = posterior_delta(mechanism, record, ratio)
    needed = likelihood_delta(mechanism, record, ratio)
    assert needed <= believed <= 2 * believed
    given_ = PopulationPosterior(math.log(ratio), min(above(believed), 1.0), 0.5)
    assert population_posterior_to_population(given_).delta >= needed
    published = population_posterior_to_population_as_published(given_)
    assert published.delta >= population_posterior_to_population(given_).delta


@pytest.mark.parametrize("delta", [Fraction(1, 100), Fraction(1, 3), Fraction(9, 10)])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3)])
def test_lemma_3_the_same_delta_is_attained(ratio, delta):
    """One record of two, and a noisy answer to which it is: odds (e^ε + δ)/(1 − δ)."""
    odds = (ratio + delta) / (1 - delta)
    true, false = odds / (1 + odds), 1 / (1 + odds)
    mechanism = {
        frozenset({0}): [true, false, Fraction(0)],
        frozenset({1}): [false, true, Fraction(0)],
    }
    assert posterior_delta(mechanism, 0, ratio) == delta
    assert likelihood_delta(mechanism, 0, ratio) == delta


@given(mechanisms(5, 2) | mechanisms(3, 1) | mechanisms(4, 3), ratios)
@settings(max_examples=usual(27, 80), deadline=None)
def test_lemma_3_where_another_share_is_sampled(mechanism, ratio):
    """n/N ≠ ½: the belief starts elsewhere, and δ grows as the theorem says."""
    records = 1 + max(max(d) for d in mechanism)
    share = Fraction(len(next(iter(mechanism))), records)
    believed = posterior_delta(mechanism, 0, ratio)
    given_ = PopulationPosterior(math.log(ratio), min(above(believed) + 1e-12, 1.0), float(share))
    found = population_posterior_to_population(given_)
    assert likelihood_delta(mechanism, 0, ratio) <= found.delta + 1e-9


def test_lemma_3_the_same_delta_does_not_suffice_where_another_share_is_sampled():
    """One of three, e^ε = 3: beliefs keep to δ = 1/5, likelihoods to 1/3, as the theorem says."""
    with_it, without = ([Fraction(x, 15), Fraction(15 - x, 15), Fraction(0)] for x in (8, 1))
    mechanism = {frozenset({0}): with_it, frozenset({1}): without, frozenset({2}): without}
    assert posterior_delta(mechanism, 0, Fraction(3)) == Fraction(1, 5)
    assert likelihood_delta(mechanism, 0, Fraction(3)) == Fraction(1, 3)
    given_ = PopulationPosterior(math.log(3), 0.2, 1 / 3)
    assert population_posterior_to_population(given_).delta == pytest.approx(1 / 3)


@given(mechanisms(4, 2), st.integers(0, 3))
@settings(max_examples=usual(20, 60), deadline=None)
def test_lemma_3_back_for_delta_0(mechanism, record):
    """Without δ the two forms are one."""
    for ratio in (Fraction(1), Fraction(2), Fraction(7)):
        kept = likelihood_delta(mechanism, record, ratio) == 0
        assert kept == (posterior_delta(mechanism, record, ratio) == 0)
    back = population_to_population_posterior(PopulationPrivacy(0.7, size=2))
    assert (back.epsilon, back.delta) == (0.7, 0.0)


def test_lemma_3_has_no_way_back_with_delta():
    """However small δ is in (2), (1) may hold with δ = 1 only."""
    tiny = Fraction(1, 10**9)
    mechanism = {
        frozenset({0}): [tiny, 1 - tiny, Fraction(0)],
        frozenset({1}): [Fraction(0), Fraction(1), Fraction(0)],
    }
    assert likelihood_delta(mechanism, 0, Fraction(1)) == tiny
    for ratio in (Fraction(1), Fraction(10**6)):
        assert posterior_delta(mechanism, 0, ratio) == 1


@given(mechanisms(4, 2) | mechanisms(5, 2), st.lists(laws(), min_size=3, max_size=3), ratios)
@settings(max_examples=usual(33, 100), deadline=None)
def test_lemma_14_whatever_is_done_to_a_release_keeps_its_guarantee(mechanism, after, ratio):
    """f∘A for any f, randomised or not: no record's δ grows at any ε, nor its ε at any δ."""
    processed = {
        d: [sum(law[s] * after[s][t] for s in range(OUTPUTS)) for t in range(OUTPUTS)]
        for d, law in mechanism.items()
    }
    for record in range(4):
        assert likelihood_delta(processed, record, ratio) <= likelihood_delta(
            mechanism, record, ratio
        )
        assert posterior_delta(processed, record, ratio) <= posterior_delta(
            mechanism, record, ratio
        )
