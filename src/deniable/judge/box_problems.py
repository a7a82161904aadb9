"""What a search over priors looks at: likelihoods of one output, by who is uncertain.

Free entities, a number of them in, t one of them: an instance is an output, t, the others who are
uncertain, and who is certainly in. Instances of one shape are held together.
"""

import itertools
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.judge.neighbours import Table
from deniable.judge.single_exchange import SLACK

Floats = NDArray[np.float64]


def free_sets(
    n: int, sizes: tuple[int, ...], interval: tuple[float, float]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Uncertain entities, certain members, and how many of the first are in."""
    for free_count in range(2, n + 1):
        numbers = [
            number
            for number in range(1, free_count)
            if free_count * interval[0] - SLACK <= number <= free_count * interval[1] + SLACK
        ]
        for free in itertools.combinations(range(n), free_count):
            rest = [i for i in range(n) if i not in free]
            for number, size in itertools.product(numbers, sizes):
                if 0 <= size - number <= len(rest):
                    for certain in itertools.combinations(rest, size - number):
                        yield free, certain, number


@attrs.frozen
class Shape:
    """The subsets of the others, with and without t, as 0 and 1; and the vertices of a box."""

    inside: Floats
    outside: Floats
    vertices: Floats

    @classmethod
    def of(cls, free_count: int, number: int) -> "Shape":
        """Of so many free entities, so many of them in."""
        others = free_count - 1
        corners = list(itertools.product((0.0, 1.0), repeat=others - 1))
        return cls(
            _indicators(others, number - 1),
            _indicators(others, number),
            np.array([*corners, [0.5] * (others - 1)]),
        )

    @property
    def dimensions(self) -> int:
        """How many odds are free."""
        return int(self.vertices.shape[1])

    @property
    def cost(self) -> int:
        """How many likelihoods there are to a box."""
        return len(self.vertices) * (len(self.inside) + len(self.outside))


def _indicators(count: int, number: int) -> Floats:
    rows = list(itertools.combinations(range(count), number))
    result = np.zeros((len(rows), count))
    for row, columns in enumerate(rows):
        result[row, list(columns)] = 1.0
    return result


@attrs.frozen
class Problems:
    """Instances of one shape: likelihoods of one output with t in and out."""

    shape: Shape
    inside: Floats
    outside: Floats
    ceiling: Floats
    even: float
    """Pr[i in] where all odds are even: how many are in over how many there are."""
    rows: list[tuple[int, tuple[int, ...], int]]
    """t, the others, and the row number of the certain members."""


def problems_of(
    table: Table, sizes: tuple[int, ...], interval: tuple[float, float]
) -> list[Problems]:
    """All instances with two or more in and two or more out, by shape."""
    n = len(table).bit_length() - 1
    grouped: dict[tuple[int, int], list[tuple[int, tuple[int, ...], int]]] = {}
    for free, certain, number in free_sets(n, sizes, interval):
        if 2 <= number <= len(free) - 2:
            base = sum(1 << i for i in certain)
            for t in free:
                others = tuple(i for i in free if i != t)
                grouped.setdefault((len(free), number), []).append((t, others, base))
    return [_build_problems(table, key, rows, interval) for key, rows in grouped.items()]


def _build_problems(
    table: Table,
    key: tuple[int, int],
    rows: list[tuple[int, tuple[int, ...], int]],
    interval: tuple[float, float],
) -> Problems:
    shape = Shape.of(*key)
    bits = np.array([[1 << i for i in others] for _, others, _ in rows])
    base = np.array([certain for _, _, certain in rows])[:, None]
    with_t = base + np.array([1 << t for t, _, _ in rows])[:, None]
    inside = table[with_t + bits @ shape.inside.T.astype(np.int64)]
    outside = table[base + bits @ shape.outside.T.astype(np.int64)]
    near = (shape.outside @ shape.inside.T) == key[1] - 1  # one more entity in
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = inside[:, None] / outside[:, :, None]
        ratio = np.nan_to_num(np.where(near[:, :, None], ratios, 0.0), nan=0.0, posinf=np.inf)
        ratio = ratio.max(axis=(1, 2))
    n_outputs = table.shape[1]
    repeated = [row for row in rows for _ in range(n_outputs)]
    return Problems(
        shape,
        np.moveaxis(inside, 2, 1).reshape(len(repeated), -1),
        np.moveaxis(outside, 2, 1).reshape(len(repeated), -1),
        factor(ratio.reshape(-1), np.array(interval[0]), np.array(interval[1])),
        key[1] / key[0],
        repeated,
    )


def factor(ratio: Floats, q_low: Floats, q_high: Floats) -> Floats:
    """The largest factor on the belief at this A and any q in the interval."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # A/(qA + 1 − q) falls with q and qA + 1 − q rises with it, where A >= 1.
        first = np.where(np.isinf(ratio), 1 / q_low, ratio / (q_low * ratio + 1 - q_low))
        second = q_high * ratio + 1 - q_high
    return np.maximum(np.fmax(first, second), 1.0)
