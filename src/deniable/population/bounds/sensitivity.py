"""Bounds by the noise alone: two normal laws, and how far exchanging a record moves the sum."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import erfcx, ndtr

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.numerics.effort import late
from deniable.numerics.rounding import directed, least, least_within, lower, upper
from deniable.numerics.search import bisect_each
from deniable.population.question import Floats, Ints

# --- The privacy curve of two unit normal laws at distance μ, for many distances at once.
#
# .. math:: \delta(\epsilon; \mu) = \Phi(a) - e^\epsilon \Phi(b), \quad
#           a = \mu/2 - \epsilon/\mu,\; b = -\mu/2 - \epsilon/\mu.
#
# Because φ(a) = e^ε φ(b) the second term is φ(a) M(−b) with Mills' ratio M(t) = Φ(−t)/φ(t), which
# neither overflows nor cancels. With u = 2^−53 an error of at most 4u|b| in a and 4u|b| in b
# changes either term by at most 4u|b|, since |φ(a)|, |φ'(a)|·M <= 0.4 and |M'| <= 1; `ndtr` and
# `erfcx` add a few u. `delta_upper` adds 1e-15 (4 + |b|), which covers all of it.


_ROOT_2 = math.sqrt(2)  # The spread of the argument of erfcx, which is a normal law's times √2
_ROOT_2_PI = math.sqrt(2 * math.pi)  # One over the normal density at 0
_FAR = -40.0  # The argument below which Φ is under 1e-300, which is the answer: the rest lowers it
_TOO_FAR = 1e13  # Beyond this argument the error of the formula is above 1, and 1 is the answer


def delta_upper(epsilon: ArrayLike, mu: ArrayLike) -> Floats:
    """δ(ε; μ), rounded up; shapes broadcast, ε >= 0, μ >= 0."""
    e, distance = np.broadcast_arrays(np.asarray(epsilon, np.float64), np.asarray(mu, np.float64))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
        # δ = Φ(a) − φ(a) M(−b) with a = μ/2 − ε/μ; here b is μ/2 + ε/μ > 0, and M(b) = √(π/2)
        # erfcx(b/√2).
        shift = np.where(e > 0, e / distance, 0.0)
        a, b = distance / 2 - shift, distance / 2 + shift
        fall = np.exp(-a * a / 2) / _ROOT_2_PI * (erfcx(b / _ROOT_2) * (_ROOT_2_PI / 2))
        delta = np.clip(ndtr(a) - fall + 1e-15 * (4 + b), 0.0, 1.0)
    delta = np.where(a < _FAR, 1e-300, delta)
    delta = np.where((b > _TOO_FAR) & (distance > 1), 1.0, delta)
    return np.where(distance == 0, 0.0, delta)


def epsilon_upper(mu: float, delta: float) -> float:
    """The least ε >= 0 at which the curve is at most δ, in ball arithmetic, rounded up."""
    if mu == 0:
        return 0.0
    if delta == 0 or math.isinf(mu):
        return math.inf
    with directed() as r:

        def at(epsilon: float) -> float:
            return upper(r.gaussian_delta(r(epsilon), r(mu)))

        if at(0.0) <= delta:
            return 0.0
        # Pr[loss > ε] alone is below δ here, as Φ(−t) <= e^(−t²/2).
        enough = mu * mu / 2 + mu * math.sqrt(-2 * math.log(delta)) + 1e-9
        enough *= 1 + 1e-9
        return least_within(at, delta, 0.0, enough) if math.isfinite(enough) else math.inf


def epsilons(mu: Floats, delta: float) -> Floats:
    """The least ε for each distance, about ten digits, for estimates; any shape."""
    distance = np.asarray(mu, np.float64)
    if delta == 0:
        return np.where(distance > 0, np.inf, 0.0)
    high = distance * distance / 2 + distance * math.sqrt(-2 * math.log(delta))
    low = np.zeros_like(high)
    _, high = bisect_each(lambda e: delta_upper(e, distance) > delta, low, high, halvings=60)
    return np.where(delta_upper(0.0, distance) <= delta, 0.0, high)


def gaussian_shifts(values: Floats, size: int, sigma: float) -> Floats:
    r"""Distance, in standard deviations, that each record's presence moves the noisy sum.

    .. math:: \mu_x^2 = (x - m')^\top (C + \sigma^2 I)^{-1} (x - m'), \quad
              C = \frac{n(N-1-n) + (n-1)(N-n)}{2(N-2)} \Sigma'

    m' and Σ' are mean and covariance (divisor N − 1) of the other N − 1 records; C is the mean
    of the covariances of the sum given that x is in and that it is out, which agree at N = 2n.
    All records from one factorisation, by the Sherman–Morrison formula.

    For noise of standard deviation σ on the *sum* of the sampled records.
    """
    population, columns = values.shape
    centred = values - values.mean(axis=0)
    others = population - 1
    spread = _spread(size, population)
    # With all records in one matrix A, x'A⁻¹x for each; then x itself is taken out of A by Sherman
    # and Morrison: s/(1 − c s) with s = x'A⁻¹x, times N/(N − 1) since x − m' = N/(N − 1) (x − m).
    matrix = spread / others * (centred.T @ centred) + sigma**2 * np.eye(columns)
    squares = np.einsum("ij,ij->i", centred, np.linalg.solve(matrix, centred.T).T)
    own = spread * population / others**2
    ratio = population / others
    return np.asarray(ratio * np.sqrt(squares / np.maximum(1 - own * squares, 1e-12)))


def direction(values: Floats, size: int, sigma: float, record: int) -> Floats:
    """The unit vector along which a record shows most, (C + σ²I)^(−1)(x − m')."""
    others = np.delete(values, record, axis=0)
    centre = others.mean(axis=0)
    centred = others - centre
    spread = _spread(size, len(values)) / len(others)
    matrix = spread * (centred.T @ centred) + sigma**2 * np.eye(values.shape[1])
    # (C + σ²I)^(−1)(x − m'), of length 1.
    slope = np.linalg.solve(matrix, values[record] - centre)
    length = float(np.linalg.norm(slope))
    return np.asarray(slope / length) if length > 0 else np.eye(values.shape[1])[0]


def estimates(values: Floats, size: int, sigma: float, delta: float) -> Floats:
    """ε̃ of every record if the sums were normal; no bound. Shape (n_records,)."""
    return epsilons(gaussian_shifts(values, size, sigma), delta)


def _spread(size: int, population: int) -> float:
    """The factor between the covariance of the others and that of their sampled sum."""
    # (n(N − 1 − n) + (n − 1)(N − n))/(2(N − 2))
    if population == 2:
        return 0.0
    out, inside = size * (population - 1 - size), (size - 1) * (population - size)
    return (out + inside) / (2 * (population - 2))


# --- How far the sum moves when one record is exchanged.

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
    return least(lambda e: not late() and at(e) <= delta, 0.0, enough, tolerance=_CLOSE)


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
