"""The least and the largest value of sums of counts, given all that is published.

Nested sums need no solver. Where sums cross, bounds that whole numbers prove are tried first; what
they leave open goes to integer programming (HiGHS). Counts that reach a bound are checked in whole
numbers; that nothing lies beyond rests on the solver then.
"""

import enum
import math
from collections.abc import Iterable, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from deniable.rules.relations import Atoms, Relations, Sum, alternatives, sure
from deniable.rules.rule import windows
from deniable.rules.tree import Contradiction, shared, tree

_TOLERANCE = 1e-6  # How far the solver's bound may be from a whole number: HiGHS's own, twice
_MOST_SOLUTIONS = 2_000  # Integer programs for one set of tables: some ten milliseconds each
_MOST_SINGLE = 40  # Sums that are left out one by one to see which contradict each other: a second
_INFEASIBLE = 2  # What `scipy.optimize.milp` calls the status of a program without solution


class Proof(enum.IntEnum):
    """What an interval rests on; a smaller member is stronger."""

    INTEGERS = 0  # Both bounds are reached, and whole numbers prove that nothing lies beyond
    SOLVER = 1  # Both bounds are reached; that nothing lies beyond, the solver says
    OUTWARD = 2  # Nothing lies beyond; whether the bounds are reached is not known


@attrs.frozen
class Interval:
    """The least and the largest value of a sum of counts."""

    lower: int
    upper: int
    proof: Proof

    def __add__(self, other: "Interval") -> "Interval":
        """Return the bounds of a sum of two values that have nothing to do with each other."""
        proof = max(self.proof, other.proof)
        return Interval(self.lower + other.lower, self.upper + other.upper, proof)


def hull(intervals: Sequence[Interval]) -> Interval:
    """Return what is known where one of several cases holds."""
    return Interval(
        min(each.lower for each in intervals),
        max(each.upper for each in intervals),
        max(each.proof for each in intervals),
    )


def feasible(relations: Relations, wanted: Sequence[Atoms]) -> list[Interval]:
    """Return the least and the largest value of some sums.

    No two sums of the relations have the same atoms: callers merge them first.
    """
    totals = [Interval(0, 0, Proof.INTEGERS) for _ in wanted]
    component: dict[int, int] = {}
    parts = relations.components()
    for number, (atoms, _, _) in enumerate(parts):
        component.update(dict.fromkeys(atoms, number))
    questions: list[dict[int, list[int]]] = [{} for _ in parts]
    for index, combination in enumerate(wanted):
        for atom in combination:
            questions[component[atom]].setdefault(index, []).append(atom)
    for (atoms, sums, _), asking in zip(parts, questions, strict=True):
        place = {atom: number for number, atom in enumerate(atoms)}
        inside = [tuple(place[atom] for atom in combination) for combination in asking.values()]
        try:
            intervals = _with_pairs(relations.part(atoms, sums), inside)
        except Contradiction as error:
            raise Contradiction(tuple(sums[index] for index in error.sums)) from None
        for index, interval in zip(asking, intervals, strict=True):
            totals[index] += interval
    return totals


def _with_pairs(relations: Relations, wanted: Sequence[Atoms]) -> list[Interval]:
    """Solve for atoms that sums connect, over all cases of what the rule hides in pairs."""
    cases = alternatives(relations)
    if cases is None:  # too many: outwards
        intervals = _connected(attrs.evolve(relations, either=()), wanted)
        return [attrs.evolve(each, proof=Proof.OUTWARD) for each in intervals]
    if not relations.either:
        return _connected(relations, wanted)
    possible = []
    for case in cases:
        try:
            possible.append(_connected(case, wanted))
        except Contradiction:
            continue
    if not possible:
        raise Contradiction(tuple(range(len(relations.sums))))
    return list(map(hull, zip(*possible, strict=True)))


def _connected(relations: Relations, wanted: Sequence[Atoms]) -> list[Interval]:
    """Solve for atoms that sums connect: with no solver where all is nested."""
    nested = tree(relations)
    if nested is None:
        try:
            program = Program(relations)
        except Contradiction:
            # Sums that contradict each other, the last after those before it; few where it is
            # cheap.
            first, last = 1, len(relations.sums)
            while first < last:
                middle = (first + last) // 2
                if _is_possible(relations, range(middle)):
                    first = middle + 1
                else:
                    last = middle
            needed = list(range(first))
            for index in needed[:-1] if first <= _MOST_SINGLE else []:
                without = [each for each in needed if each != index]
                if not _is_possible(relations, without):
                    needed = without
            raise Contradiction(tuple(needed)) from None
        return [program.interval(combination) for combination in wanted]
    atoms, sums = nested.intervals()
    known: dict[Atoms, tuple[int, int]] = {(a,): bounds for a, bounds in enumerate(atoms)}
    known |= {each.atoms: sums[index] for index, each in enumerate(relations.sums)}
    return [
        Interval(*known[combination], Proof.INTEGERS)
        if combination in known
        else _beside(relations, combination)
        for combination in wanted
    ]


def _beside(relations: Relations, combination: Atoms) -> Interval:
    """The interval of a sum of which nothing was published."""
    every = sure(0, sum(relations.sizes[atom] for atom in combination))
    more = attrs.evolve(relations, sums=(*relations.sums, Sum(combination, every)))
    nested = tree(more)
    if nested is None:
        return Program(relations).interval(combination)
    return Interval(*nested.intervals()[1][-1], Proof.INTEGERS)


