"""Harmless records: a few draws each show that none of them passes a ceiling.

Of the worst record a narrow interval is wanted; of the others it is enough to know that their ε̃ is
below its upper end. Lists of one pair and large bets show that with some thousand draws.
"""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.bounds import Evidence
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.vector_sums.betting import BettingBound
from deniable.population.vector_sums.running_interval import (
    CEILING,
    Release,
    Task,
    draw,
)
from deniable.population.vector_sums.search import quiet
from deniable.work.effort import Effort
from deniable.work.parallel import blocks
from deniable.work.time_limit import late

_STAKES = (0.95, 0.5, 0.2)
"""Bold bets, as shares of the largest allowed 1/(1 − δ): most records are far below the ceiling."""
_ENOUGH = 1.5
"""Draws over those with which the boldest bet wins if no draw shows a loss."""
_ROUNDS = 6
"""Rounds of equally many draws; records that are above the ceiling then keep their bound."""


def upper_ends(
    release: Release, records: NDArray[np.int64], delta: float, ceiling: float, effort: Effort
) -> RecordBounds:
    """Upper ends of ε̃ alone; all hold together with probability `effort.confidence`.

    Rounds of equally many draws go on for the records that are still above the ceiling. The
    limit is anytime-valid, so stopping when it passes the ceiling costs nothing.

    Parameters
    ----------
    release : Release
        The sum, in units of the noise.
    records : array of int
        Positions, at least one; the same failure probability for each.
    delta : float
        In (0, 1).
    ceiling : float
        What the upper ends should be below.
    effort : Effort
        Confidence, seed, workers and checkpoint; `progress` is told the share that is below.

    Returns
    -------
    RecordBounds
        Lower ends are 0; upper ends infinite where nothing was drawn.
    """
    alpha = (1 - effort.confidence) / len(records)
    largest = 1 / (1 - delta)
    bound = BettingBound(delta, [stake * largest for stake in _STAKES], [1 / len(_STAKES)] * 3)
    # Without a loss the boldest bet turns 1/3 into 1/α when (1 + λδ)^draws does, λδ near .95 δ.
    n_draws = math.ceil(_ENOUGH * math.log(len(_STAKES) / alpha) / (_STAKES[0] * delta))
    n_draws = min(n_draws, release.block_draws(1))
    upper = np.full(len(records), np.inf)
    log_ratios: list[list[NDArray[np.float64]]] = [[] for _ in records]
    draws = 0
    for number in range(_ROUNDS):
        above = np.flatnonzero(upper > ceiling)
        if not len(above) or late():
            break
        place = (CEILING, number)
        tasks = [
            Task(release, int(records[i]), 1, n_draws, Effort(seed=effort.seed), place)
            for i in above
        ]
        for i, part in zip(above, blocks(draw, tasks, quiet(effort), name="ceiling"), strict=False):
            log_ratios[i].append(part["log_ratios"])
            draws += 2 * n_draws
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
