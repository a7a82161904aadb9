r"""(ε̃, δ) with δ > 0 where ε̃ is large: densities with relative accuracy, from tilted laws.

A record far from all others has its in-law where the out-law is below what inversion knows; laws
tilted towards there know it to many digits. With grid points h apart, each cell has bounds of P,
p's mass there, and of r = ln(p/q), and

.. math:: \sum P_{low} \max(0, 1 - e^{\epsilon - r_{low}}) \le D_{e^\epsilon}(p \| q)
          \le \sum P_{high} \max(0, 1 - e^{\epsilon - r_{high}}) + \text{what lies outside}.
"""

import contextlib
import math
from collections.abc import Callable
from functools import partial

import attrs
import numpy as np

from deniable.mechanisms import Gaussian
from deniable.numerics.bound import pair_bounds
from deniable.numerics.effort import OutOfTime, check, late
from deniable.numerics.rounding import directed, lower, upper
from deniable.numerics.search import bisect
from deniable.population.question import Floats, Ints
from deniable.population.real_sums.atoms import pure_bounds, subset_atoms
from deniable.population.real_sums.problem import (
    Kernel,
    Population,
    Problem,
    Tilted,
    TiltedGaussian,
    TiltedKernel,
)
from deniable.population.real_sums.subset_sums import chunks, nodes, transforms
from deniable.population.real_sums.tilt import (
    OVERLAP,
    Piece,
    exponential_tilt,
    join_pieces,
    log_bases,
    piece,
    reach,
    zone,
)

# What is known of the densities of noisy sums between grid points h apart:
#
# - *Laplace noise:* e^t p(t) increases and e^(−t) p(t) decreases.
# - *Gaussian noise:* ln p(t) + t²/2 is convex, being a cumulant generating function. It lies below
#   its chords, and above the chords of the neighbouring cells.

SPACING = 1 / 256
"""h to begin with, in units of the noise: ε̃ is known to about 2h; under Gaussian noise a finer grid
tells more."""
ROUNDING = 1e-9  # Of a log-density and, relative, of a sum of cells: 1,000 times 2^21 terms'


@attrs.frozen(eq=False)
class LogDensity:
    """Ends of ln p at t = first·h, (first + 1)·h, …; each of shape (n_targets, n_points)."""

    first: int
    low: Floats
    high: Floats
    spacing: float = SPACING

    @property
    def t(self) -> Floats:
        """The points, in units of the noise."""
        return self.spacing * np.arange(
            self.first, self.first + self.low.shape[1], dtype=np.float64
        )


@attrs.frozen
class LaplaceCells:
    """e^t p(t) increases and e^(−t) p(t) decreases."""

    def sharpen(self, p: LogDensity) -> LogDensity:
        """ln p moves by at most the distance."""
        t, low, high = p.t, p.low, p.high
        # ln p(t) >= max_{s <= t} ln p(s) − (t − s) and likewise from the right; <= with min and +.
        low = np.maximum(
            np.maximum.accumulate(low + t, axis=1) - t,
            np.maximum.accumulate((low - t)[:, ::-1], axis=1)[:, ::-1] + t,
        )
        high = np.minimum(
            np.minimum.accumulate(high - t, axis=1) + t,
            np.minimum.accumulate((high + t)[:, ::-1], axis=1)[:, ::-1] - t,
        )
        return LogDensity(p.first, low - ROUNDING, high + ROUNDING, p.spacing)

    def masses(self, p: LogDensity) -> tuple[Floats, Floats]:
        """Bound masses from either end: at distance s the density moves by at most e^s."""
        # ∫_0^h e^(±s) ds from the end that tells more.
        low = np.exp(np.maximum(p.low[:, :-1], p.low[:, 1:])) * -math.expm1(-p.spacing)
        high = np.exp(np.minimum(p.high[:, :-1], p.high[:, 1:])) * math.expm1(p.spacing)
        return low, high

    def ratio(self, p: LogDensity, q: LogDensity) -> Floats:
        """Return ln(e^b p(b)) − ln(e^a q(a)) and ln(e^(−a) p(a)) − ln(e^(−b) q(b)) on (a, b)."""
        rising = p.high[:, 1:] - q.low[:, :-1]
        falling = p.high[:, :-1] - q.low[:, 1:]
        return np.minimum(rising, falling) + p.spacing


