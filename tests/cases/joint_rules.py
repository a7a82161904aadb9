"""Random small tables under random rules, and what the oracle says of them.

Run as a program: ``python -m tests.cases.joint_rules 10000`` counts differences.
"""

import random
import sys
from fractions import Fraction
from pathlib import Path

import attrs

from deniable.rules import judge
from tests.oracles import joint_rules as oracle

_PRIORS = [Fraction(1, 20), Fraction(1, 5), Fraction(1, 3), Fraction(1, 2), Fraction(4, 5)]
_KEY_ROWS = {
    0: {0: Fraction(1)},
    1: {-1: Fraction(1, 4), 0: Fraction(1, 2), 1: Fraction(1, 4)},
}


@attrs.frozen
class Case:
    """Tables as published, with all that made them."""

    people: int
    steps: list
    zero: str
    lists: dict[str, list[int]]
    tables: list[dict]
    published: list[dict]
    cells: list[tuple]
    prior: tuple[Fraction, Fraction] | None
    sample: tuple[int, int] | None

    @property
    def keyed(self) -> bool:
        return any(step[0] == "cell_key" for step in self.steps)

    def rules(self, folder: Path) -> dict:
        adversary = (
            {"prior": list(self.prior)}
            if self.sample is None
            else {"sample": {"n": self.sample[0], "N": self.sample[1]}}
        )
        return {
            "list": [
                {"name": name, "members": [f"p{i}" for i in some]}
                for name, some in self.lists.items()
            ],
            "table": self.tables,
            "rule": {"steps": [toml_step(step, folder) for step in self.steps], "zero": self.zero},
            "adversary": adversary,
        }


def toml_step(step, folder: Path) -> dict:
    match step:
        case ("hide", low, high):
            return {"hide": [low, high]}
        case ("round", base, halves):
            return {"round": base, "halves": halves}
        case ("barnard", q):
            return {"barnard": str(q)}
        case ("cell_key", rows):
            lines = [f"{c},{n},{p}" for c, row in rows.items() for n, p in row.items()]
            file = folder / "p_table.csv"
            file.write_text("\n".join(["count,noise,probability", *lines]), encoding="utf-8")
            return {"cell_key": str(file)}
        case (kind, value):
            return {kind: value}


def random_case(seed: int, most_people: int = 7) -> Case:
    draw = random.Random(seed)
    people = draw.randint(2, most_people)
    steps = random_steps(draw)
    zero = draw.choice(["shown", "shown", "hidden", "merged"])
    truth = {person for person in range(people) if draw.random() < 0.5}
    lists, tables, published, cells = {}, [], [], []
    keyed = steps[0][0] == "cell_key"

    def of_rule(count: int) -> dict:
        return oracle.law(steps, zero, count)

    fixed: dict = {}
    for number in range(draw.choice([1, 2, 2, 3])):
        kind = draw.choice(["none", "independent", "exact", "shown"])
        marks, table, groups = {}, [], partition(draw, people, f"t{number}")
        for name, some in groups.items():
            counted = frozenset(some) & truth
            mark = draw_mark(draw, of_rule(len(counted)))
            mark = fixed.setdefault(counted, mark) if keyed else mark
            marks[name] = mark
            table.append(name)
            cells.append((frozenset(some), mark, of_rule))
        lists |= groups
        everybody = frozenset(i for some in groups.values() for i in some)
        counted = everybody & truth
        if kind == "exact":
            marks["total"] = len(counted)
            cells.append((everybody, len(counted), lambda count: {count: Fraction(1)}))
        elif kind == "independent":
            mark = draw_mark(draw, of_rule(len(counted)))
            marks["total"] = fixed.setdefault(counted, mark) if keyed else mark
            cells.append((everybody, marks["total"], of_rule))
        elif kind == "shown":
            marks["total"] = sum(mark for mark in marks.values() if mark != "*")
        tables.append({"lists": table, "total": kind})
        published.append(marks)
    prior, sample = None, None
    if draw.random() < 0.3:
        population = people + draw.randint(0, 4)
        size = draw.randint(len(truth), len(truth) + population - people)
        sample = size, population
    else:
        low, high = sorted(draw.choices(_PRIORS, k=2))
        prior = (low, low) if draw.random() < 0.4 else (low, high)
    return Case(people, steps, zero, lists, tables, published, cells, prior, sample)


