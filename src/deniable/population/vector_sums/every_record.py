"""Many records from shared draws: one list serves all upper ends, one sample all lower ends."""

import math
import time

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.population.vector_sums.release import Release
from deniable.population.vector_sums.result import Budget
from deniable.population.vector_sums.threshold import (
    Attacks,
    attack_scores,
    chosen_attacks,
    refuted_epsilon,
)
from deniable.population.vector_sums.wager import Wager
from deniable.population.vector_sums.whole_subsets import (
    WholeDraws,
    whole_draws,
    whole_guide,
)
from deniable.population.work.effort import Effort
from deniable.population.work.parallel import Arrays, blocks

_WHOLE_PILOT, _WHOLE, _SCORE_PILOT, _SCORE = 2, 3, 4, 5
_PER_SHARE = 64
_CELLS = 8_000_000
_KEPT = 2**24
_LISTS = 8192
_PILOT_LISTS = 1024
_SCORES = 2**19
_PILOT_SCORES = 2**17
_PILOT_CELLS = 2**23
_SCORE_CELLS = 2_000_000
_SCORE_WORK = 2**28
_PRECISION = 0.25


@attrs.frozen(eq=False)
class Survey:
    """Both ends of every record, and what they took."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    candidates: int
    draws: int


@attrs.frozen(eq=False)
class _Task:
    release: Release
    records: NDArray[np.int64]
    candidates: int
    n_draws: int
    effort: Effort
    place: tuple[int, ...]
    attacks: Attacks | None = None


def survey(
    release: Release,
    records: NDArray[np.int64],
    delta: float,
    each: Budget,
    effort: Effort,
    *,
    until: float,
    with_lower: bool,
    key: str,
) -> Survey:
    """Bracket every record, each end at its share of the failure probability."""
    lower, scored = np.zeros(len(records)), 0
    if with_lower:
        lower, scored = counted_lower_ends(release, records, delta, each.lower, effort, until, key)
    share = release.size / release.population
    candidates = math.ceil(_PER_SHARE / (share * (1 - share)))
    per_block = int(np.clip(_CELLS // (release.population * candidates), 8, 512))
    quiet = Effort(seed=effort.seed)

    def tasks(stage: int, n_draws: int) -> list[_Task]:
        count = math.ceil(n_draws / per_block)
        return [
            _Task(release, records, candidates, per_block, quiet, (stage, block))
            for block in range(count)
        ]

    pilot = _gathered(tasks(_WHOLE_PILOT, _PILOT_LISTS), effort, math.inf, f"{key}-pilot")
    wagers = [
        tuple(Wager.planned(pilot.towards(c, world), delta, _PRECISION) for world in (0, 1))
        for c in range(len(records))
    ]
    lists = max(math.ceil(min(_LISTS / (2 * min(share, 1 - share)), _KEPT / len(records))), 512)
    fresh = _gathered(tasks(_WHOLE, lists), effort, until, f"{key}-lists")
    upper = np.array(
        [
            max(
                wager.largest_epsilon(fresh.towards(c, world), each.upper)
                for world, wager in enumerate(both)
            )
            for c, both in enumerate(wagers)
        ]
    )
    return Survey(lower, upper, candidates, scored + len(fresh.log_ratios))


def _draw_lists(task: _Task) -> Arrays:
    rng = task.effort.generator(*task.place)
    guide = whole_guide(task.release)
    found = whole_draws(rng, task.release, guide, task.records, task.candidates, task.n_draws)
    return {"log_ratios": found.log_ratios, "inside": found.inside}


def _gathered(tasks: list[_Task], effort: Effort, until: float, key: str) -> WholeDraws:
    """As many blocks as the time allows, at least one."""
    parts = []
    for part in blocks(_draw_lists, tasks, effort, key=key):
        parts.append(part)
        if time.monotonic() > until:
            break
    return WholeDraws(
        np.concatenate([np.asarray(part["log_ratios"], np.float64) for part in parts]),
        np.concatenate([np.asarray(part["inside"], np.bool_) for part in parts]),
    )


def counted_lower_ends(
    release: Release,
    records: NDArray[np.int64],
    delta: float,
    alpha: float,
    effort: Effort,
    until: float,
    key: str,
) -> tuple[NDArray[np.float64], int]:
    """Lower ends by counting, and the number of draws, which is fixed beforehand.

    Running out of time leaves 0: a count may not be stopped at will.
    """
    total = int(np.clip(_SCORE_WORK // release.population, 2**13, _SCORES))
    per_block = int(np.clip(_SCORE_CELLS // release.population, 64, 4096))
    rng = effort.generator(_SCORE_PILOT)
    tried = min(_PILOT_SCORES, total // 4, _PILOT_CELLS // len(records))
    batches = range(0, tried, per_block)
    pilot = np.concatenate(
        [attack_scores(rng, release, records, per_block) for _ in batches], axis=1
    )
    attacks = chosen_attacks(pilot, delta, total)
    count, quiet = math.ceil(total / per_block), Effort(seed=effort.seed)
    tasks = [
        _Task(release, records, 0, per_block, quiet, (_SCORE, block), attacks)
        for block in range(count)
    ]
    hits = np.zeros((2, len(records)), np.int64)
    for done, part in enumerate(blocks(_count, tasks, effort, key=f"{key}-scores"), start=1):
        hits += np.asarray(part["hits"], np.int64)
        if time.monotonic() > until and done < count:
            return np.zeros(len(records)), done * per_block
    draws = count * per_block
    own_first = np.where(attacks.signs > 0, hits, hits[::-1])
    return refuted_epsilon(own_first, draws, delta, alpha), draws


def _count(task: _Task) -> Arrays:
    assert task.attacks is not None
    rng = task.effort.generator(*task.place)
    scores = attack_scores(rng, task.release, task.records, task.n_draws)
    return {"hits": task.attacks.fired(scores)}
