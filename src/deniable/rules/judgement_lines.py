"""Answers about published tables and their editions, in words for a terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from deniable.cli.output import at_least, at_most, print_lines, say
from deniable.errors.validate import in_full
from deniable.numerics.answer import round_outwards
from deniable.rules.book.record import Edition, TablesBook
from deniable.rules.design_lines import print_assumptions
from deniable.rules.judgement import (
    UNDECIDED,
    EditionBelief,
    MemberBelief,
    RevealedDifference,
    TablesJudgement,
)
from deniable.rules.reasons import CHOICE, Reason
from deniable.rules.tables import list_words

if TYPE_CHECKING:  # judging counts needs neither
    from deniable.rules.repairing import RuleRepair
    from deniable.rules.values import ValuesJudgement, ValueVerdict

_MOST = 20  # Lines of one kind on a terminal; --json has all
_NEAR = 1e-9  # Beliefs that differ less are printed as one: more digits than are shown
_VERDICTS = {True: "met", False: "missed", None: "undecided"}
HEADINGS = {
    "revealed": "Revealed:",
    "too close": "Bounded too closely:",
    "likely": "Believed too firmly:",
    "undecided": "Undecided:",
    "kept": "Kept; of each cell, the contributor who is bounded most closely:",
}
"""What stands above values of each verdict."""


def print_judgement(answer: TablesJudgement) -> None:
    """What is certain, beliefs, differences and cells; and what it rests on."""
    if any(each.before is not None for each in answer.editions):
        if not answer.is_refused:
            say("Beside the earlier editions, this one reveals nothing more about anybody.")
        else:
            advice = "Do not publish all of it" if answer.hide else "Do not publish it"
            say(f"{advice}: beside the earlier editions, it reveals more about somebody.")
            if not answer.hide:
                say("No few cells were found that it could go without.")
            _some("Leave out:", [f"{each.table}, {each.name}" for each in answer.hide or ()])
        say()
    print_lines(_judgement_lines(answer))
    _some("Editions:", list(map(_edition, answer.editions)))
    _some("Read as:", list(answer.read_as))
    if answer.is_met is None and (answer.max_posterior or answer.min_posterior):
        say(UNDECIDED)
    if answer.because is not None:
        _some("Because:", list(_reason(answer.because)))
    certain = [
        f"{each.list}: the one person is {'in' if each.is_in else 'out'}"
        if each.people == 1
        else f"{each.list}: {'all' if each.is_in else 'none'} of {each.people:,} people are in"
        for each in answer.certain
    ]
    _some("Certain:", certain)
    _some("Sets that differ in few people:", list(map(_difference, answer.differences)))
    people = sorted(answer.beliefs, key=lambda each: -each.as_json()["highest"]["upper"])
    _some("Beliefs that someone is counted:", list(map(_belief, people)))
    cells = [
        f"{each.cell.table}, {each.cell.name}: {each.cell.published} stands for "
        f"{each.interval.lower:,} to {each.interval.upper:,}"
        for each in answer.feasible
    ]
    _some("Counts:", cells)
    print_assumptions(answer.assumes)


def _reason(because: Reason) -> Iterator[str]:
    """The people, the numbers that suffice, and the repair."""
    bounds = because.as_json()["belief"]
    yield because.text
    if because.is_high:
        yield f"the belief is then at least {at_least(bounds['lower'])}"
    else:
        yield f"the belief is then at most {at_most(bounds['upper'])}"
    if (repair := because.repair) is None:
        yield "no small change of the tables was found: see `deniable rules repair`"
        return
    still = "" if repair.is_met else ", and what was undecided stays so"
    low, high = at_least(repair.lowest), at_most(repair.highest)
    yield f"cheapest repair found: {repair.text}"
    yield f"beliefs about connected lists are then {low} to {high}{still}"
    if repair.missed:
        yield f"{repair.missed:,} other lists still miss the target"
    yield CHOICE


def _edition(each: EditionBelief) -> str:
    """Somebody's part in an edition, and the belief before and after it."""
    line = f"{each.list}, {each.role}: {each.verdict}; {_belief(each.belief)}"
    if each.before is None:
        return line
    before = each.as_json()["before"]
    return f"{line}; before, {at_least(before['lower'])} to {at_most(before['upper'])}"


