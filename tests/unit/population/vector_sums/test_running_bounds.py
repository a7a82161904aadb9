import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.bounds import estimates
from deniable.population.question import Question, Summands
from deniable.population.vector_sums.running_bounds import RunningBounds
from deniable.population.work.effort import Effort

ROWS = np.random.default_rng(6).normal(size=(8, 2))
EFFORT = Effort(confidence=0.9, seed=3)


def running(records="worst"):
    return RunningBounds.without_draws(Question(Summands(ROWS), 4, 0.1, records), 2.0, EFFORT)


def drawn(records, lower, upper, **more):
    return RecordBounds(records, lower, upper, Evidence.CONFIDENCE, 0.9, draws=12, **more)


@pytest.mark.parametrize("records", ["worst", "all", [2, 7, 0]])
def test_those_asked_for_are_ranked_by_the_estimate(records):
    bounds = running(records)
    expected = estimates(ROWS, 4, 2.0, 0.1)
    ranking = [*bounds.leaders, *bounds.others]
    targets = range(8) if isinstance(records, str) else records
    assert ranking == sorted(targets, key=lambda record: -expected[record])
    assert expected[bounds.leaders].min() >= 0.85 * expected[ranking[0]]
    assert bounds.estimate == expected.max()


def test_only_leaders_have_lower_ends_until_more_are_projected():
    bounds = running()
    assert np.all(bounds.lower[bounds.leaders] > 0)
    assert np.all(bounds.lower[bounds.others] == 0)
    bounds.project(bounds.others, EFFORT)
    assert np.count_nonzero(bounds.lower) == 7  # one record's ε̃ is 0
    assert np.all(bounds.lower <= bounds.upper)


def test_only_what_is_narrower_is_taken():
    bounds = running("all")
    before = bounds.record_bounds()
    record = int(bounds.leaders[0])
    bounds.take(drawn([record], [0.0], [np.inf], candidates=4))
    assert bounds.upper.tolist() == before.upper.tolist()
    assert bounds.lower.tolist() == before.lower.tolist()
    middle = (before.lower[record] + before.upper[record]) / 2
    bounds.take(drawn([record], [middle], [middle * 1.01], candidates=2))
    after = bounds.record_bounds(EFFORT)
    assert (after.lower[record], after.upper[record]) == (middle, middle * 1.01)
    assert (after.lower_methods[record], after.upper_methods[record]) == ("threshold", "crowd")
    assert (after.draws, after.candidates) == (24, 4)
    assert (after.evidence, after.confidence, after.seed) == (Evidence.CONFIDENCE, 0.9, 3)


def test_ends_never_cross():
    bounds = running()
    record = int(bounds.leaders[0])
    bounds.take(drawn([record], [0.0], [bounds.lower[record] / 2]))
    assert bounds.lower[record] == bounds.upper[record]


def test_without_draws_they_are_an_enclosure():
    before = running().record_bounds()
    assert before.evidence is Evidence.ENCLOSURE
    assert set(before.upper_methods) == {"pairwise"}
    assert set(before.lower_methods) == {"projection", "none"}
    assert before.pairwise == before.upper.max()
