"""Differencing: two published sets of people that differ in a few, and what that gives away."""

from collections import defaultdict
from collections.abc import Iterator

import attrs

from deniable.rules.related import Related
from deniable.rules.relations import Atoms

_MOST = 1_000
"""Differences in one answer: more than anybody reads; those of the fewest people come first."""
_MOST_PAIRS = 5_000_000
"""Pairs of sets that share people: some seconds."""


@attrs.frozen
class PublishedSet:
    """People who are counted in a cell, or together in all cells of a table.

    Parameters
    ----------
    table : str
        The table's name.
    name : str
        The cell's name; "all" for the whole table.
    """

    table: str
    name: str


@attrs.frozen
class Difference:
    """People who are in one published set and not in another.

    Parameters
    ----------
    first, second : PublishedSet
        In the first, and not in the second.
    atoms : tuple of int
        Who they are.
    people : int
        How many they are, at least 1.
    """

    first: PublishedSet
    second: PublishedSet
    atoms: Atoms
    people: int


def differences(related: Related, threshold: int) -> list[Difference]:
    """Return the differences of at most so many people, the fewest first.

    Of two sets from different tables, or a total and a cell, that share more people than they
    differ in; people who are a published set themselves are left out, and each difference is
    named once.
    """
    sets = list(_sets(related))
    published = {atoms for _, atoms in sets}
    holding: dict[int, list[int]] = defaultdict(list)
    for number, (_, atoms) in enumerate(sets):
        for atom in atoms:
            holding[atom].append(number)
    shared: dict[tuple[int, int], int] = defaultdict(int)
    for atom, numbers in holding.items():
        size = related.relations.sizes[atom]
        for first in numbers:
            for second in numbers:
                if first != second:
                    shared[first, second] += size
        if len(shared) > _MOST_PAIRS:
            break
    people = [related.people(atoms) for _, atoms in sets]
    few: dict[Atoms, Difference] = {}
    for (first, second), common in shared.items():
        left = people[first] - common
        if not 0 < left <= threshold or common <= left:
            continue
        inside = set(sets[second][1])
        atoms = tuple(atom for atom in sets[first][1] if atom not in inside)
        if atoms not in published and atoms not in few:
            few[atoms] = Difference(sets[first][0], sets[second][0], atoms, left)
    return sorted(few.values(), key=lambda each: (each.people, each.atoms))[:_MOST]


def _sets(related: Related) -> Iterator[tuple[PublishedSet, Atoms]]:
    """Each published set of people once: cells, and tables as a whole."""
    before: set[Atoms] = set()
    whole: dict[str, set[int]] = defaultdict(set)
    for cell, atoms in zip(related.cells, related.sets, strict=True):
        whole[cell.table].update(atoms)
        if atoms not in before:
            before.add(atoms)
            yield PublishedSet(cell.table, cell.name), atoms
    for table, some in whole.items():
        atoms = tuple(sorted(some))
        if atoms not in before:
            before.add(atoms)
            yield PublishedSet(table, "all"), atoms


def is_determined(lower: int, upper: int, people: int) -> bool | None:
    """Whether everybody is in for certain, or nobody; None where neither is certain."""
    return True if lower == people else False if upper == 0 else None
