import math

import numpy as np
import pytest

from deniable.population.vector_sums.running_interval import (
    FRESH,
    PILOT,
    FailureProbability,
    Plan,
    RunningInterval,
    Task,
    draw,
)
from deniable.population.vector_sums.sum_release import SumRelease
from deniable.population.work.effort import Effort

RELEASE = SumRelease.of(np.random.default_rng(0).normal(size=(12, 2)), 6, 2.0)


def task(candidates, n_draws, *place):
    return Task(RELEASE, 4, candidates, n_draws, Effort(seed=5), place)


PILOT_TASK = task(4, 800, PILOT)
ALPHA = FailureProbability(0.05, 0.05)


def plan(gap, *, attack=True):
    return Plan.from_pilot(draw(PILOT_TASK), PILOT_TASK, 0.05, gap, 0.05, attack=attack)


PLAN = plan(0.3)


def test_a_task_determines_its_draws():
    first, again = draw(task(3, 40, FRESH, 0, 1)), draw(task(3, 40, FRESH, 0, 1))
    other = draw(task(3, 40, FRESH, 0, 2))
    assert first["log_ratios"].shape == first["scores"].shape == (2, 40)
    assert np.array_equal(first["log_ratios"], again["log_ratios"])
    assert not np.any(first["log_ratios"] == other["log_ratios"])


def test_a_plan_reads_the_pilot():
    assert 1 <= PLAN.candidates <= RELEASE.most_candidates
    assert PLAN.most_draws > 0
    assert PLAN.attack is not None
    assert PLAN.record == 4


def test_a_finer_gap_wants_longer_lists_and_more_draws():
    fine = plan(0.01)
    assert fine.candidates >= PLAN.candidates
    assert fine.most_draws > PLAN.most_draws


def test_before_any_draw_nothing_is_claimed():
    running = RunningInterval(PLAN, ALPHA)
    running.update()
    assert (running.lower, running.upper) == (0.0, math.inf)
    assert not running.is_done(0.5)


def test_draws_narrow_the_bracket_until_it_is_done():
    running = RunningInterval(PLAN, ALPHA)
    running.add(draw(task(PLAN.candidates, 8000, FRESH, 0, 0)))
    running.update()
    assert 0 < running.lower < running.upper < math.inf
    assert running.n_draws == 8000
    assert running.is_done(running.upper / running.lower)


def test_a_lower_end_that_is_known_is_kept():
    running = RunningInterval(plan(0.3, attack=False), ALPHA, 0.123)
    running.add(draw(task(PLAN.candidates, 2000, FRESH, 0, 0)))
    running.update()
    assert running.lower == 0.123


def test_it_gives_up_when_more_would_not_help():
    running = RunningInterval(PLAN, ALPHA)
    running.n_draws = PLAN.most_draws
    assert running.is_done(1e-9)


def test_draws_carry_the_variance_of_both_worlds():
    assert draw(PILOT_TASK)["variance"].shape == (2,)
    assert np.all(draw(PILOT_TASK)["variance"] > 0)
    assert math.isnan(draw(task(1, 10, FRESH, 0, 0))["variance"][0])
    assert pytest.approx(draw(PILOT_TASK)["variance"][0], rel=1) == draw(PILOT_TASK)["variance"][1]


def test_the_failure_probability_is_spent_once():
    effort = Effort(confidence=0.9)
    both, upper = (FailureProbability.of(effort, 10, lower_given=given) for given in (False, True))
    assert 10 * (both.upper + both.lower) == pytest.approx(0.1)
    assert 10 * (both.upper + both.lower) <= 1 - 0.9
    assert 10 * upper.upper == pytest.approx(0.1)
    assert upper.lower == 0
