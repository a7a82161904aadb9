r"""Densities under Laplace noise with relative accuracy, far from the bulk too.

Weighting every subset by e^{λS} moves the bulk to where a density is wanted:

.. math:: \mathrm{E}\,K(t - S) = e^{-\lambda t}\,\mathrm{E}[e^{\lambda S} K_\lambda(t - S)],
          \qquad K_\lambda(u) = e^{\lambda u} K(u)

and the weighted law is again a run of independent choices, with odds ρe^{λy_i}, given that n are
chosen. The kernel is bracketed by smooth ones: with K the Laplace density of scale 1, N_v the
normal density of variance v and K_v = K * N_v, ∂_v(e^{−v/2}K_v) = −½e^{−v/2}N_v, because
K″ = K − 2·½δ₀; so

.. math:: e^{-v/2} K_v \le K \le e^{-v/2} K_v + v N_v .
"""

import math
from typing import Protocol, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import UNIT
from deniable.numerics.transforms import inverse_transform, transform_error, transform_length
from deniable.population.real_sums.problem import Population
from deniable.population.real_sums.subset_sums import Nodes, chunks, nodes, transforms

# --- How far a noisy sum of n records can go, but for a stated chance.


_STEEPNESS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 16.0, 24.0)
"""λ in units of one over the standard deviation; the least bound of all is taken."""
_SHARES = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
"""λ as shares of its limit, for noise whose moments are finite up to a limit only."""
_REACH_STEPS = 4
"""Steps towards the best ρ. Any ρ gives a bound, so four that come near it are enough."""
_SLACK = 1e-6
"""Room for rounding in exponents of a few hundred."""


class NoiseKernel(Protocol):
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


def window(
    population: Population, kernel: NoiseKernel, log_tail: float, *, any_number: bool = False
) -> float:
    """Length of an interval that the noisy sum leaves with chance at most 2·e^log_tail.

    The chance concerns the law given that any chosen record is in, and that it is out: by total
    probability it is at most N/n or N/(N−n) times the chance of the whole. With `any_number`, every
    record is chosen by itself, and how many are is left open: then by 1/π or 1/(1−π).
    """
    # Pr[outside | n chosen, x in] <= Pr[outside, n chosen]/(Pr[n chosen] n/N), likewise out.
    rate = float(population.rates[0]) if any_number else population.rate
    exponent = -log_tail - math.log(min(rate, 1 - rate)) + _SLACK
    if not any_number:
        exponent -= math.log(population.chance())
    return sum(reach(population, kernel, exponent, sign, any_number=any_number) for sign in (1, -1))


def reach(
    population: Population,
    kernel: NoiseKernel,
    exponent: float,
    sign: int,
    targets: NDArray[np.int64] | None = None,
    *,
    any_number: bool = False,
) -> float:
    """A T with Pr[sign·(noisy sum) > T, n chosen] <= e^(−exponent).

    With independent choices B_i of the rates, their number K, and any ρ,

        E[e^(λS); K = n] <= E e^(λΣB_i y_i + ρ(K−n)),

    which times the noise's moment and e^(−λT) bounds the chance; so does e^(λ·largest sum).

    With `targets` the choices are those of all others: n of them, or n − 1 and the target's value
    on top of their sum. With `any_number`, however many are chosen: ρ = 0.
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
        if any_number:
            log_moment = _log_moment_of_any_number(population, values, tilt)
        else:
            log_moment = min(_log_moment(population, values, tilt, targets), tilt * most)
        least = min(least, (log_moment + kernel.log_moment(sign * tilt) + exponent) / tilt)
    return least


def _largest_sum(population: Population, values: NDArray[np.float64]) -> float:
    # The n largest records.
    order = np.argsort(-values)
    left = np.minimum(np.cumsum(population.counts[order]), population.size)
    largest = float(np.diff(left, prepend=0) @ values[order])
    return largest + _SLACK * float(np.max(np.abs(values)))


def _log_moment_of_any_number(
    population: Population, values: NDArray[np.float64], tilt: float
) -> float:
    """ln E e^(λΣB_i y_i)."""
    with np.errstate(divide="ignore"):
        log_in, log_out = np.log(population.rates), np.log1p(-population.rates)
    return population.total(np.logaddexp(log_out, log_in + tilt * values)) + _SLACK


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
    for _ in range(_REACH_STEPS):
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


# --- Densities under Laplace noise with relative accuracy, far from the bulk too.


_NEWTON = 60
"""Newton's iteration inside a bracket halves it at worst: 2^−60 of it."""
_CUT = 60.0
"""Exponent beyond which no frequency counts at all: e^−60, far below the error."""
_REACH = 6.0
"""Standard deviations from its middle in which a piece is used: e^−18 of the peak, above the
error."""


