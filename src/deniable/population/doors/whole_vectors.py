r"""ε̃ of a sum of vectors of whole numbers, each coordinate with discrete noise of its own.

What is released is one vector, so that all coordinates are analysed together: guarantees of
single ones do not add up, because one sample is behind all of them.

**From whole noise to real noise.** Let φ be the normal or Laplace density of scale s; then the
discrete noise has Pr[k] <= φ(k) on whole numbers (for the normal density by Poisson summation, for
Laplace because tanh x <= x). With g = p_in − e^ε p_out of the densities, the discrete hockey stick
is at most Σ g⁺(k) over whole k. For one coordinate the trapezoid rule gives

.. math:: \left|\sum_k g^+(k) - \int g^+\right| \le \tfrac18 \mathrm{Var}((g^+)')
          \le \tfrac18 \mathrm{Var}(g') \le \tfrac18 (1 + e^\epsilon) \mathrm{Var}(\varphi')

where the second step holds because between two zeros of g its slope varies by at least both slopes
there. Var(φ') is 4 φ_{0,1}(1)/s² < 0.968/s² for the normal density and 2/s² for Laplace.
Coordinates are replaced one by one, the others' factors adding up to at most 1 + 1e-8 from a scale
of 4 on. So with κ = Σ_j c/s_j², c = 0.121 or 0.25,

.. math:: \delta_{whole}(\epsilon) \le \delta_{real}(\epsilon) + (1 + e^\epsilon) \kappa .

With δ = 0 nothing is lost: at whole numbers discrete and real Laplace mixtures have the same
ratios.
"""

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.bounds import Bound, Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms.discrete_gaussian import DiscreteGaussian
from deniable.mechanisms.discrete_laplace import DiscreteLaplace
from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.population import real_sums, type_sums, vector_sums, whole_sums
from deniable.population.bounds import epsilon_at, estimates
from deniable.population.doors.engines import ENOUGH_RECORDS, FEW_TYPES
from deniable.population.question import Ones, Question, Summands, Types
from deniable.work.effort import Effort

_VARIATION = {DiscreteGaussian: 0.121, DiscreteLaplace: 0.25}
"""c above, dimensionless: an eighth of the variation of the density's slope at scale 1."""
_ROOM = 1.001
"""For the other coordinates' factors, at most (1 + 1e-8) each, and for rounding."""
_SMOOTH = 4.0
"""Least scale, in steps, at which real noise stands for whole noise."""
_MOST_LOST = 0.25
"""Share of δ that may go to the step from whole to real noise; above it that is not taken."""
_ERROR = 1 / 16
"""Share of δ that goes to the chance that random draws mislead."""
_LOOKS = 6
"""How often a search may look at bounds that draws gave; each has a share of that chance."""
_COLUMNS = 2**22
"""Whole numbers that a noisy sum of one column reaches, up to which it is looked at one by one."""
_PAIRS = 4096
"""Different vectors up to which all pairs are looked at."""
_OUTWARDS = 1 + 1e-12
"""Room for the rounding of distances and of sums of some thousand terms."""


def _whole(value: Any) -> NDArray[np.int64]:
    return np.atleast_2d(np.asarray(value, np.int64))


def _counts(value: Any) -> NDArray[np.int64]:
    return np.atleast_1d(np.asarray(value, np.int64))


@attrs.frozen(eq=False)
class WholeVectors:
    """The sum over a sample of what each member adds, before noise.

    Parameters
    ----------
    values : array_like of int, shape (n_types, d)
        Different vectors.
    counts : array_like of int, shape (n_types,)
        How many members have each, ≥ 1.
    size : int
        n of the uniform sample, 1 <= n < N.
    """

    values: NDArray[np.int64] = attrs.field(converter=_whole)
    counts: NDArray[np.int64] = attrs.field(converter=_counts)
    size: int

    def __attrs_post_init__(self) -> None:
        if not 1 <= self.size < self.population:
            raise InvalidArgument(
                f"Expected 1 <= size < {self.population}, the number of members, got "
                f"size={self.size}."
            )

    @property
    def population(self) -> int:
        """N."""
        return int(self.counts.sum())

    def every(self) -> NDArray[np.float64]:
        """A row a member."""
        return np.repeat(self.values, self.counts, axis=0).astype(np.float64)


@attrs.frozen
class Found:
    """ε̃ of a noisy vector: its interval, and what gave the upper end.

    Parameters
    ----------
    bound : Bound
        ε̃ at δ, whose upper end is certified.
    method : str
        "constant", "types", "counts", "hypergeometric", "lattice", "fourier", "crowd", "pairwise",
        or "exchanges" and "restricted" where only exchanges of two members were looked at.
    error : float
        The chance that random draws mislead; δ includes it.
    """

    bound: Bound
    method: str
    error: float = 0.0


