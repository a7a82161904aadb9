"""Random long tables with marks and margins, and what enumeration says of them.

The oracle knows nothing of files: it goes through all sets of counted people, one prior for each.

Run as a program to compare many: ``python -m tests.cases.long_tables FIRST LAST``.
"""

import itertools
import random
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from deniable.rules import judge
from tests.oracles.rules import published

REGIONS, AGES, CONDITIONS = ("north", "south"), ("20-39", "40+"), ("flu", "asthma")
_MOST_PEOPLE = 7


def show(draw_mark, mark):
    """A mark as this table prints it."""
    return draw_mark if mark == "*" else str(mark)


def random_case(seed):
    """Sizes, one or two tables as rows, rules, and the constraints that the rows state."""
    draw = random.Random(seed)
    combinations = [c for c in itertools.product(REGIONS, AGES) if draw.random() < 0.8]
    combinations = combinations or [("north", "20-39")]
    sizes = {}
    for each in combinations:
        sizes[each] = draw.randint(1, 3)
        if sum(sizes.values()) > _MOST_PEOPLE:
            del sizes[each]
    people = [(c, i) for c, n in sizes.items() for i in range(n)]
    by_condition = draw.random() < 0.4
    conditions = CONDITIONS[: draw.choice([1, 2])] if by_condition else ("",)
    steps = draw.choice([
        [("hide", 1, 1)], [("hide", 1, 2)], [("hide", 1, 2), ("round", 2, "up")],
        [("round", 3, "up")], [("hide", 1, 1), ("round", 2, "down")],
    ])  # fmt: skip
    zero = draw.choice(["shown", "hidden"])
    mark = draw.choice(["<3" if ("hide", 1, 2) in steps else "c", "c", "[REDACTED]", ""])
    margin = draw.choice(["Total", "All", "Gesamt", "everybody"])
    kind = draw.choice(["none", "independent", "exact", "shown"])
    truths = {c: {p for p in people if draw.random() < 0.5} for c in conditions}
    leave_out = draw.random() < 0.5 and mark != ""

    def rule(count):
        return published(steps, zero, count) if count or zero == "shown" else {"*": Fraction(1)}

    rows, known = [], []
    for condition in conditions:
        cells = {}
        for each in sorted(sizes):
            inside = [p for p in people if p[0] == each]
            (output,) = rule(sum(p in truths[condition] for p in inside))
            cells[each] = output
            known.append((condition, inside, output, "rule"))
            if not (leave_out and output == 0):
                rows.append((*each, condition, show(mark, output)))
        if kind == "none" or (by_condition and draw.random() < 0.2):
            continue
        values = sorted({c[0] for c in sizes}), sorted({c[1] for c in sizes})
        for region, age in [*((r, None) for r in values[0]), (None, None),
                            *((None, a) for a in values[1])]:  # fmt: skip
            inside = [p for p in people if region in (None, p[0][0]) and age in (None, p[0][1])]
            count = sum(p in truths[condition] for p in inside)
            output = count
            if kind == "shown":
                groups = {p[0] for p in inside}
                output = sum(v for k, v in cells.items() if k in groups and v != "*")
            elif kind == "independent":
                (output,) = rule(count)
            rows.append((region or margin, age or margin, condition, show(mark, output)))
            if kind != "shown":
                known.append((condition, inside, output, "rule" if kind != "exact" else "exact"))
    if not any(margin in row for row in rows):
        kind = "none"
    draw.shuffle(rows)
    if len({row[2] for row in rows}) < len(conditions):
        return random_case(seed + 10**9)
    return {
        "sizes": sizes, "people": people, "conditions": conditions, "rows": rows, "mark": mark,
        "margin": margin, "kind": kind, "steps": steps, "zero": zero, "known": known, "rule": rule,
        "by_condition": by_condition, "leave_out": leave_out,
        "prior": draw.choice([Fraction(1, 2), Fraction(1, 4)]),
    }  # fmt: skip


