"""Draws that all records share: lists of whole samples, and what they say of every record."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chi2

from deniable.mechanisms import Gaussian
from deniable.numerics.effort import Effort
from deniable.population.question import Question, Summands
from deniable.population.vector_sums import bracket
from deniable.population.vector_sums.engine import upper_bounds
from deniable.population.vector_sums.releases import SumRelease
from deniable.population.vector_sums.running_interval import hockey_stick
from deniable.population.vector_sums.search import Budget, intervals
from deniable.population.vector_sums.shared_bounds import (
    SharedLists,
    SharedPlan,
    shared_upper_bounds,
)
from tests.cases.effort import usual
from tests.oracles import population as brute

ROWS = np.random.default_rng(4).normal(size=(8, 2))
RELEASE = SumRelease.of(ROWS, 3, 2.0)
DELTA = 0.1
LAWS = [brute.grid_laws(ROWS, 3, x, lambda t: -(t**2) / 8, 0.2, 16.0) for x in range(8)]
EXACT = np.array([brute.smallest_epsilon(*(p / p.sum() for p in laws[:2]), DELTA) for laws in LAWS])
SIGMAS = 6.2  # of a mean: false alarm 1e-9
LISTS = SharedLists.of(RELEASE)
EVERY = np.array([[i in s for s in itertools.combinations(range(8), 3)] for i in range(8)])


def exact(record, world, epsilon):
    laws = [p / p.sum() for p in LAWS[record][:2]]
    return brute.hockey_stick(laws[world], laws[1 - world], epsilon)


@pytest.mark.parametrize("candidates", [7, 509])
def test_a_list_shows_no_record_less_than_the_truth(candidates):
    drawn = LISTS.draws(np.random.default_rng(0), candidates, 6000)
    assert drawn.n_draws == 6000
    for record in range(8):
        inside, logs = drawn.members[record], drawn.log_ratios[record]
        for world, ratios in enumerate((logs[inside], -logs[~inside])):
            for epsilon in (0.0, EXACT[record] / 2, EXACT[record]):
                losses = hockey_stick(ratios, epsilon)
                error = SIGMAS * losses.std() / math.sqrt(len(losses))
                assert losses.mean() > exact(record, world, epsilon) - error - 1e-4
                if candidates > 500:  # what so long a list adds is little
                    assert losses.mean() < 1.05 * exact(record, world, epsilon) + error + 5e-3


def test_a_list_without_the_truth_would_be_refuted():
    rng = np.random.default_rng(1)
    strong = SharedLists.of(SumRelease.of(ROWS, 3, 0.5))
    found = {"with": [], "without": []}
    truth = EVERY[:, rng.integers(EVERY.shape[1], size=4000)]
    releases = strong.release.points.T @ truth + rng.standard_normal((2, 4000))
    members, logs = strong.samples(rng, releases, truth, 7)
    for name, first in (("with", 0), ("without", 1)):
        weights = np.exp(logs[first:] - logs[first:].max(axis=0))
        inside = (members[:, first:] * weights).sum(axis=1) / weights.sum(axis=0)
        with np.errstate(divide="ignore"):
            ratios = np.log(inside) - np.log(1 - inside) + math.log(5 / 3)
        found[name] = np.array([hockey_stick(ratios[x, truth[x]], 0.0).mean() for x in range(8)])
    assert np.all(found["without"] < found["with"])
    laws = [brute.grid_laws(ROWS, 3, x, lambda t: -(t**2) / 0.5, 0.1, 4.0) for x in range(8)]
    total_variation = np.array([np.abs(p / p.sum() - q / q.sum()).sum() / 2 for p, q, _ in laws])
    # A mean of eight records' means is known to about .003.
    assert found["with"].mean() > total_variation.mean() - 0.015
    assert found["without"].mean() < total_variation.mean() - 0.015


def test_each_sample_of_a_lattice_has_the_law_that_its_weight_says():
    target = np.array([[0.7], [-0.4]])
    many = EVERY.shape[1]
    rng = np.random.default_rng(2)
    _, logs = LISTS.samples(rng, np.repeat(target, many, axis=1), EVERY, 7)
    squares = ((target - RELEASE.points.T @ EVERY) ** 2).sum(axis=0)
    # ln W is ln(1/number) − ln Pr − |t − ΣD|²/2
    chances = np.exp(-(logs[0] + squares / 2)) / many
    assert chances.sum() == pytest.approx(1, rel=1e-12)
    n_draws = 20_000
    truth = EVERY[:, rng.choice(many, p=chances / chances.sum(), size=n_draws)]
    members, _ = LISTS.samples(rng, np.repeat(target, n_draws, axis=1), truth, 7)
    assert np.array_equal(members[:, 0], truth)
    assert np.all(members.sum(axis=0) == 3)
    code = 1 << np.arange(8)
    place = {int(c): i for i, c in enumerate(code @ EVERY)}
    for other in (1, 4):
        seen = np.bincount([place[int(c)] for c in code @ members[:, other]], minlength=many)
        statistic = ((seen - n_draws * chances) ** 2 / (n_draws * chances)).sum()
        assert statistic < chi2.isf(1e-9, many - 1)


def planned(budget=1e7, alpha=0.05):
    return SharedPlan.within(Budget(budget), RELEASE, DELTA, alpha)


def ends(*, seed=0, alpha=0.05, goal=0.0, budget=1e6, workers=1):
    plan, left = planned(budget, alpha), Budget(budget)
    effort = Effort(seed=seed, workers=workers)
    return shared_upper_bounds(RELEASE, plan, alpha, effort, left, goal=goal), left


def test_a_plan_fits_its_budget_or_is_none():
    assert planned().candidates == 127
    small = planned(20 * planned().first * 8)
    assert small.candidates == 13
    assert planned(10.0) is None
    # Lists of 13 and 127 cannot tell odds of e^2 and e^5.
    assert SharedPlan.within(Budget(20 * planned().first * 8), RELEASE, DELTA, 0.05, 2.0) is None
    assert SharedPlan.within(Budget(1e9), RELEASE, DELTA, 0.05, 5.0) is None
    # Where every record is asked for, what is kept must fit into memory.
    assert SharedPlan.within(Budget(1e12), RELEASE, 1e-7, 0.05) is None
    assert SharedPlan.within(Budget(1e12), RELEASE, 1e-7, 0.05, 1.0) is not None
    assert planned(alpha=0.001).first > planned().first


def test_every_record_has_an_upper_end():
    found, left = ends()
    assert np.all(found.upper >= EXACT - 1e-3)
    assert np.all(found.upper < 2 * EXACT + 0.3)
    assert found.draws * found.candidates * 8 == 1e6 - left.left
    assert left.left >= 0


def test_a_goal_that_is_kept_is_the_end():
    goal = 1.5 * EXACT.max()
    found, _ = ends(goal=goal)
    assert np.all((found.upper == goal) | (found.upper > goal))
    assert np.count_nonzero(found.upper == goal) > 4


def test_workers_change_nothing():
    one, two = ends(seed=3)[0], ends(seed=3, workers=2)[0]
    assert one.upper.tolist() == two.upper.tolist()
    assert one.upper.tolist() != ends(seed=4)[0].upper.tolist()


def test_each_end_is_too_low_as_seldom_as_stated():
    # At α = ½ failures of one record are Bin(40, at most ½) or fewer; 39 or more have chance 4e-11.
    failures = np.zeros(8)
    for seed in range(40):
        failures += ends(seed=seed, alpha=0.5, budget=1e5)[0].upper < EXACT - 1e-3
    assert failures.max() < 39


@pytest.mark.parametrize("records", ["worst", "all"])
def test_draws_that_were_made_are_of_use_when_time_runs_out(records):
    """Whenever the clock stops the rest, what all records share was drawn first."""
    rows = np.random.default_rng(0).normal(size=(40, 3))
    question = Question(Summands(rows), 20, 0.05, records)
    early = bracket(question, Gaussian(2.0), Effort(time_limit=0.3))
    assert early.maximum().upper < early.pairwise or early.draws == 0
    whole = bracket(question, Gaussian(2.0), Effort(time_limit=usual(1.5, 4.0), gap=1.0))
    assert whole.draws > 0
    assert whole.maximum().upper < 0.7 * whole.pairwise
    assert whole.maximum().upper >= whole.maximum().lower


def test_a_budget_decides_how_much_is_drawn():
    release = SumRelease.of(np.random.default_rng(1).normal(size=(40, 2)), 20, 3.0)

    def drawn(budget):
        left = Budget(budget)
        found = intervals(release, np.array([2]), 0.02, Effort(gap=0.01), budget=left)
        return found.draws, found.upper[0], left.left

    little, much = drawn(2e6), drawn(6e6)
    assert drawn(2e6) == little
    assert much[0] > 2 * little[0]
    assert min(little[2], much[2]) >= 0
    cost = release.decisions(1) * 1000
    few, all_of_them = (
        upper_bounds(release, np.arange(8), 0.02, 5.0, Effort(), budget=Budget(budget))
        for budget in (cost, 100 * cost)
    )
    assert 0 < np.count_nonzero(np.isfinite(few.upper)) < 8
    assert np.all(np.isfinite(all_of_them.upper))
