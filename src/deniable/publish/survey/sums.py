r"""A population's total and its mean, from a noisy sum in a sample: bounds that are proved.

Σx² is not published, so that the spread of the values is not known: bounds on them stand in its
place, and intervals are wider than where it is known. Let unit i of N add x_i in [a, b], with the
mean μ, let S be the sum over n units drawn, R = b − a, and E the noise. For all λ > 0

.. math:: \ln E e^{\lambda(S - na)} \le n \ln\left(1 + \tfrac{\mu - a}{R}(e^{\lambda R} - 1)\right),
          \quad
          \ln E e^{\lambda(S - n\mu)} \le \tfrac{\lambda^2 R^2}{8 N}
          \min\{n(N - n + 1), (n + 1)(N - n)\},

the first because drawing without replacement is no more spread than with it (hoeffding-1963,
Theorems 1 and 4), the second by serfling-1974, for the units drawn and for those that were not.
Chernoff: where Pr[S + E >= y] <= 1/40 by one of them the mean μ is rejected, and as both grow with
μ, all smaller ones. Solved for μ, with L = ln 40 and ψ = ln E e^{λE}:

.. math:: \mu \ge a + R \frac{\exp((\lambda(y - na) - L - \psi)/n) - 1}{e^{\lambda R} - 1}, \quad
          \mu \ge \frac{\lambda y - L - \psi - \lambda^2 V/2}{\lambda n},

V being the factor of λ²/2 above. Each λ gives a bound, all λ the same tests, so that the largest of
the bounds holds. The upper bound is the lower one of −x.

*Mean over the units that take part.* For the population's μ the numbers d_i = x_i − μ of those that
take part, 0 of the others, add up to 0. Let n' of them be drawn: given n' they are a simple random
sample of all, and their sum has V <= n' R²/4. With S' and n' published as S' + E and n' + E', the
number (v − μ)(n' + E') of a published mean v is their sum with noise E − (μ − m) E', and \|μ − m\|
is at most R/2 where m is the middle of the bounds. So with t from Chernoff at confidence 95.5 %,
and a c that −E' passes with 0.5 %, V = (n' + E' + c) R²/4 gives v ± t/(n' + E'). A mean that was
clipped to the bounds is nearer to μ than it was, and one over fewer than 1 says nothing.
"""

from collections.abc import Sequence
from fractions import Fraction

import attrs

from deniable.numerics.rounding import Ball, Directed, directed, lower, upper
from deniable.pipeline.noise import DiscreteLaplace
from deniable.publish.plan import SimpleRandomSample
from deniable.publish.query import ErrorTerm, log_moment
from deniable.publish.survey.counts import ERROR

_RATES = 96  # λ that are tried, evenly in logarithms
_LEAST_RATE = 0.5  # the first, in inverse deviations where half of all values are at either bound
_LARGEST_STEP = 8.0  # the last, in inverse ranges of a value, or in inverse deviations of the noise
_BELOW_ONE = 0.998  # the last at most, in inverse scales of Laplace noise
_FAR = 64
"""Scales of noise beyond all that can be summed up, where every value is as good as any other."""
_CONVERSION = 2.0**-52
"""The error of a published number converted to a float64, as a share of its size."""
_GRID = 2.0**-22
"""More than a step of the grid, as a share of the larger bound: each value is rounded to it by half
a step; a mean is computed in float64 and clipped to bounds that lie as far beside the grid's."""
OF_THE_COUNT = 0.005
"""Probability that more rows take part than the published number of them suggests."""


def total_interval(
    value: float,
    bounds: tuple[float, float],
    sample: SimpleRandomSample,
    terms: Sequence[ErrorTerm],
) -> tuple[float, float]:
    """Return what holds the population's total, where the sample's was published with noise.

    `bounds` are of what one unit adds; the noise is in the unit of the sum.

    >>> from deniable.pipeline.noise import DiscreteGaussian
    >>> noise = ErrorTerm(Fraction(1), 1, DiscreteGaussian(5.0))
    >>> low, high = total_interval(30.0, (0.0, 1.0), SimpleRandomSample(100, 1000), [noise])
    >>> round(low), round(high)
    (133, 487)
    """
    low, high = bounds
    with directed() as r:
        units, everything = sample.population, (r(low), r(high))
        least = _least_mean(r, r(value), (low, high), sample, terms)
        most = -_least_mean(r, r(-value), (-high, -low), sample, terms)
        # Cut to what there can be; where nothing is left, the nearest that there can be.
        least, most = (r.min(r.max(each, everything[0]), everything[1]) for each in (least, most))
        return lower(least * units), upper(most * units)


