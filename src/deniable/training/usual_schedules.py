"""Privacy losses of usual schedules of training, which the explorer's page reads off."""

import json
from importlib import resources
from typing import Any

from deniable.explorer import shorten, spread
from deniable.training.explain import DEFAULT_DELTA
from deniable.training.noisy_gradients import Phase, privacy_curve

SCHEDULES = ((0.01, 1_000), (0.01, 10_000), (0.1, 300))
"""Sampling rate and number of steps: 10 and 100 rounds through the data; 30 of large batches."""
_LEAST_NOISE, _MOST_NOISE = 0.5, 20.0
"""Ends of the noise multipliers: below nobody is protected, beyond little is learnt."""
_GAP = 2e-3  # width of a curve's advantage, as a share of it: less than a drawn line's


def training_curves() -> dict[str, Any]:
    """Noise multipliers, and for each schedule the privacy loss at δ.

    >>> curves = training_curves()
    >>> len(curves["noise"]), curves["schedules"][0]["steps"]
    (200, 1000)
    """
    place = resources.files("deniable.training").joinpath("trainings.json")
    curves: dict[str, Any] = json.loads(place.read_text("utf-8"))
    return curves


def computed_trainings() -> dict[str, Any]:
    """The same, computed: a minute of work."""
    noise, schedules = spread(_LEAST_NOISE, _MOST_NOISE), []
    for rate, steps in SCHEDULES:
        loss = [shorten(training_loss(rate, steps, each), up=True) for each in noise]
        schedules.append({"rate": rate, "steps": steps, "loss": loss})
    return {"delta": DEFAULT_DELTA, "noise": list(noise), "schedules": schedules}


def training_loss(rate: float, steps: int, noise: float) -> float:
    """The privacy loss that is passed with the default δ at most, rounded up."""
    return privacy_curve([Phase(noise, rate, steps)], gap=_GAP).loss(DEFAULT_DELTA).upper


if __name__ == "__main__":
    print(json.dumps(computed_trainings(), separators=(",", ":")))
