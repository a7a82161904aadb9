r"""The joint law of counts whose sums are nested: cells, subtotals, totals.

Every sum is the sum of others and of atoms that no other holds, joined two by two, so that nothing
is ever divided out. Weights of a node go up, and what the rest says of its value goes down:

.. math:: h_{leaf} = law, \quad h_{pair} = h_l * h_r, \quad h_{sum} = h_{child} \cdot M(y | \cdot)
\qquad g_l(u) = \sum_v h_r(v) g_{pair}(u + v), \quad g_{child} = g_{sum} \cdot M(y | \cdot)

The same walk with sets in place of weights gives all values that a node can have, with no solver.
"""

import heapq
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import attrs

from deniable.rules.relations import Relations, overlaps, parents, whole_weights
from deniable.rules.rule import windows

Ranges: TypeAlias = list[tuple[int, int]]  # Whole numbers as intervals in order that do not touch

Weights: TypeAlias = list[Any]  # Whole numbers or balls, one a value

_MOST_RANGES = 2_000  # Intervals of one node: a sum of two such sets has 4 million, several seconds


class Contradiction(Exception):
    """No counts agree with all that was published.

    `sums` are indices of those that contradict each other, the last of them the plainest.
    """

    def __init__(self, sums: tuple[int, ...]) -> None:
        super().__init__()
        self.sums = sums


@attrs.frozen
class Node:
    """An atom, a sum of which something is known, or a sum of two nodes.

    An atom has no children, a sum has one, a pair has two and the index −1.
    """

    children: tuple[int, ...]
    index: int


