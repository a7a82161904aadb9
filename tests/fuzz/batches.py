"""Random trainings with batches of their own, against a second way.

    python -m tests.fuzz.batches --settings 1000 --folder STATE

Setting n is drawn from n alone: σ of .3 to 8, T of 1 to 10,000, E of 1 to 50, δ of 10⁻² to 10⁻¹².
ε at δ is enclosed in both directions. Where records draw alone (`allocation`, `allocation-once`)
the true δ at the lower end has to be no less than asked for, and at the upper end no more. Where
they are shuffled, a trainer whose other gradients are 0 tells as much as under allocation: so much
the upper end has to allow for. The second way (`tests/unit/training/batches/densities.py`) sums
densities on even grids, and shares no line with the laws. It has to integrate to 1, or the line
says that the setting was left out. What came of each setting is one line of STATE/settings.jsonl,
so that a run that was stopped goes on where it was. `--moments N` compares every
Nth with a third way too, moments in high precision, where these need few enough digits.
"""

import argparse
import json
import math
import random
from pathlib import Path
from typing import Any

from deniable.training.batches.batched import BatchedTraining
from deniable.training.batches.curve import BatchCurve
from deniable.training.noisy_gradients.curve import Direction
from tests.unit.training.batches.densities import Densities
from tests.unit.training.batches.moments import Moments

REMOVE, ADD = Direction
WAYS = ("allocation", "allocation", "allocation-once", "shuffled", "shuffled-once")
MOST_DIGITS = 60
"""Of moments: more take minutes."""
_SURE = 2e-7
"""Error of the whole mass of a density, beyond which nothing is said."""
_AGREE = 1e-6
"""Relative error of the second way's δ: it agrees with anchors to nine digits."""
_LEAST = 1e-17
"""Absolute error of moments."""


def drawn(number: int) -> dict[str, Any]:
    """The setting of this number."""
    rng = random.Random(number)
    return {
        "way": rng.choice(WAYS),
        "sigma": math.exp(rng.uniform(math.log(0.3), math.log(8))),
        "steps": round(math.exp(rng.uniform(0, math.log(1e4)))),
        "epochs": rng.randint(1, 50),
        "delta": 10 ** -rng.uniform(2, 12),
    }


def attempt(setting: dict[str, Any], *, with_moments: bool = False) -> dict[str, Any]:
    """What came of it: "holds", "left out", or what is wrong."""
    way, sigma, epochs, delta = (setting[name] for name in ("way", "sigma", "epochs", "delta"))
    curve = BatchCurve(BatchedTraining(way, sigma, setting["steps"], epochs))
    bounds = {each: curve.epsilon(delta, each) for each in Direction}
    if way.endswith("once"):
        sigma, epochs = sigma / math.sqrt(epochs), 1
    known = way.startswith("allocation")
    second = Densities(sigma, setting["steps"], epochs)
    exact = {REMOVE: second.remove, ADD: second.add}
    wrong = "left out" if abs(second.total - 1) > _SURE else None
    for direction, bound in bounds.items() if wrong is None else ():
        at_lower = exact[direction](bound.lower)
        if known and exact[direction](bound.upper) > delta * (1 + _AGREE):
            wrong = f"{direction}: more than δ at the upper end {bound.upper}"
        if known and bound.lower > 0 and at_lower < delta * (1 - _AGREE):
            wrong = f"{direction}: less than δ at the lower end {bound.lower}"
        if not known and at_lower > curve.delta(bound.lower, direction).upper * (1 + _AGREE):
            wrong = f"{direction}: an attack passes the upper end at {bound.lower}"
    ends = {f"{each}": [bound.lower, bound.upper] for each, bound in bounds.items()}
    third = None
    if with_moments:
        most = max(bound.upper if known else bound.lower for bound in bounds.values())
        third = _third(exact, bounds, (sigma, setting["steps"], epochs, most * (1 + 1e-9)))
    wrong = wrong or (third if third not in (None, "agrees", "left out") else None)
    return {"outcome": wrong or "holds", "third": third, "epsilon": ends}


def _third(exact: dict[Any, Any], bounds: dict[Any, Any], numbers: tuple[Any, ...]) -> str:
    """Whether moments give the same δ at the lower ends."""
    try:
        moments = Moments(*numbers, MOST_DIGITS)
    except ArithmeticError:
        return "left out"
    for direction, bound in bounds.items():
        asked = moments.remove if direction is REMOVE else moments.add
        other, value = asked(bound.lower), exact[direction](bound.lower)
        if abs(other - value) > _AGREE * value + _LEAST:
            return f"{direction}: {other} by moments, {value} by densities"
    return "agrees"


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Figures of all settings, of which a page can quote."""
    held = [line for line in lines if line["outcome"] == "holds"]
    return {
        "settings": len(lines),
        "hold": len(held),
        "left out": sum(line["outcome"] == "left out" for line in lines),
        "by way": {way: sum(line["way"] == way for line in held) for way in dict.fromkeys(WAYS)},
        "third way agrees": sum(line["third"] == "agrees" for line in lines),
        "wrong": {
            line["number"]: line["outcome"]
            for line in lines
            if line["outcome"] not in ("holds", "left out")
        },
    }


def main() -> None:
    """Go on with the settings that the folder lacks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--moments", type=int, default=0, metavar="N")
    parser.add_argument("--folder", type=Path, required=True)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    log = asked.folder / "settings.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    known = {line["number"]: line for line in lines}
    for number in range(asked.first, asked.first + asked.settings):
        if number in known:
            continue
        setting = drawn(number)
        done = attempt(setting, with_moments=asked.moments > 0 and number % asked.moments == 0)
        known[number] = {"number": number, **setting, **done}
        with log.open("a") as file:
            file.write(json.dumps(known[number]) + "\n")
    figures = summary(list(known.values()))
    (asked.folder / "summary.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))
    raise SystemExit(bool(figures["wrong"]))


if __name__ == "__main__":
    main()
