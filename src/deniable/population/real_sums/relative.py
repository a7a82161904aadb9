r"""(ε̃, δ) with δ > 0 where ε̃ is large: densities with relative accuracy, from tilted laws.

Inversion knows densities up to some 1e-9, which e^ε multiplies. A record far from all others has
its in-law where the out-law is that small. Laws tilted towards there know it to many digits. With
grid points h apart, each cell has bounds of P, p's mass there, and of r = ln(p/q), and

.. math:: \sum P_{low} \max(0, 1 - e^{\epsilon - r_{low}}) \le D_{e^\epsilon}(p \| q)
          \le \sum P_{high} \max(0, 1 - e^{\epsilon - r_{high}}) + \text{what lies outside}.

What is known of a cell from its grid points: `between_points`.
"""

import contextlib
import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.rounding import directed, lower, upper
from deniable.numerics.search import bisect
from deniable.numerics.time_limit import OutOfTime, check
from deniable.population.real_sums.between_points import (
    ROUNDING,
    SPACING,
    Between,
    Floats,
    GaussianCells,
    LaplaceCells,
    LogDensity,
    known,
)
from deniable.population.real_sums.kernel import Kernel
from deniable.population.real_sums.population import Population, standardise_population
from deniable.population.real_sums.problem import Problem
from deniable.population.real_sums.reach import reach
from deniable.population.real_sums.tilt import (
    Piece,
    Tilted,
    TiltedGaussian,
    TiltedKernel,
    exponential_tilt,
    piece,
    zone,
)

SMOOTHINGS = (1 / 8, 1 / 32)
"""√v of the smooth bracket of the Laplace density, in its scale, from cheap to close: v is about
what it costs of a smooth density, and √v next to an atom."""
_OUTSIDE = 1e-5
"""Share of δ that may lie outside the range looked at, on either side."""
_MOST_TILT = 0.95
"""Largest |λ| under Laplace noise, whose moments end at 1; beyond, a density falls like e^−t."""
_OVERLAP = 4.0
"""Standard deviations between the middles of neighbouring tilted laws; pieces reach six to either
side."""
_MOST_TILTS = 40
"""Tilted laws on either side; more are needed only where the sums spread over hundreds of scales,
and then no ε̃ is large."""
_SURE = 1e-9
"""Variance of how many are chosen below which a tilted law is all but a point."""
_MOST_CELLS = 1 << 21
"""Grid points of all records that are held at once, in several arrays: some hundred megabytes."""
_HALVINGS = 50
"""Of the largest ε: then far below the rounding of a logarithm."""
_LARGEST = 600.0
"""Largest ε looked for; e^600 is a float."""


def relative_epsilons(
    problem: Problem, targets: NDArray[np.int64], *, smoothing: float, spacing: float = SPACING
) -> tuple[Floats, Floats]:
    """Enclosures at the targets, tight to some hundredths; [0, ∞] for those not reached in time.

    `smoothing` is that of the Laplace density, > 0; Gaussian noise needs none. `spacing` is that
    of the grid.
    """
    population = standardise_population(
        problem.values, problem.counts, problem.size, problem.noise.scale
    )
    gaussian = isinstance(problem.noise, Gaussian)
    between: Between = GaussianCells() if gaussian else LaplaceCells()
    tilted: Callable[[float], Tilted] = (
        TiltedGaussian if gaussian else partial(TiltedKernel, smoothing=smoothing)
    )
    kernel = Kernel(1.0) if gaussian else Kernel(0.0, 1.0)
    least, most = np.zeros(len(targets)), np.full(len(targets), np.inf)
    span = _range(population, kernel, problem.delta)
    many = _MOST_CELLS // (math.ceil((span[1] - span[0]) / spacing) + 1)
    with contextlib.suppress(OutOfTime):
        for i in range(0, len(targets), many) if many else ():
            part, rows, pieces = targets[i : i + many], slice(i, i + many), []
            for each in _kernels(population, part, span, tilted):
                check()
                pieces.append(piece(population, part, each, spacing))
            p, q = (
                between.sharpen(_together(population, pieces, span, spacing, law)) for law in (0, 1)
            )
            least[rows], most[rows] = _least_epsilons(p, q, between, problem.delta)
    return least, most


