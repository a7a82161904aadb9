"""Random trainings with batches of their own, against a second way in high precision.

    python -m tests.fuzz.batches --settings 1000 --folder STATE

Setting n is drawn from n alone: σ of .3 to 8, T of 1 to 10,000, E of 1 to 50, δ of 10⁻² to 10⁻¹².
ε at δ is enclosed in both directions. Where records draw alone (`allocation`, `allocation-once`)
the true δ at the lower end has to be no less than asked for, and at the upper end no more. Where
they are shuffled, a trainer whose other gradients are 0 tells as much as under allocation: so much
the upper end has to allow for. The second way (`tests/unit/training/batches/moments.py`) works with
moments, and shares no line with the laws. What came of each setting is one line of
STATE/settings.jsonl, so that a run that was stopped goes on where it was.
"""

import argparse
import json
import math
import random
from pathlib import Path
from typing import Any

from deniable.mechanisms.noisy_gradients.curve import Direction
from deniable.training.batches.batched import BatchedTraining
from deniable.training.batches.curve import BatchCurve
from tests.unit.training.batches.moments import Moments

REMOVE, ADD = Direction
WAYS = ("allocation", "allocation", "allocation-once", "shuffled", "shuffled-once")
MOST_DIGITS = 400
"""Of the second way: laws close to 1 need more, and minutes; the line says that it was left out."""
_LITTLE_NOISE, _MANY_STEPS = 0.35, 100
"""With less noise in more steps an epoch's law is so skewed that its moments take minutes."""
_SLACK = 1e-17
"""Absolute error of the second way."""


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


def attempt(setting: dict[str, Any], most_digits: int = MOST_DIGITS) -> str:
    """ "holds", "left out", or what is wrong."""
    way, sigma, epochs, delta = (setting[name] for name in ("way", "sigma", "epochs", "delta"))
    curve = BatchCurve(BatchedTraining(way, sigma, setting["steps"], epochs))
    bounds = {each: curve.epsilon(delta, each) for each in Direction}
    if way.endswith("once"):
        sigma, epochs = sigma / math.sqrt(epochs), 1
    known = way.startswith("allocation")
    if sigma < _LITTLE_NOISE and setting["steps"] > _MANY_STEPS:
        return "left out"
    most = max(bound.upper if known else bound.lower for bound in bounds.values())
    try:
        second = Moments(sigma, setting["steps"], epochs, most * (1 + 1e-9), most_digits)
    except ArithmeticError:
        return "left out"
    exact = {REMOVE: second.remove, ADD: second.add}
    for direction, bound in bounds.items():
        at_lower = exact[direction](bound.lower)
        if known and exact[direction](bound.upper) > delta * (1 + 1e-7) + _SLACK:
            return f"{direction}: more than δ at the upper end {bound.upper}"
        if known and bound.lower > 0 and at_lower < delta * (1 - 1e-7) - _SLACK:
            return f"{direction}: less than δ at the lower end {bound.lower}"
        if not known and at_lower > curve.delta(bound.lower, direction).upper + _SLACK:
            return f"{direction}: an attack passes the upper end at {bound.lower}"
    return "holds"


def main() -> None:
    """Go on with the settings that the folder lacks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    log = asked.folder / "settings.jsonl"
    lines = log.read_text().splitlines() if log.exists() else []
    known = {line["number"]: line["outcome"] for line in map(json.loads, lines)}
    for number in range(asked.first, asked.first + asked.settings):
        if number in known:
            continue
        known[number] = attempt(drawn(number))
        line = {"number": number, **drawn(number), "outcome": known[number]}
        with log.open("a") as file:
            file.write(json.dumps(line) + "\n")
    wrong = {number: what for number, what in known.items() if what not in ("holds", "left out")}
    held = sum(what == "holds" for what in known.values())
    print(
        f"{len(known)} settings: {held} hold, {len(known) - held - len(wrong)} left out, {wrong=}"
    )
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
