"""Synthetic rows that follow the noisy margins: rows to share, at no further budget.

Every margin gets a target of the wanted number of rows, lower margins first: along each axis in
turn, every line of its table is moved to the nearest non-negative numbers that sum to what the
margin without this axis says, a few times. Margins of fewer columns are known better; what they
say is empty is emptied so. Rows begin with independent columns that have their own targets
exactly. Then each of some rounds goes through the largest margins in random order and moves rows
out of cells that have too many into cells that have too few, as PrivSyn does (zhang-2021): half of
them become a copy of a row that is already there, half get the margin's own values alone.

Whole numbers only, and raw words of the counter-based generator Philox, whose key is a digest of
public and noisy numbers: the same rows on every machine, by everybody who has the release. Row k is
nobody; margins are followed, other patterns and standard errors are not.

References
----------
zhang-2021 (gradual update).
"""

import hashlib
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.random import Philox  # noqa: TID251  raw words from a public key, no noise of a release
from numpy.typing import NDArray

from deniable.crosstabs.margins.layout import (
    Counts,
    Design,
    Margin,
    MarginSet,
    count_rows,
    rebuild_counts,
)
from deniable.crosstabs.margins.reconstruct import (
    FractionTable,
    apportion,
    project_lines,
    reconstruct,
)
from deniable.errors import validate
from deniable.publish.query import HalfWidth

Words = NDArray[np.uint64]

ROUNDS = 10
"""How often each table is followed; on Adult 30 rounds gain 1 % at ρ = 0.0155, 4 % at 0.128."""
MOST_TABLES = 300
"""Tables that are followed: of more than these those that say most of how columns depend."""
MOST_COUNTED = 2**18
"""Rows whose counts are whole tables; some ten seconds for 78 tables of 13 columns."""
MOST_WORK = 2**26
"""Rows times tables that are followed, of rows to share: about a minute, and a minute to check."""
_SLOWDOWN = 5  # the slowdown of moves: in round r a share 5/(5 + r) of what is wrong is moved
_RADIX = 2**16  # cells up to which a stable sort of their positions is by radix
_MEAN_SIZE = 0.41  # mean size of normal noise in half-widths: √(2/π)/1.96
_SWEEPS = 3  # how often lines of every axis are moved; more change nothing that noise does not
_LARGEST = 2**62  # sizes times cells below it fit 64 bits; else Python's integers are used
_DOMAIN = b"deniable synthetic rows 1\n"


@attrs.frozen
class Reproduction:
    """How well rows reproduce a margin's target: the noisy table without negative numbers.

    `total_variation`, in [0, 1], is half the sum of what cells differ by, as a share of the rows;
    `largest` is the largest difference, in rows. Rows were moved for the margin where it
    `is_followed`, or for one that contains it.
    """

    margin: Margin
    total_variation: float
    largest: int
    is_followed: bool


@attrs.frozen(eq=False)
class SyntheticRows:
    """Cells of rows that nobody owns.

    `columns`, of shape (n_columns, n_rows), is the cell of each row in each column. `margins` are
    the rows' own counts: non-negative whole numbers that agree. There is a reproduction a margin,
    the total excepted.
    """

    columns: NDArray[np.int32]
    margins: Mapping[Margin, Counts]
    reproductions: tuple[Reproduction, ...]


