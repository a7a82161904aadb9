import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms import Gaussian, Laplace
from deniable.population.question import Question, Summands
from deniable.population.real_sums import bracket
from deniable.population.work.effort import Effort

NOISE = Gaussian(1.0)


def epsilons(values, size, noise, delta, records="worst", effort=None):
    question = Question(Summands(values), size, delta, records)
    return bracket(question, noise, effort or Effort())


def test_one_column_only():
    with pytest.raises(InvalidArgument, match="one column for Gaussian noise, got 2"):
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
