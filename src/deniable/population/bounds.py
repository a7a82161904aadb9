"""What holds without listing a subset: the noise alone, exchanges, mixtures, an estimate."""

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

    >>> tails = gaussian_tails(np.array([1, 3, 1]), 2, np.arange(3))  # of 0, 1, 1, 1, 2
    >>> tails[0].round(4).tolist()  # both ends take one of the three ones
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


# --- The mixture bound: a sample with x against the same with anybody else in its place, all at
# once. With R a uniform subset of r = N − n of the others, and ȳ_R its mean,
#
# .. math:: D_{e^\epsilon}(P_{in} \| P_{out}) \le E_R\, \delta\left(\epsilon - v_R;
#           \|x - \bar y_R\| / \sigma\right), \qquad
#           v_R = \frac{1}{2 r \sigma^2} \sum_{y \in R} \|y - \bar y_R\|^2.
#
# and the other direction is the same with r = n: docs/explanation/hidden-in-a-crowd.md. Means of R
# are near those of all by Bernstein's inequality, at several probabilities p at once.

_LEVELS = (0.5, 0.2, 0.05, 0.01)  # Chances that R is farther off than each layer; then powers of ⅒
_REST = 0.01  # Share of δ for an R that is farther off than any layer says
_OUTWARDS = 1 + 1e-12  # Room for rounding of distances, and of sums of some million terms
_MEAN = 1e-14  # Relative error of a mean of up to some million numbers, summed in pairs
_MANY, _MIXTURE_RINGS = 5_000, 500  # Records beyond which so many distances from the mean are used
_HALVINGS = 50  # Halvings of the interval of ε: to 2^−50 of it


def mixture_bounds(values: Floats, size: int, sigma: float, delta: float) -> Floats:
    """An upper bound on ε̃ of every record, for noise σ on a sample's sum, δ in (0, 1); rounded up.

    >>> rows = np.random.default_rng(0).normal(size=(400, 5))
    >>> bool(mixture_bounds(rows, 200, 4.0, 1e-5).max() < 5.5)  # Proposition 12 gives 6.7
    True
    """
    centred = (values - values.mean(axis=0)) / sigma
    others = len(values) - 1
    # x − ȳ = (x − mean of all) N/(N − 1); the mean is known to some units of the largest number.
    unsure = float(np.abs(values).max()) / sigma * _MEAN
    lengths: Floats = np.linalg.norm(centred, axis=1)
    distances = lengths * (len(values) / others) + unsure
    spread = centred.T @ centred / others
    if len(values) > _MANY:
        # The bound grows with the distance, and with the variance along x.
        width = max(float(distances.max()) / _MIXTURE_RINGS * _OUTWARDS, 1e-300)
        ring = np.clip(np.ceil(distances / width * _OUTWARDS), 0, _MIXTURE_RINGS).astype(np.int64)
        along = np.full(
            _MIXTURE_RINGS + 1, float(np.linalg.eigvalsh(spread)[-1]) * (1 + 1e-9), np.float64
        )
        radii = np.arange(_MIXTURE_RINGS + 1, dtype=np.float64) * width * _OUTWARDS
        result: Floats = _least_of_layers(*_layers(centred, size, delta, radii, along), delta)
        return result[ring]
    squares = np.einsum("ij,jk,ik->i", centred, spread, centred)
    along = squares / np.maximum((centred**2).sum(axis=1), 1e-300) * (1 + 1e-9)
    return _least_of_layers(*_layers(centred, size, delta, distances, along), delta)


def _layers(
    centred: Floats, size: int, delta: float, distances: Floats, along: Floats
) -> tuple[Floats, Floats, Floats]:
    """Weights (levels,), v (levels,), ‖x − ȳ_R‖ (levels, n_distances): what R may be at most."""
    population, columns = centred.shape
    others, n_sampled = population - 1, min(size, population - size)
    rest = [level for k in range(3, 310) if (level := 10.0**-k) > _REST * delta]
    chances = np.array([*_LEVELS, *rest, _REST * delta])
    # 2d + 2 events: v, the mean along x, and both sides of every axis.
    logs = np.log((2 * columns + 2) / chances)[:, None]
    lengths = (centred**2).sum(axis=1)
    farthest = math.sqrt(float(lengths.max())) * (1 + 1 / others)
    mean, variance = lengths.sum() / others, ((lengths - lengths.mean()) ** 2).sum() / others
    # ‖y − ȳ_R‖² is smallest around ȳ_R: around the mean of all it is at least as large.
    v = (mean + _bernstein(variance, float(lengths.max()), n_sampled, logs)[:, 0]) / 2 * _OUTWARDS
    axes = (centred**2).sum(axis=0) / others
    aside = (_bernstein(axes, farthest, n_sampled, logs) ** 2).sum(axis=1, keepdims=True)
    towards = distances + _bernstein(along, farthest, n_sampled, logs)
    weights = -np.diff(np.concatenate([[1.0], chances]))
    return weights, v, np.sqrt(towards**2 + aside) * _OUTWARDS


