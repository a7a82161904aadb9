"""Whole noise on small sums: every vector of counts and every output, one by one.

Only non-negative numbers are added, so every probability keeps its relative accuracy. What is left
out, of the counts and of the noise, belongs to the upper bound of one law and to no lower bound.
"""

import math
from collections.abc import Sequence

import attrs
import numpy as np
from scipy.ndimage import correlate1d

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.bound import pair_bounds
from deniable.numerics.time_limit import check
from deniable.population.integer_sums import least_epsilons
from deniable.population.question import Floats
from deniable.population.type_sums.counts import CountTables, Ints
from deniable.population.type_sums.noise import ColumnNoise
from deniable.population.type_sums.selected import NOTHING_SELECTED, Selected

_VECTORS = 30_000
"""Vectors of counts at most."""
_CELLS = 10_000_000
"""Outputs times laws that are held at most: 80 MB."""
_WIDE = 2000.0
"""Scale of noise at most: it reaches some 10^5 outputs."""
_WORK = 3e9
"""Multiplications at most: a few seconds."""
_SHARE = 1e-6
"""Of δ that is left out of the counts, and of the noise on all columns; times e^ε it narrows δ on
the way down."""
_LARGEST = 600.0
"""ε up to which e^ε is a float with room to spare."""
_UNITS = 1e-11
"""Relative error of sums of up to 10^5 non-negative terms, rounded up."""


@attrs.frozen(eq=False)
class Laws:
    """Probabilities of the sums of counts, with a record of some types in and out.

    Parameters
    ----------
    centres : int array, shape (n_vectors, n_columns)
        Sums without noise.
    weights : float array, shape (2, n_kinds, n_vectors)
        Of them.
    missing : float array, shape (2, n_kinds)
        What was left out.
    chances : float array, shape (n_choices, n_vectors)
        Of what is chosen beside the sums.
    """

    centres: Ints
    weights: Floats
    missing: Floats
    chances: Floats


def enclose(
    tables: CountTables,
    values: Floats,
    noise: ColumnNoise,
    delta: float,
    selected: Selected = NOTHING_SELECTED,
) -> tuple[Floats, Floats] | None:
    """Lower and upper bounds of ε̃ for a record of each type; None where that is too much work.

    Examples
    --------
    >>> tables = CountTables.of(np.array([2, 3]), 2)
    >>> noise = ColumnNoise(DiscreteLaplace, [1.0, 1.0])
    >>> low, high = enclose(tables, np.eye(2), noise, 0.01)
    >>> bool(np.all(high - low < 0.01))
    True
    """
    if noise.scales.max() > _WIDE:
        return None
    kernels = [_kernel(noise, k, delta) for k in range(len(noise.scales))]
    integers, kinds = np.rint(values).astype(np.int64), range(len(tables.counts))
    laws = _laws(tables, integers, kinds, delta, selected)
    return None if laws is None else _epsilon_bounds(laws, kernels, delta)


def lower_bound_of_cells(tables: CountTables, noise: ColumnNoise, kind: int, delta: float) -> float:
    """A lower bound of ε̃ in a histogram: the other cells are added up before one looks.

    Under Laplace noise that shows more than any straight line through the cells.
    """
    if noise.scales.max() > _WIDE:
        return 0.0
    many = tables.counts
    pair = CountTables.of(np.array([many[kind], many.sum() - many[kind]]), tables.size)
    laws = _laws(pair, np.eye(2, dtype=np.int64), [0], delta, NOTHING_SELECTED)
    if laws is None:
        return 0.0
    rest = np.ones(1)
    for k in range(len(many)):
        if k != kind:
            rest = np.convolve(rest, _kernel(noise, k, delta))
    bounds = _epsilon_bounds(laws, [_kernel(noise, kind, delta), rest], delta)
    return 0.0 if bounds is None else float(bounds[0][0])


