"""Bayesian-DP leakage of a noisy sum over any few correlated records, by enumeration."""

import functools
import itertools
import math
from collections.abc import Collection, Sequence

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.judge.correlation._log_laws import enclose, largest_loss, loss_error
from deniable.judge.correlation._records import others, position
from deniable.numerics.bound import Bound
from deniable.numerics.rounding import UNIT
from deniable.priors import _arrays

Floats = NDArray[np.float64]

MOST_RECORDS = 12
"""Axes of a table of joint probabilities: 2^12 cells for two values each."""
_SIZE = 746.0
"""No logarithm of a positive float is larger."""


@attrs.frozen(init=False)
class JointSum:
    r"""Publishes Σ_i v_i(X_i) + Lap(s), where X has an explicit joint law.

    The leakage is that of `MarkovSum`, against every adversary who knows any other records. It
    lies between two ends that hold every rounding error (`_log_laws`): for the law as its numbers
    are stored, for each value of X_i scaled to sum to 1.

    Parameters
    ----------
    law : array_like of float, shape (n_values_1, …, n_values_n)
        Pr[X = x]; one axis a record, at most 12.
    values : sequence of sequences of int
        What each value of each record adds to the sum.
    scale : float
        The scale s of the Laplace noise, > 0.

    Raises
    ------
    InvalidArgument
        If the law does not sum to 1 or the values do not match its shape.

    References
    ----------
    yang-2015, Definition 4; zhao-2019, Section III-A2.

    Examples
    --------
    >>> twins = JointSum([[0.5, 0.0], [0.0, 0.5]], [[0, 1], [0, 1]], 1.0)
    >>> round(twins.leakage(0).upper, 9), twins.leakage(0).evidence.word
    (2.0, 'enclosure')
    >>> twins.leakage(0, known=[1]).upper, round(twins.worst_leakage(0).upper, 9)
    (0.0, 2.0)
    """

    law: Floats = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), repr=False)
    values: tuple[tuple[int, ...], ...]
    scale: float

    def __init__(self, law: ArrayLike, values: Sequence[Sequence[int]], scale: float) -> None:
        shape = np.shape(law)
        if not 1 <= len(shape) <= MOST_RECORDS:
            raise InvalidArgument(
                f"Expected a law with 1 to {MOST_RECORDS} axes, got {len(shape)}."
            )
        flat = _arrays.law(np.reshape(np.asarray(law), -1), "law")
        added = tuple(
            tuple(validate.integer(value, "values", least=-(2**53)) for value in row)
            for row in values
        )
        if tuple(len(row) for row in added) != shape:
            raise InvalidArgument(
                f"Expected values for a law of shape {shape}, "
                f"got {[len(row) for row in added]} of them."
            )
        self.__attrs_init__(flat.reshape(shape), added, validate.positive(scale, "scale"))

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return self.law.ndim

    def leakage(self, record: int, known: Collection[int] = ()) -> Bound:
        """The leakage about one record against whoever knows these others."""
        at = position(record, self.n_records)
        return self._leakage(at, others(known, at, self.n_records))

    def worst_leakage(self, record: int) -> Bound:
        """The largest leakage about one record over every set of known records."""
        at = position(record, self.n_records)
        rest = [other for other in range(self.n_records) if other != at]
        sets = itertools.chain.from_iterable(
            itertools.combinations(rest, size) for size in range(len(rest) + 1)
        )
        return functools.reduce(Bound.maximum, (self._leakage(at, known) for known in sets))

    def _leakage(self, at: int, known: tuple[int, ...]) -> Bound:
        unknown = [other for other in range(self.n_records) if other != at and other not in known]
        # Pr[y | x_i, x_S] ∝ Σ_{x of the unknown} Pr[x_S, x_i, x] e^(−|y − v_i(x_i) − v(x)|/s): a
        # block for each x_S, a row of it for each x_i, and what the x add to the sum binned.
        order = [*known, at, *unknown]
        n_values = self.law.shape[at]
        table = self.law.transpose(order).reshape(-1, n_values, math.prod(self._sizes(unknown)))
        sums, step = self._sums(at, unknown)
        width = int(sums.max()) + 1
        # Sums of table.shape[-1] numbers, the sum of those, two logarithms and their difference.
        error = UNIT * (2 * (table.shape[-1] + width) + 20 * _SIZE)
        off = loss_error(width, self.scale / step, 2 * _SIZE, error)
        loss, moved = 0.0, False
        for block in table:
            laws = np.stack(
                [np.bincount(sums[x], weights=block[x], minlength=width) for x in range(n_values)]
            )
            totals = laws.sum(axis=1)
            possible = totals > 0
            if np.count_nonzero(possible) > 1 and width > 1:
                logs = _arrays.log(laws[possible]) - np.log(totals[possible])[:, None]
                loss, moved = max(loss, largest_loss(logs, self.scale / step)), True
        return enclose(loss, off if moved else 0.0)

    def _sizes(self, records: list[int]) -> list[int]:
        return [self.law.shape[record] for record in records]

    def _sums(self, at: int, unknown: list[int]) -> tuple[NDArray[np.int64], int]:
        """The sum for each value of X_i and of the unknown, in steps from the least one."""
        sums = np.zeros(1, dtype=np.int64)
        for record in (at, *unknown):
            sums = (sums[:, None] + np.array(self.values[record], dtype=np.int64)).reshape(-1)
        sums -= sums.min()
        step = math.gcd(*sums.tolist()) or 1
        return (sums // step).reshape(self.law.shape[at], -1), step
