"""Published rows, from noisy whole numbers and public numbers only."""

import functools
from collections.abc import Iterable

from deniable.certificate.results import ResultRow
from deniable.errors import InvalidArgument
from deniable.mechanisms import Mechanism, NoisyTopK
from deniable.publish.statistics.protocol import Grouping

CONFIDENCE = 0.95
"""Coverage of each published number's half-width."""


def half_width(mechanism: Mechanism | None, step: float = 1.0) -> float:
    """Width around a noisy number that holds the exact one with 95 % probability."""
    return step * noise_width(mechanism, CONFIDENCE)


@functools.lru_cache(maxsize=256)  # a mean asks again for every group, at milliseconds each
def noise_width(mechanism: Mechanism | None, confidence: float) -> float:
    """The same in whole numbers, at any confidence."""
    if mechanism is None or isinstance(mechanism, NoisyTopK):
        raise InvalidArgument(f"Expected a noise on numbers, got {mechanism!r}.")
    return float(mechanism.half_width(confidence))


def score_width(mechanism: Mechanism | None, candidates: int, step: float = 1.0) -> float:
    """By how much no score left out beats a chosen one, with 95 % probability."""
    if not isinstance(mechanism, NoisyTopK):
        raise InvalidArgument(f"Expected a noisy selection, got {mechanism!r}.")
    return step * float(mechanism.score_gap(candidates, CONFIDENCE))


def build_rows(
    kind: str, unit: str, name: str, grouping: Grouping, values: Iterable[float], width: float
) -> list[ResultRow]:
    """One row a cell."""
    return [
        ResultRow(name, kind, None, keys, value=value, half_width_95=width, half_width_unit=unit)
        for keys, value in zip(grouping.groups(), values, strict=True)
    ]