def _range(population: Population, kernel: Kernel, delta: float) -> tuple[float, float]:
    """Where all but a small share of δ lies, whether or not any one record is chosen."""
    # As in `reach.window`: Pr[outside | x in] <= Pr[outside, n chosen]/(Pr[n chosen] n/N).
    rate = min(population.rate, 1 - population.rate)
    exponent = -math.log(_OUTSIDE * delta) - math.log(rate) - math.log(population.chance())
    return -reach(population, kernel, exponent, -1), reach(population, kernel, exponent, 1)


def _kernels(
    population: Population,
    targets: NDArray[np.int64],
    span: tuple[float, float],
    kernel_at: Callable[[float], Tilted],
) -> list[Tilted]:
    """Tilts from 0 outwards, until every target's laws are known to both ends of the range."""
    kernels = [kernel_at(0.0)]
    gaussian = isinstance(kernels[0], TiltedGaussian)
    end, own = (math.inf, 1.0) if gaussian else (_MOST_TILT, 1e-9)
    for sign in (-1, 1):
        kernel = kernels[0]
        for _ in range(_MOST_TILTS):
            tilted = exponential_tilt(population, kernel.tilt)[0]
            spread = tilted.centre_and_spread()[1]
            reached = _middle(tilted, kernel, targets, sign)
            if sign * (span[sign > 0] - reached) <= 0 or abs(kernel.tilt) >= end:
                break
            if tilted.total(tilted.variances) < _SURE:
                del kernels[-1:]
                break
            # d mean/dλ is the variance, of the noise included.
            step = _OVERLAP * math.hypot(spread, 1.0) / (spread**2 + own)
            kernel = kernel_at(sign * min(abs(kernel.tilt) + step, end))
            kernels.append(kernel)
    return kernels


def _middle(tilted: Population, kernel: Tilted, targets: NDArray[np.int64], sign: int) -> float:
    """The middle of the bulk that lags behind, of all the targets' laws."""
    left, right = zone(tilted, kernel, targets)
    before, after = kernel.zone(tilted.centre_and_spread()[1])
    return left + before if sign > 0 else right - after


def _together(
    population: Population, pieces: list[Piece], span: tuple[float, float], spacing: float, law: int
) -> LogDensity:
    """The tightest ends known of a density at every grid point of the range."""
    first, last = math.floor(span[0] / spacing), math.ceil(span[1] / spacing)
    rows, many = len(pieces[0].inside[0]), last - first + 1
    low, high = np.full((rows, many), -np.inf), np.full((rows, many), np.inf)
    for each in pieces:
        bounds = (each.inside, each.outside)[law]
        start, stop = each.first - first, each.first - first + bounds[0].shape[1]
        here = slice(max(start, 0), max(min(stop, many), 0))
        there = slice(here.start - start, here.stop - start)
        if here.start < here.stop:
            low[:, here] = np.maximum(low[:, here], bounds[0][:, there])
            high[:, here] = np.minimum(high[:, here], bounds[1][:, there])
    constant = _log_samples(population)
    low, high = low - constant[1] - ROUNDING, high - constant[0] + ROUNDING
    return LogDensity(first, low, high, spacing)


def _log_samples(population: Population) -> tuple[float, float]:
    """ln of how many samples have no given record, C(N − 1, n): what pieces are not divided by."""
    with directed() as r:
        others, n = population.records - 1, population.size
        ways = (r(others) + 1).lgamma() - (r(n) + 1).lgamma() - (r(others - n) + 1).lgamma()
        return lower(ways), upper(ways)


def _least_epsilons(
    p: LogDensity, q: LogDensity, between: Between, delta: float
) -> tuple[Floats, Floats]:
    least, most = np.zeros(len(p.low)), np.zeros(len(p.low))
    with np.errstate(invalid="ignore", over="ignore"):
        for one, other in ((p, q), (q, p)):
            low, high = between.masses(one)
            above = known(between.ratio(one, other))
            below = -known(between.ratio(other, one))
            # What is left outside counts in full.
            kept = delta * (1 - 2 * _OUTSIDE - ROUNDING)
            most = np.maximum(most, _root(np.nan_to_num(high, nan=np.inf), above, kept)[1])
            least = np.maximum(least, _root(np.nan_to_num(low), below, delta * (1 + ROUNDING))[0])
    return np.minimum(least, most), np.where(most >= _LARGEST, np.inf, most)


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
