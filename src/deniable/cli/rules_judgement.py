"""What `deniable rules judge` and `repair` print: what is certain and believed; changes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from deniable.cli.output import at_least, at_most, in_full, print_lines, say

if TYPE_CHECKING:
    from deniable.rules.judgement import MemberBelief, RevealedDifference, TablesJudgement
    from deniable.rules.repairing import RuleRepair

_MOST = 20
"""Lines of one kind on a terminal; --json has all."""
_NEAR = 1e-9
"""Beliefs that differ less are printed as one: more digits than are shown."""
_VERDICTS = {True: "met", False: "missed", None: "undecided: bounds lie on both sides of it"}


def print_judgement(answer: "TablesJudgement") -> None:
    """What is certain, beliefs, differences and cells; and what it rests on."""
    print_lines(_lines(answer))
    _some("Certain:", [_certain(each.list, each.people, each.is_in) for each in answer.certain])
    _some("Sets that differ in few people:", list(map(_difference, answer.differences)))
    people = sorted(answer.beliefs, key=_highest, reverse=True)
    _some("Beliefs that someone is counted:", list(map(_belief, people)))
    cells = [
        f"{each.cell.table}, {each.cell.name}: {each.cell.published} stands for "
        f"{each.interval.lower:,} to {each.interval.upper:,}"
        for each in answer.feasible
    ]
    _some("Counts:", cells)
    say()
    for each in answer.assumes:
        say(each)


def _lines(answer: "TablesJudgement") -> Iterator[tuple[str, str]]:
    if answer.policy is not None:
        yield "policy", f"{answer.policy.name}: {answer.policy.source} ({answer.policy.date})"
    if (worst := answer.worst) is not None:
        yield "worst belief", _belief(worst)
    if (lowest := answer.lowest) is not None:
        yield "lowest belief", _belief(lowest)
    for name, limit in (("at most", answer.max_posterior), ("at least", answer.min_posterior)):
        if limit is not None:
            yield f"target: {name} {in_full(float(limit))}", ""
    if answer.max_posterior is not None or answer.min_posterior is not None:
        yield "verdict", _VERDICTS[answer.is_met]


def _some(heading: str, lines: list[str]) -> None:
    if not lines:
        return
    say()
    say(heading)
    for line in lines[:_MOST]:
        say(f"  {line}")
    if len(lines) > _MOST:
        say(f"  … and {len(lines) - _MOST:,} more: see --json")


def _certain(name: str, people: int, is_in: bool) -> str:
    if people == 1:
        return f"{name}: the one person is {'in' if is_in else 'out'}"
    return f"{name}: {'all' if is_in else 'none'} of {people:,} people are in"


def _highest(belief: "MemberBelief") -> float:
    from deniable.rules.numbers import bound_between

    return bound_between(belief.highest.lower, belief.highest.upper).upper


def _belief(belief: "MemberBelief") -> str:
    bounds = belief.as_json()["belief"]
    low, high = at_least(bounds["lower"]), at_most(bounds["upper"])
    is_point = bounds["upper"] - bounds["lower"] < _NEAR
    who = f"{belief.people:,} people" if belief.people > 1 else "the one person"
    loose = ", bounded outwards" if belief.evidence == "outward" else ""
    return (
        f"{high if is_point else f'{low} to {high}'}: {who} on {' and '.join(belief.lists)}{loose}"
    )


def _difference(each: "RevealedDifference") -> str:
    first, second = each.difference.first, each.difference.second
    people = each.difference.people
    who = "1 person" if people == 1 else f"{people:,} people"
    count = f"{each.interval.lower:,}" if each.interval.lower == each.interval.upper else (
        f"{each.interval.lower:,} to {each.interval.upper:,}"
    )  # fmt: skip
    return (
        f"{who} in {first.table}, {first.name} and not in {second.table}, {second.name}: "
        f"{count} counted"
    )


def print_repair(answer: "RuleRepair") -> None:
    """Changes that meet the target, with what each costs; and what they rest on."""
    met = [each for each in answer.options if each.is_met]
    if not met:
        say("No change that was tried keeps beliefs within the target.")
    lines = [
        f"{each.text}: belief up to {at_most(each.highest)}, at least {at_least(each.lowest)}; "
        f"counts within {at_most(each.half_width, 3)}, {at_most(100 * each.share, 3)} in 100 listed"
        for each in met
    ]
    _some("Within the target, the cheapest first:", lines)
    say()
    for each in answer.assumes:
        say(each)
