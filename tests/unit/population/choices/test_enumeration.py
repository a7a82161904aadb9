import math

import array_api_strict
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.choices import enumeration
from deniable.population.choices.enumeration import enumerate_samples
from deniable.population.work.effort import Effort
from tests.oracles import choices as brute

SCORES = np.random.default_rng(3).random((3, 9))


@pytest.mark.parametrize(
    ("scores", "size", "message"),
    [
        ([1.0, 2.0], 1, "candidates by records"),
        (np.zeros((0, 4)), 1, "candidates by records"),
        ([[1.0, math.nan]], 1, "finite scores"),
        ([[1.0, math.inf]], 1, "finite scores"),
        ([[1e308, -1e308], [0.0, 1e308]], 1, "finite scores"),
        ([[1.0, 2.0]], 2, "leaves at least one record out"),
        ([[1.0, 2.0]], 0, "size >= 1"),
        ([[1.0, 2.0]], 1.5, "whole number"),
        (np.zeros((1, 80)), 40, "Sample them"),
    ],
)
def test_bad_input(scores, size, message):
    with pytest.raises(InvalidArgument, match=message):
        enumerate_samples(scores, size)


def test_small_tasks_and_blocks_add_up_to_the_same(monkeypatch):
    whole = enumerate_samples(SCORES, 4)
    monkeypatch.setattr(enumeration, "ROWS", 3)
    monkeypatch.setattr(enumeration, "BLOCK", 2)
    parts = enumerate_samples(SCORES, 4)
    assert np.abs(whole.log_in - parts.log_in).max() <= whole.error + parts.error
    assert np.abs(whole.log_out - parts.log_out).max() <= whole.error + parts.error


def test_progress_is_told_to_the_end():
    told = []
    enumerate_samples(SCORES, 4, effort=Effort(progress=told.append))
    assert told == sorted(told)
    assert told[-1] == 1


def test_the_error_is_stated_and_small():
    assert enumerate_samples(SCORES, 4).error < 1e-11
    assert enumerate_samples(SCORES * 1e6, 4).error < 1e-6


def test_a_probability_too_small_for_a_float_is_found():
    scores = np.array([[0.0, 0.0, 0.0, 0.0], [3000.0, 2000.0, 1000.0, 2500.0]])
    found = enumerate_samples(scores, 2)
    expected = brute.log_laws(scores.tolist(), 2)
    assert found.log_in == pytest.approx(np.array(expected[0]), rel=1e-12)
    assert found.log_in[0, 1] == pytest.approx(-4000 - math.log(3))


def test_nothing_cancels_where_a_record_decides():
    """The record alone makes the second candidate likely: its out-law is e^-40 of the whole."""
    scores = np.zeros((2, 10))
    scores[0, 0], scores[1, 1:] = 40.0, 8.0
    found = enumerate_samples(scores, 5)
    expected = brute.log_laws(scores.tolist(), 5)
    assert np.abs(found.log_out - np.array(expected[1])).max() < 1e-11


def test_many_records_and_few_of_them_sampled():
    scores = np.random.default_rng(0).random((2, 60))
    found = enumerate_samples(scores, 2)
    expected = brute.log_laws(scores.tolist(), 2)
    assert found.subsets == 1770
    assert np.abs(found.log_in - np.array(expected[0])).max() < 1e-11


def test_a_device_that_no_library_serves():
    with pytest.raises(InvalidArgument, match=r"neither installed|that is there"):
        enumerate_samples(SCORES, 4, effort=Effort(device="cuda:7"))


def test_a_whole_task_runs_on_the_strict_array_api(monkeypatch):
    table, size = enumeration.score_table(SCORES, 4)
    task = enumeration.Task(table, size, 2, (0, 6), (1, 9), None)
    expected = enumeration.sum_pairs(task)
    monkeypatch.setattr(enumeration, "placed", lambda values, _: array_api_strict.asarray(values))
    found = enumeration.sum_pairs(task)
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, rel=1e-14)
