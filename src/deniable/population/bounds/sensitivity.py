"""How far the sum moves when one record is exchanged, and bounds that follow at once."""

import math
from fractions import Fraction

import numpy as np
from scipy.spatial.distance import cdist

from deniable.mechanisms.gaussian import DiscreteGaussian, Gaussian
from deniable.mechanisms.laplace import DiscreteLaplace, Laplace
from deniable.numerics.effort import late
from deniable.numerics.rounding import directed, least, least_within, lower, upper
from deniable.population.bounds.gaussian_curve import epsilon_upper
from deniable.population.question import Floats, Ints

AdditiveNoise = Gaussian | Laplace | DiscreteLaplace | DiscreteGaussian
_ROWS, _CELLS = 512, 5_000_000  # Records, and distances to others, held at once: 40 megabytes
_PAIRS = 300_000_000  # Distances formed: half a second; beyond, the diameter of a ball
_CLOSE = 1e-9  # Relative width at which a search stops whose every look is a long sum


def largest_change(values: Floats) -> float:
    """The largest distance between two records, rounded up.

    Adjacent subsets exchange one record for another, so this is the sensitivity of the sum
    restricted to the parent set. With a distance L at hand and no record farther out than R, at
    least one of a better pair is farther out than L/2 and the other than L − R. Where these are too
    many pairs it is 2R, which is no less.
    """
    if values.shape[1] == 1:
        least_value, most = float(values.min()), float(values.max())
        with directed() as r:
            return upper(r(most) - r(least_value))
    outwards = 1 + 4e-16 * (int(values.shape[1]) + 4)
    largest, radius, far, other = _candidates(values)
    if len(far) * len(other) > _PAIRS:
        return 2 * radius * outwards
    rows = max(1, min(_ROWS, _CELLS // max(len(other), 1)))
    for start in range(0, len(far), rows):
        largest = max(largest, float(cdist(far[start : start + rows], other).max()))
    return largest * outwards if largest > 0 else 0.0


def is_change_exact(values: Floats) -> bool:
    """Whether `largest_change` is the distance of two records, and not merely no less."""
    if values.shape[1] == 1:
        return True
    _, _, far, other = _candidates(values)
    return len(far) * len(other) <= _PAIRS


def _candidates(values: Floats) -> tuple[float, float, Floats, Floats]:
    """A distance L, the largest radius R, and the records that one and the other may be of."""
    radius = np.linalg.norm(values - values.mean(axis=0), axis=1)
    # A long distance at once: from the farthest record to the farthest from it, and back.
    first = cdist(values[[radius.argmax()]], values)[0]
    second = cdist(values[[first.argmax()]], values)[0]
    known = max(float(first.max()), float(second.max())) * (1 - 1e-12)
    # Pairs with |a − b| > L have a radius above L/2 and one above L − R.
    most = float(radius.max()) * (1 + 1e-12)
    far = values[radius >= known / 2 * (1 - 1e-12)]
    return known, most, far, values[radius >= known - most]


def epsilon_at(noise: AdditiveNoise, change: float, delta: float) -> float:
    """The least ε at which (ε, δ)-DP holds where the noisy sum moves by `change` at most.

    Rounded up; infinite where nothing is finite. When the time is over, discrete Gaussian noise
    gets the bound of its concentration instead, which needs no sums.
    """
    if change == 0:
        return 0.0
    if delta == 0:
        return noise.epsilon(change) if isinstance(noise, Laplace | DiscreteLaplace) else math.inf
    if isinstance(noise, Gaussian):
        return _least(noise, change, delta, epsilon_upper(noise.mu(change), delta))
    moved = change if isinstance(noise, Laplace) else math.ceil(change)
    if isinstance(noise, DiscreteGaussian) and late():
        return _by_concentration(noise, moved, delta)
    enough = (
        2 * epsilon_upper(2 * moved / noise.scale, delta) + 1
        if isinstance(noise, DiscreteGaussian)
        else noise.epsilon(moved)
    )
    return _least(noise, moved, delta, enough)


def epsilon_of_exchanges(noise: AdditiveNoise, values: Floats, delta: float) -> float:
    """The least ε found at which (ε, δ)-DP holds where two records are exchanged; rounded up.

    Of several columns of whole numbers with whole noise: by the largest change in L1 for Laplace
    noise, and by the concentration of the largest in L2 for Gaussian noise.
    """
    several = values.shape[1] > 1
    if several and isinstance(noise, DiscreteLaplace):
        rows = np.unique(values, axis=0)
        return noise.epsilon(float(cdist(rows, rows, "cityblock").max()))
    change = largest_change(values)
    if several and isinstance(noise, DiscreteGaussian):
        if change == 0 or delta == 0:
            return 0.0 if change == 0 else math.inf
        return _by_concentration(noise, change, delta)
    return epsilon_at(noise, change, delta)


def _by_concentration(noise: DiscreteGaussian, change: float, delta: float) -> float:
    """ρ + 2√(ρ ln 1/δ) with ρ = Δ²/2σ² (canonne-kamath-steinke-2020; bun-steinke-2016)."""
    with directed() as r:
        rho = (r(change) / r(noise.scale)) ** 2 / 2
        return upper(rho + 2 * r.sqrt(rho * -r.log(delta)))


def _least(noise: AdditiveNoise, change: float, delta: float, enough: float) -> float:
    """The least ε at which the curve keeps to δ; a share of 1e-9 above it where sums are long."""

    def at(epsilon: float) -> float:
        return noise.delta(epsilon, change)  # type: ignore[arg-type]

    if at(0.0) <= delta:
        return 0.0
    while math.isfinite(enough) and not at(enough) <= delta:
        enough *= 2
    if math.isinf(enough):
        return math.inf
    if not isinstance(noise, DiscreteGaussian):
        return least_within(at, delta, 0.0, enough)

    def meets(epsilon: float) -> bool:
        return not late() and at(epsilon) <= delta

    return least(meets, 0.0, enough, tolerance=_CLOSE)


def gaussian_tails(counts: Ints, size: int, targets: Ints) -> tuple[Floats, Floats]:
    r"""Ends of sup \|ln(p/q)\| under Gaussian noise, continuous or discrete, at some values.

    Far to either side only the extreme sum counts. Unless both laws reach it, one falls off faster
    and the supremum is infinite. With c records of the value at which the n largest end, k of them
    taken, both reach it for a record of that value and k < c only, and the ratio tends to k (N −
    n)/((c − k) n). The larger |ln| of both ends is a lower bound; the upper bound stays infinite.
    The values increase, and `targets` are positions of some.

    >>> ends = gaussian_tails(np.array([1, 3, 1]), 2, np.arange(3))  # of 0, 1, 1, 1, 2
    >>> ends[0].round(4).tolist()  # both ends take one of the three ones
    [inf, 0.2877, inf]
    """
    everyone, low = int(counts.sum()), np.zeros(len(targets))
    for order in (1, -1):
        ordered = counts[::order]
        full = int(np.searchsorted(np.cumsum(ordered), size))
        edge = full if order == 1 else len(counts) - 1 - full
        inside = size - int(ordered[:full].sum())
        # |ln(k (N − n)/((c − k) n))|, rounded down; infinite where none is left.
        outside = int(ordered[full]) - inside
        if outside == 0:
            limit = math.inf
        else:
            with directed() as r:
                ratio = r.log(r(Fraction(inside * (everyone - size), outside * size)))
                limit = max(lower(ratio), lower(-ratio), 0.0)
        low = np.maximum(low, np.where(targets == edge, limit, np.inf))
    return low, np.full(len(targets), np.inf)
