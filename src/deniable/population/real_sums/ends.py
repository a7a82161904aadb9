"""Interval of ε̃ for a chunk of targets: from transforms to densities to certified ends."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.parallel import Arrays
from deniable.numerics.time_limit import check
from deniable.population.real_sums.densities import (
    fourth_derivative,
    grid_points,
    law,
)
from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.nodes import Nodes
from deniable.population.real_sums.population import Population
from deniable.population.real_sums.smallest_epsilon import Deltas, smallest_weights
from deniable.population.real_sums.subset_sums import Chunk, transforms

_CELLS = 1 << 17
"""Grid points of all rows that are worked on at once: a megabyte an array, about a cache."""
_PART = 1e7
"""Nanoseconds of a part: two densities and some ten hockey sticks on its points. Nominal."""
_COARSE = 1e-7
"""Share of δ that interpolation may cost at first."""
_FINER = 1e-4
"""Factor on that from one attempt to the next; η falls by ten, as the error goes with η⁴."""
_ATTEMPTS = 3
"""Grids that are tried: 1e-7, 1e-11 and 1e-15 of δ."""
_CLOSE = 1e-6
"""Relative width of ε̃, or absolute below 1, with which to be content."""
_MOST = 1 << 18
"""Largest number of grid points; at so many, rounding of the transform is as large as
interpolation."""
_LOG_ERROR = 1e-15
"""Relative error of a logarithm, nine units, with room."""


@attrs.frozen(eq=False)
class Work:
    """What one part of the work needs, and nothing else.

    Parameters
    ----------
    population, kernel, nodes, chunk
        The parent set, the noise, where to integrate, and the targets of this part.
    deltas : Deltas
        The δ to meet.
    floor : float
        e^ε that records may keep to without being looked at closer, >= 1.
    """

    population: Population
    kernel: Kernel
    nodes: Nodes
    chunk: Chunk
    deltas: Deltas
    floor: float


def bound_chunk(work: Work) -> Arrays:
    """Lower and upper bounds of ε̃ for every target of the chunk; upper may be infinite."""
    scales = work.population.chances()
    noise = np.exp(work.kernel.log_characteristic(work.nodes.theta))
    inside, outside = (
        each * noise for each in transforms(work.population, work.nodes, work.chunk, scales)
    )
    lower, upper = np.zeros(len(inside)), np.full(len(inside), np.inf)
    left, tolerance = np.arange(len(inside)), _tolerance(work.deltas) / work.floor
    for _ in range(_ATTEMPTS):
        tolerance = max(tolerance, work.nodes.errors)
        for part in _parts(work.nodes, inside, outside, left, tolerance):
            check(_PART)
            interval = _interval(work, inside[part], outside[part], tolerance)
            lower[part] = np.maximum(lower[part], interval[0])
            upper[part] = np.minimum(upper[part], interval[1])
        gap = upper[left] - lower[left]
        rough = np.isinf(gap) | (gap > _gap(work.deltas) * np.maximum(lower[left], 1.0))
        rough &= upper[left] > _log(work.floor)
        left = left[rough]
        if not left.size or tolerance <= work.nodes.errors:
            break
        tolerance *= _FINER
    return {"lower": lower, "upper": upper}


def _tolerance(deltas: Deltas) -> float:
    """What interpolation may cost at first: little, or a tenth of what smoothing costs."""
    return max(_COARSE * deltas.keep, (deltas.exceed - deltas.keep) / 10)


def _gap(deltas: Deltas) -> float:
    """Relative width with which to be content; infinite where a finer grid cannot help."""
    return _CLOSE if deltas.exceed == deltas.keep else math.inf


def _log(weight: float) -> float:
    return math.log(weight) * (1 + _LOG_ERROR)


def _points(nodes: Nodes, transforms: tuple[NDArray[np.complex128], ...], tolerance: float) -> int:
    bend = max(float(fourth_derivative(nodes, each).max()) for each in transforms)
    return grid_points(nodes, bend, tolerance, _MOST)


def _parts(
    nodes: Nodes,
    inside: NDArray[np.complex128],
    outside: NDArray[np.complex128],
    rows: NDArray[np.int64],
    tolerance: float,
) -> list[NDArray[np.int64]]:
    points = _points(nodes, (inside[rows], outside[rows]), tolerance)
    many = max(1, _CELLS // points)
    return [rows[i : i + many] for i in range(0, len(rows), many)]


def _interval(
    work: Work,
    inside: NDArray[np.complex128],
    outside: NDArray[np.complex128],
    tolerance: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    points = _points(work.nodes, (inside, outside), tolerance)
    p, q = law(work.nodes, inside, points), law(work.nodes, outside, points)
    lower, upper = smallest_weights(p, q, work.deltas, work.floor)
    return np.log(lower) * (1 - _LOG_ERROR), np.log(upper) * (1 + _LOG_ERROR)
