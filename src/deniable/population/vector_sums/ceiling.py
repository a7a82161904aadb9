"""Harmless records: a few draws each show that none of them passes a ceiling.

The worst record is bracketed tightly; of the others it is enough to know that their ε̃ is below
its upper end. Lists of one pair and large bets show that with some thousand draws.
"""

import hashlib
import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.population.vector_sums.release import Release
from deniable.population.vector_sums.single import Task, draw
from deniable.population.vector_sums.wager import Wager
from deniable.population.work.effort import Effort, Progress
from deniable.population.work.parallel import blocks
from deniable.population.work.time_limit import late

CEILING = 8
"""Stage of the random numbers; the crowd uses those before it."""
_STAKES = (0.95, 0.5, 0.2)
"""Bold bets, as shares of the largest allowed 1/(1 − δ): most records are far below the ceiling."""
_ENOUGH = 1.5
"""Draws over those with which the boldest bet wins if no draw shows a loss."""
_ROUNDS = 6
"""Rounds of equally many draws; records that are above the ceiling then keep their bound."""


@attrs.frozen(eq=False)
class Ceilings:
    """Upper ends, infinite where nothing was drawn, and how much was."""

    upper: NDArray[np.float64]
    draws: int


def ceilings(
    release: Release,
    records: NDArray[np.int64],
    delta: float,
    ceiling: float,
    effort: Effort,
    *,
    progress: Progress,
) -> Ceilings:
    """Upper ends of ε̃; all hold together with probability `effort.confidence`.

    Rounds of equally many draws go on for the records that are still above the ceiling. The
    limit is anytime-valid, so stopping when it passes the ceiling costs nothing.

    Parameters
    ----------
    release : Release
        The sum, in units of the noise.
    records : array of int
        Positions; the same failure probability for each.
    delta : float
        In (0, 1).
    ceiling : float
        What the upper ends should be below.
    effort : Effort
        Confidence, seed, workers and checkpoint.
    progress : callable
        Told the share of records that are done.
    """
    alpha = (1 - effort.confidence) / max(len(records), 1)
    wager = Wager(
        delta, [stake / (1 - delta) for stake in _STAKES], [1 / len(_STAKES)] * len(_STAKES)
    )
    n_draws = math.ceil(_ENOUGH * math.log(len(_STAKES) / alpha) / (_STAKES[0] * delta))
    n_draws = min(n_draws, release.block_draws(1))
    upper = np.full(len(records), np.inf)
    seen: list[list[NDArray[np.float64]]] = [[] for _ in records]
    draws = 0
    waiting = np.arange(len(records))
    for number in range(_ROUNDS):
        if not len(waiting) or late():
            break
        tasks = [
            Task(release, int(records[i]), 1, n_draws, Effort(seed=effort.seed), (CEILING, number))
            for i in waiting
        ]
        key = _key(release, effort.seed, number, n_draws, records[waiting].tolist())
        quiet = attrs.evolve(effort, progress=_silent)
        for i, found in zip(waiting, blocks(draw, tasks, quiet, key=key), strict=False):
            seen[i].append(found["log_ratios"])
            draws += 2 * n_draws
            ratios = np.concatenate(seen[i], axis=1)
            upper[i] = max(
                wager.largest_epsilon(ratios[0], alpha), wager.largest_epsilon(-ratios[1], alpha)
            )
            progress(float(np.mean(upper <= ceiling)))
            if late():
                break
        waiting = waiting[upper[waiting] > ceiling]
    return Ceilings(upper, draws)


def _key(release: Release, *what: object) -> str:
    text = repr(what).encode()
    return f"ceiling-{hashlib.sha256(release.fingerprint() + text).hexdigest()[:32]}"


def _silent(_: float) -> None:
    """Report nothing: the caller reports the progress of the whole."""
