"""One column of whole numbers with whole noise: by the engine that answers closest."""

import numpy as np

from deniable.mechanisms.discrete_gaussian import DiscreteGaussian
from deniable.mechanisms.discrete_laplace import DiscreteLaplace
from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort
from deniable.population import integer_sums, real_sums
from deniable.population.api.real_noise import MOST_LOST, delta_increase
from deniable.population.api.whole_members import CertifiedBound, IntegerVectors
from deniable.population.api.whole_swaps import by_swaps
from deniable.population.bounds import epsilon_at, laplace_epsilon_of_exchanges
from deniable.population.question import Ones, Question, Summands

_COLUMNS = 2**22
"""Whole numbers that a noisy sum of one column reaches, up to which it is looked at one by one."""
_MOST_EXACT = 20_000
"""Distinct numbers beyond which swaps are tried first: exactly takes seconds, and swaps half a
second."""
_MOST_PURE = 1000
"""Distinct numbers up to which δ = 0 is analysed exactly, in seconds; of more, exchanges ask for
about a sixth more noise, in milliseconds."""


def of_column(
    data: IntegerVectors,
    noise: DiscreteGaussian | DiscreteLaplace,
    delta: float,
    demand: float,
    effort: Effort,
) -> CertifiedBound:
    """ε̃ of one column; by the noise alone where nothing closer was found.

    Parameters
    ----------
    data : IntegerVectors
        Of one column, which varies.
    noise : DiscreteGaussian or DiscreteLaplace
        On the sum.
    delta, demand, effort
        As in `bound_vectors`.
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
        scales = np.array([noise.scale])
        swapped = by_swaps(data, scales, delta, squares=squares)
        if swapped is not None and swapped.bound.upper <= demand:
            return swapped
    every = np.repeat(column, data.counts).astype(np.float64)
    if reach // (1 if delta else step) <= _COLUMNS:
        question = Question(Summands(every), data.size, delta)
        record_bounds = integer_sums.bracket(question, noise, effort)
        return CertifiedBound(record_bounds.maximum(), record_bounds.method)
    if not delta and len(column) > _MOST_PURE:
        extremes = np.array([[0.0], [column.max() / noise.scale]])
        most = laplace_epsilon_of_exchanges(
            extremes, column[:, None] / noise.scale, data.counts, data.size
        )
        return CertifiedBound(Bound(0.0, most, Evidence.ENCLOSURE), "exchanges")
    share = delta_increase(np.array([noise.scale]), type(noise), demand) if delta else 0.0
    if share > MOST_LOST * delta:
        return _of_exchange(noise, int(column.max()), delta)
    question = Question(Summands(every), data.size, delta - share)
    real = Laplace if isinstance(noise, DiscreteLaplace) else Gaussian
    bound = real_sums.bracket(question, real(noise.scale), effort).maximum()
    if delta and bound.upper > demand:
        return _of_exchange(noise, int(column.max()), delta)
    # The largest ratio over real outputs may be above that over whole ones: no lower bound.
    return CertifiedBound(Bound(0.0, bound.upper, Evidence.ENCLOSURE), "fourier")


def _of_exchange(
    noise: DiscreteGaussian | DiscreteLaplace, change: int, delta: float
) -> CertifiedBound:
    most = epsilon_at(noise, change, delta)
    return CertifiedBound(Bound(0.0, most, Evidence.ENCLOSURE), "restricted")
