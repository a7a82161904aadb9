"""Why a belief misses its target: the fewest published numbers that suffice, and a repair.

A set of numbers is a reason if it alone makes a count certain, or a belief miss the target. Numbers
near the people are tried first, what is not needed is left out again, and then all smaller sets are
tried, as long as there are few.
"""

import heapq
import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import attrs

from deniable.errors import DataError, InconsistentTables
from deniable.numerics.answer import fields_of
from deniable.rules.feasible import Interval, feasible
from deniable.rules.files import CountedTable, RulesFile
from deniable.rules.joint import Component, Extremum, beliefs
from deniable.rules.numbers import bound_between, is_within
from deniable.rules.related import Related, is_determined, related
from deniable.rules.relations import Atoms, Relations
from deniable.rules.steps import HIDDEN
from deniable.rules.tables import PublishedCell, list_words
from deniable.rules.tree import Contradiction
from deniable.rules.worlds import Adversary, Priors, Sample

Change: TypeAlias = Literal["hide", "leave out", "totals from shown cells", "hide zeros"]
Part: TypeAlias = tuple[str, int]  # A number's kind, a field of `Relations`, and its index there

CHOICE = (
    "The repair was sought with the counts in view. A cell that is hidden is judged over all ways "
    "to choose it. A number is left out only if you would leave it out whatever it was."
)
_HALF = Fraction(1, 2)  # Any prior strictly between 0 and 1 would do for a sample
_MOST_NUMBERS = 6_000  # Numbers of all sets judged for one reason: a second or less
_MOST_LISTED = 5_000  # Sets that are looked at before one is judged: a tenth of a second
_MOST_REPAIRS = 60  # Changes judged for one repair, of 20 numbers; fewer where more
_MOST_LEFT_OUT = 3  # Numbers that a repair leaves out at most: more change the table, not its marks
_MOST_SHOWN = 12  # Numbers of a reason that a repair may leave out: 300 sets of three


@attrs.frozen
class CellRepair:
    """A change of what is printed, and the beliefs about connected lists after it.

    "hide" prints "*" for one more cell, and `secondary` then covers the choice; "leave out" never
    publishes the numbers, whatever they are; "hide zeros" prints "*" for each 0. `is_met` is None
    where beliefs that were undecided before are so still; `missed` counts the lists elsewhere that
    still miss the target.
    """

    change: Change
    cells: tuple[PublishedCell, ...]
    lowest: float
    highest: float
    missed: int
    is_met: bool | None

    @property
    def text(self) -> str:
        """The change in words."""
        what, is_one = " and ".join(_named(self.cells)), len(self.cells) == 1
        table = f'of table "{self.cells[0].table}"'
        words = {
            "hide": f'print "{HIDDEN}" in place of {what}, too',
            "leave out": f"leave out {what}, whatever {'it is' if is_one else 'they are'}",
            "totals from shown cells": f"make the totals {table} from the cells that are shown",
            "hide zeros": f'print "{HIDDEN}" in place of each 0',
        }
        return words[self.change]

    def as_json(self) -> dict[str, Any]:
        """The entry `repair`."""
        return {
            "change": self.change,
            "cells": [cell_as_json(each) for each in self.cells],
            "belief": {"lower": self.lowest, "upper": self.highest},
            "verdict": "met" if self.is_met else "undecided",
            "missed_elsewhere": self.missed,
        }


