"""Slow, obvious references in plain Python: no engine, whole numbers and fractions only."""

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Row(NamedTuple):
    """One row of a table; `keep` is what the filter of the tests looks at."""

    entity: str | None
    group: str | None
    value: float | None = None
    keep: bool = True
    category: str | None = None


@functools.cache
def step(bounds):
    """The finest power of two of which the larger bound is at most 2^24, and no subnormal one."""
    most = max(abs(Fraction(end)) for end in bounds)
    exponent = -1022
    while most > 2**24 * Fraction(2) ** exponent:
        exponent += 1
    return Fraction(2) ** exponent


def units(value, bounds):
    """A value clipped to bounds, in the nearest whole number of grid steps; ties go up."""
    clipped = min(max(value, bounds[0]), bounds[1])
    return math.floor(Fraction(clipped) / step(bounds) + Fraction(1, 2))


def absent(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def row_values(statistic, value):
    """(bin, whole numbers) that one row adds, or None where it takes no part."""
    one = 2**20 if getattr(statistic, "scaled", False) else 1
    match statistic.kind:
        case "count" | "entities":
            return 0, (one,)
        case "top":
            known = value in statistic.categories
            return (statistic.categories.index(value), (1,)) if known else None
        case "mean" if absent(value) and statistic.nulls is not None:
            value = statistic.nulls
    if absent(value):
        return None
    match statistic.kind:
        case "sum":
            return 0, (units(value, statistic.bounds),)
        case "mean":
            ends = [units(end, statistic.bounds) for end in statistic.bounds]
            return 0, (units(value, statistic.bounds) - sum(ends) // 2, 1)
        case "geometric mean":
            logs = tuple(map(math.log, statistic.bounds))
            value = math.log(min(max(value, statistic.bounds[0]), statistic.bounds[1]))
            return 0, (units(value, logs) - sum(units(end, logs) for end in logs) // 2, 1)
        case "variance":
            return 0, moments([(units(value, statistic.bounds), statistic.bounds)])
        case "histogram":
            bins = list(itertools.pairwise(statistic.edges))
            for index, (low, high) in enumerate(bins):
                if low <= value < high or (value == high and index == len(bins) - 1):
                    return index, (one,)
            return None
        case "quantile":
            points, size = candidates(statistic), step(statistic.bounds)
            ends = (float(points[0] * size), float(points[-1] * size))
            steps = Fraction(min(max(value, ends[0]), ends[1])) / size
            return sum((c < steps) + (c <= steps) for c in points) - 1, (1,)
    raise AssertionError(statistic.kind)


def moments(columns):
    """What a row adds to the sums of 1, of distances and of their products, from its grid steps.

    Each product is divided by the largest there is, so that it is at most 1, and written as a whole
    number of a unit between 1 and 17/16 of 2^-30; of a square half of its largest is subtracted.
    """
    steps, most = [1], [1]
    for value, bounds in columns:
        low, high = (units(end, bounds) for end in bounds)
        steps.append(value - (low + high) // 2)
        most.append(high - (low + high) // 2)
    result = []
    places = range(1, len(steps))
    pairs = itertools.combinations_with_replacement(places, 2)
    for i, j in ((0, 0), *((0, i) for i in places), *pairs):
        unit = Fraction(1, 2**30 // (most[i] * most[j]) or 1)
        if i:
            coarser = 1
            while coarser * 2**30 < 16 * most[i] * most[j]:
                coarser *= 2
            unit = Fraction(coarser, coarser * 2**30 // (most[i] * most[j]))
        number = math.floor(Fraction(steps[i] * steps[j]) / unit + Fraction(1, 2))
        half = math.floor(Fraction(most[i] ** 2) / unit + Fraction(1, 2)) // 2
        result.append(number - half if i == j != 0 else number)
    return tuple(result)


def candidates(statistic):
    """A quantile's candidates in grid steps: as many as asked for, or the whole grid."""
    return points(statistic.bounds, statistic.candidates)


@functools.cache
def points(bounds, number):
    low, high = (units(end, bounds) for end in bounds)
    last = min(number - 1, high - low)
    return [low + math.floor(Fraction(j * (high - low), last)) for j in range(last + 1)]


def shape(statistic):
    """(bins, values) of the engine's totals."""
    match statistic.kind:
        case "mean" | "geometric mean":
            return 1, 2
        case "variance":
            return 1, 3
        case "histogram":
            return len(statistic.edges) - 1, 1
        case "quantile":
            return 2 * len(candidates(statistic)) - 1, 1
        case "top":
            return len(statistic.categories), 1
    return 1, 1


def totals(statistic, rows: Iterable[Row], keys: Sequence[str] | None):
    """What the engine hands on for rows that bounding left: shape (cells, bins, values)."""
    bins, values = shape(statistic)
    result = np.zeros((1 if keys is None else len(keys), bins, values), dtype=np.int64)
    seen = set()
    for row in rows:
        if not row.keep or row.entity is None or (keys is not None and row.group not in keys):
            continue
        value = row.category if statistic.kind == "top" else row.value
        if (added := row_values(statistic, value)) is None:
            continue
        cell = 0 if keys is None else list(keys).index(row.group)
        if statistic.kind == "entities":
            if (row.entity, cell) in seen:
                continue
            seen.add((row.entity, cell))
        result[cell, added[0]] += added[1]
    return result


def scaled(vector, limit):
    """One entity's vector, cut to L1 norm <= limit; every number rounded towards 0."""
    norm = sum(abs(int(number)) for number in vector.flat)
    if norm <= limit:
        return vector
    cut = [math.trunc(Fraction(int(number) * limit, norm)) for number in vector.flat]
    return np.array(cut, dtype=np.int64).reshape(vector.shape)


def choices(rows: Sequence[Row], most: int) -> Iterator[tuple[Row, ...]]:
    """Every way to own at most `most` rows out of these, the same row twice included."""
    for size in range(most + 1):
        yield from itertools.combinations_with_replacement(rows, size)


class Move(NamedTuple):
    """How far two vectors lie apart."""

    l1: int
    l2_squared: int
    moved: int


def move(one, other) -> Move:
    apart = [abs(int(a) - int(b)) for a, b in zip(one.flat, other.flat, strict=True)]
    return Move(sum(apart), sum(a * a for a in apart), sum(a > 0 for a in apart))


def score_move(one, other) -> int:
    """Sum over the cells (rows of scores) of the largest change of a score."""
    return sum(
        max(abs(int(a) - int(b)) for a, b in zip(before, after, strict=True))
        for before, after in zip(one, other, strict=True)
    )


def scores(statistic, values: Sequence[int]):
    """A quantile's scores by their definition, from the grid steps of the rows of one cell."""
    q = Fraction(str(statistic.quantile))
    return [
        -abs((1 - q) * sum(x < c for x in values) - q * sum(x > c for x in values))
        for c in candidates(statistic)
    ]
