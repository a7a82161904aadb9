"""Random small tables under usual ways of hiding further cells, by enumeration of everybody.

Run as a program: ``python -m tests.cases.suppressed_tables 1000`` counts statements that are wrong.
"""

import itertools
import math
import random
import sys
from fractions import Fraction

from deniable.rules import judge
from tests.oracles import joint_rules as oracle

HIDERS = ("smallest", "largest", "any", "all", "two more", "across")
_PRIORS = [Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(4, 5)]


def further(kind: str, counts: dict, hidden: set, tables: list[dict]) -> list[tuple[set, Fraction]]:
    """What is hidden in the end, with probabilities; counts by table number and list name."""
    result = [(set(hidden), Fraction(1))]
    for number, table in enumerate(tables):
        cells = {(number, name) for name in table["lists"]}
        own = hidden & cells
        needed = len(own) == 1 or (kind == "across" and hidden and len(own) < 2)
        if not table["secondary"] or table["total"] == "none" or not (needed or own):
            continue
        others = sorted(cells - own, key=lambda cell: (counts[cell], cell[1]))
        more = 0 if not needed else min(2 if kind == "two more" else 2 - len(own), len(others))
        if kind == "all":
            choices = [others]
        elif kind == "any":
            choices = [list(each) for each in itertools.combinations(others, more)]
        elif kind == "largest":
            choices = [others[len(others) - more :]]
        else:
            choices = [others[:more]]
        result = [
            (some | set(choice), share / len(choices))
            for some, share in result
            for choice in choices
        ]
    return result


def random_tables(seed: int) -> dict:
    draw = random.Random(seed)
    people = draw.randint(2, 5)
    tables, lists = [], {}
    for number in range(draw.choice([1, 1, 1, 2])):
        groups = draw.choice([1, 2, 2, 3, 3])
        some: dict[str, list[int]] = {}
        for person in range(people):
            some.setdefault(f"t{number}{draw.randrange(groups)}", []).append(person)
        lists |= some
        tables.append({
            "lists": list(some), "secondary": number == 0 or draw.random() < 0.5,
            "total": draw.choice(["exact", "exact", "independent", "none"]),
        })  # fmt: skip
    steps = draw.choice([
        [("hide", 1, 1)], [("hide", 1, 2)], [("hide", 2, 3)], [("hide", 1, 2), ("round", 3, "up")],
        [("barnard", Fraction(1, 4)), ("hide", 1, 2)], [("random", 3), ("hide", 1, 3)],
    ])  # fmt: skip
    low, high = sorted(draw.choices(_PRIORS, k=2))
    adversary = draw.choice(["point", "sample", "range" if people < 5 else "point"])
    population = people + draw.randint(0, 2)
    return {
        "people": people, "lists": lists, "tables": tables, "steps": steps,
        "zero": draw.choice(["shown", "shown", "hidden"]), "hider": draw.choice(HIDERS),
        "prior": None if adversary == "sample" else (low, low if adversary == "point" else high),
        "sample": (draw.randint(1, population), population) if adversary == "sample" else None,
    }  # fmt: skip


def outcomes(case: dict) -> dict[tuple, dict[frozenset, Fraction]]:
    """Of each publication: how likely each set of counted people leads to it."""
    known: dict[tuple, dict[frozenset, Fraction]] = {}
    names = [(n, name) for n, table in enumerate(case["tables"]) for name in table["lists"]]
    for size in range(case["people"] + 1):
        for members in map(frozenset, itertools.combinations(range(case["people"]), size)):
            counts = {cell: len(members & set(case["lists"][cell[1]])) for cell in names}
            places = list(names)
            for n, table in enumerate(case["tables"]):
                if table["total"] in ("independent", "exact"):
                    counts[n, "total"] = sum(counts[n, name] for name in table["lists"])
                if table["total"] == "independent":
                    places.append((n, "total"))
            laws = [oracle.law(case["steps"], case["zero"], counts[each]) for each in places]
            for marks in itertools.product(*(law.items() for law in laws)):
                output = dict(zip(places, (mark for mark, _ in marks), strict=True))
                chance = math.prod((share for _, share in marks), start=Fraction(1))
                hidden = {cell for cell in names if output[cell] == "*"}
                for some, share in further(case["hider"], counts, hidden, case["tables"]):
                    full = dict.fromkeys(some, "*")
                    for n, table in enumerate(case["tables"]):
                        if table["total"] == "exact":
                            full[n, "total"] = counts[n, "total"]
                    key = tuple(sorted((output | full).items()))
                    at = known.setdefault(key, {})
                    at[members] = at.get(members, Fraction(0)) + chance * share
    return known


