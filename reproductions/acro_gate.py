"""Tables of ACRO's own data at the gate, each beside an enumeration, and its tables of values.

`python -m reproductions.acro_gate [--tables N]`

ACRO's repository has the nursery data as data/nursery_dataset.dta, and its tests make tables of
synthetic data, which are made here again. The nursery data are looked for in the folder acro of
$DENIABLE_DATA; without them only the tables of ACRO's tests are judged. Each table stands in a
folder with its file of rules and the sizes of its lists. Some are secretly wrong: a cell that the
rule cannot have made, true counts in a further column, a total that gives a hidden cell away.
Prints a table of verdicts; exits with 1 if a table passes that enumeration would not let pass, if
one fails that keeps to the limit, or if more than 5 % need a person.

Its charity data, test_data.dta of the same folder, are made into tables of sums. Each cell is
judged by the p % rule and by (2, 90 %) dominance, and compared with what ACRO's checks compute: the
p ratio, and the share of the two largest. A mean beside its count is a sum.
"""

import argparse
import csv
import itertools
import math
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

LIMIT = Fraction(3, 4)
MOST_UNDECIDED = 0.05
KEYS = ("parents", "has_nurs", "form", "housing", "finance", "social", "health")
RULES = (((1, 9), None), ((1, 7), 5), ((1, 4), 5), (None, 10), ((1, 9), 10), (None, 3), ((1, 7), 3))
"""What is hidden, and the base to which the rest is rounded, halves up."""
MEMBERS = (80, 300, 1000, 4000)
WRONG = {"column": (7, 57), "cell": range(3, 100, 9), "total": range(5, 100, 8)}
"""What is wrong with the tables of these numbers; a further column always needs a person."""

AMOUNTS = ("inc_grants", "inc_donations", "inc_total", "total_costs", "staff_costs", "assets")
BY = (("year",), ("grant_type",), ("year", "grant_type"), ("year", "survivor"),
      ("grant_type", "survivor"), ("year", "grant_type", "survivor"))  # fmt: skip
PERCENT, SHARE = Fraction(1, 10), Fraction(9, 10)
"""ACRO's safe_pratio_p, and its safe_nk_k of the two largest."""

Keys = tuple[str, ...]
Mark = int | str


class Table(NamedTuple):
    """A table with all that its publisher knows: how many are listed and counted in each cell."""

    columns: Keys
    listed: Mapping[Keys, int]
    counted: Mapping[Keys, int]
    rule: tuple[tuple[int, int] | None, int | None]
    total: str
    wrong: str


def main() -> None:
    """Judge all tables, and say how many were decided."""
    parser = argparse.ArgumentParser(prog="python -m reproductions.acro_gate", description=__doc__)
    parser.add_argument("--tables", type=int, default=100, help="of the nursery data")
    number = parser.parse_args().tables
    failed = report("tables of ACRO's tests", list(acro_tables()))
    folder = Path(os.environ.get("DENIABLE_DATA", "")) / "acro" / "nursery_dataset.dta"
    if folder.is_file():
        failed |= report("tables of the nursery data", list(nursery_tables(folder, number)))
    else:
        print("nursery_dataset.dta is not in the folder acro of $DENIABLE_DATA: left out")
    if (charities := folder.with_name("test_data.dta")).is_file():
        failed |= compare_values(charities)
    else:
        print("test_data.dta is not there: no tables of values")
    sys.exit(int(failed))


def compare_values(path: Path) -> bool:
    """Judge sums of the charity data, print how verdicts compare, and say whether any is amiss."""
    import pyreadstat

    frame, _ = pyreadstat.read_dta(os.fspath(path))
    records: list[dict[str, Any]] = frame.to_dict("records")
    outcomes: Counter[tuple[str, str, str]] = Counter()
    for columns, amount in itertools.product(BY, AMOUNTS):
        cells: dict[str, list[tuple[int, int]]] = {}
        for number, each in enumerate(records):
            keys, value = [each[name] for name in columns], each[amount]
            if "" not in keys and not any(part != part for part in (*keys, value)) and value >= 0:
                cells.setdefault(", ".join(map(str, keys)), []).append((number, int(value)))
        for rule, step, alarms in (
            ("p %", f"{{ p_percent = {float(PERCENT)} }}", p_ratio_is_low),
            ("(2, 90 %)", f"{{ dominance = [2, {float(SHARE)}] }}", two_dominate),
        ):
            close = cells_too_close(columns, cells, step)
            for cell, parts in cells.items():
                values = sorted((value for _, value in parts), reverse=True)
                theirs = "flags" if alarms(values) else "passes"
                ours = "flags" if cell in close else "passes"
                outcomes[rule, theirs + ("" if values[0] else " zeros"), ours] += 1
    print(f"cells of {len(BY) * len(AMOUNTS)} tables of values, by two rules")
    for (rule, theirs, ours), times in sorted(outcomes.items()):
        print(f"  {rule:<10} ACRO {theirs:<13}  deniable {ours:<7} {times}")
    # A sum of 0 says that every value is 0; of it ACRO's share is no number.
    return any(theirs.split()[0] != ours for _, theirs, ours in outcomes if "zeros" not in theirs)


