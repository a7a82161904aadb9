"""Lower bounds without random numbers: one direction, or one cell of a histogram."""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from deniable.population.question import Complexes, Floats
from deniable.population.type_sums.counts import OUTSIDE, CountTables
from deniable.population.type_sums.noise import NEVER, ColumnNoise

# --- Lower bounds at any δ: one cell of a histogram against all others, with Gaussian noise.
#
# The cells add up to n. So an attacker has two looks at C_t, y_t and n − Σ_{k≠t} y_k, whose best
# mean is C_t plus normal noise of variance s², 1/s² = 1/σ_t² + 1/Σ_{k≠t} σ_k². Its tails are sums
# over Pr[C_t = j] j/(N_t π), and for a record out Pr[C_t = j] (N_t − j)/(N_t (1 − π)).

FINE = 1e-7  # δ below which the error of an inversion, about 1e-12 √N, may cost something
_CELL_CUTS = 60  # Thresholds tried between the mean and where δ is more than is left
_ROUNDING = 1e-9  # Relative error of sums of some 10^5 terms, each e to such a sum
_GOLDEN = (math.sqrt(5) - 1) / 2  # The golden part of each step: one of two values is used again


def lower_bound_of_cell(tables: CountTables, noise: ColumnNoise, kind: int, delta: float) -> float:
    """A lower bound on ε̃ of a record of this cell of a histogram, δ in (0, 1).

    >>> from deniable.mechanisms import Gaussian
    >>> tables = CountTables.of(np.array([300, 100]), 200)
    >>> 0.5 < lower_bound_of_cell(tables, ColumnNoise(Gaussian, [4.0, 4.0]), 1, 1e-14) < 2
    True
    """
    counts, chances = tables.of_one(kind)
    # Without the counts that hardly occur beside δ, whose probability is missing.
    least = delta * 1e-9  # The part of δ that is left out of the counts at either end
    first = int(np.searchsorted(np.cumsum(chances), least))
    kept = slice(first, len(counts) - int(np.searchsorted(np.cumsum(chances[::-1]), least)))
    counts, chances, missing = counts[kept], chances[kept], 2 * least
    many, (share, rest) = int(tables.counts[kind]), tables.shares
    laws = np.stack([chances * counts / many / share, chances * (many - counts) / many / rest])
    missing = (missing + OUTSIDE) / min(share, rest)
    others = np.delete(np.square(noise.scales), kind).sum()
    s = 1 / math.sqrt(1 / float(noise.scales[kind]) ** 2 + 1 / float(others))
    mean = float(tables.mean[kind])
    spread = math.hypot(s, math.sqrt(max(float(tables.covariance()[kind, kind]), 0.0)))
    most = math.sqrt(2 * math.log(1 / delta)) + 2
    best = 0.0
    for side in (1, -1):
        for first, second in (laws, laws[::-1]):

            def ratio(
                z: float, side: int = side, first: Floats = first, second: Floats = second
            ) -> float:
                tail = ndtr(side * (counts - mean - side * z * spread) / s)
                p, q = float(first @ tail), float(second @ tail)
                return (p * (1 - _ROUNDING) - delta) / (q * (1 + _ROUNDING) + missing)

            best = max(best, _largest(ratio, most))
    return math.log(best) * (1 - 1e-12) if best > 1 else 0.0


def _largest(function: Callable[[float], float], most: float) -> float:
    """The largest value seen from 0 to `most`; any value seen is a bound."""
    cuts = np.linspace(0, most, _CELL_CUTS).tolist()
    values = [function(z) for z in cuts]
    top = int(np.argmax(values))
    low, high = cuts[max(top - 1, 0)], cuts[min(top + 1, _CELL_CUTS - 1)]
    best = values[top]
    for _ in range(30):  # Steps of a golden section around the best: each keeps 62 %
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        one, other = function(left), function(right)
        low, high = (low, right) if one > other else (left, high)
        best = max(best, one, other)
    return best


# --- Lower bounds: an attacker may look along one direction only, and no random number is needed.
#
# T = a·y is a function of the release. With u_k = a·v_k, E[e^{iθT} | in] is a sum over ψ of
# e^{−inψ} e^{iα_t} Π z_k^{N_k}, z_k = 1 − π + π e^{iα_k}, α_k = ψ + θu_k, times the noise's, and a
# square wave of half-period P gives the tails (docs/explanation/records-of-few-types.md). Sums over
# ψ have M nodes, and are left out where |z_k| bounds the product: 1 − cos α >= 2α²/π² for |α| <= π,
# and for |ψ| >= ψ_0 at least half of the records have |α_k| >= |ψ|/2.

_WAVES = 500  # Odd multiples of the least frequency; where more would count, noise is added
_NODES = 24.0  # Nodes a standard deviation of how many independent records are taken
_MORE_NODES = 200  # Besides: 24 s + 200 records more or less have a chance < e^−280
_CUTS = 8.5  # Standard deviations of T within which thresholds are tried
_STEPS = 1021  # Thresholds tried: their distance costs 1e-4 of ε
_CELLS = 1_000_000  # Frequencies times nodes at once: arrays of 8 MB


