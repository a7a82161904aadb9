r"""sup \|ln(p_in/p_out)\| under Laplace noise: tails exactly, the inside between grid points.

In units of the scale, e^t p(t) = E e^(t − |t−S|) increases to E e^S and e^(−t) p(t) decreases from
E e^(−S), for both laws. So between grid points a < b

.. math:: \frac{p(t)}{q(t)} \le \min\Big\{\frac{e^b p(b)}{e^a q(a)},
                                       \frac{e^{-a} p(a)}{e^{-b} q(b)}\Big\},

and beyond any a the first with the limits in the target of b: where both densities fall like the
noise the bound is sharp however coarse the grid.
"""

import contextlib
import math

import numpy as np

from deniable.numerics.bound import pair_bounds
from deniable.numerics.effort import OutOfTime, check, late
from deniable.population.question import Floats, Ints
from deniable.population.real_sums.atoms import pure_bounds, subset_atoms
from deniable.population.real_sums.problem import Kernel, Population, Problem, TiltedKernel
from deniable.population.real_sums.subset_sums import chunks, nodes, transforms
from deniable.population.real_sums.tilt import (
    OVERLAP,
    Piece,
    exponential_tilt,
    join_pieces,
    log_bases,
    piece,
)

_POINT = Kernel(50.0)  # A kernel so wide that nothing but θ = 0 counts
_GRIDS = ((1 / 8, 1 / 16), (1 / 64, 1 / 64), (1 / 256, 1 / 128))
"""Spacing and smoothing, in units of the scale, from coarse to fine."""
SMALL = 1e-2  # The ε̃ below which a relative gap is taken of this instead
_CELLS = 1 << 21
"""Grid points of all records that are held at once, in several arrays: some hundred megabytes."""
_MOST_POINTS = 1 << 21  # Grid points of one record; finer grids on a wider range are not tried


def pure_laplace_epsilons(problem: Problem, targets: Ints, *, worst: bool) -> tuple[Floats, Floats]:
    """Enclosures at the targets; what the time limit cuts off keeps the noise's own bound."""
    upper = problem.noise_alone(targets)
    lower = np.zeros(len(targets))
    with contextlib.suppress(OutOfTime):
        if _list_sums(problem, targets, lower, upper):
            return pair_bounds(lower, upper)
        tails = {sign: _limits(problem.population, targets, sign) for sign in (-1, 1)}
        for (p_low, p_high), (q_low, q_high) in tails.values():  # at most |ln(p/q)| in the limit
            here = np.maximum(np.maximum(p_low - q_high, q_low - p_high), 0.0)
            np.maximum(lower, here, out=lower)
        for fineness in _GRIDS:
            wide = upper - lower > problem.effort.gap / 10 * np.maximum(lower, SMALL)
            if worst:
                wide &= upper > lower.max() * (1 + problem.effort.gap / 10)
            rough = np.flatnonzero(wide)
            if not rough.size or late():
                break
            _scan(problem, targets, rough, tails, fineness, lower, upper)
    return pair_bounds(lower, upper)


def _list_sums(problem: Problem, targets: Ints, lower: Floats, upper: Floats) -> bool:
    """Narrow the ends by listing all sums, where they are few enough."""
    for i, target in enumerate(targets):
        laws = subset_atoms(
            problem.values, problem.counts, problem.size, int(target), problem.noise.scale
        )
        if laws is None:
            return False
        exact = pure_bounds(*laws)
        lower[i], upper[i] = max(lower[i], exact[0]), min(upper[i], exact[1])
        problem.effort.progress((i + 1) / len(targets))
        if late():
            break
    return True


def _limits(population: Population, targets: Ints, sign: int) -> Floats:
    """ln lim e^(±t) p(t) of both laws, in and out, ends of each; shape (2, 2, n_targets)."""
    # lim e^(±t)p(t) = ½ E e^(±S): the transform at θ = 0 under the tilt λ = ±1.
    tilted, log_odds = exponential_tilt(population, float(sign))
    scale = tilted.typical_chance()
    point = nodes(tilted, _POINT, 1.0, scale)
    sums = [
        transforms(tilted, point, each, (scale, scale)) for each in chunks(tilted, point, targets)
    ]
    bases = log_bases(tilted, log_odds, float(sign), targets)
    limits = []
    for law in range(2):
        value = np.concatenate([each[law][:, 0].real for each in sums])
        with np.errstate(divide="ignore"):
            low = np.log(np.maximum(value - point.errors, 0.0))
            high = np.log(np.maximum(value, 0.0) + point.errors)
        base = bases[law] + math.log(scale / 2)
        limits.append((low + base - bases[2], high + base + bases[2]))
    return np.array(limits)


