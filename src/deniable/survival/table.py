"""One table of whole people from numbers with noise, in whole-number arithmetic.

All that is published follows from this table, so it agrees with itself: numbers at risk never
rise, and no more people have the event than are at risk.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import attrs

# --- The cells that everybody is in, and their order.
#
# First those who take no part, then of each group those with the event in bins 1 … B, those who are
# observed beyond the last bin, and those who are censored in bins B … 1. In this order everybody
# observed after a time, everybody with the event up to a time and every group are neighbours of one
# another: an *arc* of cells. Bin k holds the times above the k-1st time of the grid and up to the
# kth; the first one holds 0 too.

OTHER = 0
"""The cell of people who take no part: no time or no event, another group, outside `where`."""


@attrs.frozen
class Layout:
    """How many groups and bins there are.

    Examples
    --------
    >>> layout = Layout(groups=2, bins=3)
    >>> layout.cells, layout.event(1, 0), layout.beyond(1), layout.censored(1, 0)
    (15, 8, 11, 14)
    >>> layout.still_observed(1, 2)
    range(10, 13)
    """

    groups: int
    bins: int

    @property
    def width(self) -> int:
        """Cells of a group."""
        return 2 * self.bins + 1

    @property
    def cells(self) -> int:
        """All cells."""
        return self.groups * self.width + 1

    def start(self, group: int) -> int:
        """The first cell of a group."""
        return 1 + group * self.width

    def event(self, group: int, place: int) -> int:
        """The cell of people with the event in a bin; the first bin is at place 0."""
        return self.start(group) + place

    def beyond(self, group: int) -> int:
        """The cell of people who are observed beyond the last bin."""
        return self.start(group) + self.bins

    def censored(self, group: int, place: int) -> int:
        """The cell of people who are censored in a bin."""
        return self.start(group) + 2 * self.bins - place

    def still_observed(self, group: int, after: int) -> range:
        """The cells of people who are observed after so many bins."""
        return range(self.event(group, after), self.censored(group, after) + 1)

    @property
    def rows(self) -> tuple[int, ...]:
        """The cells in the order of the results: by group events, then censored, then beyond."""
        bins = range(self.bins)
        return (
            OTHER,
            *(
                cell
                for group in range(self.groups)
                for cell in (
                    *(self.event(group, place) for place in bins),
                    *(self.censored(group, place) for place in bins),
                    self.beyond(group),
                )
            ),
        )


@attrs.frozen
class Estimates:
    """Unbiased numbers of people in each cell: fractions of one denominator, which is above 0."""

    numerators: tuple[int, ...]
    denominator: int = 1

    def total(self) -> int:
        """Return the nearest whole number to their sum, halves up, and no less than 0."""
        return max(_rounded(sum(self.numerators), self.denominator), 0)


@attrs.frozen
class Group:
    """Whole people of one group: with the event and censored in each bin, and beyond the last."""

    events: tuple[int, ...]
    censored: tuple[int, ...]
    beyond: int

    @property
    def observed(self) -> list[int]:
        """How many are observed after 0 bins, after 1, … and after the last."""
        leaving = [d + c for d, c in zip(self.events, self.censored, strict=True)]
        return [*itertools.accumulate(reversed(leaving), initial=self.beyond)][::-1]


def whole_by_projection(estimates: Estimates, total: int) -> list[int]:
    """Return whole numbers with this sum from the nearest numbers that are not negative.

    The nearest ones are added up from the first cell on, these sums are rounded, halves up, and
    the differences are taken.

    >>> whole_by_projection(Estimates((3, 5, 4, -2)), 10)
    [2, 5, 3, 0]
    """
    if total <= 0:
        return [0] * len(estimates.numerators)
    kept, shift = 0, 0
    excess = -total * estimates.denominator
    for count, value in enumerate(sorted(estimates.numerators, reverse=True), start=1):
        excess += value
        if value * count <= excess:
            break
        kept, shift = count, excess
    nearest = (max(value * kept - shift, 0) for value in estimates.numerators)
    return _differences(
        _rounded(each, kept * estimates.denominator) for each in itertools.accumulate(nearest)
    )


def whole_by_sums(estimates: Estimates, total: int) -> list[int]:
    """Return whole numbers with this sum whose sums from the first cell on are nearest.

    The sums are replaced by the nearest ones that never fall, cut to 0 … `total` and rounded,
    halves up; then the differences are taken. `total` is the rounded sum of all.

    >>> whole_by_sums(Estimates((1, 6, 4, -1)), 10)
    [1, 6, 3, 0]
    """
    blocks = list[tuple[int, int]]()  # of neighbouring sums: their sum and their number
    for each in itertools.accumulate(estimates.numerators):
        block, number = each, 1
        while blocks and blocks[-1][0] * number >= block * blocks[-1][1]:
            before, more = blocks.pop()
            block, number = block + before, number + more
        blocks.append((block, number))
    return _differences(
        min(max(_rounded(block, number * estimates.denominator), 0), total)
        for block, number in blocks
        for _ in range(number)
    )


def groups_of(layout: Layout, cells: Sequence[int]) -> list[Group]:
    """Return the people of each group, from all cells in their order."""
    bins = range(layout.bins)
    return [
        Group(
            tuple(cells[layout.event(group, place)] for place in bins),
            tuple(cells[layout.censored(group, place)] for place in bins),
            cells[layout.beyond(group)],
        )
        for group in range(layout.groups)
    ]


def _rounded(numerator: int, denominator: int) -> int:
    """The nearest whole number, halves up."""
    return (2 * numerator + denominator) // (2 * denominator)


def _differences(sums: Iterable[int]) -> list[int]:
    return [later - earlier for earlier, later in itertools.pairwise((0, *sums))]
