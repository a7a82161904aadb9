"""Cell keys of several sets at once: equal sets get equal noise, different ones independent noise.

Keys of records add up to the key of a set. Keys of several sets are independent if and only if no
combination of the sets vanishes. Which of the published sets are equal, once only the counted
people are looked at, depends on which atoms have nobody counted; so each choice of these atoms is
a case, in which noise is independent or the same.
"""

import itertools

import attrs

from deniable.rules.relations import Atoms, KeyedSum, Relations, Sum, sure

_MOST_ATOMS = 10
"""Atoms of one component: a thousand cases."""


def apart(relations: Relations) -> tuple[Sum, ...]:
    """Return what different noise says for certain: somebody of those in one set only is counted.

    The same set of people always gets the same number.
    """
    return tuple(
        Sum(atoms, sure(1, sum(relations.sizes[atom] for atom in atoms)))
        for first, second in itertools.combinations(relations.keyed, 2)
        if first.output != second.output
        if (atoms := tuple(sorted(set(first.atoms) ^ set(second.atoms))))
    )


def alternatives(relations: Relations) -> list[Relations] | None:
    """Return the cases without cell keys that together have the same law.

    None where there are too many, or where noise of different sets is not independent.
    """
    if not relations.keyed:
        return [relations]
    atoms = sorted({atom for each in relations.keyed for atom in each.atoms})
    if len(atoms) > _MOST_ATOMS:
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
    by_set: dict[Atoms, KeyedSum] = {}
    for each in relations.keyed:
        people = tuple(atom for atom in each.atoms if atom in some)
        before = by_set.setdefault(people, each)
        if before.output != each.output:
            return ()
    empty = by_set.pop((), None)
    if empty is not None:
        chance = empty.chance_of_nobody
        if chance == 0:
            return ()
        if chance != 1:
            return None
    if not _is_independent([*by_set]):
        return None
    bounds = [
        Sum((atom,), sure(1, relations.sizes[atom]) if atom in some else sure(0, 0))
        for atom in atoms
    ]
    sums = (*relations.sums, *bounds, *(Sum(each.atoms, each.runs) for each in by_set.values()))
    return (attrs.evolve(relations, sums=sums, keyed=()).merged(),)


def _is_independent(sets: list[Atoms]) -> bool:
    """Whether no combination of the sets vanishes modulo 2, nor then of real keys."""
    basis: list[int] = []
    for each in sets:
        row = sum(1 << atom for atom in each)
        for other in basis:
            row = min(row, row ^ other)
        if row == 0:
            return False
        basis.append(row)
    return True
