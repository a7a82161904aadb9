r"""One exponential tilt of the records, and the generating function of subset sums under it.

With p = e^(ρ + λy)/(1 + e^(ρ + λy)) and Q[k, s] the chance that k others are taken with sum s,
ln Pr[S = s] = ln Q[k, s] − λs + a constant, and with w = p(1 − p) the generating function is

.. math:: G(\psi, \theta) = \prod_j (1 - p_j + p_j e^{i(\psi + \theta z_j)}),\quad z_j = y_j - c,
          \quad |G| \le \exp(-\sum_j w_j (1 - \cos(\psi + \theta z_j)))
"""

import math

import attrs
import numpy as np

from deniable.computing.transforms import transform
from deniable.numerics.effort import check
from deniable.numerics.rounding import UNIT
from deniable.population.integer_sums.multiset import Multiset
from deniable.population.question import Complexes, Floats, Ints

LOG_TAIL = -50.0  # ln of the probability that windows may leave out
_NEGLIGIBLE = 1e-19  # A bound below it is left out: it is far below the rounding error
_BITS = 24  # Bits of a rate λ: times a value below 2^29 it is exact


@attrs.frozen(eq=False)
class Tilt:
    """The numbers of one tilt."""

    # rate, log_odds: λ and ρ, in few bits so that ρ + λy is (nearly) exact.
    rate: float
    log_odds: float
    # p_in, p_out (n_values,): p and 1 − p, each to four units.
    p_in: Floats
    p_out: Floats
    error: float  # Relative error of every Q[k, s] because p and 1 − p are rounded
    centre: int  # c, near the mean value of the records, each weighted by p(1 − p)
    # first, length: the window of Σ z over the others outside which lies at most e^LOG_TAIL.
    first: int
    length: int
    order: int  # How many values of ψ; counts farther apart than it do not both matter
    deviation: float  # Standard deviation of the sum, given the number taken, about
    number_variance: float  # Σ w, the variance of the number taken

    @property
    def period(self) -> int:
        """How many values of θ: the power of 2 that holds the window."""
        return 1 << max(self.length - 1, 1).bit_length()


def few_bits(value: float) -> float:
    """A number above 0 in 24 bits, rounded up."""
    unit = 2.0 ** (math.floor(math.log2(value)) + 1 - _BITS)
    return math.ceil(value / unit) * unit


def tilt_at(problem: Multiset, rate: float) -> Tilt:
    """The tilt of this rate λ."""
    values, counts = problem.values, problem.counts
    tilted = np.asarray(rate * values, np.float64)
    # ρ such that about n records are taken, in multiples of 2^−20.
    low, high = -float(tilted.max()) - 50.0, -float(tilted.min()) + 50.0
    while high - low > 2.0**-20:
        half = (low + high) / 2
        mean = float(counts @ (1 / (1 + np.exp(-np.clip(half + tilted, -700, 700)))))
        low, high = (half, high) if mean < problem.size else (low, half)
    log_odds = round(low * 2**20) / 2.0**20
    argument = log_odds + tilted
    # What the rounded sum x = ρ + λy lacks at most, exactly (Knuth): (ρ − (x − b)) + (λy − b) with
    # b = x − ρ is the error of a sum, itself exact.
    back = argument - log_odds
    inexact = float(np.abs((log_odds - (argument - back)) + (tilted - back)).max())
    if values[-1] >= 2**29:  # Values below it times a number of 24 bits are exact
        inexact += UNIT * float(np.abs(tilted).max())
    # p = 1/(1 + e^(−x)) and 1 − p = 1/(1 + e^x), x = ρ + λy, each from the exponential that is at
    # most 1.
    small = np.exp(-np.abs(argument))
    p_in = np.where(argument > 0, 1.0, small) / (1 + small)
    p_out = np.where(argument > 0, small, 1.0) / (1 + small)
    # Given the number taken, the sum varies by the records' w = p(1 − p): centre
    # and spread are theirs.
    weights = counts * p_in * p_out
    number_variance = max(float(weights.sum()), 1e-300)
    centre = round(float(weights @ values) / number_variance)
    moved = values - centre
    variance = float(weights @ np.square(moved, dtype=np.float64))
    step = int(np.abs(moved).max())
    # Σ z lies within Bernstein's distance of its mean but for e^−50, and one record is left out.
    middle = float((counts * p_in) @ moved)
    far = _farthest(variance, step) + step + 2
    least = max(math.floor(middle - far), int(counts @ np.minimum(moved, 0)))
    most = min(math.ceil(middle + far), int(counts @ np.maximum(moved, 0)))
    return Tilt(
        rate=rate,
        log_odds=log_odds,
        p_in=p_in,
        p_out=p_out,
        error=1.01 * problem.n_records * (4 * UNIT + inexact),
        centre=centre,
        first=least,
        length=most - least + 1,
        order=min(math.ceil(_farthest(number_variance, 1)) + 3, problem.n_records),
        deviation=math.sqrt(variance),
        number_variance=number_variance,
    )


def _farthest(variance: float, step: float) -> float:
    """The a of Bernstein's inequality: 2 exp(−a²/(2(variance + step·a/3))) is the tail."""
    log = math.log(2) - LOG_TAIL
    # a²/(2(v + step·a/3)) = ln 2 + 50
    third = log * step / 3
    return third + math.sqrt(third * third + 2 * log * variance)