def whole_vectors(
    data: WholeVectors,
    scales: NDArray[np.float64],
    noise: type[DiscreteGaussian] | type[DiscreteLaplace],
    delta: float,
    demand: float,
    effort: Effort,
) -> Found | None:
    """ε̃ at δ of the sum with independent noise of these scales, as far as it can be certified.

    Parameters
    ----------
    data : WholeVectors
        What is summed.
    scales : array of float, shape (d,)
        Of the noise, in whole steps.
    noise : type
        `DiscreteGaussian`, which needs δ > 0, or `DiscreteLaplace`.
    delta : float
        In [0, 1).
    demand : float
        The ε̃ that is hoped for. A bound above it need not hold where real noise stands for whole
        noise, and is not given back then.
    effort : Effort
        Seed and time limit.

    Returns
    -------
    Found or None
        None where nothing is certified.

    Examples
    --------
    >>> data = WholeVectors([[0], [1]], [4, 2], 3)
    >>> found = whole_vectors(data, np.array([1.0]), DiscreteLaplace, 0.0, 1.0, Effort())
    >>> found.method, 0 < found.bound.upper < 1
    ('hypergeometric', True)
    """
    moving = np.ptp(data.values, axis=0) > 0
    if not moving.any():
        return Found(Bound.exact(0.0), "constant")
    reduced, used = attrs.evolve(data, values=data.values[:, moving]), scales[moving]
    if len(used) == 1:
        return _of_one(reduced, noise(float(used[0])), delta, demand, effort)
    if not delta:
        found = _least(_pure_by_types(reduced, used, effort), _by_exchanges(reduced, used))
        if found is not None and found.bound.upper <= demand:
            return found
        return _least(found, _by_outputs(reduced, used))
    found = _by_types(reduced, used, noise, delta, effort)
    if found is not None and found.bound.upper <= demand:
        return found
    if noise is DiscreteGaussian and not _is_few(reduced):
        return _by_crowd(reduced, used, delta, demand, effort)
    return _by_exchanges(reduced, used) if noise is DiscreteLaplace else None


def hoped_scale(
    data: WholeVectors, scales: NDArray[np.float64], delta: float, demand: float
) -> float:
    """A factor of all scales at which normal approximation meets the demand; no bound.

    For Gaussian noise. 1.0 where it is met already.
    """
    moving = np.ptp(data.values, axis=0) > 0
    points = data.values[:, moving] / scales[moving]
    if _is_few(data):
        question = Question(Types(points, data.counts), data.size, delta)

        def guess(factor: float) -> float:
            return type_sums.estimate(question, Gaussian(factor))
    else:
        every = np.repeat(points, data.counts, axis=0)

        def guess(factor: float) -> float:
            return float(estimates(every, data.size, factor, delta).max())

    low, high = 1.0, 1.0
    while guess(high) > demand and high < _COLUMNS:
        low, high = high, 2 * high
    while high / low > 1.02:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if guess(middle) <= demand else (middle, high)
    return high


def _is_few(data: WholeVectors) -> bool:
    return len(data.values) <= FEW_TYPES and data.population >= ENOUGH_RECORDS


def _least(*found: Found | None) -> Found | None:
    """The one with the smallest upper end."""
    known = [each for each in found if each is not None]
    return min(known, key=lambda each: each.bound.upper, default=None)


def _by_types(
    data: WholeVectors,
    scales: NDArray[np.float64],
    noise: type[DiscreteGaussian] | type[DiscreteLaplace],
    delta: float,
    effort: Effort,
) -> Found | None:
    """Over how many of each type were drawn, with the whole noise itself."""
    if len(data.values) > FEW_TYPES:
        return None
    error = _ERROR * delta
    types = Types(data.values.astype(np.float64), data.counts)
    sure = attrs.evolve(effort, confidence=1 - error / _LOOKS)
    question = Question(types, data.size, delta - error)
    found = type_sums.bracket(question, type_sums.ColumnNoise(noise, scales), sure)
    bound = found.maximum()
    drawn = bound.evidence is Evidence.CONFIDENCE
    return Found(attrs.evolve(bound, lower=0.0), found.method, error if drawn else 0.0)


