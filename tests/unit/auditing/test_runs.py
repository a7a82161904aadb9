"""Runs whose arrays belong together."""

import numpy as np
import pytest

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
