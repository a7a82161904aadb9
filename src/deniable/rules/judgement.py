"""What anybody can infer from published tables: the answer of `judge`, part by part."""

from fractions import Fraction
from typing import Any

import attrs

from deniable._answer import Answer, plots
from deniable._late import late
from deniable.rules.differences import Difference, is_determined
from deniable.rules.feasible import Interval, Proof
from deniable.rules.joint import Extremum
from deniable.rules.numbers import Belief, Number, at_most, bound_between
from deniable.rules.presets import Preset
from deniable.rules.rule import Rule
from deniable.rules.tables import PublishedCell
from deniable.rules.worlds import Adversary, Sample

judgement_page: Any = late("deniable.report.judgement_page")


@attrs.frozen
class FeasibleCell:
    """The least and the largest count behind a published number.

    Parameters
    ----------
    cell : PublishedCell
        What was published.
    interval : Interval
        What the count may be, given all that was published.
    """

    cell: PublishedCell
    interval: Interval

    def as_json(self) -> dict[str, Any]:
        """One entry of `feasible`."""
        return {
            "table": self.cell.table,
            "cell": self.cell.name,
            "published": self.cell.published,
            "lower": self.interval.lower,
            "upper": self.interval.upper,
            "proof": self.interval.proof.name.lower(),
        }


@attrs.frozen
class Certain:
    """People who are all counted for certain, or of whom nobody is.

    Parameters
    ----------
    list : str
        The list, or in words who they are.
    people : int
        How many.
    is_in : bool
        Whether all are counted.
    proof : Proof
        What it rests on.
    """

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

    Parameters
    ----------
    lists : tuple of str
        The lists that they are on.
    people : int
        How many they are.
    lowest, highest : Extremum
        The smallest and the largest belief that one of them was counted, over the priors.
    """

    lists: tuple[str, ...]
    people: int
    lowest: Extremum
    highest: Extremum

    @property
    def evidence(self) -> str:
        """The weaker of what both rest on: exact, enclosed or outward."""
        order = ("exact", "enclosed", "outward")
        return max(self.lowest.method, self.highest.method, key=order.index)

    def as_json(self) -> dict[str, Any]:
        """One entry of `beliefs`."""
        belief = bound_between(self.lowest.lower, self.highest.upper)
        return {
            "lists": list(self.lists),
            "people": self.people,
            "belief": {
                "lower": belief.lower, "upper": belief.upper, "evidence": self.evidence
            },
            "lowest": _shown(self.lowest),
            "highest": _shown(self.highest),
        }  # fmt: skip


def _shown(extremum: Extremum) -> dict[str, Any]:
    return Belief.between(extremum.lower, extremum.upper).as_json() | {"evidence": extremum.method}


@attrs.frozen
class RevealedDifference:
    """What two published sets, which differ in a few people, say of these.

    Parameters
    ----------
    difference : Difference
        Who is in one and not in the other.
    interval : Interval
        How many of them were counted.
    highest, lowest : Number or None
        Bounds of the beliefs in one of them; None without an adversary.
    """

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
        shown: dict[str, Any] = {
            "in": {"table": first.table, "cell": first.name},
            "not_in": {"table": second.table, "cell": second.name},
            "people": self.difference.people,
            "lower": self.interval.lower,
            "upper": self.interval.upper,
            "count_is_known": self.interval.lower == self.interval.upper,
            "certain": {True: "in", False: "out", None: None}[self.is_in],
        }
        if self.lowest is not None and self.highest is not None:
            belief = bound_between(self.lowest, self.highest)
            shown["belief"] = {"lower": belief.lower, "upper": belief.upper}
        return shown


@attrs.frozen(repr=False)
class TablesJudgement(Answer):
    """What anybody can infer from published tables, all of them together.

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

    @property
    def worst(self) -> MemberBelief | None:
        """Of whom most can be believed."""
        worst: MemberBelief | None = None
        for each in self.beliefs:
            if worst is None or not at_most(each.highest.upper, worst.highest.upper):
                worst = each
        return worst

    @property
    def lowest(self) -> MemberBelief | None:
        """Of whom least can be believed."""
        least: MemberBelief | None = None
        for each in self.beliefs:
            if least is None or not at_most(least.lowest.lower, each.lowest.lower):
                least = each
        return least

    @property
    def is_met(self) -> bool | None:
        """Whether all beliefs stay within the target; None where that is undecided, or no target.

        A method that bounds beliefs outwards only may leave the target between its bounds.
        """
        verdicts = [
            _within(each.highest.lower, each.highest.upper, self.max_posterior)
            for each in self.beliefs
            if self.max_posterior is not None
        ]
        verdicts += [
            _within(-each.lowest.upper, -each.lowest.lower, -self.min_posterior)
            for each in self.beliefs
            if self.min_posterior is not None
        ]
        if False in verdicts:
            return False
        return None if None in verdicts or not verdicts else True

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable rules judge` prints."""
        answer: dict[str, Any] = {"rule": self.rule.as_json()}
        if self.policy is not None:
            answer["policy"] = self.policy.as_json()
        if self.adversary is not None:
            answer["prior"] = [float(self.adversary.low), float(self.adversary.high)]
        if isinstance(self.adversary, Sample):
            answer["sample"] = {"n": self.adversary.size, "N": self.adversary.population}
        if (worst := self.worst) is not None and (lowest := self.lowest) is not None:
            answer["worst"], answer["lowest"] = worst.as_json(), lowest.as_json()
        answer["certain"] = [each.as_json() for each in self.certain]
        answer["differences"] = [each.as_json() for each in self.differences]
        if self.max_posterior is not None or self.min_posterior is not None:
            answer["target"] = {
                "max_posterior": None if self.max_posterior is None else float(self.max_posterior),
                "min_posterior": None if self.min_posterior is None else float(self.min_posterior),
                "verdict": {True: "met", False: "missed", None: "undecided"}[self.is_met],
            }
        answer["feasible"] = [each.as_json() for each in self.feasible]
        answer["beliefs"] = [each.as_json() for each in self.beliefs]
        return answer | {"assumes": list(self.assumes)}

    def plot(self) -> Any:
        """Beliefs in the people on each list, from the smallest to the largest.

        Returns
        -------
        altair.Chart
            A bar for all people on the same lists; needs the extra publish.
        """
        return plots.judgement_chart(self)

    def page(self) -> str:
        """A page for the person who decides, in words.

        Returns
        -------
        str
            HTML that opens offline, without script; needs the extra publish.
        """
        return str(judgement_page.judgement_page(self))


def _within(lower: Number, upper: Number, limit: Fraction) -> bool | None:
    """Whether what lies between two bounds is at most a limit; None where it may be or not."""
    if at_most(upper, limit):
        return True
    return None if at_most(lower, limit) else False
