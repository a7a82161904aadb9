"""A rule as it is typed on a command line: steps in order, a policy among them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from deniable.errors import InvalidArgument
from deniable.rules.p_table import read_p_table
from deniable.rules.presets import preset
from deniable.rules.random_steps import Barnardise, CellKey, RandomRound
from deniable.rules.rule import Rule, Step
from deniable.rules.steps import Bottom, Hide, Midpoint, Round, RoundDown, Top

_MOST_DIGITS = 18
"""Of a count that is typed: more people than there are."""


def typed_rule(order: Sequence[str], words: Mapping[str, Any]) -> tuple[Rule | None, str | None]:
    """Return the rule that was typed, and the policy's name where it is that and nothing else.

    Parameters
    ----------
    order : sequence of str
        Names of options, as often and in the order in which they were typed.
    words : mapping of str to list
        What stands behind each option, in order; `halves` and `zero` stand once.

    Raises
    ------
    InvalidArgument
        If a step cannot be, or `halves` rounds nothing.
    """
    left: dict[str, Iterator[Any]] = defaultdict(lambda: iter(()))
    for name, values in words.items():
        if isinstance(values, list):
            left[name] = iter(values)
    steps: list[Step] = []
    policies: list[str] = []
    for name in order:
        if (word := next(left[name], None)) is None:
            continue
        if name == "preset":
            policies.append(word)
            steps += preset(word).steps
        else:
            steps.append(_step(name, word, words.get("halves")))
    if words.get("halves") is not None and not any(isinstance(step, Round) for step in steps):
        raise InvalidArgument("Expected --round beside --halves, got none. Leave --halves out.")
    if not steps:
        if words.get("zero") is not None:
            raise InvalidArgument("Expected steps beside --zero, got none. Add --hide A B.")
        return None, None
    zeros = {preset(name).zero for name in policies} - {"shown"}
    zero = words.get("zero") or next(iter(zeros), "shown")
    rule = Rule(steps, zero)
    (name, *more) = policies or ("",)
    return rule, name if name and not more and rule == preset(name) else None


def _step(name: str, word: Any, halves: str | None) -> Step:
    match name:
        case "hide":
            lower, upper = word
            return Hide(_whole(lower, "--hide"), _whole(upper, "--hide"))
        case "round":
            return Round(word, halves or "up")
        case "round_down":
            return RoundDown(word)
        case "random":
            return RandomRound(word)
        case "midpoint":
            return Midpoint(word)
        case "top":
            return Top(word)
        case "bottom":
            return Bottom(word)
        case "barnard":
            return Barnardise(word)
        case _:
            return CellKey(read_p_table(Path(word)))


def _whole(word: str, option: str) -> int:
    """A count, of an option of two words, which the command line passes on as it was typed."""
    if not word.isdecimal() or len(word) > _MOST_DIGITS:
        raise InvalidArgument(
            f'Expected two whole numbers after {option}, got "{word[:60]}". Write them in digits, '
            "such as 1 7."
        )
    return int(word)
