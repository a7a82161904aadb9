import numpy as np
import pytest

from deniable import population
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.numerics.bound import Evidence
from tests.cases.refusals import refuses
from tests.oracles import population as brute

COLUMN = [0.0, 0.3, 1.0, 1.0, 2.0, 4.0]


@pytest.mark.parametrize("scale", [0.2, 2.0])
def test_pure(scale):
    found = population.laplace(COLUMN, 2, scale=scale, query="sum", records="all")
    exact = [brute.laplace_epsilon(COLUMN, 2, scale, x) for x in range(6)]
    for each, value in zip(found.records, exact, strict=True):
        assert each.bound.lower <= value * (1 + 1e-9)
        assert value <= each.bound.upper * (1 + 1e-9)
        assert each.bound.upper <= value * 1.05 + 1e-3
    assert found.population_epsilon.evidence <= Evidence.ENCLOSURE
    assert found.population_epsilon.upper <= found.epsilon_restricted_sensitivity


def test_approximate():
    def log_density(x):
        return -np.abs(x) / 2.0 - np.log(4.0)

    found = population.laplace(COLUMN, 2, scale=1.0, delta=0.05, records="all")
    for each in found.records:
        laws = brute.grid_laws(COLUMN, 2, each.record, log_density, 2e-3, 50.0)
        value = brute.smallest_epsilon(laws[0], laws[1], 0.05, laws[2])
        assert each.bound.lower <= value + 1e-3
        assert value <= each.bound.upper + 1e-3
        assert each.bound.upper <= value + 0.02


def test_worst_case_by_a_clip():
    found = population.laplace(COLUMN, 2, scale=1.0, clip=3.0)
    assert found.epsilon == 3.0
    assert found.epsilon_restricted_sensitivity == 1.5


def test_a_target():
    found = population.laplace(COLUMN, 2, target=0.5)
    assert 0.49 < found.population_epsilon.upper <= 0.5
    assert max(brute.laplace_epsilon(COLUMN, 2, 2 * found.noise.value, x) for x in range(6)) <= 0.5


def test_a_target_below_what_delta_0_allows():
    with refuses(InfeasibleTarget, "target-choose-larger"):
        population.laplace(COLUMN, 2, target=0.0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data": [[1.0, 2.0], [3.0, 4.0]], "size": 1}, "one-column-for-noise: Laplace"),
        ({"scale": None}, "exactly-one: scale, target | none"),
        ({"scale": -1.0}, "not-above-0: scale"),
        ({"delta": 1.0}, "0-at-most-delta-below-1"),
        ({"size": 6}, "1-at-most-size-below-number: 6"),
    ],
)
def test_wrong_arguments(changed, message):
    with refuses(InvalidArgument, message):
        population.laplace(**({"data": COLUMN, "size": 2, "scale": 1.0} | changed))


def test_constant_data():
    assert population.laplace([2.0] * 4, 2, scale=1.0).population_epsilon.upper == 0.0
