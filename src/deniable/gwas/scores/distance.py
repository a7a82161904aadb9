"""Exact distances to significance: by genotypes that change, and by exchanges."""

import math
from collections.abc import Iterator
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas.genotypes import Integers, Rows
from deniable.gwas.scores.adjacency import sizes

_MARGIN = 1e-12
"""Far above the relative error of the five products and sums below, which is less than 1e-15."""


@attrs.frozen
class Line:
    r"""The public numbers that decide significance.

    R cases and S controls, each >= 1, and c > 0, in units of the allelic χ². x of 2R alleles in
    cases and y of 2S in controls are significant if the allelic χ² reaches c,

    .. math:: 2N (xS - yR)^2 \ge c R S (x + y)(2N - x - y), \quad 0 < x + y < 2N.

    Comparisons are made in float64 where its error cannot matter and in whole numbers where it can.
    """

    cases: int
    controls: int
    threshold: float

    def __attrs_post_init__(self) -> None:
        sizes(self.cases, self.controls)
        validate.positive(self.threshold, "threshold")

    @property
    def individuals(self) -> int:
        """N = R + S."""
        return self.cases + self.controls

    @property
    def level(self) -> float:
        """c, or a number above every χ² where c is larger still; no χ² exceeds 2N."""
        return min(self.threshold, 4.0 * self.individuals)

    def is_reached(self, x: Integers, y: Integers) -> NDArray[np.bool_]:
        """Whether the allelic χ² of each pair of allele counts is at least c, exactly.

        A variant of which everybody has the same two alleles is not significant.
        """
        # 2N (xS − yR)² >= c R S t (2N − t), t = x + y, in floats; where both sides are close, in
        # whole numbers.
        total = x + y
        rest = 2 * self.individuals - total
        imbalance = (x * self.controls - y * self.cases).astype(np.float64)
        left = 2.0 * self.individuals * imbalance**2
        right = self.level * float(self.cases * self.controls) * (total * rest)
        is_reached = (left >= right) & (total > 0) & (rest > 0)
        (close,) = np.nonzero((np.abs(left - right) <= _MARGIN * right) & (total > 0) & (rest > 0))
        if len(close):
            pairs, back = np.unique(np.stack([x[close], y[close]]), axis=1, return_inverse=True)
            r, s, alleles = self.cases, self.controls, 2 * self.individuals
            scale = Fraction(self.level) * (r * s)
            exact = [
                alleles * (a * s - b * r) ** 2 >= scale * ((a + b) * (alleles - a - b))
                for a, b in pairs.T.tolist()
            ]
            is_reached[close] = np.array(exact)[back.ravel()]
        return is_reached


@attrs.frozen
class Outline:
    """The ellipse of insignificance by rows y = 0 … 2S and columns x = 0 … 2R.

    For each y `highest` is the greatest x that is not significant for its cases; never falling, (2S
    + 1,). It has the slopes 2, 1 and ½ at the bends, to within 1.
    """

    line: Line
    highest: Integers
    bends: tuple[int, ...]

    @property
    def lowest(self) -> Integers:
        """Return for each y the least x that is not significant for its controls."""
        return np.asarray(2 * self.line.cases - self.highest[::-1])

    def greatest_below(self, x: Integers) -> Integers:
        """The greatest y beside which x is significant for its cases; −1 where none is."""
        return np.searchsorted(self.highest, x, side="left") - 1


def outline(line: Line) -> Outline:
    """The ellipse's outline, from a floating-point guess that is corrected exactly."""
    r, s = line.cases, line.controls
    y = np.arange(2 * s + 1)
    # A guess from the arc's formula, then exact steps until x is the last that is not significant.
    # It is about the larger x with (xS − yR)² = κ (x + y)(2N − x − y), that is
    # (S² + κ)x² − 2(SRy + κ(N − y))x + R²y² − κy(2N − y) = 0.
    n, kappa = line.individuals, line.level * r * s / (2 * line.individuals)
    flat, floats = y * r // s, y.astype(np.float64)
    half = s * r * floats + kappa * (n - floats)
    constant = (r * floats) ** 2 - kappa * floats * (2 * n - floats)
    arc = (half + np.sqrt(np.maximum(half**2 - (s * s + kappa) * constant, 0.0))) / (s * s + kappa)
    x = np.clip(np.floor(arc).astype(np.int64), flat, 2 * r)
    while (high := line.is_reached(x, y) & (x > flat)).any():
        x = x - high
    while (low := (x < 2 * r) & ~line.is_reached(np.minimum(x + 1, 2 * r), y)).any():
        x = x + low
    # Rows where the upper arc rises by 2, 1 and ½ a row. In t = x + y and l = xS − yR the arc is
    # l = √κ √(N² − (t − N)²), of slope −√κ tan φ at t = N + N sin φ; x rises by m a row where
    # dl/dt = (mS − R)/(m + 1).
    width = math.sqrt(kappa)
    rows = []
    for slope in (2.0, 1.0, 0.5):
        angle = math.atan2(-(slope * s - r) / (slope + 1), width)
        t, imbalance = n + n * math.sin(angle), width * n * math.cos(angle)
        rows.append(min(max(round((t * s - imbalance) / n), 0), 2 * s))
    return Outline(line, x, tuple(rows))


