r"""The mixture bound: a sample with x against the same with anybody else in its place, all at once.

Tell the adversary the n − 1 others E. With x in, the release is normal around ΣE + x; with x out it
is the mean of the normal laws around ΣE + y over the r = N − n records y that are left, R. By
Jensen's inequality the mean of e^(−loss) over R is at least e^(−mean loss), and the mean loss is
normal in the noise: with ȳ_R the mean of R,

.. math:: D_{e^\epsilon}(P_{in} \| P_{out}) \le E_R\, \delta\left(\epsilon - v_R;
          \|x - \bar y_R\| / \sigma\right), \qquad
          v_R = \frac{1}{2 r \sigma^2} \sum_{y \in R} \|y - \bar y_R\|^2.

Proposition 12 has the mean of δ(ε; ‖x − y‖/σ), which the farthest y decides where δ is small. The
other direction is the same with r = n: tell D ∪ x, and R is D. R is a uniform subset, whose means
are near those of all by Bernstein's inequality, at several probabilities p at once.
"""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.numerics.search import bisect_each
from deniable.population.bounds.gaussian_curve import delta_upper

_LEVELS = (0.5, 0.2, 0.05, 0.01)
"""Probabilities with which R may be farther off than each layer says; powers of 0.1 follow."""
_REST = 0.01
"""Share of δ for an R that is farther off than any layer says."""
_OUTWARDS = 1 + 1e-12
"""Room for rounding of sums of some million terms."""
_MEAN = 1e-14
"""Relative error of a mean of up to some million numbers, summed in pairs."""
_MANY, _RINGS = 5_000, 500
"""Records beyond which the bound is computed at so many distances from the mean, rounded up."""
_HALVINGS = 50
"""Of the interval of ε: to 2^−50 of it."""


def mixture_bounds(
    values: NDArray[np.float64], size: int, sigma: float, delta: float
) -> NDArray[np.float64]:
    """An upper bound on ε̃ of every record, for Gaussian noise on the sum of a sample.

    Parameters
    ----------
    values : array of float, shape (n_records, n_columns)
        The parent set.
    size : int
        n.
    sigma : float
        Standard deviation of the noise on the sum, > 0.
    delta : float
        In (0, 1).

    Returns
    -------
    array of float, shape (n_records,)
        Rounded up; ≥ 0.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(400, 5))
    >>> bool(mixture_bounds(rows, 200, 4.0, 1e-5).max() < 5.5)  # Proposition 12 gives 6.7
    True
    """
    centred = (values - values.mean(axis=0)) / sigma
    others = len(values) - 1
    # x − ȳ = (x − mean of all) N/(N − 1); the mean is known to some units of the largest number.
    unsure = float(np.abs(values).max()) / sigma * _MEAN
    lengths: NDArray[np.float64] = np.linalg.norm(centred, axis=1)
    distances = lengths * (len(values) / others) + unsure
    spread = centred.T @ centred / others
    if len(values) > _MANY:
        # The bound grows with the distance, and with the variance along x.
        width = max(float(distances.max()) / _RINGS * _OUTWARDS, 1e-300)
        ring = np.clip(np.ceil(distances / width * _OUTWARDS), 0, _RINGS).astype(np.int64)
        along = np.full(_RINGS + 1, float(np.linalg.eigvalsh(spread)[-1]) * (1 + 1e-9), np.float64)
        radii = np.arange(_RINGS + 1, dtype=np.float64) * width * _OUTWARDS
        result: NDArray[np.float64] = _least(*_layers(centred, size, delta, radii, along), delta)
        return result[ring]
    squares = np.einsum("ij,jk,ik->i", centred, spread, centred)
    along = squares / np.maximum((centred**2).sum(axis=1), 1e-300) * (1 + 1e-9)
    return _least(*_layers(centred, size, delta, distances, along), delta)


def _layers(
    centred: NDArray[np.float64],
    size: int,
    delta: float,
    distances: NDArray[np.float64],
    along: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Weights (levels,), v (levels,), ‖x − ȳ_R‖ (levels, n_distances): what R may be at most."""
    population, columns = centred.shape
    others, n_sampled = population - 1, min(size, population - size)
    rest = [level for k in range(3, 310) if (level := 10.0**-k) > _REST * delta]
    chances = np.array([*_LEVELS, *rest, _REST * delta])
    # 2d + 2 events: v, the mean along x, and both sides of every axis.
    logs = np.log((2 * columns + 2) / chances)[:, None]
    lengths = (centred**2).sum(axis=1)
    farthest = math.sqrt(float(lengths.max())) * (1 + 1 / others)
    mean, variance = lengths.sum() / others, ((lengths - lengths.mean()) ** 2).sum() / others
    # ‖y − ȳ_R‖² is smallest around ȳ_R: around the mean of all it is at least as large.
    v = (mean + _bernstein(variance, float(lengths.max()), n_sampled, logs)[:, 0]) / 2 * _OUTWARDS
    axes = (centred**2).sum(axis=0) / others
    aside = (_bernstein(axes, farthest, n_sampled, logs) ** 2).sum(axis=1, keepdims=True)
    towards = distances + _bernstein(along, farthest, n_sampled, logs)
    weights = -np.diff(np.concatenate([[1.0], chances]))
    return weights, v, np.sqrt(towards**2 + aside) * _OUTWARDS


def _bernstein(
    variance: NDArray[np.float64] | float, largest: float, n_sampled: int, logs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What a mean of `n_sampled` exceeds with probability <= e^−logs; no replacement needed."""
    # r s²/(2 (v + b s/3)) = L, solved for s.
    half = largest * logs / (3 * n_sampled)
    return np.asarray(half + np.sqrt(half**2 + 2 * variance * logs / n_sampled)) * _OUTWARDS


def _least(
    weights: NDArray[np.float64],
    v: NDArray[np.float64],
    distances: NDArray[np.float64],
    delta: float,
) -> NDArray[np.float64]:
    """The least ε at which the layers' mean keeps to what is left of δ, for every distance."""
    allowed = delta * (1 - _REST) * (1 - 1e-9)

    def excess(epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
        off = epsilon - v[:, None]
        curves = np.where(off >= 0, delta_upper(np.maximum(off, 0), distances), 1.0)
        return np.asarray(weights @ curves)

    far = distances[-1]
    low = np.zeros_like(far)
    high = v[-1] + far**2 / 2 + far * math.sqrt(-2 * math.log(allowed)) + 1e-9
    _, high = bisect_each(lambda e: excess(e) > allowed, low, high, halvings=_HALVINGS)
    return np.where(excess(high) <= allowed, high * _OUTWARDS, np.inf)
