"""How far a noisy sum of n records can go, but for a stated chance."""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deniable.population.real_sums.population import Population

_STEEPNESS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 16.0, 24.0)
"""λ in units of one over the standard deviation; the least bound of all is taken."""
_SHARES = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
"""λ as shares of its limit, for noise whose moments are finite up to a limit only."""
_NEWTON = 4
"""Steps towards the best ρ. Any ρ gives a bound, so four that come near it are enough."""
_SLACK = 1e-6
"""Room for rounding in exponents of a few hundred."""


class Noise(Protocol):
    """What is asked of a kernel."""

    def log_moment(self, tilt: float) -> float:
        """ln of a bound of E e^(λX); infinite where it does not exist."""
        ...

    def limit(self, sign: int) -> float:
        """Up to which λ of this sign, in absolute value, the moment exists."""
        ...

    def steep(self, exponent: float) -> float:
        """The λ that bounds the noise's own tail best, were it normal."""
        ...


def window(population: Population, kernel: Noise, log_tail: float) -> float:
    """Length of an interval that the noisy sum leaves with chance at most 2·e^log_tail.

    The chance concerns the law given that any chosen record is in, and that it is out: by total
    probability it is at most N/n or N/(N−n) times the chance of the whole.
    """
    # Pr[outside | n chosen, x in] <= Pr[outside, n chosen]/(Pr[n chosen] n/N), likewise out.
    rate = min(population.rate, 1 - population.rate)
    exponent = -log_tail - math.log(rate) - math.log(population.chance()) + _SLACK
    return reach(population, kernel, exponent, 1) + reach(population, kernel, exponent, -1)


def reach(
    population: Population,
    kernel: Noise,
    exponent: float,
    sign: int,
    targets: NDArray[np.int64] | None = None,
) -> float:
    """A T with Pr[sign·(noisy sum) > T, n chosen] <= e^(−exponent).

    With independent choices B_i of the rates, their number K, and any ρ,

        E[e^(λS); K = n] <= E e^(λΣB_i y_i + ρ(K−n)),

    which times the noise's moment and e^(−λT) bounds the chance; so does e^(λ·largest sum).

    With `targets` the choices are those of all others: n of them, or n − 1 and the target's value
    on top of their sum.
    """
    values = sign * population.values
    spread = math.hypot(population.centre_and_spread()[1], 1 / kernel.steep(0.5))
    limit, most = kernel.limit(sign), _largest_sum(population, values)
    tilts = [steepness / spread for steepness in _STEEPNESS] + [kernel.steep(exponent)]
    if math.isfinite(limit):
        tilts = [tilt for tilt in tilts if tilt < limit] + [limit * share for share in _SHARES]
    least = math.inf
    # T = (ln E[e^(λS); n chosen] + ln E e^(λX) + exponent)/λ: the least over some λ.
    for tilt in tilts:
        log_moment = min(_log_moment(population, values, tilt, targets), tilt * most)
        least = min(least, (log_moment + kernel.log_moment(sign * tilt) + exponent) / tilt)
    return least


def _largest_sum(population: Population, values: NDArray[np.float64]) -> float:
    # The n largest records.
    order = np.argsort(-values)
    left = np.minimum(np.cumsum(population.counts[order]), population.size)
    largest = float(np.diff(left, prepend=0) @ values[order])
    return largest + _SLACK * float(np.max(np.abs(values)))


def _log_moment(
    population: Population,
    values: NDArray[np.float64],
    tilt: float,
    targets: NDArray[np.int64] | None,
) -> float:
    """ln E e^(λΣB_i y_i + ρ(K−n)) at a ρ that makes it small."""
    with np.errstate(divide="ignore"):
        log_in, log_out = np.log(population.rates), np.log1p(-population.rates)
    # Σ_i ln(1 − π_i + π_i e^(λy_i + ρ)) − ρn; the best ρ makes Σ Pr[i chosen] = n.
    x = log_in + tilt * values
    rho = 0.0
    for _ in range(_NEWTON):
        member = 1 / (1 + np.exp(np.clip(log_out - x - rho, -700, 700)))
        short = population.size - population.total(member)
        slope = population.total(member * (1 - member))
        rho += float(np.clip(short / max(slope, 1e-9), -4.0, 4.0))
    each = np.logaddexp(log_out, x + rho)
    joint = population.total(each) - rho * population.size + _SLACK
    if targets is None:
        return joint
    # Without the factor of a target; with n − 1 of the others its value is on top, e^(λy + ρ).
    return joint + float(np.max(np.maximum(tilt * values + rho, 0.0)[targets] - each[targets]))