def _beliefs(case: dict, likelihood: dict, person: int) -> tuple[Fraction, Fraction] | None:
    """The smallest and the largest belief in a person."""
    people = range(case["people"])
    if case["sample"] is not None:
        n, population = case["sample"]
        rest = population - case["people"]
        weights = {
            members: share * math.comb(rest, n - len(members))
            for members, share in likelihood.items()
            if 0 <= n - len(members) <= rest
        }
        total = sum(weights.values())
        if not total:
            return None
        belief = sum(w for members, w in weights.items() if person in members) / total
        return belief, belief
    low, high = case["prior"]
    beliefs = []
    for others in itertools.product(sorted({low, high}), repeat=case["people"] - 1):
        for own in {low, high}:
            priors = [*others[:person], own, *others[person:]]
            within = out = Fraction(0)
            for members, share in likelihood.items():
                weight = share * math.prod(
                    (priors[i] if i in members else 1 - priors[i] for i in people),
                    start=Fraction(1),
                )
                within, out = (
                    (within + weight, out) if person in members else (within, out + weight)
                )
            if within or out:
                beliefs.append(within / (within + out))
    return min(beliefs), max(beliefs)


def _of_others(case, likelihood) -> tuple[Fraction, Fraction]:
    """The belief about each of a sample's people whom no list names."""
    n, population = case["sample"]
    rest = population - case["people"]
    weights = {m: w * math.comb(rest, n - len(m)) for m, w in likelihood.items()}
    counted = sum(w * Fraction(n - len(m), rest) for m, w in weights.items())
    return (belief := counted / sum(weights.values())), belief


def wrong_statements(seed: int, most: int = 5) -> list[str]:
    """What `judge` says of some publications and enumeration does not."""
    case, draw = random_tables(seed), random.Random(seed)
    rules = {
        "list": [{"name": name, "members": [f"p{i}" for i in some]}
                 for name, some in case["lists"].items()],
        "table": case["tables"],
        "rule": {"steps": [toml(step) for step in case["steps"]], "zero": case["zero"]},
        "adversary": {"prior": list(case["prior"])} if case["sample"] is None
        else {"sample": {"n": case["sample"][0], "N": case["sample"][1]}},
    }  # fmt: skip
    wrong = []
    known = outcomes(case)
    for key in draw.sample(sorted(known, key=str), min(most, len(known))):
        likelihood = known[key]
        if case["sample"] is not None:
            n, population = case["sample"]
            rest = population - case["people"]
            likelihood = {m: w for m, w in likelihood.items() if 0 <= n - len(m) <= rest}
            if not likelihood:
                continue
        sources = [
            {name: mark for (place, name), mark in key if place == number}
            for number in range(len(case["tables"]))
        ]
        answer = judge(rules, *sources)
        exact = {each.evidence for each in answer.beliefs} == {"exact"}
        for each in answer.feasible:
            people = {i for name in each.cell.lists for i in case["lists"][name]}
            counts = [len(members & people) for members in likelihood]
            low, high = each.interval.lower, each.interval.upper
            if not low <= min(counts) <= max(counts) <= high or (
                exact and (low, high) != (min(counts), max(counts))
            ):
                wrong.append(f"{sources}: {each.cell.name} {low}, {high}; {sorted(set(counts))}")
        for each in answer.certain:
            some = set(case["lists"].get(each.list, ()))
            if any(some & members != (some if each.is_in else set()) for members in likelihood):
                wrong.append(f"{sources}: {each.list} certain")
        for each in answer.beliefs:
            alike = [
                i for i in range(case["people"])
                if {n for n, some in case["lists"].items() if i in some} == set(each.lists)
            ]  # fmt: skip
            low, high = (
                _beliefs(case, likelihood, alike[0]) if alike else _of_others(case, likelihood)
            )
            reported = each.lowest.lower, each.highest.upper
            if not (reported[0] <= low and high <= reported[1]) or (
                each.evidence == "exact" and reported != (low, high)
            ):
                wrong.append(f"{sources}: {each.lists} {reported}; {low}, {high}")
    return wrong


def toml(step) -> dict:
    match step:
        case ("hide", low, high):
            return {"hide": [low, high]}
        case ("round", base, halves):
            return {"round": base, "halves": halves}
        case (kind, value):
            return {kind: str(value) if kind == "barnard" else value}


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong = 0
    for seed in range(first, first + number):
        if differences := wrong_statements(seed):
            wrong += 1
            print(seed, random_tables(seed)["hider"], differences[:2])
    print(f"{number} cases, {wrong} differ")


if __name__ == "__main__":
    main()
