"""A rule as it is typed on a command line: steps in order, a policy among them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from deniable.errors import InvalidArgument
from deniable.rules.files import SINGLE
from deniable.rules.p_tables import read_p_table
from deniable.rules.rule import Rule, Step, preset
from deniable.rules.steps import Hide, Round

_MOST_DIGITS = 18  # The most digits of a count that is typed: more people than there are


def typed_rule(order: Sequence[str], words: Mapping[str, Any]) -> tuple[Rule | None, str | None]:
    """Return the rule that was typed, and the policy's name where it is that and nothing else."""
    # `order` has names of options as they were typed, and `words` what stands behind each.
    left: dict[str, Iterator[Any]] = defaultdict(lambda: iter(()))
    for name, values in words.items():
        if isinstance(values, list):
            left[name] = iter(values)
    steps: list[Step] = []
    policies: list[str] = []
    for name in order:
        if (word := next(left[name], None)) is None:
            continue
        match name:
            case "preset":
                policies.append(word)
                steps += preset(word).steps
            case "hide":
                steps.append(Hide(*(_typed_count(each, "--hide") for each in word)))
            case "round":
                steps.append(Round(word, words.get("halves") or "up"))
            case _:
                steps.append(SINGLE[name](word) if name in SINGLE else read_p_table(Path(word)))
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


def _typed_count(word: str, option: str) -> int:
    """A count, of an option of two words, which the command line passes on as it was typed."""
    if not word.isdecimal() or len(word) > _MOST_DIGITS:
        raise InvalidArgument(
            f'Expected two whole numbers after {option}, got "{word[:60]}". Write them in digits, '
            "such as 1 7."
        )
    return int(word)
