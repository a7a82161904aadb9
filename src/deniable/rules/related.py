"""Published tables as sums over atoms: which people are counted where, and what is said of them.

Two published sets that differ in a few people give these away: differencing.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

import attrs

from deniable.errors import DataError, InconsistentTables, NotApplicable
from deniable.rules.book.change import ListedPeople
from deniable.rules.files import CountedTable, RulesFile
from deniable.rules.relations import Atoms, KeyedSum, Relations, Sum, apart, sure
from deniable.rules.rule import Mark, Rule, Run
from deniable.rules.steps import HIDDEN, CellKey, RandomStep
from deniable.rules.tables import PublishedCell
from deniable.rules.tree import Contradiction
from deniable.rules.worlds import Adversary, Priors, Sample

_MOST_NAMED = 5  # Rows that a message names beside the one that contradicts them: a line


@attrs.frozen
class Related:
    """Tables as sums over atoms.

    `sets` are the atoms that are counted in each cell, `lists` those of each list, and `names` the
    lists that each atom's people are on. With a sample, the last atom is everybody else of the
    population: people on no published list are alike, whatever other lists they are on. In tables
    of atoms `with_choice` somebody chose, in a way that nobody knows, what else to hide.
    """

    cells: tuple[PublishedCell, ...]
    sets: tuple[Atoms, ...]
    lists: Mapping[str, Atoms]
    names: tuple[tuple[str, ...], ...]
    relations: Relations
    with_choice: frozenset[int] = frozenset()

    def people(self, atoms: Atoms) -> int:
        """How many people some atoms have."""
        return sum(self.relations.sizes[atom] for atom in atoms)

    @property
    def possible(self) -> Relations:
        """What is possible, without how likely it is: cell keys as what they rule out."""
        known = self.relations
        if not known.keyed:
            return known
        sums = (*known.sums, *(Sum(each.atoms, each.runs) for each in known.keyed), *apart(known))
        return Relations(known.sizes, sums).merged()

    def check_prior(self, adversary: Adversary | None) -> None:
        """Refuse an adversary who is certain of everybody, and wrong: nothing follows then."""
        if not isinstance(adversary, Priors) or not adversary.is_point or 0 < adversary.low < 1:
            return
        if not self.relations.allow_all(counted=adversary.low == 1):
            raise InconsistentTables(
                f"Expected tables that can come about with a prior of {adversary.low} for "
                "everybody, got others. Choose a prior between 0 and 1."
            )

    def inconsistent(self, error: Contradiction) -> InconsistentTables:
        """Return the error that names the rows which contradict each other."""
        sums = self.possible.sums
        rows = [self._row(sums[index].atoms) for index in error.sums]
        *others, last = [row for row in rows if row]
        beside = ", ".join(others[:_MOST_NAMED]) + (", …" if len(others) > _MOST_NAMED else "")
        with_others = f" beside {beside}" if others else ""
        return InconsistentTables(
            f"Expected tables that the rules can have made, got {last}{with_others}: no counts "
            "agree with all of them. Look at the rule, the lists and how totals were made."
        )

    def _row(self, atoms: Atoms) -> str:
        rows = [
            f'"{cell.published}" at {cell.place}'
            for cell, members in zip(self.cells, self.sets, strict=True)
            if members == atoms
        ]
        if not rows and len(atoms) == len(self.relations.sizes):
            return "the size of the sample"
        return " and ".join(rows)


def related(rules: RulesFile, cells: Sequence[PublishedCell]) -> Related:
    """Relate what was published to the people counted."""
    used = {name for cell in cells for name in cell.lists}
    lists, sizes, names = atoms_of(rules.lists, used)
    sets = tuple(_counted(cell, lists) for cell in cells)
    tables = {table.name: table for table in rules.tables}
    rule_of = {name: table.rule or rules.rule for name, table in tables.items()}
    likelihoods = {rule: _Likelihood(rule) for rule in set(rule_of.values())}
    if len(likelihoods) > 1 and any(map(has_cell_keys, likelihoods)):
        raise NotApplicable(
            "Expected one rule for all tables where one has a cell key, got several. What the same "
            "set of people gets under two rules is not known."
        )
    is_keyed = any(map(has_cell_keys, likelihoods))
    draws = _draws(rules, cells)
    plain: list[Sum] = []
    keyed: dict[tuple[tuple[int, int], Atoms], KeyedSum] = {}
    either, with_choice = _hidden(cells, sets, tables, rule_of, sizes)
    pairs = {each.atoms for pair in either for each in pair}
    for cell, atoms in zip(cells, sets, strict=True):
        people = sum(sizes[atom] for atom in atoms)
        total = tables[cell.table].total if cell.is_total else ""
        if total == "shown":
            # A total of the cells that are shown tells nothing new, but must be their sum.
            parts = [each for each in cells if each.table == cell.table and not each.is_total]
            marks = [e.published for e in parts if set(e.lists) <= set(cell.lists)]
            expected = sum(mark for mark in marks if isinstance(mark, int))
            if cell.published != expected:
                raise InconsistentTables(
                    f"Expected the sum of the cells that are shown, {expected}, got "
                    f'"{cell.published}" at {cell.place}. Look at how the total was made.'
                )
        elif total == "exact":
            plain.append(Sum(atoms, _exact(cell, people)))
        elif cell.published == HIDDEN and (
            atoms in pairs or (tables[cell.table].secondary and not with_choice.isdisjoint(atoms))
        ):
            plain.append(Sum(atoms, sure(0, people)))
        elif not is_keyed:
            plain.append(Sum(atoms, likelihoods[rule_of[cell.table]].runs(cell, people)))
        else:
            runs = likelihoods[rule_of[cell.table]].runs(cell, people)
            own = KeyedSum(atoms, runs, cell.published, draws[cell.table])
            if (first := keyed.setdefault((own.draw, atoms), own)).output != cell.published:
                raise InconsistentTables(
                    f'Expected "{first.output}" again for the same people, got '
                    f'"{cell.published}" at {cell.place}. A cell key gives a set one number.'
                )
    if isinstance(rules.adversary, Sample):
        sizes, names = with_rest(rules.adversary, sizes, names)
        n = rules.adversary.size
        plain.append(Sum(tuple(range(len(sizes))), sure(n, n)))
    alone, shared = _apart([*keyed.values()])
    relations = Relations(tuple(sizes), (*plain, *alone), tuple(shared), either).merged()
    return Related(tuple(cells), sets, lists, tuple(names), relations, with_choice)


def _draws(rules: RulesFile, cells: Sequence[PublishedCell]) -> dict[str, tuple[int, int]]:
    """Return which draw of record keys is behind each table: one for all, or one an edition."""
    # An edition of a book; or, within a file, the tables whose lists follow as many earlier ones.
    follows = {each.name: each.follows for each in rules.lists}
    draws = {table.name: (0, 0) for table in rules.tables}
    fresh = {t.name: t for t in rules.tables if (t.rule or rules.rule).keys == "fresh"}
    for cell in cells:
        for name in cell.lists if cell.table in fresh else ():
            earlier = 0
            while above := follows.get(name):
                name, earlier = above, earlier + 1
            draws[cell.table] = max(draws[cell.table], (fresh[cell.table].edition, earlier))
    return draws


def _counted(cell: PublishedCell, lists: Mapping[str, Atoms]) -> Atoms:
    atoms = [atom for name in cell.lists for atom in lists[name]]
    if len(set(atoms)) < len(atoms):
        raise DataError(
            f"Expected lists that share nobody in a table with totals, got people on two at "
            f"{cell.place}."
        )
    return tuple(sorted(atoms))


def _apart(keyed: Sequence[KeyedSum]) -> tuple[list[Sum], list[KeyedSum]]:
    """Sums whose noise is nobody else's, as plain sums; and the others."""
    # A set that shares nobody with the others can have their noise only where both are empty.
    times = Counter((each.draw, atom) for each in keyed for atom in each.atoms)
    unsure = Counter(each.draw for each in keyed if 0 < each.chance_of_nobody < 1)
    alone: list[Sum] = []
    shared: list[KeyedSum] = []
    for each in keyed:
        may_be_nobody = unsure[each.draw] > 1 and 0 < each.chance_of_nobody < 1
        if may_be_nobody or any(times[each.draw, atom] > 1 for atom in each.atoms):
            shared.append(each)
        else:
            alone.append(Sum(each.atoms, each.runs))
    return alone, shared