@attrs.frozen
class Reason:
    """The numbers that alone let an attacker believe too much, or too little, of some people.

    `times` says how often each number is added, where their combination is the people's count.
    They are the "smallest" set if no fewer numbers suffice, "irreducible" if none of them can be
    left out, and else "enough".
    """

    lists: tuple[str, ...]
    people: int
    is_high: bool
    cells: tuple[PublishedCell, ...]
    times: tuple[int, ...]
    interval: Interval
    belief: Extremum
    proof: Literal["smallest", "irreducible", "enough"]
    repair: CellRepair | None

    @property
    def text(self) -> str:
        """How many are counted, and by which numbers, in words."""
        low, high = self.interval.lower, self.interval.upper
        counted = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        names = _named(self.cells)
        if not self.times:
            numbers = " and ".join(names)
        else:
            numbers = ""
            for number, name in sorted(zip(self.times, names, strict=True), reverse=True):
                sign = (" − " if numbers else "−") if number < 0 else (" + " if numbers else "")
                numbers += f"{sign}{'' if abs(number) == 1 else f'{abs(number)} × '}{name}"
        people, lists = f"{self.people:,}", list_words(self.lists)
        return f"{counted} of {people} people on {lists} are counted, by {numbers}"

    def as_json(self) -> dict[str, Any]:
        """The entry `because`."""
        times: Sequence[int | None] = self.times or (None,) * len(self.cells)
        belief = bound_between(self.belief.lower, self.belief.upper)
        return {
            "lists": list(self.lists),
            "people": self.people,
            "numbers": [
                {**cell_as_json(each), "times": number}
                for each, number in zip(self.cells, times, strict=True)
            ],
            **fields_of(self.interval, "lower", "upper"),
            "belief": fields_of(belief, "lower", "upper"),
            "proof": self.proof,
            "repair": None if self.repair is None else self.repair.as_json(),
        }


def _named(cells: Sequence[PublishedCell]) -> list[str]:
    """What is printed and where, without the table where there is one."""
    several = len({cell.table for cell in cells}) > 1
    return [
        f'{cell.published} of "{cell.name}"' + (f' in table "{cell.table}"' if several else "")
        for cell in cells
    ]


def cell_as_json(cell: PublishedCell) -> dict[str, Any]:
    """Return where a number was published, and what."""
    return {"table": cell.table, "cell": cell.name, "published": cell.published}


def extremes(
    known: Related, adversary: Adversary | None, intervals: dict[Atoms, Interval] | None = None
) -> list[tuple[Extremum, Extremum]]:
    """Return the smallest and largest belief in a member of each atom; none without adversary."""
    if adversary is None:
        return []
    relations = known.relations
    if intervals is None:
        wanted: list[Atoms] = [(atom,) for atom in range(len(relations.sizes))]
        wanted += [each.atoms for each in relations.sums]
        intervals = dict(zip(wanted, feasible(known.possible, wanted), strict=True))
    # A uniform sample is independent draws with any one prior, given how many were drawn.
    priors = Priors(_HALF, _HALF) if isinstance(adversary, Sample) else adversary
    result: dict[int, tuple[Extremum, Extremum]] = {}
    for atoms, sums, keyed in relations.components():
        component = Component(
            relations.part(atoms, sums, keyed),
            [intervals[(atom,)] for atom in atoms],
            [intervals[relations.sums[index].atoms] for index in sums],
            not known.with_choice.isdisjoint(atoms),
        )
        result.update(zip(atoms, beliefs(component, priors), strict=True))
    return [result[atom] for atom in range(len(relations.sizes))]


def verdict(
    extremum: tuple[Extremum, Extremum], target: Any, is_high: bool | None = None
) -> bool | None:
    """Say whether a belief stays within the target, or one side; None where it is undecided.

    The target is anything with a `max_posterior` and a `min_posterior`, either perhaps None.
    """
    low, high = extremum
    most = None if is_high is False else target.max_posterior
    least = None if is_high else target.min_posterior
    met = [] if most is None else [is_within(high.lower, high.upper, most)]
    met += [] if least is None else [is_within(-low.upper, -low.lower, -least)]
    return False if False in met else None if None in met else True


def explain(
    rules: RulesFile,
    known: Related,
    atom: int,
    *,
    is_high: bool,
    is_certain: bool,
    verdicts: Sequence[bool | None],
) -> Reason | None:
    """Return the reason of a belief about an atom, or None where the search is too long.

    `verdicts` are those of all atoms before a repair.
    """
    search = _Search(rules, known, atom, is_high, is_certain)
    parts = search.smallest()
    if not parts:
        return None
    interval, belief = search.judged(parts)
    cells = search.cells(parts)
    return Reason(
        known.names[atom],
        known.relations.sizes[atom],
        is_high,
        cells,
        search.times(parts) if interval.lower == interval.upper else (),
        interval,
        belief[is_high],
        search.proof,
        _Repairs(rules, known, atom, verdicts).cheapest(cells),
    )


