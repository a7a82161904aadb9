"""What published numbers say of atoms: sums of their counts, each with a likelihood.

An atom is all people who are on exactly the same lists. Nothing here knows of tables, rules or
adversaries. Of cell keys, equal sets get equal noise, and different ones independent noise; keys of
several sets are independent if and only if no combination of the sets vanishes. Which sets are
equal, once only the counted people are looked at, depends on which atoms have nobody counted; so
each choice of these atoms is a case, in which noise is independent or the same.
"""

import itertools
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

import attrs

from deniable.rules.rule import Column, Mark, Run, weight_at

Atoms: TypeAlias = tuple[int, ...]  # Indices of atoms, in order

AnySum = TypeVar("AnySum", "Sum", "KeyedSum")


class Connected(dict[Hashable, Hashable]):
    """Items that are connected share a root; an item is its own until it is connected."""

    def root(self, item: Hashable) -> Hashable:
        """Return what names the group of an item."""
        while (above := self.setdefault(item, item)) != item:
            self[item] = self[above]
            item = above
        return item

    def connect(self, first: Hashable, *others: Hashable) -> None:
        """Join the groups of some items."""
        for other in others:
            self[self.root(other)] = self.root(first)


@attrs.frozen
class Sum:
    """A sum of the counts of some atoms, and how likely what was published is at each value.

    Runs are bounds of successive values and the likelihood that they share, in order and disjoint.
    """

    atoms: Atoms
    runs: tuple[Run, ...]

    @property
    def is_log_concave(self) -> bool:
        """Whether the likelihood is log-concave, without gaps."""
        return Column("*", self.runs[-1][1], self.runs).is_log_concave if self.runs else False


@attrs.frozen
class KeyedSum:
    """A sum that was published with the noise of a cell key, which the set of people fixes.

    Runs are the likelihood by itself, as of a `Sum`. Each `draw` of keys has noise of its own.
    """

    atoms: Atoms
    runs: tuple[Run, ...]
    output: Mark
    draw: tuple[int, int] = (0, 0)

    @property
    def chance_of_nobody(self) -> Fraction:
        """How likely the output is of the empty set."""
        return next((w for low, high, w in self.runs if low <= 0 <= high), Fraction(0))


@attrs.frozen
class Relations:
    """Atoms with how many people they have, and all sums of which something is known.

    `keyed` is what is known of sums with cell keys, each of another set of atoms; `either` are
    pairs of hidden sums, of which the rule hides one at least: how likely it hides each.
    """

    sizes: tuple[int, ...]
    sums: tuple[Sum, ...]
    keyed: tuple[KeyedSum, ...] = ()
    either: tuple[tuple[Sum, Sum], ...] = ()

    def merged(self) -> "Relations":
        """The same with one sum for each set of atoms: likelihoods multiply."""
        runs: dict[Atoms, tuple[Run, ...]] = {}
        for each in self.sums:
            before = runs.get(each.atoms)
            runs[each.atoms] = each.runs if before is None else product(before, each.runs)
        sums = tuple(Sum(atoms, known) for atoms, known in runs.items())
        return attrs.evolve(self, sums=sums)

    def allow_all(self, *, counted: bool) -> bool:
        """Whether everybody may be counted, or nobody."""

        def is_possible(known: Sum | KeyedSum) -> bool:
            people = counted * sum(self.sizes[atom] for atom in known.atoms)
            return weight_at(known.runs, people) > 0

        known: list[Sum | KeyedSum] = [*self.sums, *self.keyed]
        return all(map(is_possible, known)) and all(
            any(map(is_possible, pair)) for pair in self.either
        )

    def components(self) -> list[tuple[Atoms, tuple[int, ...], tuple[int, ...]]]:
        """Atoms that sums connect, with the indices of those sums, plain and keyed; in order."""
        groups = Connected()
        root = groups.root
        known: list[Sum | KeyedSum] = [*self.sums, *self.keyed]
        for each in known:
            groups.connect(*each.atoms)
        for one, other in self.either:
            groups.connect(*one.atoms, *other.atoms)
        # The empty set has one key, too: what one sum says of its noise, all others say.
        if unsure := [each.atoms[0] for each in self.keyed if 0 < each.chance_of_nobody < 1]:
            groups.connect(*unsure)
        parts: dict[Hashable, tuple[list[int], list[int], list[int]]] = {}
        for atom in range(len(self.sizes)):
            parts.setdefault(root(atom), ([], [], []))[0].append(atom)
        for index, plain in enumerate(self.sums):
            parts[root(plain.atoms[0])][1].append(index)
        for index, keyed in enumerate(self.keyed):
            parts[root(keyed.atoms[0])][2].append(index)
        return [(tuple(a), tuple(b), tuple(c)) for a, b, c in parts.values()]

    def part(self, atoms: Atoms, sums: Iterable[int], keyed: Iterable[int] = ()) -> "Relations":
        """The relations of some atoms alone, numbered anew."""
        place = {atom: index for index, atom in enumerate(atoms)}
        return Relations(
            tuple(self.sizes[atom] for atom in atoms),
            tuple(_numbered(self.sums[index], place) for index in sums),
            tuple(_numbered(self.keyed[index], place) for index in keyed),
            tuple(
                (_numbered(one, place), _numbered(other, place))
                for one, other in self.either
                if one.atoms[0] in place
            ),
        )


def _numbered(known: AnySum, place: Mapping[int, int]) -> AnySum:
    return attrs.evolve(known, atoms=tuple(place[atom] for atom in known.atoms))