def _judgement_lines(answer: TablesJudgement) -> Iterator[tuple[str, str]]:
    if answer.policy is not None:
        yield "policy", f"{answer.policy.name}: {answer.policy.source} ({answer.policy.date})"
    if (who := answer.adversary) is not None:
        low, high = in_full(float(who.low)), in_full(float(who.high))
        yield "prior of each person", low if low == high else f"{low} to {high}"
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


def _belief(belief: MemberBelief) -> str:
    bounds = belief.as_json()["belief"]
    low, high = at_least(bounds["lower"]), at_most(bounds["upper"])
    is_point = bounds["upper"] - bounds["lower"] < _NEAR
    who = f"{belief.people:,} people" if belief.people > 1 else "the one person"
    loose = ", bounded outwards" if belief.evidence == "outward" else ""
    return f"{high if is_point else f'{low} to {high}'}: {who} on {list_words(belief.lists)}{loose}"


def print_values(answer: "ValuesJudgement") -> None:
    """The verdict, then whose values are bounded too closely, or how closely at most."""
    print_lines([("verdict", _VERDICTS[answer.is_met]), *describe_attacks(answer)])
    for word, heading in HEADINGS.items():
        some = [each for each in answer.values if each.verdict == word]
        _some(heading, list(map(_value, some)))
    print_assumptions(answer.assumes)


def _difference(each: RevealedDifference) -> str:
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
        f"counts within {at_most(each.half_width, 3)}, {at_most(100 * each.share, 3)} % listed"
        for each in met
    ]
    _some("Within the target, the cheapest first:", lines)
    print_assumptions(answer.assumes)


def describe_attacks(answer: "ValuesJudgement") -> Iterator[tuple[str, str]]:
    """Yield what was judged, and the attacks that were tried."""
    yield "cells", f"{answer.cells:,}; {answer.hidden:,} are hidden"
    for each in answer.threats:
        who = f"{each.intruders} contributors" if each.intruders > 1 else (
            "another contributor" if each.intruders else "an outsider"
        )  # fmt: skip
        whom = f"the {each.largest} largest together" if each.largest > 1 else "each contributor"
        near = "exactly" if each.within is None else f"within {in_full(float(100 * each.within))} %"
        yield "attack", f"{who} on {whom}, {near}"
    if answer.max_posterior is not None:
        yield "target: at most", in_full(float(answer.max_posterior))


def _value(each: "ValueVerdict") -> str:
    """Return one line: who can bound whom, and how closely."""
    upper = "any amount" if each.upper is None else f"{each.upper:,}"
    span = f"{each.lower:,}" if each.lower == each.upper else f"{each.lower:,} to {upper}"
    who = " and ".join(each.attackers) or "an outsider"
    line = f"{each.cell}: {who} can bound {' and '.join(each.contributors)} to {span}"
    if each.near is not None and each.guess is not None:
        after, before = (at_most(float(round_outwards(belief, 5))) for belief in each.guess)
        line += f"; best guess {after}, before {before}"
    return line


def print_book(answer: TablesBook) -> None:
    """What a check found, and a line for each edition."""
    for finding in answer.findings:
        say(finding)
    if answer.holds:
        editions = len(answer.editions)
        say(f"{answer.place} holds {editions} edition{'' if editions == 1 else 's'}.")
    for each in answer.editions:
        say(f"  {entered(each)}")


def entered(edition: Edition) -> str:
    """Return one line: what was entered, by whom, and when it was published."""
    lists = ", ".join(each.name for each in edition.rules.lists[:_MOST])
    return (
        f"{edition.name}, published {edition.published}, entered by {edition.by}: "
        f"{len(edition.cells):,} number{'' if len(edition.cells) == 1 else 's'} on {lists}"
    )