def _tilts(population: Population) -> list[float]:
    """Tilts whose bulks overlap, from one tail's to the other's; increasing."""
    tilts = [0.0]
    # From λ = 0 outwards by as much as moves the middle by some standard deviations, d mean/dλ
    # being the variance, up to where the tail's own formula holds.
    for sign in (-1.0, 1.0):
        last = exponential_tilt(population, sign)[0].centre_and_spread()[1]
        end, tilt, more = 1 - min(1.0, 3 / max(last, 1e-300)), 0.0, []
        while tilt < end:
            spread = exponential_tilt(population, sign * tilt)[0].centre_and_spread()[1]
            tilt = min(tilt + OVERLAP * math.hypot(spread, 1.0) / max(spread**2, 1e-9), end)
            more.append(sign * tilt)
        tilts = sorted(tilts + more)
    return tilts


def _scan(
    problem: Problem,
    targets: Ints,
    rough: Ints,
    tails: dict[int, Floats],
    fineness: tuple[float, float],
    lower: Floats,
    upper: Floats,
) -> None:
    """Narrow the ends of the rough targets by pieces of the densities at one fineness."""
    (spacing, smoothing), population = fineness, problem.population
    tilts = _tilts(population)
    reach = sum(
        abs(exponential_tilt(population, end)[0].centre_and_spread()[0]) for end in (-1.0, 1.0)
    )
    points = int(reach / spacing) + 1000
    if points > _MOST_POINTS:
        return
    many = max(1, _CELLS // points)
    for i in range(0, len(rough), many):
        part = rough[i : i + many]
        pieces: list[Piece] = []
        for tilt in tilts:
            check()
            pieces.append(piece(population, targets[part], TiltedKernel(tilt, smoothing), spacing))
        bounds = _supremum(pieces, {s: tails[s][:, :, part] for s in tails}, spacing)
        lower[part] = np.maximum(lower[part], bounds[0])
        upper[part] = np.minimum(upper[part], np.maximum(bounds[1], lower[part]))
        problem.effort.progress((i + len(part)) / len(rough))


def _supremum(
    pieces: list[Piece], tails: dict[int, Floats], spacing: float
) -> tuple[Floats, Floats]:
    """Ends of sup |ln(p/q)| over the line, from pieces that overlap."""
    first = min(each.first for each in pieces)
    last = max(each.first + each.inside[0].shape[1] for each in pieces) - 1
    t = spacing * np.arange(first, last + 1)
    p, q = (join_pieces(pieces, law, first, last) for law in (0, 1))
    lower = upper = np.zeros(len(p[0]))
    for mine, other, swap in ((p, q, False), (q, p, True)):
        with np.errstate(invalid="ignore"):
            # Any point gives a lower bound, ln p_low − ln q_high.
            points = np.nan_to_num(mine[0] - other[1], nan=-np.inf, posinf=-np.inf)
        lower = np.maximum(lower, points.max(axis=1))
        # Upper bound of sup ln(mine/other), from mine's upper and the other's lower bounds.
        high, low = mine[1], other[0]
        limit = {s: each[int(swap), 1][:, np.newaxis] for s, each in tails.items()}
        with np.errstate(invalid="ignore"):
            # On (a, b) <= ln(e^b p(b)) − ln(e^a q(a)), and <= ln(e^(−a) p(a)) − ln(e^(−b) q(b)).
            rising = np.concatenate([high[:, 1:] + t[1:], limit[1]], axis=1) - (low + t)
            falling = np.concatenate([limit[-1], high[:, :-1] - t[:-1]], axis=1) - (low - t)
        rising, falling = np.nan_to_num(rising, nan=np.inf), np.nan_to_num(falling, nan=np.inf)
        inner = np.minimum(rising[:, :-1], falling[:, 1:])
        # Beyond any a: <= ln lim e^t p − ln(e^a q(a)), the least over all a so far; likewise left.
        right = np.minimum.accumulate(limit[1] - low - t, axis=1)
        left = np.minimum.accumulate((limit[-1] - low + t)[:, ::-1], axis=1)[:, ::-1]
        inner = np.minimum(np.minimum(inner, right[:, :-1]), left[:, 1:])
        tail = np.maximum(*(limit[s][:, 0] - tails[s][1 - int(swap), 0] for s in (-1, 1)))
        for most in (inner.max(axis=1, initial=-np.inf), right[:, -1], left[:, 0], tail):
            upper = np.maximum(upper, most)
    return lower, upper
