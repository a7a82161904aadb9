"""What a rounding gives away: quotients by the noise, shares n/N, quantiles of more than a number.

And what a parent set does to an analysis whose records are all equally far out.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable import Effort, LinearQuery, population
from deniable.errors import InvalidArgument
from deniable.population.bounds import is_change_exact, largest_change
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses

SOON = Effort(gap=0.5, time_limit=0.05)
AGES = [20.0, 31.0, 44.0, 58.0, 83.0]


@pytest.mark.parametrize(
    ("sigma", "query"), some_pairs([0.1, 0.3, 0.7, 1.1, 3.0, 1 / 3, 1e-3], ["sum", "mean"])
)
def test_queries_with_one_noise_are_the_queries_themselves(sigma, query):
    # Quotients by the noise are rounded: of 20, …, 83 by 0.1 the range comes out too short.
    both = np.stack([AGES, AGES[::-1]], axis=1)
    for data in (AGES, both):
        noise = {"sigma": sigma, "delta": 0.01, "query": query, "effort": SOON}
        alone = population.gaussian(data, 2, **noise)
        queries = [
            LinearQuery(column, sigma, query) for column in np.atleast_2d(np.transpose(data))
        ]
        found = population.joint(queries, 2, delta=0.01, effort=SOON)
        assert found.epsilon_restricted_sensitivity == alone.epsilon_restricted_sensitivity
        assert found.pairwise_bound == alone.pairwise_bound
        assert found.noise.value == 1.0


@pytest.mark.parametrize("sigmas", [(0.1, 0.3), (1 / 3, 3.0), (1e-3, 7.0)])
def test_queries_with_several_noises_tell_no_less_than_they_do(sigmas):
    queries = [LinearQuery(AGES, sigma, "sum") for sigma in sigmas]
    found = population.joint(queries, 2, delta=0.01, effort=SOON)
    # The range of the ages by √(1/a² + 1/b²), in fractions; ε of it by the door of one query.
    precision = sum(1 / Fraction(sigma) ** 2 for sigma in sigmas)
    sigma = 1 / math.sqrt(precision) * (1 + 1e-15)
    alone = population.gaussian(AGES, 2, sigma=sigma, delta=0.01, query="sum", effort=SOON)
    exact = alone.epsilon_restricted_sensitivity
    assert exact <= found.epsilon_restricted_sensitivity <= exact * (1 + 1e-9)


@pytest.mark.parametrize("population_size", [3, 7, 10, 49, 1000, 10**9])
def test_guessing_by_the_prior_is_counted_in_full(population_size):
    for size in {1, population_size // 3, population_size - 1, 2 * population_size // 3}:
        found = population.count(0, population_size, size, scale=1.0)
        prior = Fraction(size, population_size)
        assert Fraction(found.bayes_success) >= max(prior, 1 - prior)


def test_of_records_on_a_sphere_not_every_pair_is_looked_at():
    angles = np.linspace(0.0, 2 * math.pi, 60_000, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert not is_change_exact(circle)
    assert 2.0 <= largest_change(circle) <= 2.01
    few = circle[:: 60_000 // 600]
    assert is_change_exact(few)
    assert 2.0 <= largest_change(few) * (1 + 1e-12) <= 2.0 + 1e-9


def test_epsilon_of_such_records_is_not_called_exact():
    angles = np.linspace(0.0, 2 * math.pi, 60_000, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    found = population.gaussian(
        circle, 30_000, sigma=3.0, delta=1e-3, query="sum", method="pairwise", effort=SOON
    )
    assert found.epsilon_adjacent_subsets is None
    exact = population.gaussian(
        [0.0, 2.0], 1, sigma=3.0, delta=1e-3, query="sum"
    ).epsilon_restricted_sensitivity
    assert exact <= found.epsilon_restricted_sensitivity <= exact * 1.01


@pytest.mark.parametrize("method", ["enumerate", "sample"])
def test_a_quantile_of_records_with_two_numbers_is_refused(method):
    losses = population.quantile_losses([0.0, 1.0], 0.5)
    with refuses(InvalidArgument, "one-number-record"):
        population.exponential(
            np.stack([AGES, AGES], axis=1), [0.0, 1.0], 2, losses=losses, sensitivity=1.0,
            epsilon=1.0, method=method, effort=SOON,
        )  # fmt: skip


@pytest.mark.parametrize("candidates", [[math.nan], [math.inf], ["one"], [], 3.0, [[1.0]]])
def test_candidates_that_are_no_numbers_are_refused(candidates):
    with refuses(InvalidArgument, "candidates-list-of-finite-numbers"):
        population.quantile_losses(candidates, 0.5)


@pytest.mark.parametrize("values", [[], 3.0, np.array([["a", "b"], ["b", "a"]])])
def test_categories_that_are_no_list_are_refused(values):
    with refuses(InvalidArgument, "records-and-of-keys-at-least"):
        population.top_losses(values, ["a"])
