import math

import numpy as np
import pytest

from deniable.population.vector_sums.release import Release
from deniable.population.vector_sums.single import FRESH, PILOT, Plan, Standing, Task, draw
from deniable.population.work.effort import Effort

RELEASE = Release.of(np.random.default_rng(0).normal(size=(12, 2)), 6, 2.0)


def task(candidates, n_draws, *place):
    return Task(RELEASE, 4, candidates, n_draws, Effort(seed=5), place)


PILOT_TASK = task(4, 800, PILOT)
PLAN = Plan.of(draw(PILOT_TASK), PILOT_TASK, 0.05, 0.3, 0.05)


def test_a_task_determines_its_draws():
    first, again = draw(task(3, 40, FRESH, 0, 1)), draw(task(3, 40, FRESH, 0, 1))
    other = draw(task(3, 40, FRESH, 0, 2))
    assert first["log_ratios"].shape == first["scores"].shape == (2, 40)
    assert np.array_equal(first["log_ratios"], again["log_ratios"])
    assert not np.any(first["log_ratios"] == other["log_ratios"])


def test_a_plan_reads_the_pilot():
    assert 1 <= PLAN.candidates <= RELEASE.most_candidates
    assert PLAN.estimate > 0
    assert PLAN.enough > 0
    assert PLAN.record == 4


def test_a_finer_gap_wants_longer_lists_and_more_draws():
    pilot = draw(PILOT_TASK)
    fine = Plan.of(pilot, PILOT_TASK, 0.05, 0.01, 0.05)
    assert fine.candidates >= PLAN.candidates
    assert fine.enough > PLAN.enough


def test_before_any_draw_nothing_is_claimed():
    standing = Standing(PLAN, 0.05, 0.05, None)
    standing.settle()
    assert (standing.lower, standing.upper) == (0.0, math.inf)
    assert not standing.done(0.5)


def test_draws_narrow_the_bracket_until_it_is_done():
    standing = Standing(PLAN, 0.05, 0.05, None)
    standing.add(draw(task(PLAN.candidates, 8000, FRESH, 0, 0)))
    standing.settle()
    assert 0 < standing.lower < standing.upper < math.inf
    assert standing.n_draws == 8000
    assert standing.done(standing.upper / standing.lower)


def test_a_lower_end_that_is_known_is_kept():
    standing = Standing(PLAN, 0.05, 0.05, 0.123)
    standing.add(draw(task(PLAN.candidates, 2000, FRESH, 0, 0)))
    standing.settle()
    assert standing.lower == 0.123


def test_it_gives_up_when_more_would_not_help():
    standing = Standing(PLAN, 0.05, 0.05, None)
    standing.n_draws = PLAN.enough
    assert standing.done(1e-9)


def test_draws_carry_the_spread_of_both_worlds():
    assert draw(PILOT_TASK)["spread"].shape == (2,)
    assert np.all(draw(PILOT_TASK)["spread"] > 0)
    assert math.isnan(draw(task(1, 10, FRESH, 0, 0))["spread"][0])
    assert pytest.approx(draw(PILOT_TASK)["spread"][0], rel=1) == draw(PILOT_TASK)["spread"][1]
