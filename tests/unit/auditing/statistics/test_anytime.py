"""Bets run by run: exact chance of a false alarm at any time, and what they refuse."""

import bisect
import math

import numpy as np
import pytest

from deniable.auditing.statistics import RunShares, anytime_limit, lower_limit, share_needed
from deniable.errors import InvalidArgument
from tests.cases.effort import THOROUGH, usual
from tests.cases.refusals import refuses


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 0.0), (0.5, 0.2), (2.0, 1e-6)])
def test_the_chance_that_a_limit_is_ever_above_the_truth(epsilon, delta):
    """All paths of so many runs, looked at after each; all records of a run stand together."""
    share = share_needed(epsilon, delta)
    alive, alarms = {0: 1.0}, 0.0
    for run in range(1, usual(41 if epsilon < 2 else 61, 61)):
        after: dict[int, float] = {}
        for right, chance in alive.items():
            after[right + 1] = after.get(right + 1, 0.0) + chance * share
            after[right] = after.get(right, 0.0) + chance * (1 - share)

        def is_above(right: int, run: int = run) -> bool:
            counted = RunShares([0.0, 1.0], [run - right, right])
            return anytime_limit(counted, delta=delta) > epsilon

        counts = sorted(after)
        if THOROUGH:
            above = {right for right in counts if is_above(right)}
        else:  # who is told rightly more often is above too
            above = set(counts[bisect.bisect_left(counts, True, key=is_above) :])
        alarms += sum(after[right] for right in above)
        alive = {right: chance for right, chance in after.items() if right not in above}
    assert 0 < alarms <= 0.05


@pytest.mark.parametrize(("runs", "epsilon"), [(10**4, 1.0), (10**6, 0.1), (10**6, 4.0)])
def test_it_is_not_far_below_the_exact_limit(runs, epsilon):
    right = round(runs * share_needed(epsilon))
    anytime = anytime_limit(RunShares([0.0, 1.0], [runs - right, right]))
    exact = lower_limit(runs, runs, right)
    assert epsilon - anytime <= 2.5 * (epsilon - exact)
    assert anytime < exact


def test_dependent_records_count_as_one_run():
    rng = np.random.default_rng(2)
    members = np.repeat(rng.random((200, 1)) < 0.5, 50, axis=1)
    guesses = np.where(members ^ (rng.random((200, 1)) < 0.3), 1, -1).astype(np.int8)
    many = RunShares.of(members, guesses, delta=0.0)
    one = RunShares.of(members[:, :1], guesses[:, :1], delta=0.0)
    assert anytime_limit(many) == anytime_limit(one) > 0


def test_blocks_add_up_in_any_order():
    parts = [RunShares([0.5, 1.0], [3, 9]), RunShares([0.25, 1.0], [1, 30]), RunShares([], [])]
    forth, back = parts[0] + parts[1] + parts[2], parts[2] + parts[1] + parts[0]
    assert forth.shares.tolist() == back.shares.tolist() == [0.25, 0.5, 1.0]
    assert forth.runs.tolist() == back.runs.tolist() == [1, 3, 39]


def test_abstaining_is_for_pure_claims_only():
    members, guesses = np.array([[True, False]]), np.array([[1, 0]], dtype=np.int8)
    assert RunShares.of(members, guesses, delta=0.0).shares.tolist() == [1.0]
    with refuses(InvalidArgument, "guess-about-every-record"):
        RunShares.of(members, guesses, delta=1e-9)


def test_runs_without_a_guess_do_not_count():
    shares = RunShares.of(np.ones((4, 2), bool), np.zeros((4, 2), np.int8), delta=0.0)
    assert shares.runs.sum() == 0
    assert anytime_limit(shares) == 0.0


def test_all_wrong_and_all_right():
    assert anytime_limit(RunShares([0.0], [1000])) == 0.0
    assert math.log(1000) / 2 < anytime_limit(RunShares([1.0], [1000])) < math.log(1000)


@pytest.mark.parametrize("bad", [([1.5], [1]), ([0.5], [-1]), ([0.5], [1, 2]), ([math.nan], [1])])
def test_shares_out_of_range_are_refused(bad):
    with refuses(InvalidArgument, "expects-something"):
        RunShares(*bad)
