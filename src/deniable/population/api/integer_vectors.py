"""ε̃ of a sum of vectors of whole numbers, each coordinate with discrete noise of its own.

What is released is one vector, so that all coordinates are analysed together: guarantees of
single ones do not add up, because one sample is behind all of them.
"""

import math
from collections.abc import Callable, Sequence

import attrs
import numpy as np

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort, limited
from deniable.population import integer_sums, real_sums, swaps, type_sums, vector_sums
from deniable.population.api.engines import ENOUGH_RECORDS, FEW_TYPES
from deniable.population.bounds import epsilon_at, estimates, laplace_epsilon_of_exchanges
from deniable.population.question import Floats, Ints, Ones, Question, Selection, Summands, Types

ERROR = 1 / 16  # Share of δ that goes to the chance that random draws mislead
LOOKS = 6  # How often a search may look at bounds from draws, which share the chance of an error
_LARGEST_FACTOR = 2.0**22  # The largest factor of the noise that is looked for
_CLOSE = 1.02  # A guess at a factor is no bound, and is needed no closer than this


@attrs.frozen(eq=False)
class IntegerVectors:
    """The sum over a sample of what each member adds, before noise."""

    # (n_types, d): different vectors.
    values: Ints
    # (n_types,): how many members have each, ≥ 1.
    counts: Ints
    size: int  # n of the uniform sample, 1 <= n < N

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "values", np.atleast_2d(np.asarray(self.values, np.int64)))
        object.__setattr__(self, "counts", np.atleast_1d(np.asarray(self.counts, np.int64)))
        if not 1 <= self.size < self.population:
            raise InvalidArgument(
                f"Expected 1 <= size < {self.population}, the number of members, got "
                f"size={self.size}."
            )
        # As whole numbers of any size: a wide difference of 64 bits can wrap round to none.
        spans = (int(column.max()) - int(column.min()) for column in self.values.T)
        if max(spans, default=0) >= 2**63:  # A difference of values that 64 bits do not hold
            raise InvalidArgument(
                "Expected values less than 2^63 apart in each column, got some that are farther. "
                "Take a coarser step, or narrower bounds."
            )

    @property
    def population(self) -> int:
        """N."""
        return int(self.counts.sum())


@attrs.frozen
class CertifiedBound:
    """ε̃ of a noisy vector: its interval, and what gave the upper bound."""

    bound: Bound  # ε̃ at δ, whose upper bound is certified
    # "constant", "types", "counts", "hypergeometric", "lattice", "fourier", "crowd", "pairwise",
    # "swaps", "cells", or "exchanges" and "restricted" where only exchanges of two members were
    # looked at.
    method: str
    error: float = 0.0  # The chance that random draws mislead; δ includes it


def enclosed(upper: float, method: str) -> CertifiedBound:
    """An upper bound that no draw is behind."""
    return CertifiedBound(Bound(0.0, upper, Evidence.ENCLOSURE), method)


def meets(bound: CertifiedBound | None, demand: float) -> bool:
    """Whether a bound is known, and low enough."""
    return bound is not None and bound.bound.upper <= demand


def smallest(*bounds: CertifiedBound | None) -> CertifiedBound | None:
    """The one with the smallest upper bound, of those that are known."""
    known = [each for each in bounds if each is not None]
    return min(known, key=lambda each: each.bound.upper, default=None)


def guess_factor(guess: Callable[[float], float], demand: float) -> float:
    """The least factor ≥ 1 of the noise at which a falling guess of ε̃ meets the demand, about."""
    low, high = 1.0, 1.0
    while guess(high) > demand and high < _LARGEST_FACTOR:
        low, high = high, 2 * high
    while high / low > _CLOSE:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if guess(middle) <= demand else (middle, high)
    return high


def by_swaps(
    data: IntegerVectors, scales: Floats, delta: float, *, squares: bool
) -> CertifiedBound | None:
    """Bound ε without a draw; None where the list is too small, or δ = 0.

    All columns vary, and `scales` (d,) of the noise are in whole steps; squares say Gaussian noise.
    """
    if not delta or data.population < swaps.FEWEST_MEMBERS:
        return None
    members = swaps.Members(data.values, data.counts, data.size, scales, squares)
    most = swaps.upper_bound(members, delta)
    return None if math.isinf(most) else enclosed(most, "swaps")


