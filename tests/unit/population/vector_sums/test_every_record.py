import math
import time

import numpy as np
import pytest

from deniable.population.vector_sums import every_record
from deniable.population.vector_sums.every_record import survey
from deniable.population.vector_sums.release import Release
from deniable.population.vector_sums.result import Budget
from deniable.population.work.effort import Effort

RELEASE = Release.of(np.random.default_rng(0).normal(size=(10, 2)), 5, 4.0)
BUDGET = Budget(0.01, 0.01)


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch):
    monkeypatch.setattr(every_record, "_LISTS", 1024)
    monkeypatch.setattr(every_record, "_SCORES", 2**14)
    monkeypatch.setattr(every_record, "_PILOT_SCORES", 2**12)


def found(records, until=math.inf, with_lower=True):
    return survey(
        RELEASE, records, 0.05, BUDGET, Effort(), until=until, with_lower=with_lower, key="test"
    )


def test_every_record_gets_a_bracket():
    survey_of_all = found(np.arange(10))
    assert np.all(survey_of_all.lower < survey_of_all.upper)
    assert np.all(np.isfinite(survey_of_all.upper))
    assert survey_of_all.lower.max() > 0
    assert survey_of_all.candidates == 256


def test_records_keep_their_places():
    everything, two = found(np.arange(10)), found(np.array([7, 1]))
    assert two.lower == pytest.approx(everything.lower[[7, 1]])
    assert two.upper == pytest.approx(everything.upper[[7, 1]])


def test_no_time_widens_the_bracket():
    late = found(np.arange(10), until=time.monotonic() - 1)
    assert np.all(late.lower == 0)
    assert np.all(late.upper >= found(np.arange(10)).upper)


def test_lower_ends_may_be_left_out():
    assert np.all(found(np.arange(10), with_lower=False).lower == 0)