class Program:
    """Whole counts of atoms under all sums, for one objective after another."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._windows = [windows(each.runs) for each in relations.sums]
        self.atoms, self.sums = narrowed(relations)
        self._solutions: list[NDArray[np.int64]] = []
        self._solved, self._impossible = 0, False
        self._variables, self._constraints, self._limits = self._formulated()
        self._solve(np.zeros(len(relations.sizes)))
        if self._impossible:
            raise Contradiction(tuple(range(len(relations.sums))))

    def interval(self, combination: Atoms) -> Interval:
        """Return the least and the largest value of a sum."""
        low, high = (sum(self.atoms[atom][side] for atom in combination) for side in (0, 1))
        for index, each in enumerate(self._relations.sums):
            if each.atoms == combination:
                low, high = max(low, self.sums[index][0]), min(high, self.sums[index][1])
        proof = Proof.INTEGERS
        objective = np.zeros(len(self._relations.sizes))
        objective[list(combination)] = 1.0
        bounds = []
        for bound, sign in ((low, 1), (high, -1)):
            if bound not in self._reached(combination):
                dual = self._solve(sign * objective)
                if dual is not None:
                    # Nothing below the dual bound of the smaller of value and −value.
                    bound = sign * max(math.ceil(dual - _TOLERANCE), sign * bound)
                reached = bound in self._reached(combination)
                proof = max(proof, Proof.SOLVER if reached else Proof.OUTWARD)
            bounds.append(bound)
        return Interval(bounds[0], bounds[1], proof)

    def _reached(self, combination: Atoms) -> set[int]:
        return {int(solution[list(combination)].sum()) for solution in self._solutions}

    def _formulated(self) -> tuple[int, LinearConstraint, Bounds]:
        """Counts; and where a sum may lie in several windows, a choice and a value of each."""
        # Σ x = Σ y_k, l_k z_k ≤ y_k ≤ u_k z_k, Σ z_k = 1, z_k ∈ {0, 1}.
        atoms = len(self._relations.sizes)
        lower = [low for low, _ in self.atoms]
        upper = [high for _, high in self.atoms]
        rows: list[dict[int, float]] = []
        least: list[float] = []
        most: list[float] = []
        variables = atoms
        for index, each in enumerate(self._relations.sums):
            row = dict.fromkeys(each.atoms, 1.0)
            low, high = self.sums[index]
            possible = shared(self._windows[index], [(low, high)])
            if len(possible) > 1:
                choices = {}
                for first, last in possible:
                    value, choice = variables, variables + 1
                    variables += 2
                    lower += [0, 0]
                    upper += [last, 1]
                    rows += [{value: 1.0, choice: -first}, {value: 1.0, choice: -last}]
                    least += [0, -math.inf]
                    most += [math.inf, 0]
                    row[value] = -1.0
                    choices[choice] = 1.0
                rows.append(choices)
                least.append(1)
                most.append(1)
                low = high = 0
            rows.append(row)
            least.append(low)
            most.append(high)
        data = [value for row in rows for value in row.values()]
        columns = [column for row in rows for column in row]
        starts = np.cumsum([0, *(len(row) for row in rows)])
        matrix = csr_array((data, columns, starts), shape=(len(rows), variables))
        return variables, LinearConstraint(matrix, least, most), Bounds(lower, upper)

    def _solve(self, objective: NDArray[np.float64]) -> float | None:
        """Minimise, keep the counts if they are what they should be, and return the dual bound."""
        if self._solved >= _MOST_SOLUTIONS:
            return None
        self._solved += 1
        weights = np.zeros(self._variables)
        weights[: len(objective)] = objective
        result = milp(
            weights, integrality=np.ones(self._variables, dtype=np.int64), bounds=self._limits,
            constraints=self._constraints, options={"mip_rel_gap": 0.0},
        )  # fmt: skip
        self._impossible = self._impossible or result.status == _INFEASIBLE
        if result.x is None:
            return None
        counts = np.rint(result.x[: len(objective)]).astype(np.int64)
        # Whether whole counts agree with all sums.
        inside = all(
            0 <= count <= size
            for count, size in zip(counts.tolist(), self._relations.sizes, strict=True)
        )
        values = (int(counts[list(each.atoms)].sum()) for each in self._relations.sums)
        if inside and all(
            any(low <= value <= high for low, high in known)
            for value, known in zip(values, self._windows, strict=True)
        ):
            self._solutions.append(counts)
        dual = result.mip_dual_bound
        return float(dual) if math.isfinite(dual) else None


def _is_possible(relations: Relations, some: Iterable[int]) -> bool:
    every = tuple(range(len(relations.sizes)))
    selection = relations.part(every, some)
    try:
        for atoms, sums, _ in selection.components():
            part = selection.part(atoms, sums)
            if tree(part) is None:
                Program(part)
    except Contradiction:
        return False
    return True


def narrowed(relations: Relations) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return bounds of atoms and sums that whole numbers prove, from one sum at a time."""
    atoms = [(0, size) for size in relations.sizes]
    known = [windows(each.runs) for each in relations.sums]
    bounds = [(0, 0)] * len(relations.sums)
    for _ in range(100):  # Walks over all sums that narrow bounds: as a rule below ten do
        before = list(atoms)
        for index, each in enumerate(relations.sums):
            low = sum(atoms[atom][0] for atom in each.atoms)
            high = sum(atoms[atom][1] for atom in each.atoms)
            possible = shared(known[index], [(low, high)])
            if not possible:
                raise Contradiction((index,))
            inside = bounds[index] = possible[0][0], possible[-1][1]
            for atom in each.atoms:
                least, most = atoms[atom]
                # What the others leave of the sum: x ≥ sum − Σ upper, x ≤ sum − Σ lower.
                least, most = (
                    max(least, inside[0] - (high - most)),
                    min(most, inside[1] - (low - least)),
                )
                if least > most:
                    raise Contradiction((index,))
                low, high = low + least - atoms[atom][0], high + most - atoms[atom][1]
                atoms[atom] = least, most
        if atoms == before:
            break
    return atoms, bounds