def lower_bound(
    tables: CountTables, values: Floats, noise: ColumnNoise, kind: int, delta: float
) -> float:
    """A lower bound on ε̃ of a record of this type, δ in (0, 1); 0 where none was found.

    >>> from deniable.mechanisms import Gaussian
    >>> tables = CountTables.of(np.array([200, 200]), 200)
    >>> low = lower_bound(tables, np.eye(2), ColumnNoise(Gaussian, [4.0, 4.0]), 0, 1e-4)
    >>> 0.2 < low < 0.5
    True
    """
    # The records left out tell the same, and angles of few records lose fewer digits.
    if 2 * tables.size > tables.population:
        tables = CountTables.of(tables.counts, tables.population - tables.size)
    # The direction along which a record shows most, if all were normal.
    parts, many = tables.counts, tables.population
    rows = values - parts @ values / many
    release_covariance = rows.T @ tables.covariance() @ rows + np.diag(noise.variances)
    along = np.linalg.solve(release_covariance, rows[kind])
    length = float(np.linalg.norm(along))
    if length == 0:
        return 0.0
    along = along / length
    u = rows @ along
    u = u - parts @ u / many
    spread = math.sqrt(max(float(along @ release_covariance @ along), 0.0))
    # Bernstein, with replacement (hoeffding-1963): t² = 2·45 (n v + |u| t/3).
    largest, n = float(np.abs(u).max()), min(tables.size, many - tables.size)
    wide = 2 * NEVER / 6 * largest
    mass = 2 * NEVER * n * float(parts @ np.square(u)) / many
    reach = wide + math.sqrt(wide * wide + mass) + 3 * largest + noise.reach(along)
    own = noise.normal(along)
    half_period = reach + (_CUTS + 10) * spread
    # e^(−s²θ²/2) is 1e-20 at the last frequency.
    enough = math.sqrt(2 * NEVER) * half_period / (math.pi * 2 * _WAVES)
    added = math.sqrt(max(enough**2 - own**2, 0.0))
    normal, half_period = math.hypot(own, added), half_period + 10 * added
    if math.hypot(spread, added) == 0:
        return 0.0
    cuts = np.linspace(-_CUTS, _CUTS, _STEPS) * math.hypot(spread, added)
    # Pr[T > c] with a record of this type in and out, and a bound of their errors.
    last = math.sqrt(2 * NEVER) / normal
    odd = np.arange(1, 2 * math.ceil(last * half_period / math.pi / 2) + 2, 2.0)
    theta: Floats = odd * math.pi / half_period
    factor = np.exp(-np.square(theta * added) / 2) * noise.characteristic(theta, along)
    laws = _characteristic(tables, kind, u, theta) * factor
    waves = np.exp(-1j * np.outer(theta, cuts)) * (2 / np.pi / odd)[:, None]
    tails = 0.5 + (laws @ waves).imag
    # Angles of N factors lose some units of their size, n ψ; the sum over 1/j is below 6.
    share, _ = tables.shares
    own = math.sqrt(tables.population * share * (1 - share))
    off = 4e-16 * tables.population * (largest + 1e-300) / normal
    error = 1e-12 + 4e-13 * own + off
    best = 0.0
    for above in (tails, 1 - tails):
        for p, q in ((above[0], above[1]), (above[1], above[0])):
            ratios = (p - error - delta) / np.minimum(np.maximum(q, 0.0) + error, 1.0)
            best = max(best, math.log(max(float(ratios.max()), 1.0)))
    return best * (1 - 1e-12)


def _characteristic(tables: CountTables, kind: int, u: Floats, theta: Floats) -> Complexes:
    """E e^{iθ Σ u} of samples with a record of this type, and without; (2, n_frequencies)."""
    parts, n, many = tables.counts, tables.size, tables.population
    share = n / many
    own = math.sqrt(many * share * (1 - share))
    nodes = min(many + 1, math.ceil(_NODES * own + _MORE_NODES))
    order = np.argsort(np.abs(u))
    half = int(np.searchsorted(np.cumsum(parts[order]), (many + 1) // 2))
    middle = float(np.abs(u[order[min(half, len(u) - 1)]]))
    # At least half of the records have |θu| <= |ψ|/2: |product| <= exp(−s²ψ²/4π²).
    reach = max(2 * math.pi * math.sqrt(NEVER) / max(own, 1e-9), 2 * float(theta.max()) * middle)
    most = (nodes - 1) // 2 if reach >= math.pi else math.ceil(reach * nodes / 2 / math.pi)
    most = min(most, (nodes - 1) // 2)
    end = nodes - most if most * 2 + 2 >= nodes else most + 1
    psi: Floats = np.arange(-most, end, dtype=np.float64) * (2 * math.pi / nodes)
    powers = parts.astype(np.float64)
    powers[kind] -= 1
    transform = np.empty((2, len(theta)), np.complex128)
    rows = max(_CELLS // len(psi), 1)
    for start in range(0, len(theta), rows):
        some = theta[start : start + rows]
        transform[:, start : start + rows] = _sums(psi, some, u, powers, kind, share, n)
    return np.asarray(transform / _sums(psi, np.zeros(1), u, powers, kind, share, n).real)


def _sums(
    psi: Floats, theta: Floats, u: Floats, powers: Floats, kind: int, share: float, n: int
) -> Complexes:
    """Sums over ψ of the products, (2, n_frequencies): with e^{iα_t}, and without."""
    size, angle = np.zeros((len(theta), len(psi))), -n * psi[None, :] + np.zeros((len(theta), 1))
    for k, power in enumerate(powers):
        alpha = psi[None, :] + theta[:, None] * u[k]
        rest = 2 * share * (1 - share) * (2 * np.square(np.sin(alpha / 2)))
        with np.errstate(divide="ignore"):
            size += power * np.maximum(0.5 * np.log1p(-np.minimum(rest, 1.0)), -745.0)
        angle += power * np.arctan2(share * np.sin(alpha), 1 - share + share * np.cos(alpha))
    product = np.exp(size + 1j * angle)
    own = np.exp(1j * (psi[None, :] + theta[:, None] * u[kind]))
    return np.stack([(product * own).sum(axis=1), product.sum(axis=1)])