def _hidden(
    cells: Sequence[PublishedCell],
    sets: Sequence[Atoms],
    tables: Mapping[str, CountedTable],
    rule_of: Mapping[str, Rule],
    sizes: Sequence[int],
) -> tuple[tuple[tuple[Sum, Sum], ...], frozenset[int]]:
    """Pairs of hidden cells, one of which the rule hides; and atoms of tables that left a choice.

    Where nobody of a table with further hidden cells is counted in another, there is no choice if
    one cell is hidden, which the rule does, or if both of two cells with a total are.
    """
    by_table: dict[str, list[tuple[PublishedCell, Atoms]]] = defaultdict(list)
    for cell, atoms in zip(cells, sets, strict=True):
        by_table[cell.table].append((cell, atoms))
    people = {name: {a for _, atoms in some for a in atoms} for name, some in by_table.items()}
    either: list[tuple[Sum, Sum]] = []
    with_choice: set[int] = set()
    for name, some in by_table.items():
        table, rule = tables[name], rule_of[name]
        hidden = [(cell, atoms) for cell, atoms in some if cell.published == HIDDEN]
        has_total = any(cell.is_total for cell, _ in hidden)
        if not hidden or not (table.secondary or (has_total and table.total == "exact")):
            continue
        alone = all(people[name].isdisjoint(other) for key, other in people.items() if key != name)
        sums = [
            Sum(atoms, rule.column(HIDDEN, members=sum(sizes[atom] for atom in atoms)).runs)
            for _, atoms in hidden
        ]
        forced = alone and not has_total and any(each.runs for each in sums)
        has_margin = table.total in ("independent", "exact") and len(some) > len(table.lists)
        is_pair = len(hidden) == len(table.lists) == 2 and has_margin
        if forced and is_pair and not has_cell_keys(rule):
            either.append((sums[0], sums[1]))
        elif not (forced and len(hidden) == 1):
            with_choice |= people[name]
    return tuple(either), frozenset(with_choice)


