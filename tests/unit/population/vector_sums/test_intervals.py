"""Intervals that hold at every moment of a simulation."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from deniable.errors import InvalidArgument
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.answer import RecordBounds
from deniable.population.bounds import estimates
from deniable.population.question import Question, Summands
from deniable.population.vector_sums.engine import RunningBounds
from deniable.population.vector_sums.releases import SumRelease
from deniable.population.vector_sums.running_interval import (
    FRESH,
    PILOT,
    BettingBound,
    FailureProbability,
    IntervalPlan,
    IntervalTask,
    RunningInterval,
    draw,
    estimate_epsilon,
    hockey_stick,
)
from tests.cases.refusals import refuses

BOUND = BettingBound(0.1, [0.5, 1.0], [0.5, 0.5])


def test_the_hockey_stick_lies_between_0_and_1():
    found = hockey_stick(np.array([-math.inf, -3.0, 0.5, 2.0, math.inf]), 0.5)
    assert found == pytest.approx([0, 0, 0, 1 - math.exp(-1.5), 1])


def test_capital_is_the_product_of_the_bets():
    ratios = np.array([0.0, 1.0, 3.0])
    losses = np.maximum(0, 1 - np.exp(0.5 - ratios))
    expected = sum(np.prod(1 + stake * (0.1 - losses)) / 2 for stake in (0.5, 1.0))
    assert BOUND.log_capital(ratios, 0.5) == pytest.approx(math.log(expected))


def test_the_end_is_where_the_capital_suffices():
    ratios = np.random.default_rng(0).normal(0.2, 1.0, 3000)
    end = BOUND.upper_limit(ratios, 0.05)
    assert BOUND.log_capital(ratios + 1e-9, end) >= math.log(20)
    assert BOUND.log_capital(ratios + 1e-9, end - 1e-6) < math.log(20)


def test_capital_rises_with_epsilon():
    ratios = np.random.default_rng(1).normal(0.2, 1.0, 300)
    capital = [BOUND.log_capital(ratios, e) for e in np.linspace(0, 4, 50)]
    assert np.all(np.diff(capital) >= 0)


def test_too_few_draws_say_nothing():
    assert BOUND.upper_limit(np.zeros(5), 0.05) == math.inf


def test_a_loss_that_never_happens_is_refuted_at_0():
    assert BOUND.upper_limit(np.full(500, -1.0), 0.05) == 0.0


def test_draws_that_tell_the_worlds_apart_leave_no_end():
    assert BOUND.upper_limit(np.full(500, math.inf), 0.05) == math.inf


def test_the_estimate_is_where_the_mean_is_delta():
    ratios = np.random.default_rng(2).normal(0.5, 1.0, 5000)
    assert hockey_stick(ratios, estimate_epsilon(ratios, 0.1)).mean() == pytest.approx(
        0.1, abs=1e-9
    )
    assert estimate_epsilon(np.zeros(10), 0.1) == 0.0


@pytest.mark.parametrize("delta", [0.001, 0.1, 0.9])
def test_planned_stakes_cannot_go_broke(delta):
    pilot = np.random.default_rng(3).normal(0.5, 1.0, 2000)
    bound = BettingBound.from_pilot(pilot, delta, 0.05)
    assert sum(bound.weights) == pytest.approx(1)
    assert all(0 < stake < 1 / (1 - delta) for stake in bound.stakes)
    assert bound.expected_draws(pilot, 0.05) >= 1


def test_it_fails_no_more_often_than_stated_however_one_stops():
    """Ratios with X(1) = 1 with probability δ = 0.2, else 0: the true ε is 1 and hard to see.

    Looking after every tenth draw, at α = 0.2. False alarm 1e-9; a limit at the point estimate
    fails in about half the runs even when one looks only once, far beyond what passes.
    """
    bound, runs, alpha = BettingBound(0.2, [0.6, 0.2], [0.5, 0.5]), 400, 0.2
    rng, failures, naive = np.random.default_rng(4), 0, 0
    for _ in range(runs):
        ratios = np.where(rng.random(300) < 0.2, 50.0, 0.0)
        capital = max(bound.log_capital(ratios[:k], 1.0) for k in range(10, 301, 10))
        failures += capital >= math.log(1 / alpha)
        naive += hockey_stick(ratios, 1.0).mean() < 0.2
    allowed = binom.isf(1e-9, runs, alpha)
    assert failures <= allowed < naive
    assert failures > 0


def test_stakes_are_checked():
    with refuses(InvalidArgument, "below-least: stake"):
        BettingBound(0.1, [-1.0], [1.0])


RELEASE = SumRelease.of(np.random.default_rng(0).normal(size=(12, 2)), 6, 2.0)


def task(candidates, n_draws, *place):
    return IntervalTask(RELEASE, 4, candidates, n_draws, Effort(seed=5), place)


PILOT_TASK = task(4, 800, PILOT)
ALPHA = FailureProbability(0.05, 0.05)


def plan(gap, *, attack=True):
    return IntervalPlan.from_pilot(draw(PILOT_TASK), PILOT_TASK, 0.05, gap, 0.05, attack=attack)


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


ROWS = np.random.default_rng(6).normal(size=(8, 2))
EFFORT = Effort(confidence=0.9, seed=3)


def running(records="worst"):
    return RunningBounds.without_draws(Question(Summands(ROWS), 4, 0.1, records), 2.0, EFFORT)


def drawn(records, lower, upper, **more):
    return RecordBounds(records, lower, upper, Evidence.CONFIDENCE, 0.9, draws=12, **more)


@pytest.mark.parametrize("records", ["worst", "all", [2, 7, 0]])
def test_those_asked_for_are_ranked_by_the_estimate(records):
    bounds = running(records)
    expected = estimates(ROWS, 4, 2.0, 0.1)
    ranking = [*bounds.leaders, *bounds.others]
    targets = range(8) if isinstance(records, str) else records
    assert ranking == sorted(targets, key=lambda record: -expected[record])
    assert expected[bounds.leaders].min() >= 0.85 * expected[ranking[0]]
    assert bounds.estimate == expected.max()


def test_only_leaders_have_lower_ends_until_more_are_projected():
    bounds = running()
    assert np.all(bounds.lower[bounds.leaders] > 0)
    assert np.all(bounds.lower[bounds.others] == 0)
    bounds.project(bounds.others, EFFORT)
    assert np.count_nonzero(bounds.lower) == 7  # one record's ε̃ is 0
    assert np.all(bounds.lower <= bounds.upper)


def test_only_what_is_narrower_is_taken():
    bounds = running("all")
    before = bounds.record_bounds()
    record = int(bounds.leaders[0])
    bounds.take(drawn([record], [0.0], [np.inf], candidates=4))
    assert bounds.upper.tolist() == before.upper.tolist()
    assert bounds.lower.tolist() == before.lower.tolist()
    middle = (before.lower[record] + before.upper[record]) / 2
    bounds.take(drawn([record], [middle], [middle * 1.01], candidates=2))
    after = bounds.record_bounds(EFFORT)
    assert (after.lower[record], after.upper[record]) == (middle, middle * 1.01)
    assert (after.lower_methods[record], after.upper_methods[record]) == ("threshold", "crowd")
    assert (after.draws, after.candidates) == (24, 4)
    assert (after.evidence, after.confidence, after.seed) == (Evidence.CONFIDENCE, 0.9, 3)


def test_ends_never_cross():
    bounds = running()
    record = int(bounds.leaders[0])
    bounds.take(drawn([record], [0.0], [bounds.lower[record] / 2]))
    assert bounds.lower[record] == bounds.upper[record]


def test_without_draws_they_are_an_enclosure():
    before = running().record_bounds()
    assert before.evidence is Evidence.ENCLOSURE
    assert set(before.upper_methods) == {"pairwise"}
    assert set(before.lower_methods) == {"projection", "none"}
    assert before.pairwise == before.upper.max()