def parents(relations: Relations) -> tuple[list[int | None], list[int | None]] | None:
    """Return the sum around each sum and around each atom, or None where two sums cross."""
    # The smallest sum that holds all of it; None for what no sum holds. No two sums may be over the
    # same atoms.
    around: list[int | None] = [None] * len(relations.sizes)
    above: list[int | None] = [None] * len(relations.sums)
    order = sorted(range(len(relations.sums)), key=lambda i: -len(relations.sums[i].atoms))
    for index in order:
        atoms = relations.sums[index].atoms
        first = around[atoms[0]]
        if any(around[atom] != first for atom in atoms):
            return None
        above[index] = first
        for atom in atoms:
            around[atom] = index
    return above, around


def product(first: Sequence[Run], second: Sequence[Run]) -> tuple[Run, ...]:
    """Return the runs of two likelihoods multiplied."""
    pairs = overlaps([run[:2] for run in first], [run[:2] for run in second])
    return tuple((low, high, first[i][2] * second[j][2]) for low, high, i, j in pairs)


def overlaps(
    first: Sequence[tuple[int, int]], second: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield what intervals in order share with others, and the places of both."""
    i = j = 0
    while i < len(first) and j < len(second):
        low, high = max(first[i][0], second[j][0]), min(first[i][1], second[j][1])
        if low <= high:
            yield low, high, i, j
        if first[i][1] <= second[j][1]:
            i += 1
        else:
            j += 1


def sure(low: int, high: int) -> tuple[Run, ...]:
    """Return the likelihood of knowing that a value is in low…high, and nothing else."""
    return ((low, high, Fraction(1)),)


def weights(runs: Iterable[Run], low: int, high: int) -> list[Fraction]:
    """Return the likelihood of each value low…high."""
    values = [Fraction(0)] * (high - low + 1)
    for first, last, weight in runs:
        for value in range(max(first, low), min(last, high) + 1):
            values[value - low] = weight
    return values


def whole_weights(runs: Sequence[Run], low: int, high: int) -> list[int]:
    """Return the likelihood of each value low…high, times `scale`."""
    common = scale(runs)
    return [int(weight * common) for weight in weights(runs, low, high)]


def scale(runs: Sequence[Run]) -> int:
    """Return the least number by which all likelihoods become whole."""
    return math.lcm(*(weight.denominator for _, _, weight in runs))


MOST_ATOMS = 10  # Atoms of one component: a thousand cases


def apart(relations: Relations) -> tuple[Sum, ...]:
    """Return what different noise says for certain: somebody of those in one set only is counted.

    The same set of people always gets the same number.
    """
    return tuple(
        Sum(atoms, sure(1, sum(relations.sizes[atom] for atom in atoms)))
        for first, second in itertools.combinations(relations.keyed, 2)
        if first.output != second.output and first.draw == second.draw
        if (atoms := tuple(sorted(set(first.atoms) ^ set(second.atoms))))
    )


def alternatives(relations: Relations) -> list[Relations] | None:
    """Return the cases without cell keys and hidden pairs that together have the same law."""
    # None where there are too many, or where noise of different sets is not independent.
    if relations.either:
        # Of each pair: the rule hides the first; or not the first, but the second.
        if len(relations.either) > MOST_ATOMS:
            return None
        ways = []
        for one, other in relations.either:
            not_hidden: list[Run] = []
            following = 0
            people = sum(relations.sizes[atom] for atom in one.atoms)
            for low, high, weight in (*one.runs, (people + 1, people, Fraction(1))):
                not_hidden.append((following, low - 1, Fraction(1)))
                not_hidden.append((low, high, 1 - weight))
                following = high + 1
            runs = tuple(run for run in not_hidden if run[0] <= run[1] and run[2])
            ways.append(((one,), (attrs.evolve(one, runs=runs), other)))
        return [
            attrs.evolve(
                relations, sums=(*relations.sums, *itertools.chain(*choice)), either=()
            ).merged()
            for choice in itertools.product(*ways)
        ]
    if not relations.keyed:
        return [relations]
    atoms = sorted({atom for each in relations.keyed for atom in each.atoms})
    if len(atoms) > MOST_ATOMS:
        return None
    cases = []
    for counted in itertools.product((False, True), repeat=len(atoms)):
        some = {atom for atom, is_some in zip(atoms, counted, strict=True) if is_some}
        case = _case(relations, atoms, some)
        if case is None:
            return None
        if case:
            cases.append(case[0])
    return cases


def _case(relations: Relations, atoms: list[int], some: set[int]) -> tuple[Relations, ...] | None:
    """The relations of one case; empty if impossible, None where unknown."""
    by_set: dict[tuple[tuple[int, int], Atoms], KeyedSum] = {}
    for each in relations.keyed:
        people = tuple(atom for atom in each.atoms if atom in some)
        before = by_set.setdefault((each.draw, people), each)
        if before.output != each.output:
            return ()
    # Whether no combination of the sets of a draw vanishes modulo 2, nor then of real keys.
    bases: dict[tuple[int, int], list[int]] = {}
    known: list[Sum] = []
    for (draw, people), each in by_set.items():
        if not people:
            # Sets of which nobody is counted share one draw of noise, which counts once.
            if not each.chance_of_nobody:
                return ()
            known.append(Sum(each.atoms[:1], ((0, 0, each.chance_of_nobody),)))
            continue
        basis = bases.setdefault(draw, [])
        row = sum(1 << atom for atom in people)
        for other in basis:
            row = min(row, row ^ other)
        if row == 0:
            return None
        basis.append(row)
        known.append(Sum(each.atoms, each.runs))
    bounds = [
        Sum((atom,), sure(1, relations.sizes[atom]) if atom in some else sure(0, 0))
        for atom in atoms
    ]
    sums = (*relations.sums, *bounds, *known)
    return (attrs.evolve(relations, sums=sums, keyed=()).merged(),)
