"""Certified curves of usual trainings: how much each noise multiplier gives away.

The numbers stand in trainings.json, which
``python -m deniable.publish.explorer.trainings`` writes anew.
"""

import json
from importlib import resources
from typing import Any

from deniable.mechanisms.noisy_gradients import privacy_curve
from deniable.publish.explorer.certified import shorten, spread
from deniable.training.explain import DEFAULT_DELTA
from deniable.training.history import read_history

SCHEDULES = ((0.01, 1_000), (0.01, 10_000), (0.1, 300))
"""Sampling rate and number of steps: 10 and 100 rounds through the data; 30 of large batches."""
_LEAST_NOISE, _MOST_NOISE = 0.5, 20.0
"""Ends of the noise multipliers: below nobody is protected, beyond little is learnt."""
_GAP = 2e-3
"""Width of a curve's advantage, as a share of it: less than a drawn line's."""


def training_curves() -> dict[str, Any]:
    """Noise multipliers, and for each schedule the privacy loss at δ.

    Examples
    --------
    >>> curves = training_curves()
    >>> len(curves["noise"]), curves["schedules"][0]["steps"]
    (200, 1000)
    """
    place = resources.files("deniable.publish.explorer").joinpath("trainings.json")
    curves: dict[str, Any] = json.loads(place.read_text("utf-8"))
    return curves


def computed_trainings() -> dict[str, Any]:
    """The same, computed: a minute of work."""
    noise = spread(_LEAST_NOISE, _MOST_NOISE)
    return {
        "delta": DEFAULT_DELTA,
        "noise": list(noise),
        "schedules": [_schedule(rate, steps, noise) for rate, steps in SCHEDULES],
    }


def training_loss(rate: float, steps: int, noise: float) -> float:
    """The privacy loss that is passed with the usual δ at most, rounded up."""
    curve = privacy_curve(read_history([(noise, rate, steps)]), gap=_GAP)
    return curve.loss(DEFAULT_DELTA).upper


def _schedule(rate: float, steps: int, noise: tuple[float, ...]) -> dict[str, Any]:
    loss = shorten((training_loss(rate, steps, each) for each in noise), up=True)
    return {"rate": rate, "steps": steps, "loss": loss}


if __name__ == "__main__":
    print(json.dumps(computed_trainings(), separators=(",", ":")))
