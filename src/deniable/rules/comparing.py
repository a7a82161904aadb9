"""Several rules side by side: how far each lets belief go, and what it costs in accuracy."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from deniable.errors import InvalidArgument
from deniable.errors.late import late
from deniable.numerics.answer import Answer
from deniable.rules.designing import RuleDesign, design
from deniable.rules.rule import Rule, Step
from deniable.rules.steps import HIDDEN, Bottom, Top

_charts: Any = late("deniable.rules.pages.design_page")

Given = Rule | Step | Iterable[Step] | str


@attrs.frozen
class ComparedRule:
    """One of several rules.

    Parameters
    ----------
    name : str
        What it is called beside the others.
    design : RuleDesign
        How far it lets belief go.
    """

    name: str
    design: RuleDesign

    @property
    def hides(self) -> tuple[tuple[int, int], ...]:
        """The counts that are hidden, or may be, of the longest list."""
        members = max(each.members for each in self.design.sizes)
        rule = self.design.rule
        merged = rule.zero == "merged"
        steps = Rule(rule.steps, "shown") if merged else rule
        return steps.column(HIDDEN, members=members).windows

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
            "rule": self.design.rule.as_json(),
            "hides": [list(window) for window in self.hides],
            "moves": self.moves,
            "sizes": [each.as_json() for each in self.design.sizes],
        }


@attrs.frozen(repr=False)
class RuleComparison(Answer):
    """How far each of several rules on exact counts lets belief go, for the same lists.

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
        answer: dict[str, Any] = {
            "prior": [float(first.adversary.low), float(first.adversary.high)],
            "members": [each.members for each in first.sizes],
            "rules": [each.as_json() for each in self.rules],
        }
        return answer | {"assumes": list(self.assumes)}

    def plot(self) -> Any:
        """The largest and the smallest belief under each rule, for each list.

        Returns
        -------
        altair.Chart
            A row a rule, a panel a list; needs the extra publish.
        """
        return _charts.rule_comparison_chart(self)


def compare(
    rules: Mapping[str, Given] | Iterable[str],
    *,
    members: int | str | Iterable[int],
    prior: tuple[Any, Any] | None = None,
    sample: tuple[int, int] | None = None,
    limit: Any = None,
    floor: Any = None,
    delta: Any = None,
    stated: Any = None,
) -> RuleComparison:
    """Say of several rules how far each lets belief go.

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
    named: dict[str, Any] = dict(rules) if isinstance(rules, Mapping) else {r: r for r in rules}
    if not named:
        raise InvalidArgument("Expected at least one rule, got none.")
    sizes: Any = members
    if isinstance(members, Iterable) and not isinstance(members, str):
        sizes = tuple(members)  # each rule goes through them
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