# --- What δ grows by where real noise stands for whole noise.
#
# Let φ be the normal or Laplace density of scale s, and g = p_in − e^ε p_out of the densities. The
# discrete hockey stick is at most Σ g⁺(k) over whole k, for one coordinate
#
# .. math:: \left|\sum_k g^+(k) - \int g^+\right| \le \tfrac18 \mathrm{Var}((g^+)')
#           \le \tfrac18 \mathrm{Var}(g') \le \tfrac18 (1 + e^\epsilon) \mathrm{Var}(\varphi')
#
# and so with κ = Σ_j c/s_j², c = 0.121 or 0.25 (docs/explanation/within-cells.md),
#
# .. math:: \delta_{whole}(\epsilon) \le \delta_{real}(\epsilon) + (1 + e^\epsilon) \kappa .
#
# With δ = 0 nothing is lost: at whole numbers discrete and real Laplace mixtures have the same
# ratios.

MOST_LOST = 0.25  # Share of δ that may go to the step from whole to real noise
_VARIATION = {DiscreteGaussian: 0.121, DiscreteLaplace: 0.25}
"""c above, dimensionless: an eighth of the variation of the density's slope at scale 1."""
_MOST_DEMANDED = 700.0  # ε up to which e^ε is a number
_DELTA_OUTWARDS = 1.001  # Margin of δ: other coordinates' factors, 1 + 1e-8 each, and rounding
_SMOOTH = 4.0  # Least scale, in steps, at which real noise stands for whole noise


def delta_increase(
    scales: Floats, noise: type[DiscreteGaussian] | type[DiscreteLaplace], demand: float
) -> float:
    """(1 + e^ε) κ, what δ grows by at most where real noise stands for whole noise."""
    if scales.min() < _SMOOTH or demand > _MOST_DEMANDED:
        return math.inf
    kappa = _VARIATION[noise] * float((1 / scales**2).sum())
    return (1 + math.exp(demand)) * kappa * _DELTA_OUTWARDS


_COLUMNS = 2**22  # Whole numbers that a noisy column reaches, up to which each is looked at
_MOST_EXACT = 20_000  # Beyond, swaps are tried first: half a second, exactly takes seconds


def of_column(
    data: IntegerVectors,
    noise: DiscreteGaussian | DiscreteLaplace,
    delta: float,
    demand: float,
    effort: Effort,
) -> CertifiedBound:
    """ε̃ of one column; by the noise alone where nothing closer was found.

    As `bound_vectors`, of one column, which varies.
    """
    column = data.values[:, 0] - data.values[:, 0].min()
    step = int(np.gcd.reduce(column))
    if len(column) == 2 and step == 1:
        ones = Ones(int(data.counts[column == 1].sum()), data.population)
        record_bounds = integer_sums.bracket(Question(ones, data.size, delta), noise, effort)
        return CertifiedBound(record_bounds.maximum(), "hypergeometric")
    reach = int(column.max()) * min(data.size, data.population - data.size)
    if delta and len(column) > _MOST_EXACT:
        squares = isinstance(noise, DiscreteGaussian)
        swapped = by_swaps(data, np.array([noise.scale]), delta, squares=squares)
        if swapped is not None and meets(swapped, demand):
            return swapped
    every = np.repeat(column, data.counts).astype(np.float64)
    if reach // (1 if delta else step) <= _COLUMNS:
        question = Question(Summands(every), data.size, delta)
        record_bounds = integer_sums.bracket(question, noise, effort)
        return CertifiedBound(record_bounds.maximum(), record_bounds.method)
    # Distinct numbers up to which δ = 0 is analysed exactly, in seconds; of more, exchanges ask for
    # about a sixth more noise, in milliseconds.
    if not delta and len(column) > 1000:
        extremes = np.array([[0.0], [column.max() / noise.scale]])
        most = laplace_epsilon_of_exchanges(
            extremes, column[:, None] / noise.scale, data.counts, data.size
        )
        return enclosed(most, "exchanges")
    share = delta_increase(np.array([noise.scale]), type(noise), demand) if delta else 0.0
    if share <= MOST_LOST * delta:
        question = Question(Summands(every), data.size, delta - share)
        real = Laplace if isinstance(noise, DiscreteLaplace) else Gaussian
        bound = real_sums.bracket(question, real(noise.scale), effort).maximum()
        if not delta or bound.upper <= demand:
            # The largest ratio over real outputs may be above that over whole ones: no lower bound.
            return enclosed(bound.upper, "fourier")
    return enclosed(epsilon_at(noise, int(column.max()), delta), "restricted")


