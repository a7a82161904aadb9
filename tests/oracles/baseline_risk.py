"""The best attack on a secret with few values, by listing: nothing here comes from the package.

Mechanisms are arrays (…, values, outputs) of output laws, one a value of the secret; leading axes
are many mechanisms at once.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Floats = NDArray[np.float64]
Names = Sequence[tuple[int, ...]]


def names(prior: Floats, weight: float) -> Iterator[tuple[int, ...]]:
    """All sets of values that weigh at most that much."""
    for size in range(len(prior) + 1):
        for each in itertools.combinations(range(len(prior)), size):
            if math.fsum(prior[list(each)]) <= weight:
                yield each


def success(prior: Floats, rows: Floats, sets: Names) -> Floats:
    """How often the secret is in the set that is named, each output naming its best set."""
    joint = prior[:, None] * rows
    inside = np.array([[value in each for value in range(len(prior))] for each in sets], float)
    return (inside @ joint).max(axis=-2).sum(axis=-1)


def pairs(rows: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Output laws of two different values, both ways round."""
    for one, other in itertools.permutations(range(rows.shape[-2]), 2):
        yield rows[..., one, :], rows[..., other, :]


def delta(p: Floats, q: Floats, epsilon: Floats) -> Floats:
    """The least δ with p(S) <= e^ε q(S) + δ for all S."""
    return np.clip(p - np.exp(np.asarray(epsilon))[..., None] * q, 0, None).sum(axis=-1)


def loss(p: Floats, q: Floats) -> Floats:
    """The largest ln p/q."""
    return np.log((p / q).max(axis=-1))


def shift(p: Floats, q: Floats) -> Floats:
    """The least μ for which telling the laws apart is no easier than N(0, 1) from N(μ, 1)."""
    order = np.argsort(-p / q, axis=-1)
    power = np.cumsum(np.take_along_axis(p, order, -1), axis=-1)[..., :-1]
    level = np.cumsum(np.take_along_axis(q, order, -1), axis=-1)[..., :-1]
    return (ndtri(power) - ndtri(level)).max(axis=-1)


ORDERS = 1 + np.logspace(-4, 3, 60)


def concentration(p: Floats, q: Floats) -> Floats:
    """The largest D_α(p‖q)/α over many orders: ρ, from below by next to nothing."""
    log_p, log_q = np.log(p), np.log(q)
    rates = [
        np.logaddexp.reduce(a * log_p + (1 - a) * log_q, axis=-1) / (a - 1) / a for a in ORDERS
    ]
    return np.max(rates, axis=0)


def marked(values: int, size: int, chance: float) -> Floats:
    """The output is a set of so many values, uniform among those with the secret in it (with that
    chance), else among those without."""
    sets = list(itertools.combinations(range(values), size))
    inside = np.array([[value in each for each in sets] for value in range(values)], float)
    with_it = inside / inside.sum(axis=1, keepdims=True)
    without = (1 - inside) / (1 - inside).sum(axis=1, keepdims=True)
    return chance * with_it + (1 - chance) * without
