"""The distinct values of a sum's records, with what every method needs to know of them."""

from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.numerics.effort import Effort
from deniable.numerics.rounding import directed, upper
from deniable.population.bounds import epsilon_at
from deniable.population.question import Question, Summands, only_column, shift_columns

Noise: TypeAlias = Gaussian | Laplace
_EACH = 200
"""Beyond so many targets, all get the bound of the worst: one root is some ms of balls."""


@attrs.frozen(eq=False)
class Problem:
    """ε̃ of the sum of n of N numbers plus noise; equal numbers share their answer.

    Parameters
    ----------
    values, counts : arrays, shape (n_values,)
        The distinct numbers, increasing, and how many records have each. All of them may be
        moved alike, which moves all sums alike, and exactly.
    index : array of int, shape (n_records,)
        Position in `values` of each record's number.
    size : int
        n, 1..N−1.
    noise : Gaussian or Laplace
        In the unit of the sum.
    delta : float
        In [0, 1).
    effort : Effort
        Limits of the work.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    index: NDArray[np.int64]
    size: int
    noise: Noise
    delta: float
    effort: Effort

    @classmethod
    def of(cls, question: Question[Summands], noise: Noise, effort: Effort) -> "Problem":
        """From a question about one column."""
        column = only_column(question.data.values, type(noise).__name__)
        values, index, counts = np.unique(column, return_inverse=True, return_counts=True)
        moved = shift_columns(values[:, np.newaxis])[:, 0]
        return cls(moved, counts, index, question.size, noise, question.delta, effort)

    def farthest(self, target: int) -> float:
        """Largest distance of one value from another record's, rounded up."""
        mine, least, most = self.values[target], self.values[0], self.values[-1]
        with directed() as r:
            return max(
                upper(r(float(most)) - r(float(mine))), upper(r(float(mine)) - r(float(least)))
            )

    def noise_alone(self, targets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Upper bounds of ε̃ that always hold: the noise hides the exchange of two records.

        The in-law and the out-law are mixtures of shifted noise, coupled so that no shift exceeds
        the distance of the record from another; the divergence is jointly convex.
        """
        distances = np.array([self.farthest(int(target)) for target in targets])
        if len(targets) > _EACH:
            distances = distances[[distances.argmax()]]
        each = [epsilon_at(self.noise, float(distance), self.delta) for distance in distances]
        return np.array(each) if len(targets) <= _EACH else np.full(len(targets), each[0])
