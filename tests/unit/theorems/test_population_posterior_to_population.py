import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import NotApplicable
from deniable.notions import PopulationPosterior, PopulationPrivacy
from deniable.theorems.population_posterior_to_population import population_posterior_to_population

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
