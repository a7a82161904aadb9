r"""Densities under Laplace noise with relative accuracy, far from the bulk too.

Weighting every subset by e^{λS} moves the bulk to where a density is wanted:

.. math:: \mathrm{E}\,K(t - S) = e^{-\lambda t}\,\mathrm{E}[e^{\lambda S} K_\lambda(t - S)],
          \qquad K_\lambda(u) = e^{\lambda u} K(u)

and the weighted law is again a run of independent choices, with odds ρe^{λy_i}, given that n are
chosen. With K the Laplace density of scale 1, N_v the normal one of variance v and K_v = K * N_v,

.. math:: e^{-v/2} K_v \le K \le e^{-v/2} K_v + v N_v .
"""

import math

import attrs
import numpy as np

from deniable.computing.transforms import inverse_transform, transform_error, transform_length
from deniable.numerics.rounding import UNIT
from deniable.population.question import Complexes, Floats, Ints
from deniable.population.real_sums.problem import AnyKernel, Population, Tilted
from deniable.population.real_sums.subset_sums import Nodes, chunks, nodes, transforms

_STEEPNESS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 16.0, 24.0)
"""λ in units of one over the standard deviation; the least bound of all is taken."""
_SHARES = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95)  # λ as shares of its limit, where moments are finite
_SLACK = 1e-6  # Room for rounding in exponents of a few hundred


def window(
    population: Population, kernel: AnyKernel, log_tail: float, *, any_number: bool = False
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
    kernel: AnyKernel,
    exponent: float,
    sign: int,
    targets: Ints | None = None,
    *,
    any_number: bool = False,
) -> float:
    """A T with Pr[sign·(noisy sum) > T, n chosen] <= e^(−exponent).

    With independent choices B_i of the rates, their number K, and any ρ, E[e^(λS); K = n] <= E
    e^(λΣB_i y_i + ρ(K−n)); times the noise's moment and e^(−λT) it bounds the chance, and so does
    e^(λ·largest sum). With `targets` the choices are those of all others, the target's value on top
    of n − 1, or n. With `any_number`, however many are chosen: ρ = 0.
    """
    values = sign * population.values
    spread = math.hypot(population.centre_and_spread()[1], 1 / kernel.steep(0.5))
    # The n largest records.
    order = np.argsort(-values)
    left = np.minimum(np.cumsum(population.counts[order]), population.size)
    largest = float(np.diff(left, prepend=0) @ values[order])
    limit, most = kernel.limit(sign), largest + _SLACK * float(np.max(np.abs(values)))
    tilts = [steepness / spread for steepness in _STEEPNESS] + [kernel.steep(exponent)]
    if math.isfinite(limit):
        tilts = [tilt for tilt in tilts if tilt < limit] + [limit * share for share in _SHARES]
    least = math.inf
    # T = (ln E[e^(λS); n chosen] + ln E e^(λX) + exponent)/λ: the least over some λ.
    for tilt in tilts:
        log_moment = _log_moment(population, values, tilt, targets, any_number=any_number)
        if not any_number:
            log_moment = min(log_moment, tilt * most)
        least = min(least, (log_moment + kernel.log_moment(sign * tilt) + exponent) / tilt)
    return least


def _log_moment(
    population: Population, values: Floats, tilt: float, targets: Ints | None, *, any_number: bool
) -> float:
    """ln E e^(λΣB_i y_i + ρ(K−n)) at a ρ that makes it small; at ρ = 0 for any number."""
    with np.errstate(divide="ignore"):
        log_in, log_out = np.log(population.rates), np.log1p(-population.rates)
    # Σ_i ln(1 − π_i + π_i e^(λy_i + ρ)) − ρn; the best ρ makes Σ Pr[i chosen] = n.
    x = log_in + tilt * values
    if any_number:
        return population.total(np.logaddexp(log_out, x)) + _SLACK
    rho = 0.0
    for _ in range(4):  # Steps towards the best ρ: any gives a bound, and four come near it
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


OVERLAP = 4.0  # Standard deviations between the middles of tilted laws; pieces reach six each way
_CUT = 60.0  # Exponent beyond which no frequency counts at all: e^−60, far below the error


def exponential_tilt(population: Population, tilt: float) -> tuple[Population, float]:
    """The same parent set with odds ρe^(λy_i), n expected; and ln ρ."""
    # Σ ρe^(λy)/(1 + ρe^(λy)) = n: Newton in ln ρ, halved where it leaves the bracket.
    values = tilt * population.values
    widest = float(np.max(np.abs(values))) + 40.0
    log_odds, low, high = 0.0, -widest, widest
    for _ in range(60):  # Newton's iteration inside a bracket halves it at worst: 2^−60 of it
        rates = _logistic(log_odds + values)
        short = population.size - population.total(rates)
        if abs(short) < 1e-9 * population.records:
            break
        low, high = (log_odds, high) if short > 0 else (low, log_odds)
        slope = population.total(rates * (1 - rates))
        moved = log_odds + short / slope if slope > 0 else math.inf
        log_odds = moved if low < moved < high else (low + high) / 2
    return attrs.evolve(population, rates=_logistic(log_odds + values)), log_odds


def _logistic(x: Floats) -> Floats:
    e = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1 / (1 + e), e / (1 + e)))


def log_bases(
    population: Population, log_odds: float, tilt: float, targets: Ints
) -> tuple[Floats, Floats, float]:
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
    """Log densities of both laws on a run of grid points, up to a common constant."""

    first: int  # The run starts at t = first·η
    # inside, outside (n_targets, n_points): lower and upper bounds; lower may be −inf, upper +inf
    # where nothing is known.
    inside: tuple[Floats, Floats]
    outside: tuple[Floats, Floats]


def piece(population: Population, targets: Ints, kernel: Tilted, spacing: float) -> Piece:
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


def join_pieces(pieces: list[Piece], law: int, first: int, last: int) -> tuple[Floats, Floats]:
    """The tightest bounds of a log density at the points first, …, last; law 0 is "in"."""
    rows, many = len(pieces[0].inside[0]), last - first + 1
    low, high = np.full((rows, many), -np.inf), np.full((rows, many), np.inf)
    for each in pieces:
        bounds, start = (each.inside, each.outside)[law], each.first - first
        here = slice(max(start, 0), max(min(start + bounds[0].shape[1], many), 0))
        there = slice(here.start - start, here.stop - start)
        if here.start < here.stop:
            low[:, here] = np.maximum(low[:, here], bounds[0][:, there])
            high[:, here] = np.minimum(high[:, here], bounds[1][:, there])
    return low, high


def zone(tilted: Population, kernel: Tilted, targets: Ints) -> tuple[float, float]:
    """Return the ends of the bulks of the laws with and without each target."""
    mean, spread = tilted.centre_and_spread()
    mean += kernel.middle
    left, right = kernel.zone(spread)
    # Given that x is out the mean is π y less, given that it is in (1 − π) y more.
    values, rates = tilted.values[targets], tilted.rates[targets]
    moved = np.concatenate([-rates * values, (1 - rates) * values])
    return mean - left + float(moved.min()), mean + right + float(moved.max())


def _bracket(
    where: Nodes, kernel: Tilted, sums: Complexes, points: int, index: Ints
) -> tuple[Floats, Floats, Floats]:
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
