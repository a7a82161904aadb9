"""How fine a lattice the curve of a schedule needs, and that curve."""

import math
from collections.abc import Iterable

import numpy as np

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.learning.curve import EnclosedCurve
from deniable.learning.sums import LONGEST
from deniable.notions.training import Phase

_COARSEST = 0.2
"""Share of a loss beside which a cell is coarse, however wide a gap is asked for."""
_MANY = 1000
"""Steps from which on a loss of the schedule is made of many: of fewer, each counts in detail."""
_FINE = 0.01
"""Share of a loss that is fine enough for a single step; some thousand cells."""
_REFINED = 6
"""Times that the lattice is made finer, by half each: each costs twice as much."""


def privacy_curve(schedule: Iterable[Phase], *, gap: float = 1e-3) -> EnclosedCurve:
    """The curve of a schedule of Poisson-subsampled Gaussians, add-or-remove adjacency.

    Parameters
    ----------
    schedule : iterable of Phase
        What was, or will be, trained; the order does not matter.
    gap : float
        How wide the advantage may be enclosed, as a share of it; other numbers follow suit. It
        is met unless that would take a lattice of more than four million points.

    Raises
    ------
    InvalidArgument
        If the schedule is empty, or `gap` is not in (0, 1).

    Examples
    --------
    >>> advantage = privacy_curve([Phase(1.0251, 0.002, 10_000)]).advantage()
    >>> round(advantage.lower, 3), round(advantage.upper, 3)
    (0.1, 0.1)
    """
    wanted = _validate.open_probability(gap, "gap")
    phases = merged(schedule)
    times = sum(phase.steps for phase in phases)
    share = min(2 * math.sqrt(wanted), _COARSEST)
    share = max(share * min(math.sqrt(times / _MANY), 1.0), min(share, _FINE))
    width = _width(phases, share)
    best: EnclosedCurve | None = None
    for _ in range(_REFINED):
        curve = EnclosedCurve(phases, width, share)
        bound = curve.advantage()
        best = curve
        if bound.upper - bound.lower <= wanted * bound.lower or curve.longest() >= LONGEST // 2:
            break
        width, share = width / 2, share / 2
    assert best is not None
    return best


def merged(schedule: Iterable[Phase]) -> tuple[Phase, ...]:
    """The schedule with the steps of equal phases added up."""
    steps: dict[tuple[float, float], int] = {}
    for phase in schedule:
        if not isinstance(phase, Phase):
            raise InvalidArgument(f"Expected a schedule of phases, got {type(phase).__name__}.")
        key = (phase.noise_multiplier, phase.sample_rate)
        steps[key] = steps.get(key, 0) + phase.steps
    if not steps:
        raise InvalidArgument("Expected a schedule of at least one phase, got none.")
    return tuple(Phase(sigma, q, times) for (sigma, q), times in steps.items())


def _width(phases: Iterable[Phase], share: float) -> float:
    """About `share` standard deviations of a usual step's loss, and exact times any place."""
    squares = total = 0.0
    for phase in phases:
        squares += phase.steps * _usual_square(phase)
        total += phase.steps
    mantissa, exponent = math.frexp(share * math.sqrt(squares / total))
    return math.ldexp(math.floor(mantissa * 16), exponent - 4)


def _usual_square(phase: Phase) -> float:
    """About the mean square of a step's loss, half way between the two laws."""
    x = phase.noise_multiplier * np.linspace(-9, 9, 721)
    x = np.concatenate([x, x + 1.0])
    sigma, q = phase.noise_multiplier, phase.sample_rate
    with np.errstate(divide="ignore"):
        rest = np.log1p(-q) if q < 1 else -np.inf
    loss = np.logaddexp(rest, math.log(q) + (2 * x - 1) / (2 * sigma**2))
    weights = np.exp(-(x**2) / (2 * sigma**2) + loss / 2)
    return float(weights @ loss**2 / weights.sum())
