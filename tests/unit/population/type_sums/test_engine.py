import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian
from deniable.numerics.effort import Effort
from deniable.population import type_sums
from deniable.population.question import Question, Summands, Types
from tests.cases.refusals import refuses

CELLS = Types(np.eye(2), [30, 20])


def bracket(data, noise, delta=0.01, records="worst", size=20):
    return type_sums.bracket(Question(data, size, delta, records), noise, Effort())


def test_equal_records_tell_nothing():
    found = bracket(Types([[1.0, 2.0]], [50]), Gaussian(1.0), records="all")
    assert found.lower.tolist() == found.upper.tolist() == [0.0]


def test_records_of_a_type_share_an_interval():
    rows = np.repeat(np.eye(2), [30, 20], axis=0)
    found = bracket(Summands(rows), Gaussian(3.0), records=[0, 29, 49])
    assert found.lower[0] == found.lower[1] != found.lower[2]
    assert found.records.tolist() == [0, 29, 49]


@pytest.mark.parametrize("records", [[2], [0, 5]])
def test_a_row_that_is_not_there(records):
    with refuses(InvalidArgument, "rows-from-0: 1"):
        bracket(CELLS, Gaussian(3.0), records=records)


def test_too_many_types():
    with refuses(InvalidArgument, "at-most-distinct-records: 64"):
        bracket(Summands(np.arange(80.0)), Gaussian(3.0))


def test_fractions_have_no_whole_noise():
    with refuses(InvalidArgument, "whole-numbers-up-to-2"):
        bracket(Types([[0.5, 0], [0, 1]], [30, 20]), DiscreteGaussian(3.0))


@pytest.mark.parametrize("noise", [Gaussian(3.0), DiscreteGaussian(3.0)])
def test_normal_noise_needs_delta(noise):
    with refuses(InvalidArgument, "delta-above-0-or-discrete"):
        bracket(CELLS, noise, delta=0.0)


def test_pure_needs_a_histogram():
    with refuses(InvalidArgument, "delta-above-0-or-discrete"):
        bracket(Types([[1, 1], [0, 1]], [30, 20]), DiscreteLaplace(3.0), delta=0.0)


def test_what_needs_no_noise():
    question = Question(CELLS, 20, 0.01)
    most = type_sums.without_noise(question)
    assert bracket(CELLS, Gaussian(1e-3)).upper[0] <= most
    assert type_sums.estimate(question, Gaussian(3.0)) < most
