r"""Running totals of a stream of counts, week after week, under one guarantee for all time.

Counts x_1, x_2, … come in, one a period. Published are whole numbers, one a period,

.. math:: y_t = \sum_{k \ge 0} R_k x_{t-k} + Z_t, \qquad R_k \le 2^{20} r_k, \qquad
          \sum_k r_k z^k = (1 - z)^{-2/5},

with independent discrete Gaussian Z_t of one scale. Everything else is computed from them: with
:math:`\sum_j D_j z^j = 2^{20} / \sum_k R_k z^k` and :math:`L_j = D_0 + \dots + D_j`,

.. math:: \hat x_t = 2^{-20} \sum_j D_j y_{t-j}, \qquad
          \hat S_t = \hat x_1 + \dots + \hat x_t = 2^{-20} \sum_j L_j y_{t-j}

have no bias and the variances :math:`2^{-40} \sigma^2 \sum_{j<t} D_j^2` and
:math:`2^{-40} \sigma^2 \sum_{j<t} L_j^2`.

**What one person moves, however long the stream runs.** A row in period s moves y_{s+k} by R_k. The
squared L2 norm of all this is at most 2^40 A_0, and two rows d periods apart have the inner product
2^40 A_d at most, where

.. math:: A_d = \sum_k r_k r_{k+d}, \qquad
          A_0 = \frac{\Gamma(1/5)}{\Gamma(3/5)^2} = 2.0701\ldots, \qquad
          A_d = A_{d-1} \frac{d - 3/5}{d - 2/5} .

*Proof.* With p = 2/5, r_k = (p)_k/k! and A_d = r_d F(p, p + d; d + 1; 1), which Gauss's theorem
sums to :math:`\Gamma(1-2p)\Gamma(p+d) / (\Gamma(p)\Gamma(1-p)\Gamma(1-p+d))`, since 1 − 2p > 0;
quotients of neighbours are (d − 1 + p)/(d − p). R_k <= 2^20 r_k, because every step towards it is
rounded down, and no R_k is negative. ∎ A_d falls with d, so of w different periods consecutive ones
weigh most: at most m rows in each of at most w periods move y by

.. math:: \Delta^2 \le 2^{40} m^2 \Bigl(w A_0 + 2 \sum_{d=1}^{w-1} (w - d) A_d\Bigr)

in squared L2 norm, whichever cells the rows are in: rows in different cells have the inner
product 0. One person in the place of another moves it by the difference of two such vectors
without a negative entry, so by at most 2Δ². ∎ ρ = Δ²/2σ² is spent once, by the first number, and
covers every later one: the stream is one measurement of a vector without an end, of which each
release shows more coordinates. Counts may depend on what was published before. Given that, y_t
moves by some δ_t, which multiplies a Rényi moment of order α by :math:`e^{\alpha(\alpha-1)
\delta_t^2/2\sigma^2}` at most (canonne-kamath-steinke-2020, Proposition 5); as Σ δ_t² <= Δ²
whatever was published, induction from the last period on bounds the product. ∎

**What this rests on.** A row once measured stays as it is. Rows that are taken out, moved to
another period or added to a past one are measured as something else every time, and Δ does not
bound that.

**Why this power.** The square root (1 − z)^{−1/2} is the best for a known number of periods
(fichtenberger-henzinger-upadhyay-2023), but its squares add up to infinity: its users have to
say beforehand when to stop. Any smaller power has an end of its sum. The variance after t periods
grows like t^{1/5}, which passes the powers of logarithms of jacobsen-fawaz-2025 in the end;
`docs/decisions/0070-one-charge-for-all-weeks.md` compares them for a century of weeks.
"""

import functools
import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.notions import Adjacency
from deniable.numerics.rounding import Ball, directed, upper
from deniable.pipeline.noise.gaussian import DiscreteGaussian, smoothed_half_widths

STEPS = 2**20
"""Whole numbers that a row of the present period is measured in."""
MOST_MOVED = 2**32
"""Periods after which a row weighs nothing: R_k <= 2^20 k^(−3/5)/Γ(2/5) < 1, as Γ(2/5) > 2.2."""
MOST_L1 = 2**33
"""Bounds Σ R_k: Σ r_k over k < n is Γ(n + 2/5)/(Γ(7/5) Γ(n)) <= n^(2/5)/Γ(7/5); Γ(7/5) > 0.88."""
MOST_PERIODS = 5_200
"""Periods that are computed, a hundred years of weeks; the guarantee knows no such number."""
_GUARD = 64
"""Bits of a weight below its lowest, which are lost to rounding down: one in each step."""
_BITS = 2_048
"""Binary places of D and L. An error of one place grows by less than 5/4 a period, because
(1 − 4/5)^{−2/5} < 2: after 5,200 periods it is below 2^−370."""


@functools.lru_cache(maxsize=4)
def measurement_weights(periods: int) -> tuple[int, ...]:
    """R_0, R_1, …: how much a row of k periods ago weighs in what is measured now."""
    n = validate.integer(periods, "periods", least=1)
    if n > MOST_PERIODS:
        raise InvalidArgument(f"Expected at most {MOST_PERIODS} periods, got {n}.")
    fine, weights = STEPS << _GUARD, list[int]()
    for k in range(1, n + 1):
        weights.append(fine >> _GUARD)
        fine = fine * (5 * k - 3) // (5 * k)  # r_k = r_{k−1} (k − 1 + 2/5)/k
    return tuple(weights)


