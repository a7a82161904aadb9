r"""δ = 0 in a short list: every vector of counts, every choice, and sums where they bend.

With discrete Laplace noise of scale s on a sum y, between two neighbouring values of the sum
without noise both laws of a release are A e^(y/s) + B e^(−y/s), so that their quotient is monotone
there, and beyond all values it is constant. So the largest quotient over all y is at some vector of
values that the sums without noise have, column by column, however fine their grid.
"""

import math
from collections.abc import Sequence

import numpy as np

from deniable.numerics.time_limit import check
from deniable.population.question import Floats
from deniable.population.type_sums.counts import CountTables, Ints
from deniable.population.type_sums.selected import NOTHING_SELECTED, Selected

_VECTORS = 60_000
"""Vectors of counts at most."""
_TYPES = 18
"""Types at most: of one record each they have up to 48,620 vectors of counts."""
_CELLS = 10_000_000
"""Outputs times laws that are held at most: 80 MB."""
_WORK = 2e9
"""Multiplications at most: a few seconds."""
_RANGE = 600.0
"""ln of the largest term over the least: nothing may vanish in float64."""
_ERROR = 1e-10
"""Relative error of sums of up to 10^5 positive terms, each right to 10^-12."""


def enclose(
    counts: Ints,
    size: int,
    values: Ints,
    scales: Floats,
    selected: Selected = NOTHING_SELECTED,
) -> tuple[Floats, Floats] | None:
    """Lower and upper bounds of ε̃ for a record of each type; None where that is too much work.

    Parameters
    ----------
    counts : int array, shape (n_types,)
        How many records of each type there are, at least 1.
    size : int
        n.
    values : int array, shape (n_types, n_columns)
        What each adds to the sums.
    scales : float array, shape (n_columns,)
        Of discrete Laplace noise on the sums.
    selected : Selected
        What is chosen beside them.

    Examples
    --------
    >>> counts, values = np.array([2, 3]), np.array([[0], [1]])
    >>> low, high = enclose(counts, 2, values, np.array([2.0]))
    >>> bool(np.all(high - low < 1e-9)), high.round(4).tolist()
    (True, [0.3845, 0.2607])
    """
    if len(counts) > _TYPES:
        return None
    tables = CountTables.of(counts, size)
    vectors, outcomes = _every_vector(tables), selected.outcomes()
    if vectors is None or outcomes is None:
        return None
    # W of each vector and choice, (n_choices, n_vectors).
    logs = tables.log_weight(vectors) + selected.log_prob(vectors[None], outcomes)
    logs = np.atleast_2d(logs)
    centres = vectors @ values
    axes = [np.unique(column) for column in centres.T]
    reach = sum(float(np.ptp(a)) / s for a, s in zip(axes, scales, strict=True))
    outputs = math.prod(map(len, axes))
    cells = 2.0 * len(counts) * len(logs) * outputs
    if float(np.ptp(logs)) + reach > _RANGE or cells > _CELLS:
        return None
    if cells * sum(map(len, axes)) > _WORK:
        return None
    places = [np.searchsorted(a, column) for a, column in zip(axes, centres.T, strict=True)]
    at = np.ravel_multi_index(places, [len(a) for a in axes]) if axes else np.zeros(len(vectors))
    kernels = [np.exp(-np.abs(a[:, None] - a) / s) for a, s in zip(axes, scales, strict=True)]
    weights = np.exp(logs - logs.max())
    return _epsilon_bounds(weights, vectors, counts, size, at.astype(np.int64), kernels)


def _every_vector(tables: CountTables) -> Ints | None:
    """All vectors of counts; None where there are too many, or windows leave some out."""
    for first, logs, many in zip(tables.first, tables.logs, tables.counts, strict=True):
        least = max(0, tables.size - (tables.population - int(many)))
        if first != least or first + len(logs) - 1 != min(int(many), tables.size):
            return None
    return tables.vectors(_VECTORS)


def _epsilon_bounds(
    weights: Floats,
    vectors: Ints,
    counts: Ints,
    size: int,
    at: Ints,
    kernels: Sequence[Floats],
) -> tuple[Floats, Floats]:
    """From ln p_in/p_out at every output."""
    shape = [len(kernel) for kernel in kernels]
    outputs, everyone = math.prod(shape), int(counts.sum())
    even = math.log(everyone - size) - math.log(size)
    epsilons = np.zeros(len(counts))
    for kind, many in enumerate(counts):
        # p_in ∝ Σ W C_t φ/n and p_out ∝ Σ W (N_t − C_t) φ/(N − n)
        members = vectors[:, kind]
        for row in weights:
            check()
            inside, outside = (
                _noisy(np.asarray(np.bincount(at, row * some, outputs), float), kernels, shape)
                for some in (members, many - members)
            )
            ratios = np.log(inside) - np.log(outside) + even
            epsilons[kind] = max(epsilons[kind], float(np.abs(ratios).max()))
    slack = _ERROR + 1e-14 * (abs(even) + epsilons)
    return np.maximum(epsilons - slack, 0.0), epsilons + slack


def _noisy(sums: Floats, kernels: Sequence[Floats], shape: Sequence[int]) -> Floats:
    """A law of the sums, with noise on each column."""
    law = sums.reshape(shape)
    for axis, kernel in enumerate(kernels):
        law = np.moveaxis(np.tensordot(kernel, law, axes=(1, axis)), 0, axis)
    return law