@attrs.frozen
class Tree:
    """Nodes in an order in which children stand before parents.

    Whatever is nobody's child is a root; values agree with all that is known.
    """

    relations: Relations
    nodes: tuple[Node, ...]
    values: tuple[Ranges, ...]

    def hull(self, node: int) -> tuple[int, int]:
        """The least and the largest value of a node."""
        return self.values[node][0][0], self.values[node][-1][1]

    def intervals(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The least and the largest value of each atom, and of each sum."""
        atoms, sums = {}, {}
        for place, node in enumerate(self.nodes):
            if not node.children:
                atoms[node.index] = self.hull(place)
            elif len(node.children) == 1:
                sums[node.index] = self.hull(place)
        return [atoms[i] for i in range(len(atoms))], [sums[i] for i in range(len(sums))]

    def work(self) -> int:
        """How many products of two numbers `weights` takes."""
        length = [high - low + 1 for low, high in map(self.hull, range(len(self.nodes)))]
        pairs = (node.children for node in self.nodes if len(node.children) == 2)
        return 3 * sum(length[left] * length[right] for left, right in pairs)


def tree(relations: Relations) -> Tree | None:
    """Return the tree of some relations with all possible values; None where two sums cross."""
    nested = parents(relations)
    if nested is None:
        return None
    above, around = nested
    nodes = [Node((), atom) for atom in range(len(relations.sizes))]
    width = [size + 1 for size in relations.sizes]
    below: dict[int | None, list[int]] = {}
    for atom, parent in enumerate(around):
        below.setdefault(parent, []).append(atom)
    for index in sorted(range(len(above)), key=lambda i: len(relations.sums[i].atoms)):
        parts = [(width[node], node) for node in below.get(index, [])]
        heapq.heapify(parts)
        while len(parts) > 1:  # the two narrowest first: least work in all
            first, second = heapq.heappop(parts), heapq.heappop(parts)
            nodes.append(Node((first[1], second[1]), -1))
            width.append(first[0] + second[0] - 1)
            heapq.heappush(parts, (width[-1], len(nodes) - 1))
        (child_width, child), runs = parts[0], relations.sums[index].runs
        nodes.append(Node((child,), index))
        width.append(min(child_width, runs[-1][1] - runs[0][0] + 1 if runs else 1))
        below.setdefault(above[index], []).append(len(nodes) - 1)
    return Tree(relations, tuple(nodes), tuple(_values(relations, nodes)))


def _values(relations: Relations, nodes: Sequence[Node]) -> list[Ranges]:
    """Possible values of each node: upwards from its parts, then downwards from the rest."""
    values: list[Ranges] = []
    for node in nodes:
        match node.children:
            case ():
                values.append([(0, relations.sizes[node.index])])
            case (child,):
                known = windows(relations.sums[node.index].runs)
                common = shared(values[child], known)
                if not common:
                    below, waiting = [], [child]
                    while waiting:
                        each = nodes[waiting.pop()]
                        if len(each.children) == 1:
                            below.append(each.index)
                        else:
                            waiting.extend(each.children)
                    raise Contradiction((*below, node.index))
                values.append(common)
            case (left, right):
                values.append(_added(values[left], values[right]))
    for place in reversed(range(len(nodes))):
        match nodes[place].children:
            case (child,):
                values[child] = values[place]
            case (left, right):
                rest = _added(values[place], [(-b, -a) for a, b in reversed(values[right])])
                other = _added(values[place], [(-b, -a) for a, b in reversed(values[left])])
                values[left] = shared(values[left], rest)
                values[right] = shared(values[right], other)
    return values


def _added(first: Ranges, second: Ranges) -> Ranges:
    """All sums of a value of one set and a value of another."""
    if len(first) * len(second) == 1:
        return [(first[0][0] + second[0][0], first[0][1] + second[0][1])]
    joined = windows(sorted((a + c, b + d) for a, b in first for c, d in second))
    if len(joined) > _MOST_RANGES:  # more values than there are: outwards
        return [(joined[0][0], joined[-1][1])]
    return joined


def shared(first: Ranges, second: Ranges) -> Ranges:
    """Return the values that are in both sets."""
    return [(low, high) for low, high, *_ in overlaps(first, second)]


def weights_from_the_rest(
    tree: Tree, laws: Sequence[Weights], multiply: Callable[[Weights, Weights], Weights]
) -> list[Weights]:
    """Return g of each atom: in proportion to the likelihood of all else, given its count."""
    # `laws` have, up to a factor, the probabilities of each atom's counts from its least to its
    # largest possible one, as the answer has; `multiply` multiplies polynomials, lists of
    # coefficients.
    upwards: list[Weights] = []
    for place, node in enumerate(tree.nodes):
        match node.children:
            case ():
                upwards.append(laws[node.index])
            case (child,):
                known = whole_weights(tree.relations.sums[node.index].runs, *tree.hull(place))
                upwards.append([h * m for h, m in zip(upwards[child], known, strict=True)])
            case (left, right):
                low = tree.hull(left)[0] + tree.hull(right)[0]
                joined = multiply(upwards[left], upwards[right])
                upwards.append(_cut(joined, low, tree.hull(place)))
    downwards: list[Weights] = [[] for _ in tree.nodes]
    atoms: dict[int, Weights] = {}
    for place in reversed(range(len(tree.nodes))):
        node, low_high = tree.nodes[place], tree.hull(place)
        rest = downwards[place] or [1] * (low_high[1] - low_high[0] + 1)
        match node.children:
            case ():
                atoms[node.index] = rest
            case (child,):
                known = whole_weights(tree.relations.sums[node.index].runs, *low_high)
                downwards[child] = [g * m for g, m in zip(rest, known, strict=True)]
            case (left, right):
                for one, other in ((left, right), (right, left)):
                    # g(u) = Σ h(v) g(u + v): a product with h backwards.
                    shifted = multiply(rest, upwards[other][::-1])
                    first = low_high[0] - tree.hull(other)[1]
                    downwards[one] = _cut(shifted, first, tree.hull(one))
        upwards[place] = downwards[place] = []
    return [atoms[atom] for atom in range(len(atoms))]


def _cut(numbers: Weights, first: int, bounds: tuple[int, int]) -> Weights:
    """The numbers of the values between bounds, from those that begin with a first value."""
    low, high = bounds
    before = [0] * (first - low)
    return [*before, *numbers[max(low - first, 0) : high - first + 1]] + [0] * (
        high - first + 1 - len(numbers)
    )