@attrs.frozen
class TiltedKernel:
    """Envelope of the smooth kernels under a tilt, in units of the Laplace scale.

    Parameters
    ----------
    tilt : float
        λ, in (−1, 1).
    smoothing : float
        √v, > 0.
    """

    tilt: float
    smoothing: float

    def lower(self, theta: NDArray[np.float64]) -> NDArray[np.complex128]:
        """Transform of e^(λu) e^(−v/2) K_v(u)."""
        # ∫ e^(zu) e^(−v/2) K_v(u) du = e^((z² − 1)v/2)/(1 − z²), z = λ + iθ.
        z = self.tilt + 1j * theta
        v = self.smoothing**2
        return np.asarray(np.exp((z * z - 1) * v / 2) / (1 - z * z))

    def bump(self, theta: NDArray[np.float64]) -> NDArray[np.complex128]:
        """Transform of e^(λu) v N_v(u)."""
        # ∫ e^(zu) v N_v(u) du = v e^(z²v/2)
        z = self.tilt + 1j * theta
        v = self.smoothing**2
        return np.asarray(v * np.exp(z * z * v / 2))

    def log_characteristic(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """ln of a decreasing bound of both transforms together."""
        # |1 − z²|² = ((1 − λ)² + θ²)((1 + λ)² + θ²)
        v = self.smoothing**2
        below, above = (1 - self.tilt) ** 2, (1 + self.tilt) ** 2
        size = 1 / np.sqrt((below + theta**2) * (above + theta**2)) + v
        return np.asarray((self.tilt**2 - theta**2) * v / 2 + np.log(size))

    @property
    def middle(self) -> float:
        """Where the kernel peaks, about."""
        return 0.0

    @property
    def log_factor(self) -> float:
        """ln of a factor that is left out: none."""
        return 0.0

    def zone(self, spread: float) -> tuple[float, float]:
        """How far left and right of its middle a piece is used: spreads, and the kernel's tails."""
        wide = _REACH * math.hypot(spread, 1.0)
        return wide + 2 / (1 + self.tilt), wide + 2 / (1 - self.tilt)

    def log_moment(self, extra: float) -> float:
        """ln of a bound of ∫ e^(μu) over both kernels, and of their greatest value times e^(μu)."""
        # ∫ e^(μu) at λ + μ: e^(v/2) (1/(1 − (λ + μ)²) + v), and 1 for the greatest value.
        both = self.tilt + extra
        if abs(both) >= 1:
            return math.inf
        v = self.smoothing**2
        return v / 2 + math.log(1 / (1 - both * both) + v + 1)

    def limit(self, sign: int) -> float:
        """Up to which μ of this sign, in absolute value, the moment exists."""
        return 1 - sign * self.tilt

    def steep(self, exponent: float) -> float:
        """The μ that bounds the tail best, were the noise normal of the same variance."""
        return math.sqrt(exponent)

    def cutoff(self, exponent: float) -> float:
        """A θ beyond which the envelope is below e^(−exponent)."""
        start = max(float(self.log_characteristic(np.zeros(1))[0]), 0.0)
        return math.sqrt(2 * (exponent + start)) / self.smoothing

    def beyond(self, theta: float, step: float) -> float:
        """At least the sum of squares of the envelope over all jh > θ."""
        # The envelope is at most e^(start − s²θ²/2); its squares as in `kernel`.
        start = float(self.log_characteristic(np.zeros(1))[0])
        s = self.smoothing
        return math.exp(2 * start - (s * theta) ** 2) / (2 * s * s * theta * step)


@attrs.frozen
class TiltedGaussian:
    """The normal kernel under a tilt, in units of its standard deviation; known exactly.

    e^(λu) N(u) = e^(λ²/2) N(u − λ), of which `lower` is the second factor.

    Parameters
    ----------
    tilt : float
        λ.
    """

    tilt: float

    @property
    def middle(self) -> float:
        """Where the kernel peaks."""
        return self.tilt

    @property
    def log_factor(self) -> float:
        """ln of the factor that is left out."""
        return self.tilt**2 / 2

    def lower(self, theta: NDArray[np.float64]) -> NDArray[np.complex128]:
        """Transform of N(u − λ)."""
        # e^(iθλ − θ²/2)
        return np.asarray(np.exp(1j * theta * self.tilt - theta**2 / 2))

    def bump(self, theta: NDArray[np.float64]) -> NDArray[np.complex128]:
        """Of what an upper kernel would have more: nothing."""
        return np.zeros(len(theta), np.complex128)

    def log_characteristic(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """ln of the transform's absolute value."""
        return np.asarray(-(theta**2) / 2)

    def zone(self, spread: float) -> tuple[float, float]:
        """How far left and right of its middle a piece is used: some spreads."""
        wide = _REACH * math.hypot(spread, 1.0)
        return wide, wide

    def log_moment(self, extra: float) -> float:
        """ln of ∫ e^(μu) over the kernel, and of a bound of its greatest value times e^(μu)."""
        # ∫ e^(μu) N(u − λ) du = e^(μλ + μ²/2)
        return extra * self.tilt + extra**2 / 2

    def limit(self, sign: int) -> float:  # noqa: ARG002 - all moments exist
        """Up to which μ the moment exists."""
        return math.inf

    def steep(self, exponent: float) -> float:
        """The μ that bounds the tail best."""
        return math.sqrt(2 * exponent)

    def cutoff(self, exponent: float) -> float:
        """A θ beyond which the transform is below e^(−exponent)."""
        return math.sqrt(2 * exponent)

    def beyond(self, theta: float, step: float) -> float:
        """At least the sum of squares of the transform over all jh > θ."""
        # Σ e^(−(jh)²) <= ∫_θ^∞ e^(−t²) dt / h, and Mills' ratio.
        return math.exp(-(theta**2)) / (2 * theta * step)


Tilted: TypeAlias = TiltedKernel | TiltedGaussian


def exponential_tilt(population: Population, tilt: float) -> tuple[Population, float]:
    """The same parent set with odds ρe^(λy_i), n expected; and ln ρ."""
    # Σ ρe^(λy)/(1 + ρe^(λy)) = n: Newton in ln ρ, halved where it leaves the bracket.
    values = tilt * population.values
    widest = float(np.max(np.abs(values))) + 40.0
    log_odds, low, high = 0.0, -widest, widest
    for _ in range(_NEWTON):
        rates = _logistic(log_odds + values)
        short = population.size - population.total(rates)
        if abs(short) < 1e-9 * population.records:
            break
        low, high = (log_odds, high) if short > 0 else (low, log_odds)
        slope = population.total(rates * (1 - rates))
        moved = log_odds + short / slope if slope > 0 else math.inf
        log_odds = moved if low < moved < high else (low + high) / 2
    return attrs.evolve(population, rates=_logistic(log_odds + values)), log_odds


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    e = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1 / (1 + e), e / (1 + e)))


