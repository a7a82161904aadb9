"""What anybody can infer from published tables: the answer of `judge`, part by part.

`judge` takes all tables that were published under a rule together.
"""

import functools
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from deniable.errors import DataError, NotApplicable
from deniable.numerics.answer import PageAnswer, display, fields_of
from deniable.rules.designing import ASSUMES, SAMPLE_ASSUMES
from deniable.rules.feasible import Interval, Proof, feasible
from deniable.rules.files import CountedTable, RulesFile
from deniable.rules.joint import METHODS, Extremum
from deniable.rules.numbers import Belief, Number, at_most, bound_between, larger, smaller
from deniable.rules.printed import PrintedTable, read_printed, read_universe
from deniable.rules.reasons import Reason, cell_as_json, explain, extremes, verdict
from deniable.rules.related import Difference, Related, differences, is_determined, related
from deniable.rules.relations import Atoms
from deniable.rules.rule import Preset, Rule
from deniable.rules.tables import PublishedCell, Source, list_names, list_words, read_table
from deniable.rules.tree import Contradiction
from deniable.rules.worlds import Adversary, Sample


@attrs.frozen
class FeasibleCell:
    """The least and the largest count behind a published number."""

    cell: PublishedCell
    interval: Interval

    def as_json(self) -> dict[str, Any]:
        """One entry of `feasible`."""
        return {
            **cell_as_json(self.cell),
            **fields_of(self.interval, "lower", "upper"),
            "proof": self.interval.proof.name.lower(),
        }


@attrs.frozen
class Certain:
    """People who are all counted for certain, or of whom nobody is."""

    list: str
    people: int
    is_in: bool
    proof: Proof

    def as_json(self) -> dict[str, Any]:
        """One entry of `certain`."""
        return {
            "list": self.list,
            "in": self.is_in,
            "people": self.people,
            "proof": self.proof.name.lower(),
        }


@attrs.frozen
class MemberBelief:
    """What may be believed of each of some people, who are on the same lists.

    With a sample, people on no published list have no `lists` here.
    """

    lists: tuple[str, ...]
    people: int
    lowest: Extremum
    highest: Extremum

    @property
    def evidence(self) -> str:
        """The weaker of what both rest on: exact, enclosed or outward."""
        return max(self.lowest.method, self.highest.method, key=METHODS.index)

    def as_json(self) -> dict[str, Any]:
        """One entry of `beliefs`."""
        belief = bound_between(self.lowest.lower, self.highest.upper)
        return {
            "lists": list(self.lists),
            "people": self.people,
            "belief": {
                "lower": belief.lower, "upper": belief.upper, "evidence": self.evidence
            },
            "lowest": _extremum_as_json(self.lowest),
            "highest": _extremum_as_json(self.highest),
        }  # fmt: skip


def _extremum_as_json(extremum: Extremum) -> dict[str, Any]:
    return Belief.between(extremum.lower, extremum.upper).as_json() | {"evidence": extremum.method}


@attrs.frozen
class RevealedDifference:
    """What two published sets, which differ in a few people, say of these."""

    difference: Difference
    interval: Interval
    lowest: Number | None
    highest: Number | None

    @property
    def is_in(self) -> bool | None:
        """Whether all of them are counted for certain, or nobody; None where neither is certain."""
        return is_determined(self.interval.lower, self.interval.upper, self.difference.people)

    def as_json(self) -> dict[str, Any]:
        """One entry of `differences`."""
        first, second = self.difference.first, self.difference.second
        entry: dict[str, Any] = {
            "in": {"table": first.table, "cell": first.name},
            "not_in": {"table": second.table, "cell": second.name},
            "people": self.difference.people,
            **fields_of(self.interval, "lower", "upper"),
            "count_is_known": self.interval.lower == self.interval.upper,
            "certain": {True: "in", False: "out", None: None}[self.is_in],
        }
        if self.lowest is not None and self.highest is not None:
            belief = bound_between(self.lowest, self.highest)
            entry["belief"] = fields_of(belief, "lower", "upper")
        return entry


