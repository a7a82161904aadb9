"""The law of how many independent events happen: exact, by divide and conquer.

Only products and sums of non-negative numbers occur, so every probability is right to a relative
error far into the tails; beyond that, entries below `NEGLIGIBLE` are cut from wide laws.
"""

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.numerics.rounding import UNIT
from deniable.priors import _arrays

Floats = NDArray[np.float64]

BLOCK = 32
"""Events whose law is built one after the other, all blocks at once."""
BLOCKS_AT_ONCE = 4096
"""Blocks whose intermediate laws are kept together: 32 MiB."""
UNCUT = 4096
"""Laws of at most so many entries keep them all."""
NEGLIGIBLE = 1e-60
"""Entries below this are cut from the ends of wider laws."""
UNDERFLOW = 1e-300
"""More than all that is lost below the least float: at most 10^9 sums of terms of 5e-324."""


@attrs.frozen
class SizeLaw:
    """Pr[size = least + j] for each j, shape (n_sizes,), and how far from the truth it may be.

    Every probability s is off by at most `relative_error` · s + `cut`, the total that is left out.
    """

    least: int
    masses: Floats = attrs.field(eq=_arrays.ALIKE, repr=False)
    relative_error: float
    cut: float

    def probability(self, size: ArrayLike) -> Floats:
        """Pr[size] for whole numbers of any shape; 0 outside."""
        at = np.asarray(size, dtype=np.int64) - self.least
        inside = (at >= 0) & (at < len(self.masses))
        return np.where(inside, self.masses[np.where(inside, at, 0)], 0.0)

    @property
    def mean(self) -> float:
        """Expected size."""
        return float(self.least + self.masses @ np.arange(len(self.masses)))


@attrs.frozen
class _Node:
    """A part of the events: its law from size `least` on, cut at both ends."""

    least: int
    masses: Floats


def size_law(probabilities: ArrayLike) -> SizeLaw:
    """The law of the number of independent events that happen; a million in seconds."""
    inside = _arrays.probabilities(probabilities, "probabilities")
    return size_law_of(inside, 1 - inside)


def size_law_of(inside: Floats, outside: Floats) -> SizeLaw:
    """The same from both probabilities of each event, for those that lie near 1."""
    level = _leaves(inside, outside)
    error = 3 * UNIT * BLOCK * len(level)  # in a block an event costs two products and a sum
    cut = UNDERFLOW
    while len(level) > 1:
        level, rounded, lost = _merge(level)
        error += rounded
        cut += lost
    root = level[0]
    masses = root.masses[: len(inside) + 1 - root.least]  # the last block was filled up
    masses.setflags(write=False)
    return SizeLaw(root.least, masses, error / (1 - error), cut)


def without_each(inside: Floats, outside: Floats, size: int) -> tuple[float, Floats]:
    """Pr[size], and for each event Pr[size - 1 among the others]; (n_events,)."""
    # Reverse-mode differentiation of the tree: the second is the derivative of the first by the
    # event's probability of happening, and again a sum of products of non-negative numbers.
    levels = [_leaves(inside, outside)]
    while len(levels[-1]) > 1:
        levels.append(_merge(levels[-1])[0])
    root = levels[-1][0]
    at = size - root.least
    unit = np.zeros(len(root.masses))
    if not 0 <= at < len(unit):
        return 0.0, np.zeros(len(inside))
    unit[at] = 1.0
    others = [unit]
    for level, parents in zip(levels[-2::-1], levels[:0:-1], strict=True):
        # From the law of the rest at each entry of a parent to the same for its children.
        result: list[Floats] = []
        for left, right, parent, rest in zip(
            level[::2], level[1::2], parents, others, strict=False
        ):
            padded = np.zeros(len(left.masses) + len(right.masses) - 1)
            start = parent.least - left.least - right.least  # what the parent cut
            padded[start : start + len(rest)] = rest
            result.append(np.correlate(padded, right.masses, "valid"))
            result.append(np.correlate(padded, left.masses, "valid"))
        if len(level) % 2:
            result.append(others[-1])
        others = result
    (happens, fails), rest = _blocks(inside, outside), np.array(others)
    parts = [
        _within(happens[i : i + BLOCKS_AT_ONCE], fails[i : i + BLOCKS_AT_ONCE], rest[i:])
        for i in range(0, len(happens), BLOCKS_AT_ONCE)
    ]
    return float(root.masses[at]), np.concatenate(parts).ravel()[: len(inside)]


def _blocks(inside: Floats, outside: Floats) -> tuple[Floats, Floats]:
    """Both probabilities in rows of `BLOCK`, filled up with events that never happen."""
    n_blocks = max(-(-len(inside) // BLOCK), 1)
    never, always = np.zeros(n_blocks * BLOCK), np.ones(n_blocks * BLOCK)
    never[: len(inside)], always[: len(inside)] = inside, outside
    return never.reshape(n_blocks, BLOCK), always.reshape(n_blocks, BLOCK)


def _leaves(inside: Floats, outside: Floats) -> list[_Node]:
    happens, fails = _blocks(inside, outside)
    laws = np.zeros((len(happens), BLOCK + 1))
    laws[:, 0] = 1.0
    for j in range(BLOCK):
        laws = _one_more(laws, happens[:, j], fails[:, j])
    return [_Node(0, law) for law in laws]


def _one_more(laws: Floats, happens: Floats, fails: Floats) -> Floats:
    result = laws * fails[:, None]
    result[:, 1:] += laws[:, :-1] * happens[:, None]
    return result


def _merge(level: Sequence[_Node]) -> tuple[list[_Node], float, float]:
    """The next level, its rounding errors added up, and what it cuts."""
    result, rounded, lost = [], 0.0, 0.0
    for left, right in zip(level[::2], level[1::2], strict=False):
        masses = np.convolve(left.masses, right.masses)
        rounded += (min(len(left.masses), len(right.masses)) + 2) * UNIT
        least = left.least + right.least
        if len(masses) > UNCUT:
            kept = np.flatnonzero(masses >= NEGLIGIBLE)
            first, last = int(kept[0]), int(kept[-1]) + 1
            lost += NEGLIGIBLE * (len(masses) - (last - first))
            least, masses = least + first, masses[first:last]
        result.append(_Node(least, masses))
    if len(level) % 2:
        result.append(level[-1])
    return result, rounded, lost


def _within(happens: Floats, fails: Floats, others: Floats) -> Floats:
    """Derivatives by each event of a block, from the law of everything outside the block."""
    laws = np.zeros((len(happens), BLOCK + 1, BLOCK + 1))
    laws[:, 0, 0] = 1.0
    for j in range(BLOCK):
        laws[:, j + 1] = _one_more(laws[:, j], happens[:, j], fails[:, j])
    rest = others[: len(happens)]
    result = np.empty_like(happens)
    for j in reversed(range(BLOCK)):
        result[:, j] = (laws[:, j, :-1] * rest[:, 1:]).sum(axis=1)
        rest = np.column_stack(
            [fails[:, j, None] * rest[:, :-1] + happens[:, j, None] * rest[:, 1:], 0 * rest[:, -1]]
        )
    return result
