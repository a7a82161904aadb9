"""Non-negative whole numbers beside the unbiased ones, and intervals that still cover.

Cutting noise off at 0 pushes empty cells upwards, so no interval is centred on these numbers: the
interval is that of the unbiased number, cut to [0, ∞), where the truth lies anyway.

Whether whole tables with given margins exist is NP-complete from three columns on, so none are
searched: the margins of synthetic rows (`rows`) agree by construction, and so does a tree that is
shared out from its root.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.publish.margins.reconstruct import Table


def intervals(table: Table, half_width: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds of every cell, of the table's shape: ± the half-width, cut to [0, ∞).

    Rounded outwards; [0, 0] where nothing is left.

    Examples
    --------
    >>> low, high = intervals(Table(np.array([-70, -3, 80]), 10), 2.5)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.0, 5.5], [0.0, 2.2, 10.5])
    """
    values = table.values()  # at most half a unit of the last place off
    least, most = np.nextafter(values, -np.inf), np.nextafter(values, np.inf)
    low = np.nextafter(least - half_width, -np.inf)
    high = np.nextafter(most + half_width, np.inf)
    # A half-width of 0 belongs to a number without error.
    if half_width == 0:
        low, high = values, values
    return np.maximum(low, 0.0), np.maximum(high, 0.0)


def project(numbers: Sequence[int], total: int) -> list[int]:
    """Shares of the nearest non-negative numbers with this sum: in proportion to them.

    The nearest point is max(a − θ, 0) with θ = (Σ of the k largest − total)/k, for the largest k at
    which the k-th largest passes θ; here it is multiplied by k, so that all is whole.

    Parameters
    ----------
    numbers : sequence of int
        One or more.
    total : int
        > 0.

    Examples
    --------
    >>> project([5, 3, -4], 6)
    [8, 4, 0]
    """
    if not len(numbers) or total <= 0:
        raise InvalidArgument(
            f"Expected numbers and a total above 0, got {len(numbers)} numbers and total={total}."
        )
    running, excess, count = 0, 0, 0
    for k, number in enumerate(sorted(numbers, reverse=True), 1):
        running += number
        if k * number > running - total:
            count, excess = k, running - total
    return [max(count * number - excess, 0) for number in numbers]


def project_lines(lines: NDArray[Any], sums: NDArray[Any]) -> NDArray[Any]:
    """The nearest non-negative numbers with given sums, line by line, in whole numbers.

    θ is rounded down, so that a line's sum is reached and passed by less than its length.

    Parameters
    ----------
    lines : array of whole numbers, shape (n_lines, length)
        Of int64 where its largest size times the length stays below 2^62, or of Python's integers.
    sums : array of whole numbers, shape (n_lines,)
        0 or more; a line whose sum is 0 becomes 0.

    Examples
    --------
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
    nearest = np.maximum(lines - shift, 0)
    return np.where(sums[:, np.newaxis] > 0, nearest, 0)


def apportion(total: int, weights: Sequence[int]) -> list[int]:
    """Whole numbers with this sum in proportion to the weights, by largest remainders.

    Ties go to the first; without any weight all count alike.

    Examples
    --------
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


def apportion_tree(
    numerators: Sequence[int], denominator: int, parents: Sequence[int]
) -> list[int]:
    """Non-negative whole numbers near those of a tree, each the sum of its children.

    From the root down: the root rounded, halves up, and at least 0; then what a node has is shared
    out among its children by `project` and `apportion`.

    Parameters
    ----------
    numerators, denominator : sequence of int, int
        The unbiased numbers, node by node.
    parents : sequence of int
        Each node's parent, which stands before it; -1 for the root, the first node.

    Examples
    --------
    >>> apportion_tree([105, 48, -9, 66], 10, [-1, 0, 0, 0])
    [11, 5, 0, 6]
    """
    if len(parents) != len(numerators) or not parents or parents[0] != -1:
        raise InvalidArgument("Expected a parent for each node and -1 for the first, got others.")
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(parents[1:], 1):
        if not 0 <= parent < node:
            raise InvalidArgument(
                f"Expected a parent before its child, got {parent} at node {node}."
            )
        children.setdefault(parent, []).append(node)
    result = [0] * len(parents)
    result[0] = max((2 * numerators[0] + denominator) // (2 * denominator), 0)
    for node, below in sorted(children.items()):
        if result[node]:
            weights = project([numerators[child] for child in below], result[node] * denominator)
            for child, part in zip(below, apportion(result[node], weights), strict=True):
                result[child] = part
    return result