def _pure_by_types(data: WholeVectors, scales: NDArray[np.float64], effort: Effort) -> Found | None:
    """Exactly, where every member is counted in one cell and the cells have one noise."""
    cells = data.values
    alone = ((cells == 0) | (cells == 1)).all() and (cells.sum(axis=1) == 1).all()
    if not alone or np.ptp(scales) or len(cells) > type_sums.MOST_TYPES:
        return None
    types = Types(cells.astype(np.float64), data.counts)
    question = Question(types, data.size, 0.0)
    found = type_sums.bracket(question, DiscreteLaplace(float(scales[0])), effort)
    return Found(found.maximum(), found.method)


def _by_outputs(data: WholeVectors, scales: NDArray[np.float64]) -> Found | None:
    """Exactly, in a short list of few types."""
    ends = type_sums.every_output(data.counts, data.size, data.values, scales)
    return None if ends is None else Found(_up_to(float(ends[1].max())), "lattice")


def _up_to(upper: float) -> Bound:
    return Bound(0.0, upper, Evidence.ENCLOSURE)


def _of_one(
    data: WholeVectors,
    noise: DiscreteGaussian | DiscreteLaplace,
    delta: float,
    demand: float,
    effort: Effort,
) -> Found | None:
    column = data.values[:, 0] - data.values[:, 0].min()
    step = int(np.gcd.reduce(column))
    if len(column) == 2 and step == 1:
        ones = Ones(int(data.counts[column == 1].sum()), data.population)
        found = whole_sums.bracket(Question(ones, data.size, delta), noise, effort)
        return Found(found.maximum(), "hypergeometric")
    reach = int(column.max()) * min(data.size, data.population - data.size)
    every = np.repeat(column, data.counts).astype(np.float64)
    if reach // (1 if delta else step) <= _COLUMNS:
        question = Question(Summands(every), data.size, delta)
        found = whole_sums.bracket(question, noise, effort)
        return Found(found.maximum(), found.method)
    lost = _lost(np.array([noise.scale]), type(noise), demand) if delta else 0.0
    if lost > _MOST_LOST * delta:
        return _of_exchange(noise, int(column.max()), delta)
    question = Question(Summands(every), data.size, delta - lost)
    real = Laplace if isinstance(noise, DiscreteLaplace) else Gaussian
    bound = real_sums.bracket(question, real(noise.scale), effort).maximum()
    if delta and bound.upper > demand:
        return _of_exchange(noise, int(column.max()), delta)
    # The largest ratio over real outputs may be above that over whole ones: no lower end.
    return Found(_up_to(bound.upper), "fourier")


def _of_exchange(
    noise: DiscreteGaussian | DiscreteLaplace, change: int, delta: float
) -> Found | None:
    most = epsilon_at(noise, change, delta)
    return Found(_up_to(most), "restricted")


def _by_crowd(
    data: WholeVectors, scales: NDArray[np.float64], delta: float, demand: float, effort: Effort
) -> Found | None:
    """By draws, in units of the noise; None where the noise is too coarse or the demand missed."""
    lost = _lost(scales, DiscreteGaussian, demand)
    if lost > _MOST_LOST * delta:
        return None
    error = _ERROR * delta
    question = Question(Summands(data.every() / scales), data.size, delta - error - lost)
    sure = attrs.evolve(effort, confidence=1 - error / _LOOKS)
    # Quotients are rounded to nearest: a little less noise pays for it.
    found = vector_sums.bracket(question, Gaussian(1 - 1e-12), sure)
    bound = found.maximum()
    if bound.upper > demand:
        return None
    return Found(attrs.evolve(bound, lower=0.0), found.method, error)


def _lost(
    scales: NDArray[np.float64],
    noise: type[DiscreteGaussian] | type[DiscreteLaplace],
    demand: float,
) -> float:
    """(1 + e^ε) κ, what δ grows by at most where real noise stands for whole noise."""
    if scales.min() < _SMOOTH or demand > 700:
        return math.inf
    kappa = _VARIATION[noise] * float((1 / scales**2).sum())
    return (1 + math.exp(demand)) * kappa * _ROOM


def _by_exchanges(data: WholeVectors, scales: NDArray[np.float64]) -> Found | None:
    """Pure ε̃ under Laplace noise: an exchange moves ln of the density by the L1 distance."""
    if len(data.values) > _PAIRS:
        return None
    distances = np.zeros((len(data.values),) * 2)
    for column in (data.values / scales).T:
        distances += np.abs(column[:, None] - column) * _OUTWARDS
    worst = float(type_sums.exchanged(distances, data.counts, data.size).max())
    return Found(_up_to(worst * _OUTWARDS), "exchanges")
