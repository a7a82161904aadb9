"""Semantic and Bayesian privacy of an explicit mechanism: how far a release moves beliefs."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument
from deniable.judge.likelihoods import weights
from deniable.judge.neighbours import Table, every_subset, fill_unknown, iterate_additions
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.effort import Progress, silent
from deniable.numerics.rounding import directed, upper
from deniable.priors.protocol import Prior

# After output y a belief b becomes b_0, proportional to b(T) A(T)(y), or b_i, proportional to b(T)
# A(T∖i)(y), had record i been replaced by the default: absence. The distance is total variation,
# over all beliefs b, records i and outputs y (kasiviswanathan-smith-2014).


_ROUNDING = 2.0**-50
"""How far off a quotient of two quotients of floats is, relatively: 3 half-ulps, and room."""


def semantic(matrix: StochasticMatrix) -> float | None:
    r"""The largest distance over every belief, rounded up; None unless every law is known.

    b_i is b_0 reweighted by r(T) = A(T∖i)(y)/A(T)(y), and over all beliefs

    .. math:: \max_b \mathrm{TV}(b_0, b_i) = \frac{\sqrt{r_{max}} - \sqrt{r_{min}}}
              {\sqrt{r_{max}} + \sqrt{r_{min}}}
              = \tanh\left(\tfrac14 \ln\frac{r_{max}}{r_{min}}\right),

    attained on two subsets. r = 1 wherever i is out. A distance of 1 where some r is 0 or
    infinite, which includes outputs that absence makes impossible.
    """
    if not every_subset(matrix):
        return None
    worst = 0.0
    for pairs in iterate_additions(fill_unknown(matrix)):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.divide(pairs.second, pairs.first, order="C")
        worst = max(worst, largest_move(ratios))
    return worst


def largest_move(factors: NDArray[np.float64]) -> float:
    """How far reweighting by such factors, and by 1, moves a law at most, rounded up."""
    # The last axis runs over outputs, of which each is taken by itself; NaN (zero over zero) is no
    # factor. Each factor may be off by a unit in its last place.
    flat = np.where(np.isnan(factors), 1.0, factors).reshape(-1, factors.shape[-1])
    high, low = np.maximum(flat.max(axis=0), 1.0), np.minimum(flat.min(axis=0), 1.0)
    with np.errstate(divide="ignore", over="ignore"):
        return distance_of(float((high / low).max()))


def distance_of(spread: float) -> float:
    """tanh(¼ ln R) = (√R − 1)/(√R + 1) for a spread R of factors from floats, rounded up."""
    if spread == 1:
        return 0.0
    with directed() as r:
        root = r.sqrt(r(spread) * (1 + r(_ROUNDING)))
        return min(upper((root - 1) / (root + 1)), 1.0)


# An adversary (i, S) holds a belief b about x_i and x_S, any belief; the other records follow the
# law of the data given x_i and x_S, which is not the adversary's to choose. After output y the
# belief is b_0, proportional to b(x_i, x_S) Pr[y | x_i, x_S], or, had record i been replaced by
# its default ⊥, here absence, b_i, proportional to b(x_i, x_S) Pr[y | ⊥, x_S]. One is the other
# reweighted by
#
# .. math:: r(x_i, x_S) = \frac{\Pr[y \mid x_i, x_S]}{\Pr[y \mid ⊥, x_S]}, \qquad
#           \max_b \mathrm{TV}(b_0, b_i) = \tanh\left(\tfrac14 \ln\frac{\max r}{\min r}\right),
#
# the maximum as in `semantic`, over all values that the law allows. What has probability 0:
#
# - Values x_i, x_S that the law excludes leave Pr[y | x_i, x_S] undefined; no belief is put on
#   them.
# - Where the law excludes ⊥ beside x_S, entity i is certain to be in; nothing is there to compare.
# - Where y is impossible given x_i, x_S and given ⊥, x_S, the value has no part in b_0 or b_i.
# - Where y is impossible given one of the two only, beliefs in that value and another come as
#   near to a distance of 1 as one likes: 1 is the value. So it is where absence makes y
#   impossible beside every x_S and b_i does not exist.


MOST_ENTITIES = 10
"""Universes with more entities have too many known sets to try."""

Integers = NDArray[np.object_]
"""Whole numbers of any size: floats times a power of two, so that sums lose nothing."""


def bayesian_semantic(
    matrix: StochasticMatrix, prior: Prior, *, progress: Progress = silent
) -> float:
    """The largest distance where memberships follow this law, rounded up."""
    # zhao-2019, Definition 2. The prior is over at most 10 entities; only subsets that it allows
    # are needed.
    size = matrix.universe.size
    if size > MOST_ENTITIES:
        raise InvalidArgument(
            f"Expected at most {MOST_ENTITIES} entities to try all known sets of, got {size}."
        )
    shape = (2,) * size
    law = scale_to_integers(weights(matrix, prior)).reshape((*shape, 1))
    joint = law * scale_to_integers(fill_unknown(matrix)).reshape((*shape, -1))
    # A third place on every axis: this membership is not known, Σ over in and out.
    for axis in range(size):
        law, joint = _with_unknown(law, axis), _with_unknown(joint, axis)
    worst = 0.0
    # r = Pr[y | x_i = 1, x_S]/Pr[y | x_i = 0, x_S] for every x_S at once, 3^(n−1) of them.
    for axis in range(size):
        (out, present), (out_with, in_with) = _sides(law, axis), _sides(joint, axis)
        ratios = _RATIO(in_with, out, out_with, present).astype(np.float64)
        worst = max(worst, _over_known_sets(ratios))
        progress((axis + 1) / size)
    return worst


def over_all_laws(matrix: StochasticMatrix, *, progress: Progress = silent) -> float | None:
    """The least upper bound of `bayesian_semantic` over every joint law, rounded up."""
    # Of the unknown records the law can single out any data set that agrees with x_i and x_S. With
    # nothing known r ranges over A(T)(y)/A(T')(y) for any T with i and T' without; between two
    # values of x_S, which differ in some j, over two such ratios with j in and with j out. None
    # unless every law is known.
    if not every_subset(matrix):
        return None
    worst, n = 0.0, matrix.universe.size
    for pairs in iterate_additions(fill_unknown(matrix)):
        inside, outside = (
            np.reshape(side, (*(2,) * (n - 1), -1)) for side in (pairs.first, pairs.second)
        )
        worst = max(worst, *(largest_move(end[None]) for end in _extremes(inside, outside)))
        for axis in range(n - 1):
            without, having = (
                _extremes(np.take(inside, at, axis=axis), np.take(outside, at, axis=axis))
                for at in (0, 1)
            )
            worst = max(worst, _between(without, having), _between(having, without))
            progress((pairs.entity + (axis + 1) / n) / n)
    return worst


def _over_known_sets(ratios: Table) -> float:
    """Reduce over x_S for each S: known axes are reduced, an axis at its third place is unknown.

    NaN is no factor; the value ⊥ has the factor 1.
    """
    # max over x_S of max(r, 1) over min over x_S' of min(r, 1), for one set S: a known axis is
    # reduced over in and out, an unknown one is kept at its third place.
    high = low = np.where(np.isnan(ratios), 1.0, ratios)
    for axis in range(ratios.ndim - 1):
        high = _known_or_not(high, axis, np.maximum)
        low = _known_or_not(low, axis, np.minimum)
    with np.errstate(divide="ignore", over="ignore"):
        return distance_of(float((np.maximum(high, 1.0) / np.minimum(low, 1.0)).max()))


def _known_or_not(values: Table, axis: int, better: np.ufunc) -> Table:
    out, inside, unknown = np.split(values, 3, axis=axis)
    return np.concatenate([better(out, inside), unknown], axis=axis)


def _extremes(inside: Table, outside: Table) -> tuple[Table, Table]:
    """The largest and the least A(T)(y)/A(T')(y), T on the one side and T' on the other."""
    axes = tuple(range(inside.ndim - 1))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        high = np.asarray(inside.max(axis=axes) / outside.min(axis=axes))
        low = np.asarray(inside.min(axis=axes) / outside.max(axis=axes))
    return high, low


def _between(one: tuple[Table, Table], other: tuple[Table, Table]) -> float:
    """The largest ratio of the one against the least of the other, output by output."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # max r over min r'
        spread = one[0] / other[1]
    return distance_of(max(1.0, float(np.nan_to_num(spread, nan=1.0, posinf=np.inf).max())))


def _with_unknown(values: NDArray[Any], axis: int) -> NDArray[Any]:
    """One more place on the axis, for a value that is not known: the sum of the others."""
    return np.concatenate([values, values.sum(axis=axis, keepdims=True)], axis=axis)


def _sides(values: Integers, axis: int) -> tuple[Integers, Integers]:
    return np.take(values, 0, axis=axis), np.take(values, 1, axis=axis)


def scale_to_integers(values: Table) -> Integers:
    """Each value times one power of two, exactly."""
    mantissa, exponent = np.frexp(values)
    shifts = np.maximum(exponent - exponent.min(where=values > 0, initial=64), 0)
    digits = (mantissa * 2.0**53).astype(np.int64)
    exact = [int(x) << int(shift) for x, shift in zip(digits.flat, shifts.flat, strict=True)]
    return np.array(exact, dtype=np.object_).reshape(values.shape)


def _ratio(in_with: int, out: int, out_with: int, present: int) -> float:
    """(in_with/present)/(out_with/out), to half an ulp; NaN where there is nothing to compare."""
    above, below = in_with * out, out_with * present
    if not out or not present or not (above or below):
        return float("nan")
    try:
        return above / below if below else float("inf")
    except OverflowError:
        return float("inf")


_RATIO: Any = np.frompyfunc(_ratio, 4, 1)


# Bayesian-DP leakage: what an output says about one record, its correlation with others counted.
# An adversary (i, S) knows the records S; the rest follow their conditional law given x_i and x_S.


MOST_RECORDS = 12
"""More records have too many known sets to look at together."""


def leakage(law: ArrayLike, likelihood: ArrayLike, *, progress: Progress = silent) -> float:
    """The largest ln Pr[y|x_i, x_S] / Pr[y|x_i', x_S] over records i, known sets S and outputs y.

    Infinite where an output rules a value out (yang-2015, Definition 4).
    """
    # The law has an axis for each record, at most 12; the likelihood Pr[y | x] has one more, for
    # outputs. Data that the law excludes do not count.
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
    largest, n_records = 0.0, chances.ndim - 1
    for record in range(n_records):
        values = range(chances.shape[record] - 1)
        known, joint = np.take(chances, values, axis=record), np.take(table, values, axis=record)
        with np.errstate(divide="ignore", invalid="ignore"):
            # ln Pr[y | x_i, x_S] = ln Σ Pr[x] Pr[y|x] − ln Σ Pr[x]; the leakage is its range over
            # x_i.
            conditional = np.log(joint / known)
            possible = np.broadcast_to(known > 0, joint.shape)
            high = np.max(conditional, axis=record, where=possible, initial=-np.inf)
            low = np.min(conditional, axis=record, where=possible, initial=np.inf)
            spread = np.where(np.isneginf(high), 0.0, high - low)
        largest = max(largest, float(spread.max()))
        progress((record + 1) / n_records)
    return largest


def bayesian_dp(matrix: StochasticMatrix, prior: Prior, *, progress: Progress = silent) -> float:
    """The leakage of memberships: a record is an entity's being in (1) or out (0)."""
    size = matrix.universe.size
    if size > MOST_RECORDS:
        raise InvalidArgument(f"Expected at most {MOST_RECORDS} entities, got {size}.")
    flip = tuple(reversed(range(size)))  # bit i of a row number is axis n − 1 − i
    law = weights(matrix, prior).reshape((2,) * size).transpose(flip)
    table = fill_unknown(matrix).reshape((2,) * size + (-1,)).transpose((*flip, size))
    return leakage(law, table, progress=progress)
