r"""How closely contributors can bound each other's values, from intervals of cells.

A cell whose sum lies in [L, U] bounds the values i of some contributors, for attackers C in it:

.. math:: \max(l_i, L - x_C - \sum u_k) \le x_i \le \min(u_i, U - x_C - \sum l_k)

with sums over the rest. That is all that nested or two-way totals tell.
"""

import itertools
import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction

import attrs

from deniable.rules.dominance import Threat
from deniable.rules.feasible import feasible
from deniable.rules.holdings import Magnitudes, projected
from deniable.rules.relations import Connected, Relations, Sum
from deniable.rules.rule import Run

# --- Values of hidden cells whose totals were published, without a solver.
#
# Sets that are nested or disjoint form a tree. Where published totals form two trees, a table is a
# flow: each cell leads from the smallest set that holds it in one tree to that in the other,
# and each set to its parent. What may replace the true values are circulations in the residual
# network: the largest x_e is x_e + the largest flow from the head of e to its tail, a whole number.


UNBOUNDED = 1 << 62  # How far a value without an upper bound may grow
_STEP = 8  # The divisor of the least amount that a path carries, once no path carries it


@attrs.frozen
class Arc:
    """A cell or a total: the nodes that it connects, and how far its value may rise and fall."""

    tail: int
    head: int
    up: int
    down: int


