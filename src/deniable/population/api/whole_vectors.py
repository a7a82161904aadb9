r"""ε̃ of a sum of vectors of whole numbers, each coordinate with discrete noise of its own.

What is released is one vector, so that all coordinates are analysed together: guarantees of
single ones do not add up, because one sample is behind all of them.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.discrete_gaussian import DiscreteGaussian
from deniable.mechanisms.discrete_laplace import DiscreteLaplace
from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort
from deniable.population import swaps, type_sums, vector_sums
from deniable.population.api.engines import ENOUGH_RECORDS, FEW_TYPES
from deniable.population.api.real_noise import MOST_LOST, delta_increase
from deniable.population.api.whole_column import of_column
from deniable.population.api.whole_members import (
    ERROR,
    LOOKS,
    CertifiedBound,
    IntegerVectors,
    guess_factor,
    smallest,
)
from deniable.population.api.whole_swaps import by_swaps
from deniable.population.bounds import estimates, laplace_epsilon_of_exchanges
from deniable.population.question import Question, Summands, Types

__all__ = ["CertifiedBound", "IntegerVectors", "bound_vectors", "estimate_scale"]

_DRAWN = 2 * LOOKS
"""Bounds that draws give to a search at most, each with a share of that chance: where the types
miss the demand at a look, the crowd is asked too."""
_PAIRS = 4096
"""Different vectors up to which all pairs are looked at; of more, corners of cells."""
_OUTWARDS = 1 + 1e-12
"""Room for the rounding of distances and of sums of some thousand terms."""
_DISTANCES = 2**28
"""Distances of corners from members that are looked at: some seconds."""


def bound_vectors(
    data: IntegerVectors,
    scales: NDArray[np.float64],
    noise: type[DiscreteGaussian] | type[DiscreteLaplace],
    delta: float,
    demand: float,
    effort: Effort,
) -> CertifiedBound | None:
    """ε̃ at δ of the sum with independent noise of these scales, as far as it can be certified.

    Parameters
    ----------
    data : IntegerVectors
        What is summed.
    scales : array of float, shape (d,)
        Of the noise, in whole steps.
    noise : type
        `DiscreteGaussian`, which needs δ > 0, or `DiscreteLaplace`.
    delta : float
        In [0, 1).
    demand : float
        The ε̃ that is hoped for. A bound above it need not hold where real noise stands for whole
        noise, and is not given back then.
    effort : Effort
        Seed and time limit.

    Returns
    -------
    CertifiedBound or None
        None where nothing is certified.

    Examples
    --------
    >>> data = IntegerVectors([[0], [1]], [4, 2], 3)
    >>> found = bound_vectors(data, np.array([1.0]), DiscreteLaplace, 0.0, 1.0, Effort())
    >>> found.method, 0 < found.bound.upper < 1
    ('hypergeometric', True)
    """
    moving = np.ptp(data.values, axis=0) > 0
    if not moving.any():
        return CertifiedBound(Bound.exact(0.0), "constant")
    reduced, used = attrs.evolve(data, values=data.values[:, moving]), scales[moving]
    if len(used) == 1:
        return of_column(reduced, noise(float(used[0])), delta, demand, effort)
    if not delta:
        best = smallest(_pure_by_types(reduced, used, effort), _by_exchanges(reduced, used))
        if best is not None and best.bound.upper <= demand:
            return best
        return smallest(best, _by_outputs(reduced, used))
    best = _by_types(reduced, used, noise, delta, effort)
    if best is not None and best.bound.upper <= demand:
        return best
    swapped = by_swaps(reduced, used, delta, squares=noise is DiscreteGaussian)
    if swapped is not None and swapped.bound.upper <= demand:
        return swapped
    if noise is DiscreteLaplace:
        return smallest(best, swapped, _by_exchanges(reduced, used))
    crowd = None if _is_few(reduced) else _by_crowd(reduced, used, delta, demand, effort)
    return smallest(best, swapped, crowd)


def estimate_scale(
    data: IntegerVectors, scales: NDArray[np.float64], delta: float, demand: float
) -> float:
    """A factor of all scales at which normal approximation meets the demand; no bound.

    For Gaussian noise. 1.0 where it is met already.
    """
    moving = np.ptp(data.values, axis=0) > 0
    points = data.values[:, moving] / scales[moving]
    if _is_few(data):
        question = Question(Types(points, data.counts), data.size, delta)

        def guess(factor: float) -> float:
            return type_sums.estimate(question, Gaussian(factor))
    else:
        every = np.repeat(points, data.counts, axis=0)

        def guess(factor: float) -> float:
            return float(estimates(every, data.size, factor, delta).max())

    return guess_factor(guess, demand)


def _is_few(data: IntegerVectors) -> bool:
    return len(data.values) <= FEW_TYPES and data.population >= ENOUGH_RECORDS


def _by_types(
    data: IntegerVectors,
    scales: NDArray[np.float64],
    noise: type[DiscreteGaussian] | type[DiscreteLaplace],
    delta: float,
    effort: Effort,
) -> CertifiedBound | None:
    """Over how many of each type were drawn, with the whole noise itself."""
    if len(data.values) > FEW_TYPES:
        return None
    error = ERROR * delta
    types = Types(data.values.astype(np.float64), data.counts)
    sure = attrs.evolve(effort, confidence=1 - error / _DRAWN)
    question = Question(types, data.size, delta - error)
    record_bounds = type_sums.bracket(question, type_sums.ColumnNoise(noise, scales), sure)
    bound = record_bounds.maximum()
    drawn = bound.evidence is Evidence.CONFIDENCE
    return CertifiedBound(
        attrs.evolve(bound, lower=0.0), record_bounds.method, error if drawn else 0.0
    )


def _pure_by_types(
    data: IntegerVectors, scales: NDArray[np.float64], effort: Effort
) -> CertifiedBound | None:
    """Exactly, where every member is counted in one cell and the cells have one noise."""
    cells = data.values
    alone = ((cells == 0) | (cells == 1)).all() and (cells.sum(axis=1) == 1).all()
    if not alone or np.ptp(scales) or len(cells) > type_sums.MOST_TYPES:
        return None
    types = Types(cells.astype(np.float64), data.counts)
    question = Question(types, data.size, 0.0)
    record_bounds = type_sums.bracket(question, DiscreteLaplace(float(scales[0])), effort)
    return CertifiedBound(record_bounds.maximum(), record_bounds.method)


def _by_outputs(data: IntegerVectors, scales: NDArray[np.float64]) -> CertifiedBound | None:
    """Exactly, in a short list of few types."""
    bounds = type_sums.every_output(data.counts, data.size, data.values, scales)
    return None if bounds is None else CertifiedBound(_up_to(float(bounds[1].max())), "lattice")


def _up_to(upper: float) -> Bound:
    return Bound(0.0, upper, Evidence.ENCLOSURE)


def _by_crowd(
    data: IntegerVectors, scales: NDArray[np.float64], delta: float, demand: float, effort: Effort
) -> CertifiedBound | None:
    """By draws, in units of the noise; None where the noise is too coarse or the demand missed."""
    share = delta_increase(scales, DiscreteGaussian, demand)
    if share > MOST_LOST * delta:
        return None
    error = ERROR * delta
    question = Question(Summands(data.every() / scales), data.size, delta - error - share)
    sure = attrs.evolve(effort, confidence=1 - error / _DRAWN)
    # Quotients are rounded to nearest: a little less noise pays for it.
    record_bounds = vector_sums.bracket(question, Gaussian(1 - 1e-12), sure)
    bound = record_bounds.maximum()
    if bound.upper > demand:
        return None
    return CertifiedBound(attrs.evolve(bound, lower=0.0), record_bounds.method, error)


def _by_exchanges(data: IntegerVectors, scales: NDArray[np.float64]) -> CertifiedBound | None:
    """Pure ε̃ under Laplace noise: an exchange moves ln of the density by the L1 distance."""
    if len(data.values) > _PAIRS:
        return _by_corners(data, scales)
    distances = np.zeros((len(data.values),) * 2)
    for column in (data.values / scales).T:
        distances += np.abs(column[:, None] - column) * _OUTWARDS
    worst = float(type_sums.exchanged(distances, data.counts, data.size).max())
    return CertifiedBound(_up_to(worst * _OUTWARDS), "exchanges")


def _by_corners(data: IntegerVectors, scales: NDArray[np.float64]) -> CertifiedBound | None:
    """The same where there are too many pairs, from members who would be more extreme."""
    at = swaps.corners(data.values, data.counts)
    if at is None or len(at) * len(data.values) > _DISTANCES:
        return None
    most = laplace_epsilon_of_exchanges(at / scales, data.values / scales, data.counts, data.size)
    return CertifiedBound(_up_to(most), "exchanges")
