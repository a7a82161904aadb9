"""Random pairs of tables about almost the same people, judged jointly and by enumeration.

By hand, with the first seed and how many pairs: ``python -m tests.cases.edition_pairs 0 200``.
"""

import itertools
import random
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import deniable
from deniable.rules import book
from tests.oracles import editions

_RULES = [
    (None, None), ((1, 2), None), ((1, 3), None), (None, 2), (None, 3), (None, 5), ((1, 2), 3),
    ((1, 2), 5), ((1, 3), 2),
]  # fmt: skip


def rules_of(rule):
    """A rule as a file of rules has it."""
    hide, base = rule
    steps = [*([{"hide": list(hide)}] if hide else []), *([{"round": base}] if base else [])]
    return {"steps": steps or [{"round": 1}]}


def pair(seed):
    """The numbers of one pair: lists, changes, rules, totals, priors and both tables."""
    draw = random.Random(seed)
    has_range = draw.random() < 0.3
    cells = 1 if has_range else draw.choice([1, 2, 2])
    sizes = [draw.randint(2, 4 if has_range or cells == 2 else 7) for _ in range(cells)]
    changes = [
        draw.choice([{"left": 1, "joined": 1}, {"joined": 1}, {"left": 1}, {"at_most": 1},
                     {"at_most": 2}, {"left": 0, "joined": 0}])
        for _ in sizes
    ]  # fmt: skip
    if has_range:
        changes = [each if each != {"at_most": 2} else {"at_most": 1} for each in changes]
    rules = draw.choice(_RULES), draw.choice(_RULES)
    totals = tuple(
        draw.choice(["none", "exact", "independent"]) if cells == 2 else "none" for _ in range(2)
    )
    low = draw.choice([Fraction(1, 2), Fraction(1, 4), Fraction(1, 10)])
    priors = (low, draw.choice([Fraction(1, 2), Fraction(3, 4)])) if has_range else (low, low)
    known = draw.random() < 0.5
    ways = [editions.options(size, change) for size, change in zip(sizes, changes, strict=True)]
    truth = [draw.choice(each) for each in ways]
    after = [stayed + joined if known else None for stayed, _, joined in truth]
    ways = [
        editions.options(size, change, new)
        for size, change, new in zip(sizes, changes, after, strict=True)
    ]
    counts = [[draw.randint(0, number) for number in each] for each in truth]
    tables = [
        editions.printed([s + (j if e else g) for s, g, j in counts], rules[e], totals[e])
        for e in range(2)
    ]
    return sizes, changes, after, ways, rules, totals, priors, tables


def judged(numbers, file=None):
    """What the package says of the pair, in one file of rules or with a book."""
    sizes, changes, after, _, rules, totals, priors, tables = numbers
    first = [{"name": f"c{i}", "size": size} for i, size in enumerate(sizes)]
    names = "c" if file else "d"  # with a book, lists keep their names
    later = [
        {"name": f"{names}{i}", "follows": f"c{i}", "change": change}
        | ({"size": after[i]} if after[i] else {})
        for i, change in enumerate(changes)
    ]
    both = [
        {
            "name": f"t{e}",
            "lists": [each["name"] for each in lists],
            "total": totals[e],
            "rule": rules_of(rules[e]),
        }
        for e, lists in enumerate((first, later))
    ]
    sources = [
        dict(zip([*(each["name"] for each in lists), "total"], table, strict=False))
        for lists, table in zip((first, later), tables, strict=True)
    ]
    feared = {"rule": rules_of(rules[1]), "adversary": {"prior": list(priors)}}
    if file is None:
        return deniable.rules.judge({"list": first + later, "table": both, **feared}, *sources)
    book.new(file)
    old = {"list": first, "table": both[:1], "rule": rules_of(rules[0])}
    book.add(file, old, sources[0], name="first", published="2024-01-31")
    return deniable.rules.judge({"list": later, "table": both[1:], **feared}, sources[1], book=file)


def compare(seed, file=None):
    """Compare one pair; the number of beliefs, of revealed ones, and of those not exact."""
    numbers = pair(seed)
    _, changes, _, ways, rules, totals, priors, tables = numbers
    answer = judged(numbers, file)
    every = list(itertools.product(*ways))
    truth = editions.beliefs(every, rules, totals, tables, priors)
    answers = {}
    for each in answer.editions:
        cell = next(i for i in range(len(changes)) if f"{i}" in each.list)
        answers[cell, each.role] = each
    assert set(answers) == set(truth), seed
    loose = 0
    for who, (low, high) in truth.items():
        lowest, highest = answers[who].belief.lowest, answers[who].belief.highest
        if answers[who].belief.evidence == "exact":
            assert (lowest.lower, highest.upper) == (low, high), (seed, who, low, high)
            is_revealed = low == 0 or high == 1
            assert (answers[who].verdict == "revealed") == is_revealed, (seed, who)
        else:
            loose += 1
            assert lowest.lower <= low, (seed, who)
            assert high <= highest.upper, (seed, who)
            if low == 0 or high == 1:
                assert answers[who].verdict in ("revealed", "undecided"), seed
    if file is not None:
        _check_decision(seed, answer, truth, every, numbers)
    revealed = sum(low == 0 or high == 1 for low, high in truth.values())
    return len(truth), revealed, loose


def _check_decision(seed, answer, truth, every, numbers):
    """Whether it refuses what adds a revelation, and nothing is added without the named cells."""
    _, changes, _, _, rules, totals, priors, tables = numbers
    before = editions.beliefs(every, rules, totals, (tables[0], None), priors)

    def adds(beliefs):
        return any(
            (low == 0 and low < before[who][0]) or (high == 1 and high > before[who][1])
            for who, (low, high) in beliefs.items()
        )

    if adds(truth):
        assert answer.is_refused, seed
    elif all(each.belief.evidence == "exact" for each in answer.editions):
        # A belief is refused for the side that moves where the other is revealed already.
        moved = any(
            (low == 0 or high == 1) and (low < before[who][0] or high > before[who][1])
            for who, (low, high) in truth.items()
        )
        assert answer.is_refused == moved, seed
    if answer.hide:
        names = [*(f"c{i}" for i in range(len(changes))), "total"]
        hidden = {each.name for each in answer.hide}
        places = [i for i, name in enumerate(names[: len(tables[1])]) if name not in hidden]
        seen = range(len(tables[0])), places
        assert not adds(editions.beliefs(every, rules, totals, tables, priors, seen)), seed


if __name__ == "__main__":
    first, number = map(int, sys.argv[1:])
    beliefs = revealed = loose = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + number):
            a, b, c = compare(seed, Path(folder) / f"{seed}.book" if seed % 2 else None)
            beliefs, revealed, loose = beliefs + a, revealed + b, loose + c
    print(f"{number} pairs: {beliefs} beliefs, {revealed} revealed, {loose} not exact")
