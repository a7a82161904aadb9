"""Slow, obvious references for the crowd: every subset listed, densities integrated on a grid.

A release is Σ of the rows of a uniform n-subset plus N(0, σ²I), in one or two dimensions. Nothing
here comes from the package.
"""

import math

import numpy as np

from tests.oracles.population import epsilon_at as epsilon_at
from tests.oracles.population import hockey_stick, smallest_epsilon, sums


def laws(points, size: int, record: int, sigma: float):
    """Masses of the two worlds' laws on the cells of a fine grid."""
    points = np.asarray(points, float).reshape(len(points), -1)
    inside, outside = sums(points, size, record)
    both = np.concatenate([inside, outside])
    steps = 4001 if points.shape[1] == 1 else 241
    axes = [
        np.linspace(low - 7 * sigma, high + 7 * sigma, steps)
        for low, high in zip(both.min(axis=0), both.max(axis=0), strict=True)
    ]
    cell = math.prod(axis[1] - axis[0] for axis in axes)
    return tuple(mixture(centres, axes, sigma) * cell for centres in (inside, outside))


def mixture(centres, axes, sigma: float):
    """Density of an even mixture of normal laws on the product of the axes."""
    factors = [
        np.exp(-(((axis - centres[:, [i]]) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))
        for i, axis in enumerate(axes)
    ]
    if len(factors) == 1:
        return factors[0].mean(axis=0)
    return factors[0].T @ factors[1] / len(centres)


def population_epsilon(points, size: int, record: int, sigma: float, delta: float) -> float:
    """ε̃ of one record."""
    p, q = laws(points, size, record, sigma)
    return smallest_epsilon(p, q, delta)


def pairwise_divergence(points, record: int, sigma: float, epsilon: float) -> float:
    """Mean over x' of D between normal laws that differ by x − x' ([lowy-2024], Proposition 12)."""
    points = np.asarray(points, float).reshape(len(points), -1)
    shifts = np.linalg.norm(np.delete(points, record, axis=0) - points[record], axis=1) / sigma
    return float(np.mean([normal_divergence(shift, epsilon) for shift in shifts]))


def normal_divergence(shift: float, epsilon: float) -> float:
    """D_{e^ε} of N(shift, 1) from N(0, 1), by integration."""
    if shift == 0:
        return 0.0
    t = np.linspace(-9, 9 + shift, 20001)
    p, q = np.exp(-((t - shift) ** 2) / 2), np.exp(-(t**2) / 2)
    return hockey_stick(p, q, epsilon, (t[1] - t[0]) / math.sqrt(2 * math.pi))


def pairs_log_ratios(points, size: int, record: int, sigma, world, candidates, n_draws: int):
    """ln f_in/f_out of releases told with lists of pairs that do not look at the release.

    A pair is a uniform n-subset F of the others, and F with one of its members replaced by the
    record. World 0 draws the release from the first pair's subset with the record, 1 from F.
    """
    rng = np.random.default_rng(world)
    points = np.asarray(points, float).reshape(len(points), -1) / sigma
    others = np.delete(points, record, axis=0)
    orders = rng.random((n_draws, candidates, len(others))).argsort(axis=2)[:, :, :size]
    out = others[orders].sum(axis=2)
    centres = np.stack([out - others[orders[:, :, 0]] + points[record], out])
    releases = centres[world, :, 0] + rng.standard_normal((n_draws, points.shape[1]))
    densities = np.exp(-((releases[:, None] - centres) ** 2).sum(axis=3) / 2)
    total_in, total_out = densities.sum(axis=2)
    return np.log(total_in) - np.log(total_out)
