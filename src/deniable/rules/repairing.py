"""The cheapest change of rules or tables with which beliefs stay within a target.

The answer lists changes, with what may be believed then and what each costs.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from deniable.errors import InfeasibleTarget, InvalidArgument, NotApplicable
from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.answer import Answer, display, fields_of
from deniable.numerics.effort import Progress, notebook_bar, silent
from deniable.numerics.rounding import directed, lower, upper
from deniable.rules.beliefs import highest, lowest, unlisted
from deniable.rules.book.change import ListedPeople
from deniable.rules.designing import ASSUMES, SAMPLE_ASSUMES
from deniable.rules.disjoint import joint_beliefs
from deniable.rules.exceedance import beliefs_except
from deniable.rules.files import CountedTable, RulesFile, read_rules
from deniable.rules.joint import Extremum
from deniable.rules.judgement import CONDITIONS, Rules
from deniable.rules.numbers import Belief
from deniable.rules.printed import plan_lists
from deniable.rules.reasons import verdict
from deniable.rules.related import atoms_of, has_cell_keys, with_rest
from deniable.rules.relations import Atoms
from deniable.rules.rule import Channel, Rule
from deniable.rules.steps import Hide, Midpoint, Round, Top
from deniable.rules.worlds import Adversary, Priors, Sample
from deniable.theorems.analysis.calibrate import calibrate

JOINT = (
    "Tables that share people, totals to which the rule is applied, and tables with further hidden "
    "cells are undecided without a change. No bound below 1 holds for beliefs after all their "
    "possible outputs. Deniable decides changes that leave each person in one published number. It "
    "decides lists of one sample jointly if they have few possible outputs."
)
ACCURACY = (
    "Accuracy is the distance of a typical count from the middle of the counts that its mark can "
    "mean. With noise, it is the 95 % half-width. A number that is left out has no accuracy."
)
EXCEPTION = (
    "Without noise, a belief about a person who is in exceeds the stated limit with probability at "
    "most {0!r}. A belief about a person who is out falls below the stated limit with probability "
    "at most {0!r}. Each limit holds by itself."
)
CHOICE = "Rules are chosen before anybody looks at counts. Otherwise the choice could reveal them."


@attrs.frozen
class RepairOption:
    """One change, what may be believed then, and what it costs.

    `change` is "none", "threshold", "base", "midpoint", "top", "zero", "merge" or "noise", and
    `tables` "as they are", "totals from shown cells", "no further cells hidden" (and totals from
    shown cells) or "first table only". So many neighbouring lists become one (`merged`). Beliefs
    are bounded over all that may be published and all priors, or except with δ; `is_met` is None
    where it is not known. Accuracy, `half_width` in people and `share` of the people listed, is a
    mean over the numbers that were to be published. `noise` has ε, scale and a plan.
    """

    change: str
    tables: str
    rule: Rule | None
    merged: int
    lowest: float
    highest: float
    is_met: bool | None
    half_width: float
    share: float
    noise: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """The change in words."""
        if self.noise is not None:
            words = f"noise of scale {self.noise['scale']:.3g} on every count"
        elif self.change == "merge":
            words = f"{self.merged} neighbouring lists in one"
        elif self.rule is None or self.change == "none":
            words = "the rule as it is"
        else:
            written = [step.as_json().items() for step in self.rule.steps]
            steps = [" ".join(f"{key} {value}" for key, value in each) for each in written]
            words = f"{self.change}: {', '.join(steps)}, zeros {self.rule.zero}"
        return words if self.tables == "as they are" else f"{words}, {self.tables}"

    def as_json(self) -> dict[str, Any]:
        """One entry of `options`."""
        return {
            **fields_of(self, "change", "text", "tables", "rule", "merged"),
            "belief": {"lower": self.lowest, "upper": self.highest},
            "verdict": {True: "met", False: "missed", None: "undecided"}[self.is_met],
            **fields_of(self, "half_width", "share", "noise"),
        }


@attrs.frozen(repr=False)
class RuleRepair(Answer):
    """Changes that keep beliefs within a target, the cheapest first.

    Parameters
    ----------
    adversary : Priors or Sample
        Who is feared.
    max_posterior, min_posterior, delta : Fraction or None
        The target.
    options : tuple of RepairOption
        Those that meet the target, by accuracy lost; then the others.
    conditions : tuple of str
        Columns by which people are counted and not listed: options are about one value of each.
    """

    adversary: Adversary
    max_posterior: Fraction | None
    min_posterior: Fraction | None
    delta: Fraction | None
    options: tuple[RepairOption, ...]
    conditions: tuple[str, ...] = ()

    @property
    def cheapest(self) -> RepairOption | None:
        """The change that meets the target and costs least; None where none does."""
        return next((each for each in self.options if each.is_met), None)

    @property
    def cheapest_rule(self) -> RepairOption | None:
        """The same without noise."""
        return next((each for each in self.options if each.is_met and each.noise is None), None)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the answer rests on."""
        sample = (SAMPLE_ASSUMES,) if isinstance(self.adversary, Sample) else ()
        exception = () if self.delta is None else (EXCEPTION.format(float(self.delta)),)
        conditions = (CONDITIONS,) if self.conditions else ()
        return (*exception, *ASSUMES, *sample, *conditions, JOINT, ACCURACY, CHOICE)

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable rules repair` prints."""
        limits = fields_of(self, "max_posterior", "min_posterior", "delta")
        return {
            "prior": [self.adversary.low, self.adversary.high],
            "target": {key: value for key, value in limits.items() if value is not None},
            **fields_of(self, "cheapest", "cheapest_rule", "options", "assumes"),
        }

    def plot(self) -> Any:
        """Draw the largest belief against accuracy, a point a change; needs the extra publish."""
        return display(self, "plot")


_PATIENCE = 0.5  # Seconds of work before a bar is drawn
_MOST_STEP = 20  # Thresholds and bases that are tried beyond the rule's own: a table of a page
_WIDE = 2.0  # Standard deviations on either side of the mean within which a count is typical: 95 %
_MOST_COUNTS = 400  # Typical counts of one list that are looked at: a millisecond each


def repair(rules: Rules, *, progress: Progress | None = None) -> RuleRepair:
    """Find the cheapest change of rules or tables that keeps beliefs within a target.

    Larger thresholds, coarser bases, top codes, other zeros, merged lists, totals from the cells
    that are shown, fewer tables, and noise with a guarantee against everybody. All are
    tried one by one, because a larger threshold or base may let one believe more.

    Parameters
    ----------
    rules : path, mapping or RulesFile
        Lists, tables, the rule, who is feared and the target.
    progress : callable, optional
        Called with the fraction of the changes that were tried; a bar in a notebook, where the work
        lasts.

    Returns
    -------
    RuleRepair
        Changes, the cheapest that meets the target first.

    Raises
    ------
    InvalidArgument
        If there is no list, no adversary or no target.

    Examples
    --------
    >>> import deniable
    >>> answer = deniable.rules.repair({
    ...     "list": [{"name": "a", "size": 9}],
    ...     "rule": {"steps": [{"hide": [1, 7]}, {"round": 5}], "zero": "hidden"},
    ...     "adversary": {"prior": [0.5, 0.5]},
    ...     "target": {"max_posterior": 0.75},
    ... })
    >>> answer.cheapest.change, answer.cheapest_rule.text
    ('noise', 'threshold: hide [1, 9], round 5 halves up, zeros hidden')
    """
    read = rules if isinstance(rules, RulesFile) else read_rules(rules)
    if any(each.follows for each in read.lists) or any(each.rule for each in read.tables):
        raise NotApplicable(
            "Expected one edition of tables under one rule, got several. Give each edition a file."
        )
    who = read.adversary
    if who is None:
        raise InvalidArgument("Expected an adversary, got none. Add [adversary] with a prior.")
    if read.max_posterior is None and read.min_posterior is None:
        raise InvalidArgument(
            "Expected a target, got none. Add [target] with max_posterior or min_posterior."
        )
    conditions: tuple[str, ...] = ()
    if read.sizes is not None:
        read, conditions = plan_lists(read)
    if not read.lists:
        raise InvalidArgument("Expected lists, got none. Add a [[list]] with a size.")
    if not read.tables:
        names = tuple(each.name for each in read.lists)
        read = attrs.evolve(read, tables=(CountedTable("", names),))
    search = _Changes(read, who)
    tell = notebook_bar(progress, patience=_PATIENCE) or silent
    options = sorted(search.options(tell), key=lambda each: (each.is_met is not True, each.share))
    return RuleRepair(
        who, read.max_posterior, read.min_posterior, read.delta, tuple(options), conditions
    )


class _Changes:
    """What each change costs, and what may be believed after it."""

    def __init__(self, rules: RulesFile, adversary: Adversary) -> None:
        self._rules, self._adversary = rules, adversary
        self._alone: dict[tuple[Rule, int], tuple[Belief, Belief]] = {}
        self._widths: dict[tuple[Rule, int], float] = {}
        self._wanted = {people: abs(size) for people, size in _numbers(rules).items()}

    def options(self, tell: Progress) -> Iterator[RepairOption]:
        """Yield all changes, of the tables as they are and of fewer numbers."""
        changes: list[tuple[str, str, RulesFile, int]] = []
        for tables, rules in _variants(self._rules):
            for change, rule in _changed(self._rules.rule, max(each.size for each in rules.lists)):
                changes.append((change, tables, attrs.evolve(rules, rule=rule), 1))
            longest = max(len(block) for each in rules.tables for block in _blocks(each))
            for merged in range(2, longest + 1):
                changes.append(("merge", tables, _merged(rules, merged), merged))
        for done, each in enumerate(changes, start=1):
            yield self._option(*each)
            tell(done / len(changes))
        if (noise := self._noise()) is not None:
            yield noise

    def _option(self, change: str, tables: str, rules: RulesFile, merged: int) -> RepairOption:
        used = {name for table in rules.tables for name in table.lists}
        lists, sizes, names_of = atoms_of(rules.lists, used)
        published = [
            tuple(sorted(atom for name in names for atom in lists[name]))
            for table in rules.tables
            for names in (*((name,) for name in table.lists), *_totals(table))
        ]
        if isinstance(self._adversary, Sample):
            with_rest(self._adversary, sizes, names_of)
        alone = len(set(itertools.chain(*published))) == sum(map(len, published))
        low, high, met = 0.0, 1.0, None
        if alone and not any(each.secondary and len(each.lists) > 1 for each in rules.tables):
            people = sorted(sum(sizes[atom] for atom in atoms) for atoms in published)
            low, high, met = self._believed(rules.rule, people)
        width, share = self._accuracy(rules)
        return RepairOption(change, tables, rules.rule, merged, low, high, met, width, share)

    def _believed(self, rule: Rule, people: list[int]) -> tuple[float, float, bool | None]:
        """The least and the largest belief after all lists together, and the verdict."""
        # Lists that share nobody are independent, unless a sample's size fixes the sum of their
        # counts, or a cell key gives those without anybody the same noise.
        who, delta = self._adversary, self._rules.delta
        is_one_key = has_cell_keys(rule) and len(rule.publish(0)) > 1
        joined = len(people) > 1 and (is_one_key or isinstance(who, Sample))
        has_rest = isinstance(who, Sample) and who.population > sum(people)
        if who.is_point and (joined or (has_rest and delta is not None)):
            joint = joint_beliefs(rule, people, who, is_one_key=is_one_key)
            if joint is not None:
                zero, extremes = delta or Fraction(0), []
                for each in joint:
                    lowest = 1 - _except(((1 - e.belief, e.given_out) for e in each), zero)
                    highest = _except(((e.belief, e.given_in) for e in each), zero)
                    least, most = Belief.between(lowest, lowest), Belief.between(highest, highest)
                    extremes.append((least, most))
                return self._within(extremes)
        extremes = [self._after_one(rule, size) for size in dict.fromkeys(people)]
        if isinstance(who, Sample) and has_rest and not joined:
            extremes.append(self._rest_after_one(rule, people[0], who))
        low, high, met = self._within(extremes)
        if not joined:
            return low, high, met
        # All marks together can tell no less than one, but perhaps more rarely.
        return 0.0, 1.0, False if met is False and delta is None else None

    def _after_one(self, rule: Rule, size: int) -> tuple[Belief, Belief]:
        """The smallest and the largest belief after one list, except with δ where that is given."""
        if (rule, size) not in self._alone:
            channel, who, rules = Channel(rule, size), self._adversary, self._rules
            if rules.delta is None:
                pair = lowest(channel, who).belief, highest(channel, who).belief
            else:
                most = Fraction(1) if rules.max_posterior is None else rules.max_posterior
                limits = rules.min_posterior or Fraction(0), most
                pair = beliefs_except(channel, who, rules.delta, limits)
            self._alone[rule, size] = pair
        return self._alone[rule, size]

    def _rest_after_one(self, rule: Rule, size: int, who: Sample) -> tuple[Belief, Belief]:
        """The smallest and the largest belief in those of the population who are not listed."""
        channel = Channel(rule, size)
        listed = highest(channel, who), lowest(channel, who)
        least, most = (unlisted(each, size, who).belief for each in listed)
        if self._rules.delta is None:
            return least, most
        # Rare outputs count here, so that what they reach bounds the belief from outside alone.
        (low, _), (_, high) = least.interval, most.interval
        return Belief.between(low, Fraction(1)), Belief.between(Fraction(0), high)

    def _within(
        self, extremes: Sequence[tuple[Belief, Belief]]
    ) -> tuple[float, float, bool | None]:
        """The least of the lowest and the largest of the highest beliefs, and the verdict."""
        lows, highs, verdicts = [], [], []
        for low, high in extremes:
            lows.append(low.bound.lower)
            highs.append(high.bound.upper)
            pair = Extremum(*low.interval, "outward"), Extremum(*high.interval, "outward")
            verdicts.append(verdict(pair, self._rules))
        met = False if False in verdicts else None if None in verdicts else True
        return min(lows), max(highs), met

    def _accuracy(self, rules: RulesFile) -> tuple[float, float]:
        """The mean half-width of what was to be published, in people and as a share."""
        published = _numbers(rules)
        widths = []
        for people, size in self._wanted.items():
            width = size / 2
            if people in published:
                exact = published[people] < 0
                width = 0.0 if exact else self._half_width(rules.rule, size)
            else:
                parts = [each for each in published if each < people]
                if sum(map(len, parts)) == len(people) and set().union(*parts) == people:
                    total_width = sum(
                        self._half_width(rules.rule, abs(published[p])) for p in parts
                    )
                    width = min(width, total_width)
            widths.append((width, size))
        return _mean(widths)

    def _half_width(self, rule: Rule, size: int) -> float:
        """How far a typical count may be from the middle of what its mark stands for."""
        if (rule, size) in self._widths:
            return self._widths[rule, size]
        widest = 0.0
        for prior in {self._adversary.low, self._adversary.high}:
            mean = size * float(prior)
            spread = _WIDE * math.sqrt(mean * (1 - float(prior)))
            low, high = max(0, math.floor(mean - spread)), min(size, math.ceil(mean + spread))
            for count in range(low, high + 1, (high - low) // _MOST_COUNTS + 1):
                for mark in rule.publish(count):
                    column = rule.column(mark, members=size)
                    widest = max(widest, (column.upper - column.lower) / 2)
        self._widths[rule, size] = widest
        return widest

    def _noise(self) -> RepairOption | None:
        """Noise that everybody's belief survives: an ε for the target, shared by all numbers."""
        who = self._adversary
        low, high = float(who.low), float(who.high)
        changes = 1 if isinstance(who, Priors) else 2  # counts that differ, of one person's number
        adjacency = "add-remove" if changes == 1 else "replace-one"
        sides = []
        if self._rules.max_posterior is not None:
            sides.append((float(self._rules.max_posterior), (low, high)))
        if self._rules.min_posterior is not None:
            # Not being in is believed at most 1 − f, from 1 − a before.
            sides.append((1 - float(self._rules.min_posterior), (1 - high, 1 - low)))
        try:
            epsilon = min(
                calibrate(max_posterior=most, prior=prior, adjacency=adjacency).epsilon
                for most, prior in sides
            )
        except (InfeasibleTarget, InvalidArgument):
            return None
        # In how many published numbers somebody is counted, at most.
        numbers = max(Counter(itertools.chain(*_numbers(self._rules))).values())
        law = DiscreteLaplace(scale=numbers * changes / epsilon)
        width = float(law.half_width(0.95))
        typical = _mean([(min(width, size / 2), size) for size in self._wanted.values()])
        with directed() as r:  # once odds have changed by a factor e^ε at most
            a, b, factor = r(who.low), r(who.high), r.exp(epsilon)
            lowest = lower(a / (a + (1 - a) * factor))
            highest = upper(b * factor / (b * factor + 1 - b))
        # A skeleton of a plan that publishes the counts with noise.
        target = self._rules.max_posterior
        lines = ["[adversary]", f"prior = [{low!r}, {high!r}]", "", "[target]"]
        lines += [f"max_posterior = {float(target)!r}"] if target is not None else []
        for number, table in enumerate(self._rules.tables, start=1):
            keys = ", ".join(f'"{name}"' for name in table.lists)
            name = table.name or f"table {number}"
            lines += [
                "", "[[query]]", f'name = "{name}"', 'statistic = "entities"',
                'group_by = ["list"]', f"keys = {{ list = [{keys}] }}",
            ]  # fmt: skip
        noise = {
            "epsilon": epsilon, "adjacency": adjacency, "mechanism": "discrete laplace",
            "scale": law.scale, "half_width_95": width, "numbers_per_person": numbers,
            "plan": "\n".join(lines),
        }  # fmt: skip
        return RepairOption(
            "noise", "as they are", None, 1, lowest, highest, True, *typical, noise
        )  # fmt: skip


def _mean(widths: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """The mean of half-widths, and of their shares of the people."""
    shares = sum(width / size for width, size in widths) / len(widths)
    return sum(width for width, _ in widths) / len(widths), shares


def _except(beliefs: Iterable[tuple[Fraction, Fraction]], delta: Fraction) -> Fraction:
    """The least of some beliefs that is passed with probability at most δ; 0 where none is."""
    passed = Fraction(0)
    for belief, chance in sorted(beliefs, reverse=True):
        passed += chance
        if passed > delta:
            return belief
    return Fraction(0)


def _totals(table: CountedTable) -> list[tuple[str, ...]]:
    """Totals that say something which the cells do not."""
    is_new = table.total in ("independent", "exact")
    return list(table.groups or (table.lists,)) if is_new else []


def _blocks(table: CountedTable) -> list[tuple[str, ...]]:
    """Lists that may become one: all, or those that differ in the last column alone."""
    if not table.columns:
        return [table.lists]
    rows = itertools.groupby(table.lists, lambda name: name.rpartition(", ")[0])
    return [tuple(names) for _, names in rows]


def _numbers(rules: RulesFile) -> dict[frozenset[int], int]:
    """People that a number is about, as atoms of the lists, with how many; negative where exact."""
    lists, sizes, _ = atoms_of(rules.lists, {each.name for each in rules.lists})
    numbers: dict[frozenset[int], int] = {}

    def add(some: tuple[str, ...], exact: bool) -> None:
        atoms: Atoms = tuple(atom for name in some for atom in lists[name])
        people = sum(sizes[atom] for atom in set(atoms))
        exact = exact or numbers.get(frozenset(atoms), 0) < 0  # which another table said
        numbers[frozenset(atoms)] = -people if exact else people

    for table in rules.tables:
        for name in table.lists:
            add((name,), False)
        for some in _totals(table):
            add(some, table.total == "exact")
    return numbers


def _variants(rules: RulesFile) -> Iterator[tuple[str, RulesFile]]:
    """The tables as they are; totals from shown cells; only what the rule hides; one table."""
    yield "as they are", rules
    tables = tuple(
        attrs.evolve(each, total="shown") if _totals(each) else each for each in rules.tables
    )
    if tables != rules.tables:
        yield "totals from shown cells", attrs.evolve(rules, tables=tables)
    without = tuple(attrs.evolve(each, secondary=False) for each in tables)
    if without != tables:
        yield "no further cells hidden", attrs.evolve(rules, tables=without)
    if len(rules.tables) > 1:
        yield "first table only", attrs.evolve(rules, tables=tables[:1])


def _changed(rule: Rule, people: int) -> Iterator[tuple[str, Rule]]:
    """Rules that hide or round more than a rule, top codes, and other zeros."""
    yield "none", rule
    for zero in ("hidden", "merged"):
        if zero != rule.zero:
            yield "zero", attrs.evolve(rule, zero=zero)
    hidden = next((step for step in rule.steps if isinstance(step, Hide)), Hide(1, 1))
    others = tuple(step for step in rule.steps if step != hidden)
    for zero in dict.fromkeys((rule.zero, "hidden")):
        for last in range(hidden.upper + 1, min(hidden.upper + _MOST_STEP, people) + 1):
            steps = (Hide(hidden.lower, last), *others)
            yield "threshold", attrs.evolve(rule, steps=steps, zero=zero)
        round_ = next((step for step in rule.steps if isinstance(step, Round | Midpoint)), Round(1))
        first = tuple(step for step in rule.steps if step != round_)
        for base in range(round_.base + 1, min(round_.base + _MOST_STEP, 2 * people) + 1):
            steps = (*first, attrs.evolve(round_, base=base))
            yield "base", attrs.evolve(rule, steps=steps, zero=zero)
    for limit in range(people - 1, max(people - _MOST_STEP, 0), -1):
        yield "top", attrs.evolve(rule, steps=(*rule.steps, Top(limit)))


def _merged(rules: RulesFile, number: int) -> RulesFile:
    """Neighbouring lists of each table in one, so many at a time; of printed ones within a row."""
    lists = {each.name: each for each in rules.lists}
    tables = []
    for table in rules.tables:
        names = []
        inside: dict[str, tuple[str, ...]] = {}
        for parts in (b[n : n + number] for b in _blocks(table) for n in range(0, len(b), number)):
            name = " + ".join(parts)
            if len(parts) > 1:
                size = sum(lists[part].size for part in parts)
                lists[name] = ListedPeople(name, size, parts=parts)
            names.append(name)
            inside[name] = parts
        margins = (
            tuple(name for name in names if set(inside[name]) <= set(group))
            for group in table.groups
        )
        groups = tuple(
            some
            for some, group in zip(margins, table.groups, strict=True)
            if len(some) > 1 and sum(len(inside[name]) for name in some) == len(group)
        )
        tables.append(attrs.evolve(table, lists=tuple(names), groups=groups))
    return attrs.evolve(rules, lists=tuple(lists.values()), tables=tuple(tables))
