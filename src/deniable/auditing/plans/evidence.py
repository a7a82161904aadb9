"""How much more likely published numbers are of one table than of its neighbour, exactly.

Noise is independent between parts, cells and bins, so the log ratios of their laws add up:

    ln Pr[y | D'] - ln Pr[y | D] = sum_j ln p(y_j - f_j(D')) - ln p(y_j - f_j(D)).
"""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.auditing.plans.published import Cells, PartNumbers
from deniable.mechanisms import DiscreteGaussian, Mechanism, NoisyTopK
from deniable.publish.statistics._units import Span
from deniable.publish.statistics.mean import Mean
from deniable.publish.statistics.protocol import SelectionPart, VectorPart
from deniable.publish.statistics.quantile import Quantile
from deniable.publish.statistics.top import Top

_MOST_OUTCOMES = 128
"""Ordered selections whose law is written out, about a second for exponential noise."""
_CERTAIN = 1e3
"""The log ratio, natural, that stands for an outcome that only one table can have in float64."""


def log_ratio(
    cells: Cells, published: NDArray[np.float64], out: PartNumbers, within: PartNumbers
) -> NDArray[np.float64]:
    """ln Pr[published | with the record] - ln Pr[published | without it], a number a run.

    Parameters
    ----------
    cells : Cells
        A query.
    published : ndarray of float, shape (runs, 2 x rows)
        What `Cells.signals` read.
    out, within : sequence of ndarray of int64
        Exact numbers of the two tables.
    """
    result = np.zeros(len(published))
    parts = zip(
        _recover_noisy(cells, published, out), cells.query.parts, cells.query.mechanisms,
        cells.numbers(out), cells.numbers(within), strict=True,
    )  # fmt: skip
    for noisy, part, mechanism, a, b in parts:
        if isinstance(part, VectorPart) and mechanism is not None:
            moved = np.nonzero(a != b)[0]
            result += np.nansum(_of_vector(mechanism, noisy[:, moved], a[moved], b[moved]), axis=1)
        elif isinstance(part, SelectionPart) and isinstance(mechanism, NoisyTopK):
            for cell in range(part.cells):
                result += _of_choice(mechanism, noisy[:, cell], a[cell], b[cell])
    return result


def _of_vector(
    mechanism: Mechanism, noisy: NDArray[np.float64], a: NDArray[np.int64], b: NDArray[np.int64]
) -> NDArray[np.float64]:
    if isinstance(mechanism, DiscreteGaussian):
        return ((noisy - a) ** 2 - (noisy - b) ** 2) / (2 * mechanism.scale**2)
    return (np.abs(noisy - a) - np.abs(noisy - b)) / mechanism.scale


def _of_choice(
    mechanism: NoisyTopK, positions: NDArray[np.float64], a: NDArray[np.int64], b: NDArray[np.int64]
) -> NDArray[np.float64]:
    """From both laws; of many outcomes the first choice's alone."""
    ranks = positions.astype(np.int64)
    if math.perm(len(a), mechanism.number) > _MOST_OUTCOMES:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.log(mechanism.round_law(b)) - np.log(mechanism.round_law(a))
        first: NDArray[np.float64] = np.nan_to_num(ratios, posinf=_CERTAIN, neginf=-_CERTAIN)
        return first[ranks[:, 0]]
    one, other = mechanism.law(a), mechanism.law(b)
    table = {each: float(np.log(other[each]) - np.log(one[each])) for each in one}
    return np.array([table.get(tuple(key), 0.0) for key in ranks.tolist()])


def _recover_noisy(
    cells: Cells, published: NDArray[np.float64], out: PartNumbers
) -> list[NDArray[np.float64]]:
    """What the noise gave, from what was published; NaN where clipping took it away."""
    statistic, kept = cells.query.query.statistic, len(cells.kept)
    values = published[:, ::2]
    match statistic:
        case Mean():
            return _of_mean(statistic, values, out, kept)
        case Quantile():
            grid = Span.of(statistic.bounds).grid
            points = np.array([grid.value(point) for point in statistic.points])
            return [np.searchsorted(points, values)[:, :, None].astype(np.float64)]
        case Top():
            return [values.reshape(len(values), kept, -1)]
        case _:
            parts = (part for part in cells.query.parts if isinstance(part, VectorPart))
            return [np.round(values[:, : part.coordinates] / part.step) for part in parts]


def _of_mean(
    statistic: Mean, values: NDArray[np.float64], out: PartNumbers, kept: int
) -> list[NDArray[np.float64]]:
    """Sum about the middle and count: value = (middle + sum / max(1, count)) step, clipped."""
    span = Span.of(statistic.bounds)
    if statistic.size_is_public:
        sizes = out[1][None, :kept].astype(np.float64)
        means, counts = values, np.broadcast_to(sizes, values.shape)
    else:
        means, counts = values[:, ::2], values[:, 1::2]
    sums = np.round((means / span.grid.step - span.middle) * np.maximum(counts, 1))
    low, high = statistic.bounds
    return [np.where((means > low) & (means < high), sums, np.nan), counts]
