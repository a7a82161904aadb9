"""The exact distance score: how many genotypes must change before significance does.

A variant with x copies of an allele in cases and y in controls is significant if its allelic χ²
reaches a public c. The insignificant (x, y) fill an ellipse around the line of equal frequencies.
With d cases changed x rises by at most 2 min(d, k₂) + min((d − k₂)₊, k₁), where k₂ and k₁ cases
have 0 and 1 copies; lowering it and the controls are alike. So the plane of (cases changed,
controls changed) falls into nine rectangles, in which (x, y) moves along straight lines, and the
cheapest way out of a convex set, or into it, meets a side of a rectangle or the place where the
ellipse has the slope of the move. Each such candidate is one look into the ellipse's outline.
"""

from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.gwas.scores.outline import Integers, Line, Outline, outline

_CELLS = 2**22
"""Numbers in a block of the slow search."""


def signed_distance(cases: Integers, controls: Integers, threshold: float) -> Integers:
    """d if significant, 1 − d if not, where d genotypes must change for the opposite.

    Changing one genotype moves it by at most 1.

    Parameters
    ----------
    cases, controls : array of int64, shape (n_variants, 3 or 4)
        Individuals with 0, 1, 2 copies of an allele, and missing calls, of which there are none.
    threshold : float
        The public c > 0, in units of the allelic χ². A variant of which everybody has the same
        two alleles is not significant.

    Returns
    -------
    array of int64, shape (n_variants,)
        Between 1 − N and N; −N where no table of N individuals is significant.

    Raises
    ------
    InvalidArgument
        If calls are missing or rows differ in their sums.

    References
    ----------
    johnson-shmatikov-2013 (the score).

    Examples
    --------
    >>> signed_distance(np.array([[70, 10, 20]]), np.array([[30, 30, 40]]), 3.84).tolist()
    [21]
    """
    (r, n_cases), (s, n_controls) = complete(cases), complete(controls)
    bounds = outline(Line(n_cases, n_controls, threshold))
    distance = np.full(len(r), n_cases + n_controls + 1)
    significant = np.zeros(len(r), dtype=bool)
    for tables in (Tables(r, s), Tables(r[:, ::-1], s[:, ::-1])):
        above = tables.x > bounds.highest[tables.y]
        significant |= above
        distance[above] = _inwards(tables.at(above), bounds)
        outside = tables.at(~significant)
        distance[~significant] = np.minimum(distance[~significant], _outwards(outside, bounds))
    return np.where(significant, distance, 1 - distance)


def complete(counts: Integers) -> tuple[Integers, int]:
    """The three columns of genotypes and the number of individuals, the same in every row."""
    rows = np.asarray(counts, dtype=np.int64)
    if rows.ndim != 2 or rows.shape[1] not in (3, 4) or not len(rows):
        raise InvalidArgument(
            f"Expected counts of shape (n_variants, 3 or 4), n_variants >= 1, got {rows.shape}."
        )
    if rows[:, 3:].any():
        raise InvalidArgument(
            "Expected no missing calls, got some. Fill them by a rule that looks at nobody else."
        )
    individuals = rows[:, :3].sum(axis=1)
    if (individuals != individuals[0]).any():
        raise InvalidArgument("Expected every row to have the same sum, got several sums.")
    return rows[:, :3], int(individuals[0])


@attrs.frozen
class Tables:
    """Genotypes of cases and controls by copies of one allele, shape (n_variants, 3) each."""

    cases: Integers
    controls: Integers

    @property
    def x(self) -> Integers:
        """Copies in cases."""
        return np.asarray(self.cases[:, 1] + 2 * self.cases[:, 2])

    @property
    def y(self) -> Integers:
        """Copies in controls."""
        return np.asarray(self.controls[:, 1] + 2 * self.controls[:, 2])

    def at(self, which: NDArray[np.bool_]) -> "Tables":
        """Those of some variants."""
        return Tables(self.cases[which], self.controls[which])


@attrs.frozen
class Moves:
    """Individuals who can move their group's copies by 2, and those who can by 1."""

    twos: Integers
    ones: Integers

    def reach(self, changed: Integers) -> Integers:
        """The most that so many changed genotypes move the copies."""
        # 2 min(d, k₂) + min((d − k₂)₊, k₁)
        first = np.minimum(changed, self.twos)
        return np.asarray(2 * first + np.minimum(changed - first, self.ones))

    def needed(self, copies: Integers, never: int) -> Integers:
        """The fewest changed genotypes that move by at least so many copies, else `never`."""
        # The inverse: ⌈c/2⌉ while twos last, then one copy a change.
        beyond = copies - 2 * self.twos
        count = np.where(beyond > 0, self.twos + beyond, (copies + 1) >> 1)
        return np.where(beyond > self.ones, never, np.maximum(count, 0))

    @property
    def corners(self) -> tuple[Integers, Integers, Integers]:
        """Where the slope changes: changed genotypes."""
        return np.zeros_like(self.twos), self.twos, self.twos + self.ones


