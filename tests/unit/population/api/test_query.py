import numpy as np
import pytest

from deniable import population
from deniable.errors import InvalidArgument
from deniable.numerics.effort import Effort
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles import population as brute

ROWS = np.array([0.0, 0.5, 1.0, 2.5, 3.0, 6.0])
QUICK = Effort(time_limit=usual(0.8, 2.0), gap=1.0)


def total(members):
    return [members.sum()]


def test_a_sum_as_any_other_function():
    found = population.query(total, ROWS, 3, sigma=2.0, delta=0.05, records="all", effort=QUICK)
    exact = [brute.gaussian_epsilon(ROWS, 3, 2.0, 0.05, x) for x in range(6)]
    for each, value in zip(found.records, exact, strict=True):
        assert each.bound.lower <= value + 1e-3
        assert value - 1e-3 <= each.bound.upper
    assert found.method == "crowd"
    assert found.epsilon is None


def test_some_records_only():
    found = population.query(total, ROWS, 3, sigma=2.0, delta=0.05, records=[5], effort=QUICK)
    assert found.worst_record == 5


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data": 3.0}, "row-each-single-number"),
        ({"size": 6}, "1-at-most-size-below-number: 6"),
        ({"sigma": 0.0}, "not-above-0: sigma"),
        ({"delta": 0.0}, "not-between-0-and-1: delta"),
        ({"records": "some"}, "not-one-of: _ | worst, all"),
    ],
)
def test_wrong_arguments(changed, message):
    given = {"query": total, "data": ROWS, "size": 3, "sigma": 2.0, "delta": 0.05} | changed
    with refuses(InvalidArgument, message):
        population.query(**given)