@attrs.frozen
class EditionBelief:
    """Beliefs about people by their part in an edition, after all editions.

    `role` is stayed, left or joined, or listed where a list is the same as before; `before` is what
    the earlier editions of a book lead to by themselves, None without a book. The verdict is
    revealed, likely, undecided or kept; `adds` says that it is not kept, and that beliefs range
    further than before.
    """

    list: str
    role: str
    belief: MemberBelief
    before: tuple[Number, Number] | None
    verdict: str
    adds: bool

    def as_json(self) -> dict[str, Any]:
        """One entry of `editions`."""
        entry = {
            "list": self.list,
            "role": self.role,
            "question": "counted",
            **{key: self.belief.as_json()[key] for key in ("lists", "people", "belief")},
            "verdict": self.verdict,
        }
        if self.before is not None:
            entry["before"] = fields_of(bound_between(*self.before), "lower", "upper")
            entry["adds"] = self.adds
        return entry


@attrs.frozen(repr=False)
class TablesJudgement(PageAnswer):
    """What anyone can infer from published tables, all of them together.

    Parameters
    ----------
    rule : Rule
        What was done to every count.
    policy : Preset or None
        The published policy that the rule is, if it was named.
    adversary : Priors or Sample or None
        Who is feared.
    feasible : tuple of FeasibleCell
        One a published number.
    certain : tuple of Certain
        Of whom something is known for certain.
    beliefs : tuple of MemberBelief
        One for all people on the same lists; empty without an adversary.
    differences : tuple of RevealedDifference
        Published sets that differ in a few people.
    max_posterior, min_posterior : Fraction or None
        What may be believed at most, and at least.
    assumes : tuple of str
        What the answer rests on.
    read_as : tuple of str
        How tables with `columns` were read.
    published : tuple of RulesFile and Related, or None
        What was judged, from which `because` finds its reason.
    editions : tuple of EditionBelief
        Beliefs about who stayed, left and joined; empty if no list follows another.
    hide : tuple of PublishedCell or None
        What to leave out of the new edition so that it reveals nothing more; None if no such cells
        were found, or none are needed.
    """

    rule: Rule
    policy: Preset | None
    adversary: Adversary | None
    feasible: tuple[FeasibleCell, ...]
    certain: tuple[Certain, ...]
    beliefs: tuple[MemberBelief, ...]
    differences: tuple[RevealedDifference, ...]
    max_posterior: Fraction | None
    min_posterior: Fraction | None
    assumes: tuple[str, ...]
    read_as: tuple[str, ...] = ()
    editions: tuple[EditionBelief, ...] = ()
    hide: tuple[PublishedCell, ...] | None = None
    published: tuple[RulesFile, Related] | None = attrs.field(default=None, eq=False)

    @functools.cached_property
    def because(self) -> Reason | None:
        """Why the target is missed, or the worst belief certain: the numbers that suffice for it.

        None where all is well, and where a search for them takes too long.
        """
        if self.published is None or not self.beliefs:
            return None
        rules, known = self.published
        pairs = [(each.lowest, each.highest) for each in self.beliefs]
        misses_high = any(verdict(each, rules, is_high=True) is False for each in pairs)
        has_target = self.max_posterior is not None or self.min_posterior is not None
        side = misses_high or not has_target
        worst = self.worst if side else self.lowest
        if worst is None:
            return None
        extremum = worst.highest if side else worst.lowest
        is_certain = extremum.lower == extremum.upper == int(side)
        if self.is_met is not False and (has_target or not is_certain):
            return None
        return explain(
            rules, known, self.beliefs.index(worst), is_high=side, is_certain=is_certain,
            verdicts=[verdict(each, rules) for each in pairs],
        )  # fmt: skip

    @property
    def is_refused(self) -> bool:
        """Whether a new edition reveals what the earlier ones of the book did not."""
        return any(each.adds for each in self.editions)

    @property
    def worst(self) -> MemberBelief | None:
        """Return the belief about the member of whom most can be believed."""

        def higher(one: MemberBelief, other: MemberBelief) -> MemberBelief:
            return one if at_most(other.highest.upper, one.highest.upper) else other

        return functools.reduce(higher, self.beliefs) if self.beliefs else None

    @property
    def lowest(self) -> MemberBelief | None:
        """Return the belief about the member of whom least can be believed."""

        def lower(one: MemberBelief, other: MemberBelief) -> MemberBelief:
            return one if at_most(one.lowest.lower, other.lowest.lower) else other

        return functools.reduce(lower, self.beliefs) if self.beliefs else None

    @property
    def is_met(self) -> bool | None:
        """Whether all beliefs stay within the target; None where that is undecided, or no target.

        A method that bounds beliefs outwards only may leave the target between its bounds.
        """
        if not self.beliefs or self.max_posterior is self.min_posterior is None:
            return None
        verdicts = [verdict((each.lowest, each.highest), self) for each in self.beliefs]
        return False if False in verdicts else None if None in verdicts else True

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable rules judge` prints."""
        answer = fields_of(self, "rule")
        if self.policy is not None:
            answer["policy"] = self.policy
        if self.adversary is not None:
            answer["prior"] = [self.adversary.low, self.adversary.high]
        if isinstance(self.adversary, Sample):
            answer["sample"] = {"n": self.adversary.size, "N": self.adversary.population}
        if self.beliefs:
            answer |= fields_of(self, "worst", "lowest")
        answer |= fields_of(self, "certain", "differences")
        if self.max_posterior is not None or self.min_posterior is not None:
            answer["target"] = {
                **fields_of(self, "max_posterior", "min_posterior"),
                "verdict": {True: "met", False: "missed", None: "undecided"}[self.is_met],
            }
        if (because := self.because) is not None:
            answer["because"] = because
        answer |= fields_of(self, "feasible", "beliefs")
        if self.read_as:
            answer["read_as"] = self.read_as
        if self.editions:
            answer["editions"] = self.editions
        if any(each.before is not None for each in self.editions):
            answer["refused"] = self.is_refused
            answer["hide"] = [{"table": each.table, "cell": each.name} for each in self.hide or ()]
        return answer | fields_of(self, "assumes")

    def plot(self) -> Any:
        """Draw beliefs in the people on each list, a bar each; needs the extra publish."""
        return display(self, "plot")


UNDECIDED = (
    "The bounds lie on both sides of the target. A target at the outer bound would be met. To meet "
    "yours for certain, publish under one of the changes that `deniable rules repair` lists."
)
"""What to do where a verdict is undecided."""
JOINTLY = (
    "Beliefs are about all these tables together. A belief after some of the tables is no bound on "
    "the belief after all of them."
)
LISTS = (
    "Lists that are given only by their size share no person, unless one list is a part of "
    "another. Everybody knows who is on which list."
)
SECONDARY = (
    "Further cells are hidden only in tables in which the rule hides a cell. The choice of further "
    "cells may depend on the counts in any way: beliefs are bounded over all choices."
)
RERUNS = "Random changes of a count are drawn anew wherever the count is published."
CELL_KEYS = (
    "Record keys are uniform and independent, and nobody knows any of them. The same set of people "
    "gets the same noise wherever its count is published."
)
FRESH_KEYS = (
    "Record keys are uniform and independent, drawn anew for each edition, and nobody knows any of "
    "them. The same set of people gets the same noise within one edition only."
)
SOLVER = (
    "Bounds whose proof is called solver rest on the solver (HiGHS): no count lies beyond them. "
    "Deniable checked the counts that reach such a bound in whole numbers."
)
NO_BELIEFS = (
    "No adversary was given. So this answer states which counts are possible, and no beliefs."
)
READING = (
    "Deniable read only counts, and percentages that follow them. Ratios and other columns reveal "
    "more, unless they were computed from the published counts."
)
CONDITIONS = (
    "One person may have several conditions, independently of each other: numbers about one "
    "condition reveal nothing about another. If each person has exactly one, give sizes by it."
)

Rules: TypeAlias = Path | str | dict[str, Any] | RulesFile  # A file of rules, or what it would hold


def judge_cells(
    rules: RulesFile,
    cells: Sequence[PublishedCell],
    threshold: int,
    read_as: tuple[str, ...] = (),
    conditions: Collection[str] = (),
) -> TablesJudgement:
    """Judge published cells of tables that all have a name, on lists that follow no other."""
    known = related(rules, cells)
    few = differences(known, threshold)
    size = len(known.relations.sizes)
    singles: list[Atoms] = [(atom,) for atom in range(size)]
    wanted = [
        *known.sets,
        *known.lists.values(),
        *singles,
        *(each.atoms for each in known.relations.sums),
        *(each.atoms for each in few),
    ]
    try:
        intervals = dict(zip(wanted, feasible(known.possible, wanted), strict=True))
    except Contradiction as error:
        raise known.inconsistent(error) from None
    known.check_prior(rules.adversary)
    beliefs = extremes(known, rules.adversary, intervals)
    return TablesJudgement(
        rules.rule,
        rules.policy,
        rules.adversary,
        tuple(
            FeasibleCell(cell, intervals[atoms])
            for cell, atoms in zip(cells, known.sets, strict=True)
        ),
        _certain(known, intervals),
        tuple(
            MemberBelief(names, people, *extremum)
            for names, people, extremum in zip(
                known.names, known.relations.sizes, beliefs, strict=False
            )
        ),
        tuple(_revealed(each, intervals, beliefs) for each in few),
        rules.max_posterior,
        rules.min_posterior,
        _assumes(rules, known, intervals.values(), read_as, conditions),
        read_as,
        published=(rules, known),
    )


def name_tables(
    rules: RulesFile, sources: Sequence[Source], known: Collection[str]
) -> list[CountedTable]:
    """Return the table of each source, with a name that no other one has."""
    tables = list(rules.tables)
    if not tables:
        listed = rules.sizes is None
        tables = [CountedTable("", list_names(s, known) if listed else ()) for s in sources]
    if len(tables) != len(sources):
        raise DataError(
            f"Expected a file for each [[table]], {len(tables)}, got {len(sources)}. Give them in "
            "the same order."
        )
    stems = [Path(each).stem if isinstance(each, Path | str) else "" for each in sources]
    by_name = {table.name: table for table in tables}
    if all(stems) and len(by_name) == len(tables) and set(stems) == set(by_name):
        tables = [by_name[stem] for stem in stems]
    names: list[str] = []
    for number, (table, stem) in enumerate(zip(tables, stems, strict=True), start=1):
        name = table.name or stem or f"table {number}"
        names.append(name if name not in names else f"{name} ({number})")
    tables = [attrs.evolve(t, name=name) for t, name in zip(tables, names, strict=True)]
    for table in tables:
        if missing := [name for name in table.lists if name not in known]:
            raise DataError(
                f'Expected names of lists, got "{missing[0]}" at table "{table.name}". Add it as a '
                "[[list]]."
            )
    return tables


def read_published(
    rules: RulesFile, sources: Sequence[Source]
) -> tuple[RulesFile, list[PublishedCell], tuple[str, ...], frozenset[str]]:
    """Return rules with a name for each table, all cells, how tables were read, and conditions."""
    known = {each.name for each in rules.lists}
    tables = name_tables(rules, sources, known)
    cells: list[PublishedCell] = []
    printed: list[PrintedTable] = []
    universe = None if rules.sizes is None else read_universe(rules.sizes)
    for place, (source, table) in enumerate(zip(sources, tables, strict=True)):
        if table.lists:
            cells += read_table(source, table)
            continue
        if universe is None:
            raise DataError(
                f'Expected the sizes of lists, got none for table "{table.name}". Add [sizes] with '
                "a file of its key columns and a column size."
            )
        printed.append(read_printed(source, table, universe, rules.marks, table.rule or rules.rule))
        tables[place] = printed[-1].table
        cells += printed[-1].cells
    if not cells:
        raise DataError("Expected a published table or more, got none.")
    conditions = frozenset(name for each in printed for name in each.conditions)
    for each in printed:
        if missing := sorted(conditions - each.conditions):
            raise DataError(
                f'Expected the column "{missing[0]}" in every table, got none at table '
                f'"{each.table.name}". Add it to [sizes] file, or judge the tables apart.'
            )
    more = {each.name: each for table in printed for each in table.lists}
    if (change := rules.change) is not None:
        more = {n: attrs.evolve(each, follows=n, change=change) for n, each in more.items()}
    if repeated := sorted(known & set(more)):
        raise DataError(f'Expected lists of different names, got "{repeated[0]}" twice.')
    if conditions and isinstance(rules.adversary, Sample):
        raise NotApplicable(
            "Expected a prior for people who are counted by "
            f"{', '.join(sorted(conditions))}, got a sample. Give [adversary] a prior, or sizes "
            "by these columns."
        )
    rules = attrs.evolve(rules, tables=tuple(tables), lists=(*rules.lists, *more.values()))
    return rules, cells, tuple(each.reading for each in printed), conditions


def _certain(known: Related, intervals: dict[Atoms, Interval]) -> tuple[Certain, ...]:
    """Lists, and people on the same lists or on none, of whom all or nobody is counted."""
    named = [(name, atoms) for name, atoms in known.lists.items()]
    listed = set(known.lists.values())
    for atom, names in enumerate(known.names):
        if (atom,) not in listed:
            named.append((f"in {list_words(names)} only" if names else list_words(names), (atom,)))
    certain = []
    for name, atoms in named:
        interval, people = intervals[atoms], known.people(atoms)
        is_in = is_determined(interval.lower, interval.upper, people)
        if is_in is not None:
            certain.append(Certain(name, people, is_in, interval.proof))
    return tuple(certain)


def _revealed(
    difference: Difference,
    intervals: dict[Atoms, Interval],
    extremes: Sequence[tuple[Extremum, Extremum]],
) -> RevealedDifference:
    interval = intervals[difference.atoms]
    if not extremes:
        return RevealedDifference(difference, interval, None, None)
    lowest = functools.reduce(smaller, (extremes[a][0].lower for a in difference.atoms))
    highest = functools.reduce(larger, (extremes[a][1].upper for a in difference.atoms))
    return RevealedDifference(difference, interval, lowest, highest)


def _assumes(
    rules: RulesFile,
    known: Related,
    intervals: Iterable[Interval],
    read_as: Collection[str],
    conditions: Collection[str],
) -> tuple[str, ...]:
    used = [table.rule or rules.rule for table in rules.tables] or [rules.rule]
    solved = any(each.proof is not Proof.INTEGERS for each in intervals)
    is_keyed = any("cell_key" in step.as_json() for rule in used for step in rule.steps)
    keys = FRESH_KEYS if any(rule.keys == "fresh" for rule in used) else CELL_KEYS
    sentences = (
        (ASSUMES, True),
        ((SAMPLE_ASSUMES,), isinstance(rules.adversary, Sample)),
        ((JOINTLY, LISTS), True),
        ((SECONDARY,), bool(known.with_choice) or any(table.secondary for table in rules.tables)),
        ((keys,), is_keyed),
        ((RERUNS,), not (is_keyed or all(rule.is_sure for rule in used))),
        ((SOLVER,), solved),
        ((NO_BELIEFS,), rules.adversary is None),
        ((READING,), bool(read_as)),
        ((CONDITIONS,), bool(conditions)),
    )
    return tuple(sentence for some, applies in sentences if applies for sentence in some)
