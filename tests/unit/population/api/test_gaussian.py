import functools
import math

import numpy as np
import pytest

from deniable import population
from deniable.errors import InvalidArgument
from deniable.mechanisms import Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles import population as brute

COLUMN = [0.0, 0.3, 1.0, 1.0, 2.0, 4.0]
ROWS = np.random.default_rng(7).normal(size=(7, 2))
QUICK = Effort(time_limit=2.0, gap=0.3)


def test_one_column_is_exact():
    found = population.gaussian(COLUMN, 2, sigma=0.8, delta=0.02, records="all")
    exact = [brute.gaussian_epsilon(COLUMN, 2, 1.6, 0.02, x) for x in range(6)]
    for each, value in zip(found.records, exact, strict=True):
        assert each.bound.lower == pytest.approx(value, abs=2e-4)
        assert each.bound.upper == pytest.approx(value, abs=2e-4)
    assert found.worst_record == int(np.argmax(exact))
    assert found.population_epsilon.evidence <= Evidence.ENCLOSURE
    assert (found.method, found.size, found.population) == ("fourier", 2, 6)


def test_a_sum_is_n_means():
    mean = population.gaussian(COLUMN, 2, sigma=0.8, delta=0.02)
    total = population.gaussian(COLUMN, 2, sigma=1.6, delta=0.02, query="sum")
    assert mean.population_epsilon.upper == pytest.approx(total.population_epsilon.upper)
    assert mean.epsilon_restricted_sensitivity == pytest.approx(
        total.epsilon_restricted_sensitivity
    )


@functools.cache
def exactly():
    return [brute.gaussian_epsilon(ROWS, 3, 1.5, 0.05, x, step=0.15) for x in range(7)]


@pytest.mark.parametrize("method", ["auto", "crowd", "pairwise"])
def test_several_columns_are_bracketed(method):
    found = population.gaussian(
        ROWS, 3, sigma=0.5, delta=0.05, method=method, records="all", effort=QUICK
    )
    exact = exactly()
    for each, value in zip(found.records, exact, strict=True):
        assert each.bound.lower <= value + 1e-3
        assert value - 1e-3 <= each.bound.upper
    assert found.population_epsilon.lower <= max(exact) + 1e-3
    assert found.population_epsilon.lower > 0.5 * max(exact)
    assert found.population_epsilon.upper <= found.pairwise_bound
    assert found.pairwise_bound <= found.epsilon_restricted_sensitivity * (1 + 1e-9)


def test_the_noise_of_a_worst_case_epsilon():
    found = population.gaussian(COLUMN, 2, epsilon=1.0, clip=5.0, delta=0.02)
    assert found.noise.value == pytest.approx(Gaussian.for_approx_dp(1.0, 0.02, 5.0).scale)
    assert found.epsilon <= 1.0
    total = population.gaussian(COLUMN, 2, epsilon=1.0, clip=5.0, delta=0.02, query="sum")
    assert total.noise.value == pytest.approx(2 * found.noise.value)
    assert math.isinf(population.gaussian(COLUMN, 2, sigma=1.0, delta=0.02).epsilon)


def test_a_clip_changes_the_records():
    found = population.gaussian(COLUMN, 2, sigma=1.0, delta=0.02, clip=1.0)
    assert found.epsilon_restricted_sensitivity == pytest.approx(
        population.gaussian(
            [0.0, 0.3, 1.0, 1.0, 1.0, 1.0], 2, sigma=1.0, delta=0.02
        ).epsilon_restricted_sensitivity
    )


def test_a_target_is_met_by_the_certified_end():
    found = population.gaussian(COLUMN, 2, target=0.5, delta=0.02)
    assert found.population_epsilon.upper <= 0.5
    again = population.gaussian(COLUMN, 2, sigma=found.noise.value, delta=0.02)
    assert again.population_epsilon == found.population_epsilon
    less = population.gaussian(COLUMN, 2, sigma=found.noise.value * 0.999, delta=0.02)
    assert less.population_epsilon.upper > 0.5


@pytest.mark.parametrize("method", ["auto", "pairwise"])
def test_a_target_for_several_columns(method):
    found = population.gaussian(ROWS, 3, target=1.0, delta=0.05, method=method, effort=QUICK)
    assert found.population_epsilon.upper <= 1.0
    worst = max(
        brute.gaussian_epsilon(ROWS, 3, 3 * found.noise.value, 0.05, x, step=0.15) for x in range(7)
    )
    assert worst <= 1.0
    if method == "auto":
        behind = population.gaussian(ROWS, 3, target=1.0, delta=0.05, method="pairwise")
        assert found.noise.value <= behind.noise.value


