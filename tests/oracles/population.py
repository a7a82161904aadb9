"""Population privacy by its definition: every sample listed, every density integrated.

Slow and obvious on purpose; shares no code with the library.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from tests.oracles.samples import samples


def sums(values, size, record):
    """Sums of all samples with the record, and of all without; arrays of rows."""
    rows = np.asarray(values, float).reshape(len(values), -1)
    return tuple(
        np.array([rows[list(members)].sum(axis=0) for members in some])
        for some in samples(len(rows), size, record)
    )


def hockey_stick(p, q, epsilon, weights=1.0):
    """The integral of max(p − e^ε q, 0)."""
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0) * weights))


def epsilon_at(p, q, delta, weights=1.0, most=60.0):
    """The least ε >= 0 with the hockey stick of p over q at most δ."""

    def excess(epsilon):
        return hockey_stick(p, q, epsilon, weights) - delta

    return 0.0 if excess(0.0) <= 0 else brentq(excess, 0.0, most, xtol=1e-12)


def smallest_epsilon(p, q, delta, weights=1.0, most=60.0):
    """The least ε >= 0 with both hockey sticks at most δ."""
    return max(epsilon_at(a, b, delta, weights, most) for a, b in ((p, q), (q, p)))


def grid_laws(values, size, record, log_density, step, reach):
    """Densities of the noisy sum given the record in and out on a grid, and the cell weight.

    Of one or two columns.
    """
    inside, outside = sums(values, size, record)
    columns = inside.shape[1]
    every = np.concatenate([inside, outside])
    axes = [
        np.arange(every[:, j].min() - reach, every[:, j].max() + reach, step)
        for j in range(columns)
    ]
    laws = []
    for centres in (inside, outside):
        density = np.zeros([len(axis) for axis in axes])
        for some in np.array_split(centres, len(centres) // 100 + 1):
            # Columns have noises of their own, so a density is a product of theirs.
            factors = []
            for j, axis in enumerate(axes):
                apart = np.zeros((len(some), len(axis), columns))
                apart[..., j] = axis - some[:, j : j + 1]
                factors.append(np.exp(log_density(apart)[..., j]))
            density += factors[0].sum(axis=0) if columns == 1 else factors[0].T @ factors[1]
        laws.append(density.ravel() / len(centres))
    return laws[0], laws[1], step**columns


def gaussian_epsilon(values, size, sigma, delta, record, step=None):
    """ε̃ of a sum with Gaussian noise; one or two columns."""

    def log_density(x):
        return -((x / sigma) ** 2) / 2 - math.log(sigma * math.sqrt(2 * math.pi))

    p, q, weight = grid_laws(values, size, record, log_density, step or sigma / 40, 8 * sigma)
    return smallest_epsilon(p, q, delta, weight)


def laplace_epsilon(values, size, scale, record, points=400_001):
    """sup |ln p/q| of a sum of one column with Laplace noise, on a fine grid and in the tails."""
    inside, outside = (each[:, 0] for each in sums(values, size, record))
    every = np.concatenate([inside, outside])
    t = np.linspace(every.min() - scale, every.max() + scale, points)
    t = np.concatenate([t, every])
    best = 0.0
    for some in np.array_split(t, 200):
        logs = [
            np.log(np.exp(-np.abs(some[:, None] - centres) / scale).mean(axis=1))
            for centres in (inside, outside)
        ]
        best = max(best, float(np.abs(logs[0] - logs[1]).max()))
    return best


def whole_epsilon(values, size, log_pmf, delta, record, reach):
    """ε̃ of a sum of whole numbers with whole noise; δ = 0: the supremum within reach."""
    inside, outside = (each[:, 0] for each in sums(values, size, record))
    every = np.concatenate([inside, outside])
    k = np.arange(every.min() - reach, every.max() + reach + 1)
    p, q = (np.exp(log_pmf(k[:, None] - c)).mean(axis=1) for c in (inside, outside))
    if delta == 0:
        return float(np.abs(np.log(p) - np.log(q)).max())
    return smallest_epsilon(p, q, delta, 1.0, most=600.0)


def exponential_epsilon(values, candidates, size, epsilon, clip, record):
    """ε̃ of the exponential mechanism on the geometric median."""
    rows = [np.asarray(x, float) for x in values]
    rows = [x * min(1.0, clip / max(np.linalg.norm(x), 1e-300)) for x in rows]
    reach = (max(np.linalg.norm(w) for w in candidates) + clip) / size

    def law(members):
        loss = np.array(
            [np.mean([np.linalg.norm(w - rows[i]) for i in members]) for w in candidates]
        )
        weight = np.exp(-epsilon * loss / (2 * reach))
        return weight / weight.sum()

    p, q = (
        np.mean([law(members) for members in some], axis=0)
        for some in samples(len(rows), size, record)
    )
    return float(np.abs(np.log(p / q)).max())


def gaussian_curve(epsilon, distance):
    """The hockey stick of two unit normal laws, by integration."""
    t = np.arange(-12.0, 12.0 + distance, 1e-4)
    p = np.exp(-((t - distance) ** 2) / 2) / math.sqrt(2 * math.pi)
    q = np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    return hockey_stick(p, q, epsilon, 1e-4)


def pairwise_epsilon(values, sigma, delta, record):
    """Proposition 12 of lowy-2024, term by term."""
    rows = np.asarray(values, float)
    rows = rows[:, None] if rows.ndim == 1 else rows
    others = [i for i in range(len(rows)) if i != record]
    distances = [np.linalg.norm(rows[record] - rows[i]) / sigma for i in others]

    def mean(epsilon):
        terms = [
            ndtr(m / 2 - epsilon / m) - math.exp(epsilon + log_ndtr(-m / 2 - epsilon / m))
            for m in distances
            if m > 0
        ]
        return sum(terms) / len(others)

    if mean(0.0) <= delta:
        return 0.0
    most = 1.0
    while mean(most) > delta:
        most *= 2
    return brentq(lambda e: mean(e) - delta, 0.0, most, xtol=1e-13)


def best_success(p, q, prior):
    """What the best attacker reaches who sees one output of two laws on finitely many."""
    return float(np.maximum(prior * np.asarray(p), (1 - prior) * np.asarray(q)).sum())
