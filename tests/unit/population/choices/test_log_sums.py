import array_api_strict
import numpy as np
import pytest
from scipy.special import logsumexp

from deniable.population.choices.log_sums import RunningSum, log_sum, sums_by_member


@pytest.mark.parametrize("spread", [1.0, 1e4])
@pytest.mark.parametrize("library", [np, array_api_strict])
def test_sums_by_member(spread, library):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 3)) * spread
    members = rng.random((20, 5)) < 0.5
    members[:, 4] = True
    found = sums_by_member(library.asarray(values), library.asarray(members.astype(float)))
    for record in range(4):
        chosen = members[:, record]
        for result, rows in zip(found, (chosen, ~chosen), strict=True):
            expected = logsumexp(values[rows], axis=0)
            assert np.asarray(result)[record] == pytest.approx(expected, rel=1e-12)
    assert np.isneginf(np.asarray(found[1])[4]).all()


def test_a_sum_of_many_tables_equals_one_sum():
    tables = np.random.default_rng(1).normal(size=(5000, 2, 3)) * 50
    tables[:, 0, 0] = -np.inf
    running = RunningSum()
    for table in tables:
        running.add(table)
    assert np.isneginf(running.total()[0, 0])
    assert running.depth <= 4
    assert running.total().ravel()[1:] == pytest.approx(
        logsumexp(tables, axis=0).ravel()[1:], rel=1e-14
    )
    assert (log_sum([tables[0]]) == tables[0]).all()
