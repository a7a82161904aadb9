"""Differential identifiability: how sure an adversary gets which of m worlds is the true one.

A world is a known subset T' with one of m candidates, all equally likely before. T' and the
candidates are any: everybody else is known to be out (the family 1-out-of-m). lee-clifton-2012
takes all others than T' for candidates; an adversary who ruled some out before is faced here too.
ρ is the largest posterior of a world.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.judge.neighbours import Table, complete_sizes, rows_of_size
from deniable.judge.worst_cases import Gamma, certain, describe_witness
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.effort import Progress, silent
from deniable.numerics.rounding import directed, float_up, upper

_NEARLY = 2.0**-40
"""Posteriors this close, relatively, are told apart in fractions; float sums are off by less."""


@attrs.frozen
class SizeLikelihoods:
    """The likelihoods of every T' of one size with each other entity, in ascending order.

    `base`, (n_bases,), are row numbers of the subsets T'; `values`, (n_bases, n_others, n_outputs),
    are Pr[output | T' and one more], and `names` whose they are.
    """

    base: NDArray[np.int64]
    names: NDArray[np.int64]
    values: Table


@attrs.frozen
class Posterior:
    """The posterior of one of m equally likely worlds, exactly, and where it stands.

    `base` is the row number of T'; the first of the m candidates is in the world that it is of.
    """

    value: Fraction
    base: int
    output: int
    candidates: tuple[int, ...]


def identifiability(
    matrix: StochasticMatrix, *, progress: Progress = silent
) -> Mapping[int, float]:
    """ρ for each number of worlds m >= 2 whose laws are known, rounded up; empty without any."""
    # lee-clifton-2012, Definition 3, whose candidates are all others than T'.
    posteriors = extreme_posteriors(matrix, largest=True, progress=progress)
    return {m: float_up(posteriors[m].value) for m in sorted(posteriors)}


def extreme_posteriors(
    matrix: StochasticMatrix, *, largest: bool, progress: Progress = silent
) -> Mapping[int, Posterior]:
    """Return for each m the largest (or smallest) posterior over T', candidates and outputs."""
    # Given T' and the output, the world with the largest likelihood is surest against the m − 1
    # smallest others, that with the smallest least sure against the m − 1 largest.
    extremes: dict[int, Posterior] = {}
    done = 0
    for block in likelihoods(matrix):
        values = block.values if largest else block.values[:, ::-1]
        names = block.names if largest else block.names[:, ::-1]
        # Pr[world | y] = l₁/(l₁ + … + l_m), likelihoods in order: the last against the first m −
        # 1.
        own, rest = values[:, -1], np.cumsum(values[:, :-1], axis=1)
        for m in range(2, values.shape[1] + 1):
            with np.errstate(invalid="ignore"):
                posterior = own / (own + rest[:, m - 2])
            for base, output in _near_extremes(posterior, values[:, : m - 1], own, largest):
                worlds = (-1, *range(m - 1))
                exact = [Fraction(float(values[base, at, output])) for at in worlds]
                here = Posterior(
                    exact[0] / sum(exact),
                    int(block.base[base]),
                    output,
                    tuple(int(names[base, at, output]) for at in worlds),
                )
                better = max if largest else min
                extremes[m] = better(extremes.get(m, here), here, key=lambda each: each.value)
        done += len(block.base)
        progress(done / len(matrix.rows))
    return extremes


def likelihoods(matrix: StochasticMatrix) -> Iterator[SizeLikelihoods]:
    """The sizes of T' that leave two candidates or more and whose worlds' laws are known."""
    table, n = matrix.rows, matrix.universe.size
    sizes = complete_sizes(matrix)
    for size in range(n - 1):
        if size + 1 not in sizes:
            continue
        base = rows_of_size(n, size)
        free = (base[:, None] >> np.arange(n) & 1) == 0
        names = np.nonzero(free)[1].reshape(len(base), n - size)
        values = table[base[:, None] | 1 << names]
        order = np.argsort(values, axis=1, kind="stable")
        yield SizeLikelihoods(
            base,
            np.take_along_axis(names[:, :, None], order, axis=1),
            np.take_along_axis(values, order, axis=1),
        )


def gamma(matrix: StochasticMatrix, *, rise: bool) -> Gamma | None:
    r"""The least γ of positive (negative) membership among m equally likely worlds, any T' and m.

    .. math:: \gamma = \max\left(m\rho,\; \frac{m - 1}{m(1 - \rho)}\right)

    for the largest posterior ρ of every m; for a fall, its inverses for the least ρ. None where no
    world's laws are known.
    """
    posteriors = extreme_posteriors(matrix, largest=rise)
    if not posteriors:
        return None
    factors = {m: _factor(m, posteriors[m].value, rise) for m in sorted(posteriors)}
    m = max(factors, key=lambda m: (factors[m] is None, factors[m] or 0))
    worst, largest = posteriors[m], factors[m]
    prior = {worst.base | 1 << i: 1 / m for i in worst.candidates}
    witness = describe_witness(matrix, worst.candidates[0], worst.output, prior)
    with directed() as r:
        return certain(np.inf if largest is None else upper(r(largest)), witness)


def _factor(m: int, rho: Fraction, rise: bool) -> Fraction | None:
    """What a posterior of one of m worlds asks for; None stands for infinity."""
    if rho == (1 if rise else 0):
        return None
    if rise:
        return max(m * rho, (m - 1) / (m * (1 - rho)))
    return max(m * (1 - rho) / (m - 1), 1 / (m * rho))


def _near_extremes(
    posterior: Table, others: Table, own: Table, largest: bool
) -> Iterator[tuple[int, int]]:
    """Base and output of every posterior that may be the extreme one, equal likelihoods once."""
    if np.isnan(posterior).all():
        return
    if largest:
        near = posterior >= np.nanmax(posterior) * (1 - _NEARLY)
    else:
        near = posterior <= np.nanmin(posterior) * (1 + _NEARLY)
    bases, outputs = np.nonzero(near)
    seen = np.column_stack([own[bases, outputs], others[bases, :, outputs]])
    _, first = np.unique(seen, axis=0, return_index=True)
    for at in sorted(first.tolist()):
        yield int(bases[at]), int(outputs[at])
