"""Trainers that adapt, simulated: exact densities of their outputs, by listing what may be drawn.

A *world* is one way in which all batches of a run may fall, a list of records for each step. A
person has the first `many` records: they give 1 where the person speaks, and `other` where not. All
other gradients follow the outputs so far. H is a mean over draws from the run in which the person
speaks, of what the exact densities of both runs say.
"""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.training.noisy_gradients.curve import Direction

Floats = NDArray[np.float64]
World = tuple[tuple[int, ...], ...]
Adapt = Callable[[int, Floats, Floats], Floats]
"""Of a step, outputs so far and ln(P/Q) of them, the gradient of others; (draws,) -> (draws,)."""


def epochs_of(way: str, records: int, steps: int, size: int) -> list[World]:
    """What may be drawn in an epoch, each equally probable."""
    if way.startswith("shuffled"):
        orders = itertools.permutations(range(records))
        found = [
            tuple(tuple(sorted(o[t * size : (t + 1) * size])) for t in range(steps)) for o in orders
        ]
        counts = {each: found.count(each) for each in set(found)}
        assert len(set(counts.values())) == 1, "splits are not equally probable"
        return sorted(counts)
    if way == "fixed-order":
        return [tuple(tuple(range(records))[t * size : (t + 1) * size] for t in range(steps))]
    if way == "without-replacement":
        batches = itertools.combinations(range(records), size)
        return list(itertools.product(batches, repeat=steps))
    assert way.startswith("allocation")
    return [
        tuple(tuple(r for r in range(records) if of[r] == t) for t in range(steps))
        for of in itertools.product(range(steps), repeat=records)
    ]


def worlds_of(way: str, records: int, steps: int, size: int, epochs: int) -> list[World]:
    """What may be drawn in a run."""
    each = epochs_of(way, records, steps, size)
    if way.endswith("once") or way == "fixed-order":
        return [world * epochs for world in each]
    return [sum(run, ()) for run in itertools.product(each, repeat=epochs)]


def simulate(
    worlds: Sequence[World],
    adapt: Adapt,
    *,
    sigma: float,
    many: int,
    other: float,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """ln(Q/P) of runs in which the person speaks."""
    drawn = rng.integers(len(worlds), size=draws)
    outputs = np.zeros((draws, len(worlds[0])))
    logs = np.zeros((2, draws, len(worlds)))
    for step in range(len(worlds[0])):
        own = np.array([sum(r < many for r in world[step]) for world in worlds])
        others = np.array([sum(r >= many for r in world[step]) for world in worlds])
        favour = _log_mean(logs[0]) - _log_mean(logs[1])
        gradient = adapt(step, outputs[:, :step], favour)[:, None] * others
        means = gradient + own, gradient + own * other
        noise = rng.normal(scale=sigma, size=draws)
        outputs[:, step] = means[0][np.arange(draws), drawn] + noise
        for log, mean in zip(logs, means, strict=True):
            log -= (outputs[:, step, None] - mean) ** 2 / (2 * sigma**2)
    return _log_mean(logs[1]) - _log_mean(logs[0])


def _log_mean(logs: Floats) -> Floats:
    top = logs.max(axis=1)
    return top + np.log(np.exp(logs - top[:, None]).mean(axis=1))


def hockey_sticks(log_ratio: Floats, epsilon: float) -> dict[Direction, tuple[float, float]]:
    """H both ways, and five of its standard errors."""
    k = math.exp(epsilon)
    values = {
        Direction.REMOVE: np.maximum(1 - k * np.exp(log_ratio), 0),
        Direction.ADD: np.maximum(np.exp(log_ratio) - k, 0),
    }
    return {
        each: (float(v.mean()), 5 * float(v.std()) / math.sqrt(len(v)))
        for each, v in values.items()
    }
