import math

import numpy as np
import pytest

from deniable import Effort, population
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.bound import Evidence
from tests.cases.refusals import refuses
from tests.oracles import population as brute

COLUMN = [0, 1, 1, 3, 6, 2]
BOTH = pytest.mark.parametrize(
    ("function", "mechanism"),
    [
        (population.discrete_laplace, DiscreteLaplace),
        (population.discrete_gaussian, DiscreteGaussian),
    ],
)


@BOTH
@pytest.mark.parametrize("scale", [0.8, 3.0])
def test_against_all_samples(function, mechanism, scale):
    noise = mechanism(scale)
    found = function(COLUMN, 2, scale=scale, delta=0.02, records="all")
    for each in found.records:
        exact = brute.whole_epsilon(COLUMN, 2, noise.log_pmf, 0.02, each.record, 60)
        assert each.bound.lower <= exact + 1e-9
        assert exact <= each.bound.upper + 1e-9
        assert each.bound.upper <= exact * (1 + 1e-6) + 1e-9
    assert found.population_epsilon.evidence <= Evidence.ENCLOSURE
    assert found.population_epsilon.upper <= found.epsilon_restricted_sensitivity
    assert noise.delta(found.epsilon_restricted_sensitivity, 6) <= 0.02


def test_pure():
    noise = DiscreteLaplace(0.7)
    found = population.discrete_laplace(COLUMN, 2, scale=0.7)
    exact = max(brute.whole_epsilon(COLUMN, 2, noise.log_pmf, 0.0, x, 40) for x in range(6))
    assert found.population_epsilon.upper == pytest.approx(exact, rel=1e-9)
    assert math.isinf(population.discrete_gaussian(COLUMN, 2, scale=3.0).population_epsilon.upper)


@BOTH
def test_a_target(function, mechanism):
    found = function(COLUMN, 2, target=0.5, delta=0.02, clip=6)
    assert 0.49 < found.population_epsilon.upper <= 0.5
    noise = mechanism(found.noise.value)
    exact = max(brute.whole_epsilon(COLUMN, 2, noise.log_pmf, 0.02, x, 200) for x in range(6))
    assert exact <= 0.5
    assert noise.delta(found.epsilon, 12) <= 0.02


@BOTH
def test_a_target_of_0_is_met_where_delta_hides_everything(function, mechanism):
    found = function(COLUMN, 2, target=0.0, delta=0.3)
    assert found.population_epsilon.upper == 0.0
    noise = mechanism(found.noise.value * 0.999)
    less = [brute.whole_epsilon(COLUMN, 2, noise.log_pmf, 0.3, x, 200) for x in range(6)]
    assert max(less) > 0.0


def test_no_discrete_gaussian_noise_is_pure():
    with pytest.raises(InfeasibleTarget):
        population.discrete_gaussian(COLUMN, 2, target=3.0)


@BOTH
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data": [0.5, 1.0, 2.0]}, "whole-numbers-up-to-2"),
        ({"data": [[1, 2], [3, 4], [5, 6]], "method": "lattice"}, "one-column-for-method"),
        ({"data": [[1, 2], [3, 4], [5, 6]]}, "delta-above-0-or-discrete"),
        ({"query": "mean"}, "query-to-sum-for-whole: 'mean'"),
        ({"clip": 1.5}, "not-whole: clip"),
        ({"delta": -0.1}, "not-from-0-to-1: delta"),
        ({"size": 6}, "1-at-most-size-below-number: 6"),
    ],
)
def test_wrong_arguments(function, mechanism, changed, message):
    del mechanism
    with refuses(InvalidArgument, message):
        function(**({"data": COLUMN, "size": 2, "scale": 1.0} | changed))


def test_a_search_without_time_for_any_sum_rests_on_the_noise_alone():
    values = np.random.default_rng(0).integers(0, 2000, 600)
    found = population.discrete_laplace(values, 300, target=0.1, effort=Effort(time_limit=0.01))
    assert (found.method, found.search.complete) == ("noise-alone", False)
    assert found.population_epsilon.upper <= 0.1
    again = population.discrete_laplace(
        values, 300, scale=found.noise.value, effort=Effort(time_limit=0.01)
    )
    assert (again.method, again.population_epsilon.lower) == ("noise-alone", 0.0)
    assert again.population_epsilon.upper <= 0.1


@BOTH
def test_a_histogram_by_its_counts(function, mechanism):
    del mechanism
    cells = [[1, 0, 0, 60], [0, 1, 0, 50], [0, 0, 1, 40]]
    found = function(cells, 75, scale=3.0, delta=0.01, counts=True, records=[2])
    listed = function(np.repeat(np.eye(3), [60, 50, 40], axis=0), 75, scale=3.0, delta=0.01,
                      records=[149])  # fmt: skip
    assert found.population == listed.population == 150
    assert found.records[0].bound.lower == pytest.approx(listed.records[0].bound.lower)
    assert found.epsilon_adjacent_subsets is None
    assert found.population_epsilon.upper <= found.epsilon_restricted_sensitivity


@BOTH
def test_a_target_for_a_histogram(function, mechanism):
    del mechanism
    cells = [[1, 0, 60], [0, 1, 50]]
    found = function(cells, 55, target=0.3, delta=1e-4, counts=True)
    assert found.population_epsilon.upper <= 0.3
    with refuses(InvalidArgument, "all-noise-meets"):
        function(cells, 55, target=50.0, delta=1e-4, counts=True)


@BOTH
def test_vectors_are_cut_beforehand(function, mechanism):
    del mechanism
    with refuses(InvalidArgument, "no-clip-with-several-columns"):
        function(np.eye(3), 1, scale=3.0, delta=0.01, clip=1)
