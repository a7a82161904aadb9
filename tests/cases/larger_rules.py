"""Larger nested tables, whose beliefs are enclosed, and the truth in whole numbers.

Run as a program: ``python -m tests.cases.larger_rules 10000`` counts misses; a second number is
the seed to begin with, so that a long run can be done in pieces.
"""

import random
import sys
from fractions import Fraction

from deniable.numerics.rounding import directed
from deniable.rules import judge
from tests.oracles import joint_rules as oracle

_WIDEST = Fraction(1, 10**12)
"""What an enclosure may be wide: a float has three digits more."""


def misses(seed: int) -> tuple[list[str], int]:
    """Cells whose belief is not enclosed, or widely; and how many beliefs are no exact fraction."""
    draw = random.Random(seed)
    # A prior of six hundred digits: fractions would be too long, so that balls are used.
    prior = Fraction(draw.randrange(2 * 10**599, 8 * 10**599), 10**600)
    number = draw.randint(3, 4)
    base = draw.choice([7, 8, 9])
    steps = [("hide", 1, draw.randint(3, 7)), ("round", base, "up")]
    sizes = [draw.randint(20, 300) for _ in range(number)]
    counts = [sum(draw.random() < prior for _ in range(size)) for size in sizes]

    def mark(count):
        return next(iter(oracle.law(steps, "shown", count)))

    def possible(shown, most):
        return {x: 1 for x in range(most + 1) if mark(x) == shown}

    names = [f"c{i}" for i in range(number)]
    rules = {
        "list": [{"name": name, "size": n} for name, n in zip(names, sizes, strict=True)],
        "table": [{"lists": names, "total": "independent"}],
        "rule": {"steps": [{"hide": [1, steps[0][2]]}, {"round": base}]},
        "adversary": {"prior": [prior] * 2},
    }
    marks = list(map(mark, counts))
    total = mark(sum(counts))
    answer = judge(rules, dict(zip(names, marks, strict=True)) | {"total": total})
    cells = [(n, possible(y, n)) for n, y in zip(sizes, marks, strict=True)]
    truth = oracle.nested_belief(cells, possible(total, sum(sizes)), prior)
    wrong = []
    for each, belief in zip(answer.beliefs, truth, strict=True):
        with directed() as r:
            if each.evidence == "exact":
                inside = each.highest.upper == belief
            else:
                ball = each.highest.upper
                inside = bool((ball - r(belief)).overlaps(r(0))) and ball.rad() < r(_WIDEST)
        if not inside:
            wrong.append(f"{each.lists}: {each.evidence}")
    return wrong, sum(each.evidence == "enclosed" for each in answer.beliefs)


def main() -> None:
    """Count cases with a miss."""
    number, first = (*map(int, sys.argv[1:3]), *(10_000, 0)[len(sys.argv[1:3]) :])
    answers = {seed: misses(seed) for seed in range(first, first + number)}
    missed = {seed: wrong for seed, (wrong, _) in answers.items() if wrong}
    exact = sum(not enclosed for _, enclosed in answers.values())
    print(
        f"{number} cases from {first}, {len(missed)} with a miss, {exact} in fractions alone",
        dict(list(missed.items())[:5]),
    )


if __name__ == "__main__":
    main()
