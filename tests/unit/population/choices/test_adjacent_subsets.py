import math

import array_api_strict
import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.population.choices import adjacent_subsets
from deniable.population.choices.adjacent_subsets import (
    adjacent_epsilon,
    restricted_epsilon,
)
from deniable.population.work.effort import Effort
from tests.oracles import choices as brute

SCORES = np.random.default_rng(5).random((4, 10)) * 2


def test_an_enclosure_as_wide_as_rounding():
    found = adjacent_epsilon(SCORES, 5)
    assert found.evidence is Evidence.ENCLOSURE
    assert 0 < found.upper - found.lower < 1e-10


def test_parts_and_blocks_change_nothing(monkeypatch):
    whole = adjacent_epsilon(SCORES, 5)
    monkeypatch.setattr(adjacent_subsets, "ROWS", 3)
    monkeypatch.setattr(adjacent_subsets, "BLOCK", 2)
    parts = adjacent_epsilon(SCORES, 5)
    assert parts.lower <= whole.upper
    assert whole.lower <= parts.upper


@pytest.mark.parametrize("scale", [300.0, 1e5])
def test_scores_past_every_scale(scale):
    scores = SCORES[:, :7] * scale
    found = adjacent_epsilon(scores, 3)
    assert found.upper == pytest.approx(brute.adjacent_epsilon(scores.tolist(), 3), rel=1e-12)


@pytest.mark.parametrize(("records", "size"), [(2, 1), (3, 1), (3, 2)])
def test_the_smallest_samples(records, size):
    scores = SCORES[:, :records]
    found = adjacent_epsilon(scores, size)
    assert found.upper == pytest.approx(brute.adjacent_epsilon(scores.tolist(), size))


def test_out_of_time_the_interval_is_wide_and_right(monkeypatch):
    exact = adjacent_epsilon(SCORES, 5)
    told = []
    monkeypatch.setattr("time.monotonic", lambda: 2.0 * len(told))  # a part takes 2 seconds
    monkeypatch.setattr(adjacent_subsets, "TOGETHER", 1)
    found = adjacent_epsilon(SCORES, 5, effort=Effort(time_limit=1.0, progress=told.append))
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper <= brute.exchange_epsilon(SCORES.tolist()) * (1 + 1e-9)
    assert found.upper - found.lower > 1e-3


def test_nothing_where_it_would_take_too_long():
    assert adjacent_epsilon(np.zeros((2, 80)), 40) is None
    assert adjacent_epsilon(SCORES, 5, effort=Effort(time_limit=1e-9)) is None


def test_restricted_sensitivity_sees_constants_of_a_record_and_exchanges_do_not():
    shifted = SCORES + np.arange(10.0)
    assert restricted_epsilon(shifted) > restricted_epsilon(SCORES) + 1
    assert adjacent_epsilon(shifted, 5).upper == pytest.approx(adjacent_epsilon(SCORES, 5).upper)


def test_the_strict_array_api_runs_the_kernel():
    rng = np.random.default_rng(0)
    first, second, exchanged = (rng.random((rows, 3)) * 400 for rows in (6, 5, 2))
    plain = adjacent_subsets._ratios(first, second, exchanged, 4)
    strict = adjacent_subsets._ratios(*map(array_api_strict.asarray, (first, second, exchanged)), 4)
    assert strict == pytest.approx(plain, rel=1e-12)
    assert math.isfinite(plain[0])
