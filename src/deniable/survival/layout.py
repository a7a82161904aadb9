"""The cells that everybody is in, and their order.

First those who take no part, then of each group those with the event in bins 1 … B, those who are
observed beyond the last bin, and those who are censored in bins B … 1. In this order everybody who
is observed after a time, everybody with the event up to a time and every group are neighbours of
one another: an *arc* of cells. Bin k holds the times above the k-1st time of the grid and up to
the kth; the first one holds 0 too.
"""

from __future__ import annotations

import attrs

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
