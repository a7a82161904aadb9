"""Semantic privacy: how far a release moves a belief, against the same with record i absent.

After output y a belief b becomes b_0, proportional to b(T) A(T)(y), or b_i, proportional to
b(T) A(T∖i)(y), had record i been replaced by the default: absence. The distance is total
variation, over all beliefs b, records i and outputs y (kasiviswanathan-smith-2014).
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from deniable.analysis.finite.likelihoods import weights
from deniable.analysis.finite.neighbours import added, every_subset, filled
from deniable.errors import InvalidArgument
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.protocol import Prior

MOST_ENTITIES = 10
"""Universes with more entities have too many known sets to try."""


def semantic(matrix: StochasticMatrix) -> float | None:
    r"""The largest distance over every belief; None unless every subset's law is known.

    b_i is b_0 reweighted by r(T) = A(T∖i)(y)/A(T)(y), and over all beliefs

    .. math:: \max_b \mathrm{TV}(b_0, b_i) = \frac{\sqrt{r_{max}} - \sqrt{r_{min}}}
              {\sqrt{r_{max}} + \sqrt{r_{min}}}
              = \tanh\left(\tfrac14 \ln\frac{r_{max}}{r_{min}}\right),

    attained on two subsets. r = 1 wherever i is out. A distance of 1 where some r is 0 or
    infinite, which includes outputs that absence makes impossible.

    Examples
    --------
    >>> from deniable.universe import Universe
    >>> flip = StochasticMatrix(Universe(("a",)), ("no", "yes"), [[0.75, 0.25], [0.25, 0.75]])
    >>> round(semantic(flip), 6)  # tanh(ln(3)/4)
    0.267949
    """
    if not every_subset(matrix):
        return None
    worst = 0.0
    for pairs in added(filled(matrix)):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.divide(pairs.second, pairs.first, order="C")
        if np.isnan(ratios.max()):
            np.copyto(ratios, 1.0, where=np.isnan(ratios))
        high = np.maximum(ratios.max(axis=(0, 1)), 1.0)
        low = np.minimum(ratios.min(axis=(0, 1)), 1.0)
        with np.errstate(divide="ignore"):
            spread = np.log(high) - np.log(low)
        worst = max(worst, float(np.tanh(spread / 4).max()))
    return worst


def bayesian_semantic(matrix: StochasticMatrix, prior: Prior) -> float:
    """The largest distance for one joint law of the memberships, whatever part of it is known.

    The adversary knows the memberships of any set S of the others, and believes the law given
    them about the rest. Where record i is replaced by absence the unknown others keep that law.
    Over all joint laws this is `semantic`.

    Raises
    ------
    InvalidArgument
        If a law that is needed, of T or of T∖i for a T that the prior allows, is not known, or
        there are more than 10 entities.

    References
    ----------
    zhao-2019, Definition 2.
    """
    size = matrix.universe.size
    if size > MOST_ENTITIES:
        raise InvalidArgument(
            f"Expected at most {MOST_ENTITIES} entities to try all known sets of, got {size}."
        )
    law = weights(matrix, prior)
    worst = 0.0
    for entity, pairs in enumerate(added(law[:, None])):
        absent = np.where((pairs.first > 0)[..., 0], ~_known(matrix, entity), False)
        if absent.any():
            row = pairs.rows(tuple(int(i) for i in np.argwhere(absent)[0]))[1]
            raise InvalidArgument(
                "Expected the law of every subset that absence leads to, got none of "
                f'"{matrix.universe.name(row)}". Add its row.'
            )
        worst = max(worst, _furthest(law, filled(matrix), entity))
    return worst


def _known(matrix: StochasticMatrix, entity: int) -> NDArray[np.bool_]:
    return matrix.known.reshape(-1, 2, 1 << entity)[:, 0]


def _furthest(law: NDArray[np.float64], table: NDArray[np.float64], entity: int) -> float:
    """The largest distance for one record, over the known sets of others and the outputs."""
    n, n_outputs = len(law).bit_length() - 1, table.shape[1]
    rows = np.arange(len(law))
    shape = (2,) * n + (n_outputs,)
    here = (law[:, None] * table).reshape(shape)
    there = (law[:, None] * table[rows & ~(1 << entity)]).reshape(shape)
    others = [n - 1 - i for i in range(n) if i != entity]  # bit i is axis n − 1 − i
    worst = 0.0
    for unknown in itertools.chain.from_iterable(
        itertools.combinations(others, count) for count in range(n)
    ):
        axes = (n - 1 - entity, *unknown)
        totals = here.sum(axis=axes, keepdims=True), there.sum(axis=axes, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.abs(here / totals[0] - there / totals[1])
        distance = moved.sum(axis=axes, keepdims=True) / 2
        distance = np.where(totals[1] > 0, distance, 1.0)
        worst = max(worst, float(np.where(totals[0] > 0, distance, 0.0).max()))
    return min(worst, 1.0)
