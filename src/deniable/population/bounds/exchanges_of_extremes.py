r"""Pure ε̃ under Laplace noise, from exchanges of x with another member.

A sample D without x becomes one with x when some x' of its n members makes room. Every such
exchange moves the density by a factor e^{d(x, x')} at most, d the L1 distance in units of the
noise, and pairs of neighbouring samples are counted alike from both sides. So

.. math:: P_{in}(t) = \mathrm{E}_D \tfrac1n \sum_{x' \in D} p(t \mid D - x' + x)
          \le P_{out}(t) \max_D \tfrac1n \sum_{x' \in D} e^{d(x, x')}

and likewise the other way with the N − n who are not in a sample with x.
"""

import numpy as np
from numpy.typing import NDArray

_OUTWARDS = 1 + 1e-12
"""Room for the rounding of distances and of sums of some thousand terms."""


def laplace_epsilon_of_exchanges(
    at: NDArray[np.float64], points: NDArray[np.float64], counts: NDArray[np.int64], size: int
) -> float:
    """An upper bound of ε̃ at δ = 0 of every member in the convex hull of `at`.

    The bound is convex in x, so that it is largest where x is extreme. Members who are as far as x
    count as others too, which can only raise it.

    Parameters
    ----------
    at : array of float, shape (n_points, n_columns)
        In units of the noise, as `points`.
    points : array of float, shape (n_types, n_columns)
        Distinct members.
    counts : array of int, shape (n_types,)
        How many members have each.
    size : int
        n.

    Examples
    --------
    >>> people = np.array([[0.0], [1.0]])
    >>> round(laplace_epsilon_of_exchanges(people, people, np.array([50, 50]), 50), 6)
    1.0
    """
    outside = int(counts.sum()) - size
    worst = 0.0
    for point in at:
        distances = np.abs(points - point).sum(axis=1) * _OUTWARDS
        order = np.argsort(-distances, kind="stable")
        far, before = distances[order], np.cumsum(counts[order])
        for many in (size, outside):
            included = np.diff(np.minimum(before, many), prepend=0)
            with np.errstate(divide="ignore"):
                terms = far + np.log(included / many)
            worst = max(worst, float(np.logaddexp.reduce(terms)))
    return worst * _OUTWARDS + 1e-12
