"""Reasons and repairs that `judge` names, and what enumeration says of both.

Run as a program to compare many: ``python -m tests.cases.printed_reasons FIRST LAST``.
"""

import itertools
import math
import random
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np

from deniable.rules import judge
from tests.cases.printed_layouts import pandas_crosstab, random_case


class Worlds:
    """All counts of all groups, each with its weight, and what each cell rules out."""

    def __init__(self, case, zero="shown"):
        self.case, self._zero = case, zero
        sizes = list(case.sizes.values())
        self.counts = np.array(list(itertools.product(*(range(n + 1) for n in sizes))))
        p = float(case.prior)
        self.weights = np.array([
            math.prod(math.comb(n, x) * p**x * (1 - p) ** (n - x)
                      for n, x in zip(sizes, row, strict=True))
            for row in self.counts
        ])  # fmt: skip
        self.allowed = {key: self._allowed(key) for key in case.printed()}

    def _allowed(self, key):
        case, groups = self.case, list(self.case.sizes)
        if case.is_total(key) and case.total == "shown":
            return np.ones(len(self.counts), dtype=bool)
        exact = case.is_total(key) and case.total == "exact"

        def show(n):
            mark = n if exact else case.rule(n)
            return "*" if mark == 0 and self._zero == "hidden" and not exact else mark

        sums = self.counts[:, [groups.index(g) for g in case.inside(key)]].sum(axis=1)
        true = show(sum(case.counts[g] for g in case.inside(key)))
        return np.array([show(int(n)) == true for n in sums])

    def after(self, keys):
        """For each group, the bounds of its count and the belief, from some cells alone."""
        allowed = np.ones(len(self.counts), dtype=bool)
        for key in keys:
            allowed &= self.allowed[key]
        weights, counts = self.weights[allowed], self.counts[allowed]
        beliefs = (weights @ counts) / weights.sum() / list(self.case.sizes.values())
        return counts.min(axis=0), counts.max(axis=0), beliefs


def judged(seed, folder):
    """A random case, a target that is no round number, and its judgement."""
    draw = random.Random(seed)
    case = random_case(seed, total=draw.choice(["exact", "independent", "shown", "none"]))
    most = draw.choice([Fraction(57, 100), Fraction(83, 100), None])
    least = draw.choice([None, None, Fraction(7, 100)])
    target = {"max_posterior": most, "min_posterior": least}
    table, sizes = folder / "t.csv", folder / "sizes.csv"
    table.write_text(pandas_crosstab(case), "utf-8")
    sizes.write_text(case.sizes_text(), "utf-8")
    rules = case.rules(str(sizes))
    rules["target"] = {key: str(value) for key, value in target.items() if value is not None}
    return case, most, least, judge(rules, table)


def key_of(cell):
    names = cell.name.split(", ")
    return tuple(None if name == "total" else name for name in names)


def wrong_statements(seed, folder):
    """What is said of one random table and is not so."""
    case, most, least, answer = judged(seed, folder)
    if (because := answer.because) is None:
        missed = answer.is_met is False
        certain = most is least is None and answer.worst.highest.lower == 1
        return ["no reason"] if missed or certain else []
    worlds = Worlds(case)
    group = list(case.sizes).index(tuple(because.lists[0].split(", ")))
    size = because.people

    def is_reason(keys):
        low, high, beliefs = worlds.after(keys)
        if certain:
            return low[group] == size if because.is_high else high[group] == 0
        return beliefs[group] > most if because.is_high else beliefs[group] < least

    low, high, beliefs = worlds.after(worlds.allowed)
    certain = low[group] == size if because.is_high else high[group] == 0
    keys = [key_of(cell) for cell in because.cells]
    wrong = [] if is_reason(keys) else ["the numbers do not suffice"]
    low, high, beliefs = worlds.after(keys)
    if (because.interval.lower, because.interval.upper) != (low[group], high[group]):
        wrong.append(f"{because.interval}, not {low[group]} to {high[group]}")
    if abs(float(because.belief.upper) - beliefs[group]) > 1e-9:
        wrong.append(f"belief {because.belief}, not {beliefs[group]}")
    distinct = {frozenset(case.inside(key)) for key in keys}
    for fewer in range(len(distinct) if because.proof == "smallest" else 0):
        some = [keys for keys in itertools.combinations(worlds.allowed, fewer) if is_reason(keys)]
        wrong += [f"{len(keys)} numbers, but {some[0]} suffice"] if some else []
    if because.proof == "irreducible" and any(is_reason({*keys} - {key}) for key in keys):
        wrong.append("a number can be left out")
    if because.times:
        sums = [n * np.isin(list(case.sizes), case.inside(key)).all(axis=1)
                for n, key in zip(because.times, keys, strict=True)]  # fmt: skip
        if sum(sums).tolist() != [int(place == group) for place in range(len(case.sizes))]:
            wrong.append(f"the numbers do not add up: {because.times}")
    # Totals connect all groups; without them, each is a table by itself.
    alone = case.total in ("none", "shown")
    connected = [group] if alone else list(range(len(case.sizes)))
    return wrong + wrong_repair(case, most, least, because.repair, connected)


def wrong_repair(case, most, least, repair, connected):
    """Where a repair leaves more to believe than it says, or than the target."""
    if repair is None:
        return []
    changed = {key_of(cell) for cell in repair.cells}
    worlds = Worlds(case, "hidden" if repair.change == "hide zeros" else "shown")
    kept = [k for k in worlds.allowed if repair.change == "hide zeros" or k not in changed]
    beliefs = worlds.after(kept)[2][connected]
    wrong = []
    if beliefs.max() > (1 if most is None else most) or beliefs.min() < (least or 0):
        wrong.append(f"after the repair {repair.text}: {beliefs}")
    if not (repair.lowest - 1e-9 <= beliefs.min() and beliefs.max() <= repair.highest + 1e-9):
        wrong.append(f"{beliefs} is not within {repair.lowest} to {repair.highest}")
    return wrong


def main():
    """Compare the seeds from the first to before the last."""
    first, last = map(int, sys.argv[1:3])
    kinds = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            if wrong := wrong_statements(seed, Path(folder)):
                print(seed, wrong)
            because = judged(seed, Path(folder))[-1].because
            kind = because and (
                len(because.cells), because.proof, because.repair and because.repair.change
            )  # fmt: skip
            kinds[kind] = kinds.get(kind, 0) + 1
    for kind, number in sorted(kinds.items(), key=str):
        print(number, kind)


if __name__ == "__main__":
    main()
