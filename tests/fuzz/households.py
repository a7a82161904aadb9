"""Random households and releases against what the bounds say: `python -m tests.fuzz.households`.

    python -m tests.fuzz.households --cases 100000 --folder STATE

Case n is drawn from n alone: a class of joint laws (any tie, odds ratio, difference, intra-class
correlation, also at its ends), up to four members, the person in question, and two releases, of
which the second depends on what the first said. Each path of outputs, each set of known members
and both directions are enumerated in fractions. The claim is the bound at the ε that the path adds
up to. A block of cases is one line of STATE/blocks.jsonl, so that a run that was stopped goes on
where it was.
"""

import argparse
import json
import math
import random
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from deniable.correlation import Households, household_epsilon
from deniable.numerics.rounding import directed, lower, upper
from tests.oracles import households as oracle

BLOCK = 500
MOST = 4
"""Members of a household."""
NEAR = 1 - 1e-5
"""The share of a bound, as a loss, from which on it counts as attained."""


def above(number: Fraction) -> float:
    """The least float that is no less."""
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)


def logarithm(number: Fraction, *, up: bool) -> float:
    with directed() as r:
        return (upper if up else lower)(r.log(r(number)))


@lru_cache(maxsize=4096)
def claim(spent: Fraction, households: Households) -> float:
    return household_epsilon(logarithm(spent, up=True), households)


def households_of(size: int, tie: oracle.Tie) -> Households:
    name, number = tie
    return Households(size, **({} if number is None else {name: min(above(number), 1e300)}))


def attempt(number: int) -> tuple[str, int, int, float]:
    """The class and size of a case, how many paths there were, and the largest share of a claim."""
    rng = random.Random(number)
    model, size = oracle.MODELS[number % 4], rng.randint(1, MOST)
    member = rng.randrange(size)
    law, tie = oracle.draw(rng, model, size, member)
    households, share, n_paths = households_of(size, tie), 0.0, 0
    for spent, release in oracle.paths(rng, size):
        n_paths += 1
        worst = logarithm(oracle.revealed(law, size, member, release), up=False)
        bound = claim(spent, households)
        share = max(share, worst / bound if worst <= bound else math.inf)
    return model, size, n_paths, share


def block(number: int) -> dict[str, Any]:
    """What came of a block of cases."""
    wrong, paths, shares = [], 0, {}
    for case in range(number * BLOCK, (number + 1) * BLOCK):
        model, size, n_paths, share = attempt(case)
        paths += n_paths
        if share > 1:
            wrong.append(case)
            continue
        name = f"{model}, {size}"
        shares[name] = max(shares.get(name, 0.0), share)
    return {"block": number, "cases": BLOCK, "paths": paths, "wrong": wrong, "shares": shares}


def main() -> None:
    """Go on with the blocks that the folder lacks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, required=True)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    log = asked.folder / "blocks.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    known = {line["block"]: line for line in lines}
    for number in range(-(-asked.cases // BLOCK)):
        if number not in known:
            known[number] = block(number)
            with log.open("a") as file:
                file.write(json.dumps(known[number]) + "\n")
    wrong = [case for line in known.values() for case in line["wrong"]]
    cases, paths = (sum(line[key] for line in known.values()) for key in ("cases", "paths"))
    print(f"{cases:,} cases, {paths:,} paths of outputs, {len(wrong)} above a bound: {wrong[:20]}")
    for name in sorted({name for line in known.values() for name in line["shares"]}):
        share = max(line["shares"].get(name, 0.0) for line in known.values())
        print(f"{name}: at most {share:.6f} of the bound")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
