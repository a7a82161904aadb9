"""Random rules for `repair`, and by enumeration in fractions what its options let one believe.

Run as a program: ``python -m tests.cases.repaired_rules 1000`` counts verdicts that are wrong.
"""

import itertools
import math
import random
import sys
from fractions import Fraction

import attrs

from deniable.rules import CellKey, Rule, judge, repair
from deniable.rules.book.change import ListedPeople
from deniable.rules.files import CountedTable, RulesFile
from deniable.rules.steps import Barnardise, Hide, Midpoint, Noise, RandomRound, Round, Top
from deniable.rules.worlds import Priors, Sample

_PRIORS = [Fraction(1, 20), Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)]
_TARGETS = [Fraction(11, 20), Fraction(7, 10), Fraction(4, 5), Fraction(19, 20)]
_UNSURE = {0: {0: Fraction(1, 2), 1: Fraction(1, 2)}, 1: {0: Fraction(3, 4), 1: Fraction(1, 4)}}
_SURE = {1: {-1: Fraction(1, 4), 0: Fraction(1, 2), 1: Fraction(1, 4)}}


def random_steps(draw) -> tuple:
    kinds = [
        (Hide(1, draw.randint(1, 3)),),
        (Hide(2, 3), Top(3)),
        (Round(draw.choice([2, 3, 4]), draw.choice(["up", "down", "even"])),),
        (Hide(1, draw.randint(1, 2)), Round(3)),
        (Midpoint(draw.choice([2, 3])),),
        (Top(draw.randint(1, 3)),),
        (RandomRound(2),),
        (Barnardise(Fraction(1, 4)),),
        (Noise({-1: Fraction(1, 3), 1: Fraction(2, 3)}),),
        (CellKey(_SURE),),
        (CellKey(_UNSURE),),
        (CellKey(_UNSURE), Top(1)),
        (CellKey(_UNSURE), Hide(0, 1)),
    ]
    return draw.choice(kinds)


def random_rules(seed: int) -> RulesFile:
    """Disjoint lists, some of them nested or published in a second table."""
    draw = random.Random(seed)
    lists = [ListedPeople(f"l{i}", draw.randint(1, 4)) for i in range(draw.randint(1, 3))]
    if len(lists) > 2 and draw.random() < 0.3:
        size = lists[0].size + lists[1].size
        lists.append(ListedPeople("both", size, parts=(lists[0].name, lists[1].name)))
    names = [each.name for each in lists[:3]]
    cut = draw.randint(1, len(names))
    groups = [names[:cut], names[cut:]] if draw.random() < 0.5 else [names]
    if lists[-1].name == "both":
        groups = draw.choice([[["both"], [names[2]]], [["both", names[2]]], [["both"]]])
    kinds = ["none", "none", "shown", "independent", "exact"]
    tables = tuple(
        CountedTable(f"t{i}", tuple(group), draw.choice(kinds), draw.random() < 0.15)
        for i, group in enumerate(groups)
        if group
    )
    people = sum(each.size for each in lists if not each.parts)
    if draw.random() < 0.5:
        population = people + draw.choice([0, 0, 1, 3])
        who = Sample(draw.randint(1, population), population)
    else:
        low, high = sorted(draw.choices(_PRIORS, k=2))
        who = Priors(low, low) if draw.random() < 0.6 else Priors(low, high)
    least = Fraction(1, 10) if draw.random() < 0.2 else None
    delta = Fraction(1, 20) if draw.random() < 0.2 and who.is_point else None
    rule = Rule(random_steps(draw), draw.choice(["shown", "hidden", "merged"]))
    return RulesFile(tuple(lists), tables, rule, None, who, draw.choice(_TARGETS), least, delta)


def changed(rules: RulesFile, option) -> RulesFile:
    """The rules that an option means, built from its words."""
    tables = rules.tables
    if option.tables != "as they are":
        tables = tuple(
            attrs.evolve(each, total="none" if each.total == "none" else "shown",
                         secondary=each.secondary and "no further" not in option.tables)
            for each in tables
        )  # fmt: skip
    if option.tables == "first table only":
        tables = tables[:1]
    lists = {each.name: each for each in rules.lists}
    if option.merged > 1:
        merged = []
        for table in tables:
            names = []
            for start in range(0, len(table.lists), option.merged):
                parts = table.lists[start : start + option.merged]
                name = parts[0] if len(parts) == 1 else " and ".join(parts)
                size = sum(lists[part].size for part in parts)
                if len(parts) > 1:
                    lists[name] = ListedPeople(name, size, parts=parts)
                names.append(name)
            merged.append(attrs.evolve(table, lists=tuple(names)))
        tables = tuple(merged)
    return attrs.evolve(rules, rule=option.rule, tables=tables, lists=tuple(lists.values()))


def outputs(rules: RulesFile) -> dict[tuple, tuple]:
    """Of each joint output of disjoint lists without totals: likelihoods of counts, and counts."""
    lists = {each.name: each for each in rules.lists}
    sizes = [lists[name].size for table in rules.tables for name in table.lists]
    keyed = any(isinstance(step, CellKey) for step in rules.rule.steps)
    known: dict[tuple, dict[tuple, Fraction]] = {}
    for counts in itertools.product(*(range(size + 1) for size in sizes)):
        empty = [place for place, x in enumerate(counts) if x == 0] if keyed else []
        laws = [rules.rule.publish(x) for x in counts]
        single = [place for place in range(len(counts)) if place not in empty[1:]]
        for marks in itertools.product(*(laws[place].items() for place in single)):
            output = dict(zip(single, marks, strict=True))
            full = tuple(
                (output[empty[0]] if place in empty else output[place])[0]
                for place in range(len(counts))
            )
            share = math.prod((chance for _, chance in marks), start=Fraction(1))
            at = known.setdefault(full, {})
            at[counts] = at.get(counts, Fraction(0)) + share
    return sizes, known


