"""The joint law of counts whose sums cross: atom by atom, with the partial sums still open.

A sum is open from the first of its atoms to the last. The state is the partial value of each open
sum, and only values that can still come to something are followed: forwards from the first atom,
backwards from the last, and at each atom what both say of its count.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import attrs

from deniable.rules.relations import Relations, whole_weights

State: TypeAlias = tuple[int, ...]
"""Partial values of the sums that are open."""

Weights: TypeAlias = list[Any]
"""Whole numbers or balls, one a value."""

Bounds: TypeAlias = tuple[int, int]
"""The least and the largest value."""


@attrs.frozen
class _Step:
    """One atom, and what happens to open sums when its count is known.

    Parameters
    ----------
    atom : int
        Which atom.
    places : tuple of int
        Of each sum that is open after the atom and of each that it closes: its place in the state
        before, or −1 where the atom opens it.
    adds : tuple of int
        Of each of these, 1 if the atom is in it, else 0.
    open : int
        How many of them stay open; the others are closed.
    bounds : tuple of (int, int)
        Of each of these, partial values that can still come to something.
    closed : tuple of (int, list)
        Of each closed sum, its least value and the likelihood from there on.
    """

    atom: int
    places: tuple[int, ...]
    adds: tuple[int, ...]
    open: int
    bounds: tuple[Bounds, ...]
    closed: tuple[tuple[int, list[int]], ...]

    def after(self, state: State, count: int) -> tuple[State, int] | None:
        """The state after a count, with the likelihood of the sums closed; None if impossible."""
        values = []
        for place, add, (low, high) in zip(self.places, self.adds, self.bounds, strict=True):
            value = (state[place] if place >= 0 else 0) + add * count
            if not low <= value <= high:
                return None
            values.append(value)
        likelihood = 1
        for value, (low, known) in zip(values[self.open :], self.closed, strict=True):
            likelihood *= known[value - low]
        return (tuple(values[: self.open]), likelihood) if likelihood else None


def weights_from_the_rest(
    relations: Relations,
    atoms: Sequence[Bounds],
    sums: Sequence[Bounds],
    laws: Sequence[Weights],
    most: int,
) -> list[Weights] | None:
    """Return of each atom what all else says of its count; None where it is too much work.

    Parameters
    ----------
    relations : Relations
        Atoms and sums.
    atoms, sums : sequence of (int, int)
        Bounds of the possible values of each.
    laws : sequence of list
        Of each atom: the probabilities of the counts between its bounds, up to a factor.
    most : int
        States followed at most, times counts.

    Returns
    -------
    list of list, or None
        Of each atom, one number for each count between its bounds, up to a factor.
    """
    steps = _steps(relations, atoms, sums)
    forwards: list[dict[State, Any]] = [{(): 1}]
    work = 0
    for step in steps:
        work += len(forwards[-1]) * len(laws[step.atom])
        if work > most:
            return None
        low, _ = atoms[step.atom]
        following: dict[State, Any] = {}
        for state, weight in forwards[-1].items():
            for count, chance in enumerate(laws[step.atom], low):
                if (after := step.after(state, count)) is not None:
                    share = weight * chance * after[1]
                    following[after[0]] = following.get(after[0], 0) + share
        forwards.append(following)
    backwards: dict[State, Any] = {(): 1}
    rest: dict[int, Weights] = {}
    for step, before in zip(reversed(steps), reversed(forwards[:-1]), strict=True):
        low, high = atoms[step.atom]
        of_atom: Weights = [0] * (high - low + 1)
        earlier: dict[State, Any] = {}
        for state, weight in before.items():
            total: Any = 0
            for count, chance in enumerate(laws[step.atom], low):
                after = step.after(state, count)
                if after is not None and after[0] in backwards:
                    share = backwards[after[0]] * after[1]
                    of_atom[count - low] += weight * share
                    total += chance * share
            earlier[state] = total
        rest[step.atom] = of_atom
        backwards = earlier
    return [rest[atom] for atom in range(len(relations.sizes))]


def _order(relations: Relations) -> list[int]:
    """Atoms in an order that keeps few sums open: next is what opens least and closes most."""
    holding: list[list[int]] = [[] for _ in relations.sizes]
    for index, each in enumerate(relations.sums):
        for atom in each.atoms:
            holding[atom].append(index)
    left = [len(each.atoms) for each in relations.sums]
    opened: set[int] = set()
    waiting = set(range(len(relations.sizes)))
    order = []
    while waiting:
        near = {a for index in opened for a in relations.sums[index].atoms if a in waiting}
        atom = min(near or waiting, key=lambda a: (_cost(holding[a], left, opened), a))
        waiting.remove(atom)
        order.append(atom)
        for index in holding[atom]:
            left[index] -= 1
            opened.discard(index) if not left[index] else opened.add(index)
    return order


def _cost(sums: Sequence[int], left: Sequence[int], opened: set[int]) -> tuple[int, int]:
    """Sums that an atom opens less those that it closes; then atoms still to come."""
    opens = sum(index not in opened and left[index] > 1 for index in sums)
    closes = sum(index in opened and left[index] == 1 for index in sums)
    return opens - closes, sum(left[index] for index in sums)


def _steps(relations: Relations, atoms: Sequence[Bounds], sums: Sequence[Bounds]) -> list[_Step]:
    order = _order(relations)
    left = [list(each.atoms) for each in relations.sums]
    least = [sum(atoms[a][0] for a in each.atoms) for each in relations.sums]
    most = [sum(atoms[a][1] for a in each.atoms) for each in relations.sums]
    state: list[int] = []
    steps = []
    for atom in order:
        inside = [i for i, each in enumerate(relations.sums) if atom in each.atoms]
        for index in inside:
            left[index].remove(atom)
            least[index] -= atoms[atom][0]
            most[index] -= atoms[atom][1]
        fresh = [i for i in inside if i not in state]
        closing = [i for i in [*state, *fresh] if not left[i] and i in inside]
        staying = [i for i in [*state, *fresh] if i not in closing]
        after = [*staying, *closing]
        steps.append(
            _Step(
                atom,
                tuple(state.index(i) if i in state else -1 for i in after),
                tuple(int(i in inside) for i in after),
                len(staying),
                tuple((sums[i][0] - most[i], sums[i][1] - least[i]) for i in after),
                tuple(
                    (sums[i][0], whole_weights(relations.sums[i].runs, *sums[i])) for i in closing
                ),
            )
        )
        state = staying
    return steps
