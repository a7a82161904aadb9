r"""The pairwise bound: a sample with x against the same with x' (lowy-2024, Proposition 12).

.. math:: D_{e^\epsilon}(P_{in,x} \| P_{out,x}) \le \frac{1}{N-1} \sum_{x' \ne x}
          \delta\left(\epsilon; \|x - x'\|/\sigma\right)

Draw the sample with x, E ∪ x, and give the place of x to a uniform record outside: x' is uniform
among the N − 1 others, and the hockey stick is jointly convex. The same from the other side.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from deniable.mechanisms.gaussian import Gaussian
from deniable.numerics.effort import Progress
from deniable.numerics.rounding import least
from deniable.numerics.time_limit import late
from deniable.population.bounds.gaussian_curve import delta_upper, epsilon_upper
from deniable.population.bounds.sensitivity import largest_change

_DISTANCE, _CURVE = 10.0, 5000.0
"""Nanoseconds of a column's part in a distance, and of a member in a bound: some fifty curves.
Nominal."""
_RATIO = 1.005
"""Quotient of neighbouring classes of distances: half a percent."""
_SPAN = 1e5
"""Farthest distance over the nearest that has a class of its own; nearer ones are rounded up to
it."""
_ROWS, _CELLS = 256, 5_000_000
"""Records whose distances to all others are held at once, and distances: 40 megabytes, and a few
times as much for their classes."""
TRIED = 48
"""Records that get a bound without classes."""
_GRID = 480
"""Values of ε at which the curve is computed; chords lie between."""
_CLOSE = 1e-12
"""Share of ε to which a bound is known; the curve itself is known to 1e-15."""
_OUTWARDS = 1 + 1e-12
"""Room for rounding of sums of some thousand terms."""


MANY = 20_000
"""Records beyond which pairs are too many: 4e8 distances, several times the time of the crowd."""
_PAIRS = 100_000_000
"""Distances formed where pairs are too many: some seconds."""
_RINGS = 400
"""Classes of equal width of the distance from the centre; at most 0.5 % of the largest sum of two
is lost."""


def _silent(_: float) -> None:
    """The progress of work that nobody watches."""


def pairwise_bounds(
    values: NDArray[np.float64],
    sigma: float,
    delta: float,
    *,
    tried: int = TRIED,
    progress: Progress = _silent,
) -> NDArray[np.float64]:
    """An upper bound on ε̃ of every record, for Gaussian noise on the sum of a sample.

    It does not depend on the size of the sample. Of more than 20,000 records those farthest from
    the centre get it, as many as 1e8 distances allow. Of the others, every distance is rounded up
    to the sum of two distances from the centre, and to the largest between any two records.

    Distances are rounded up into classes whose ends differ by half a per cent, and ε is read off
    chords of the curve, which is convex in e^ε; both keep the bound above Proposition 12, by a
    few per cent at most. `pairwise_of_record` has none of that. The records that rank worst
    are done by it, until the largest is found or `tried` are done.

    Parameters
    ----------
    values : array of float, shape (n_records, n_columns)
        The parent set.
    sigma : float
        Standard deviation of the noise on the sum, > 0.
    delta : float
        In [0, 1); at 0 the bound is infinite unless all records are the same.
    tried : int
        How many records get a bound without classes, ≥ 0.
    progress : callable
        Called with the fraction done.

    Returns
    -------
    array of float, shape (n_records,)
        Rounded up; ≥ 0, maybe infinite.
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
        upper = _by_rings(values, sigma, delta)
        first = np.argsort(-upper, kind="stable")[: _PAIRS // n_records]
        tried = min(tried, tried * MANY // n_records)
    else:  # no pair is farther apart than the reach
        upper, first = np.full(n_records, epsilon_upper(reach, delta)), np.arange(n_records)
    _by_classes(values, sigma, delta, upper, first, progress)
    return _sharpen(values, sigma, delta, upper, tried)


def _by_rings(values: NDArray[np.float64], sigma: float, delta: float) -> NDArray[np.float64]:
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
    upper = _crossings(grid, means, delta)
    return np.minimum(upper, epsilon_upper(longest, delta))[ring]


def _by_classes(
    values: NDArray[np.float64],
    sigma: float,
    delta: float,
    upper: NDArray[np.float64],
    records: NDArray[np.int64],
    progress: Progress,
) -> None:
    """Lower the bounds of some records, by their distances to all others in classes."""
    reach = _reach(values, sigma)
    edges = _edges(reach)
    grid = _grid(reach, delta)
    curves = delta_upper(grid[:, None], edges[None, :])
    at_once = max(1, min(_ROWS, _CELLS // len(values)))
    for start in range(0, len(records), at_once):
        if late(_DISTANCE * at_once * len(values) * values.shape[1]):
            break
        rows = records[start : start + at_once]
        # (1/(N − 1)) Σ_x' δ(ε; ‖x − x'‖/σ): how many x' are in each class, times the curve of its
        # end.
        distances = _distances(values[rows], values, sigma)
        shares = _classes(distances, edges) / (len(values) - 1)
        crossings = _crossings(grid, shares @ curves.T * _OUTWARDS, delta)
        upper[rows] = np.minimum(upper[rows], crossings)
        progress(min((start + at_once) / len(records), 1.0))


def pairwise_of_record(
    values: NDArray[np.float64], sigma: float, delta: float, record: int
) -> float:
    """Proposition 12 for one record, rounded up."""
    distances = _distances(values[[record]], values, sigma)[0]
    return _least_epsilon(np.delete(distances, record), delta)


def _least_epsilon(distances: NDArray[np.float64], delta: float) -> float:
    if not distances.any():
        return 0.0
    if delta == 0:
        return math.inf
    # The least ε at which the mean of the curves keeps to δ.
    enough = _enough(float(distances.max()), delta)

    def meets(epsilon: float) -> bool:
        return float(delta_upper(epsilon, distances).mean()) * _OUTWARDS <= delta

    if meets(0.0):
        return 0.0
    return least(meets, 0.0, enough, tolerance=_CLOSE) if meets(enough) else math.inf


def _sharpen(
    values: NDArray[np.float64], sigma: float, delta: float, upper: NDArray[np.float64], tried: int
) -> NDArray[np.float64]:
    """The records that rank worst by their own bound, until the largest of all is among them."""
    largest = 0.0
    for record in np.argsort(-upper, kind="stable")[:tried]:
        if upper[record] <= largest or late(_CURVE * len(values)):
            break
        upper[record] = min(upper[record], pairwise_of_record(values, sigma, delta, int(record)))
        largest = max(largest, float(upper[record]))
    return upper


def _distances(
    some: NDArray[np.float64], values: NDArray[np.float64], sigma: float
) -> NDArray[np.float64]:
    """In standard deviations, rounded up; differences are formed directly, without cancelling."""
    return np.asarray(cdist(some, values) / sigma * (1 + 4e-16 * (values.shape[1] + 4)))


def _reach(values: NDArray[np.float64], sigma: float) -> float:
    """At least the largest distance: the diagonal of the box around the records."""
    return float(np.linalg.norm(np.ptp(values, axis=0)) / sigma * _OUTWARDS)


def _enough(reach: float, delta: float) -> float:
    """An ε at which the curve of this distance, and of every smaller one, is below δ."""
    return (reach * reach / 2 + reach * math.sqrt(-2 * math.log(delta / 2)) + 1e-9) * 1.01


def _edges(reach: float) -> NDArray[np.float64]:
    """Upper bounds of the classes of distances, from 0 up."""
    steps = math.ceil(math.log(_SPAN) / math.log(_RATIO))
    return np.concatenate([[0.0], reach * _RATIO ** np.arange(-steps, 1.0)])


def _classes(distances: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many other records fall into each class, a row a record; its own 0 is taken out."""
    # The class of a distance: ⌈ln(distance/largest)/ln(ratio)⌉, a little up against rounding.
    with np.errstate(divide="ignore"):
        place = np.ceil(np.log(distances / edges[-1]) / math.log(_RATIO) + 1e-6) + len(edges) - 1
    place = np.where(distances > 0, np.clip(place, 1, len(edges) - 1), 0).astype(np.int64)
    rows = np.arange(len(distances))[:, None] * len(edges)
    counts = np.bincount((place + rows).ravel(), minlength=len(distances) * len(edges))
    shares = counts.reshape(len(distances), len(edges)).astype(np.float64)
    shares[:, 0] -= 1
    return shares


def _grid(reach: float, delta: float) -> NDArray[np.float64]:
    high = _enough(reach, delta)
    return np.concatenate([[0.0], np.geomspace(high * 1e-4, high, _GRID)])


def _crossings(
    grid: NDArray[np.float64], means: NDArray[np.float64], delta: float
) -> NDArray[np.float64]:
    """Where the chords of each row, in e^ε, fall to δ; never before the curve does."""
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
