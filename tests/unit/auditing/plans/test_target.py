"""A release as a target: what each run publishes, and how likely that was."""

import pickle

import numpy as np
import pytest
from scipy import stats

from deniable.auditing.plans import (
    PRODUCTION,
    ReleaseTarget,
    choose_pair,
    prepare_plan,
    read_audited_plan,
    write_plan,
)
from tests.cases.attacked_plans import written
from tests.cases.effort import usual

FALSE_ALARM = 1e-9
"""Probability with which a test of the noise fails although the noise is as stated."""


def target_of(folder, *queries, **words):
    (folder / "private").mkdir()
    told = read_audited_plan(written(folder, *queries, **words))
    prepared = prepare_plan(write_plan(folder / "private", told), told, PRODUCTION)
    worst = choose_pair(told, prepared, PRODUCTION)
    return ReleaseTarget.of(prepared, worst.numbers, PRODUCTION.noise)


def drawn(target, runs, seed=1):
    generator = np.random.default_rng(seed)
    members = generator.integers(0, 2, (runs, 1)).astype(bool)
    return members[:, 0], target.draw(members, generator)


@pytest.mark.parametrize("name", ["mean", "sum, scaled", "top"])
def test_the_log_ratio_is_that_of_the_draws(tmp_path, name):
    """Runs with ratio r and more are e^r times as frequent with the record; at most e^epsilon."""
    target = target_of(tmp_path, name, adjacency="add-remove", target="epsilon = 2.0")
    members, signals = drawn(target, usual(500, 2_000))
    ratio = signals[:, 0, 0]
    assert np.abs(ratio).max() <= 2.0 + 1e-9
    assert np.abs(ratio).max() > 1.0
    # Given the ratio, the bit is 1 with probability q = e^r / (1 + e^r), each run by itself.
    likely = 1 / (1 + np.exp(-ratio))
    score = (members - likely).sum() / np.sqrt((likely * (1 - likely)).sum())
    assert stats.norm.sf(abs(score)) > FALSE_ALARM
    right = ((ratio > 0) == members)[ratio != 0]
    expected = np.maximum(likely, 1 - likely)[ratio != 0]
    gap = abs(right.sum() - expected.sum()) / np.sqrt((expected * (1 - expected)).sum() + 1e-12)
    assert stats.norm.sf(gap) > FALSE_ALARM


def test_what_is_read_is_what_the_statistic_publishes(tmp_path):
    target = target_of(tmp_path, "sum in cells", "top")
    (sums, top), published = target.queries, drawn(target, 50)[1][:, 0]
    step = sums.query.parts[0].step
    assert np.array_equal(published[:, 1:3] / step, np.round(published[:, 1:3] / step))
    assert set(published[:, 4].tolist()) <= {0.0, 1.0}
    assert top.query.parts[0].cells == 1


def test_cells_in_which_nothing_moves_are_few(tmp_path):
    target = target_of(tmp_path, "count in cells")
    cells = target.queries[0]
    assert cells.kept == tuple(range(cells.cells))


def test_two_draws_of_one_generator_differ_and_workers_can_have_it(tmp_path):
    target = pickle.loads(pickle.dumps(target_of(tmp_path, "count")))
    one, other = (drawn(target, 200)[1] for _ in range(2))
    assert not np.array_equal(one, other)
    assert target.records == 1


def test_targets_of_other_plans_have_other_keys(tmp_path):
    keys = set()
    for epsilon in ("1.0", "2.0"):
        folder = tmp_path / epsilon
        folder.mkdir()
        keys.add(target_of(folder, "count", target=f"epsilon = {epsilon}").key)
    assert len(keys) == 2
