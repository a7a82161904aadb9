import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    ApproxDP,
    AttackSuccess,
    PopulationPosterior,
    PopulationPrivacy,
    Setting,
)
from deniable.population import theorems
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

from_dp, to_dp = theorems.approx_dp_to_population, theorems.population_to_approx_dp
to_one_set = theorems.population_to_one_parent_set
to_success = theorems.population_to_attack_success
from_beliefs = theorems.population_posterior_to_population
from_beliefs_as_published = theorems.population_posterior_to_population_as_published
to_beliefs = theorems.population_to_population_posterior

tenths = st.integers(1, 9).map(lambda n: Fraction(n, 10))


def every(epsilon, delta=0.0, size=None):
    """Whatever the parent set."""
    return PopulationPrivacy(epsilon, delta, size, every_parent_set=True)


def beliefs(epsilon, delta=0.0, prior=0.5, size=None):
    """Whatever the parent set."""
    return PopulationPosterior(epsilon, delta, prior, size, every_parent_set=True)


@edges(
    (from_dp, ApproxDP(0.5, 1e-6), every(0.5, 1e-6)),
    (from_dp, ApproxDP(0.5, 1e-6, records=1), every(0.5, 1e-6, 1)),
    (to_dp, every(0.5, 1e-6, 1), ApproxDP(0.5, 1e-6, records=1)),
    (to_one_set, every(0.5, 1e-6), PopulationPrivacy(0.5, 1e-6)),
    (to_one_set, every(0.5, 1e-6, 3), PopulationPrivacy(0.5, 1e-6, 3)),
    (to_success, PopulationPrivacy(0.0, 0.5), AttackSuccess(0.75, Setting.POPULATION)),
    (to_success, PopulationPrivacy(math.inf), AttackSuccess(1.0, Setting.POPULATION)),
    # at prior ½ the numbers and the size stay
    (from_beliefs, beliefs(0.5, 0.1, 0.5, 3), every(0.5, 0.1, 3)),
    # every parent set of one share is not every one
    (from_beliefs, beliefs(0.5, 0.1), PopulationPrivacy(0.5, 0.1)),
    # as published, δ doubles
    (
        from_beliefs_as_published,
        PopulationPosterior(0.5, 0.1, 0.5, 2),
        PopulationPrivacy(0.5, 0.2, 2),
    ),
    (from_beliefs_as_published, PopulationPosterior(0.5, 0.7, 0.5), PopulationPrivacy(0.5, 1.0)),
    (to_beliefs, every(0.5, size=3), beliefs(0.5, size=3)),
    (to_beliefs, every(0.5), beliefs(0.5)),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


@pytest.mark.parametrize(("epsilon", "success"), [(0.1, 0.52498), (7.0, 0.99909)])
def test_the_numbers_of_the_paper(epsilon, success):
    assert round(to_success(PopulationPrivacy(epsilon)).probability, 5) == success


@pytest.mark.parametrize("prior", [0.1, 0.4, 0.7])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.95), (0.5, 0.9), (2.0, 0.6), (3.0, 0.2)])
def test_other_priors_against_a_grid_of_two_point_laws(prior, epsilon, delta):
    """All pairs (p, q) whose beliefs, after the event and after its complement, keep the range."""
    weight, odds = math.exp(epsilon), prior / (1 - prior)
    most = (weight + delta) / (1 - delta)
    grid = np.linspace(0, 1, 751)[1:-1]
    p, q = np.meshgrid(grid, grid)
    kept = np.ones(p.shape, bool)
    for one, other in ((p, q), (1 - p, 1 - q)):
        kept &= (odds * one / other <= most) & (odds * one / other >= 1 / most)
    if not kept.any():
        with refuses(NotApplicable, "the-prior-itself"):
            from_beliefs(PopulationPosterior(epsilon, delta, prior))
        return
    worst = max(float((p - weight * q)[kept].max()), float((q - weight * p)[kept].max()), 0.0)
    found = from_beliefs(PopulationPosterior(epsilon, delta, prior))
    assert found.epsilon == epsilon
    assert worst <= found.delta <= worst + 5e-3 * (1 + weight)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=4), st.data(), tenths)
def test_prior_one_half_exactly(inside, data, ratio):
    """(1) with the least δ that holds of every event; then both hockey sticks keep to it."""
    outside = data.draw(st.lists(st.integers(0, 9), min_size=len(inside), max_size=len(inside)))
    if not any(outside):
        return
    p = [Fraction(each, sum(inside)) for each in inside]
    q = [Fraction(each, sum(outside)) for each in outside]
    weight = 1 / ratio
    delta = Fraction(0)
    for event in range(1, 2 ** len(p)):
        chosen = [i for i in range(len(p)) if event >> i & 1]
        a, b = sum(p[i] for i in chosen), sum(q[i] for i in chosen)
        delta = max(delta, (a - weight * b) / (a + b), (b - weight * a) / (a + b))
    for one, other in ((p, q), (q, p)):
        stick = sum(max(x - weight * y, Fraction(0)) for x, y in zip(one, other, strict=True))
        assert stick <= delta


@pytest.mark.parametrize("delta", [Fraction(1, 20), Fraction(1, 2)])
def test_prior_one_half_is_attained(delta):
    """Randomised response with odds (e^ε + δ)/(1 − δ)."""
    weight = Fraction(3)
    most = (weight + delta) / (1 - delta)
    p, q = most / (1 + most), 1 / (1 + most)
    assert (p - weight * q) / (p + q) == delta
    assert p - weight * q == delta


def test_delta_leaves_beliefs_unbounded():
    """An output of probability δ given the record in, and none given it out: the belief is 1."""
    delta = 1e-9
    p, q = (delta, 1 - delta), (0.0, 1.0)
    assert max(x - y for x, y in zip(p, q, strict=True)) <= delta
    assert p[0] / (p[0] + q[0]) == 1.0  # within no (ε, δ') with δ' < 1: 1 > e^ε·0 + δ'


@refusals(
    (
        from_dp,
        ApproxDP(0.5, 0.0, Adjacency.ADD_REMOVE),
        NotApplicable,
        "guarantee-with-neighbours: _ | add-remove",
    ),
    (to_one_set, PopulationPrivacy(0.5, 1e-6), NotApplicable, "one-for-one"),
    # one parent set proves nothing of others, and neither do more records
    (to_dp, PopulationPrivacy(0.5, 1e-6, 1), NotApplicable, "guarantee-for-every-parent-set"),
    (to_dp, every(0.5), NotApplicable, "data-of-one-record"),
    (to_dp, every(0.5, size=2), NotApplicable, "data-of-one-record"),
    # the paper samples half
    (
        from_beliefs_as_published,
        PopulationPosterior(0.5, 0.1, 0.4),
        NotApplicable,
        "share-in-theorems",
    ),
    (to_beliefs, PopulationPrivacy(0.5, 1e-9, size=3), NotApplicable, "delta-0"),
    (to_beliefs, PopulationPrivacy(0.5), NotApplicable, "half-of-parent-set"),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
