"""An upper bound of ε̃ for large lists: any number of columns, any scales, no draws.

An attacker who is told how many of some members A with x were drawn learns of x what that number
says. Given it, pairs of members that differ by g in one column, of which one was drawn, are fair
coins: the sum with x and h heads is that with x' and h + k heads, but for what k g misses, which
the noise hides. The three add up: docs/explanation/hidden-among-swaps.md.
"""

import itertools
import math
from typing import NamedTuple

import attrs
import numpy as np

from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.effort import OutOfTime, left
from deniable.population import real_sums
from deniable.population.integer_sums import without_noise
from deniable.population.question import Floats, Ints, Ones

FINE = 64  # Distinct values beyond which a column is fine: its members are compared by distance
_MOST_CELLS = 2048  # Cells of equal values in all other columns: each is compared with each
_BUCKETS = 256  # Of all other fine columns together, so that each keeps members to be matched


@attrs.frozen(eq=False)
class Groups:
    """Members by what they agree in but for one fine column."""

    places: Ints  # (types,): the group of each type
    counts: Ints  # (types,): members of each type that are matched in this column
    values: Ints  # (types,): of the column
    # (fine,): by how much two members of a group may differ in each other fine column; own is 0.
    rest: Ints

    @property
    def number(self) -> int:
        """How many groups there are."""
        return int(self.places.max()) + 1

    def histogram(self, bins: int) -> tuple[int, Ints]:
        """Bins of one width in whole steps, and how many members of each group are in each."""
        least = int(self.values.min())
        spread = int(self.values.max()) - least
        width = spread // bins + 1
        bins = spread // width + 1
        at = self.places * bins + (self.values - least) // width
        many = np.zeros(self.number * bins, np.int64)
        np.add.at(many, at, self.counts)
        return width, many.reshape(self.number, bins)


@attrs.frozen(eq=False)
class Cells:
    """Types of members, gathered by all columns of few values.

    A fine column counts there by whether it has its most frequent value, as a sum over one group
    of members is 0 for all others.
    """

    # values, members: of all types, and how many members have each.
    values: Ints
    members: Ints
    places: Ints  # (types,): the cell of each type
    # columns, others: the fine columns, and the rest.
    columns: Ints
    others: Ints
    coarse: Ints  # (cells, others): values in the rest
    # least, most (cells, fine): smallest and largest values in the fine columns.
    least: Ints
    most: Ints
    counts: Ints  # (cells,): members

    @property
    def fine(self) -> int:
        """How many columns are fine."""
        return len(self.columns)

    def groups(self, fine: int) -> Groups:
        """Say who is matched in a fine column: each member is in one of them, if several vary."""
        moving = int((self.most > self.least).sum(axis=1).max())
        rest = np.zeros(self.fine, np.int64)
        key = self.places
        if moving == 1:
            counts = self.members
        else:
            # ⌊(c + j)/f⌋ over j = 0 … f − 1 add up to c: members are dealt out among columns.
            turn = (np.arange(len(self.members)) + fine) % self.fine
            counts = (self.members + turn) // self.fine
            buckets = max(math.floor(_BUCKETS ** (1 / (moving - 1))), 1)
            for other in range(self.fine):
                if other != fine:
                    column = self.values[:, self.columns[other]]
                    width = int(np.ptp(column)) // buckets + 1
                    rest[other] = width - 1
                    key = key * buckets + (column - column.min()) // width
        places = np.unique(key, return_inverse=True)[1].ravel()
        return Groups(places, counts, self.values[:, self.columns[fine]], rest)