@attrs.frozen
class GaussianCells:
    """c(t) = ln p(t) + t²/2 is convex."""

    def sharpen(self, p: LogDensity) -> LogDensity:
        """Nothing more is known."""
        return p

    def masses(self, p: LogDensity) -> tuple[Floats, Floats]:
        """Bound masses by chords of ln p, which are off by what t²/2 bends."""
        # ln p <= chord + h²/8, and ∫ of an exponential over a cell is below the trapezoid.
        densities = np.exp(p.high)
        high = p.spacing * (densities[:, :-1] + densities[:, 1:]) / 2 * math.exp(p.spacing**2 / 8)
        # ln p >= the line from a known end; ∫ of an exponential is above h times its middle.
        half = p.t**2 / 2
        from_left, from_right = _lines(p)
        left = (p.low[:, :-1] + from_left - half[1:]) / 2
        right = (p.low[:, 1:] + from_right - half[:-1]) / 2
        return p.spacing * np.exp(np.maximum(left, right)), high

    def ratio(self, p: LogDensity, q: LogDensity) -> Floats:
        """A chord of p's c less a line below q's c, at both ends; t²/2 cancels."""
        half = p.t**2 / 2
        from_left, from_right = _lines(q)
        high, low = p.high + half, q.low + half
        left = np.maximum(high[:, :-1] - low[:, :-1], high[:, 1:] - from_left)
        right = np.maximum(high[:, 1:] - low[:, 1:], high[:, :-1] - from_right)
        return np.asarray(np.fmin(known(left), known(right)))


def _lines(q: LogDensity) -> tuple[Floats, Floats]:
    """Lower bounds of c at the far end of each cell, by the chord of the cell before and after."""
    # c(b) >= 2c(a) − c(a − h), and c(a) >= 2c(b) − c(b + h).
    half = q.t**2 / 2
    low, high = q.low + half, q.high + half
    nothing = np.full((len(low), 1), -np.inf)
    left = np.concatenate([nothing, 2 * low[:, 1:-1] - high[:, :-2]], axis=1)
    right = np.concatenate([2 * low[:, 1:-1] - high[:, 2:], nothing], axis=1)
    return np.nan_to_num(left, nan=-np.inf), np.nan_to_num(right, nan=-np.inf)


def known(ratio: Floats) -> Floats:
    """ln of a quotient, infinite where either density is not known."""
    return np.nan_to_num(ratio, nan=np.inf, posinf=np.inf, neginf=-np.inf)


SMOOTHINGS = (1 / 8, 1 / 32)
"""√v of the smooth bracket of the Laplace density, in its scale, from cheap to close: v is about
what it costs of a smooth density, and √v next to an atom."""
_OUTSIDE = 1e-5  # Share of δ that may lie outside the range looked at, on either side
_MOST_TILT = 0.95  # Largest |λ| under Laplace noise: beyond 1 there are no moments
_SURE = 1e-9  # Variance of how many are chosen below which a tilted law is all but a point
_MOST_CELLS = 1 << 21  # Grid points of all records held at once, a few hundred megabytes
_HALVINGS = 50  # Halvings of the largest ε: then far below the rounding of a logarithm
_LARGEST = 600.0  # Largest ε looked for; e^600 is a float