class _Search:
    """Sets of published numbers, and what each alone says of one atom."""

    def __init__(
        self, rules: RulesFile, known: Related, atom: int, is_high: bool, is_certain: bool
    ) -> None:
        self._rules, self._known, self._atom, self._is_high = rules, known, atom, is_high
        self._is_certain, self._left = is_certain, _MOST_NUMBERS
        relations = known.relations
        everybody = tuple(range(len(relations.sizes)))
        sampled = isinstance(rules.adversary, Sample)
        sets: dict[Part, Atoms] = {("keyed", i): s.atoms for i, s in enumerate(relations.keyed)}
        sets |= {("sums", i): s.atoms for i, s in enumerate(relations.sums)}
        for index, (one, other) in enumerate(relations.either):
            sets["either", index] = (*one.atoms, *other.atoms)
        # The size of a sample is known beforehand.
        self._always = [part for part, atoms in sets.items() if sampled and atoms == everybody]
        self._sets = {part: atoms for part, atoms in sets.items() if part not in self._always}
        self._judged: dict[frozenset[Part], tuple[Interval, tuple[Extremum, Extremum]]] = {}
        self.proof: Literal["smallest", "irreducible", "enough"] = "enough"

    def smallest(self) -> list[Part]:
        """The smallest set of numbers that is a reason; empty where none was found."""
        near = list(self._near(self._sets))
        length = 1
        while length < len(near) and not self._holds(near[:length]):
            length *= 2
        needed = near[:length]
        if not self._holds(needed):
            return []
        chunk = max(len(needed) // 2, 1)
        while True:
            before = len(needed)
            for start in reversed(range(0, len(needed), chunk)):
                fewer = needed[:start] + needed[start + chunk :]
                if fewer and self._holds(fewer):
                    needed = fewer
            if chunk == 1 and len(needed) == before:
                break
            chunk = max(chunk // 2, 1)
        self.proof = "irreducible" if self._left > 0 else "enough"
        smaller = (itertools.combinations(near, size) for size in range(1, len(needed)))
        for looked, some in enumerate(itertools.chain.from_iterable(smaller)):
            if len(list(self._near(some))) == len(some) and self._holds(some):
                needed = list(some)
                break
            if looked >= _MOST_LISTED or self._left <= 0:
                return needed
        self.proof = "smallest"
        return needed

    def _near(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Those numbers about people who are connected to the atom, the nearest first."""
        reached, waiting = {self._atom}, {part: self._sets[part] for part in parts}
        while True:
            some = [part for part, atoms in waiting.items() if not reached.isdisjoint(atoms)]
            # The size of a sample connects all others.
            some = some or (list(waiting) if self._always else [])
            if not some:
                return
            for part in sorted(some, key=lambda part: len(waiting[part])):
                reached.update(waiting.pop(part))
                yield part

    def _holds(self, parts: Collection[Part]) -> bool:
        if frozenset(parts) not in self._judged:
            self._left -= len(parts)
            if self._left <= 0:
                return False
        interval, extremum = self.judged(parts)
        if self._is_certain:
            people = self._known.relations.sizes[self._atom]
            return is_determined(interval.lower, interval.upper, people) is self._is_high
        return verdict(extremum, self._rules, self._is_high) is False

    def judged(self, parts: Collection[Part]) -> tuple[Interval, tuple[Extremum, Extremum]]:
        """The bounds of the atom's count, and the belief, from some numbers alone."""
        key = frozenset(parts)
        if key not in self._judged:
            every, used = self._known.relations, {*parts, *self._always}

            def some(kind: str) -> tuple[Any, ...]:
                return tuple(s for i, s in enumerate(getattr(every, kind)) if (kind, i) in used)

            relations = Relations(every.sizes, some("sums"), some("keyed"), some("either"))
            atoms, sums, keyed = next(
                each for each in relations.components() if self._atom in each[0]
            )
            choice = frozenset(
                place for place, atom in enumerate(atoms) if atom in self._known.with_choice
            )
            part = attrs.evolve(
                self._known, relations=relations.part(atoms, sums, keyed), with_choice=choice
            )
            place = atoms.index(self._atom)
            (interval,) = feasible(part.possible, [(place,)])
            self._judged[key] = interval, extremes(part, self._rules.adversary)[place]
        return self._judged[key]

    def cells(self, parts: Sequence[Part]) -> tuple[PublishedCell, ...]:
        """The printed cells of some numbers, each set of people once."""
        relations = self._known.relations
        wanted = [
            atoms
            for part in parts
            for atoms in (
                [each.atoms for each in relations.either[part[1]]]
                if part[0] == "either"
                else [self._sets[part]]
            )
        ]
        return tuple(
            cell
            for atoms in dict.fromkeys(wanted)
            for cell, own in zip(self._known.cells, self._known.sets, strict=True)
            if own == atoms
        )

    def times(self, parts: Sequence[Part]) -> tuple[int, ...]:
        """How often each number is added so that the atom's count is left; empty if it is not."""
        cells = self.cells(parts)
        sets = [self._sets[part] for part in parts]
        if len(cells) != len(sets):
            return ()
        weights = combination(sets, self._atom)
        if weights is None or any(each.denominator > 1 or not each for each in weights):
            return ()
        return tuple(map(int, weights))


def combination(sets: Sequence[Atoms], atom: int) -> list[Fraction] | None:
    """Return the weights with which sums of counts add up to one count, or None."""
    # Columns are sets, rows atoms: Σ w_i [a in set i] = [a is the atom], solved by elimination.
    rows = [
        [*(Fraction(a in each) for each in sets), Fraction(a == atom)]
        for a in sorted({atom}.union(*sets))
    ]
    pivots: list[int] = []
    for column in range(len(sets)):
        done = len(pivots)
        pivot = next((n for n in range(done, len(rows)) if rows[n][column]), None)
        if pivot is None:
            continue
        rows[done], rows[pivot] = rows[pivot], rows[done]
        rows[done] = [value / rows[done][column] for value in rows[done]]
        for n, row in enumerate(rows):
            if n != done and row[column]:
                factor = row[column]
                rows[n] = [a - factor * b for a, b in zip(row, rows[done], strict=True)]
        pivots.append(column)
    if any(row[-1] for row in rows[len(pivots) :]):
        return None
    weights = [Fraction(0)] * len(sets)
    for row, column in zip(rows, pivots, strict=False):
        weights[column] = row[-1]
    return weights


class _Repairs:
    """Changes of what is printed about connected people, and what each leaves to believe."""

    def __init__(
        self, rules: RulesFile, known: Related, atom: int, verdicts: Sequence[bool | None]
    ) -> None:
        self._rules = rules
        (atoms,) = [each[0] for each in known.relations.components() if atom in each[0]]
        # Totals of the cells that are shown change with these, and tell nothing new.
        self._cells = [
            cell
            for cell, own in zip(known.cells, known.sets, strict=True)
            if not set(own).isdisjoint(atoms)
            and not (cell.is_total and self._table(cell).total == "shown")
        ]
        self._before = dict(zip(known.names, verdicts, strict=True))
        self._elsewhere = sum(
            each is False for place, each in enumerate(verdicts) if place not in atoms
        )
        self._people = {
            (cell.table, cell.name): known.people(own)
            for cell, own in zip(known.cells, known.sets, strict=True)
        }
        self._tried: set[tuple[PublishedCell, ...]] = set()
        self._left = min(_MOST_REPAIRS, 20 * _MOST_REPAIRS // len(self._cells))

    def cheapest(self, reason: Sequence[PublishedCell]) -> CellRepair | None:
        """The change of fewest numbers, and then about fewest people, that meets the target."""
        # Of each reason a number has to go. Where one more reason is left, so has one of that.
        rules = self._rules
        if rules.max_posterior is rules.min_posterior is None:
            return None
        exact = [c for c in self._cells if c.is_total and self._table(c).total == "exact"]
        zeros = [cell for cell in self._cells if cell.published == 0 and cell not in exact]
        changes: list[tuple[Change, Sequence[PublishedCell]]] = []
        changes += [("hide zeros", zeros)] if rules.rule.zero == "shown" else []
        for table in rules.tables:
            totals = [c for c in self._cells if c.is_total and c.table == table.name]
            changes += [("totals from shown cells", totals)] if table.total != "shown" else []
        heap = [
            (*self._cost(cells), -number, change, tuple(cells))
            for number, (change, cells) in enumerate(changes, 1)
            if cells
        ]
        heap += self._without((), reason)
        heapq.heapify(heap)
        while heap and self._left > 0:
            *_, change, cells = heapq.heappop(heap)
            if (repair := self._repair(change, cells)) is not None:
                return repair
            if change == "leave out" and len(cells) < _MOST_LEFT_OUT:
                for each in self._without(cells, self._reason_without(cells)):
                    heapq.heappush(heap, each)
        return None

    def _without(
        self, left_out: Sequence[PublishedCell], reason: Sequence[PublishedCell]
    ) -> list[tuple[int, int, int, Change, tuple[PublishedCell, ...]]]:
        """Changes that leave out or hide one more number, in order of their cost."""
        # A further cell is hidden only beside one that the rule hides: alone it would be taken for
        # that.
        hidden = {cell.table for cell in self._cells if cell.published == HIDDEN}
        more = []
        for cell in reason[:_MOST_SHOWN]:
            cells = tuple(each for each in self._cells if each in left_out or each == cell)
            if cells in self._tried:
                continue
            self._tried.add(cells)
            can_hide = all(c.published != HIDDEN and c.table in hidden for c in cells)
            changes: list[Change] = ["hide", "leave out"] if can_hide else ["leave out"]
            for change in changes:
                order = 2 * len(self._tried) + (change == "leave out")
                more.append((*self._cost(cells), order, change, cells))
        return more

    def _reason_without(self, cells: Collection[PublishedCell]) -> Sequence[PublishedCell]:
        """A reason that is left once some numbers are not published."""
        known = related(self._rules, [each for each in self._cells if each not in cells])
        names = [names for names, each in self._before.items() if each is False]
        for is_high, atom in itertools.product(
            (True, False), [n for n, each in enumerate(known.names) if each in names]
        ):
            search = _Search(self._rules, known, atom, is_high, False)
            if parts := search.smallest():
                return search.cells(parts)
        return ()

    def _cost(self, cells: Sequence[PublishedCell]) -> tuple[int, int]:
        return len(cells), sum(self._people[cell.table, cell.name] for cell in cells)

    def _table(self, cell: PublishedCell) -> CountedTable:
        return next(each for each in self._rules.tables if each.name == cell.table)

    def _repair(self, change: Change, cells: tuple[PublishedCell, ...]) -> CellRepair | None:
        """The change if everybody connected is within the target after it."""
        self._left -= 1
        rules, tables = self._rules, {cell.table for cell in cells}
        printed = [
            (attrs.evolve(cell, published=HIDDEN) if change.startswith("hide") else None)
            if cell in cells
            else cell
            for cell in self._cells
        ]
        if change == "hide zeros":
            rules = attrs.evolve(rules, rule=attrs.evolve(rules.rule, zero="hidden"))
        elif change != "leave out":
            news = {"secondary": True} if change == "hide" else {"total": "shown"}
            every = [attrs.evolve(t, **news) if t.name in tables else t for t in rules.tables]
            rules = attrs.evolve(rules, tables=tuple(every))
        try:
            known = related(rules, [cell for cell in printed if cell is not None])
            after = extremes(known, rules.adversary)
        except (Contradiction, DataError, InconsistentTables):
            return None
        bounds = []
        still_open = False
        for each, names in zip(after, known.names, strict=True):
            now = verdict(each, rules)
            if now is not True and (now is False or self._before.get(names) is not None):
                return None
            still_open = still_open or now is None
            bounds.append(bound_between(each[0].lower, each[1].upper))
        who = rules.adversary
        lowest, highest = (0.0, 1.0) if who is None else (float(who.low), float(who.high))
        return CellRepair(
            change,
            cells,
            min((each.lower for each in bounds), default=lowest),
            max((each.upper for each in bounds), default=highest),
            self._elsewhere,
            None if still_open else True,
        )