@functools.lru_cache(maxsize=4)
def period_weights(periods: int) -> tuple[int, ...]:
    """D_0, D_1, … in units of 2^−2048: what a period's estimate takes of each measured number."""
    weights = measurement_weights(periods)
    result = [1 << _BITS]
    for t in range(1, len(weights)):
        result.append(-sum(map(int.__mul__, weights[1 : t + 1], result[::-1])) // STEPS)
    return tuple(result)


def total_weights(periods: int) -> tuple[int, ...]:
    """L_0, L_1, … in units of 2^−2048: what a running total takes of each measured number."""
    return tuple(int(each) for each in np.cumsum(np.array(period_weights(periods), dtype=object)))


def squared_sensitivity(
    adjacency: Adjacency, *, rows_per_period: int = 1, periods_per_entity: int = 1
) -> Ball:
    """Bound how far one entity moves everything ever measured, in squared whole numbers."""
    # An entity has at most `rows_per_period` >= 1 rows in one period, and rows in at most
    # `periods_per_entity` >= 1 periods of all time.
    rows = validate.integer(rows_per_period, "rows_per_period", least=1)
    most = validate.integer(periods_per_entity, "periods_per_entity", least=1)
    if most > MOST_PERIODS:
        raise InvalidArgument(
            f"Expected at most {MOST_PERIODS} periods of one entity, got {most}. No noise covers "
            "somebody who comes again without an end."
        )
    with directed() as r:
        inner = r.exp(r.log_gamma(Fraction(1, 5)) - 2 * r.log_gamma(Fraction(3, 5)))
        total = most * inner
        for d in range(1, most):
            inner = inner * (5 * d - 3) / (5 * d - 2)
            total += 2 * (most - d) * inner
        moved = total * (rows * STEPS) ** 2
        return 2 * moved if adjacency is Adjacency.REPLACE_ONE else moved


def l2_sensitivity(
    adjacency: Adjacency, *, rows_per_period: int = 1, periods_per_entity: int = 1
) -> float:
    """The root of `squared_sensitivity`, rounded up."""
    moved = squared_sensitivity(
        adjacency, rows_per_period=rows_per_period, periods_per_entity=periods_per_entity
    )
    with directed() as r:
        return upper(r.sqrt(moved))


def measure(counts: NDArray[np.int64], first: int = 0) -> NDArray[np.int64]:
    """The exact numbers that get noise, from the counts of all periods so far.

    Parameters
    ----------
    counts : array of int64, shape (periods, cells)
        Rows of each period, from the first of the stream on.
    first : int
        How many periods have been published before.
    """
    weights = np.array(measurement_weights(len(counts)), dtype=object)
    # Sums of measured numbers stay below 2^62, so that noise fits in 64 bits as well.
    if np.abs(counts).sum(dtype=object) * STEPS >= 2**62:
        raise InvalidArgument("Expected fewer rows, got more than 62 bits can count in steps.")
    rows = [weights[t::-1] @ counts[: t + 1].astype(object) for t in range(first, len(counts))]
    return np.array(rows, dtype=np.int64).reshape(len(counts) - first, counts.shape[1])


def estimate(measured: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts of each period, and running totals, from noisy numbers alone; rows, unbiased.

    Parameters
    ----------
    measured : array of int64, shape (periods, cells)
        Everything measured so far, with its noise.
    """
    weights, unit = period_weights(len(measured)), STEPS << _BITS
    numbers = measured.astype(object)
    sums = [np.array(weights[t::-1], dtype=object) @ numbers[: t + 1] for t in range(len(numbers))]
    exact = np.array(sums, dtype=object).reshape(measured.shape)
    return _divided(exact, unit), _divided(np.cumsum(exact, axis=0, dtype=object), unit)


def _divided(numerators: NDArray[np.object_], unit: int) -> NDArray[np.float64]:
    values = [int(each) / unit for each in numerators.ravel()]  # correctly rounded
    return np.array(values, dtype=np.float64).reshape(numerators.shape)


def squared_weights(weights: Sequence[int]) -> list[Fraction]:
    """Σ_{j<t} of squared D_j or L_j for t = 1, 2, …, in squares of a measured step, rounded up."""
    # Times the square of `DiscreteGaussian.scale` and 2^−40 this bounds a variance, in rows.
    sums = itertools.accumulate((abs(weight) + _ROUNDED) ** 2 for weight in weights)
    return [Fraction(-(-total >> 2 * _BITS - _PLACES), 1 << _PLACES) for total in sums]


_PLACES = 96
"""Binary places of a bound on a variance."""
_ROUNDED = 1 << _BITS - 256
"""More than rounding took from any D or L."""


def half_widths(noise: DiscreteGaussian, weights: Sequence[int], confidence: float) -> list[float]:
    """Return for each t an h with Pr[|error| <= h] >= confidence, in rows, certainly.

    By `smoothed_half_widths`: the error is one of t numbers.
    """
    squares = enumerate(squared_weights(weights), 1)
    return smoothed_half_widths(noise, [(t, each / STEPS**2) for t, each in squares], confidence)
