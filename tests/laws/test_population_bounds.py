"""Every bound of population privacy in its order, against all samples written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import population
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from tests.cases.effort import usual
from tests.oracles import population as brute

SLACK = 2e-3
"""Error of the integration that the bounds are compared with."""
sizes = st.tuples(st.integers(3, 6), st.integers(1, 5)).filter(lambda s: s[1] < s[0])
deltas = st.sampled_from([0.01, 0.1])


@st.composite
def columns(draw, whole=False):
    """Few values, so that repeated records and ties are common."""
    population, size = draw(sizes)
    values = st.integers(-4, 4)
    rows = draw(st.lists(values, min_size=population, max_size=population))
    return (rows if whole else [x / 2 for x in rows]), size


def in_order(found, exact, slack=SLACK):
    bound = found.population_epsilon
    assert bound.lower <= exact + slack
    assert exact - slack <= bound.upper
    assert bound.upper <= found.epsilon_restricted_sensitivity
    assert found.epsilon_adjacent_subsets <= found.epsilon_restricted_sensitivity
    assert found.epsilon_restricted_sensitivity <= found.epsilon * (1 + 1e-12)
    assert bound.evidence <= Evidence.ENCLOSURE


@given(columns(), st.sampled_from([0.5, 1.5, 4.0]), deltas)
@settings(max_examples=usual(4, 6))
def test_gaussian(case, sigma, delta):
    values, size = case
    found = population.gaussian(values, size, sigma=sigma, delta=delta, query="sum", clip=2.0)
    exact = max(brute.gaussian_epsilon(values, size, sigma, delta, x) for x in range(len(values)))
    in_order(found, exact)
    assert found.population_epsilon.upper <= found.pairwise_bound + 1e-6
    assert found.pairwise_bound <= found.epsilon_restricted_sensitivity * (1 + 1e-9) + 1e-9


@given(columns(), st.sampled_from([0.3, 1.0, 4.0]))
@settings(max_examples=usual(8, 20))
def test_laplace(case, scale):
    values, size = case
    found = population.laplace(values, size, scale=scale, query="sum", clip=2.0)
    exact = max(
        brute.laplace_epsilon(values, size, scale, x, points=20_001) for x in range(len(values))
    )
    in_order(found, exact, 1e-6 + 10 / scale * 2 / 20_000)


@pytest.mark.parametrize(
    ("function", "mechanism"),
    [
        (population.discrete_laplace, DiscreteLaplace),
        (population.discrete_gaussian, DiscreteGaussian),
    ],
)
@given(case=columns(whole=True), scale=st.sampled_from([0.5, 1.0, 3.0]), delta=deltas)
@settings(max_examples=usual(8, 20))
def test_whole_noise(function, mechanism, case, scale, delta):
    values, size = case
    found = function(values, size, scale=scale, delta=delta, clip=4)
    noise = mechanism(scale)
    exact = max(
        brute.whole_epsilon(values, size, noise.log_pmf, delta, x, 80) for x in range(len(values))
    )
    in_order(found, exact, 1e-8)


@given(st.integers(0, 10**6), sizes, st.sampled_from([0.5, 4.0, 40.0]))
@settings(max_examples=usual(8, 25))
def test_exponential(seed, counts, epsilon):
    people, size = counts
    rng = np.random.default_rng(seed)
    rows, candidates = rng.normal(size=(people, 2)), rng.normal(size=(4, 2))
    found = population.exponential(rows, candidates, size, epsilon=epsilon, clip=1.5)
    exact = max(
        brute.exponential_epsilon(rows, candidates, size, epsilon, 1.5, x) for x in range(people)
    )
    in_order(found, exact, 1e-9 * (1 + exact))
    assert found.population_epsilon.upper <= found.epsilon_adjacent_subsets + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_several_columns(seed):
    rows = np.round(np.random.default_rng(seed).normal(size=(7, 2)), 1)
    size = 1 + seed
    found = population.gaussian(
        rows, size, sigma=1.5, delta=0.1, query="sum", clip=5.0,
        effort=Effort(time_limit=1.0, gap=0.3, confidence=1 - 1e-6),
    )  # fmt: skip
    exact = max(brute.gaussian_epsilon(rows, size, 1.5, 0.1, x, step=0.15) for x in range(7))
    bound = found.population_epsilon
    assert bound.lower <= exact + SLACK
    assert exact - SLACK <= bound.upper <= found.pairwise_bound
    assert found.pairwise_bound <= found.epsilon_restricted_sensitivity * (1 + 1e-9)
    assert found.epsilon_restricted_sensitivity <= found.epsilon
    assert 0.5 * exact < found.estimate < 2 * exact + 0.2


@pytest.mark.parametrize("n", [1, 5])
def test_one_record_in_or_all_but_one_is_the_same_question(n):
    values = [0.0, 0.5, 1.0, 2.5, 2.5, 4.0]
    one = population.gaussian(values, n, sigma=1.0, delta=0.05, query="sum")
    other = population.gaussian(values, 6 - n, sigma=1.0, delta=0.05, query="sum")
    assert one.population_epsilon.upper == pytest.approx(other.population_epsilon.upper, rel=1e-6)
