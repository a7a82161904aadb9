"""Runs whose arrays belong together."""

import numpy as np
import pytest

from deniable.auditing.attacks import Classifier
from deniable.auditing.exact import Exact
from deniable.auditing.runs import Runs
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses


@pytest.mark.parametrize("shape", [(3, 2), (2, 3, 1), (3,), (3, 1, 2)])
def test_signals_of_other_runs_or_records_are_refused(shape):
    with refuses(InvalidArgument, "signals-of-shape"):
        Runs(np.zeros((3, 2), bool), np.zeros(shape))


def test_one_signal_a_run_and_record_is_a_run():
    runs = Runs(np.zeros((3, 2), bool), np.zeros((3, 2, 1)))
    assert runs.signals.shape == (3, 2, 1)


@pytest.mark.parametrize("columns", [1, 3])
def test_one_score_for_each_output_is_the_score_of_each_run(columns):
    """-1 and 0, 1 and -2 have all bits of the other; 0.0 and -0.0 differ in one."""
    rng = np.random.default_rng(1)
    values = rng.choice([-2, -1, 0, 1, 2**40, -(2**40) - 1], size=(2_000, 1, columns))
    whole, members = values.astype(float), rng.random((2_000, 1)) < 0.5
    signed = np.where(rng.random(whole.shape) < 0.1, -0.0, whole)
    integers = Exact(with_shape(values), Exact.of(whole).words)
    for signals, exact in ((signed, None), (signed, Exact.of(signed)), (whole, integers)):
        runs, asked = Runs(members, signals, exact), []
        score = Classifier().fit(runs)

        def counted(signals, exact, score=score, asked=asked):
            asked.append(len(signals))
            return score(signals, exact)

        assert np.allclose(runs.scores(counted), score(signals, exact), rtol=1e-9, atol=1e-9)
        assert sum(asked) < 500


def with_shape(values):
    return np.concatenate([np.zeros((len(values), 1, 1), np.int64), values], axis=2)


def test_records_of_one_run_are_scored_by_themselves():
    runs = Runs(np.zeros((3, 2), bool), np.zeros((3, 2, 1)))
    assert runs.scores(lambda signals, _: np.cumsum(signals[..., 0] + 1, axis=1))[2, 1] == 2
