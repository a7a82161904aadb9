"""Harmless records: a few draws each show that none of them passes a ceiling.

Of the worst record a narrow interval is wanted; of the others it is enough to know that their ε̃ is
below its upper bound. Lists of one pair and large bets show that with some thousand draws.
"""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.numerics.parallel import blocks
from deniable.numerics.time_limit import late
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.vector_sums.betting import BettingBound
from deniable.population.vector_sums.budget import Budget
from deniable.population.vector_sums.running_interval import (
    CEILING,
    IntervalTask,
    Release,
    draw,
)
from deniable.population.vector_sums.search import quiet

_STAKES = (0.95, 0.5, 0.2)
"""Bold bets, as shares of the largest allowed 1/(1 − δ): most records are far below the ceiling."""
_WEIGHTS = (0.8, 0.1, 0.1)
"""Of the capital: most on the boldest bet, which needs the fewest draws."""
_ENOUGH = 1.2
"""Draws over those with which the boldest bet wins if no draw shows a loss."""
_ROUNDS = 6
"""Rounds of equally many draws; records that are above the ceiling then keep their bound."""


def upper_bounds(
    release: Release,
    records: NDArray[np.int64],
    delta: float,
    ceiling: float,
    effort: Effort,
    *,
    candidates: int = 1,
    budget: Budget | None = None,
) -> RecordBounds:
    """Upper bounds of ε̃ alone; the largest holds for all with probability `effort.confidence`.

    The largest falls below the largest ε̃ only if the end of the one record that attains it does,
    so that no record's failure probability is shared with another. Rounds of equally many draws
    go on for the records that are still above the ceiling. The limit is anytime-valid, so
    stopping when it passes the ceiling costs nothing.

    Parameters
    ----------
    release : Release
        The sum, in units of the noise.
    records : array of int
        Positions, at least one; what time allows is for the first of them.
    delta : float
        In (0, 1).
    ceiling : float
        What the upper bounds should be below.
    effort : Effort
        Confidence, seed, workers and checkpoint; `progress` is told the share that is below.
    candidates : int
        Pairs in a list.
    budget : Budget, optional
        What draws may take, that of the time limit by default; what they take is spent.

    Returns
    -------
    RecordBounds
        Lower bounds are 0; upper bounds infinite where nothing was drawn.
    """
    alpha = 1 - effort.confidence
    allowed = Budget.of(effort.time_limit) if budget is None else budget
    stakes = [stake / (1 - delta) for stake in _STAKES]
    bound = BettingBound(delta, stakes, _WEIGHTS)
    # Without a loss the boldest bet turns .8 into 1/α when (1 + λδ)^draws is 1/(.8 α).
    wins = math.log1p(stakes[0] * delta)
    enough = math.ceil(_ENOUGH * math.log(1 / (_WEIGHTS[0] * alpha)) / wins)
    n_blocks = math.ceil(enough / release.block_draws(candidates))
    n_draws = math.ceil(enough / n_blocks)
    cost = release.decisions(candidates) * n_blocks * n_draws
    upper = np.full(len(records), np.inf)
    log_ratios: list[list[NDArray[np.float64]]] = [[] for _ in records]
    draws = 0
    for number in range(_ROUNDS):
        above = np.flatnonzero(upper > ceiling)
        above = above[: allowed.rounds(cost, len(above))]
        if not len(above) or late():
            break
        allowed.spend(cost * len(above))
        # All blocks of a record before those of the next: half of each would show nothing.
        owners = np.repeat(above, n_blocks)
        tasks = _tasks(release, records[owners], candidates, n_draws, effort, number, n_blocks)
        parts = blocks(draw, tasks, quiet(effort), name="ceiling")
        for place, (i, part) in enumerate(zip(owners, parts, strict=False), start=1):
            log_ratios[i].append(part["log_ratios"])
            draws += 2 * n_draws
            if place % n_blocks == 0:
                ratios = np.concatenate(log_ratios[i], axis=1)
                own_first = ratios[0], -ratios[1]
                upper[i] = max(bound.upper_limit(each, alpha) for each in own_first)
                effort.progress(float(np.mean(upper <= ceiling)))
            if late():
                break
    return RecordBounds(
        records,
        np.zeros(len(records)),
        upper,
        Evidence.CONFIDENCE,
        confidence=effort.confidence,
        draws=draws,
        seed=effort.seed,
    ).by("crowd")


def _tasks(
    release: Release,
    records: NDArray[np.int64],
    candidates: int,
    n_draws: int,
    effort: Effort,
    number: int,
    n_blocks: int,
) -> list[IntervalTask]:
    """Of one round: `n_blocks` in a row belong to one record."""
    place, plain = (CEILING, number), Effort(seed=effort.seed)
    return [
        IntervalTask(release, int(record), candidates, n_draws, plain, (*place, k % n_blocks))
        for k, record in enumerate(records)
    ]
