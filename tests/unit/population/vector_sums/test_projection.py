import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.question import Question, Summands
from deniable.population.vector_sums.projection import (
    lower_end_despite_rounding,
    projected_lower_ends,
)
from deniable.population.work.effort import Effort
from tests.oracles import population as brute

ROWS = np.random.default_rng(2).normal(size=(7, 2)) + 100


def lower_ends(values, sigma, records):
    question = Question(Summands(values), 3, 0.05)
    return projected_lower_ends(question, records, sigma, Effort())


def test_below_the_truth_and_not_far():
    ends = lower_ends(ROWS, 1.0, [0, 3, 6])
    for end, record in zip(ends, [0, 3, 6], strict=True):
        exact = brute.gaussian_epsilon(ROWS, 3, 1.0, 0.05, record, step=0.1)
        assert 0.6 * exact - 0.1 < end <= exact + 1e-3


def test_one_column_loses_nothing_but_the_rounding():
    exact = brute.gaussian_epsilon(ROWS[:, 0], 3, 1.0, 0.05, 3)
    assert lower_ends(ROWS[:, :1], 1.0, [3])[0] == pytest.approx(exact, abs=1e-3)


def test_records_that_are_all_the_same():
    assert lower_ends(np.ones((4, 2)), 1.0, [0]).tolist() == [0.0]


def test_noise_that_is_lost_beside_the_records_shows_nothing():
    assert lower_ends(ROWS * 1e15, 1e-3, [0]).tolist() == [0.0]


def analysis(lower, evidence=Evidence.ENCLOSURE, seen=None):
    def bounds(delta):
        if seen is not None:
            seen.append(delta)
        return RecordBounds([0], [lower], [lower], evidence)

    return bounds


def test_rounding_is_paid_for_by_delta():
    seen = []
    assert lower_end_despite_rounding(analysis(2.0, seen=seen), 0.05, 1e-4) == 2.0
    assert seen == [0.05, pytest.approx(0.05 + (1 + np.exp(2)) * 1e-4)]
    assert seen[1] > 0.05 + (1 + np.exp(2)) * 1e-4


@pytest.mark.parametrize(
    ("bounds", "moved"),
    [
        (analysis(1.0, Evidence.ESTIMATE), 0.0),
        (analysis(45.0), 1e-15),
        (analysis(float("inf")), 1e-15),
    ],
)
def test_what_rounding_or_an_estimate_could_have_made_is_no_bound(bounds, moved):
    assert lower_end_despite_rounding(bounds, 0.05, moved) == 0.0
