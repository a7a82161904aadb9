"""Upper ends of all records from the same releases, by lists of whole samples.

Each release is a draw of "in" for the records that were in its sample, and one of "out" for the
others, so that every record bets on its own part of the same draws. Records share draws, not
failure probability: what is said of one record is as probable as it would be alone.
"""

import math

import attrs
import numpy as np

from deniable.population.question import Floats
from deniable.population.vector_sums.betting import ROUNDING, BettingBound
from deniable.population.vector_sums.budget import Budget
from deniable.population.vector_sums.running_interval import SHARED
from deniable.population.vector_sums.search import quiet
from deniable.population.vector_sums.shared_lists import SharedDraws, SharedLists
from deniable.population.vector_sums.sum_release import SumRelease
from deniable.work.effort import Effort
from deniable.work.parallel import Arrays, blocks
from deniable.work.time_limit import late

_LENGTHS = (7, 13, 31, 61, 127)
"""Of lists: primes, so that every lattice has as many points. 61 add about .007 to the variance
of ln ratio in five dimensions."""
_STAKES = (0.95, 0.5, 0.2)
"""As shares of the largest allowed 1/(1 − δ): bold where few draws show a loss, as for most."""
_WEIGHTS = (0.6, 0.2, 0.2)
"""Of the capital, on each stake."""
_ENOUGH = 1.5
"""Draws over those with which the boldest bet wins if no draw shows a loss."""
_MOST_CELLS = 50_000_000
"""Records times releases that are kept: 250 megabytes."""
_BLOCK_DECISIONS = 20_000_000
"""Of a block of work: a second or less."""
_ROUNDS = 8
"""Rounds, each with as many draws as all before: more than a budget allows."""
_FEW = 16
"""Records above the goal for which lists of their own are less work than another round."""


@attrs.frozen(eq=False)
class SharedEnds:
    """What the draws say of every record.

    Parameters
    ----------
    upper : array of float, shape (N,)
        Upper ends; at least the goal, and infinite where nothing was shown.
    draws : int
        Releases.
    candidates : int
        Samples in a list.
    """

    upper: Floats
    draws: int
    candidates: int


@attrs.frozen
class _Task:
    """Releases at one place of the random numbers."""

    lists: SharedLists
    candidates: int
    n_draws: int
    effort: Effort
    place: tuple[int, ...]


def _draw(task: _Task) -> Arrays:
    rng = task.effort.generator(*task.place)
    drawn = task.lists.draws(rng, task.candidates, task.n_draws)
    return {"members": drawn.members, "log_ratios": drawn.log_ratios}


@attrs.frozen
class SharedPlan:
    """How many releases a round has, and how long their lists are; no draw is looked at for it."""

    candidates: int
    first: int
    bound: BettingBound

    @classmethod
    def within(
        cls, budget: Budget, release: SumRelease, delta: float, alpha: float
    ) -> "SharedPlan | None":
        """The longest lists with which a first round fits; None where none does."""
        stakes = tuple(stake / (1 - delta) for stake in _STAKES)
        # The boldest bet turns .6 into 1/α when (1 + λδ)^draws is 1/(.6 α).
        wins = math.log1p(stakes[0] * delta)
        enough = _ENOUGH * math.log(1 / (_WEIGHTS[0] * alpha)) / wins
        rarer = min(release.size, release.population - release.size) / release.population
        first = math.ceil(enough / rarer)
        if first * release.population > _MOST_CELLS:
            return None
        decisions = first * release.population
        fitting = [length for length in _LENGTHS if decisions * length <= budget.left]
        bound = BettingBound(delta, stakes, _WEIGHTS)
        return cls(fitting[-1], first, bound) if fitting else None


def shared_upper_ends(
    release: SumRelease,
    plan: SharedPlan,
    alpha: float,
    effort: Effort,
    budget: Budget,
    *,
    goal: float = 0.0,
) -> SharedEnds:
    """Upper ends of ε̃ of every record, each too low with probability at most α.

    Parameters
    ----------
    release : SumRelease
        The sum, in units of the noise.
    plan : SharedPlan
        Draws and lists.
    alpha : float
        Failure probability of each record's end.
    effort : Effort
        Seed, workers and checkpoint; `progress` is told the share of records that keep the goal.
    budget : Budget
        For this; what it takes is spent.
    goal : float
        A record that is shown to keep it is not looked at more closely: its end is the goal.
    """
    lists, drawn = SharedLists.of(release), SharedDraws.none(release.population)
    upper = np.full(release.population, math.inf)
    for number in range(_ROUNDS):
        wanted = plan.first * 2 ** max(number - 1, 0)
        cost = float(wanted * plan.candidates * release.population)
        cells = release.population * (drawn.n_draws + wanted)
        if number and (cost > budget.left or cells > _MOST_CELLS):
            break
        tasks = _tasks(lists, plan, wanted, effort, number)
        for part in blocks(_draw, tasks, quiet(effort), name="shared"):
            drawn = drawn.and_more(part["members"], part["log_ratios"])
            if late():
                break
        budget.spend(cost)
        upper = _ends(drawn, plan.bound, alpha, goal, upper)
        above = int(np.count_nonzero(upper > goal))
        effort.progress(1 - above / release.population)
        if above <= _FEW or late():
            break
    return SharedEnds(upper, drawn.n_draws, plan.candidates)


def _tasks(
    lists: SharedLists, plan: SharedPlan, wanted: int, effort: Effort, number: int
) -> list[_Task]:
    each = max(1, _BLOCK_DECISIONS // (lists.release.population * plan.candidates))
    return [
        _Task(
            lists,
            plan.candidates,
            min(each, wanted - start),
            Effort(seed=effort.seed),
            (SHARED, number, start),
        )
        for start in range(0, wanted, each)
    ]


def _ends(
    drawn: SharedDraws, bound: BettingBound, alpha: float, goal: float, before: Floats
) -> Floats:
    """Of all draws so far; a record that keeps the goal is not drawn for again."""
    upper = before.copy()
    for record in np.flatnonzero(before > goal):
        worlds = drawn.own_first(int(record))
        enough = math.log(1 / alpha)
        if all(bound.log_capital(logs + ROUNDING, goal) >= enough for logs in worlds):
            upper[record] = goal
        else:
            upper[record] = max(bound.upper_limit(logs, alpha) for logs in worlds)
    return upper