def p_ratio_is_low(values: Sequence[int]) -> bool:
    """Whether all but the two largest are less than a share of the largest; ACRO's check."""
    return sum(values[2:]) < PERCENT * values[0] or not values[0]


def two_dominate(values: Sequence[int]) -> bool:
    """Whether the two largest have a share of the sum; ACRO's check, which flags no sum of 0."""
    return bool(values[0]) and sum(values[:2]) >= SHARE * sum(values)


def cells_too_close(
    columns: Keys, cells: Mapping[str, Sequence[tuple[int, int]]], step: str
) -> set[str]:
    """Return the cells whose sum bounds a value too closely, as `judge_values` has it."""
    from deniable.rules import judge_values

    with tempfile.TemporaryDirectory() as name:
        folder, names = Path(name), ", ".join(f'"{column}"' for column in columns)
        listed = [
            [*cell.split(", "), f"charity {number}", value]
            for cell, parts in cells.items()
            for number, value in parts
        ]
        sums = [[*cell.split(", "), sum(v for _, v in parts)] for cell, parts in cells.items()]
        write(folder / "values.csv", [*columns, "contributor", "value"], listed)
        write(folder / "t.csv", [*columns, "total_of_values"], sums)
        (folder / "rules.toml").write_text(
            f'[[table]]\ncolumns = [{names}]\nsum = "total_of_values"\n'
            f'[values]\nfile = "values.csv"\n[rule]\nsteps = [{step}]\n',
            encoding="utf-8",
        )
        judged = judge_values(folder / "rules.toml", folder / "t.csv")
    return {each.cell for each in judged.values if each.verdict != "kept"}


def report(name: str, tables: Sequence[Table]) -> bool:
    """Judge tables, print the figures, and say whether they are bad."""
    outcomes = Counter(judged(each) for each in tables)
    print(f"{name}: {len(tables)}")
    for (verdict, truth), times in sorted(outcomes.items()):
        print(f"  the gate says {verdict:<6}  enumeration says {truth:<6}  {times}")
    wrong = sum(n for (verdict, truth), n in outcomes.items() if verdict not in (truth, "person"))
    undecided = sum(n for (verdict, _), n in outcomes.items() if verdict == "person")
    print(f"  decided without a person: {len(tables) - undecided}; wrongly: {wrong}")
    return bool(wrong) or undecided > MOST_UNDECIDED * len(tables)


def acro_tables() -> Iterator[Table]:
    """Yield tables of the data of ACRO's tests, by one to four columns, raw and suppressed.

    Of four columns with the values A, B and C each combination has 11 records, and 5 if all but the
    second are C. Tables count those whose further columns are C; safe ones leave out C of the
    first.
    """
    columns = tuple(f"indvar{number}" for number in range(1, 5))
    records = [
        each
        for each in itertools.product("ABC", repeat=4)
        for _ in range(5 if each[0] == each[2] == each[3] == "C" else 11)
    ]
    for kept, is_safe in itertools.product(range(1, 5), (True, False)):
        some = [each for each in records if not (is_safe and each[0] == "C")]
        listed = Counter(each[:kept] for each in some)
        counted = Counter(each[:kept] for each in some if set(each[kept:]) <= {"C"})
        for wrong in ("cell", ""):
            yield Table(columns[:kept], listed, counted, ((1, 9), None), "none", wrong)


def nursery_tables(path: Path, number: int) -> Iterator[Table]:
    """Yield tables of random parts of the nursery data, under several rules."""
    import pyreadstat

    frame, _ = pyreadstat.read_dta(os.fspath(path))
    records: list[dict[str, Any]] = frame.astype(str).to_dict("records")
    draw = random.Random(20261129)
    outcomes = sorted({each["recommend"] for each in records})
    for place in range(number):
        some = draw.sample(records, draw.choice(MEMBERS))
        columns = tuple(draw.sample(KEYS, draw.choice([1, 1, 2, 3])))
        wanted = draw.choice(outcomes)
        listed = Counter(tuple(each[name] for name in columns) for each in some)
        counted = Counter(
            tuple(each[name] for name in columns) for each in some if each["recommend"] == wanted
        )
        wrong = next((kind for kind, places in WRONG.items() if place % 100 in places), "")
        is_total = wrong == "total" or (len(columns) == 1 and draw.random() < 0.5)
        total = "none" if not is_total else draw.choice(["exact", "independent"])
        total = "exact" if wrong == "total" else total
        yield Table(columns, listed, counted, draw.choice(RULES), total, wrong)


