import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.vector_sums import projection
from deniable.population.vector_sums.projection import projected_lower_ends
from deniable.population.work.effort import Effort
from tests.oracles import population as brute

ROWS = np.random.default_rng(2).normal(size=(7, 2)) + 100


def test_below_the_truth_and_not_far():
    found = projected_lower_ends(ROWS, 3, 1.0, 0.05, [0, 3, 6], Effort())
    for end, record in zip(found, [0, 3, 6], strict=True):
        exact = brute.gaussian_epsilon(ROWS, 3, 1.0, 0.05, record, step=0.1)
        assert 0.6 * exact - 0.1 < end <= exact + 1e-3


def test_one_column_loses_nothing_but_the_rounding():
    found = projected_lower_ends(ROWS[:, :1], 3, 1.0, 0.05, [3], Effort())
    exact = brute.gaussian_epsilon(ROWS[:, 0], 3, 1.0, 0.05, 3)
    assert found[0] == pytest.approx(exact, abs=1e-3)


def test_records_that_are_all_the_same():
    assert projected_lower_ends(np.ones((4, 2)), 2, 1.0, 0.05, [0], Effort()).tolist() == [0.0]


def engine(lower, evidence=Evidence.ENCLOSURE, seen=None):
    def found(question, noise, effort):
        assert effort == Effort()
        if seen is not None:
            seen.append((noise.scale, question.delta))
        return RecordBounds(question.records, [lower], [lower], evidence)

    return found


def test_rounding_is_paid_for_by_delta(monkeypatch):
    seen = []
    monkeypatch.setattr(projection.real_sums, "bracket", engine(2.0, seen=seen))
    assert projected_lower_ends(ROWS, 3, 1e-3, 0.05, [0], Effort()).tolist() == [2.0]
    (first, delta), (second, paid) = seen
    assert delta == 0.05 < paid < 0.05 + 1e-9
    assert first == second > 1e-3 * (1 - 1e-15)


@pytest.mark.parametrize(
    "found", [engine(1.0, Evidence.ESTIMATE), engine(45.0), engine(float("inf"))]
)
def test_what_rounding_or_an_estimate_could_have_made_is_no_bound(monkeypatch, found):
    monkeypatch.setattr(projection.real_sums, "bracket", found)
    assert projected_lower_ends(ROWS, 3, 1e-3, 0.05, [0], Effort()).tolist() == [0.0]
