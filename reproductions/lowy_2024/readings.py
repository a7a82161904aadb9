"""Numbers of the text under every reading that we can think of."""

from collections.abc import Iterator

import attrs
import numpy as np

from deniable.analysis.population.pairwise import pairwise_bounds
from deniable.analysis.population.sensitivity import largest_change
from deniable.mechanisms import Gaussian
from reproductions.lowy_2024.median import ONE_PLUS_C, TWO_C, Median
from reproductions.lowy_2024.noisy_mean import normal
from reproductions.lowy_2024.settings import DELTA, RESTRICTED, Settings

COLUMNS = (1, 2, 5, 10, 20)


@attrs.frozen
class Reading:
    """A number under one reading, over many parent sets."""

    number: str
    columns: int
    clip: float
    outlier: bool
    by: str
    mean: float
    low: float
    high: float


def figure_1_readings(settings: Settings) -> Iterator[Reading]:
    """ε at σ = 1 and ε(X) = 10, by dimension, C and Δ."""
    for columns in COLUMNS:
        for clip in (5.0, 10.0):
            sets = [
                Median.drawn(draw, columns=columns, clip=clip) for draw in range(settings.readings)
            ]
            for by in (ONE_PLUS_C, TWO_C):
                values = [each.worst_case(RESTRICTED, by) for each in sets]
                yield _reading("Figure 1: ε", columns, clip, False, by, values)


def figure_2_readings(settings: Settings) -> Iterator[Reading]:
    """ε̃/ε and ε̃/ε(X) at C = 50 and ε(X) = 10, by dimension, outlier and ε(X)."""
    for columns in COLUMNS:
        for outlier in (True, False):
            sets = [
                Median.drawn(draw, columns=columns, clip=50.0, outlier=outlier)
                for draw in range(settings.replicates)
            ]
            population = np.array([each.population(RESTRICTED) for each in sets])
            below = {
                "ε": [each.worst_case(RESTRICTED, ONE_PLUS_C) for each in sets],
                "ε(X) by sensitivity": [RESTRICTED] * len(sets),
                "ε(X) exact": [each.adjacent(RESTRICTED) for each in sets],
            }
            for by, against in below.items():
                ratios = (population / against).tolist()
                yield _reading("Figure 2: ratio", columns, 50.0, outlier, by, ratios)


def figure_4_readings(settings: Settings) -> Iterator[Reading]:
    """Proposition 12 at ε(X) = 10: the worst record's, a typical one's, with an outlier."""
    for columns in COLUMNS:
        for clip in (0.0, 10.0, 50.0):
            records = normal(settings.large, columns)
            if clip:
                records[0] *= clip / np.linalg.norm(records[0])
            total = Gaussian.for_approx_dp(RESTRICTED, DELTA, largest_change(records)).scale
            each = pairwise_bounds(records, settings.large, total, DELTA, progress=_silent)
            by = {"worst": np.max, "median": np.median}
            for name, chosen in by.items():
                value = float(chosen(each))
                yield Reading(
                    "Figure 4: Proposition 12", columns, clip, clip > 0, name, value, value, value
                )


def _silent(_: float) -> None:
    """No progress."""


def _reading(
    number: str, columns: int, clip: float, outlier: bool, by: str, values: list[float]
) -> Reading:
    low, high = np.quantile(values, [0.1, 0.9])
    mean = float(np.mean(values))
    return Reading(number, columns, clip, outlier, by, mean, float(low), float(high))
