"""An upper bound of ε̃ of several columns where members of a cell differ in one of them only.

A *cell* is everybody who agrees in all columns but one: the people of one bin of a histogram,
beside a sum of their incomes. An attacker who is told who of all others was drawn, and how many of
the cell, knows every column but for the noisy sum over the cell, and that is a question about one
column (`real_sums.bound_cell`). The mathematics: docs/explanation/within-cells.md.
"""

import math

import attrs
import numpy as np

from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.effort import OutOfTime, left
from deniable.population import real_sums
from deniable.population.question import Floats, Ints
from deniable.population.swaps import Cells, Members, cells_of, number_epsilon

_LEAST_WHOLE = 4.0
"""Scale, in steps, from which the density of whole Gaussian noise at whole numbers is the normal
one, to one part in 10^130."""
_INWARDS = 1 - 1e-9  # Room for the rounding of an ε at which a known share of δ is lost


@attrs.frozen(eq=False)
class _Part:
    """Members who agree in all columns but one."""

    types: Ints  # Theirs
    column: int | None  # The one in which they differ; None where they are alike


def upper_bound(members: Members, delta: float, wanted: float, lost: Floats) -> float:
    """An upper bound of every member's ε̃ at δ; infinite where it is above what is wanted.

    Every column varies, δ in (0, 1). What is `lost` (columns,) of δ, up to the ε̃ that is `wanted`,
    where the noise on a column is taken for real, grows like 1 + e^ε. Where that is more than half
    of δ, whole outputs are looked at one by one, or a smaller ε̃ is looked for.

    >>> incomes = np.arange(3000) * 20
    >>> bins = np.stack([incomes, np.arange(3000) % 3], axis=1)
    >>> of = Members(bins, np.ones(3000, int), 1500, np.array([1e6, 5.0]), True)
    >>> 0.2 < upper_bound(of, 1e-6, 0.5, np.zeros(2)) < 0.3
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
    if on_lattice and (not members.squares or scale < _LEAST_WHOLE):
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