def cells_of(values: Ints, counts: Ints) -> Cells | None:
    """The cells of a list; None where there are too many."""
    distinct = [np.unique(column, return_counts=True) for column in values.T]
    is_fine = np.array([len(levels) > FINE for levels, _ in distinct])
    columns, others = np.flatnonzero(is_fine), np.flatnonzero(~is_fine)
    place = np.zeros(len(values), np.int64)
    usual = []  # whether a type has the value that most members have
    for column in values[:, columns].T:
        each, at = np.unique(column, return_inverse=True)
        most = each[np.bincount(at.ravel(), weights=counts).argmax()]
        usual.append((column == most).astype(np.int64))
    for column in [*(values[:, at] for at in others), *usual]:
        each, at = np.unique(column, return_inverse=True)
        # Renumbered after each column, so that keys stay small.
        place = np.unique(place * len(each) + at.ravel(), return_inverse=True)[1].ravel()
        if place.max() >= _MOST_CELLS:
            return None
    first = np.unique(place, return_index=True)[1]
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    sorted_values = values[order][:, columns]
    return Cells(
        values,
        counts,
        place,
        columns,
        others,
        values[first][:, others],
        np.minimum.reduceat(sorted_values, starts, axis=0),
        np.maximum.reduceat(sorted_values, starts, axis=0),
        np.bincount(place, weights=counts).astype(np.int64),
    )


def corners(values: Ints, counts: Ints) -> Ints | None:
    """Points whose convex hull, cell by cell, holds all members; None where they are too many.

    >>> line = np.arange(1000).reshape(-1, 1)
    >>> corners(line, np.ones(1000, int)).ravel().tolist()
    [1, 0, 999, 0]
    """
    cells = cells_of(values, counts)
    if cells is None or cells.fine > 8:  # Fine columns whose corners are listed: 2^8 for each cell
        return None
    blocks = []
    for at_most in itertools.product((False, True), repeat=cells.fine):
        points = np.empty((len(cells.counts), values.shape[1]), np.int64)
        points[:, cells.others] = cells.coarse
        points[:, cells.columns] = np.where(np.array(at_most, bool), cells.most, cells.least)
        blocks.append(points)
    return np.concatenate(blocks)


def count_pairs_at_distances(many: Ints, most: int) -> Ints:
    """How many disjoint pairs lie 1, 2, …, `most` bins apart; shape (most + 1,), the first is 0.

    Pairs of one distance are disjoint from each other, not from those of another. Along bins i, i +
    g, i + 2g, … members, (groups, bins), are paired in their group as soon as they can be: the most
    pairs.

    >>> count_pairs_at_distances(np.array([[2, 1, 3, 1]]), 3).tolist()
    [0, 2, 3, 1]
    """
    bins = many.shape[1]
    n_pairs = np.zeros(most + 1, np.int64)
    for distance in range(1, most + 1):
        left = many.copy()
        for start in range(0, bins - distance, distance):
            end = min(start + distance, bins - distance)
            lower, upper = left[:, start:end], left[:, start + distance : end + distance]
            paired = np.minimum(lower, upper)
            upper -= paired
            n_pairs[distance] += paired.sum()
    return n_pairs


# --- What one swap more costs: a number of fair coins against that number moved by k.
#
# M pairs of which one member each was drawn are M fair coins. With h heads,
#
# .. math:: \frac{\Pr[h]}{\Pr[h + k]} = \prod_{i=1}^{k} \frac{h + i}{M - h - i + 1}
#
# rises with h, and h < M/2 + t except with probability e^{−2t²/M} ([hoeffding-1963]): ε is at most
# k ln((M/2 + t + k)/(M/2 − t − k + 1)), t = √(M ln(1/δ)/2). A uniform sample of s members of N' has
# on average 2m s(N' − s)/(N'(N' − 1)) split pairs, and t fewer with probability at most e^{−t²/2s}.


def split_pairs(pairs: Ints, size: int, population: int, delta: float) -> Floats:
    """Bound how many pairs a sample of `size` others splits at least, except for δ.

    Of n = `size` and N = `population`: x is one of the N, and a pair with x or with the one who
    makes room is left out. δ is for each of the numbers; these are whole, ≥ 0.
    """
    others = population - 1
    least = np.full(len(pairs), np.inf)
    for drawn in (size - 1, size):
        fewer = min(drawn, others - drawn)
        chance = 2.0 * drawn * (others - drawn) / (others * max(others - 1, 1))
        off = math.sqrt(2 * fewer * -math.log(delta))
        least = np.minimum(least, (pairs - 1) * chance - off - 1)
    return np.maximum(np.floor(least - 1e-6), 0.0)


