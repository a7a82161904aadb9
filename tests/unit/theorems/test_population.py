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
    PopulationPosterior,
    PopulationPrivacy,
    Setting,
)
from deniable.theorems.population import (
    approx_dp_to_population,
    population_posterior_to_population,
    population_posterior_to_population_as_published,
    population_to_approx_dp,
    population_to_attack_success,
    population_to_one_parent_set,
    population_to_population_posterior,
)


def test_the_numbers_stay():
    found = approx_dp_to_population(ApproxDP(0.5, 1e-6))
    assert found == PopulationPrivacy(0.5, 1e-6, every_parent_set=True)
    of_one = approx_dp_to_population(ApproxDP(0.5, 1e-6, records=1))
    assert of_one == PopulationPrivacy(0.5, 1e-6, 1, every_parent_set=True)
    with pytest.raises(NotApplicable, match="got add-remove"):
        approx_dp_to_population(ApproxDP(0.5, 0.0, Adjacency.ADD_REMOVE))


@pytest.mark.parametrize("size", [None, 3])
def test_the_numbers_stay_and_there_is_no_way_back(size):
    every = PopulationPrivacy(0.5, 1e-6, size, every_parent_set=True)
    one = population_to_one_parent_set(every)
    assert one == PopulationPrivacy(0.5, 1e-6, size)
    with pytest.raises(NotApplicable, match="got one for one of them"):
        population_to_one_parent_set(one)


def test_the_numbers_stay__population_to_approx_dp():
    guarantee = PopulationPrivacy(0.5, 1e-6, 1, every_parent_set=True)
    assert population_to_approx_dp(guarantee) == ApproxDP(0.5, 1e-6, records=1)


def test_one_parent_set_proves_nothing_of_others():
    with pytest.raises(NotApplicable, match="Expected a guarantee for every parent set"):
        population_to_approx_dp(PopulationPrivacy(0.5, 1e-6, 1))


@pytest.mark.parametrize("size", [None, 2])
def test_more_records_prove_nothing(size):
    with pytest.raises(NotApplicable, match="Expected data of one record"):
        population_to_approx_dp(PopulationPrivacy(0.5, 0.0, size, every_parent_set=True))


@pytest.mark.parametrize(("epsilon", "success"), [(0.1, 0.52498), (7.0, 0.99909)])
def test_the_numbers_of_the_paper(epsilon, success):
    found = population_to_attack_success(PopulationPrivacy(epsilon))
    assert found.setting is Setting.POPULATION
    assert round(found.probability, 5) == success


def test_edges():
    assert population_to_attack_success(PopulationPrivacy(0.0, 0.5)).probability == 0.75
    assert population_to_attack_success(PopulationPrivacy(math.inf)).probability == 1.0


tenths = st.integers(1, 9).map(lambda n: Fraction(n, 10))


def test_at_prior_one_half_the_numbers_and_the_size_stay():
    given_ = PopulationPosterior(0.5, 0.1, 0.5, 3, every_parent_set=True)
    assert population_posterior_to_population(given_) == PopulationPrivacy(0.5, 0.1, 3, True)


def test_every_parent_set_of_one_share_is_not_every_one():
    given_ = PopulationPosterior(0.5, 0.1, 0.5, every_parent_set=True)
    assert not population_posterior_to_population(given_).every_parent_set


@pytest.mark.parametrize("prior", [0.1, 0.4, 0.7])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.95), (0.5, 0.9), (2.0, 0.6), (3.0, 0.2)])
def test_other_priors_against_a_grid_of_two_point_laws(prior, epsilon, delta):
    """All pairs (p, q) whose beliefs, after the event and after its complement, keep the range."""
    weight, odds = math.exp(epsilon), prior / (1 - prior)
    most = (weight + delta) / (1 - delta)
    p, q = np.meshgrid(np.linspace(0, 1, 1501)[1:-1], np.linspace(0, 1, 1501)[1:-1])
    kept = np.ones(p.shape, bool)
    for one, other in ((p, q), (1 - p, 1 - q)):
        kept &= (odds * one / other <= most) & (odds * one / other >= 1 / most)
    if not kept.any():
        with pytest.raises(NotApplicable, match="the prior itself"):
            population_posterior_to_population(PopulationPosterior(epsilon, delta, prior))
        return
    worst = max(float((p - weight * q)[kept].max()), float((q - weight * p)[kept].max()), 0.0)
    found = population_posterior_to_population(PopulationPosterior(epsilon, delta, prior))
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


def test_delta_doubles():
    given = PopulationPosterior(0.5, 0.1, 0.5, 2)
    assert population_posterior_to_population_as_published(given) == PopulationPrivacy(0.5, 0.2, 2)
    whole = PopulationPosterior(0.5, 0.7, 0.5)
    assert population_posterior_to_population_as_published(whole).delta == 1


def test_the_paper_samples_half():
    with pytest.raises(NotApplicable, match="Expected share ½"):
        population_posterior_to_population_as_published(PopulationPosterior(0.5, 0.1, 0.4))


def test_pure_guarantees_of_half_a_parent_set():
    given = PopulationPrivacy(0.5, size=3, every_parent_set=True)
    assert population_to_population_posterior(given) == PopulationPosterior(
        0.5, 0.0, 0.5, 3, every_parent_set=True
    )
    whole = PopulationPrivacy(0.5, every_parent_set=True)
    assert population_to_population_posterior(whole).every_parent_set


def test_delta_says_nothing_of_beliefs():
    """An output of probability δ given the record in, and none given it out: the belief is 1."""
    with pytest.raises(NotApplicable, match="Expected delta = 0"):
        population_to_population_posterior(PopulationPrivacy(0.5, 1e-9, size=3))
    delta = 1e-9
    p, q = (delta, 1 - delta), (0.0, 1.0)
    assert max(x - y for x, y in zip(p, q, strict=True)) <= delta
    assert p[0] / (p[0] + q[0]) == 1.0  # within no (ε, δ') with δ' < 1: 1 > e^ε·0 + δ'


def test_an_unknown_share_says_nothing_of_a_prior():
    with pytest.raises(NotApplicable, match="half of the parent set"):
        population_to_population_posterior(PopulationPrivacy(0.5))