def _least_mean(
    r: Directed,
    value: Ball,
    bounds: tuple[float, float],
    sample: SimpleRandomSample,
    terms: Sequence[ErrorTerm],
) -> Ball:
    """The largest of the lower bounds on μ."""
    low, size = r(bounds[0]), sample.size
    spread = r(bounds[1]) - low
    factor, error = r(_spread_of_sum(sample)) * spread * spread, r.log(2 / r(ERROR))
    above = value - abs(value) * r(_CONVERSION) - low * size
    above = r.min(above, 2 * size * spread + _FAR * _deviation(r, terms))
    result = low
    for rate in _rates(r, spread, sample.size, terms):
        cost = error + _log_moments(r, rate, terms)
        by_range = spread * r.expm1((rate * above - cost) / size) / r.expm1(rate * spread)
        by_deviation = (above - cost / rate - rate * factor / 2) / size
        result = r.max(result, low + by_range, low + by_deviation)
    return result


def _spread_of_sum(sample: SimpleRandomSample) -> Fraction:
    """V over R²."""
    size, population = sample.size, sample.population
    most = min(size * (population - size + 1), (size + 1) * (population - size))
    return Fraction(most, 4 * population)


def _rates(r: Directed, spread: Ball, size: int, terms: Sequence[ErrorTerm]) -> list[Ball]:
    """λ from where the values differ most to where they hardly differ."""
    deviation = _deviation(r, terms)
    first = _LEAST_RATE / r.sqrt(spread * spread * size / 4 + deviation * deviation)
    last = _LARGEST_STEP / r.max(spread, deviation)
    for term in terms:
        if isinstance(term.noise, DiscreteLaplace):  # its ψ is infinite from here on
            last = r.min(last, r(_BELOW_ONE) / (r(term.size) * r(term.noise.scale)))
    growth = r.exp(r.log(last / first) / _RATES)
    rates = [first]
    while len(rates) < _RATES:
        rates.append(rates[-1] * growth)
    return rates


def _deviation(r: Directed, terms: Sequence[ErrorTerm]) -> Ball:
    """The scales of all terms together."""
    squares = (term.number * (r(term.size) * r(term.noise.scale)) ** 2 for term in terms)
    return r.sqrt(sum(squares, r(0)))


def _log_moments(r: Directed, rate: Ball, terms: Sequence[ErrorTerm]) -> Ball:
    """ψ of the noise that all terms add."""
    each = (term.number * log_moment(r, rate * r(term.size), term.noise) for term in terms)
    return sum(each, r(0))


@attrs.frozen
class MeanNoise:
    """What a mean's parts got, each in the column's unit.

    `total` is the noise of the sum about the middle of the bounds, `number` that of the number of
    rows times half their range, None where it is public. `surplus` is by how much the published
    number passes below the exact one with probability 0.5 % at most.
    """

    total: ErrorTerm
    number: ErrorTerm | None = None
    surplus: float = 0.0


def mean_interval(
    value: float,
    number: float,
    bounds: tuple[float, float],
    sample: SimpleRandomSample,
    noise: MeanNoise,
    rows: int = 1,
) -> tuple[float, float]:
    """Return what holds the mean over the population's rows that take part.

    `bounds` are of the column's values, and of what they are rounded to; one unit has at most
    `rows` rows.

    >>> from deniable.pipeline.noise import DiscreteGaussian
    >>> noise = MeanNoise(ErrorTerm(Fraction(1), 1, DiscreteGaussian(5.0)))
    >>> low, high = mean_interval(0.3, 100.0, (0.0, 1.0), SimpleRandomSample(100, 1000), noise)
    >>> round(low, 3), round(high, 3)
    (0.113, 0.487)
    """
    low, high = bounds
    if number < 1:
        return low, high
    with directed() as r:
        spread, terms = r(rows) * (r(high) - r(low)), [noise.total]
        if noise.number is None:
            error, variance = r(ERROR), r(_spread_of_sum(sample)) * spread * spread
        else:
            terms.append(noise.number)
            error = r(ERROR) - r(OF_THE_COUNT)
            most = r.min(r(number) + r(noise.surplus), r(sample.size))
            variance = most * spread * spread / 4
        cost = r.log(2 / error)
        # The λ must not depend on the number: then the distance grows with it.
        distances = [
            (cost + rate * rate * variance / 2 + _log_moments(r, rate, terms)) / rate
            for rate in _rates(r, spread, sample.size, terms)
        ]
        distance = r.min(*distances)
        width = distance / r(number) + r(_GRID) * max(abs(low), abs(high))
        return max(lower(r(value) - width), low), min(upper(r(value) + width), high)