def _bernstein(variance: Floats | float, largest: float, n_sampled: int, logs: Floats) -> Floats:
    """What a mean of `n_sampled` exceeds with probability <= e^−logs; no replacement needed."""
    # r s²/(2 (v + b s/3)) = L, solved for s.
    half = largest * logs / (3 * n_sampled)
    return np.asarray(half + np.sqrt(half**2 + 2 * variance * logs / n_sampled)) * _OUTWARDS


def _least_of_layers(weights: Floats, v: Floats, distances: Floats, delta: float) -> Floats:
    """The least ε at which the layers' mean keeps to what is left of δ, for every distance."""
    allowed = delta * (1 - _REST) * (1 - 1e-9)

    def excess(epsilon: Floats) -> Floats:
        off = epsilon - v[:, None]
        curves = np.where(off >= 0, delta_upper(np.maximum(off, 0), distances), 1.0)
        return np.asarray(weights @ curves)

    far = distances[-1]
    low = np.zeros_like(far)
    high = v[-1] + far**2 / 2 + far * math.sqrt(-2 * math.log(allowed)) + 1e-9
    _, high = bisect_each(lambda e: excess(e) > allowed, low, high, halvings=_HALVINGS)
    return np.where(excess(high) <= allowed, high * _OUTWARDS, np.inf)


# --- Pure ε̃ under Laplace noise, from exchanges of x with another member: each moves the density by
# a factor e^{d(x, x')} at most, d the L1 distance in units of the noise. Pairs of neighbouring
# samples are counted alike from both sides, so P_in/P_out is at most the largest mean of
# e^{d(x, x')} over n members; and likewise the other way with the N − n who are out.


def laplace_epsilon_of_exchanges(at: Floats, points: Floats, counts: Ints, size: int) -> float:
    """An upper bound of ε̃ at δ = 0 of every member in the convex hull of `at`.

    It is convex in x, and so largest where x is extreme. Members as far as x count as others too,
    which can only raise it. Both `at` and the distinct `points` (n_types, n_columns) are in units
    of noise.

    >>> people = np.array([[0.0], [1.0]])
    >>> round(laplace_epsilon_of_exchanges(people, people, np.array([50, 50]), 50), 6)
    1.0
    """
    outside = int(counts.sum()) - size
    worst = 0.0
    for point in at:
        distances = np.abs(points - point).sum(axis=1) * _OUTWARDS
        order = np.argsort(-distances, kind="stable")
        far, before = distances[order], np.cumsum(counts[order])
        for many in (size, outside):
            included = np.diff(np.minimum(before, many), prepend=0)
            with np.errstate(divide="ignore"):
                terms = far + np.log(included / many)
            worst = max(worst, float(np.logaddexp.reduce(terms)))
    return worst * _OUTWARDS + 1e-12


# --- The pairwise bound: a sample with x against the same with x' (lowy-2024, Proposition 12).
#
# .. math:: D_{e^\epsilon}(P_{in,x} \| P_{out,x}) \le \frac{1}{N-1} \sum_{x' \ne x}
#           \delta\left(\epsilon; \|x - x'\|/\sigma\right)
#
# Draw the sample with x, E ∪ x, and give the place of x to a uniform record outside: x' is uniform
# among the N − 1 others, and the hockey stick is jointly convex. The same from the other side.