def synthetic_rows(
    design: Design,
    noisy: Counts,
    n_rows: int,
    *,
    public_total: int | None = None,
    widths: Mapping[Margin, HalfWidth] | None = None,
    rounds: int = ROUNDS,
) -> SyntheticRows:
    """Rows that follow the noisy margins, from noisy and public numbers alone.

    `n_rows` is a public number; columns in no margin get any of their cells alike. `widths` tell
    dependence from noise where there are more than `MOST_TABLES` tables, each followed `rounds`
    times.

    >>> from deniable.crosstabs.margins.layout import close_downwards
    >>> from deniable.crosstabs.margins.layout import measure, rebuild_counts
    >>> margins = close_downwards((2, 3), [(0, 1)])
    >>> design = Design(margins, (1024, 654, 497, 267))
    >>> vector = measure(design, rebuild_counts(margins, np.array([5, 2, 1, 0, 3, 4])))
    >>> synthetic_rows(design, vector, 30).margins[0, 1].tolist()
    [[10, 4, 2], [0, 6, 8]]
    """
    n = validate.integer(n_rows, "n_rows", least=1)
    steps = validate.integer(rounds, "rounds", least=0)
    margins = design.margins
    # The key is 128 bits of a digest of everything that rows depend on.
    public = (margins.sizes, margins.margins, design.multipliers, str(design.basis))
    digest = hashlib.sha256(_DOMAIN + repr((public, public_total, (n, steps))).encode())
    digest.update(np.ascontiguousarray(noisy, "<i8").tobytes())
    words = Philox(key=int.from_bytes(digest.digest()[:16], "little")).random_raw
    tables = reconstruct(design, noisy, public_total=public_total)
    targets = _targets(margins, tables, n)
    columns = np.empty((len(margins.sizes), n), np.int32)
    for i, size in enumerate(margins.sizes):
        own = targets[i,] if (i,) in targets else np.array(apportion(n, [1] * size))
        columns[i] = np.repeat(np.arange(size), own)[_shuffled(words(n))]
    followed = _followed(margins, tables, widths)
    for step in range(steps):
        columns = columns[:, _shuffled(words(n))]
        for place in _shuffled(words(len(followed))) if followed else ():
            margin = followed[place]
            _follow(columns, margin, margins.shape(margin), targets[margin], step, words)
    counts = count_rows(margins, list(columns))
    inside = [set(margin) for margin in followed]
    result = []
    for margin in margins.margins[1:]:
        apart = np.abs(counts[margin].reshape(-1) - targets[margin])
        is_followed = any(set(margin) <= above for above in inside)
        result.append(
            Reproduction(margin, int(apart.sum()) / (2 * n), int(apart.max()), is_followed)
        )
    return SyntheticRows(columns, counts, tuple(result))