def relative_epsilons(
    problem: Problem, targets: Ints, *, smoothing: float, spacing: float = SPACING
) -> tuple[Floats, Floats]:
    """Enclosures at the targets, tight to some hundredths; [0, ∞] for those not reached in time.

    `smoothing` is that of the Laplace density, > 0; Gaussian noise needs none. `spacing` is that
    of the grid.
    """
    population = problem.population
    gaussian = isinstance(problem.noise, Gaussian)
    between = GaussianCells() if gaussian else LaplaceCells()
    tilted: Callable[[float], Tilted] = (
        TiltedGaussian if gaussian else partial(TiltedKernel, smoothing=smoothing)
    )
    kernel = Kernel(1.0) if gaussian else Kernel(0.0, 1.0)
    least, most = np.zeros(len(targets)), np.full(len(targets), np.inf)
    # Where all but a small share of δ lies, whether or not any one record is chosen.
    rate = min(population.rate, 1 - population.rate)
    exponent = -math.log(_OUTSIDE * problem.delta) - math.log(rate) - math.log(population.chance())
    span = -reach(population, kernel, exponent, -1), reach(population, kernel, exponent, 1)
    kept = problem.delta * (1 - 2 * _OUTSIDE - ROUNDING)  # what is left outside counts in full
    many = _MOST_CELLS // (math.ceil((span[1] - span[0]) / spacing) + 1)
    first, last = math.floor(span[0] / spacing), math.ceil(span[1] / spacing)
    with directed() as r:
        # ln of how many samples have no given record, which pieces are not divided by.
        ways = r.log_binomial(population.records - 1, population.size)
        least_ways, most_ways = lower(ways), upper(ways)
    with contextlib.suppress(OutOfTime):
        for i in range(0, len(targets), many) if many else ():
            part, rows, pieces = targets[i : i + many], slice(i, i + many), []
            for each in _kernels(population, part, span, tilted):
                check()
                pieces.append(piece(population, part, each, spacing))
            p, q = (
                between.sharpen(
                    LogDensity(
                        first, low - most_ways - ROUNDING, high - least_ways + ROUNDING, spacing
                    )
                )
                for low, high in (join_pieces(pieces, law, first, last) for law in (0, 1))
            )
            end = np.zeros(len(part))
            with np.errstate(invalid="ignore", over="ignore"):
                for one, other in ((p, q), (q, p)):
                    low, high = between.masses(one)
                    above = known(between.ratio(one, other))
                    below = -known(between.ratio(other, one))
                    end = np.maximum(end, _root(np.nan_to_num(high, nan=np.inf), above, kept)[1])
                    smallest = _root(np.nan_to_num(low), below, problem.delta * (1 + ROUNDING))[0]
                    least[rows] = np.maximum(least[rows], smallest)
            least[rows] = np.minimum(least[rows], end)
            most[rows] = np.where(end >= _LARGEST, np.inf, end)
    return least, most


def _kernels(
    population: Population,
    targets: Ints,
    span: tuple[float, float],
    kernel_at: Callable[[float], Tilted],
) -> list[Tilted]:
    """Tilts from 0 outwards, until every target's laws are known to both ends of the range."""
    kernels = [kernel_at(0.0)]
    end, own = (math.inf, 1.0) if isinstance(kernels[0], TiltedGaussian) else (_MOST_TILT, 1e-9)
    for sign in (-1, 1):
        kernel = kernels[0]
        for _ in range(40):  # On either side; more are needed only where no ε̃ is large
            tilted = exponential_tilt(population, kernel.tilt)[0]
            spread = tilted.centre_and_spread()[1]
            # The middle of the bulk that lags behind, of all the targets' laws.
            left, right = zone(tilted, kernel, targets)
            before, after = kernel.zone(tilted.centre_and_spread()[1])
            reached = left + before if sign > 0 else right - after
            if sign * (span[sign > 0] - reached) <= 0 or abs(kernel.tilt) >= end:
                break
            if tilted.total(tilted.variances) < _SURE:
                del kernels[-1:]
                break
            # d mean/dλ is the variance, of the noise included.
            step = OVERLAP * math.hypot(spread, 1.0) / (spread**2 + own)
            kernel = kernel_at(sign * min(abs(kernel.tilt) + step, end))
            kernels.append(kernel)
    return kernels


