"""The smallest w = e^ε at which a hockey-stick divergence meets δ, enclosed.

The divergence is convex and decreasing in w. One evaluation at any v gives a lower bound by the
tangent P(A) − w·Q(A) >= δ; an upper bound is a w whose enclosure was seen to lie below δ.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.population.real_sums.densities import Law
from deniable.population.real_sums.hockey_stick import HockeyStick, hockey_stick

_LARGEST = 34.0
"""Beyond e^34 the rounding of q times w exceeds every δ."""
_STEPS = 60
"""Newton's iteration inside a bracket of length 34 halves it at worst: 2^−60."""
_CLOSE = 1e-8
"""Relative step at which the guess is good enough; what is claimed does not rest on it."""
_ROUNDS = 12
"""Brackets computed for one end at most; two or three are usual."""
_TANGENTS = 2
"""Further tangents where the two targets differ, so that the lower bound follows its own."""
_NOISE = 1e-13
"""Density that rounding of w·q may show, as a share of w."""


@attrs.frozen
class Deltas:
    """δ that the lower bound must exceed and δ that the upper bound must keep to.

    They differ where the noise analysed is not quite the noise released.
    """

    exceed: float
    keep: float


def smallest_weights(
    first: Law, second: Law, deltas: Deltas, floor: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of the least w >= 1 at which both directions meet the target; a row each.

    Rows that meet it at `floor` >= 1 get the interval [1, floor]; an upper bound may be infinite.
    """
    rows = len(first.values)
    lower, upper = np.ones(rows), np.full(rows, floor)
    for p, q in ((first, second), (second, first)):
        open_rows = np.flatnonzero(np.isfinite(upper))
        p, q = p.rows(open_rows), q.rows(open_rows)
        seen = hockey_stick(p, q, upper[open_rows])
        failing = seen.upper > deltas.keep
        worse = open_rows[failing]
        if worse.size:
            p, q = p.rows(failing), q.rows(failing)
            start = _near_root(p, q, deltas.keep, upper[worse])
            bounds = _enclose(p, q, deltas, start)
            lower[worse] = np.maximum(lower[worse], bounds[0])
            upper[worse] = np.maximum(upper[worse], bounds[1])
    return lower, upper


def _near_root(p: Law, q: Law, delta: float, floor: NDArray[np.float64]) -> NDArray[np.float64]:
    """Newton on ln(divergence/δ) as a function of ε, kept inside a bracket; sums over points."""
    low, high = np.log(floor), np.full(len(floor), _LARGEST)
    result, active = low.copy(), np.arange(len(floor))
    for _ in range(_STEPS):
        above, mass = _sums(p.rows(active), q.rows(active), np.exp(result[active]))
        too_small = above > delta
        low[active] = np.where(too_small, result[active], low[active])
        high[active] = np.where(too_small, high[active], result[active])
        with np.errstate(divide="ignore", invalid="ignore"):
            # d ln D/dε = −e^ε Q(A)/D, so ε + ln(D/δ) D/(e^ε Q(A)).
            step = np.log(above / delta) * above / (np.exp(result[active]) * mass)
        moved = result[active] + step
        inside = (moved > low[active]) & (moved < high[active])
        moved = np.where(inside, moved, (low[active] + high[active]) / 2)
        going = np.abs(moved - result[active]) > _CLOSE * (1 + moved)
        result[active] = moved
        active = active[going]
        if not active.size:
            break
    return np.exp(result)


def _sums(
    p: Law, q: Law, weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    difference = p.values[:, 1:] - weight[:, np.newaxis] * q.values[:, 1:]
    # Rounding of q, w times, must not look like a divergence.
    positive = difference > _NOISE * weight[:, np.newaxis]
    above = np.einsum("ij,ij->i", difference, positive)
    return p.spacing * above, p.spacing * np.einsum("ij,ij->i", q.values[:, 1:], positive)


def _enclose(
    p: Law, q: Law, deltas: Deltas, weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    lower, upper = np.ones(len(weight)), np.full(len(weight), np.inf)
    active = np.flatnonzero(weight < math.exp(_LARGEST) * 0.99)
    # lower: max of v + (D_lower(v) − δ)/Q(A). upper: the least v with D_upper(v) <= δ. The next v
    # lies a little above the lower bound.
    for attempt in range(_ROUNDS):
        if not active.size:
            break
        at = weight[active]
        divergence = hockey_stick(p.rows(active), q.rows(active), at)
        step = _tangent(divergence, deltas.exceed)
        lower[active] = np.maximum(lower[active], at + step)
        kept = divergence.upper <= deltas.keep
        upper[active] = np.where(kept, np.minimum(upper[active], at), upper[active])
        pad = _pad(divergence, deltas, step, at) * (1.0 if attempt < 3 else 4.0 ** (attempt - 2))
        following = np.maximum(lower[active], np.where(kept, 1.0, at)) + pad
        better = upper[active] - following > (upper[active] - lower[active]) / 2
        weight[active] = following
        active = active[np.where(np.isfinite(upper[active]), better, following < 1e14)]
    for _ in range(_TANGENTS if deltas.exceed > deltas.keep else 0):
        step = _tangent(hockey_stick(p, q, lower), deltas.exceed)
        lower = np.maximum(lower, lower + np.nan_to_num(step))
    return np.minimum(lower, upper), upper


def _tangent(divergence: HockeyStick, delta: float) -> NDArray[np.float64]:
    # (D_lower − δ)/Q(A): a positive excess over the largest Q(A), a negative one over the least.
    excess = divergence.lower - delta
    mass = np.where(excess > 0, divergence.mass_upper, divergence.mass_lower)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(excess == 0, 0.0, excess / mass)


def _pad(
    divergence: HockeyStick, deltas: Deltas, step: NDArray[np.float64], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How far above the lower bound an upper bound can be hoped for."""
    unknown = 1.1 * (divergence.upper - divergence.lower) + (deltas.exceed - deltas.keep)
    with np.errstate(divide="ignore", invalid="ignore"):
        wide = np.where(divergence.mass_lower > 0, unknown / divergence.mass_lower, at)
    return np.minimum(wide + 0.02 * np.abs(step), at) + 1e-11 * at