__all__ = ["CertifiedBound", "IntegerVectors", "bound_vectors", "estimate_scale"]

_DRAWN = 2 * LOOKS  # Bounds from draws in a search at most: types, and then the crowd, each look
PAIRS = 4096  # Different vectors up to which all pairs are looked at; of more, corners of cells
OUTWARDS = 1 + 1e-12  # Room for the rounding of distances and of sums of a few thousand terms
_DISTANCES = 2**28  # Distances of corners from members that are looked at: several seconds


def bound_vectors(
    data: IntegerVectors,
    scales: Floats,
    noise: type[DiscreteGaussian] | type[DiscreteLaplace],
    delta: float,
    demand: float,
    effort: Effort,
) -> CertifiedBound | None:
    """ε̃ at δ of the sum with independent noise of these scales, as far as it can be certified.

    None where nothing is certified. The `scales` (d,) of the noise are in whole steps; Gaussian
    noise needs δ > 0. A bound above the `demand` need not hold where real noise stands for whole
    noise, and is not given back then.

    >>> data = IntegerVectors([[0], [1]], [4, 2], 3)
    >>> answer = bound_vectors(data, np.array([1.0]), DiscreteLaplace, 0.0, 1.0, Effort())
    >>> answer.method, 0 < answer.bound.upper < 1
    ('hypergeometric', True)
    """
    moving = np.ptp(data.values, axis=0) > 0
    if not moving.any():
        return CertifiedBound(Bound.exact(0.0), "constant")
    reduced, used = attrs.evolve(data, values=data.values[:, moving]), scales[moving]
    if len(used) == 1:
        return of_column(reduced, noise(float(used[0])), delta, demand, effort)
    if not delta:
        best = smallest(_pure_by_types(reduced, used, effort), _by_exchanges(reduced, used))
        if meets(best, demand):
            return best
        return smallest(best, by_outputs(reduced, used))
    best = None
    if len(reduced.values) <= FEW_TYPES:
        types = Types(reduced.values.astype(np.float64), reduced.counts)
        each = type_sums.ColumnNoise(noise, used)
        best = by_types(types, reduced.size, each, delta, effort, _DRAWN)
    if meets(best, demand):
        return best
    swapped = by_swaps(reduced, used, delta, squares=noise is DiscreteGaussian)
    if meets(swapped, demand):
        return swapped
    cellwise = by_cells(reduced, used, noise, delta, demand, effort)
    if meets(cellwise, demand):
        return cellwise
    if noise is DiscreteLaplace:
        return smallest(best, swapped, cellwise, _by_exchanges(reduced, used))
    crowd = None if _is_few(reduced) else _by_crowd(reduced, used, delta, demand, effort)
    return smallest(best, swapped, cellwise, crowd)


def estimate_scale(data: IntegerVectors, scales: Floats, delta: float, demand: float) -> float:
    """A factor of all scales at which normal approximation meets the demand; no bound.

    For Gaussian noise. 1.0 where it is met already.
    """
    moving = np.ptp(data.values, axis=0) > 0
    points = data.values[:, moving] / scales[moving]
    if _is_few(data):
        question = Question(Types(points, data.counts), data.size, delta)
        return guess_factor(lambda by: type_sums.estimate(question, Gaussian(by)), demand)
    every = np.repeat(points, data.counts, axis=0)
    return guess_factor(lambda by: float(estimates(every, data.size, by, delta).max()), demand)


def _is_few(data: IntegerVectors) -> bool:
    return len(data.values) <= FEW_TYPES and data.population >= ENOUGH_RECORDS