def _root(masses: Floats, ratios: Floats, delta: float) -> tuple[Floats, Floats]:
    """Ends of the ε at which Σ mass·max(0, 1 − e^(ε − r)) falls to δ, row by row."""
    low, high = np.zeros(len(masses)), np.full(len(masses), _LARGEST)
    # Cells of no mass or r <= 0 never count.
    for row in range(len(masses)):
        counts = (ratios[row] > 0) & (masses[row] > 0)
        mass, ratio = masses[row][counts], ratios[row][counts]
        check()

        def exceeds(epsilon: float, mass: Floats = mass, ratio: Floats = ratio) -> bool:
            return float(np.sum(mass * -np.expm1(np.minimum(epsilon - ratio, 0.0)))) > delta

        if not exceeds(0.0):
            high[row] = 0.0
            continue
        low[row], high[row] = bisect(exceeds, low[row], high[row], halvings=_HALVINGS)
    return low, high


# --- sup |ln(p_in/p_out)| under Laplace noise: tails exactly, the inside between grid points.
#
# In units of the scale, e^t p(t) increases to E e^S and e^(−t) p(t) decreases from E e^(−S), for
# both laws. So between grid points a < b
#
# .. math:: \frac{p(t)}{q(t)} \le \min\Big\{\frac{e^b p(b)}{e^a q(a)},
#                                        \frac{e^{-a} p(a)}{e^{-b} q(b)}\Big\},
#
# and beyond any a the first with the limits in the target of b.

_POINT = Kernel(50.0)  # A kernel so wide that nothing but θ = 0 counts
_GRIDS = ((1 / 8, 1 / 16), (1 / 64, 1 / 64), (1 / 256, 1 / 128))  # Spacing, smoothing, in scales
SMALL = 1e-2  # The ε̃ below which a relative gap is taken of this instead
_CELLS = 1 << 21  # Grid points of all records held at once, a few hundred megabytes


def pure_laplace_epsilons(problem: Problem, targets: Ints, *, worst: bool) -> tuple[Floats, Floats]:
    """Enclosures at the targets; what the time limit cuts off keeps the noise's own bound."""
    upper = problem.noise_alone(targets)
    lower = np.zeros(len(targets))
    with contextlib.suppress(OutOfTime):
        for i, target in enumerate(targets.tolist()):  # all sums, where they are few enough
            scale = problem.noise.scale
            laws = subset_atoms(problem.values, problem.counts, problem.size, target, scale)
            if laws is None:
                break
            exact = pure_bounds(*laws)
            lower[i], upper[i] = max(lower[i], exact[0]), min(upper[i], exact[1])
            problem.effort.progress((i + 1) / len(targets))
            if late():
                return pair_bounds(lower, upper)
        else:
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
    # Tilts whose bulks overlap: from λ = 0 outwards by as much as moves the middle by some standard
    # deviations, d mean/dλ being the variance, up to where the tail's own formula holds.
    tilts, width = [0.0], 0.0
    for sign in (-1.0, 1.0):
        middle, last = exponential_tilt(population, sign)[0].centre_and_spread()
        end, tilt, width = 1 - min(1.0, 3 / max(last, 1e-300)), 0.0, width + abs(middle)
        while tilt < end:
            spread = exponential_tilt(population, sign * tilt)[0].centre_and_spread()[1]
            tilt = min(tilt + OVERLAP * math.hypot(spread, 1.0) / max(spread**2, 1e-9), end)
            tilts.append(sign * tilt)
    tilts.sort()
    points = int(width / spacing) + 1000
    if points > 1 << 21:  # Grid points of one record; finer grids on a wider range are not tried
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