def log_bases(
    population: Population, log_odds: float, tilt: float, targets: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """ln of what turns tilted sums into e_{n−1} and e_n of the others; and the rounding error.

    e_k(e^{λy}) = E[…; k chosen] Π(1 + ρe^{λy_i}) / ρ^k; the in-law carries e^{λy_x} besides and
    n−1 in place of n. The binomial coefficients of both are put in at the end, as (N−n)/n.
    """
    # ln Π_{i≠x}(1 + ρe^(λy_i)) − k ln ρ, k = n − 1 with λy_x + ln((N − n)/n), and k = n.
    exponents = log_odds + tilt * population.values
    logs = np.logaddexp(0.0, exponents)
    rest = population.total(logs) - logs[targets]
    n = population.size
    ways = math.log((population.records - n) / n)
    inside = rest - (n - 1) * log_odds + tilt * population.values[targets] + ways
    outside = rest - n * log_odds
    size = population.total(np.abs(logs)) + n * abs(log_odds) + float(np.max(np.abs(exponents)))
    odds = n * (16 + 4 * float(np.max(np.abs(exponents))) + 4 * abs(log_odds))
    return inside, outside, UNIT * (64 * size + 2 * odds)


@attrs.frozen(eq=False)
class Piece:
    """Log densities of both laws on a run of grid points, up to a common constant.

    Parameters
    ----------
    first : int
        The run starts at t = first·η.
    inside, outside : pair of array, shape (n_targets, n_points)
        Lower and upper bounds; lower may be −inf, upper +inf where nothing is known.
    """

    first: int
    inside: tuple[NDArray[np.float64], NDArray[np.float64]]
    outside: tuple[NDArray[np.float64], NDArray[np.float64]]


def piece(
    population: Population,
    targets: NDArray[np.int64],
    kernel: Tilted,
    spacing: float,
) -> Piece:
    """Enclosures around the bulk of the law tilted by the kernel's λ."""
    tilt = kernel.tilt
    tilted, log_odds = exponential_tilt(population, tilt)
    scale, least = tilted.typical_chance(), -math.log(tilted.tiny * tilted.typical_chance())
    left, right = (reach(tilted, kernel, least, sign, targets) for sign in (-1, 1))
    bulk = zone(tilted, kernel, targets)
    low, high = max(bulk[0], -left), min(bulk[1], right)
    length = max(right - low, left + high) + 2 * spacing
    points = transform_length(math.ceil(length / spacing))
    # Densities of both laws on the tilted circle, then back: times e^(base − λt).
    where = nodes(tilted, kernel, points * spacing, scale)
    first, last = math.ceil(low / spacing), math.floor(high / spacing)
    index = np.arange(first, last + 1)
    bases = log_bases(tilted, log_odds, tilt, targets)
    brackets = []
    for chunk in chunks(tilted, where, targets):
        sums = transforms(tilted, where, chunk, (scale, scale))
        brackets.append([_bracket(where, kernel, each, points, index) for each in sums])
    log_bounds = []
    for law, base in enumerate(bases[:2]):
        lower, upper, error = (
            np.concatenate([each[law][k] for each in brackets]) for k in range(3)
        )
        off = (error + 4 * tilted.tiny)[:, np.newaxis]
        with np.errstate(divide="ignore", invalid="ignore"):
            log_lower = np.log(np.maximum(lower - off, 0.0)) - bases[2]
            log_upper = np.log(np.maximum(upper, 0.0) + off) + bases[2]
        shift = base[:, np.newaxis] + math.log(scale) + kernel.log_factor - tilt * spacing * index
        log_bounds.append((log_lower + shift, log_upper + shift))
    return Piece(first, log_bounds[0], log_bounds[1])


def zone(tilted: Population, kernel: Tilted, targets: NDArray[np.int64]) -> tuple[float, float]:
    """From where to where the bulks of the laws with and without each target reach."""
    mean, spread = tilted.centre_and_spread()
    mean += kernel.middle
    left, right = kernel.zone(spread)
    # Given that x is out the mean is π y less, given that it is in (1 − π) y more.
    values, rates = tilted.values[targets], tilted.rates[targets]
    moved = np.concatenate([-rates * values, (1 - rates) * values])
    return mean - left + float(moved.min()), mean + right + float(moved.max())


def _bracket(
    where: Nodes,
    kernel: Tilted,
    sums: NDArray[np.complex128],
    points: int,
    index: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper densities at the points wanted, and their error, each target a row."""
    finer = 1
    while points * finer <= 2 * int(where.index[-1]) + 2:
        finer *= 2
    full = points * finer
    length = 2 * math.pi / where.step
    place = (index % points) * finer
    results = []
    # e^(−v/2)K_v, and what vN_v adds to it.
    for transform in (kernel.lower(where.theta), kernel.bump(where.theta)):
        coefficients = np.zeros((len(sums), full // 2 + 1), np.complex128)
        coefficients[:, where.index] = (sums * transform).conj() * (full / length)
        results.append(inverse_transform(coefficients, full)[:, place])
    # Rounding of the transform as in `smallest_epsilon`; the errors of the coefficients by Cauchy
    # and Schwarz over at most `terms`² of them.
    envelope = np.exp(kernel.log_characteristic(where.theta))
    sizes = np.sqrt(2 * (np.abs(sums) * envelope) ** 2 @ np.ones(len(where.theta)))
    rounding = transform_error(full) * math.sqrt(full) / length * sizes
    terms = math.sqrt(2 * kernel.cutoff(_CUT) / where.step + 1)
    error = rounding + where.errors * terms / length
    return results[0], results[0] + np.maximum(results[1], 0.0), error