def partition(draw, people: int, prefix: str) -> dict[str, list[int]]:
    """Disjoint lists of some of the people, most of them on one."""
    groups = draw.choice([1, 2, 2, 3])
    some: dict[str, list[int]] = {}
    for person in range(people):
        if draw.random() < 0.85:
            some.setdefault(f"{prefix}{draw.randrange(groups)}", []).append(person)
    return some or {f"{prefix}0": [0]}


def random_steps(draw) -> list:
    base = draw.choice([2, 3, 4, 5])
    if draw.random() < 0.12:
        return [("cell_key", _KEY_ROWS)]
    kinds = [
        ("hide", 1, draw.randint(1, 3)),
        ("hide", draw.randint(2, 3), draw.randint(3, 4)),
        ("round", base, draw.choice(["up", "down", "even"])),
        ("round_down", base),
        ("midpoint", base),
        ("top", draw.randint(1, 4)),
        ("random", base),
        ("barnard", Fraction(1, 4)),
        ("barnard", Fraction(2, 5)),
    ]
    return draw.sample(kinds, draw.choice([1, 1, 2, 2, 3]))


def draw_mark(draw, marks: dict):
    return draw.choices(list(marks), weights=[float(p) for p in marks.values()])[0]


def differences(case: Case, folder: Path) -> list[str]:
    """What the package and the oracle say differently; nothing where all agrees."""
    answer = judge(case.rules(folder), *case.published)
    likelihood = oracle.likelihoods(case.people, case.cells, case.keyed)
    if case.sample is not None:
        likelihood = oracle.sampled(case.people, likelihood, *case.sample)
    wrong = []
    for each in answer.feasible:
        chosen = frozenset(i for name in each.cell.lists for i in case.lists[name])
        interval = each.interval.lower, each.interval.upper
        if interval != oracle.counts(chosen, likelihood):
            wrong.append(f"feasible {each.cell.name}")
    certain = {each.list: each.is_in for each in answer.certain if each.list in case.lists}
    for name, some in case.lists.items():
        low, high = oracle.counts(frozenset(some), likelihood)
        expected = True if low == len(some) else False if high == 0 else None
        if certain.get(name) is not expected:
            wrong.append(f"certain {name}")
    known = (
        not case.keyed
        or len({chosen for chosen, _, of in case.cells if of.__name__ == "of_rule"}) == 1
        or oracle.keys_are_independent(
            case.people, {chosen for chosen, _, of in case.cells if of.__name__ == "of_rule"}
        )
    )
    if not known:
        return wrong
    if case.sample is not None:
        weights = oracle.beliefs_of_weights(case.people, likelihood)
        beliefs = [(belief, belief) for belief in weights]
        size, population = case.sample
        if others := population - case.people:  # people whom no case lists
            rest = (size - sum(weights)) / others
            beliefs.append((rest, rest))
    else:
        beliefs = oracle.beliefs_of_independent(case.people, likelihood, *case.prior)
    if case.sample is not None:
        people = sum(each.people for each in answer.beliefs)
        wrong += [] if people == case.sample[1] else [f"{people} people have beliefs"]
    for each in answer.beliefs:
        person = next(
            i
            for i in range(len(beliefs))
            if {n for n, some in case.lists.items() if i in some} == set(each.lists)
        )
        low, high = beliefs[person]
        if each.evidence != "exact" or (each.lowest.lower, each.highest.upper) != (low, high):
            wrong.append(
                f"belief {each.lists}: {each.lowest.lower}, {low}; {each.highest.upper}, {high}"
            )
    return wrong


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong = 0
    for seed in range(first, first + number):
        if found := differences(random_case(seed), Path("/tmp")):
            wrong += 1
            print(seed, found)
    print(f"{number} cases, {wrong} differ")


if __name__ == "__main__":
    main()