def shift_epsilons(coins: Floats, moved: int, delta: float) -> Floats:
    """ε at which the heads of so many coins hide being moved; infinite where they cannot.

    >>> shift_epsilons(np.array([100.0, 1e6]), 1, 1e-6).round(4).tolist()
    [1.1813, 0.0105]
    """
    off = np.sqrt(coins * -math.log(delta) / 2) + moved
    least = coins / 2 - off + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.log((coins / 2 + off) / least)
    return np.asarray(np.where(least > 0, moved * each, np.inf))


FEWEST_MEMBERS = 2000  # Members from which on swaps are counted: among fewer they hide little
_LEAST_DELTA = 1e-300  # The δ below which its shares are no longer numbers
_MOVES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)  # Swaps that lead x' to x at most: more cost more
_ENTRIES = 400_000_000  # Groups times bins squared: operations of the matching, half a second
_BINS = (64, 2048)  # Bins of a column, at least and at most: they miss little beside the noise


class _Deltas(NamedTuple):
    number: float
    split: float
    coins: float
    noise: float


@attrs.frozen(eq=False)
class Members:
    """A list, and a noisy sum over a sample of it."""

    values: Ints  # (types, columns): in whole steps
    counts: Ints  # (types,): how many members have each
    size: int  # n
    scales: Floats  # (columns,): of the noise, in steps
    squares: bool  # Whether the noise is (discrete) Gaussian, and not Laplace

    @property
    def population(self) -> int:
        """N."""
        return int(self.counts.sum())

    def length(self, off: Floats) -> Floats:
        """Return lengths in units of the noise: L2, or L1 under Laplace noise; over columns."""
        if self.squares:
            return np.asarray(np.sqrt(np.square(off).sum(axis=-1)))
        return np.asarray(np.abs(off).sum(axis=-1))

    def slope(self, delta: float) -> float:
        """Noise hides a difference of length r at ε <= slope·r + r²/2, or slope·r for Laplace.

        Gaussian noise, whole or not, has ρ = r²/2, and so ε = ρ + 2√(ρ ln 1/δ)
        ([canonne-kamath-steinke-2020], [bun-steinke-2016]).
        """
        return math.sqrt(2 * -math.log(delta)) if self.squares else 1.0


def upper_bound(members: Members, delta: float) -> float:
    """An upper bound of every member's ε̃ at δ; infinite where the list is too small, or too wide.

    Every column varies, δ in (0, 1).

    >>> incomes = np.arange(50_000).reshape(-1, 1)
    >>> of = Members(incomes, np.ones(50_000, int), 25_000, np.array([60_000.0]), True)
    >>> bool(upper_bound(of, 1e-6) < 0.4)
    True
    """
    if not _LEAST_DELTA < delta < 1 or members.population < FEWEST_MEMBERS:
        return math.inf
    cells = cells_of(members.values, members.counts)
    if cells is None:
        return math.inf
    # Shares of δ: for the number in A, too few split pairs, the coins, the noise; any shares do,
    # and ε moves by the root of a logarithm.
    shares = _Deltas(*(share * delta for share in (0.3, 0.1, 0.3, 0.3)))
    costs = [_costs_of_distances(members, cells, fine, shares) for fine in range(cells.fine)]
    worst = 0.0
    for cell in range(len(cells.counts)):
        worst = max(worst, _of_cell(members, cells, cell, costs, shares))
        if worst == math.inf:
            break
    return worst * (1 + 1e-9)  # Room for the rounding of a few hundred sums and logarithms


class _Costs(NamedTuple):
    """What distances up to so many bins cost in one column.

    `total` is ε of the coins and of the noise's slope; `missed` what the noise has to hide.
    """

    total: Floats
    missed: Floats
    width: int


