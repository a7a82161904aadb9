"""How fine a lattice the curve of a schedule needs, and that curve."""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms.noisy_gradients.curve import EnclosedCurve, group_phases
from deniable.mechanisms.noisy_gradients.sums import LONGEST
from deniable.notions.training import Phase

_COARSEST = 0.2
"""Share of a loss beside which a cell is coarse, however wide a gap is asked for."""
_MANY = 1000
"""Steps from which on a loss of the schedule is made of many: of fewer, each counts in detail."""
_FINE = 0.01
"""Share of a loss that is fine enough for a single step; some thousand cells."""
_REFINED = 6
"""Times that the lattice is made finer, by half each: each costs twice as much."""
_FIRST = LONGEST // 4
"""Points of the first lattice, at most: few steps with heavy tails would take billions."""
_FAR, _PLACES = 12.0, 2.0**50
"""A step's loss is below (1/σ + 12)², and its place on the lattice a whole number of 64 bits."""
_BETTER = 0.8
"""A bound that keeps more of its width than this on a finer lattice is not tried on another."""
_NOISE = (1e-3, 1e6)
"""Noise multipliers: with less a step hides nothing, with more floats cannot tell it from none."""
_MOST_STEPS = 10**10
"""Steps of a schedule: 10^9 are years, and by then counted errors leave little to be said."""
MOST_KINDS = 10_000
"""Pairs of noise and sample rate: two seconds of grouping, and as many as a certificate holds."""

_REMEMBERED = 8
"""Curves kept for the next question about the same training; some 10 MiB each at most as a rule."""

_BEYOND = "No curve is computed beyond."


def privacy_curve(schedule: Iterable[Phase], *, gap: float = 1e-3) -> EnclosedCurve:
    """The curve of a schedule of Poisson-subsampled Gaussians, add-or-remove adjacency.

    Parameters
    ----------
    schedule : iterable of Phase
        What was, or will be, trained; the order does not matter.
    gap : float
        How wide the advantage may be enclosed, as a share of it; other numbers follow suit. It
        is met unless that would take a lattice of more than a million points.

    Raises
    ------
    InvalidArgument
        If the schedule is empty, a number of it is out of reach, or `gap` is not in (0, 1).

    Examples
    --------
    >>> advantage = privacy_curve([Phase(1.0251, 0.002, 10_000)]).advantage()
    >>> round(advantage.lower, 3), round(advantage.upper, 3)
    (0.1, 0.1)
    """
    wanted = validate.open_probability(gap, "gap")
    return _enclose(merge_phases(schedule), wanted)


@functools.lru_cache(maxsize=_REMEMBERED)
def _enclose(phases: tuple[Phase, ...], wanted: float) -> EnclosedCurve:
    """The curve on the first lattice that is fine enough."""
    times = sum(phase.steps for phase in phases)
    share = min(2 * math.sqrt(wanted), _COARSEST)
    share = max(share * min(math.sqrt(times / _MANY), 1.0), min(share, _FINE))
    width = _width(group_phases(phases, worse=True), share)
    if (points := EnclosedCurve(phases, width, share).reach()) > _FIRST:
        width *= 2.0 ** math.ceil(math.log2(points / _FIRST))
    before = math.inf
    for _ in range(_REFINED):
        curve = EnclosedCurve(phases, width, share)
        bound = curve.advantage()
        wide = bound.upper - bound.lower
        if wide <= wanted * bound.lower or wide > _BETTER * before:
            break
        if curve.longest() >= LONGEST // 2:
            break
        before, width, share = wide, width / 2, share / 2
    return curve


def merge_phases(schedule: Iterable[Phase]) -> tuple[Phase, ...]:
    """The schedule with the steps of equal phases added up, within reach of a curve.

    Raises
    ------
    InvalidArgument
        If it is empty, or a number of it is out of reach.
    """
    steps: dict[tuple[float, float], int] = {}
    for phase in schedule:
        if not isinstance(phase, Phase):
            raise InvalidArgument(f"Expected a schedule of phases, got {type(phase).__name__}.")
        key = (phase.noise_multiplier, phase.sample_rate)
        steps[key] = steps.get(key, 0) + phase.steps
    if not steps:
        raise InvalidArgument("Expected a schedule of at least one phase, got none.")
    _check_reach(steps)
    return tuple(Phase(sigma, q, times) for (sigma, q), times in steps.items())


def _check_reach(steps: Mapping[tuple[float, float], int]) -> None:
    least, most = _NOISE
    for sigma, _ in steps:
        if not least <= sigma <= most:
            raise InvalidArgument(
                f"Expected noise multipliers from {least:g} to {most:g}, got {sigma:g}. {_BEYOND}"
            )
    if (total := sum(steps.values())) > _MOST_STEPS:
        raise InvalidArgument(
            f"Expected at most {_MOST_STEPS:.0e} steps in all, got "
            f"{validate.format_value(total)}. {_BEYOND}"
        )
    if len(steps) > MOST_KINDS:
        raise InvalidArgument(
            f"Expected at most {MOST_KINDS:,} kinds of steps, got {len(steps):,}. {_BEYOND}"
        )


def _width(phases: Sequence[Phase], share: float) -> float:
    """About `share` standard deviations of a usual step's loss, and exact times any place."""
    squares = total = 0.0
    for phase in phases:
        squares += phase.steps * _usual_square(phase)
        total += phase.steps
    farthest = max(1 / phase.noise_multiplier + _FAR for phase in phases) ** 2
    mantissa, exponent = math.frexp(max(share * math.sqrt(squares / total), farthest / _PLACES))
    return math.ldexp(math.floor(mantissa * 16), exponent - 4)


def _usual_square(phase: Phase) -> float:
    """About the mean square of a step's loss, half way between the two laws."""
    x = phase.noise_multiplier * np.linspace(-9, 9, 721)
    x = np.concatenate([x, x + 1.0])
    sigma, q = phase.noise_multiplier, phase.sample_rate
    with np.errstate(divide="ignore"):
        rest = np.log1p(-q) if q < 1 else -np.inf
    loss = np.logaddexp(rest, math.log(q) + (2 * x - 1) / (2 * sigma**2))
    exponents = -(x**2) / (2 * sigma**2) + loss / 2
    weights = np.exp(exponents - exponents.max())
    return float(weights @ loss**2 / weights.sum())
