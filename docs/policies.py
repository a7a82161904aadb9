"""docs/reference/policies.md: policies, lists and priors; `python docs/policies.py` writes it."""

from pathlib import Path

from deniable.rules import compare
from deniable.rules.numbers import Chance, power_above
from deniable.rules.rule import PRESETS

PAGE = Path(__file__).resolve().parent / "reference" / "policies.md"
SIZES = (10, 20, 50, 100, 1000)
PRIORS = (
    ("1/2", "1/2", "The adversary's prior belief about everybody is ½"),
    ("1/100", "1/2", "The adversary's prior belief about everybody is between 1/100 and ½"),
    ("1/100", "1/100", "The adversary's prior belief about everybody is 1/100"),
)
LIMIT = "3/4"
HEAD = """# Published policies, in beliefs

This page shows what an attacker can conclude under common disclosure rules. `python
docs/policies.py` writes it, and [`deniable rules
compare`](commands/rules.md#deniable-rules-compare) gives the same numbers. [What exact tables
reveal](../explanation/what-exact-tables-let-one-believe.md) says what each cell means, and what
no cell says.

Each policy publishes one count of people on a list that everybody knows. A cell holds the largest
belief that a person on the list is counted, over all possible outputs and all priors in the
range, rounded up. The number in brackets is the largest probability, for a person who is counted,
of an output that raises this belief above ¾. "1" is certain and "0" impossible; small
probabilities are powers of ten.

Exact tables have no finite ε. These numbers rest on four assumptions about the adversary:
independence, the range of priors, the list, and no other table about these people. An adversary
who knows whether all others are counted may learn it about the last person.

"""
POLICIES = """
## The policies

| name | rule | stated by | also |
|---|---|---|---|
"""
DONE = {
    "opensafely": "1 to 7 hidden, then the nearest multiple of 5; 0 shown",
    "ehrql": "1 to 7 shown as 0, then the nearest multiple of 5",
    "cms": "1 to 10 hidden; 0 shown",
    "all-of-us": "1 to 20 hidden; 0 shown",
    "acro": "0 to 9 hidden",
    "rr3": "one of the two neighbouring multiples of 3, at random and without bias",
    "midpoint6": "3 for 1 to 6, 9 for 7 to 12, …; 0 shown",
}


def page() -> str:
    """The whole page."""
    sections = []
    for low, high, title in PRIORS:
        answer = compare(
            list(PRESETS), members=list(SIZES), prior=(low, high), limit=LIMIT, stated=high
        )
        head = "| policy | " + " | ".join(f"{size:,} listed" for size in SIZES) + " |\n"
        lines = [
            f"| `{rule.name}` | "
            + " | ".join(
                f"{_up(each.worst.belief.bound.upper)} ({_chance(each.exceedance.probability)})"
                for each in rule.design.sizes
            )
            + " |\n"
            for rule in answer.rules
        ]
        sections.append(f"## {title}\n\n{head}|---|{'---|' * len(SIZES)}\n{''.join(lines)}")
    stated = [
        f"| `{each.name}` | {DONE[each.name]} | {each.source} ({each.date}) | {each.besides} |\n"
        for each in PRESETS.values()
    ]
    return HEAD + "\n".join(sections) + POLICIES + "".join(stated)


def _up(belief: float) -> str:
    """Three decimals, rounded up; "1" only where it is 1."""
    up = -int(-belief * 1000 // 1) / 1000
    return "1" if belief >= 1 else "<1" if up >= 1 else f"{up:.3f}"


def _chance(chance: Chance) -> str:
    if chance.power_of_ten is None:
        return "0"
    if chance.bound.upper < 1e-3:
        return f"10^{power_above(chance.power_of_ten[1])}"
    return f"{-int(-chance.bound.upper * 1000 // 1) / 1000:.3f}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
