"""A rule: steps in order, and what each published mark says about the count behind it.

A rule is a stochastic matrix from counts 0…m to published marks. Nothing holds the matrix: one of
its columns, the probabilities with which each count is published as one mark, is a few runs of
counts with equal probability, pulled back through the steps from the last to the first.

A `Channel` is a rule on lists of one length, from the side of being in or of being out.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.rules.steps import (
    HIDDEN,
    ONE,
    Barnardise,
    Bottom,
    CellKey,
    Hide,
    Midpoint,
    Noise,
    RandomRound,
    RandomStep,
    Round,
    SureStep,
    Top,
)

KEYS = ("persistent", "fresh")  # Record keys stay for all editions, or are drawn anew for each

Step: TypeAlias = Hide | SureStep | RandomStep

Mark: TypeAlias = int | str  # What is published of a count: a whole number, or "*"

Run: TypeAlias = tuple[int, int, Fraction]
"""The least and the largest of successive counts, and a number above 0 that they share."""


@attrs.frozen
class Column:
    """The probability with which each of the counts 0…members is published as one mark.

    Parameters
    ----------
    output : int or "*"
        The mark.
    members : int
        The largest count.
    runs : tuple of (int, int, Fraction)
        Bounds of successive counts, both inside, and the probability that they share; in order,
        disjoint, probabilities above 0. No run: the rule never publishes the mark.
    """

    output: Mark
    members: int
    runs: tuple[Run, ...]

    @property
    def lower(self) -> int:
        """The least count that can be published so."""
        return self.runs[0][0]

    @property
    def upper(self) -> int:
        """The largest count that can be published so."""
        return self.runs[-1][1]

    @property
    def windows(self) -> tuple[tuple[int, int], ...]:
        """The counts that can be published so, as intervals that do not touch."""
        return tuple(windows(self.runs))

    def weight(self, count: int) -> Fraction:
        """The probability that a count is published so."""
        return weight_at(self.runs, count)

    @property
    def is_log_concave(self) -> bool:
        """Whether M(y|x)² ≥ M(y|x−1) M(y|x+1) for all counts x, without a gap between two."""
        if len(self.windows) != 1:
            return False
        bounds = {bound for lower, upper, _ in self.runs for bound in (lower, upper)}
        return all(
            self.weight(x) ** 2 >= self.weight(x - 1) * self.weight(x + 1)
            for x in bounds
            if self.lower < x < self.upper
        )


@attrs.frozen(init=False)
class Rule:
    """Steps that are applied to a count, in order.

    Parameters
    ----------
    steps : tuple of steps
        Each step gets what the step before publishes; a hidden count stays hidden.
    zero : {"shown", "hidden", "merged"}
        A 0 that the last step leaves is shown as 0; or hidden, as "*", too; or hidden counts
        are published as 0, so that nobody can tell them apart.
    keys : {"persistent", "fresh"}
        Record keys behind a cell key stay for all editions, or are drawn anew for each.

    Examples
    --------
    >>> from deniable.rules import Hide, Round
    >>> rule = Rule((Hide(1, 7), Round(5)))
    >>> rule.support(10, members=100), rule.support("*", members=100)
    (((8, 12),), ((1, 7),))
    """

    steps: tuple[Step, ...]
    zero: str = "shown"
    keys: str = "persistent"

    def __init__(self, steps: Iterable[Step], zero: str = "shown", keys: str = KEYS[0]) -> None:
        self.__attrs_init__(
            validate.several(steps, "steps"),
            validate.one_of(zero, ("shown", "hidden", "merged"), "zero"),
            validate.one_of(keys, KEYS, "keys"),
        )
        # Refuse noise that is drawn anew until it leaves 0 or more, and never can.
        lowest = 0
        for step in self.steps:
            if not isinstance(step, Step):
                raise InvalidArgument(
                    "Expected steps of a rule, such as Hide(1, 7), got "
                    f"{validate.format_value(step)}."
                )
            if isinstance(step, Noise):
                if step.negative == "redrawn" and lowest + max(step.law_of_noise) < 0:
                    raise InvalidArgument(
                        "Expected noise that can leave every count at 0 or above, got noise drawn "
                        "anew after a step that goes further below 0. Choose another rule for "
                        "results below 0."
                    )
                lowest = min(lowest + min(step.law_of_noise), 0) if step.negative == "shown" else 0
            elif isinstance(step, Bottom):
                lowest = 0
            elif lowest < 0:
                lowest -= step.reach

    def as_json(self) -> dict[str, Any]:
        """Steps and zeros as they are written in a file of rules."""
        fresh = {} if self.keys == "persistent" else {"keys": self.keys}
        return {"steps": [step.as_json() for step in self.steps], "zero": self.zero} | fresh

    @property
    def is_sure(self) -> bool:
        """Whether every count is published in one way only."""
        return not any(isinstance(step, RandomStep) for step in self.steps)

    @property
    def reach(self) -> int:
        """How far a count is moved at most, hiding and codes aside."""
        return sum(step.reach for step in self.steps)

    def publish(self, count: int) -> dict[Mark, Fraction]:
        """Return the marks that a count can be published as, with their probabilities."""
        law: dict[Mark, Fraction] = {count: ONE}
        for step in self.steps:
            after: dict[Mark, Fraction] = {}
            for mark, chance in law.items():
                # A hidden count stays hidden.
                for result, share in ((mark, ONE),) if isinstance(mark, str) else step.law(mark):
                    moved = chance if share is ONE else chance * share
                    after[result] = after[result] + moved if result in after else moved
            law = after
        if self.zero == "hidden" and 0 in law:
            law[HIDDEN] = law.get(HIDDEN, Fraction(0)) + law.pop(0)
        if self.zero == "merged" and HIDDEN in law:
            law[0] = law.get(0, Fraction(0)) + law.pop(HIDDEN)
        return law

    def far_marks(self) -> set[Mark]:
        """Return the marks that can stand for a count further away than the reach, and others."""
        marks: set[Mark] = {HIDDEN, 0}
        for index, step in enumerate(self.steps):
            limit = step.limit if isinstance(step, Top | Bottom) else 0
            marks.update(Rule(self.steps[index + 1 :], self.zero).publish(limit))
        return marks

    def column(self, output: Mark, *, members: int) -> Column:
        """Return the probabilities with which each count up to `members` is published so.

        Parameters
        ----------
        output : int or "*"
            The published mark; one that the rule cannot give has a column without runs.
        members : int
            The largest count.
        """
        # Pull a mark back through the steps, from the last to the first. What comes before each
        # step lies between bounds that its reach and the earlier steps' give.
        hidden, runs = Fraction(0), []
        if output == HIDDEN:
            hidden = Fraction(self.zero != "merged")
            runs = [(0, 0, Fraction(1))] if self.zero == "hidden" else []
        elif isinstance(output, int) and not (output == 0 and self.zero == "hidden"):
            hidden = Fraction(output == 0 and self.zero == "merged")
            runs = [(output, output, Fraction(1))]
        before: list[tuple[Step, int, int]] = []
        low, high = 0, members
        for step in self.steps:
            before.append((step, low, high))
            low, high = low - step.reach, high + step.reach
            if isinstance(step, SureStep):
                low, high = min(low, step.value(low)), max(high, step.value(high))
        for step, low, high in reversed(before):
            runs = _pulled(step, runs, hidden, low, high)
        return Column(output, members, within(runs, 0, members))

    def support(self, output: Mark, *, members: int) -> tuple[tuple[int, int], ...]:
        """Return the counts up to `members` that can be published so, as intervals.

        Raises
        ------
        InvalidArgument
            If the rule publishes no count so.
        """
        column = self.column(output, members=members)
        if not column.runs:
            raise InvalidArgument(
                f"Expected a number that the rule can publish for a count of 0 to {members}, got "
                f"{validate.format_value(output)}."
            )
        return column.windows

    def outputs(self, members: int) -> Iterator[Mark]:
        """Yield each mark that counts up to `members` can be published as, once.

        In the order of the least count behind them.
        """
        before: set[Mark] = set()
        count = 0
        while count <= members:
            law = self.publish(count)
            for mark in law:
                if mark not in before:
                    before.add(mark)
                    yield mark
            if len(law) == 1:  # nothing new up to the next count with another mark
                (mark,) = law
                runs = self.column(mark, members=members).runs
                count = next(high for low, high, _ in runs if low <= count <= high)
            count += 1


def _pulled(step: Step, runs: list[Run], hidden: Fraction, low: int, high: int) -> list[Run]:
    """The probabilities before a step, of counts low…high, from those after it."""
    match step:
        case Hide():
            outside = [
                (max(lower, first), min(upper, last), weight)
                for lower, upper, weight in runs
                for first, last in ((low, step.lower - 1), (step.upper + 1, high))
            ]
            return _joined([*outside, (max(step.lower, low), min(step.upper, high), hidden)])
        case RandomRound() | Barnardise() | Noise() | CellKey():
            return _averaged(step, runs, low, high)
        case _:
            before = []
            for lower, upper, weight in runs:
                counts = step.counts(lower, upper)
                if counts is not None:
                    first, last = counts
                    first = low if first is None else max(first, low)
                    before.append((first, high if last is None else min(last, high), weight))
            return _joined(before)


def _averaged(step: RandomStep, runs: list[Run], low: int, high: int) -> list[Run]:
    """The mean probability after a random step, of each count before it."""
    # W(x) = Σ M(z|x) W(z); where W is the same for all z within reach, it is W(x) too.
    reach = step.reach
    # A run changes W at its first count and behind its last one.
    changes = sorted({bound for lower, upper, _ in runs for bound in (lower, upper + 1)})

    def means(first: int, following: int) -> list[Run]:
        return [
            (x, x, sum((share * weight_at(runs, z) for z, share in step.law(x)), Fraction(0)))
            for x in range(first, following)
        ]

    before = means(low, min(high + 1, 0))  # below 0 a step may move further
    following = max(low, 0)
    for change in changes:
        first = max(change - reach, following)
        last = min(change + reach - 1, high)
        if first > following:
            before.append((following, min(first - 1, high), weight_at(runs, following)))
        before += means(first, last + 1)
        following = max(following, last + 1)
    before.append((following, high, weight_at(runs, following)))
    return _joined(before)


def windows(runs: Iterable[tuple[int, int] | Run]) -> list[tuple[int, int]]:
    """Return the values of runs or intervals in order, as intervals that do not touch."""
    joined: list[tuple[int, int]] = []
    for low, high, *_ in runs:
        if joined and joined[-1][1] >= low - 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def within(runs: Iterable[Run], low: int, high: int) -> tuple[Run, ...]:
    """Return runs cut to values low…high."""
    cut = ((max(first, low), min(last, high), weight) for first, last, weight in runs)
    return tuple(run for run in cut if run[0] <= run[1])


def weight_at(runs: Iterable[Run], count: int) -> Fraction:
    """Return what runs say of one count: 0 outside of all."""
    for lower, upper, weight in runs:
        if lower <= count <= upper:
            return weight
    return Fraction(0)


def _joined(runs: Iterable[Run]) -> list[Run]:
    """Runs in order, without those that are empty; neighbours that share a number are one."""
    joined: list[Run] = []
    for lower, upper, weight in sorted(runs):
        if lower > upper or not weight:
            continue
        if joined and joined[-1][1] == lower - 1 and joined[-1][2] == weight:
            joined[-1] = (joined[-1][0], upper, weight)
        else:
            joined.append((lower, upper, weight))
    return joined


@attrs.frozen
class Channel:
    """The stochastic matrix of a rule for the counts 0…members.

    If `mirrored`, people who are out are counted: x stands for m − x. So the smallest belief that
    someone is in is 1 less the largest that someone is out.
    """

    rule: Rule
    members: int
    mirrored: bool = False
    _columns: dict[Mark, Column] = attrs.field(factory=dict, init=False, eq=False, repr=False)
    _marks: dict[int, tuple[Mark, ...]] = attrs.field(
        factory=dict, init=False, eq=False, repr=False
    )
    _far: list[set[Mark]] = attrs.field(factory=list, init=False, eq=False, repr=False)
    """What was computed before."""

    def opposite(self) -> "Channel":
        """The same from the other side."""
        return Channel(self.rule, self.members, not self.mirrored)

    def publish(self, count: int) -> tuple[Mark, ...]:
        """The marks that a count can be published as."""
        if count not in self._marks:
            true = self.members - count if self.mirrored else count
            self._marks[count] = tuple(self.rule.publish(true))
        return self._marks[count]

    def column(self, output: Mark) -> Column:
        """The probability of a mark at each count."""
        if output not in self._columns:
            column = self.rule.column(output, members=self.members)
            self._columns[output] = mirrored(column) if self.mirrored else column
        return self._columns[output]

    def downwards(self, high: int, low: int) -> Iterator[tuple[int, tuple[Mark, ...]]]:
        """Yield counts from the largest on with their marks, without those that add no mark."""
        count = high
        while count >= low:
            marks = self.publish(count)
            yield count, marks
            if len(marks) == 1:  # nothing new down to the next count with another mark
                runs = self.column(marks[0]).runs
                count = next(run[0] for run in runs if run[0] <= count <= run[1] and run[2] == 1)
            count -= 1

    def near(self, count: int) -> set[Mark]:
        """All marks of both a count up to this one and a count above it; and others."""
        # Such a mark stands for counts within the rule's reach, or for all beyond the limit of a
        # code, or for hidden ones.
        reach = 2 * self.rule.reach + 1
        low, high = max(count - reach, 0), min(count + reach, self.members)
        if not self._far:
            self._far.append(self.rule.far_marks())
        marks = set(self._far[0])
        for _, published in self.downwards(high, low):
            marks.update(published)
        return marks


def mirrored(column: Column) -> Column:
    """Return the column of m − x."""
    m = column.members
    runs = tuple((m - high, m - low, weight) for low, high, weight in reversed(column.runs))
    return Column(column.output, m, runs)


@attrs.frozen
class Preset:
    """A published policy.

    `date` is when it was stated or read, or the version that states it; `besides` is what the
    policy says that a rule for one count does not hold.
    """

    name: str
    rule: Rule
    source: str
    date: str
    besides: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return where the rule is from."""
        return {"name": self.name, "source": self.source, "date": self.date,
                "besides": self.besides}  # fmt: skip


