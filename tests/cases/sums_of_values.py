"""Random tables of sums with hidden cells, and what references in fractions say of them.

Run as a program: ``python -m tests.cases.sums_of_values 1000`` counts differences.
"""

import itertools
import random
import sys
from fractions import Fraction

import attrs
import polars

from deniable.rules import judge_values
from tests.oracles import values as oracle

SHAPES = {
    "flat": [("r",), ()],
    "two-way": [("r", "c"), ("r",), ("c",), ()],
    "nested": [("g", "r", "c"), ("g", "c"), ("g", "r"), ("g",), ("c",), ()],
    "crossed": [("r", "c", "z"), ("r",), ("c",), ("z",), ("r", "c"), ("c", "z"), ("r", "z")],
}
"""The columns of cells, then those of totals."""


class Case:
    """A table with margins, some numbers hidden, and the values behind it."""

    def __init__(self, seed: int, *, small: bool, shapes=("flat", "two-way", "nested")) -> None:
        draw = random.Random(seed)
        self.shape = draw.choice(list(shapes))
        self.base, *totals = SHAPES[self.shape]
        sides = [["a", "b"], ["c", "d", "e"][: draw.randint(1, 3)], ["f", "g"]]
        if self.shape == "nested":
            columns = ["c", "d"][: 1 if small else 2]
            keys = [(r[0], r, c) for r in ("n1", "n2", "s1") for c in columns]
        else:
            keys = list(itertools.product(*sides[: len(self.base)]))
        is_crossed = self.shape == "crossed"
        if small and len(keys) > 4 and not is_crossed:
            keys = draw.sample(keys, 4)
        self.small = small
        top = 60 if not small else 2 if is_crossed else 3
        if is_crossed:
            keys = [each for each in keys if each[1] != "e"]
        self.holdings = []
        left = (0 if is_crossed else 5) if small else 12
        for each in keys:
            number = draw.randint(1, 1 if left < len(keys) else 2) if small else draw.randint(1, 3)
            left -= number
            for _ in range(number):
                who = draw.choice(["p", "q", "v", "w", "x"])
                if (each, who) in {(k, w) for k, w, *_ in self.holdings}:
                    continue
                value = draw.randint(0, top)
                bounded = small or draw.random() < 0.3
                low = draw.randint(0, value) if bounded and draw.random() < 0.4 else 0
                high = draw.randint(value, top) if bounded else None
                self.holdings.append((each, who, value, low, high))
        self.base_of_rounds = draw.choice([1, 1, 2, 3]) if small else draw.choice([1, 1, 10])
        present = {k for k, *_ in self.holdings}
        self.sums = []
        for shape in (self.base, *totals):
            for key in sorted({self.key(k, shape) for k in present}):
                members = [
                    n for n, (k, *_) in enumerate(self.holdings) if self.key(k, shape) == key
                ]
                total = sum(self.holdings[n][2] for n in members)
                hidden = draw.random() < (0.55 if shape == self.base else 0.15)
                b = self.base_of_rounds
                rounded = (total + b // 2) // b * b
                self.sums.append((key, members, "*" if hidden else rounded))
        self.coalition = draw.choice([0, 1, 1, 2])

    def key(self, keys, shape):
        """The keys of the sum of one shape that holds a cell."""
        return tuple(
            value if name in shape else "Total" for name, value in zip(self.base, keys, strict=True)
        )

    def judged(self, law=None, within=None, **more):
        """What `judge_values` says."""
        names = list(self.base)
        columns = [*names, "contributor", "value", "low", "high"]
        rows = [
            [*keys, who, str(value), str(low), "" if high is None else str(high)]
            for keys, who, value, low, high in self.holdings
        ]
        table = [[*key, str(mark)] for key, _, mark in self.sums]
        frame = lambda body, head: polars.DataFrame(body, schema=head, orient="row")  # noqa: E731
        steps = [{"round": self.base_of_rounds}] if self.base_of_rounds > 1 else []
        rules = {
            "table": [{"columns": names, "sum": "sum"}],
            "values": {"file": frame(rows, columns)},
            "rule": {"steps": steps},
            "adversary": {"coalition": self.coalition} | ({"values": law} if law else {}),
            "target": ({"within": within} if within else {}) | more,
        }
        answer = judge_values(rules, frame(table, [*names, "sum"]))
        self.totals = [each for each in answer.values if "Total" in each.cell]
        return attrs.evolve(answer, values=tuple(e for e in answer.values if "Total" not in e.cell))

    def windows(self):
        """What is shown, as members and the least and the largest sum."""
        b = self.base_of_rounds
        return [
            (members, mark if b == 1 else max(mark - b // 2, 0),
             mark if b == 1 else mark + (b - 1) // 2)
            for _, members, mark in self.sums
            if mark != "*"
        ]  # fmt: skip

    def known(self, names):
        """The holdings that attackers know."""
        return {n for n, (_, who, *_) in enumerate(self.holdings) if who in names}

    def target(self, cell, name):
        """The holding of a contributor in a cell."""
        return next(
            n
            for n, (keys, who, *_) in enumerate(self.holdings)
            if (", ".join(keys), who) == (cell, name)
        )

    def bounds(self, names, *targets):
        """The interval of a holding, or of some together, by linear programs in fractions."""
        rows = [(low, high, value) for _, _, value, low, high in self.holdings]
        return oracle.bounds(rows, self.windows(), self.known(names), list(targets))

    def closest(self, target):
        """The closest interval of a holding over all coalitions, as a share of the truth."""
        _, who, value, *_ = self.holdings[target]
        people = sorted({w for _, w, *_ in self.holdings} - {who})
        best = None
        for names in itertools.combinations(people, min(self.coalition, len(people))):
            low, high = self.bounds(names, target)
            away = value - low if high is None else min(value - low, high - value)
            key = (low != high, Fraction(away, value) if value else Fraction(10**30))
            best = key if best is None else min(best, key)
        return best


def differences(case: Case) -> int:
    """How many entries differ from linear programs: intervals, and whether they are the closest."""
    wrong = 0
    for each in case.judged().values:
        target = case.target(each.cell, each.contributors[0])
        low, high = case.bounds(each.attackers, target)
        wrong += (each.lower, each.upper) != (low, high)
        value = case.holdings[target][2]
        away = value - low if high is None else min(value - low, high - value)
        mine = (low != high, Fraction(away, value) if value else Fraction(10**30))
        wrong += mine != case.closest(target)
    return wrong


def main(number: int) -> None:
    """Count differences over random tables."""
    wrong = sum(differences(Case(seed, small=seed % 2 == 0)) for seed in range(number))
    sys.stdout.write(f"{number:,} tables, {wrong} differences\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