def whole_tables(
    design: Design, noisy: Counts, *, public_total: int | None = None
) -> dict[Margin, Counts]:
    """Non-negative whole numbers for all margins, near the unbiased ones; they add up.

    Where one margin contains all others, it is the nearest such table that sums to the rounded
    total, and the others are its sums. Else such tables need not exist for given margins, and these
    are counts of synthetic rows: as many as the total says, or, beyond `MOST_COUNTED`, rows that
    count 2, 4, 8 … times each.

    >>> from deniable.crosstabs.margins.layout import close_downwards
    >>> from deniable.crosstabs.margins.layout import measure, rebuild_counts
    >>> margins = close_downwards((2, 3), [(0, 1)])
    >>> design = Design(margins, (1024, 654, 497, 267))
    >>> vector = measure(design, rebuild_counts(margins, np.array([5, 2, -1, 0, 3, 4])))
    >>> whole_tables(design, vector)[0, 1].tolist()
    [[5, 2, 0], [0, 3, 3]]
    """
    margins = design.margins
    tables = reconstruct(design, noisy, public_total=public_total)
    total = tables[()]
    n = (2 * int(total.numerators) + total.denominator) // (2 * total.denominator)
    if n <= 0:
        return {margin: np.zeros(margins.shape(margin), np.int64) for margin in margins.margins}
    largest = margins.maximal()
    if len(largest) == 1:
        cells = _targets(margins, tables, n)[largest[0]] if largest[0] else np.array([n])
        return rebuild_counts(margins, cells)
    counted = min(MOST_COUNTED, MOST_WORK // min(len(largest), MOST_TABLES))
    doublings = max(n.bit_length() - counted.bit_length(), 0)
    rows = synthetic_rows(design, noisy, max(n >> doublings, 1), public_total=public_total)
    return {margin: counts << doublings for margin, counts in rows.margins.items()}


def _shuffled(words: Words) -> NDArray[np.intp]:
    """Positions in the order of their words."""
    return np.argsort(words, kind="stable")


def _targets(
    margins: MarginSet, tables: Mapping[Margin, FractionTable], n_rows: int
) -> dict[Margin, Counts]:
    """Return so many rows for each margin but the total, flat."""
    total = tables[()]
    rows = max(int(total.numerators), total.denominator)  # no rows or fewer: as one row
    largest = max(margins.cells(margin) for margin in margins.margins)
    # Bits of a row count in units times the cells; 4 are left for noise before 64 are too few.
    unit = 1 << max(58 - (n_rows * largest).bit_length(), 0)
    near: dict[Margin, NDArray[Any]] = {(): np.array(n_rows * unit)}
    targets = {}
    for margin in margins.margins[1:]:
        wanted = tables[margin]
        share = Fraction(n_rows * unit * total.denominator, rows * wanted.denominator)
        numbers = [
            number * share.numerator // share.denominator
            for number in wanted.numerators.reshape(-1).tolist()
        ]
        fits = max(map(abs, numbers)) * len(numbers) < _LARGEST
        table = np.array(numbers, np.int64 if fits else object).reshape(margins.shape(margin))
        for _ in range(_SWEEPS if len(margin) > 1 else 1):
            for axis in range(len(margin)):
                sums = near[margin[:axis] + margin[axis + 1 :]].reshape(-1)
                moved = np.moveaxis(table, axis, -1)
                lines = project_lines(moved.reshape(len(sums), -1), sums)
                table = np.moveaxis(lines.reshape(moved.shape), -1, axis)
        near[margin] = table
        weights = near[margin].reshape(-1).tolist()
        targets[margin] = np.array(apportion(n_rows, weights), np.int64)
    return targets


def _followed(
    margins: MarginSet,
    tables: Mapping[Margin, FractionTable],
    widths: Mapping[Margin, HalfWidth] | None,
) -> list[Margin]:
    """The largest margins, or of many those whose columns depend most, noise apart.

    Copies of rows move every column, so each one's own margin is followed where no other is.
    """
    largest = [margin for margin in margins.maximal() if margin]
    if len(largest) <= MOST_TABLES:
        return largest
    rows = max(float(tables[()].values()), 1.0)

    def dependence(margin: Margin) -> float:
        independent = np.array(rows)
        for i in margin:
            independent = np.multiply.outer(independent, tables[i,].values() / rows)
        distance = np.abs(tables[margin].values() - independent).reshape(-1)
        noise = 0.0 if widths is None else _MEAN_SIZE * widths[margin].value
        return math.fsum(distance.tolist()) - noise * len(distance)

    several = [margin for margin in largest if len(margin) > 1]
    several = sorted(several, key=lambda margin: (-dependence(margin), margin))[:MOST_TABLES]
    covered = {i for margin in several for i in margin}
    return [*several, *(m for m in margins.margins if len(m) == 1 and m[0] not in covered)]


def _follow(
    columns: NDArray[np.int32],
    margin: Margin,
    shape: tuple[int, ...],
    target: Counts,
    step: int,
    words: Any,
) -> None:
    """Move rows towards one table, in place."""
    cells = np.zeros(columns.shape[1], np.int64)
    for i, size in zip(margin, shape, strict=True):
        cells = cells * size + columns[i]
    cells = cells.astype(np.uint16) if math.prod(shape) <= _RADIX else cells
    now = np.bincount(cells, minlength=len(target))
    missing, excess = np.maximum(target - now, 0), np.maximum(now - target, 0)
    wrong = int(missing.sum())
    moved = _SLOWDOWN * wrong // (_SLOWDOWN + step)
    if not moved:
        return
    order = np.argsort(cells, kind="stable")
    first = np.cumsum(now) - now
    # From each cell that has too many so many rows in turn, from a random one on.
    crowded = np.flatnonzero(excess)
    number = excess[crowded]
    turn = np.arange(wrong) - np.repeat(np.cumsum(number) - number, number)
    begin = _below(words(len(crowded)), now[crowded])
    turn = (np.repeat(begin, number) + turn) % np.repeat(now[crowded], number)
    candidates = order[np.repeat(first[crowded], number) + turn]
    leaving = candidates[_shuffled(words(wrong))[:moved]]
    places = np.repeat(np.arange(len(target)), missing)[_shuffled(words(wrong))[:moved]]
    # One half copies a row that is there, where there is one; the others change these values alone.
    copied = (np.arange(moved) < moved // 2) & (now[places] > 0)
    there = places[copied]
    columns[:, leaving[copied]] = columns[
        :, order[first[there] + _below(words(len(there)), now[there])]
    ]
    values = np.unravel_index(places[~copied], shape)
    for i, column in zip(margin, values, strict=True):
        columns[i, leaving[~copied]] = column


def _below(words: Words, bounds: Counts) -> Counts:
    """Whole numbers below each bound; the remainder's bias is below 2^−30."""
    return (words % bounds.astype(np.uint64)).astype(np.int64)