# A variant with x copies of an allele in cases and y in controls is significant if its allelic χ²
# reaches a public c. The insignificant (x, y) fill an ellipse around the line of equal
# frequencies. With d cases changed x rises by at most 2 min(d, k₂) + min((d − k₂)₊, k₁), where k₂
# and k₁ cases have 0 and 1 copies; lowering it and the controls are alike. So the plane of (cases
# changed, controls changed) falls into nine rectangles, in which (x, y) moves along straight
# lines, and the cheapest way out of a convex set, or into it, meets a side of a rectangle or the
# place where the ellipse has the slope of the move. Each such candidate is one look into the
# ellipse's outline.


_CELLS = 2**22
"""Numbers in a block of the slow search."""


def signed_distance(cases: Integers, controls: Integers, threshold: float) -> Integers:
    """d if significant, 1 − d if not, where d genotypes must change for the opposite.

    Counts are of shape (n_variants, 3 or 4), without missing calls; c > 0 is in units of the
    allelic χ². A variant of which everybody has the same two alleles is not significant. Changing
    one genotype moves it by at most 1. It lies between 1 − N and N; −N where no table of N
    individuals is significant.

    References
    ----------
    johnson-shmatikov-2013 (the score).
    """
    (r, n_cases), (s, n_controls) = complete(cases), complete(controls)
    bounds = outline(Line(n_cases, n_controls, threshold))
    distance = np.full(len(r), n_cases + n_controls + 1)
    significant = np.zeros(len(r), dtype=bool)
    for tables in (Tables(r, s), Tables(r[:, ::-1], s[:, ::-1])):
        above = tables.x > bounds.highest[tables.y]
        significant |= above
        distance[above] = _inwards(tables.take(above), bounds)
        outside = tables.take(~significant)
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
class Tables(Rows):
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

    def fewest_changes(self, copies: Integers, never: int) -> Integers:
        """The fewest changed genotypes that move by at least so many copies, else `never`."""
        # The inverse: ⌈c/2⌉ while twos last, then one copy a change.
        beyond = copies - 2 * self.twos
        count = np.where(beyond > 0, self.twos + beyond, (copies + 1) >> 1)
        return np.where(beyond > self.ones, never, np.maximum(count, 0))

    @property
    def corners(self) -> tuple[Integers, Integers, Integers]:
        """Return where the slope changes, in changed genotypes."""
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
        np.minimum(best, d + rise.fewest_changes(wanted, never), out=best)
    # Cases changed up to a corner d, then the fewest controls that do.
    for d in rise.corners:
        wanted = y - bounds.greatest_below(x + rise.reach(d))
        np.minimum(best, d + fall.fewest_changes(wanted, never), out=best)
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
        down = fall.fewest_changes(x - bounds.highest[to], 0)
        met = np.maximum(lowest[to], x - fall.reach(down)) <= np.minimum(bounds.highest[to], x)
        sure = np.where(d + down < best, met, sure | (met & (d + down == best)))
        np.minimum(best, d + down, out=best)
    unsure = ~sure
    if unsure.any():
        best[unsure] = _search(tables.take(unsure), bounds)
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
        least = rise.fewest_changes(bounds.greatest_below(x - fall.reach(d)) + 1 - y, 0)
        yield np.minimum(least, most)
        yield np.clip(least - 1, 0, most)
    # Where the arc has the slope of the moves, to within two rows.
    for bend in bounds.bends:
        near = rise.fewest_changes(np.minimum(bend - y, rise.reach(most)), 0)
        for offset in (-2, -1, 0, 1):
            yield np.clip(near + offset, 0, most)


