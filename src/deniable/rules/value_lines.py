"""What contributors can infer of each other's values, in words for a terminal."""

from collections.abc import Iterator

from deniable.cli.output import at_most, in_full
from deniable.rules.values import ValuesJudgement, ValueVerdict

VERDICTS = {
    "revealed": "Revealed:",
    "too close": "Bounded too closely:",
    "likely": "Believed too firmly:",
    "undecided": "Undecided:",
    "kept": "Kept; of each cell, the contributor who is bounded most closely:",
}


def describe_attacks(answer: ValuesJudgement) -> Iterator[tuple[str, str]]:
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


def describe_value(each: ValueVerdict) -> str:
    """Return one line: who can bound whom, and how closely."""
    upper = "any amount" if each.upper is None else f"{each.upper:,}"
    span = f"{each.lower:,}" if each.lower == each.upper else f"{each.lower:,} to {upper}"
    who = " and ".join(each.attackers) or "an outsider"
    line = f"{each.cell}: {who} can bound {' and '.join(each.contributors)} to {span}"
    if each.near is not None and each.guess is not None:
        after, before = (at_most(float(belief)) for belief in each.guess)
        line += f"; best guess {after}, before {before}"
    return line