def atoms_of(
    lists: Sequence[ListedPeople], used: Collection[str]
) -> tuple[dict[str, Atoms], list[int], list[tuple[str, ...]]]:
    """Atoms of each list, and sizes and names of atoms; lists of sizes alone share nobody."""
    parts = {each.name: each.parts for each in lists}
    waiting, needed = list(used), set(used)
    while waiting:
        for part in parts[waiting.pop()]:
            if part not in needed:
                needed.add(part)
                waiting.append(part)
    base = [each for each in lists if each.name in needed and not each.parts]
    places: dict[str, list[int]] = {}
    for number, each in enumerate(base):
        for person in each.members:
            places.setdefault(person, []).append(number)
    people = Counter(map(tuple, places.values()))
    people.update({(i,): each.size for i, each in enumerate(base) if not each.members})
    order = sorted(people)
    inside: list[list[int]] = [[] for _ in base]
    for atom, numbers in enumerate(order):
        for number in numbers:
            inside[number].append(atom)
    result = {each.name: tuple(atoms) for each, atoms in zip(base, inside, strict=True)}

    def of(name: str) -> Atoms:
        if name not in result:
            result[name] = tuple(sorted({atom for part in parts[name] for atom in of(part)}))
        return result[name]

    names = [tuple(base[number].name for number in numbers) for numbers in order]
    return {name: of(name) for name in needed}, [people[each] for each in order], names


def with_rest(
    sample: Sample, sizes: list[int], names: list[tuple[str, ...]]
) -> tuple[list[int], list[tuple[str, ...]]]:
    """Return atoms with one more: the people of the population who are on no published list."""
    rest = sample.population - sum(sizes)
    if rest < 0:
        raise DataError(
            f"Expected lists of at most N = {sample.population} people together, got {sum(sizes)}."
        )
    return ([*sizes, rest], [*names, ()]) if rest else (sizes, names)