def _outwards(tables: Tables, bounds: Outline) -> Integers:
    """Fewest changes until the cases have the allele significantly more often; N + 1 for never.

    Of all points with d₁ + d₂ fixed, those in the ellipse are one run, so a way out on the
    segment leaves one of its ends, on a side of the rectangle, outside too.
    """
    x, y = tables.x, tables.y
    rise = Moves(tables.cases[:, 0], tables.cases[:, 1])
    fall = Moves(tables.controls[:, 2], tables.controls[:, 1])
    never = bounds.line.individuals + 1
    best = np.full(len(x), never)
    # Controls changed up to a corner d, then the fewest cases that leave the ellipse above y −
    # reach(d).
    for d in fall.corners:
        wanted = bounds.highest[y - fall.reach(d)] + 1 - x
        np.minimum(best, d + rise.needed(wanted, never), out=best)
    # Cases changed up to a corner d, then the fewest controls that do.
    for d in rise.corners:
        wanted = y - bounds.greatest_below(x + rise.reach(d))
        np.minimum(best, d + fall.needed(wanted, never), out=best)
    return best


def _inwards(tables: Tables, bounds: Outline) -> Integers:
    """Fewest changes until variants, significant for their cases, are so no more.

    Into the half-plane-like set beyond the upper arc the least d₁ + d₂ is convex in d₂. It is a
    lower bound, attained if no lattice point was jumped over; where one may have been, the
    search looks at every y.
    """
    x, y = tables.x, tables.y
    fall = Moves(tables.cases[:, 2], tables.cases[:, 1])
    rise = Moves(tables.controls[:, 0], tables.controls[:, 1])
    best = np.full(len(x), bounds.line.individuals + 1)
    sure = np.zeros(len(x), dtype=bool)
    lowest = bounds.lowest
    # d controls bring y to `to`; then the fewest cases bring x down to the arc there. It counts if
    # some whole x between the arc's two sides is reached.
    for d in _meeting(x, y, fall, rise, bounds):
        to = y + rise.reach(d)
        down = fall.needed(x - bounds.highest[to], 0)
        start = np.maximum(lowest[to], x - fall.reach(down))
        met = start <= np.minimum(bounds.highest[to], x)
        sure = np.where(d + down < best, met, sure | (met & (d + down == best)))
        np.minimum(best, d + down, out=best)
    unsure = ~sure
    if unsure.any():
        best[unsure] = _searched(tables.at(unsure), bounds)
    return best


def _meeting(
    x: Integers, y: Integers, fall: Moves, rise: Moves, bounds: Outline
) -> Iterator[Integers]:
    """Numbers of changed controls among which the cheapest way in is found."""
    yield from rise.corners
    most = rise.twos + rise.ones
    # Where x has come to a corner of its own moves: the row at which that is enough, and the one
    # before.
    for d in fall.corners:
        least = rise.needed(bounds.least_beside(x - fall.reach(d)) - y, 0)
        yield np.minimum(least, most)
        yield np.clip(least - 1, 0, most)
    # Where the arc has the slope of the moves, to within two rows.
    for bend in bounds.bends:
        near = rise.needed(np.minimum(bend - y, rise.reach(most)), 0)
        for offset in (-2, -1, 0, 1):
            yield np.clip(near + offset, 0, most)


def _searched(tables: Tables, bounds: Outline) -> Integers:
    """Fewest changes until insignificance, by a look at every y."""
    rows = np.concatenate([tables.cases, tables.controls], axis=1)
    distinct, back = np.unique(rows, axis=0, return_inverse=True)
    block = max(_CELLS // len(bounds.highest), 1)
    found = [
        _search_block(Tables(part[:, :3], part[:, 3:]), bounds)
        for part in (distinct[i : i + block] for i in range(0, len(distinct), block))
    ]
    return np.concatenate(found)[back.ravel()]


def _search_block(tables: Tables, bounds: Outline) -> Integers:
    never = bounds.line.individuals + 1
    x, y = tables.x[:, None], tables.y[:, None]
    to = np.arange(len(bounds.highest))[None, :]
    low, high = bounds.lowest[None, :], bounds.highest[None, :]
    cases, controls = tables.cases[:, :, None], tables.controls[:, :, None]
    # Changes of cases to come down to the arc or up to it, plus changes of controls to reach row
    # y.
    cost = (
        Moves(cases[:, 2], cases[:, 1]).needed(x - high, never)
        + Moves(cases[:, 0], cases[:, 1]).needed(low - x, never)
        + Moves(controls[:, 0], controls[:, 1]).needed(to - y, never)
        + Moves(controls[:, 2], controls[:, 1]).needed(y - to, never)
    )
    return np.asarray(np.where(low <= high, cost, never).min(axis=1))
