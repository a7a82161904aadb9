"""δ = 0: every output of a short list, and exchanges of types in any list."""

import math

import numpy as np

from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.effort import check
from deniable.numerics.rounding import UNIT
from deniable.population.integer_sums import one_and_zero
from deniable.population.question import Floats, Ints, Ones
from deniable.population.type_sums.counts import CountTables
from deniable.population.type_sums.noise import NOTHING_SELECTED, Selected

# --- δ = 0: whatever is released, from how much an exchange of two types moves its likelihood.
#
# Let d(t, b) bound how far ln of the likelihood moves when a record of type b makes room for one of
# type t, and W(c) be its mean at C_t = c. Then W(c + 1) <= W(c) A(c), A(c) the largest mean of
# e^{d(t, b)} over n − c of the other members, and likewise downwards; P_in/P_out is largest at
# W = Π A, whose quotient to any other W rises with c.

_LISTED = 10_000  # Counts up to which each has a factor of its own; beyond, the largest
_STEEPEST = 500.0  # d up to which e^d is a float with room to spare; more protects nobody
_OUTWARDS = 1 + 1e-11  # For rounding of sums of some 10^4 positive terms, and logarithms


def exchanged(distances: Floats, counts: Ints, size: int) -> Floats:
    """Upper bounds of ε̃ for a record of each type at δ = 0; shape (n_types,).

    The distances d (n_types, n_types) are rounded up, the same both ways and at least 0.

    >>> far = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> exchanged(far, np.array([1, 5]), 3).round(4).tolist()
    [1.0, 0.1854]
    """
    bounds = np.zeros(len(counts))
    for kind, row in enumerate(distances):
        check()
        others = np.delete(row, kind), np.delete(counts, kind)
        if others[0].max(initial=0.0) > _STEEPEST:
            bounds[kind] = math.inf
        elif others[0].any():
            bounds[kind] = _upper_bound(int(counts[kind]), *others, size)
    return bounds


def _upper_bound(own: int, distances: Floats, counts: Ints, size: int) -> float:
    others = int(counts.sum())
    least, most = max(0, size - others), min(own, size)
    if most - least > _LISTED:
        alike = DiscreteLaplace(1 / float(distances.max()) / _OUTWARDS)
        return float(one_and_zero(Ones(own, own + others), size, alike, 0.0)[1][0])
    c = np.arange(least, most)
    order = np.argsort(-distances, kind="stable")
    far = distances[order], counts[order]
    up = _largest_averages(*far, size - c)
    down = _largest_averages(*far, others - size + c + 1)
    # ln h(c + 1)/h(c)
    law = np.log((own - c) / (c + 1.0)) + np.log((size - c) / (others - size + c + 1.0))
    even = math.log(own + others - size) - math.log(size)
    rising, falling = (_log_ratio(law + steps, least, own) for steps in (up, -down))
    bounds = rising[0] + even + rising[1], falling[1] - falling[0] - even
    return max(*bounds, 0.0) + 8 * UNIT * abs(even)


def _largest_averages(distances: Floats, counts: Ints, many: Ints) -> Floats:
    """ln of the largest mean of e^d over so many members, distances falling; (n,) -> (n,)."""
    reached = np.concatenate([[0], np.cumsum(counts)])
    sums = np.concatenate([[0.0], np.cumsum(counts * np.exp(distances))])
    mean = np.interp(many, reached, sums) / many
    return np.asarray(np.minimum(np.log(mean) * _OUTWARDS + UNIT * 1e3, distances[0] * _OUTWARDS))


def _log_ratio(steps: Floats, least: int, own: int) -> tuple[float, float]:
    """ln Σ c w(c) − ln Σ (N_t − c) w(c) from the logarithms of w's quotients, and its rounding."""
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    logs -= logs.max()
    c = np.arange(least, least + len(logs))
    with np.errstate(divide="ignore"):
        inside = np.logaddexp.reduce(logs + np.log(c))
        outside = np.logaddexp.reduce(logs + np.log(own - c))
    largest = float(np.abs(logs).max()) + abs(float(inside)) + abs(float(outside)) + 50
    return float(inside - outside), UNIT * 8 * len(logs) * largest


# --- δ = 0 in a short list: every vector of counts, every choice, and sums where they bend.
#
# Under discrete Laplace noise the quotient of the laws is monotone between two neighbouring values
# of the sum without noise, and constant beyond all: it is largest at such values, by columns.

_TYPES = 18  # Types at most: of one record each they have up to 48,620 vectors of counts
_CELLS = 10_000_000  # Outputs times laws that are held at most: 80 MB
_RANGE = 600.0  # ln of the largest term over the least: nothing may vanish in float64
_ERROR = 1e-10  # Relative error of sums of up to 10^5 positive terms, each right to 10^-12


def every_output(
    counts: Ints, size: int, values: Ints, scales: Floats, selected: Selected = NOTHING_SELECTED
) -> tuple[Floats, Floats] | None:
    """Lower and upper bounds of ε̃ for a record of each type; None where that is too much work.

    Types of `counts` add `values` (n_types, n_columns) to the sums, whose discrete Laplace noise
    has `scales`; `selected` is chosen beside them.

    >>> counts, values = np.array([2, 3]), np.array([[0], [1]])
    >>> low, high = every_output(counts, 2, values, np.array([2.0]))
    >>> bool(np.all(high - low < 1e-9)), high.round(4).tolist()
    (True, [0.3845, 0.2607])
    """
    if len(counts) > _TYPES:
        return None
    tables = CountTables.of(counts, size)
    for first, logs, many in zip(tables.first, tables.logs, counts, strict=True):
        least = max(0, size - (tables.population - int(many)))
        if first != least or first + len(logs) - 1 != min(int(many), size):
            return None  # the windows leave some vectors out
    vectors, outcomes = tables.vectors(60_000), selected.outcomes()  # Vectors of counts at most
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
    if cells * sum(map(len, axes)) > 2e9:  # Multiplications at most: a few seconds
        return None
    places = [np.searchsorted(a, column) for a, column in zip(axes, centres.T, strict=True)]
    at = np.ravel_multi_index(places, [len(a) for a in axes]) if axes else np.zeros(len(vectors))
    at = at.astype(np.int64)
    kernels = [np.exp(-np.abs(a[:, None] - a) / s) for a, s in zip(axes, scales, strict=True)]
    weights = np.exp(logs - logs.max())
    even = math.log(tables.population - size) - math.log(size)
    epsilons = np.zeros(len(counts))
    for kind, many in enumerate(counts):
        # p_in ∝ Σ W C_t φ/n and p_out ∝ Σ W (N_t − C_t) φ/(N − n)
        members = vectors[:, kind]
        for row in weights:
            check()
            both = []
            for some in (members, many - members):
                law = np.bincount(at, row * some, outputs).astype(float)
                law = law.reshape([len(kernel) for kernel in kernels])
                for axis, kernel in enumerate(kernels):  # with noise on each column
                    law = np.moveaxis(np.tensordot(kernel, law, axes=(1, axis)), 0, axis)
                both.append(np.log(law))
            epsilons[kind] = max(epsilons[kind], float(np.abs(both[0] - both[1] + even).max()))
    slack = _ERROR + 1e-14 * (abs(even) + epsilons)
    return np.maximum(epsilons - slack, 0.0), epsilons + slack
