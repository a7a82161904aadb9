"""What is asked about a sum, with what every method needs to know of it."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable._rounding import directed, upper
from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.population.doors import parent_set as data
from deniable.population.work.effort import Effort


@attrs.frozen(eq=False)
class Question:
    """Trusted arguments of `one_dimensional`; equal values share their answer.

    Parameters
    ----------
    values : array of float, shape (n_records,)
        The numbers as given.
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
    size: int
    noise: Gaussian | Laplace
    delta: float
    effort: Effort
    distinct: NDArray[np.float64] = attrs.field(init=False)
    place: NDArray[np.int64] = attrs.field(init=False)
    counts: NDArray[np.int64] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        distinct, place, counts = np.unique(self.values, return_inverse=True, return_counts=True)
        # A shift that moves all sums alike, and exactly.
        object.__setattr__(self, "distinct", data.shifted(distinct[:, np.newaxis])[:, 0])
        object.__setattr__(self, "place", place)
        object.__setattr__(self, "counts", counts)

    @property
    def constant(self) -> bool:
        """Whether all numbers are equal, and nothing can be learnt."""
        return len(self.distinct) == 1

    def farthest(self, place: int) -> float:
        """Largest distance of one value from another record's, rounded up."""
        mine, least, most = self.distinct[place], self.distinct[0], self.distinct[-1]
        with directed() as r:
            return max(
                upper(r(float(most)) - r(float(mine))), upper(r(float(mine)) - r(float(least)))
            )


@attrs.frozen(eq=False)
class Intervals:
    """Ends of ε̃ at some places among the distinct values.

    Parameters
    ----------
    places : array of int, shape (n_places,)
        Increasing.
    lower, upper : array of float, shape (n_places,)
        Ends.
    """

    places: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
