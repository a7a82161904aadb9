r"""The least and the largest value of hidden cells whose totals were published, without a solver.

Sets that are nested or disjoint form a tree. Where all published totals form two trees, a table is
a flow: each cell leads from the smallest set that holds it in one tree to the smallest in the
other, and each set to its parent. What may replace the true values are circulations in the
residual network, so that

.. math:: \max x_e = x_e + \text{the largest flow from the head of } e \text{ to its tail}

which is a whole number, reached by whole numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

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