_DISTANCE, _CURVE = 10.0, 5000.0  # Nanoseconds of a column's part, and of a member. Nominal
_RATIO = 1.005  # Quotient of neighbouring classes of distances: half a percent
_SPAN = 1e5  # Farthest distance over the nearest with a class of its own; nearer are rounded up
_CLASS_ROWS = 256  # Records whose distances to all others are put into classes at once
TRIED = 48  # Records that get a bound without classes
_GRID = 480  # Values of ε at which the curve is computed; chords lie between
_FINE = 1e-12  # Share of ε to which a bound is known; the curve itself is known to 1e-15


MANY = 20_000  # Records beyond which pairs are too many: 4e8 take several times as long as a crowd
_FARTHEST_PAIRS = 100_000_000  # Distances formed where pairs are too many: several seconds
_RINGS = 400  # Classes of the distance from the centre: at most 0.5 % of the largest sum is lost


def pairwise_bounds(values: Floats, sigma: float, delta: float, *, tried: int = TRIED) -> Floats:
    """An upper bound on ε̃ of every record, for noise of standard deviation σ > 0 on a sample's sum.

    It does not depend on the size of the sample; at δ = 0 it is infinite unless all records are the
    same. Of more than 20,000 records those farthest from the centre get it, as many as 1e8
    distances allow. Of the others, every distance is rounded up to the sum of two distances from
    the centre.

    Distances are rounded up into classes, and ε is read off chords of the curve, which is convex in
    e^ε: a few per cent above Proposition 12. `pairwise_of_record` has none of that: the records
    that rank worst are done by it, until the largest is found or `tried` are done.
    """
    n_records = len(values)
    reach = _reach(values, sigma)
    if reach == 0:
        return np.zeros(n_records)
    if delta == 0:
        return np.full(n_records, np.inf)
    if n_records <= tried:
        return np.array(
            [pairwise_of_record(values, sigma, delta, record) for record in range(n_records)]
        )
    if n_records > MANY:
        bounds = _by_rings(values, sigma, delta)
        first = np.argsort(-bounds, kind="stable")[: _FARTHEST_PAIRS // n_records]
        tried = min(tried, tried * MANY // n_records)
    else:  # no pair is farther apart than the reach
        bounds, first = np.full(n_records, epsilon_upper(reach, delta)), np.arange(n_records)
    _by_classes(values, sigma, delta, bounds, first)
    # The records that rank worst by their own bound, until the largest of all is among them.
    largest = 0.0
    for record in np.argsort(-bounds, kind="stable")[:tried]:
        if bounds[record] <= largest or late(_CURVE * len(values)):
            break
        bounds[record] = min(bounds[record], pairwise_of_record(values, sigma, delta, int(record)))
        largest = max(largest, float(bounds[record]))
    return bounds


def _by_rings(values: Floats, sigma: float, delta: float) -> Floats:
    """Proposition 12 with |x − c| + |x' − c| in place of |x − x'|; c the mean of the records.

    It grows with |x − c|, so that records are grouped into rings around c.
    """
    longest = Gaussian(sigma).mu(largest_change(values))
    radius = _distances(values, values.mean(axis=0, keepdims=True), sigma)[:, 0]
    width = max(float(radius.max()) / _RINGS * _OUTWARDS, 1e-300)
    ring = np.clip(np.ceil(radius / width * _OUTWARDS), 0, _RINGS).astype(np.int64)
    ring_shares = np.bincount(ring, minlength=_RINGS + 1) / (len(values) - 1)
    # (1/(N − 1)) Σ_r' (records in ring r') δ(ε; min((r + r') width, longest)), for each ring r; a
    # record's pair with itself is left in.
    grid = _grid(longest, delta)
    edges = np.minimum(np.arange(2 * _RINGS + 1) * width * _OUTWARDS, longest)
    curves = delta_upper(grid[:, None], edges[None, :])
    pairs = np.lib.stride_tricks.sliding_window_view(curves, _RINGS + 1, axis=1)
    means = (pairs @ ring_shares).T * _OUTWARDS
    return np.minimum(_crossings(grid, means, delta), epsilon_upper(longest, delta))[ring]


def _by_classes(values: Floats, sigma: float, delta: float, bounds: Floats, records: Ints) -> None:
    """Lower the bounds of some records, by their distances to all others in classes."""
    reach = _reach(values, sigma)
    # Upper bounds of the classes of distances, from 0 up.
    steps = math.ceil(math.log(_SPAN) / math.log(_RATIO))
    edges = np.concatenate([[0.0], reach * _RATIO ** np.arange(-steps, 1.0)])
    grid = _grid(reach, delta)
    curves, last = delta_upper(grid[:, None], edges[None, :]), len(edges) - 1
    at_once = max(1, min(_CLASS_ROWS, _CELLS // len(values)))
    for start in range(0, len(records), at_once):
        if late(_DISTANCE * at_once * len(values) * values.shape[1]):
            break
        rows = records[start : start + at_once]
        # (1/(N − 1)) Σ_x' δ(ε; ‖x − x'‖/σ): how many x' are in each class, times the curve of its
        # end.
        distances = _distances(values[rows], values, sigma)
        # The class of a distance: ⌈ln(distance/largest)/ln(ratio)⌉, a little up against rounding.
        with np.errstate(divide="ignore"):
            place = np.ceil(np.log(distances / edges[-1]) / math.log(_RATIO) + 1e-6) + last
        place = np.where(distances > 0, np.clip(place, 1, last), 0).astype(np.int64)
        place += np.arange(len(rows))[:, None] * len(edges)
        shares = np.bincount(place.ravel(), minlength=len(rows) * len(edges)).astype(np.float64)
        shares = shares.reshape(len(rows), len(edges))
        shares[:, 0] -= 1  # a record's own
        shares /= len(values) - 1
        crossings = _crossings(grid, shares @ curves.T * _OUTWARDS, delta)
        bounds[rows] = np.minimum(bounds[rows], crossings)


def pairwise_of_record(values: Floats, sigma: float, delta: float, record: int) -> float:
    """Proposition 12 for one record, rounded up."""
    distances = np.delete(_distances(values[[record]], values, sigma)[0], record)
    if not distances.any():
        return 0.0
    if delta == 0:
        return math.inf
    # The least ε at which the mean of the curves keeps to δ.
    enough = _enough(float(distances.max()), delta)

    def at(epsilon: float) -> float:
        return float(delta_upper(epsilon, distances).mean()) * _OUTWARDS

    if at(0.0) <= delta:
        return 0.0
    return (
        least_within(at, delta, 0.0, enough, tolerance=_FINE) if at(enough) <= delta else math.inf
    )


def _distances(some: Floats, values: Floats, sigma: float) -> Floats:
    """Return distances in standard deviations, rounded up, without cancelling."""
    return np.asarray(cdist(some, values) / sigma * (1 + 4e-16 * (values.shape[1] + 4)))


def _reach(values: Floats, sigma: float) -> float:
    """Bound the largest distance: the diagonal of the box around the records."""
    return float(np.linalg.norm(np.ptp(values, axis=0)) / sigma * _OUTWARDS)


def _enough(reach: float, delta: float) -> float:
    """An ε at which the curve of this distance, and of every smaller one, is below δ."""
    return (reach * reach / 2 + reach * math.sqrt(-2 * math.log(delta / 2)) + 1e-9) * 1.01


def _grid(reach: float, delta: float) -> Floats:
    high = _enough(reach, delta)
    return np.concatenate([[0.0], np.geomspace(high * 1e-4, high, _GRID)])


def _crossings(grid: Floats, means: Floats, delta: float) -> Floats:
    """Return where each row's chords, in e^ε, fall to δ; never before the curve does."""
    # The curve is convex in e^ε, so its chord from the last point above δ to the first below lies
    # above it: where the chord is δ, the curve is below.
    met = means <= delta
    first = np.where(met.any(axis=1), met.argmax(axis=1), -1)
    rows = np.arange(len(means))
    after, before = np.maximum(first, 1), np.maximum(first, 1) - 1
    above, below = means[rows, before], means[rows, after]
    with np.errstate(invalid="ignore", divide="ignore"):
        weight = np.clip((above - delta) / (above - below), 0.0, 1.0)
    # ln((1 − w) e^b + w e^a) without overflow, a > b.
    gap = grid[after] - grid[before]
    with np.errstate(divide="ignore"):
        crossing = grid[after] + np.log(weight + (1 - weight) * np.exp(-gap))
    crossing = np.minimum(crossing * _OUTWARDS + 1e-15, grid[after])
    return np.where(first < 0, np.inf, np.where(first == 0, 0.0, crossing))