def _exact(cell: PublishedCell, people: int) -> tuple[Run, ...]:
    if isinstance(cell.published, str):
        return sure(0, people)
    if cell.published < 0:
        raise DataError(f'Expected a count of at least 0, got "{cell.published}" at {cell.place}.')
    if cell.published > people:
        raise InconsistentTables(
            f'Expected a count of 0 to {people} people, got "{cell.published}" at {cell.place}.'
        )
    return sure(cell.published, cell.published)


def has_cell_keys(rule: Rule) -> bool:
    """Whether a rule adds noise that the set of people counted fixes."""
    random = [step for step in rule.steps if isinstance(step, RandomStep)]
    is_keyed = any(isinstance(step, CellKey) for step in random)
    if is_keyed and len(random) > 1:
        raise NotApplicable(
            "Expected a cell key without other steps with chance, got both. What the same set of "
            "people gets twice is not known then."
        )
    return is_keyed


class _Likelihood:
    """What a rule says by a mark, computed once for each mark and number of people."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._runs: dict[tuple[Mark, int], tuple[Run, ...]] = {}

    def runs(self, cell: PublishedCell, people: int) -> tuple[Run, ...]:
        """The likelihood of a cell, for each count."""
        key = cell.published, people
        if key not in self._runs:
            self._runs[key] = self._rule.column(cell.published, members=people).runs
        if not self._runs[key] and isinstance(cell.published, int) and cell.published < 0:
            raise DataError(
                f'Expected a count of at least 0, got "{cell.published}" at {cell.place}.'
            )
        if not self._runs[key]:
            raise InconsistentTables(
                f"Expected what the rule can publish for a count of 0 to {people}, got "
                f'"{cell.published}" at {cell.place}.'
            )
        return self._runs[key]


_MOST = 1_000  # Differences in one answer, those of the fewest people: more than anybody reads


@attrs.frozen
class PublishedSet:
    """People who are counted in a cell, or together in all cells of a table.

    Its name is "all" for the whole table.
    """

    table: str
    name: str


@attrs.frozen
class Difference:
    """People who are in one published set and not in another."""

    first: PublishedSet
    second: PublishedSet
    atoms: Atoms
    people: int


def differences(related: Related, threshold: int) -> list[Difference]:
    """Return the differences of at most so many people, the fewest first."""
    # Of two sets from different tables, or a total and a cell, that share more people than they
    # differ in; people who are a published set themselves are left out, and each difference is
    # named once.
    by_atoms: dict[Atoms, PublishedSet] = {}
    by_table: dict[str, set[int]] = defaultdict(set)
    for cell, atoms in zip(related.cells, related.sets, strict=True):
        by_table[cell.table].update(atoms)
        by_atoms.setdefault(atoms, PublishedSet(cell.table, cell.name))
    for table, some in by_table.items():
        by_atoms.setdefault(tuple(sorted(some)), PublishedSet(table, "all"))
    sets = [(named, atoms) for atoms, named in by_atoms.items()]
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
        if len(shared) > 5_000_000:  # Pairs of sets that share people: several seconds
            break
    people = [related.people(atoms) for _, atoms in sets]
    few: dict[Atoms, Difference] = {}
    for (first, second), common in shared.items():
        left = people[first] - common
        if not 0 < left <= threshold or common <= left:
            continue
        inside = set(sets[second][1])
        atoms = tuple(atom for atom in sets[first][1] if atom not in inside)
        if atoms not in by_atoms and atoms not in few:
            few[atoms] = Difference(sets[first][0], sets[second][0], atoms, left)
    return sorted(few.values(), key=lambda each: (each.people, each.atoms))[:_MOST]


def is_determined(lower: int, upper: int, people: int) -> bool | None:
    """Whether everybody is in for certain, or nobody; None where neither is certain."""
    return True if lower == people else False if upper == 0 else None
