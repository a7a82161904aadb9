r"""An upper bound of ε̃ for large lists: any number of columns, any scales, no draws.

Let A be a set of members with x. A sample with x becomes one without when some x' of A who was not
drawn takes the place of x. Whoever is told how many of A were drawn learns of x what that number
says (`integer_sums.without_noise`). Given it, x' and the others E, let a pair be *split* if one of
both is in E: which of them is as likely as the other, and nobody is told. Take pairs (a, b) that
differ by g in one column and not in others, and let x − x' be about k g. With h of the split pairs
at a, the sum with x and h heads is that with x' and h + k heads, but for what k g misses, which the
noise hides. So ε̃ is at most the sum of what the number in A, the coins (`shifts`), and the noise on
what is missed give, at the sum of their δ.
"""

import math
from typing import NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.population.integer_sums import without_noise
from deniable.population.question import Ones
from deniable.population.swaps.cells import Cells, cells_of
from deniable.population.swaps.matching import count_pairs_at_distances
from deniable.population.swaps.shifts import Floats, shift_epsilons, split_pairs

FEWEST_MEMBERS = 2000
"""Members from which on swaps are counted: among fewer they hide little."""
_MOVES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""Swaps in a column by which x' is led to x: more than these cost more than they match better."""
_ENTRIES = 400_000_000
"""Groups times bins squared: operations of the matching, half a second."""
_BINS = (64, 2048)
"""Bins of a column at least and at most: what they miss is to be small beside the noise."""
_SHARES = (0.3, 0.1, 0.3, 0.3)
"""Of δ: for the number in A, for too few split pairs, for the coins, for the noise; any shares do,
and ε moves by the root of a logarithm."""
_OUTWARDS = 1 + 1e-9
"""Room for the rounding of some hundred sums and logarithms."""


class _Deltas(NamedTuple):
    number: float
    split: float
    coins: float
    noise: float


@attrs.frozen(eq=False)
class Members:
    """A list, and a noisy sum over a sample of it.

    Parameters
    ----------
    values : array of int, shape (types, columns)
        In whole steps.
    counts : array of int, shape (types,)
        How many members have each.
    size : int
        n.
    scales : array of float, shape (columns,)
        Of the noise, in steps.
    squares : bool
        Whether the noise is (discrete) Gaussian, and not Laplace.
    """

    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    size: int
    scales: Floats
    squares: bool

    @property
    def population(self) -> int:
        """N."""
        return int(self.counts.sum())

    def length(self, off: Floats) -> Floats:
        """Of differences in units of the noise: L2, or L1 under Laplace noise; over columns."""
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

    Parameters
    ----------
    members : Members
        Every column varies.
    delta : float
        In (0, 1).

    Examples
    --------
    >>> incomes = np.arange(50_000).reshape(-1, 1)
    >>> of = Members(incomes, np.ones(50_000, int), 25_000, np.array([60_000.0]), True)
    >>> bool(upper_bound(of, 1e-6) < 0.4)
    True
    """
    if not 0 < delta < 1 or members.population < FEWEST_MEMBERS:
        return math.inf
    cells = cells_of(members.values, members.counts)
    if cells is None:
        return math.inf
    shares = _Deltas(*(share * delta for share in _SHARES))
    costs = [_costs_of_distances(members, cells, fine, shares) for fine in range(cells.fine)]
    worst = 0.0
    for cell in range(len(cells.counts)):
        worst = max(worst, _of_cell(members, cells, cell, costs, shares))
        if worst == math.inf:
            break
    return worst * _OUTWARDS


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
        best = min(best, total[place] + _of_number(int(many[place]), members, shares.number))
    return best


def _of_number(many: int, members: Members, delta: float) -> float:
    """ε of how many of so many members were drawn; nothing where they are all."""
    if many == members.population:
        return 0.0
    _, upper = without_noise(Ones(many, members.population), members.size, delta)
    return float(upper[0])
