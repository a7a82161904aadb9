"""How far a rule lets belief go, before there is any table: all marks, all priors, one list.

List sizes are a number, some numbers, or a range.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.numerics.answer import Answer, PageAnswer, display, fields_of
from deniable.numerics.bound import Bound
from deniable.rules.beliefs import Extreme, belief_after, highest, lowest, unlisted
from deniable.rules.exceedance import Exceedance, beliefs_except, exceedance
from deniable.rules.numbers import (
    Belief,
    Chance,
    Number,
    bound_between,
    complement,
    plus,
    probability,
    times,
)
from deniable.rules.rule import PRESETS, Channel, Mark, Preset, Rule, Step, preset
from deniable.rules.steps import HIDDEN, Bottom, Top
from deniable.rules.worlds import Adversary, Priors, Sample, World, adversary, chance

_MOST_SIZES = 10_000  # List sizes in one answer: some milliseconds each
_MOST_MEMBERS = 10**6  # Members of one list, for which every bound is tried


def list_sizes(members: int | str | Iterable[int]) -> tuple[bool, Sequence[int]]:
    """Whether several sizes were asked for, and which."""
    if isinstance(members, str):
        if match := re.fullmatch(r"(\d{1,7})\.\.(\d{1,7})", members.strip()):
            first, last = int(match[1]), int(match[2])
            if first > last:
                raise InvalidArgument(
                    f"Expected members A..B with A <= B, got {members}. Put the smaller first."
                )
            if last - first >= _MOST_SIZES:
                raise InvalidArgument(
                    f"Expected at most {_MOST_SIZES} sizes of lists, got {last - first + 1}. Ask "
                    "for them in parts."
                )
            return True, [_size(size) for size in range(first, last + 1)]
        parts = members.split(",")
        if not all(re.fullmatch(r"\d{1,18}", part.strip()) for part in parts):
            raise InvalidArgument(
                'Expected members as a number, a list such as "10,20" or a range such as '
                f'"2..1000", got {validate.format_value(members)}.'
            )
        sizes = [_size(int(part)) for part in parts]
        return len(sizes) > 1, sizes
    if isinstance(members, Iterable) and getattr(members, "ndim", True):
        sizes = [_size(size) for size in members]
        if not sizes or len(sizes) > _MOST_SIZES:
            raise InvalidArgument(f"Expected 1 to {_MOST_SIZES} sizes of lists, got {len(sizes)}.")
        return True, sizes
    return False, [_size(members)]


def _size(value: Any) -> int:
    size = validate.integer(value, "members", least=1)
    if size > _MOST_MEMBERS:
        raise InvalidArgument(
            f"Expected at most {_MOST_MEMBERS} members of a list, "
            f"got {validate.format_value(size)}."
        )
    return size


ASSUMES = (
    "Exact tables have no finite ε. This answer rests on four assumptions about the adversary: "
    "independence, the range of priors, the lists given here, and no other table about these "
    "people. An adversary who knows whether all others are counted may learn it about the last "
    "person.",
    "Households whose members are counted together are not covered: such a household is one unit "
    "of several people.",
)
"""What stands on every answer and every page about exact tables."""
SAMPLE_ASSUMES = (
    "The people counted are a uniform sample of known size from a known list. Nobody knows who was "
    "drawn."
)

_MOST_MARKS = 60  # Marks up to which beliefs after each are computed: a page full


@attrs.frozen
class MarkBelief:
    """What may be believed after one mark.

    The probability is that of the mark where everybody has the stated prior.
    """

    output: Mark
    belief: Bound
    probability: Chance

    def as_json(self) -> dict[str, Any]:
        """One entry of `after`."""
        return {
            "output": self.output,
            "belief": {"lower": self.belief.lower, "upper": self.belief.upper},
            "probability": self.probability.as_json(),
        }


@attrs.frozen
class SizeDesign:
    """How far a rule lets belief go, for a list of one size.

    `exceedance` and `shortfall` say how likely a belief above the limit, or below the floor, is;
    `belief_except` and `lowest_except` are the largest and the smallest belief except with
    probability `delta`. With a sample, `unlisted` has the smallest and the largest belief in people
    of the population who are not on the list. `after` is empty where there are many marks;
    `expected`, the mean belief in somebody who is counted, at the stated prior, is there where
    `after` is.
    """

    members: int
    worst: Extreme
    lowest: Extreme
    exceedance: Exceedance | None = None
    shortfall: Exceedance | None = None
    delta: Fraction | None = None
    belief_except: Belief | None = None
    lowest_except: Belief | None = None
    after: tuple[MarkBelief, ...] = ()
    expected: Belief | None = None
    unlisted: tuple[Extreme, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """One entry of `sizes`."""
        answer = fields_of(self, "members", "worst", "lowest")
        if self.unlisted:
            low, high = self.unlisted
            answer["unlisted"] = {"worst": high, "lowest": low}
        passed = fields_of(self, "exceedance", "shortfall")
        answer |= {name: each for name, each in passed.items() if each is not None}
        if self.delta is not None and self.belief_except and self.lowest_except:
            answer["except"] = {
                "delta": self.delta,
                "worst": self.belief_except,
                "lowest": self.lowest_except,
                "given": {"worst": "in", "lowest": "out"},
            }
        if self.expected is not None:
            answer["expected"] = {"belief": self.expected, "given": "in"}
        if self.after:
            answer["after"] = self.after
        return answer


@attrs.frozen(repr=False)
class RuleDesign(PageAnswer):
    """How strong beliefs can become under a rule on exact counts, before there is any table.

    Parameters
    ----------
    rule : Rule
        What is done to a count.
    adversary : Priors or Sample
        Who is feared.
    sizes : tuple of SizeDesign
        One a list size, in the order asked for.
    policy : Preset or None
        The published policy that the rule is, if it was named.
    several : bool
        Whether a list of sizes was asked for.
    """

    rule: Rule
    adversary: Adversary
    sizes: tuple[SizeDesign, ...]
    policy: Preset | None = None
    several: bool = False

    @property
    def worst(self) -> SizeDesign:
        """The size of list for which the largest belief is largest."""
        return max(self.sizes, key=lambda each: each.worst.belief.bound.upper)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the answer rests on."""
        return (*ASSUMES, SAMPLE_ASSUMES) if isinstance(self.adversary, Sample) else ASSUMES

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable rules design` prints."""
        answer = fields_of(self, "rule")
        if self.policy is not None:
            answer["policy"] = self.policy
        answer["prior"] = [self.adversary.low, self.adversary.high]
        if isinstance(self.adversary, Sample):
            answer["sample"] = {"n": self.adversary.size, "N": self.adversary.population}
        if self.several:
            worst = self.worst
            answer["worst"] = {"members": worst.members, **worst.worst.as_json()}
            answer["sizes"] = self.sizes
        else:
            answer |= self.sizes[0].as_json()
        return answer | fields_of(self, "assumes")

    def plot(self) -> Any:
        """Draw beliefs after each mark, or by the lengths of lists; needs the extra publish."""
        return display(self, "plot")


def design(
    rule: Rule | Step | Iterable[Step] | str,
    *,
    members: int | str | Iterable[int],
    prior: tuple[Any, Any] | None = None,
    sample: tuple[int, int] | None = None,
    limit: Any = None,
    floor: Any = None,
    delta: Any = None,
    stated: Any = None,
) -> RuleDesign:
    r"""Return how strong beliefs can become under a rule on exact counts, over all outputs.

    A list of m people is public; how many of them were counted is published under the rule, and
    nothing else about them. Of each person the adversary believes beforehand, independently, that
    they were counted, with a prior in [a, b]; or knows that a uniform sample of n of N people was
    drawn. The largest belief after a mark y has the target at b, the smallest at a:

    .. math:: \frac{\pi_y}{1 - \pi_y} = \frac{b}{1 - b} \cdot
              \frac{\sum_s P(S = s) M(y | s + 1)}{\sum_s P(S = s) M(y | s)}

    with S the others' count and M the rule's stochastic matrix. Numbers are read as the decimals
    that they print as. Small lists give exact fractions, large ones proved bounds.

    Parameters
    ----------
    rule : Rule, step, iterable of steps, or str
        What is done to the count; a text names a preset.
    members : int, str or iterable of int
        How many people the list has, from 1 to 1,000,000; "2..1000" stands for all from 2 to
        1000.
    prior : tuple of two numbers, optional
        a and b, in [0, 1]; a point prior repeats it.
    sample : tuple of int, optional
        n and N, in place of `prior`.
    limit : number, optional
        A belief: how likely is it that one above is reached, given that the target is in?
    floor : number, optional
        A belief: how likely is it that one below is reached, given that the target is out?
    delta : number, optional
        A probability δ: what may be believed at most, and at least, except with probability δ?
    stated : number, optional
        A prior that everybody has, at which the chances are stated too; `b` where it is left out.

    Returns
    -------
    RuleDesign
        Beliefs with their witnesses, and chances.

    Raises
    ------
    InvalidArgument
        If an argument is wrong.

    Examples
    --------
    >>> from deniable.rules import Hide, Round, design
    >>> answer = design([Hide(1, 7), Round(5)], members=12, prior=(0.5, 0.5), limit=0.7)
    >>> answer.sizes[0].worst.belief.fraction, answer.sizes[0].worst.output
    (Fraction(281, 397), 10)
    """
    policy = PRESETS.get(rule) if isinstance(rule, str) else None
    read = as_rule(rule)
    feared = adversary(prior, sample)
    several, sizes = list_sizes(members)
    given = {"limit": limit, "floor": floor, "delta": delta, "stated": stated}
    numbers = {k: None if v is None else probability(v, k) for k, v in given.items()}
    question = _Question(read, feared, several=several, **numbers)
    return RuleDesign(read, feared, tuple(map(question.answer, sizes)), policy, several)


def as_rule(rule: Rule | Step | Iterable[Step] | str) -> Rule:
    """Return a rule from its steps, or from the name of a published policy."""
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, str):
        return preset(rule)
    return Rule((rule,) if isinstance(rule, Step) else tuple(rule))


@attrs.frozen
class _Question:
    """What is asked of a list of any size."""

    rule: Rule
    adversary: Adversary
    limit: Fraction | None
    floor: Fraction | None
    delta: Fraction | None
    stated: Fraction | None
    several: bool

    def answer(self, members: int) -> SizeDesign:
        """All that is asked, for one list."""
        channel = Channel(self.rule, members)
        opposite = channel.opposite()
        out = self.adversary.mirrored()
        tries = {"tries": 1} if self.several else {}
        passed = below = least = largest = None
        if self.limit is not None:
            passed = exceedance(channel, self.adversary, self.limit, self.stated, **tries)
        if self.floor is not None:
            stated = None if self.stated is None else 1 - self.stated
            below = exceedance(opposite, out, 1 - self.floor, stated, **tries)
        if self.delta is not None:
            least, largest = beliefs_except(channel, self.adversary, self.delta)
        after, expected = self._after(channel, opposite) if not self.several else ((), None)
        worst, smallest = highest(channel, self.adversary), lowest(channel, self.adversary)
        rest: tuple[Extreme, ...] = ()
        if isinstance(who := self.adversary, Sample) and who.population > members:
            # Those who are not on the list are believed in least where its members are most.
            rest = unlisted(worst, members, who), unlisted(smallest, members, who)
        return SizeDesign(
            members, worst, smallest, passed, below, self.delta, largest, least, after, expected,
            rest,
        )  # fmt: skip

    def _after(
        self, channel: Channel, opposite: Channel
    ) -> tuple[tuple[MarkBelief, ...], Belief | None]:
        """Beliefs after each mark, if there are few, and their mean given that the target is in."""
        marks = list(itertools.islice(channel.rule.outputs(channel.members), _MOST_MARKS + 1))
        if len(marks) > _MOST_MARKS:
            return (), None
        world = self.adversary.worst(channel.members)
        if isinstance(self.adversary, Priors):
            prior = self.adversary.high if self.stated is None else self.stated
            world = World(channel.members, prior, prior)
        after: list[MarkBelief] = []
        mean: Number = Fraction(0)
        for mark in marks:
            runs = channel.column(mark).runs
            high = belief_after(channel, mark, self.adversary)
            low = belief_after(opposite, mark, self.adversary.mirrored())
            belief = world.belief(channel.column(mark))
            if high is None or low is None or belief is None:
                continue
            share = chance(world, runs, "any")
            beliefs = bound_between(complement(low.upper), high.upper)
            after.append(MarkBelief(mark, beliefs, Chance.between(share, share)))
            mean = plus(mean, times(chance(world, runs, "in"), belief))
        return tuple(after), Belief.between(mean, mean)


RuleLike = Rule | Step | Iterable[Step] | str


@attrs.frozen
class ComparedRule:
    """One of several rules."""

    name: str
    design: RuleDesign

    @property
    def hides(self) -> tuple[tuple[int, int], ...]:
        """The counts that are hidden, or may be, of the longest list."""
        members = max(each.members for each in self.design.sizes)
        rule = self.design.rule
        rule = attrs.evolve(rule, zero="shown") if rule.zero == "merged" else rule
        return rule.column(HIDDEN, members=members).windows

    @property
    def moves(self) -> int | None:
        """How far a count that is shown is from the truth at most; None where a code hides it."""
        steps = self.design.rule.steps
        members = max(each.members for each in self.design.sizes)
        if any(isinstance(s, Bottom) or (isinstance(s, Top) and s.limit < members) for s in steps):
            return None
        return self.design.rule.reach

    def as_json(self) -> dict[str, Any]:
        """One entry of `rules`."""
        return {
            "name": self.name,
            "rule": self.design.rule,
            **fields_of(self, "hides", "moves"),
            "sizes": self.design.sizes,
        }


@attrs.frozen(repr=False)
class RuleComparison(Answer):
    """How strong beliefs can become under each of several rules on exact counts.

    Parameters
    ----------
    rules : tuple of ComparedRule
        In the order given.
    """

    rules: tuple[ComparedRule, ...]

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the answer rests on."""
        return self.rules[0].design.assumes

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable rules compare` prints."""
        first = self.rules[0].design
        return {
            "prior": [first.adversary.low, first.adversary.high],
            "members": [each.members for each in first.sizes],
            **fields_of(self, "rules", "assumes"),
        }

    def plot(self) -> Any:
        """Draw the extreme beliefs, a row a rule and a panel a list; needs the extra publish."""
        return display(self, "plot")


def compare(
    rules: Mapping[str, RuleLike] | Iterable[str],
    *,
    members: int | str | Iterable[int],
    prior: tuple[Any, Any] | None = None,
    sample: tuple[int, int] | None = None,
    limit: Any = None,
    floor: Any = None,
    delta: Any = None,
    stated: Any = None,
) -> RuleComparison:
    """Compare how strong beliefs can become under several rules.

    Parameters
    ----------
    rules : mapping of str to rule, or iterable of str
        Rules by name, each as `design` takes one; or names of published policies.
    members, prior, sample, limit, floor, delta, stated
        As `design` takes them.

    Returns
    -------
    RuleComparison
        One design a rule.

    Raises
    ------
    InvalidArgument
        If an argument is wrong, or there is no rule.

    Examples
    --------
    >>> answer = compare(["cms", "opensafely"], members=20, prior=(0.5, 0.5))
    >>> [each.design.worst.worst.output for each in answer.rules]
    [20, 20]
    """
    named: dict[str, Any] = (
        dict(rules)
        if isinstance(rules, Mapping)
        else {r: r for r in validate.several(rules, "rules")}
    )
    if not named:
        raise InvalidArgument("Expected at least one rule, got none.")
    # Each rule goes through them.
    sizes: Any = tuple(members) if isinstance(members, Iterator) else members
    return RuleComparison(
        tuple(
            ComparedRule(
                str(name),
                design(rule, members=sizes, prior=prior, sample=sample, limit=limit, floor=floor,
                       delta=delta, stated=stated),
            )
            for name, rule in named.items()
        )
    )  # fmt: skip