def enumerate_beliefs(case):
    """Bounds of each cell's count and the belief about its people, by all possible memberships."""
    answer = {}
    for condition in case["conditions"]:
        known = [each for each in case["known"] if each[0] == condition]
        total, inside = Fraction(0), dict.fromkeys(case["people"], Fraction(0))
        counts = {each: set() for each in case["sizes"]}
        for bits in itertools.product((False, True), repeat=len(case["people"])):
            members = {p for p, bit in zip(case["people"], bits, strict=True) if bit}
            if any(
                output not in (case["rule"](n) if how == "rule" else {n: 1})
                for _, some, output, how in known
                for n in [sum(p in members for p in some)]
            ):
                continue
            weight = Fraction(1)
            for bit in bits:
                weight *= case["prior"] if bit else 1 - case["prior"]
            total += weight
            for person in members:
                inside[person] += weight
            for each, some in counts.items():
                some.add(sum(p[0] == each for p in members))
        for each, some in counts.items():
            name = ", ".join((*each, condition) if condition else each)
            answer[name] = min(some), max(some), inside[each, 0] / total
    return answer


def wrong_statements(seed, folder):
    """Where the judgement of one random table and enumeration differ."""
    case = random_case(seed)
    columns = ["region", "age", *(["diagnosis"] if case["by_condition"] else [])]
    lines = [[*columns, "n"]]
    for region, age, condition, text in case["rows"]:
        keys = [region, age, *([condition] if case["by_condition"] else [])]
        lines.append([*keys, text])
    table, sizes = folder / "t.csv", folder / "sizes.csv"
    table.write_text("\n".join(",".join(line) for line in lines), "utf-8")
    people = [f"{r},{a},{n}" for (r, a), n in case["sizes"].items()]
    sizes.write_text("\n".join(["region,age,size", *people]), "utf-8")
    entry = {"columns": columns, "count": "n", "total": case["kind"], "margins": case["margin"]}
    words = {"hide": lambda low, high: {"hide": [low, high]},
             "round": lambda base, halves: {"round": base, "halves": halves}}  # fmt: skip
    rules = {
        "table": [entry],
        "sizes": {"file": str(sizes)},
        "marks": {"hidden": [case["mark"]], **({"absent": "zero"} if case["leave_out"] else {})},
        "rule": {"steps": [words[k](*rest) for k, *rest in case["steps"]], "zero": case["zero"]},
        "adversary": {"prior": [str(case["prior"]), str(case["prior"])]},
    }
    answer = judge(rules, table)
    expected = enumerate_beliefs(case)
    wrong = []
    for each in answer.beliefs:
        low, high, belief = expected[each.lists[0]]
        bounds = each.as_json()["belief"]
        if not bounds["lower"] - 1e-12 <= belief <= bounds["upper"] + 1e-12:
            wrong.append(f"{seed} {each.lists}: {float(belief)} not in {bounds}")
        if bounds["evidence"] != "outward" and bounds["upper"] - bounds["lower"] > 1e-9:
            wrong.append(f"{seed} {each.lists}: {bounds} is wide")
    for each in answer.feasible:
        if len(each.cell.lists) == 1 and not each.cell.is_total:
            low, high, _ = expected[each.cell.lists[0]]
            if (each.interval.lower, each.interval.upper) != (low, high):
                wrong.append(f"{seed} {each.cell.name}: {each.interval}, not {low} to {high}")
    if len(answer.beliefs) != len(expected):
        wrong.append(f"{seed}: {len(answer.beliefs)} beliefs, not {len(expected)}")
    return wrong


def main():
    """Compare the seeds from the first to before the last."""
    first, last = map(int, sys.argv[1:3])
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            wrong += wrong_statements(seed, Path(folder))
    print("\n".join(wrong[:50]))
    print(f"{last - first} tables, {len(wrong)} differences")


if __name__ == "__main__":
    main()