class Network:
    """Residual capacities of cells and totals around their true values.

    Arc k is two half-arcs: 2k raises its value, and 2k + 1 lowers it.
    """

    def __init__(self, arcs: Sequence[Arc], nodes: int) -> None:
        self._endpoints: list[int] = []
        self.capacity: list[int] = []
        self._leaving: list[list[int]] = [[] for _ in range(nodes)]
        for number, arc in enumerate(arcs):
            self._endpoints += [arc.head, arc.tail]
            self.capacity += [arc.up, arc.down]
            self._leaving[arc.tail].append(2 * number)
            self._leaving[arc.head].append(2 * number + 1)

    def reach(self, half: int, needed: int = UNBOUNDED) -> tuple[int, dict[int, int]]:
        """Return how far a value can move, up to `needed`, and how far each half-arc does then."""
        capacity, endpoints = self.capacity, self._endpoints
        start, end = endpoints[half], endpoints[half ^ 1]
        needed = min(needed, capacity[half])
        if start == end or needed <= 0:
            return max(needed, 0), {}
        before = {half: capacity[half], half ^ 1: capacity[half ^ 1]}
        capacity[half] = capacity[half ^ 1] = 0
        moved, least = 0, needed
        while moved < needed:
            path = self._path(start, end, min(least, needed - moved))
            if not path:
                if least <= 1:
                    break
                least = max(1, min(least, needed - moved) // _STEP)
                continue
            amount = min(needed - moved, *(capacity[each] for each in path))
            for each in path:
                before.setdefault(each, capacity[each])
                before.setdefault(each ^ 1, capacity[each ^ 1])
                capacity[each] -= amount
                capacity[each ^ 1] += amount
            moved += amount
        used = {each: slack - capacity[each] for each, slack in before.items()
                if slack > capacity[each]}  # fmt: skip
        for each, slack in before.items():
            capacity[each] = slack
        return moved, used | {half: moved}

    def _path(self, start: int, end: int, least: int) -> list[int]:
        """Half-arcs that carry at least so much, from both ends at once; none if none do."""
        capacity, endpoints, leaving = self.capacity, self._endpoints, self._leaving
        reached: tuple[dict[int, int], dict[int, int]] = ({start: -1}, {end: -1})
        fronts = [[start], [end]]
        while fronts[0] and fronts[1]:
            way = int(len(fronts[0]) > len(fronts[1]))  # 1: backwards, from the end
            here, there = reached[way], reached[1 - way]
            following: list[int] = []
            for node in fronts[way]:
                for half in leaving[node]:
                    other = endpoints[half]
                    if other not in here and capacity[half ^ way] >= least:
                        here[other] = half ^ way
                        if other in there:
                            return [*self._back(other, here), *self._back(other, there)]
                        following.append(other)
            fronts[way] = following
        return []

    def _back(self, node: int, reached: Mapping[int, int]) -> Iterator[int]:
        """Half-arcs from a node to where a search began."""
        while (half := reached[node]) >= 0:
            yield half
            first, second = self._endpoints[half], self._endpoints[half ^ 1]
            node = second if node == first else first


def two_chains(shapes: Iterable[frozenset[str]]) -> dict[frozenset[str], int] | None:
    """Divide kinds of totals into two chains: of two in a chain, one includes the other.

    A kind is the columns that its totals do not add up over. None where two groups do not do.
    """
    waiting = sorted(set(shapes), key=lambda each: (len(each), sorted(each)))
    side: dict[frozenset[str], int] = {}
    for first in waiting:
        stack = [] if first in side else [first]
        side.setdefault(first, 0)
        while stack:
            shape = stack.pop()
            for other in waiting:
                if shape <= other or other <= shape:
                    continue
                if other not in side:
                    side[other] = 1 - side[shape]
                    stack.append(other)
                elif side[other] == side[shape]:
                    return None
    return side


# --- Attacks, from intervals of cells.

MOST_FLOWS = 4_000  # Coalitions times cells whose intervals are computed whole: a second


@attrs.frozen
class Attack:
    """What some attackers infer of the sum of some holdings of a cell: bounds, and their proof.

    The proof is integers, solver or outward, as of cells; reached if the interval goes at least so
    far; unknown if attackers in other cells were not all tried.
    """

    cell: int
    targets: tuple[int, ...]
    attackers: tuple[str, ...]
    truth: int
    lower: int
    upper: int | None
    proof: str

    @property
    def distance(self) -> int | None:
        """How far the nearer bound is from the truth; None if none is there."""
        below = self.truth - self.lower
        return below if self.upper is None else min(below, self.upper - self.truth)

    def is_closer_than(self, within: Fraction | None) -> bool:
        """Whether a bound lies nearer to the truth than `within` times the truth."""
        if within is None or (distance := self.distance) is None:
            return False
        return distance * within.denominator < within.numerator * self.truth

    @property
    def nearness(self) -> tuple[bool, Fraction, int]:
        """Sorts attacks: the closest first."""
        distance = self.distance or 0
        return (
            self.lower != self.upper,
            Fraction(distance, self.truth) if self.truth else Fraction(1 << 62),
            UNBOUNDED if self.upper is None else self.upper - self.lower,
        )


class Table:
    """Cells, totals and holdings, as the attackers see them."""

    def __init__(self, known: Magnitudes, names: Collection[str]) -> None:
        self.known, self.names = known, frozenset(names)
        self.contributors = {each.contributor for some in known.holdings for each in some}
        self.has_bounds = any(
            each.high is not None or each.low for some in known.holdings for each in some
        )
        self.sums = [sum([each.value for each in some]) for some in known.holdings]
        self.open = [
            cell for cell in range(len(known.cells))
            if (runs := known.runs_of.get(cell)) is None or runs[0][0] != runs[-1][1]
        ]  # fmt: skip
        self.place = {cell: place for place, cell in enumerate(self.open)}
        self.open_cells_of: dict[str, list[int]] = {}
        for cell in self.open:
            for each in known.holdings[cell]:
                self.open_cells_of.setdefault(each.contributor, []).append(cell)
        self._chains = two_chains(known.margins)
        self.is_flow = self._chains is not None
        self._nodes: dict[tuple[str | None, ...], int] = {}
        self._arcs = self._build() if self._chains is not None else []
        self.components = self._connected()
        self.component_of = {cell: some for some in self.components for cell in some}
        self.plain = self.network(0) if self.is_flow else Network([], 1)

    def slack(self, cell: int, known: Collection[str]) -> tuple[int, int]:
        """Return how far the sum of a cell may rise and fall for those who know some values."""
        up = down = 0
        for each in self.known.holdings[cell]:
            if each.contributor not in known:
                up += UNBOUNDED if each.high is None else each.high - each.value
                down += each.value - each.low
        return self._shown_slack(cell, up, down)

    def least_slack(self, cell: int, coalition: int) -> tuple[int, int]:
        """Return the like for those who know the most that so many contributors know."""
        some = self.known.holdings[cell]
        ups = sorted([UNBOUNDED if e.high is None else e.high - e.value for e in some])
        downs = sorted([each.value - each.low for each in some])
        kept = max(len(some) - coalition, 0)
        return self._shown_slack(cell, sum(ups[:kept]), sum(downs[:kept]))

    def _shown_slack(self, cell: int, up: int, down: int) -> tuple[int, int]:
        if runs := self.known.runs_of.get(cell):
            total = self.sums[cell]
            up, down = min(up, runs[-1][1] - total), min(down, total - runs[0][0])
        return min(up, UNBOUNDED), down

    def _build(self) -> list[Arc]:
        """Arcs of totals: from the parent in the first tree, to the parent in the second."""
        known, chains = self.known, self._chains
        assert chains is not None, "totals form two trees"
        self._order = [
            sorted((s for s, side in chains.items() if side == way), key=lambda s: -len(s))
            for way in (0, 1)
        ]
        totals: dict[tuple[str | None, ...], int] = {}
        for shape, margins in known.margins.items():
            for keys, total in zip(known.around(shape), self.sums, strict=True):
                if keys in margins:
                    totals[keys] = totals.get(keys, 0) + total
        self._nodes = {keys: number for number, keys in enumerate(totals, start=1)}
        arcs = []
        for way in (0, 1):
            for place, shape in enumerate(self._order[way]):
                for keys, runs in known.margins[shape].items():
                    up, down = runs[-1][1] - totals[keys], totals[keys] - runs[0][0]
                    if up or down:
                        above = self._node(keys, self._order[way][place + 1 :])
                        endpoints = (above, self._nodes[keys]) if way == 0 else (
                            self._nodes[keys], above
                        )  # fmt: skip
                        arcs.append(Arc(*endpoints, up, down))
        return arcs

    def _node(self, keys: tuple[str | None, ...], shapes: Sequence[frozenset[str]]) -> int:
        """The smallest published total of some kinds that holds all of a cell or total."""
        for shape in shapes:
            node = self._nodes.get(projected(keys, self.known.columns, shape))
            if node is not None:
                return node
        return 0

    def network(self, coalition: int) -> Network:
        """Return the network with the room that the strongest coalition of each cell leaves."""
        arcs = [
            Arc(*endpoints, *self.least_slack(cell, coalition))
            for cell, endpoints in zip(self.open, self._endpoints, strict=True)
        ]
        return Network([*arcs, *self._arcs], len(self._nodes) + 1)

    @contextmanager
    def known_to(self, names: Collection[str]) -> Iterator[Network]:
        """Give the network with the room that is left to those who know some values."""
        plain = self.plain
        before: list[tuple[int, int]] = []
        for cell in {cell for name in names for cell in self.open_cells_of.get(name, ())}:
            for half, slack in enumerate(self.slack(cell, names), start=2 * self.place[cell]):
                before.append((half, plain.capacity[half]))
                plain.capacity[half] = slack
        yield plain
        for half, slack in before:
            plain.capacity[half] = slack

    def _connected(self) -> list[tuple[int, ...]]:
        """Open cells that totals connect."""
        groups = Connected()
        self._endpoints: list[tuple[int, int]] = []
        for cell in self.open:
            if self.is_flow:
                endpoints = [self._node(self.known.cells[cell], some) for some in self._order]
                self._endpoints.append((endpoints[0], endpoints[1]))
                groups.connect(cell, *(("node", node) for node in endpoints if node))
            else:
                for shape, margins in self.known.margins.items():
                    keys = projected(self.known.cells[cell], self.known.columns, shape)
                    if keys in margins:
                        groups.connect(cell, keys)
        for arc in self._arcs:
            if arc.tail and arc.head:
                groups.connect(("node", arc.head), ("node", arc.tail))
        parts: dict[Hashable, list[int]] = {}
        for cell in self.open:
            parts.setdefault(groups.root(cell), []).append(cell)
        return [tuple(some) for some in parts.values()]

    def intervals(self, cells: Sequence[int], known: Collection[str]) -> list[tuple[int, int, str]]:
        """Return what the sums of connected cells may be for those who know some values."""
        if self.is_flow:
            bounds = []
            with self.known_to(known) as network:
                for cell in cells:
                    half = 2 * self.place[cell]
                    up, down = network.reach(half)[0], network.reach(half + 1)[0]
                    bounds.append((self.sums[cell] - down, self.sums[cell] + up, "integers"))
            return bounds
        rooms = [self.slack(cell, known) for cell in cells]
        lows = [self.sums[cell] - down for cell, (_, down) in zip(cells, rooms, strict=True)]
        sums = self._sums_over(cells, dict(zip(cells, lows, strict=True)))
        sizes = []
        for place, (up, down) in enumerate(rooms):
            most = min((runs[-1][1] for atoms, runs in sums if place in atoms), default=UNBOUNDED)
            sizes.append(min(up + down, most))
        free = [place for place, size in enumerate(sizes) if size >= UNBOUNDED]
        relations = Relations(
            tuple(0 if place in free else size for place, size in enumerate(sizes)),
            tuple(Sum(atoms, runs) for atoms, runs in sums),
        ).merged()
        attempts = feasible(relations, [(place,) for place in range(len(cells))])
        return [
            (low + each.lower, UNBOUNDED if place in free else low + each.upper,
             each.proof.name.lower())
            for place, (low, each) in enumerate(zip(lows, attempts, strict=True))
        ]  # fmt: skip

    def _sums_over(
        self, cells: Sequence[int], lows: dict[int, int]
    ) -> list[tuple[tuple[int, ...], tuple[Run, ...]]]:
        """Shown totals over some cells, less the least values and what is shown of others."""
        fixed: dict[tuple[str | None, ...], int] = {}
        atoms: dict[tuple[str | None, ...], list[int]] = {}
        place = {cell: number for number, cell in enumerate(cells)}
        sums: list[tuple[tuple[int, ...], tuple[Run, ...]]] = []
        for cell in cells:
            if runs := self.known.runs_of.get(cell):
                sums.append(((place[cell],), _shifted(runs, lows[cell])))
        for shape, margins in self.known.margins.items():
            for cell, keys in enumerate(self.known.around(shape)):
                if keys in margins:
                    total = self.sums[cell]
                    fixed[keys] = fixed.get(keys, 0) + lows.get(cell, total)
                    if cell in place:
                        atoms.setdefault(keys, []).append(place[cell])
            sums += [
                (tuple(atoms[keys]), _shifted(runs, fixed[keys]))
                for keys, runs in margins.items()
                if keys in atoms
            ]
        return sums

    def relations(self, attack: Attack) -> tuple[Relations | None, list[int], int]:
        """Return sums over values that attackers do not know, their lows, and the target's place.

        None where a value has no upper bound.
        """
        cells = self.component_of.get(attack.cell, (attack.cell,))
        atoms: dict[int, list[int]] = {}
        lows: list[int] = []
        sizes, target = [], 0
        fixed: dict[int, int] = {}
        for cell in cells:
            fixed[cell], atoms[cell] = 0, []
            for number, each in enumerate(self.known.holdings[cell]):
                if each.contributor in attack.attackers:
                    fixed[cell] += each.value
                    continue
                if each.high is None:
                    return None, [], 0
                if cell == attack.cell and number == attack.targets[0]:
                    target = len(lows)
                atoms[cell].append(len(lows))
                lows.append(each.low)
                sizes.append(each.high - each.low)
                fixed[cell] += each.low
        if len(cells) == 1 and cells[0] not in self.place:
            runs = _shifted(self.known.runs_of[cells[0]], fixed[cells[0]])
            return Relations(tuple(sizes), (Sum(tuple(atoms[cells[0]]), runs),)), lows, target
        sums = []
        for places, runs in self._sums_over(cells, fixed):
            some = tuple(sorted(itertools.chain(*(atoms[cells[place]] for place in places))))
            if some:
                sums.append(Sum(some, runs))
        return Relations(tuple(sizes), tuple(sums)), lows, target


def _shifted(runs: Sequence[Run], by: int) -> tuple[Run, ...]:
    """What is known of a sum of non-negative numbers, of a sum that is larger by a known number."""
    return tuple((max(low - by, 0), high - by, weight) for low, high, weight in runs if high >= by)


def attacks(table: Table, threat: Threat) -> Iterator[Attack]:
    """Yield the closest attack on each contributor, cell by cell, of each the closest first."""
    for cell in range(len(table.known.cells)):
        if cell not in table.place:
            total = table.sums[cell]
            yield from in_cell(table, cell, total, total, threat, "integers")
    strict: Network | None = None
    for cells in table.components:
        if table.names:
            coalitions = [tuple(sorted(table.names))]
        else:
            some = sorted({e.contributor for cell in cells for e in table.known.holdings[cell]})
            size = min(threat.intruders, max(len(some) - 1, 0))
            number = math.comb(len(some), size)
            if 2 * number * len(cells) > MOST_FLOWS:
                strict = strict or table.network(threat.intruders)
                yield from _staged(table, cells, threat, strict)
                continue
            coalitions = list(itertools.combinations(some, size))
        closest: dict[tuple[int, tuple[int, ...]], Attack] = {}
        for names in coalitions:
            intervals = table.intervals(cells, names)
            for cell, (low, high, proof) in zip(cells, intervals, strict=True):
                for attack in _by(table, cell, low, high, names, threat.largest, proof):
                    key = attack.cell, attack.targets
                    if key not in closest or attack.nearness < closest[key].nearness:
                        closest[key] = attack
        yield from sorted(closest.values(), key=lambda each: (each.cell, each.nearness))


def _by(
    table: Table, cell: int, low: int, high: int, names: Collection[str], largest: int, proof: str
) -> Iterator[Attack]:
    """What one coalition infers of each contributor of a cell, or of the largest together."""
    some = table.known.holdings[cell]
    inside = {number for number, each in enumerate(some) if each.contributor in names}
    others = [number for number in range(len(some)) if number not in inside]
    groups = [(each,) for each in others] if largest == 1 else [tuple(others[:largest])]
    for targets in groups:
        if targets:
            yield _bounded(table, cell, targets, inside, tuple(names), low, high, proof)


def _bounded(
    table: Table,
    cell: int,
    targets: tuple[int, ...],
    inside: Collection[int],
    names: tuple[str, ...],
    low: int,
    high: int,
    proof: str,
) -> Attack:
    """The bounds of some holdings, from those of the cell."""
    some = table.known.holdings[cell]
    rest_low = rest_high = known = 0
    for number, each in enumerate(some):
        if number in inside:
            known += each.value
        elif number not in targets:
            rest_low += each.low
            rest_high += UNBOUNDED if each.high is None else each.high
    attacked = [some[number] for number in targets]
    least = sum(each.low for each in attacked)
    most = sum(UNBOUNDED if each.high is None else each.high for each in attacked)
    lower = max(least, low - known - rest_high) if rest_high < UNBOUNDED else least
    upper = min(most, high - known - rest_low)
    if not table.is_flow and cell in table.place:
        # Where totals cross, sums of a cell may have gaps, so that the holdings' own bounds may lie
        # in one.
        is_rest = len(targets) + len(inside) < len(some)
        if upper == most < UNBOUNDED or (is_rest and lower == least and rest_high < UNBOUNDED):
            proof = "outward"
    return Attack(
        cell, targets, names, sum(each.value for each in attacked), lower,
        None if upper >= UNBOUNDED // 2 else upper, proof,
    )  # fmt: skip


def in_cell(
    table: Table, cell: int, low: int, high: int, threat: Threat, proof: str
) -> Iterator[Attack]:
    """Yield the closest attacks by contributors of the same cell, on each other one."""
    some = table.known.holdings[cell]
    if table.names:
        yield from sorted(
            _by(table, cell, low, high, sorted(table.names), threat.largest, proof),
            key=lambda each: each.nearness,
        )
        return
    if not table.has_bounds and len(some) > threat.intruders + threat.largest:
        # Nobody is bounded more closely than the largest, by the next.
        first, after = threat.largest, threat.largest + threat.intruders
        truth = sum([each.value for each in some[:first]])
        upper = high - sum([each.value for each in some[first:after]])
        names = tuple([each.contributor for each in some[first:after]])
        closest = Attack(
            cell, tuple(range(first)), names, truth, 0,
            None if upper >= UNBOUNDED // 2 else upper, proof,
        )  # fmt: skip
        if upper > 0 and not closest.is_closer_than(threat.within):
            yield closest
            return
    groups = (
        [(number,) for number in range(len(some))]
        if threat.largest == 1
        else [tuple(range(min(threat.largest, len(some))))]
    )
    # Contributors by how much their value tells of the upper bound, and of the lower one.
    orders: list[Sequence[int]] = [range(len(some))]
    if any(each.high is not None or each.low for each in some):
        by_low = [each.low - each.value for each in some]
        by_high = [-UNBOUNDED if each.high is None else each.value - each.high for each in some]
        orders = [sorted(orders[0], key=by.__getitem__) for by in (by_low, by_high)]
    attempts = []
    for targets in groups:
        tried = []
        for order in orders:
            coalition = [n for n in order if n not in targets][: threat.intruders]
            names = tuple(some[number].contributor for number in coalition)
            tried.append(_bounded(table, cell, targets, coalition, names, low, high, proof))
        attempts.append(min(tried, key=lambda each: each.nearness))
    yield from sorted(attempts, key=lambda each: each.nearness)


def _staged(
    table: Table, cells: Sequence[int], threat: Threat, strict: Network
) -> Iterator[Attack]:
    """Attacks on many cells: the whole interval only where less does not give the verdict.

    First with the room that the strongest coalitions of all cells together leave: what is reached
    there, is reached for each of them.
    """
    if not table.is_flow:
        for cell, (low, high, proof) in zip(cells, table.intervals(cells, ()), strict=True):
            for attack in in_cell(table, cell, low, high, threat, proof):
                yield attrs.evolve(attack, proof="unknown")
        return
    plain = table.plain
    reached: dict[int, int] = {}
    for cell in cells:
        half, total = 2 * table.place[cell], table.sums[cell]
        needed = [_needed(table, cell, threat, sign) for sign in (1, -1)]
        for way, least in zip((half, half + 1), needed, strict=True):
            if reached.get(way, 0) < least:
                # The cell's own room is that of attackers elsewhere or in it: `in_cell` cuts it.
                own = strict.capacity[way]
                strict.capacity[way] = plain.capacity[way]
                reached[way], used = strict.reach(way, least)
                strict.capacity[way] = own
                # A cycle through other cells moves each of them, too.
                if len(set(used.values())) == 1:
                    for other, amount in used.items():
                        reached[other] = max(reached.get(other, 0), amount)
        up, down = (reached.get(way, 0) for way in (half, half + 1))
        if up >= needed[0] and down >= needed[1]:
            yield from in_cell(table, cell, total - down, total + up, threat, "reached")
        else:
            yield from _one_by_one(table, cell, needed, threat)


def _needed(table: Table, cell: int, threat: Threat, sign: int) -> int:
    """How far a cell has to move so that no attack from within is too close on that side."""
    total, needed = table.sums[cell], 0
    for attack in in_cell(table, cell, total, total, attrs.evolve(threat, within=None), ""):
        distance = 1 if threat.within is None else math.ceil(threat.within * attack.truth)
        if sign > 0 and attack.upper is not None:
            needed = max(needed, distance - (attack.upper - attack.truth))
        if sign < 0:
            needed = max(needed, distance - (attack.truth - attack.lower))
    return needed


def _one_by_one(table: Table, cell: int, needed: Sequence[int], threat: Threat) -> Iterator[Attack]:
    """Attacks on a cell from within, then by each contributor elsewhere who might do more."""
    half, total = 2 * table.place[cell], table.sums[cell]
    (up, rises), (down, falls) = (table.plain.reach(half + way, needed[way]) for way in (0, 1))
    attempts = list(in_cell(table, cell, total - down, total + up, threat, "reached"))
    if any(each.lower == each.upper or each.is_closer_than(threat.within) for each in attempts):
        yield from attempts
        return
    if threat.intruders > 1:
        yield from (attrs.evolve(each, proof="unknown") for each in attempts)
        return
    # Only those who know that a cell moves less than it did may prevent what was reached.
    suspects = {
        name
        for each in table.known.holdings[cell]
        for name in [each.contributor]
        if len(table.open_cells_of[name]) > 1
    }
    for used in (rises, falls):
        for other, amount in used.items():
            if other // 2 < len(table.open) and other // 2 != half // 2:
                place = table.open[other // 2]
                suspects.update(
                    each.contributor
                    for each in table.known.holdings[place]
                    if table.slack(place, (each.contributor,))[other % 2] < amount
                )
    for name in sorted(suspects):
        with table.known_to((name,)) as network:
            up, down = (network.reach(half + way, needed[way])[0] for way in (0, 1))
        attempts += _by(table, cell, total - down, total + up, (name,), threat.largest, "reached")
    yield from sorted(attempts, key=lambda each: each.nearness)