def _kernel(noise: ColumnNoise, column: int, delta: float) -> Floats:
    """Probabilities of the noise from −r to r; less than a share of δ lies beyond."""
    scale, share = float(noise.scales[column]), _SHARE * delta / len(noise.scales)
    if noise.kind is DiscreteLaplace:
        # Pr[|Z| > r] <= 2 e^(−(r + 1)/b).
        r = max(math.ceil(scale * math.log(2 / share)), 1)
        k = np.abs(np.arange(-r, r + 1))
        return np.asarray(math.tanh(0.5 / scale) * np.exp(-k / scale))
    # Pr[|Z| > r] <= Pr[|Y| > r] <= e^(−r²/2σ²) of the normal law.
    r = max(math.ceil(scale * math.sqrt(2 * math.log(1 / share))), 1)
    return DiscreteGaussian(scale).pmf(np.arange(-r, r + 1))


def _laws(
    tables: CountTables, values: Ints, kinds: Sequence[int], delta: float, selected: Selected
) -> Laws | None:
    """Both laws of the sums, less the vectors of counts that hardly occur."""
    vectors, outcomes = tables.vectors(_VECTORS), selected.outcomes()
    if vectors is None or outcomes is None:
        return None
    logs = tables.log_weight(vectors)
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    # Pr[C | in] = Pr[C] C_t/(N_t π), and so for the record out.
    share, rest = tables.shares
    each = np.array(kinds)
    many, inside = tables.counts[each, None], vectors[:, each].T
    weights = np.stack([inside / many / share, (many - inside) / many / rest]) * chances
    order = np.argsort(-chances, kind="stable")
    beyond = np.cumsum(weights[:, :, order][:, :, ::-1], axis=2)[:, :, ::-1].max(axis=(0, 1))
    kept = order[beyond > _SHARE * delta]
    lost = np.setdiff1d(np.arange(len(vectors)), kept)
    chances = np.atleast_2d(np.exp(selected.log_prob(vectors[kept][None], outcomes)))
    return Laws(
        vectors[kept] @ values,
        weights[:, :, kept],
        weights[:, :, lost].sum(axis=2),
        np.broadcast_to(chances, (len(chances), len(kept))),
    )


def _epsilon_bounds(
    laws: Laws, kernels: Sequence[Floats], delta: float
) -> tuple[Floats, Floats] | None:
    """The laws with noise on a lattice, and the ε̃ between them."""
    reach = np.array([len(kernel) // 2 for kernel in kernels])
    first = laws.centres.min(axis=0) - reach
    shape = laws.centres.max(axis=0) + reach - first + 1
    both, kinds = laws.weights.shape[:2]
    choices, outputs = len(laws.chances), int(np.prod(shape))
    cells = math.prod(map(float, shape)) * both * kinds * choices
    if cells > _CELLS or cells * float(sum(map(len, kernels))) > _WORK:
        return None
    at = np.ravel_multi_index(tuple((laws.centres - first).T), tuple(shape))
    noisy = np.empty((both, kinds, choices, outputs))
    for place in np.ndindex(both, kinds, choices):
        weights = laws.weights[place[:2]] * laws.chances[place[2]]
        law = np.bincount(at, weights, outputs).reshape(shape)
        for axis, kernel in enumerate(kernels):
            check()
            law = correlate1d(law, kernel, axis=axis, mode="constant")
        noisy[place] = law.ravel()
    missing = laws.missing + _SHARE * delta + 1e-30
    law = noisy.reshape(both, kinds, -1)
    return _between(law * (1 - _UNITS), law * (1 + _UNITS), missing, delta)


def _between(low: Floats, high: Floats, missing: Floats, delta: float) -> tuple[Floats, Floats]:
    """Both ends of ε̃ of each kind.

    What is missing may lie anywhere. On the way up it belongs to p. On the way down it belongs
    to q: p − e^ε (q + missing) > δ for ε up to the upper bound where
    p − e^ε q > δ + e^upper missing.
    """
    upper = least_epsilons(low, high, missing, delta)[1]
    lower = np.zeros(len(upper))
    for k, end in enumerate(upper):
        more = delta + math.exp(min(float(end), _LARGEST)) * float(missing[:, k].max())
        if more < 1:
            some = slice(k, k + 1)
            lower[k] = least_epsilons(low[:, some], high[:, some], missing[:, some], more)[0][0]
    return pair_bounds(lower, upper)