def _presets() -> Iterator[tuple[str, Preset]]:
    written = Path(__file__).with_name("presets.toml").read_text("utf-8")
    kinds = {"hide": Hide, "round": Round, "random-round": RandomRound, "midpoint": Midpoint}
    for name, each in tomllib.loads(written).items():
        steps = [kinds[kind](*numbers) for kind, numbers in each.pop("steps").items()]
        yield name, Preset(name, Rule(steps, each.pop("zero", "shown")), **each)


PRESETS: Mapping[str, Preset] = MappingProxyType(dict(_presets()))
"""The policy of each name."""


def preset(name: str) -> Rule:
    """Return the rule of a published policy.

    Parameters
    ----------
    name : {"opensafely", "ehrql", "cms", "all-of-us", "acro", "rr3", "midpoint6"}
        The policy; for all that is known of it see `deniable rules design --preset NAME`.

    Raises
    ------
    InvalidArgument
        If no policy of this name is known.

    Examples
    --------
    >>> preset("cms").publish(10)
    {'*': Fraction(1, 1)}
    """
    return PRESETS[validate.one_of(name, PRESETS, "preset")].rule


def policies() -> dict[str, Any]:
    """The rule of each published policy, for the page of the explorer."""
    return {name: each.rule.as_json() for name, each in PRESETS.items()}
