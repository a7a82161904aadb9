"""An attack on lists of answers: marks, truths and numbers at positions."""

import numpy as np

from deniable.auditing.attacks import Classifier, Positions
from deniable.auditing.runs import Runs
from tests.unit.auditing.attacks.test_attacks import found

STOPPED, BELOW = -2000.0, -1000.0


def above_a_threshold(members, rng, *, noise=1.0):
    """Ten queries of 0 or 1 above a noisy threshold: -1000 below it, then a value, then -2000."""
    n = len(members)
    queries = np.where(members, np.arange(10) >= 5, np.arange(10) < 5)
    values = queries + rng.laplace(scale=noise, size=(n, 10))
    above = values >= rng.laplace(scale=noise, size=(n, 1)) + 1
    stopped = np.cumsum(above, axis=1) - above > 0
    return np.where(stopped, STOPPED, np.where(above, values, BELOW))


def test_values_among_marks_tell_more_than_a_classifier_sees():
    limits = [found(each, above_a_threshold) for each in (Positions(), Classifier())]
    assert limits[0] > 2.5
    assert limits[0] > limits[1] + 0.2


def test_positions_that_each_say_little_are_added_up():
    def truths(members, rng):
        share = np.where(members, 0.53, 0.47)
        return rng.random((len(members), 10)) < share

    assert found(Positions(), truths) > 0.3


def test_what_never_changes_says_nothing():
    runs = Runs(np.arange(100)[:, None] % 2 == 0, np.full((100, 1, 3), 7.0))
    assert not Positions().fit(runs)(runs.signals).any()
    assert not Positions().fit(runs)(np.zeros((5, 1, 3))).any()