def binomial(people: list[Fraction]) -> list[Fraction]:
    law = [Fraction(1)]
    for prior in people:
        law = [
            (law[x] if x < len(law) else 0) * (1 - prior) + (law[x - 1] * prior if x else 0)
            for x in range(len(law) + 1)
        ]
    return law


def beliefs(rules: RulesFile) -> list[tuple[tuple, int, Fraction, Fraction, Fraction, Fraction]]:
    """Of each output, list and vertex of priors: belief at the upper and the lower prior of a
    member, and the chance of the output given that a member is in, and given out. Of a sample the
    last place is that of everybody in no table."""
    who, (sizes, known) = rules.adversary, outputs(rules)
    entries = []
    if isinstance(who, Sample):
        rest = who.population - sum(sizes)
        for output, likelihood in known.items():
            law = {
                x: math.comb(rest, who.size - sum(x)) * math.prod(map(math.comb, sizes, x)) * share
                for x, share in likelihood.items()
                if 0 <= who.size - sum(x) <= rest
            }
            total, every = sum(law.values()), math.comb(who.population, who.size)
            for place, size in enumerate([*sizes, rest]):  # at last everybody who is in no table
                counts = ((*x, who.size - sum(x))[place] for x in law)
                shares = zip(counts, law.values(), strict=True)
                if total and size:
                    within = sum(weight * Fraction(count, size) for count, weight in shares)
                    out = (total - within) / every
                    given_in = within / every / who.low
                    given_out = out / (1 - who.low) if who.low < 1 else Fraction(0)
                    belief = within / total
                    entries.append((output, place, belief, belief, given_in, given_out))
        return entries
    a, b = who.low, who.high
    vertices = itertools.product(*(range(n + 1) if a < b else [0] for n in sizes))
    for vertex in vertices:
        for place, size in enumerate(sizes):
            if vertex[place] == size and a < b:
                continue  # the target is none of the others
            laws = [
                binomial([b] * j + [a] * (n - (i == place) - j))
                for i, (n, j) in enumerate(zip(sizes, vertex, strict=True))
            ]
            for output, likelihood in known.items():
                within = out = Fraction(0)
                for x, share in likelihood.items():
                    others = math.prod(
                        (laws[i][c] for i, c in enumerate(x) if i != place), start=Fraction(1)
                    )
                    if x[place]:
                        within += share * others * laws[place][x[place] - 1]
                    if x[place] < size:
                        out += share * others * laws[place][x[place]]
                if within or out:
                    high = b * within / (b * within + (1 - b) * out)
                    low = a * within / (a * within + (1 - a) * out)
                    entries.append((output, place, high, low, within, out))
    return entries


def wrong_verdicts(seed: int, most: int = 6) -> list[str]:
    """What enumeration and `judge` say differently of some options of a random case."""
    rules, draw = random_rules(seed), random.Random(seed)
    wrong = []
    options = [each for each in repair(rules).options if each.noise is None]
    first = [each for each in options if each.change in ("none", "merge", "zero")]
    for option in first + draw.sample(options, min(most, len(options))):
        case = changed(rules, option)
        joined = any(t.total in ("independent", "exact") or (t.secondary and len(t.lists) > 1)
                     for t in case.tables)  # fmt: skip
        if joined:
            if option.is_met is not None:
                wrong.append(f"{option.text}, {option.tables}: decided")
            continue
        entries = beliefs(case)
        high, low = max(each[2] for each in entries), min(each[3] for each in entries)
        most_, least = rules.max_posterior, rules.min_posterior
        if rules.delta is None:
            truth = high <= most_ and (least is None or low >= least)
            if not (option.lowest <= low and high <= option.highest):
                wrong.append(f"{option.text}: {option.lowest}, {option.highest}; {low}, {high}")
        else:
            places = {each[1] for each in entries}
            truth = all(
                sum(e[4] for e in entries if e[1] == p and e[2] > most_) <= rules.delta
                and (least is None
                     or sum(e[5] for e in entries if e[1] == p and e[3] < least) <= rules.delta)
                for p in places
            )  # fmt: skip
        if option.is_met not in (None, truth):
            wrong.append(f"{option.text}: {option.is_met}, truth {truth}")
        if option.is_met and rules.delta is None:
            marks = sorted({each[0] for each in entries}, key=str)
            tried = draw.sample(marks, min(4, len(marks)))
            wrong += [f"judge {option.text}: {o}" for o in tried if not _judged(case, o).is_met]
    return wrong


def _judged(rules: RulesFile, output: tuple):
    marks, tables = iter(output), []
    for table in rules.tables:
        cells = {name: next(marks) for name in table.lists}
        if table.total == "shown":
            cells["total"] = sum(mark for mark in cells.values() if mark != "*")
        tables.append(cells)
    return judge(rules, *tables)


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong = 0
    for seed in range(first, first + number):
        if differences := wrong_verdicts(seed):
            wrong += 1
            print(seed, differences[:3])
    print(f"{number} cases, {wrong} differ")


if __name__ == "__main__":
    main()
