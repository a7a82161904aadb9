"""The engine of one real column: from a question to an interval a record."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from deniable.errors import InvalidArgument
from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.question import Question, Summands
from deniable.population.real_sums import bracket
from deniable.population.real_sums.engine import Work, approximate_epsilons, bound_chunk
from deniable.population.real_sums.problem import Kernel, Problem
from deniable.population.real_sums.smallest_epsilon import Deltas, law, smallest_weights
from deniable.population.real_sums.subset_sums import chunks, nodes
from deniable.population.real_sums.tilt import reach, window
from tests.cases.refusals import refuses
from tests.oracles import real_sums as brute

NOISE = Gaussian(1.0)


def epsilons(values, size, noise, delta, records="worst", effort=None):
    question = Question(Summands(values), size, delta, records)
    return bracket(question, noise, effort or Effort())


def test_one_column_only():
    with refuses(InvalidArgument, "one-column-for-noise: Gaussian | 2"):
        epsilons([[1.0, 2.0], [3.0, 4.0]], 1, NOISE, 0.1)


@pytest.mark.parametrize("noise", [NOISE, Laplace(1.0)])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_constant_data_tell_nothing(noise, delta):
    found = epsilons([2.0] * 5, 2, noise, delta, records="all")
    assert found.upper.tolist() == [0.0] * 5
    assert found.evidence is Evidence.EXACT


def test_pure_gaussian_is_infinite():
    assert epsilons([0.0, 1.0, 5.0], 1, NOISE, 0.0).maximum().lower == np.inf


def test_records_in_the_order_asked():
    values = [0.0, 5.0, 1.0, 5.0]
    found = epsilons(values, 2, NOISE, 0.01, records=[3, 0, 1])
    assert found.records.tolist() == [3, 0, 1]
    assert found.upper[0] == found.upper[2]
    every = epsilons(values, 2, NOISE, 0.01, records="all")
    assert found.lower == pytest.approx(every.lower[[3, 0, 1]], rel=1e-6)


def test_two_records_are_two_normal_laws():
    found = epsilons([0.0, 1.0], 1, NOISE, 0.01)
    low, high = found.lower[0], found.upper[0]
    assert not NOISE.satisfies(low - 1e-12, 0.01, 1.0)
    assert NOISE.satisfies(high + 1e-12, 0.01, 1.0)
    assert high - low < 1e-5


VALUES = np.array([0.0, 0.1, 0.4, 0.5, 1.1, 2.0, 6.0])


@pytest.mark.parametrize("noise", [Gaussian(1.0), Laplace(1.0)])
def test_harmless_places_are_dismissed_below_the_worst(noise):
    asked = Problem.of(Question(Summands(VALUES), 3, 0.01), noise, Effort())
    every = approximate_epsilons(asked, np.arange(7), worst=False)
    worst = approximate_epsilons(asked, np.arange(7), worst=True)
    assert worst[0].max() == pytest.approx(every[0].max(), rel=1e-2)
    assert every[0].max() <= worst[1].max()
    assert np.all(every[0] <= worst[1] + 1e-9)
    assert np.all(worst[0] <= every[1] + 1e-9)


def test_progress_is_told():
    told = []
    approximate_epsilons(
        Problem.of(
            Question(Summands(VALUES), 3, 0.01), Gaussian(1.0), Effort(progress=told.append)
        ),
        np.arange(7),
        worst=False,
    )
    assert told[-1] == 1.0


def test_a_chunk_of_targets(small):
    kernel = Kernel(1.0)
    where = nodes(small, kernel, window(small, kernel, -41.0), min(small.chances()))
    (chunk,) = chunks(small, where, np.array([0, 4]))
    deltas = Deltas(0.01, 0.01)
    found = bound_chunk(Work(small, kernel, where, chunk, deltas, 1.0))
    numbers = np.repeat(small.values, small.counts).tolist()
    for row, record in enumerate((0, 6)):
        truth = brute.population_epsilon(numbers, 3, 1.0, "gaussian", 0.01, record, n_points=100)
        assert found["lower"][row] - 1e-9 <= truth <= found["upper"][row] + 1e-9
    high = math.exp(float(found["upper"].max()) + 0.1)
    harmless = bound_chunk(Work(small, kernel, where, chunk, deltas, high))
    assert harmless["lower"].tolist() == [0, 0]
    assert harmless["upper"] == pytest.approx(math.log(high))


def problem(values):
    return Problem.of(Question(Summands(values), 1, 0.1), Gaussian(1.0), Effort())


def test_equal_values_are_one():
    found = problem([4.0, 1.0, 4.0])
    assert found.values.tolist() == [1.0, 4.0]
    assert found.index.tolist() == [1, 0, 1]
    assert found.counts.tolist() == [1, 2]


def test_the_farthest_other_value():
    found = problem([0.0, 1.0, 5.0])
    assert [found.farthest(target) for target in range(3)] == [5.0, 4.0, 5.0]


def test_sizes_and_rates(small):
    assert small.records == 7
    assert small.rate == 3 / 7
    assert small.others == (2, 3)
    assert small.total(small.values) == pytest.approx(0, abs=1e-12)


def test_chances_are_binomial(small):
    assert small.chances() == pytest.approx(binom.pmf([2, 3], 6, 3 / 7))
    assert small.chance() == pytest.approx(binom.pmf(3, 7, 3 / 7))
    assert 0 < small.typical_chance() < 1


def test_spread_of_the_sum_of_a_fixed_number(small):
    mean, spread = small.centre_and_spread()
    numbers = np.repeat(small.values, small.counts)
    assert mean == pytest.approx(0, abs=1e-12)
    # Bernoulli choices given their number have about the spread of sampling without replacement.
    assert spread == pytest.approx(np.sqrt(3 * 4 / 7 * numbers.var()), rel=1e-9)


@pytest.mark.parametrize("exponent", [3.0, 20.0, 41.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_tail_is_bounded(small, exponent, sign):
    numbers = np.repeat(small.values, small.counts)
    sums = sign * np.array([sum(each) for each in itertools.combinations(numbers, 3)])
    end = reach(small, Kernel(1.0), exponent, sign)
    assert ndtr(sums - end).mean() * small.chance() <= math.exp(-exponent)
    assert end <= sums.max() + 2 + math.sqrt(2 * exponent)


@pytest.mark.parametrize("kernel", [Kernel(1.0), Kernel(0.1, 1.0)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_sums_of_any_number_leave_their_reach_rarely(small, kernel, sign):
    """Every record by itself, with chance n/N: all subsets, with noise."""
    numbers = np.repeat(small.values, small.counts)
    subsets = np.array(list(itertools.product((0, 1), repeat=small.records)))
    chances = small.rate ** subsets.sum(axis=1) * (1 - small.rate) ** (1 - subsets).sum(axis=1)
    end = reach(small, kernel, 12.0, sign, any_number=True)
    beyond = end - sign * (subsets @ numbers)
    # The Laplace part alone leaves it no more often than both.
    tail = np.exp(-np.maximum(beyond, 0)) / 2 if kernel.laplace else ndtr(-beyond)
    assert chances @ tail <= math.exp(-12.0)
    assert end <= reach(small, kernel, 13.0, sign, any_number=True)


def test_laplace_tails_need_more_room(small):
    assert window(small, Kernel(0.1, 1.0), -40.0) > window(small, Kernel(1.0), -40.0)


def test_little_noise_keeps_to_the_range_of_sums(small):
    assert window(small, Kernel(1e-3), -40.0) < 16


@pytest.fixture
def pair(small):
    where = nodes(small, Kernel(1.0), 60.0, min(small.chances()))
    here = np.exp(-(where.theta**2) / 2)[np.newaxis]
    return law(where, here + 0j, 40_000), law(where, here * np.exp(1.5j * where.theta), 40_000)


@pytest.mark.parametrize("delta", [0.2, 1e-2, 1e-5])
def test_two_normal_laws(pair, delta):
    lower, upper = smallest_weights(*pair, Deltas(delta, delta), 1.0)
    noise = Gaussian(1.0)
    assert not noise.satisfies(math.log(lower[0]) - 1e-12, delta, 1.5)
    assert noise.satisfies(math.log(upper[0]) + 1e-12, delta, 1.5)
    assert upper[0] - lower[0] < 1e-2 * lower[0]


def test_rows_that_keep_to_the_floor_are_left_alone(pair):
    lower, upper = smallest_weights(*pair, Deltas(0.01, 0.01), 100.0)
    assert (lower[0], upper[0]) == (1.0, 100.0)


def test_two_targets_open_the_interval(pair):
    lower, upper = smallest_weights(*pair, Deltas(0.011, 0.010), 1.0)
    noise = Gaussian(1.0)
    assert noise.satisfies(math.log(lower[0]) + 1e-6, 0.011, 1.5)
    assert noise.satisfies(math.log(upper[0]) + 1e-9, 0.010, 1.5)
    assert lower[0] < upper[0]
