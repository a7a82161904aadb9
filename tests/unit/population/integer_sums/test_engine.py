import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.integer_sums import bracket
from deniable.population.question import Ones, Question, Summands
from tests.cases.effort import usual
from tests.cases.refusals import refuses

NOISE = DiscreteLaplace(1.5)


def of_sum(values, size, noise, delta=0.0, records="worst", effort=None):
    return bracket(Question(Summands(values), size, delta, records), noise, effort or Effort())


def of_ones(ones, population, size, noise):
    return bracket(Question(Ones(ones, population), size), noise, Effort())


def test_worst_is_the_largest_of_all():
    every = of_sum([0, 1, 5, 2, 5], 2, NOISE, records="all")
    worst = of_sum([0, 1, 5, 2, 5], 2, NOISE)
    assert every.records.tolist() == [0, 1, 2, 3, 4]
    assert worst.records.tolist() == [every.worst()]
    assert worst.upper[0] == every.upper.max()
    assert every.upper[2] == every.upper[4]
    assert every.evidence is Evidence.ENCLOSURE


def test_records_in_the_order_asked_for():
    every = of_sum([0, 1, 5, 2], 2, NOISE, 0.01, records="all")
    some = of_sum([0, 1, 5, 2], 2, NOISE, 0.01, records=[3, 0])
    assert some.records.tolist() == [3, 0]
    assert some.upper == pytest.approx(every.upper[[3, 0]], rel=1e-12)


@pytest.mark.parametrize("noise", [NOISE, DiscreteGaussian(1.0)])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_equal_values_are_no_secret(noise, delta):
    assert of_sum([7, 7, 7], 1, noise, delta).maximum().upper == 0


def test_gaussian_noise_alone_is_not_pure():
    assert of_sum([0, 1, 2], 1, DiscreteGaussian(5.0)).maximum().lower == math.inf


def test_values_up_to_a_thousand_million_are_refused():
    values = np.random.default_rng(0).integers(0, 10**9, 1000)
    with refuses(InvalidArgument, "takes-more-than-memory"):
        of_sum(values, 500, NOISE, 0.01)


def test_wide_values_of_few_records():
    """Forty records up to 90,000 took one recursion a record; one table of counts now."""
    finer = usual(25, 100)
    values = np.random.default_rng(0).integers(200 * finer, 900 * finer + 1, 40)
    found = of_sum(values, 20, DiscreteLaplace(200.0 * finer), records=[int(values.argmax()), 3])
    assert np.all(found.upper - found.lower < 1e-9)
    assert np.all(found.lower > 0)
    coarse = of_sum(values // finer, 20, DiscreteLaplace(200.0), records=found.records.tolist())
    assert coarse.upper == pytest.approx(found.upper, rel=0.02)


@pytest.mark.parametrize("noise", [NOISE, DiscreteGaussian(20.0)])
def test_when_time_is_over_the_noise_alone_is_told(noise):
    """No record is reached in a thousandth of a second; its end is that of an exchange."""
    values = np.random.default_rng(0).integers(20_000, 90_001, 40)
    found = of_sum(values, 20, noise, 0.01, records="all", effort=Effort(time_limit=1e-3))
    assert np.all(found.lower == 0)
    assert np.all(np.isfinite(found.upper))
    assert np.all(found.upper > 1)
    assert found.method == "noise-alone"


def test_a_crowd_of_many_lumps_is_told_narrowly():
    """Six outliers among zeros to fours: inversion leaves intervals wide, a recursion does not."""
    values = [*np.random.default_rng(0).integers(0, 5, 300), *range(300, 2100, 300)]
    found = of_sum(values, 150, DiscreteLaplace(30.0), records="all")
    assert np.all(found.upper - found.lower < 1e-9 * np.maximum(found.lower, 1e-3))


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_a_count_is_the_sum_of_zeros_and_ones(delta):
    column = Summands([1, 1, 1, 0, 0, 0, 0])
    listed = bracket(Question(column, 2, delta, [0, 2, 3]), NOISE, Effort())
    counted = bracket(Question(Ones(3, 7), 2, delta, [0, 2, 3]), NOISE, Effort())
    assert (listed.method, counted.method) == ("lattice", "hypergeometric")
    assert counted.records.tolist() == [0, 2, 3]
    assert counted.upper == pytest.approx(listed.upper, abs=1e-9)


def test_both_kinds_of_records():
    found = bracket(Question(Ones(3, 7), 2), NOISE, Effort())
    assert found.records.tolist() == [0, 3]
    assert bracket(Question(Ones(7, 7), 2), NOISE, Effort()).upper.tolist() == [0.0]


def test_without_time_the_noise_alone_bounds():
    found = bracket(Question(Ones(300, 1000), 100), NOISE, Effort(time_limit=1e-9))
    assert found.lower.tolist() == [0.0, 0.0]
    assert found.upper == pytest.approx([1 / 1.5] * 2)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1, 2], [3, 4]], "one-column-for-discrete-noise: laplace"),
        ([0.5, 1], "whole-numbers-up-to-2"),
    ],
)
def test_one_column_of_whole_numbers(values, message):
    with refuses(InvalidArgument, message):
        bracket(Question(Summands(values), 1), NOISE, Effort())


@pytest.mark.parametrize(("ones", "records"), [(0, [0]), (9, [0])])
def test_a_count_that_is_no_secret(ones, records):
    found = of_ones(ones, 9, 4, NOISE)
    assert (found.records.tolist(), found.upper.tolist()) == (records, [0.0])


@pytest.mark.parametrize("size", [1, 8])
def test_a_sample_of_one_or_all_but_one(size):
    """One of nine, four of them ones: ln of (9 − 1)/(4 − 1 + 5α) and the like, α = e^(−1/b)."""
    found, alpha = of_ones(4, 9, size, NOISE), math.exp(-1 / 1.5)
    one = math.log(8 / (3 + 5 * alpha)), abs(math.log(alpha * 8 / (3 * alpha + 5)))
    assert max(one) == pytest.approx(found.upper[0], rel=1e-12)


def test_millions():
    found = of_ones(3_000_000, 10_000_000, 4_000_000, NOISE)
    assert np.all(found.upper - found.lower < 1e-10)
    assert 0 < found.lower.min() < found.upper.max() < 1 / NOISE.scale
    with refuses(InvalidArgument, "at-most-2-40"):
        of_ones(3, 2**41, 4, NOISE)


def test_gaussian_noise_hides_one_kind_at_most():
    """Seven ones and two zeros in samples of four: zeros show at the ends, ones never fully."""
    found = of_ones(7, 9, 4, DiscreteGaussian(3.0))
    assert math.isfinite(found.upper[0])
    assert found.lower[1] == math.inf
