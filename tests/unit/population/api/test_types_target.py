"""Least noise for records of few types: what is found keeps to the target, and more noise too."""

import numpy as np
import pytest

from deniable import Effort, population
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from deniable.population.answer import LADDER
from tests.cases.effort import one_in, some_pairs
from tests.cases.refusals import refuses
from tests.oracles import types as brute

HUMP = np.array([[2, 0], [1, 1]]), np.array([2, 2])
"""At δ = 0.1 and n = 1 ε̃ rises from 4.5 to 5.8 between σ = 0.448 and 0.488."""


def exact(scale):
    rows, counts = HUMP
    reach = int(12 * scale) + 4
    log_pmf = DiscreteGaussian(scale).log_pmf
    return max(brute.whole_epsilon(rows, counts, 1, log_pmf, 0.1, k, reach) for k in range(2))


def test_more_noise_may_be_worse():
    assert exact(0.448) < 4.6 < 5.8 < exact(0.488)


@pytest.mark.parametrize("target", one_in(2, [5.089, 5.6]))
def test_a_ladder_of_larger_scales_keeps_to_the_target_too(target):
    found = population.discrete_gaussian(
        np.column_stack(HUMP), 1, target=target, delta=0.1, counts=True
    )
    scale = found.noise.value
    assert found.search.complete
    assert exact(scale) <= found.population_epsilon.upper <= target
    assert [step for step in LADDER if exact(scale * step) > target] == []


@pytest.mark.parametrize(
    ("noise", "target"),
    some_pairs(["gaussian", "discrete_laplace", "discrete_gaussian"], [4.6, 12.0]),
)
def test_a_target_that_next_to_no_noise_meets_is_met_and_ends_in_no_fault(noise, target):
    function = getattr(population, noise)
    found = function(np.column_stack(HUMP), 1, target=target, delta=0.1, query="sum", counts=True)
    assert found.population_epsilon.upper <= target
    assert found.noise.value > 0


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_the_records_changes_nothing(unit):
    rows = np.column_stack([np.eye(2), [60, 40]])
    asked = {"target": 0.2, "delta": 1e-3, "query": "sum", "counts": True}
    asked["effort"] = Effort(gap=3.0)
    one = population.gaussian(rows, 50, **asked)
    other = population.gaussian(rows * [unit, unit, 1], 50, **asked)
    assert other.noise.value / unit == pytest.approx(one.noise.value, rel=0.1)


def test_a_target_that_the_counts_meet_needs_no_noise():
    rows = np.column_stack([np.eye(2), [5_000_000, 5_000_000]])
    with refuses(InvalidArgument, "all-noise-meets"):
        population.gaussian(rows, 10**6, target=0.5, delta=1e-5, query="sum", counts=True)
