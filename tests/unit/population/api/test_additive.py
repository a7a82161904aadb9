import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import InvalidArgument
from deniable.mechanisms import Laplace
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.answer import RecordBounds
from deniable.population.api import AdditiveQuery, only_one
from tests.cases.refusals import refuses

RECORDS = [0.0, 1.0, 3.0, 10.0]


def released(query="mean", clip=None, records=RECORDS, size=3):
    return AdditiveQuery.of(records, size, delta=0.0, query=query, clip=clip, records="worst")


@given(st.floats(1e-6, 1e6), st.integers(1, 3))
def test_noise_is_rounded_towards_less(scale, size):
    mean = released(size=size)
    assert Fraction(mean.on_the_sum(scale)) <= Fraction(scale) * size
    assert mean.on_the_sum(scale) == pytest.approx(scale * size, rel=1e-15)
    assert mean.on_the_sum(mean.on_the_query(scale)) >= scale
    assert mean.on_the_query(scale) == pytest.approx(scale / size, rel=1e-14)
    assert released("sum").on_the_sum(scale) == scale


def test_what_holds_beside_it():
    bounds = RecordBounds([3], [0.0], [9.0], Evidence.ENCLOSURE).by("fourier")
    found = released().answer(bounds, Laplace, "scale", 2.0, Effort())
    assert found.epsilon == math.inf
    restricted = found.epsilon_restricted_sensitivity
    assert restricted == found.epsilon_adjacent_subsets == pytest.approx(10 / 3 / 2)
    assert found.population_epsilon.upper == restricted
    found = released("sum", clip=4.0).answer(bounds, Laplace, "scale", 2.0, Effort())
    assert (found.epsilon, found.epsilon_restricted_sensitivity) == (4.0, 2.0)


def test_exactly_one():
    assert only_one(scale=None, target=0.5) == ("target", 0.5)
    with refuses(InvalidArgument, "exactly-one: scale, target | none"):
        only_one(scale=None, target=None)
    with refuses(InvalidArgument, "exactly-one: scale, target | scale, target"):
        only_one(scale=1.0, target=0.5)


def test_words():
    with refuses(InvalidArgument, "not-one-of: query | mean, sum"):
        released("median")


def test_a_target_needs_records_that_differ():
    with refuses(InvalidArgument, "every-noise-meets-every-target"):
        released(records=[2.0, 2.0, 2.0], size=2).start(1.0)