def _search(tables: Tables, bounds: Outline) -> Integers:
    """Fewest changes until insignificance, by a look at every y."""
    rows = np.concatenate([tables.cases, tables.controls], axis=1)
    distinct, back = np.unique(rows, axis=0, return_inverse=True)
    block, never = max(_CELLS // len(bounds.highest), 1), bounds.line.individuals + 1
    to = np.arange(len(bounds.highest))[None, :]
    low, high = bounds.lowest[None, :], bounds.highest[None, :]
    distances = []
    for start in range(0, len(distinct), block):
        part = Tables(*np.split(distinct[start : start + block], 2, axis=1))
        x, y = part.x[:, None], part.y[:, None]
        cases, controls = part.cases[:, :, None], part.controls[:, :, None]
        # Changes of cases to come down to the arc or up to it, plus changes of controls to reach
        # row y.
        cost = (
            Moves(cases[:, 2], cases[:, 1]).fewest_changes(x - high, never)
            + Moves(cases[:, 0], cases[:, 1]).fewest_changes(low - x, never)
            + Moves(controls[:, 0], controls[:, 1]).fewest_changes(to - y, never)
            + Moves(controls[:, 2], controls[:, 1]).fewest_changes(y - to, never)
        )
        distances.append(np.where(low <= high, cost, never).min(axis=1))
    return np.concatenate(distances)[back.ravel()]


# Under swaps everybody keeps their genotype, so the copies t = x + y of an allele are fixed and
# the allelic χ² depends on x, the copies in cases, alone: it falls and rises again around x =
# tR/N. To raise x fastest, cases with fewest copies change places with controls with most.


def signed_swap_distance(cases: Integers, controls: Integers, threshold: float) -> Integers:
    """d if significant, 1 − d if not, where d swaps make it the opposite; as `signed_distance`.

    One swap moves it by at most 1. It lies between −N and N + 1; −N or N + 1 where no swaps of
    these individuals lead across c, which is so for all neighbours alike.
    """
    (r, n_cases), (s, n_controls) = complete(cases), complete(controls)
    line = Line(n_cases, n_controls, threshold)
    never = line.individuals + 1
    distance = np.full(len(r), never)
    significant = np.zeros(len(r), dtype=bool)
    for tables in (Tables(r, s), Tables(r[:, ::-1], s[:, ::-1])):
        x, total = tables.x, tables.x + tables.y
        totals, back = np.unique(total, return_inverse=True)
        # The least and the greatest x that are not significant; where no whole x is, the first
        # exceeds the last.
        last = _last(totals, line)[back]
        first = (2 * n_cases - _last(2 * line.individuals - totals, line))[back]
        above = x > last
        significant |= above
        rise = _swaps(tables.cases[:, :2], tables.controls[:, :0:-1])
        fall = _swaps(tables.cases[:, :0:-1], tables.controls[:, :2])
        into = fall.fewest_changes(x - last, never)
        # Without heterozygotes x keeps its parity and can jump over a single value.
        even = (tables.cases[:, 1] + tables.controls[:, 1]) == 0
        jumped = (first > last) | ((first == last) & even & ((x - last) % 2 == 1))
        outside = ~significant
        distance[above] = np.where(jumped, never, into)[above]
        distance[outside] = np.minimum(distance, rise.fewest_changes(last + 1 - x, never))[outside]
    return np.where(significant, distance, 1 - distance)


def _swaps(own: Integers, other: Integers) -> Moves:
    """Swaps that move x by 2 and by 1; homozygotes at the far end, then heterozygotes, of each.

    The k-th swap exchanges the k-th case with the k-th control of these orders.
    """
    # The k-th pair moves x by 2 while both lists have homozygotes, by 1 while one has, then by 0.
    twos = np.minimum(own[:, 0], other[:, 0])
    reach = np.minimum(own.sum(axis=1), other.sum(axis=1))
    ones = np.minimum(np.maximum(own[:, 0], other[:, 0]), reach) - twos
    return Moves(twos, np.maximum(ones, 0))


def _last(totals: Integers, line: Line) -> Integers:
    """The greatest x that is not significant for the cases, from a guess corrected exactly."""
    n, r, s = line.individuals, line.cases, line.controls
    least, most = np.maximum(totals - 2 * s, 0), np.minimum(totals, 2 * r)
    # (x − tR/N)² >= c R S t(2N − t)/(2N·N²): the root of it, then exact steps to the true end.
    variance = line.level * r * s * (totals * (2 * n - totals)).astype(np.float64) / (2 * n)
    flat = totals * r // n
    guess = np.floor((totals * r + np.sqrt(variance)) / n).astype(np.int64)
    x = np.clip(guess, flat, most)

    def is_reached(at: Integers) -> NDArray[np.bool_]:
        return line.is_reached(np.clip(at, least, most), totals - np.clip(at, least, most))

    while (high := is_reached(x) & (x * n > totals * r)).any():
        x = x - high
    while (low := (x < most) & ~(is_reached(x + 1) & ((x + 1) * n > totals * r))).any():
        x = x + low
    return x
