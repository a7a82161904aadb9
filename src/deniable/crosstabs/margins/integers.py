"""Non-negative whole numbers with given sums, in whole-number arithmetic."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument


def project_lines(lines: NDArray[Any], sums: NDArray[Any]) -> NDArray[Any]:
    """The nearest non-negative numbers with given sums, line by line, in whole numbers.

    θ is rounded down, so that a line's sum is reached and passed by less than its length.

    `lines` is of int64 where its largest size times the length stays below 2^62, else of Python's
    integers. A line whose sum is 0 becomes 0; no sum is negative.

    >>> project_lines(np.array([[5, 3, -4], [2, 2, 2]]), np.array([6, 0])).tolist()
    [[4, 2, 0], [0, 0, 0]]
    """
    ranks = np.arange(1, lines.shape[1] + 1)
    sorted_lines = -np.sort(-lines, axis=1)
    excess = np.cumsum(sorted_lines, axis=1) - sums[:, np.newaxis]
    # The condition holds for the first ranks of a line, and for none after them.
    count = np.maximum((ranks * sorted_lines > excess).astype(np.int64).sum(axis=1), 1)
    last = np.take_along_axis(excess, count[:, np.newaxis] - 1, axis=1)
    shift = last // count[:, np.newaxis]
    return np.where(sums[:, np.newaxis] > 0, np.maximum(lines - shift, 0), 0)


def apportion(total: int, weights: Sequence[int]) -> list[int]:
    """Whole numbers with this sum in proportion to the weights, by largest remainders.

    Ties go to the first; without any weight all count alike.

    >>> apportion(10, [1, 1, 1]), apportion(3, [0, 0])
    ([4, 3, 3], [2, 1])
    """
    if total < 0 or any(weight < 0 for weight in weights) or (total and not len(weights)):
        raise InvalidArgument("Expected a total and weights of 0 or more, got others.")
    everything = sum(weights)
    if not everything:
        weights, everything = [1] * len(weights), len(weights)
    shares = [divmod(total * weight, everything) for weight in weights]
    parts = [quotient for quotient, _ in shares]
    order = sorted(range(len(parts)), key=lambda i: (-shares[i][1], i))
    for i in order[: total - sum(parts)]:
        parts[i] += 1
    return parts
