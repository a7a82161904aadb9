"""Intervals of ε̃ from lists and draws, as many as the gap that is asked for takes."""

import contextlib

import attrs
import numpy as np

from deniable.computing.parallel import blocks
from deniable.numerics.effort import Effort, OutOfTime, check, late, limited, silent
from deniable.population.answer import RecordBounds
from deniable.population.question import Floats, Ints
from deniable.population.vector_sums.running_interval import (
    FRESH,
    PILOT,
    PILOT_CANDIDATES,
    FailureProbability,
    IntervalPlan,
    IntervalTask,
    Release,
    RunningInterval,
    draw,
)

# --- How much a crowd may do within a time limit: decisions that are counted, not seconds.
#
# The same limit then gives the same answer on every machine that keeps the nominal pace. A slower
# one is stopped by the clock, and says what it knows by then.

PACE = 1.5e7  # Decisions a second: one of a record and a sample takes a core 20 to 35 ns


@attrs.define
class Budget:
    """Decisions that may still be made.

    >>> budget = Budget.of(2.0)
    >>> budget.spend(10_000_000)
    >>> half = budget.share(0.5)
    >>> half.spend(1_000_000)
    >>> budget.left, half.left
    (19000000.0, 9000000.0)
    """

    left: float  # How many; below 0 where the last round took more than there was
    parent: "Budget | None" = None  # What this is a part of, and what is spent here is spent there

    @classmethod
    def of(cls, seconds: float) -> "Budget":
        """Return the budget of a time limit."""
        return cls(PACE * seconds)

    def share(self, part: float) -> "Budget":
        """Return so much of what is left, for a part of the work."""
        return Budget(max(self.left, 0.0) * part, self)

    def spend(self, decisions: float) -> None:
        """Take note of work that was done."""
        self.left -= decisions
        if self.parent is not None:
            self.parent.spend(decisions)

    def rounds(self, cost: float, most: int) -> int:
        """How often work of this cost can be done, at most so often."""
        return most if cost * most <= self.left else max(int(self.left // cost), 0)


_ROUNDS = 24  # Rounds, each with twice the draws of the one before: more than any time limit allows
_PILOT_SHARE = 0.15  # The share of a budget for pilots
_LEAST_PILOT = 200  # Draws of a pilot: bets are planned from their tails


def intervals(
    release: Release,
    records: Ints,
    delta: float,
    effort: Effort,
    *,
    lower: Floats | None = None,
    largest: bool = False,
    budget: Budget | None = None,
) -> RecordBounds:
    """ε̃ of each of these records, from lists of their own.

    All intervals cover with the effort's confidence, δ in (0, 1). With lower bounds given that hold
    for certain, none are drawn, and the whole failure probability is for the upper bounds. With
    `largest` only the largest upper bound has to hold, for all, and a record is done when its upper
    bound is close to the largest lower bound. Draws spend the budget, that of the time limit by
    default. Upper bounds are infinite where time did not allow for a draw.
    """
    allowed = Budget.of(effort.time_limit) if budget is None else budget
    search = _Draws(release, delta, effort, largest, allowed)
    with limited(effort.time_limit):
        try:
            running = search.run(records, lower)
        except OutOfTime:
            return nothing_drawn(records, effort, lower)
    below, above = np.array([(each.lower, each.upper) for each in running]).T
    return attrs.evolve(
        nothing_drawn(records, effort),
        # A lower bound passes an upper one only where one of them fails, as the confidence allows.
        lower=np.minimum(below, above),
        upper=above,
        draws=2 * sum(each.n_draws for each in running),
        candidates=max(each.plan.candidates for each in running),
    )


def nothing_drawn(records: Ints, effort: Effort, lower: Floats | None = None) -> RecordBounds:
    """What is known before the first draw."""
    low = np.zeros(len(records)) if lower is None else lower
    high = np.full(len(records), np.inf)
    return RecordBounds.of_draws(records, low, high, effort, 0, candidates=0).by("crowd")


def quiet(effort: Effort) -> Effort:
    """The same for a part of the work, whose progress says nothing of the whole."""
    return attrs.evolve(effort, progress=silent)


@attrs.frozen(eq=False)
class _Draws:
    """What is released, and how much work is allowed."""

    release: Release
    delta: float
    effort: Effort
    largest: bool
    budget: Budget

    def run(self, records: Ints, lower: Floats | None) -> list[RunningInterval]:
        """Plans from pilots, then rounds that double until every record is done."""
        alpha = FailureProbability.of(
            self.effort, len(records), lower_given=lower is not None, largest=self.largest
        )
        plans = self._plans(records, alpha.upper, attack=lower is None)
        lower_bounds = np.zeros(len(plans)) if lower is None else lower
        running = [
            RunningInterval(plan, alpha, float(end))
            for plan, end in zip(plans, lower_bounds, strict=True)
        ]
        for number in range(_ROUNDS):
            floor = max(each.lower for each in running) if self.largest else 0.0
            wide = [each for each in running if not each.is_done(self.effort.gap, floor)]
            if not wide or (number and late()) or not self._round(wide, number):
                break
            self.effort.progress(1 - len(wide) / (len(running) + 1))
        self.effort.progress(1.0)
        return running

    def _plans(self, records: Ints, alpha: float, *, attack: bool) -> list[IntervalPlan]:
        # Of each record: fewer than the release proposes where the budget is small.
        cost = self.release.decisions(PILOT_CANDIDATES) * len(records)
        draws = self.budget.share(_PILOT_SHARE).rounds(cost, self.release.pilot_draws)
        draws = max(draws, min(_LEAST_PILOT, self.release.pilot_draws))
        self.budget.spend(cost * draws)
        gap = self.effort.gap
        tasks = [self._task(int(r), PILOT_CANDIDATES, draws, PILOT) for r in records]
        pilots = blocks(draw, tasks, quiet(self.effort), name="crowd")
        plans = []
        for task, pilot in zip(tasks, pilots, strict=True):
            plans.append(
                IntervalPlan.from_pilot(pilot, task, self.delta, gap, alpha, attack=attack)
            )
            check()
        return plans

    def _round(self, running: list[RunningInterval], number: int) -> bool:
        """Run up to 2^number blocks for each record, and say whether there was room for any."""
        lengths = [each.plan.candidates for each in running]
        cost = sum(self.release.decisions(k) * self.release.block_draws(k) for k in lengths)
        # One block is always worth its time: without it nothing would come of the pilots.
        rounds = max(self.budget.rounds(cost, 2**number), 0 if number else 1)
        self.budget.spend(cost * rounds)
        owners = running * rounds
        tasks = []
        for place, each in enumerate(owners):
            record, candidates = each.plan.record, each.plan.candidates
            n_draws, block = self.release.block_draws(candidates), place // len(running)
            tasks.append(self._task(record, candidates, n_draws, FRESH, number, block))
        parts = blocks(draw, tasks, quiet(self.effort), name="crowd")
        with contextlib.suppress(OutOfTime):
            for each, part in zip(owners, parts, strict=False):
                each.add(part)
                if late():
                    break
        for each in running:
            each.update()
        return rounds > 0

    def _task(self, record: int, candidates: int, n_draws: int, *place: int) -> IntervalTask:
        return IntervalTask(
            self.release, record, candidates, n_draws, Effort(seed=self.effort.seed), place
        )
