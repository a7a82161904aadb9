"""Bayesian-DP leakage: what an output says about one record, its correlation with others counted.

An adversary (i, S) knows the records S; the rest follow their conditional law given x_i and x_S.
"""

import math
from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument
from deniable.judge.likelihoods import weights
from deniable.judge.neighbours import fill_unknown
from deniable.judge.progress import Progress, silent
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.protocol import Prior

Floats = NDArray[np.float64]

MOST_RECORDS = 12
"""More records have too many known sets to look at together."""


@attrs.frozen
class Leakage:
    """The largest ln Pr[y|x_i, x_S] / Pr[y|x_i', x_S], and the adversary who sees it.

    Parameters
    ----------
    epsilon : float
        The leakage, a natural logarithm, >= 0; infinite where an output rules a value out.
    record : int
        i, from 0.
    known : mapping of int to int
        Positions of the known records S and of their values.
    output : int
        Position of y.
    """

    epsilon: float
    record: int
    known: Mapping[int, int]
    output: int


def leakage(law: ArrayLike, likelihood: ArrayLike, *, progress: Progress = silent) -> Leakage:
    """Over every record, known set and output, by enumeration.

    Parameters
    ----------
    law : array_like of float, shape (n_values_1, …, n_values_n)
        The joint law of the records, one axis a record, at most 12.
    likelihood : array_like of float, shape (n_values_1, …, n_values_n, n_outputs)
        Pr[y | x]. Data that the law excludes do not count.
    progress : callable
        Told the fraction done.

    Raises
    ------
    InvalidArgument
        If the shapes do not match or there are too many records.

    References
    ----------
    yang-2015, Definition 4.

    Examples
    --------
    >>> import math
    >>> together = [[0.5, 0.0], [0.0, 0.5]]  # two records that always agree
    >>> flip = [[[0.8, 0.2], [0.6, 0.4]], [[0.4, 0.6], [0.2, 0.8]]]
    >>> found = leakage(together, flip)
    >>> round(math.exp(found.epsilon), 9), dict(found.known)
    (4.0, {})
    """
    chances, table = np.asarray(law, dtype=np.float64), np.asarray(likelihood, dtype=np.float64)
    if chances.ndim == 0 or table.shape[:-1] != chances.shape:
        raise InvalidArgument(
            f"Expected a likelihood for each of {chances.shape} data sets, got {table.shape}."
        )
    if chances.ndim > MOST_RECORDS:
        raise InvalidArgument(f"Expected at most {MOST_RECORDS} records, got {chances.ndim}.")
    # As large as floats get: products of small numbers do not vanish.
    chances = np.ldexp(chances[..., None], 1020 - math.frexp(float(chances.sum()))[1])
    table = np.where(chances > 0, chances * table, 0.0)
    # A further place on every axis: this value is not known, Σ over all values.
    for axis in range(chances.ndim - 1):
        chances, table = _with_unknown(chances, axis), _with_unknown(table, axis)
    leakages, n_records = [], chances.ndim - 1
    for record in range(n_records):
        leakages.append(_of_record(chances, table, record))
        progress((record + 1) / n_records)
    return max(leakages, key=lambda each: each.epsilon)


def bayesian_dp(matrix: StochasticMatrix, prior: Prior, *, progress: Progress = silent) -> Leakage:
    """The leakage of memberships: a record is an entity's being in (1) or out (0).

    Raises
    ------
    InvalidArgument
        If there are more than 12 entities, or the prior allows a subset without a law.
    """
    size = matrix.universe.size
    if size > MOST_RECORDS:
        raise InvalidArgument(f"Expected at most {MOST_RECORDS} entities, got {size}.")
    flip = tuple(reversed(range(size)))  # bit i of a row number is axis n − 1 − i
    law = weights(matrix, prior).reshape((2,) * size).transpose(flip)
    table = fill_unknown(matrix).reshape((2,) * size + (-1,)).transpose((*flip, size))
    return leakage(law, table, progress=progress)


def _with_unknown(values: Floats, axis: int) -> Floats:
    """One more place on the axis, for a value that is not known: the sum of the others."""
    return np.concatenate([values, values.sum(axis=axis, keepdims=True)], axis=axis)


def _of_record(chances: Floats, table: Floats, record: int) -> Leakage:
    values = range(chances.shape[record] - 1)
    chances, table = np.take(chances, values, axis=record), np.take(table, values, axis=record)
    with np.errstate(divide="ignore", invalid="ignore"):
        # ln Pr[y | x_i, x_S] = ln Σ Pr[x] Pr[y|x] − ln Σ Pr[x]; the leakage is its range over x_i.
        conditional = np.log(table / chances)
        possible = np.broadcast_to(chances > 0, table.shape)
        high = np.max(conditional, axis=record, where=possible, initial=-np.inf)
        low = np.min(conditional, axis=record, where=possible, initial=np.inf)
        spread = np.where(np.isneginf(high), 0.0, high - low)
    *pattern, output = (int(i) for i in np.unravel_index(int(np.argmax(spread)), spread.shape))
    pattern.insert(record, -1)
    known = {
        axis: value
        for axis, value in enumerate(pattern)
        if axis != record and value < chances.shape[axis] - 1
    }
    return Leakage(max(float(spread.max()), 0.0), record, known, output)