@attrs.frozen(eq=False)
class Spectrum:
    """∫ G e^(−ikψ) dψ/2π at the frequencies kept, k = n − 1 and n, one record left out."""

    frequencies: Ints  # (n_kept,): h of θ = 2πh/period, from 0 to period/2
    values: Complexes  # (n_kept, 2, n_targets): for k = n − 1 and k = n
    error: float  # What rounding, frequencies left out and folding add to any Q[k, s] at most


def pairs(problem: Multiset, tilt: Tilt) -> tuple[Ints, Ints, float, float]:
    """Frequencies (h, a) kept, of θ = 2πh/period and ψ = 2πa/order, ordered.

    Also the mean of the bound of G over all frequencies kept, and over those left out.
    """
    period, order = tilt.period, tilt.order
    weights = problem.counts * tilt.p_in * tilt.p_out
    # |G(ψ, θ)| <= exp(|Σ w e^(iθz)| cos(ψ + arg) − Σ w), for all θ by one fast transform.
    folded = np.bincount((problem.values - tilt.centre) % period, weights=weights, minlength=period)
    sums = np.conj(transform(np.asarray(folded, np.float64)))
    # Without one record the bound grows by e^(2w) <= e^(1/2); the rest is for rounding.
    slack = math.exp(0.5) * (1 + 1e-6)
    at_best = np.exp(np.minimum(np.abs(sums) - tilt.number_variance, 0.0)) * slack
    twice = np.where((np.arange(len(sums)) % (period // 2)) == 0, 1.0, 2.0)
    kept = np.flatnonzero(at_best >= _NEGLIGIBLE)
    dropped = float((at_best * twice).sum() - (at_best * twice)[kept].sum()) / period + 1e-30
    angles = 2 * math.pi * np.arange(order) / order
    frequencies: list[tuple[Ints, Ints]] = []
    total = 0.0
    for block in np.array_split(kept, len(kept) * order // 2**22 + 1):
        check()
        cosines = np.cos(angles + np.angle(sums[block])[:, None])
        bound = (
            np.exp(np.minimum(np.abs(sums[block])[:, None] * cosines - tilt.number_variance, 0.0))
            * slack
        )
        rows, columns = np.nonzero(bound >= _NEGLIGIBLE)
        shares = bound * twice[block][:, None] / (period * order)
        inside = float(shares[rows, columns].sum())
        total += inside
        dropped += max(float(shares.sum()) - inside, 0.0) + 1e-16 * inside * _NEGLIGIBLE
        frequencies.append((block[rows], columns.astype(np.int64)))
    h, a = (np.concatenate(part) for part in zip(*frequencies, strict=True))
    return h, a, total, dropped


def spectrum(problem: Multiset, targets: Ints, tilt: Tilt) -> Spectrum:
    """The generating function without one record of each target value, summed over ψ."""
    h, a, total, dropped = pairs(problem, tilt)
    theta, psi = _roots(tilt.period), _roots(tilt.order)
    frequencies = np.unique(h)
    values = np.zeros((len(frequencies), 2, len(targets)), np.complex128)
    size = max(2**19 // len(problem.values), 1)  # Complex factors held at once: eight megabytes
    row = np.searchsorted(frequencies, h)
    for at in range(0, len(h), size):
        check()
        part = slice(at, at + size)
        # f_j = 1 − p_j + p_j e^(iψ) e^(iθz_j), then Π f_j^count/f_v, then Σ_a e^(−ikψ_a)/order.
        turns = theta[np.outer(h[part], problem.values - tilt.centre) % tilt.period]
        factors = tilt.p_out + tilt.p_in * (psi[a[part]][:, None] * turns)
        # Π_j f_j^count_j / f_v for every v, without dividing: products of all before and of all
        # after v, times f_v^(count − 1), by squaring.
        powers, square, left = np.ones_like(factors), factors.copy(), problem.counts - 1
        while left.any():
            odd = left % 2 == 1
            powers[:, odd] *= square[:, odd]
            left = left // 2
            if left.any():
                square *= square
        full_powers = powers * factors
        before, after = np.ones_like(full_powers), np.ones_like(full_powers)
        np.multiply.accumulate(full_powers[:, :-1], axis=1, out=before[:, 1:])
        np.multiply.accumulate(full_powers[:, :0:-1], axis=1, out=after[:, -2::-1])
        without = np.asarray(before * powers * after)[:, targets]
        rows, first = np.unique(row[part], return_index=True)
        for which, k in enumerate((problem.size - 1, problem.size)):
            back = np.conj(psi[a[part] * k % tilt.order])[:, None] / tilt.order
            values[rows, which] += np.add.reduceat(without * back, first, axis=0)
    # What rounding may multiply the bound of |G|, and of its sum over ψ, by. A factor
    # 1 − p + p·e^(iφ) is off by at most (8p + 2) units, which the bound of that factor, at least
    # e^(−1/2), turns into 1.65 as many; a complex product costs three units; the sum over ψ one a
    # term.
    off = 1.65 * (8 * float(problem.counts @ tilt.p_in) + 2 * problem.n_records)
    rounding = 1.01 * UNIT * (off + 3 * (problem.n_records + 4) + tilt.order + 8)
    error = total * math.expm1(rounding) + dropped + 4 * math.exp(LOG_TAIL)
    return Spectrum(frequencies, values, error)


def _roots(order: int) -> Complexes:
    """e^(2πij/order), each to about 2.5 units: angles within π/4 of a multiple of π/2."""
    j = np.arange(order)
    quarter = (8 * j + order) // (2 * order)
    angles = (4 * j - quarter * order) * (math.pi / (2 * order))
    return np.asarray(np.exp(1j * angles) * np.array([1, 1j, -1, -1j])[quarter % 4])