@pytest.mark.parametrize("rows", [[3.0] * 5, [[3.0, 1.0]] * 5])
@pytest.mark.parametrize("method", ["auto", "pairwise"])
def test_constant_data_tell_nothing(rows, method):
    found = population.gaussian(rows, 2, sigma=1.0, delta=0.02, method=method)
    assert found.population_epsilon.upper == 0.0
    assert found.epsilon_restricted_sensitivity == 0.0
    with refuses(InvalidArgument, "every-noise-meets-every-target"):
        population.gaussian(rows, 2, target=1.0, delta=0.02, method=method)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, float("nan")])
def test_delta_out_of_range(delta):
    with refuses(InvalidArgument, "names-argument: delta"):
        population.gaussian(COLUMN, 2, sigma=1.0, delta=delta)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"size": 6}, "1-at-most-size-below-number: 6"),
        ({"size": 0}, "below-least: size | 1"),
        ({"sigma": 0.0}, "not-above-0: sigma"),
        ({"sigma": None}, "exactly-one: sigma, epsilon, target | none"),
        ({"target": 1.0}, "exactly-one: _ | sigma, target"),
        ({"sigma": None, "epsilon": 1.0}, "clip-with-epsilon"),
        ({"clip": 0.0}, "not-above-0: clip"),
        ({"method": "guess"}, "one-of-score-distance: method | auto | fourier | crowd | pairwise"),
        ({"data": ROWS, "method": "fourier"}, "one-column-for-method: fourier"),
        ({"data": [1.0, float("nan")]}, "finite-and-at-most-1e100: records"),
    ],
)
def test_wrong_arguments(changed, message):
    arguments = {"data": COLUMN, "size": 2, "sigma": 1.0, "delta": 0.02} | changed
    with refuses(InvalidArgument, message):
        population.gaussian(**arguments)


def test_too_little_time_widens_the_interval():
    hurried = population.gaussian(
        ROWS, 3, sigma=0.5, delta=0.05, effort=Effort(time_limit=1e-3, gap=0.01)
    )
    exact = max(brute.gaussian_epsilon(ROWS, 3, 1.5, 0.05, x, step=0.15) for x in range(7))
    assert hurried.population_epsilon.lower <= exact + 1e-3
    assert exact - 1e-3 <= hurried.population_epsilon.upper
    assert hurried.population_epsilon.upper <= hurried.pairwise_bound


def test_delta_alone_may_meet_a_target_of_zero():
    found = population.gaussian(ROWS, 3, target=0.0, delta=0.01, effort=QUICK)
    assert found.population_epsilon.upper == 0


@pytest.mark.parametrize(("unit", "sigma"), [(1e-160, 1e-160), (1.0, 1e-20), (1.0, 1e200)])
@pytest.mark.parametrize("records", [np.array(COLUMN), ROWS])
def test_what_squares_cannot_hold_is_refused(records, unit, sigma):
    with refuses(InvalidArgument, "another-unit-raise-sigma"):
        population.gaussian(records * unit, 2, sigma=sigma, delta=0.01, effort=QUICK)


def test_delta_near_the_least_float():
    found = population.gaussian(
        ROWS, 2, sigma=5.0, delta=1e-300, effort=Effort(time_limit=usual(0.5, 2.0))
    )
    assert found.population_epsilon.upper <= found.pairwise_bound


CELLS = [[1, 0, 0, 100], [0, 1, 0, 60], [0, 0, 1, 40]]


def test_few_types_are_found_and_counted_alike():
    rows = np.repeat(np.eye(3), [100, 60, 40], axis=0)
    found = population.gaussian(rows, 100, sigma=3.0, delta=0.01, query="sum")
    counted = population.gaussian(CELLS, 100, sigma=3.0, delta=0.01, query="sum", counts=True)
    assert found.method == counted.method == "types"
    assert found.population_epsilon.lower == pytest.approx(counted.population_epsilon.lower)
    assert (found.worst_record, counted.worst_record) == (160, 2)
    mean = population.gaussian(CELLS, 100, sigma=0.03, delta=0.01, counts=True)
    assert mean.population_epsilon.lower == pytest.approx(found.population_epsilon.lower)


def test_counts_have_a_target_and_a_clip():
    found = population.gaussian(
        CELLS, 100, target=0.3, delta=0.01, clip=0.5, query="sum", counts=True
    )
    assert found.population_epsilon.upper <= 0.3 <= found.epsilon


@pytest.mark.parametrize("method", ["fourier", "crowd", "pairwise"])
def test_counts_have_one_method(method):
    with refuses(InvalidArgument, f"types-for-rows-with-counts: {method}"):
        population.gaussian(CELLS, 100, sigma=3.0, delta=0.01, counts=True, method=method)