def by_types(
    types: Types,
    size: int,
    noise: type_sums.ColumnNoise,
    delta: float,
    effort: Effort,
    looks: int,
    selections: tuple[Selection, ...] = (),
) -> CertifiedBound:
    """Bound ε by draws over how many of each type are in, with the noise itself."""
    error = ERROR * delta
    sure = attrs.evolve(effort, confidence=1 - error / looks)
    record_bounds = type_sums.bracket(Question(types, size, delta - error), noise, sure, selections)
    bound = attrs.evolve(record_bounds.maximum(), lower=0.0)
    drawn = bound.evidence is Evidence.CONFIDENCE
    return CertifiedBound(bound, record_bounds.method, error if drawn else 0.0)


def by_outputs(
    data: IntegerVectors, scales: Floats, selections: Sequence[Selection] = ()
) -> CertifiedBound | None:
    """δ = 0 in a short list, all vectors of counts one by one."""
    selected = type_sums.Selected(selections)
    bounds = type_sums.every_output(data.counts, data.size, data.values, scales, selected)
    return None if bounds is None else enclosed(float(bounds[1].max()), "lattice")


def _pure_by_types(data: IntegerVectors, scales: Floats, effort: Effort) -> CertifiedBound | None:
    """Exactly, where every member is counted in one cell and the cells have one noise."""
    cells = data.values
    alone = ((cells == 0) | (cells == 1)).all() and (cells.sum(axis=1) == 1).all()
    if not alone or np.ptp(scales) or len(cells) > type_sums.MOST_TYPES:
        return None
    question = Question(Types(cells.astype(np.float64), data.counts), data.size, 0.0)
    record_bounds = type_sums.bracket(question, DiscreteLaplace(float(scales[0])), effort)
    return CertifiedBound(record_bounds.maximum(), record_bounds.method)


def by_cells(
    data: IntegerVectors,
    scales: Floats,
    noise: type[DiscreteGaussian] | type[DiscreteLaplace],
    delta: float,
    demand: float,
    effort: Effort,
) -> CertifiedBound | None:
    """Bound it for an attacker told how many of each cell were drawn.

    None where members of a cell differ in two columns.
    """
    members = swaps.Members(data.values, data.counts, data.size, scales, noise is DiscreteGaussian)
    demand = min(demand, _MOST_DEMANDED)
    lost = [delta_increase(scale, noise, demand) for scale in scales[:, np.newaxis]]
    with limited(effort.time_limit):
        upper = swaps.bound_within_cells(members, delta, demand, np.array(lost))
    return None if math.isinf(upper) else enclosed(upper, "cells")


def _by_crowd(
    data: IntegerVectors, scales: Floats, delta: float, demand: float, effort: Effort
) -> CertifiedBound | None:
    """Bound by draws, in noise units; None where noise is too coarse or the demand missed."""
    share = delta_increase(scales, DiscreteGaussian, demand)
    if share > MOST_LOST * delta:
        return None
    error = ERROR * delta
    every = np.repeat(data.values, data.counts, axis=0)
    question = Question(Summands(every / scales), data.size, delta - error - share)
    sure = attrs.evolve(effort, confidence=1 - error / _DRAWN)
    # Quotients are rounded to nearest: a little less noise pays for it.
    record_bounds = vector_sums.bracket(question, Gaussian(1 - 1e-12), sure)
    bound = record_bounds.maximum()
    if bound.upper > demand:
        return None
    return CertifiedBound(attrs.evolve(bound, lower=0.0), record_bounds.method, error)


def _by_exchanges(data: IntegerVectors, scales: Floats) -> CertifiedBound | None:
    """Pure ε̃ under Laplace noise: an exchange moves ln of the density by the L1 distance."""
    if len(data.values) > PAIRS:
        # Too many pairs: from members who would be more extreme.
        at = swaps.corners(data.values, data.counts)
        if at is None or len(at) * len(data.values) > _DISTANCES:
            return None
        most = laplace_epsilon_of_exchanges(
            at / scales, data.values / scales, data.counts, data.size
        )
        return enclosed(most, "exchanges")
    distances = np.zeros((len(data.values),) * 2)
    for column in (data.values / scales).T:
        distances += np.abs(column[:, None] - column) * OUTWARDS
    worst = float(type_sums.exchanged(distances, data.counts, data.size).max())
    return enclosed(worst * OUTWARDS, "exchanges")