def published(count: int, rule: tuple[tuple[int, int] | None, int | None]) -> Mark:
    """What a rule makes of a count."""
    hide, base = rule
    if hide is not None and hide[0] <= count <= hide[1]:
        return "*"
    return count if base is None else (2 * count + base) // (2 * base) * base


def marks_of(table: Table) -> tuple[dict[Keys, Mark], Mark | None]:
    """What is printed, the mistake included, and the total."""
    marks = {keys: published(table.counted.get(keys, 0), table.rule) for keys in table.listed}
    if table.wrong == "cell":
        for keys in marks:  # the first cell that the rule changes keeps its count
            count = table.counted.get(keys, 0)
            if marks[keys] != count:
                marks[keys] = count
                break
    everybody = sum(table.counted.values())
    totals = {"none": None, "exact": everybody, "independent": published(everybody, table.rule)}
    return marks, totals[table.total]


def judged(table: Table) -> tuple[str, str]:
    """Return the gate's verdict, and enumeration's."""
    import deniable

    marks, total = marks_of(table)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        header = [*table.columns, "n"] + (["true"] if table.wrong == "column" else [])
        rows = [
            [*keys, mark] + ([table.counted.get(keys, 0)] if table.wrong == "column" else [])
            for keys, mark in marks.items()
        ]
        if total is not None:
            everybody = [sum(table.counted.values())] if table.wrong == "column" else []
            rows.append([*("Total" for _ in table.columns), total, *everybody])
        write(folder / "t.csv", header, rows)
        write(
            folder / "sizes.csv",
            [*table.columns, "size"],
            [[*keys, size] for keys, size in table.listed.items()],
        )
        (folder / "rules.toml").write_text(rules_of(table), encoding="utf-8")
        verdict = deniable.gate(folder, max_posterior=str(LIMIT)).verdict
    belief = worst_belief(table, marks, total)
    truth = "fail" if belief is None or belief > LIMIT or table.wrong == "column" else "pass"
    return verdict, truth


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def rules_of(table: Table) -> str:
    """The file of rules."""
    hide, base = table.rule
    steps = [f"{{ hide = [{hide[0]}, {hide[1]}] }}"] if hide else []
    steps += [f"{{ round = {base} }}"] if base else []
    names = ", ".join(f'"{name}"' for name in table.columns)
    return (
        '[sizes]\nfile = "sizes.csv"\n'
        f'[[table]]\nname = "t"\ncolumns = [{names}]\ncount = "n"\ntotal = "{table.total}"\n'
        f"[rule]\nsteps = [{', '.join(steps)}]\n[adversary]\nprior = [0.5, 0.5]\n"
    )


def worst_belief(table: Table, marks: Mapping[Keys, Mark], total: Mark | None) -> Fraction | None:
    """The largest belief in one person, who was ½ before; None where no counts give these marks."""
    windows = []
    for keys, size in table.listed.items():
        ways = {
            count: math.comb(size, count)
            for count in range(size + 1)
            if published(count, table.rule) == marks[keys]
        }
        windows.append((size, ways))
    worst = Fraction(0)
    for place, (size, ways) in enumerate(windows):
        rest = {0: 1}
        for other, (_, more) in enumerate(windows):
            if other != place and total is not None:
                rest = convolved(rest, more)
            elif other != place and not more:
                return None
        inside = whole = 0
        for count, weight in ways.items():
            for others, times in rest.items():
                if total is None or total == (
                    count + others
                    if table.total == "exact"
                    else published(count + others, table.rule)
                ):
                    whole += weight * times
                    inside += count * weight * times
        if not whole:
            return None
        worst = max(worst, Fraction(inside, size * whole))
    return worst


def convolved(first: Mapping[int, int], second: Mapping[int, int]) -> dict[int, int]:
    """How often each sum of two counts comes about."""
    sums: Counter[int] = Counter()
    for one, ways in first.items():
        for other, more in second.items():
            sums[one + other] += ways * more
    return sums


if __name__ == "__main__":
    main()
