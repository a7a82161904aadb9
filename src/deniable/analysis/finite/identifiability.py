"""Differential identifiability: how sure an adversary gets which of m worlds is the true one.

A world set is a subset T' with one more entity i, any of the m = n − |T'| others, all equally
likely before (lee-clifton-2012). ρ is the largest posterior of a world.
"""

from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.analysis.finite.neighbours import filled, sizes, whole_sizes
from deniable.analysis.finite.witness import Gamma, certain, described
from deniable.mechanisms.stochastic_matrix import StochasticMatrix


@attrs.frozen
class Worlds:
    """For each T' and output: the likelihood that stands out among the worlds, and all others'.

    Parameters
    ----------
    standing_out, rest : ndarray of float, shape (2**n, n_outputs)
        The largest (or smallest) likelihood of a world, and the sum of the others'.
    count : ndarray of int, shape (2**n,)
        How many worlds there are; 0 where T' leaves fewer than two or a law is not known.
    """

    standing_out: NDArray[np.float64]
    rest: NDArray[np.float64]
    count: NDArray[np.int64]


def identifiability(matrix: StochasticMatrix) -> Mapping[int, float]:
    """ρ for each number of worlds m >= 2 whose laws are known; empty where there is none.

    References
    ----------
    lee-clifton-2012, Definition 3.

    Examples
    --------
    >>> from deniable.universe import Universe
    >>> which = StochasticMatrix(
    ...     Universe(("a", "b")), ("x", "y"), [[0.5, 0.5], [0.9, 0.1], [0.1, 0.9], [0.5, 0.5]]
    ... )
    >>> identifiability(which)
    {2: 0.9}
    """
    found = worlds(matrix, largest=True)
    with np.errstate(invalid="ignore"):
        posterior = found.standing_out / (found.standing_out + found.rest)
    peaks = np.nan_to_num(posterior, nan=0.0).max(axis=1)
    return {int(m): float(peaks[found.count == m].max()) for m in np.unique(found.count) if m > 0}


def worlds(matrix: StochasticMatrix, *, largest: bool) -> Worlds:
    """Run over the entities once; nothing is got by subtraction."""
    table, n = filled(matrix), matrix.universe.size
    best = np.full(table.shape, -np.inf if largest else np.inf)
    rest = np.zeros(table.shape)
    for entity in range(n):
        shape = (-1, 2, 1 << entity, table.shape[1])
        likelihood = table.reshape(shape)[:, 1]
        top, others = best.reshape(shape)[:, 0], rest.reshape(shape)[:, 0]
        beaten = np.minimum(top, likelihood) if largest else np.maximum(top, likelihood)
        others += np.where(np.isinf(beaten), 0.0, beaten)
        (np.maximum if largest else np.minimum)(top, likelihood, out=top)
    held = sizes(n)
    whole = np.isin(held + 1, whole_sizes(matrix))
    return Worlds(best, rest, np.where(whole & (n - held >= 2), n - held, 0))


def positive_gamma(matrix: StochasticMatrix) -> Gamma | None:
    r"""The least γ of positive membership among m equally likely worlds, every T' and m >= 2.

    .. math:: \gamma = \max\left(m\rho,\; \frac{m - 1}{m(1 - \rho)}\right)

    for the largest posterior ρ of every world set. None where no world set's laws are known.
    """
    found = worlds(matrix, largest=True)
    m = found.count[:, None]
    top, rest = found.standing_out, found.rest
    with np.errstate(invalid="ignore", divide="ignore"):
        up = m * top / (top + rest)
        down = (top + rest) * (m - 1) / (m * rest)
    return _worst(matrix, found, np.fmax(up, down))


def negative_gamma(matrix: StochasticMatrix) -> Gamma | None:
    """The least γ of negative membership among m equally likely worlds, every T' and m >= 2."""
    found = worlds(matrix, largest=False)
    m = found.count[:, None]
    low, rest = found.standing_out, found.rest
    with np.errstate(invalid="ignore", divide="ignore"):
        up = m * rest / ((m - 1) * (low + rest))
        down = (low + rest) / (m * low)
    return _worst(matrix, found, np.fmax(up, down))


def _worst(matrix: StochasticMatrix, found: Worlds, gammas: NDArray[np.float64]) -> Gamma | None:
    if not found.count.any():
        return None
    gammas = np.where(found.count[:, None] > 0, np.nan_to_num(gammas, nan=1.0, posinf=np.inf), 0.0)
    row, output = (int(i) for i in np.unravel_index(np.argmax(gammas), gammas.shape))
    others = [i for i in range(matrix.universe.size) if not row >> i & 1]
    value = float(found.standing_out[row, output])
    entity = next(i for i in others if matrix.rows[row | 1 << i, output] == value)
    prior = {row | 1 << i: 1 / len(others) for i in others}
    return certain(float(gammas[row, output]), described(matrix, entity, output, prior))