def _costs_of_distances(members: Members, cells: Cells, fine: int, shares: _Deltas) -> _Costs:
    """The cheapest way to lead x' to x in one column, for every distance in bins."""
    groups = cells.groups(fine)
    bins = int(np.clip(math.isqrt(_ENTRIES // groups.number), *_BINS))
    width, many = groups.histogram(bins)
    bins = many.shape[1]
    # Of the other fine columns a pair may differ by less than a bucket.
    other = float(members.length(groups.rest / members.scales[cells.columns]))
    scale = float(members.scales[cells.columns[fine]])
    slope = members.slope(shares.noise)
    pairs = count_pairs_at_distances(many, bins - 1)
    coins = split_pairs(pairs, members.size, members.population, shares.split / (bins * cells.fine))
    distance = np.arange(bins)
    # No swap: the noise hides all of it.
    missed = (distance + 1.0) * width / scale
    total = slope * missed
    for moved in _MOVES:
        apart = np.rint(distance / moved).astype(np.int64)
        off = (np.abs(distance - moved * apart) + moved + 1.0) * width / scale + moved * other
        epsilon = shift_epsilons(coins, moved, shares.coins / cells.fine)[apart]
        better = epsilon + slope * off < total
        total = np.where(better, epsilon + slope * off, total)
        missed = np.where(better, off, missed)
    return _Costs(np.maximum.accumulate(total), np.maximum.accumulate(missed), width)


def _of_cell(
    members: Members, cells: Cells, cell: int, costs: list[_Costs], shares: _Deltas
) -> float:
    """The smallest bound over sets A of cells around this one, the nearest first."""
    off = (cells.coarse - cells.coarse[cell]) / members.scales[cells.others]
    away = members.length(off)
    order = np.argsort(away, kind="stable")
    many = np.cumsum(cells.counts[order])
    ahead = np.maximum.accumulate(cells.most[order], axis=0) - cells.least[cell]
    behind = cells.most[cell] - np.minimum.accumulate(cells.least[order], axis=0)
    farthest = np.maximum(ahead, behind)
    slope = members.slope(shares.noise)
    missed, total = away[order].copy(), slope * away[order]
    for fine, cost in enumerate(costs):
        moves = farthest[:, fine] > 0
        at = np.minimum(farthest[:, fine] // cost.width + 1, len(cost.total) - 1)
        total += np.where(moves, cost.total[at], 0.0)
        missed += np.where(moves, cost.missed[at], 0.0)
    if members.squares:
        total = total + np.square(missed) / 2
    best = math.inf
    for place in np.argsort(total, kind="stable"):
        if total[place] >= best:
            break
        best = min(best, total[place] + number_epsilon(int(many[place]), members, shares.number))
    return best


def number_epsilon(many: int, members: Members, delta: float) -> float:
    """ε̃ of how many of so many members were drawn, told without noise; 0 where they are all."""
    if many == members.population:
        return 0.0
    _, upper = without_noise(Ones(many, members.population), members.size, delta)
    return float(upper[0])


# --- An upper bound where members of a cell differ in one column only.
#
# A *cell* is everybody who agrees in all columns but one: the people of one bin of a histogram,
# beside a sum of their incomes. An attacker who is told who of all others was drawn, and how many
# of the cell, knows every column but for the noisy sum over the cell, a question about one column
# (`real_sums.bound_cell`): docs/explanation/within-cells.md.

_INWARDS = 1 - 1e-9  # Room for the rounding of an ε at which a known share of δ is lost


@attrs.frozen(eq=False)
class _Part:
    """Members who agree in all columns but one."""

    types: Ints  # Theirs
    column: int | None  # The one in which they differ; None where they are alike


def bound_within_cells(members: Members, delta: float, wanted: float, lost: Floats) -> float:
    """An upper bound of every member's ε̃ at δ; infinite where it is above what is wanted.

    Every column varies, δ in (0, 1). What is `lost` (columns,) of δ up to the ε̃ that is `wanted`,
    where noise is taken for real, grows like 1 + e^ε. Where that is more than half of δ, whole
    outputs are looked at one by one, or a smaller ε̃ is looked for.

    >>> incomes = np.arange(3000) * 20
    >>> bins = np.stack([incomes, np.arange(3000) % 3], axis=1)
    >>> of = Members(bins, np.ones(3000, int), 1500, np.array([1e6, 5.0]), True)
    >>> 0.2 < bound_within_cells(of, 1e-6, 0.5, np.zeros(2)) < 0.3
    True
    """
    cells = cells_of(members.values, members.counts)
    if cells is None or not cells.fine:
        return math.inf
    if (cells.most > cells.least).sum(axis=1).max() > 1:
        return math.inf
    worst, begun = 0.0, left()
    parts = sorted(_parts(cells), key=lambda part: -_exposure(part, members))
    for number, part in enumerate(parts):
        try:
            worst = max(worst, _of_part(part, members, delta, wanted, lost))
        except OutOfTime:
            return math.inf
        # The first is likely to take as long as any other.
        if worst > wanted or (number == 0 and (begun - left()) * (len(parts) - 1) > left()):
            return math.inf
    return worst


def _exposure(part: _Part, members: Members) -> float:
    """Estimate what a part tells of somebody in it, squared; the worst needs no proof."""
    counts, rate = members.counts[part.types], members.size / members.population
    spread = float(counts.sum()) * rate * (1 - rate)
    if part.column is None:
        return 1 / spread
    off = members.values[part.types, part.column] / members.scales[part.column]
    off = off - np.average(off, weights=counts)
    variance = spread * float(np.average(off**2, weights=counts)) + 1
    return 1 / spread + float(np.max(off**2)) / variance


def _parts(cells: Cells) -> list[_Part]:
    """Cells that differ in one and the same column are one, and those of one value join them.

    A fine column's most frequent value is a cell of its own at first.
    """
    numbers = np.arange(len(cells.counts))
    moving = cells.most > cells.least
    column = np.where(moving.any(axis=1), moving.argmax(axis=1), -1)

    def others(cell: int, fine: int) -> bytes:
        return np.append(np.delete(cells.least[cell], fine), cells.coarse[cell]).tobytes()

    groups: dict[tuple[int, bytes], list[int]] = {}
    for cell in numbers[column >= 0].tolist():
        fine = int(column[cell])
        groups.setdefault((fine, others(cell, fine)), []).append(cell)
    alone = []
    for cell in numbers[column < 0].tolist():
        keys = [(fine, others(cell, fine)) for fine in range(cells.fine)]
        joined = [key for key in keys if key in groups]
        if joined:
            groups[max(joined, key=lambda key: cells.counts[groups[key]].sum())].append(cell)
        else:
            alone.append(cell)
    return [
        _Part(np.flatnonzero(np.isin(cells.places, group)), int(cells.columns[fine]))
        for (fine, _), group in groups.items()
    ] + [_Part(np.flatnonzero(cells.places == cell), None) for cell in alone]


def _of_part(part: _Part, members: Members, delta: float, wanted: float, lost: Floats) -> float:
    counts = members.counts[part.types]
    if part.column is None:
        return number_epsilon(int(counts.sum()), members, delta)
    values, at = np.unique(members.values[part.types, part.column], return_inverse=True)
    many = np.bincount(at.ravel(), weights=counts).astype(np.int64)
    cell = real_sums.Cell(values, many, members.population, members.size)
    scale, share = float(members.scales[part.column]), float(lost[part.column])
    on_lattice = share > delta / 2
    # Scale, in steps, from which the density of whole Gaussian noise at whole numbers is the normal
    # one, to one part in 10^130.
    if on_lattice and (not members.squares or scale < 4.0):
        # What is lost grows like 1 + e^ε: at a smaller ε it is half of δ.
        if not math.isfinite(share):
            return math.inf
        odds = (1 + math.exp(wanted)) * (delta / 2 / share) - 1
        if odds <= 1:
            return math.inf
        wanted, share, on_lattice = math.log(odds) * _INWARDS, delta / 2, False
    noise = Gaussian(scale) if members.squares else Laplace(scale)
    return real_sums.bound_cell(
        cell, noise, delta if on_lattice else delta - share, wanted, on_lattice=on_lattice
    )
