"""The law of subset sums atom by atom, alone and under Gaussian or Laplace noise."""

import math
from collections.abc import Callable

import attrs
import numpy as np
from scipy.special import ndtr

from deniable.numerics.effort import OutOfTime, check
from deniable.numerics.rounding import UNIT, least_within
from deniable.population.question import Bools, Floats, Ints
from deniable.population.real_sums.smallest_epsilon import Deltas

_MOST_STATES = 1 << 17  # Sums held at once, over all sizes: some megabytes, and seconds
_DECIMALS = 6  # Decimals that data usually have; sums of whole numbers are exact and coincide


@attrs.frozen(eq=False)
class Atoms:
    """Sums of the n chosen records and their log-probabilities, for one of the two laws."""

    sums: Floats  # (n_atoms,): increasing, in units of the noise
    log_weights: Floats  # (n_atoms,): natural logarithms
    shift: float  # Bound of the rounding error of every sum


def subset_atoms(
    values: Floats, counts: Ints, size: int, place: int, unit: float
) -> tuple[Atoms, Atoms] | None:
    """Laws given that a record at `place` is in, and that it is out; None when too many atoms."""
    if counts.sum() > 1000:  # Numbers of subsets of so many are floats: C(1000, 500) < 1e300
        return None
    numbers, grain = values, 1.0
    for power in range(_DECIMALS + 1):  # of ten, that makes whole numbers of them up to rounding
        scaled = values * 10.0**power
        nearest = np.round(scaled)
        if np.all(np.abs(scaled - nearest) <= 4 * UNIT * np.abs(scaled)):
            numbers, grain = nearest, 10.0**power
            break
    others = counts.copy()
    others[place] -= 1
    by_size = _sums_by_size(numbers, others, size)
    if by_size is None:
        return None
    # A product and a sum for each distinct value, four units of its own, a quotient by the grain
    # and one by the noise: so many units of n times the largest value.
    shift = (len(values) + 8) * size * UNIT * float(np.max(np.abs(values))) / unit
    (less, less_weights), (more, more_weights) = by_size[size - 1], by_size[size]
    return (
        _atoms((less + numbers[place]) / grain / unit, less_weights, shift),
        _atoms(more / grain / unit, more_weights, shift),
    )


def _atoms(sums: Floats, weights: Floats, shift: float) -> Atoms:
    # What was added last, and the quotients, may make one float of several sums.
    sums, weights = _merge([(sums, weights)])
    return Atoms(sums, np.log(weights) - math.log(math.fsum(weights)), shift)


def _sums_by_size(values: Floats, counts: Ints, size: int) -> list[tuple[Floats, Floats]] | None:
    """Return for each k up to `size` the sums of k records and the number of ways to each."""
    left = int(counts.sum())
    states = {0: (np.zeros(1), np.ones(1))}
    for value, count in zip(values, counts, strict=True):
        check()
        left -= int(count)
        gathered: dict[int, list[tuple[Floats, Floats]]] = {}
        # ways'[k + j, s + jy] += C(count, j) ways[k, s]
        for k, (sums, ways) in states.items():
            for copies in range(min(int(count), size - k) + 1):
                if k + copies + left >= size - 1:
                    many = float(math.comb(int(count), copies))
                    gathered.setdefault(k + copies, []).append((sums + copies * value, ways * many))
        if sum(len(p[0]) for parts in gathered.values() for p in parts) > 4 * _MOST_STATES:
            return None
        states = {k: _merge(parts) for k, parts in gathered.items()}
        if sum(len(sums) for sums, _ in states.values()) > _MOST_STATES:
            return None
    nothing = np.empty(0), np.empty(0)
    return [states.get(k, nothing) for k in range(size + 1)]


def _merge(parts: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    sums, place = np.unique(np.concatenate([sums for sums, _ in parts]), return_inverse=True)
    ways = np.bincount(place, np.concatenate([ways for _, ways in parts]))
    return sums, ways.astype(np.float64)


# --- Gaussian noise on listed atoms: divergences enclosed at any ε, however large.
#
# In units of σ, (ln p)' = E[S | t] − t, and the posterior mean E[S | t] increases with t (its
# slope is the posterior variance). So on [a, b]
#
# .. math:: E_p[S | a] - E_q[S | b] \le (\ln p - \ln q)' \le E_p[S | b] - E_q[S | a]
#
# which encloses ln(p/q) on the whole cell. Cells on which it may pass ε are halved.
#
# Every sum is off by at most η, the atoms' `shift`, which moves divergences by factors e^(±r), and
# ε by 2r, with r = η(R + η): docs/explanation/how-real-sums-are-enclosed.md.

_POINTS = 512  # Points of the first grid; cells that matter are halved from there
_REACH = 12.0  # Standard deviations of the noise beyond the outermost sums: Φ(−12) < 1e-32
_HALVINGS = 26  # Halvings of a cell of the first grid; the next would be near floats' spacing
_RELATIVE = 1e-12  # Relative error of a log-density or a mass, where log-weights reach 700
_MEAN = 1e-14
"""Relative error of a posterior mean: a ratio of two sums of up to 2^17 terms, added pairwise."""
_TAIL = 1e-30
"""Mass outside the first grid, and of atoms farther than R; far below any δ that floats resolve."""
_LARGEST = 512.0  # Largest ε that is searched; above it e^ε times a mass leaves no digits
_CELLS = 1 << 18
"""Numbers held at once by a block of points against all atoms: two megabytes, about a cache."""
_MOST_CELLS = 1 << 16  # Cells that are halved together; what more there are counts as unknown
_CLOSE = 1e-10  # Relative width at which bisection for ε stops


def gaussian_bounds(inside: Atoms, outside: Atoms, deltas: Deltas) -> tuple[float, float]:
    """Ends of the least ε >= 0 at which both divergences are at most δ > 0, as far as time allows.

    Raises `OutOfTime` if nothing is known by then.
    """
    off = max(inside.shift, outside.shift)
    # r = η(R + η): divergences up to e^(±r), at an ε moved by 2r.
    moved = off * (40.0 + off) * (1 + _RELATIVE)  # R, in standard deviations of the noise
    if moved > 1.0:  # The r above which floats do not tell the sums apart, and nothing is said
        return 0.0, math.inf
    keep, exceed = deltas.keep * math.exp(-moved), deltas.exceed * math.exp(moved) + _TAIL
    lower, upper = 0.0, 0.0
    for p, q in ((inside, outside), (outside, inside)):
        curve = DensityRatio.between(p, q)

        def kept(epsilon: float, c: DensityRatio = curve) -> bool:
            if epsilon == 0:  # either law is off by at most 0.4 η in total variation
                return c.divergence_bounds(0.0)[1] + off <= deltas.keep
            return c.divergence_bounds(epsilon)[1] <= keep

        def not_exceeded(epsilon: float, c: DensityRatio = curve) -> bool:
            return c.divergence_bounds(epsilon)[0] <= exceed

        upper = max(upper, _root(kept)[1])
        lower = max(lower, _root(not_exceeded)[0])
    return max(lower - 2 * moved, 0.0), upper + 2 * moved if upper > 0 else 0.0


def _root(meets: Callable[[float], bool]) -> tuple[float, float]:
    """An ε that does not meet the target and one close above that does; the latter may be inf."""
    low, high = 0.0, math.inf
    try:
        if meets(0.0):
            return 0.0, 0.0
        reach = 1.0
        while not meets(reach):
            low, reach = reach, 2 * reach
            if reach > _LARGEST:
                return low, math.inf
        high = reach
        while high - low > _CLOSE * high:
            middle = (low + high) / 2
            low, high = (low, middle) if meets(middle) else (middle, high)
    except OutOfTime:
        pass
    return low, high


@attrs.frozen(eq=False)
class _Scan:
    """Some points with ln p, ln q and both posterior means there."""

    points: Floats
    log_p: Floats
    log_q: Floats
    mean_p: Floats
    mean_q: Floats

    def at(self, index: Ints) -> "_Scan":
        return _Scan(*(column[index] for column in attrs.astuple(self, recurse=False)))

    def join(self, other: "_Scan") -> "_Scan":
        mine, theirs = attrs.astuple(self, recurse=False), attrs.astuple(other, recurse=False)
        return _Scan(*(np.concatenate(pair) for pair in zip(mine, theirs, strict=True)))


@attrs.frozen(eq=False)
class DensityRatio:
    """The divergence of p from q as a function of ε."""

    # p, q: the two laws before the noise.
    p: Atoms
    q: Atoms
    start: _Scan  # A first grid over everything but a tail of mass 1e-30

    @classmethod
    def between(cls, p: Atoms, q: Atoms) -> "DensityRatio":
        """Look at the first grid."""
        low = min(p.sums[0], q.sums[0]) - _REACH
        high = max(p.sums[-1], q.sums[-1]) + _REACH
        return cls(p, q, _scan(p, q, np.linspace(low, high, _POINTS)))

    @property
    def farthest(self) -> float:
        """The largest sum in absolute value."""
        extremes = (self.p.sums[0], self.p.sums[-1], self.q.sums[0], self.q.sums[-1])
        return max(abs(float(end)) for end in extremes)

    def divergence_bounds(self, epsilon: float) -> tuple[float, float]:
        """Lower and upper bound of the divergence between the laws of the sums as listed."""
        left = self.start.at(np.arange(_POINTS - 1))
        right = self.start.at(np.arange(1, _POINTS))
        positive, unknown = [], _TAIL
        for halving in range(_HALVINGS + 1):
            check()
            # ln(p/q) from either end at the least and the largest slope.
            width = right.points - left.points
            least, most = left.mean_p - right.mean_q, right.mean_p - left.mean_q
            falls, rises = np.minimum(least, 0) * width, np.maximum(most, 0) * width
            first, last = left.log_p - left.log_q, right.log_p - right.log_q
            low = np.maximum(first + falls, last - rises)
            high = np.minimum(first + rises, last - falls)
            slack = _RELATIVE * (1 + np.abs(left.log_p) + np.abs(left.log_q))
            slack += _MEAN * self.farthest * width  # of the slopes, which are differences of means
            low, high = np.minimum(low, high) - slack, np.maximum(low, high) + slack
            # At least ε on all of a cell: it is in the event. Nowhere above: not. Else halve it.
            sure = low >= epsilon
            positive.append((left.points[sure], right.points[sure]))
            mixed = np.flatnonzero(~sure & (high > epsilon))
            left, right, high = left.at(mixed), right.at(mixed), high[mixed]
            if halving == _HALVINGS or not 0 < mixed.size <= _MOST_CELLS:
                break
            middle = _scan(self.p, self.q, (left.points + right.points) / 2)
            left, right = left.join(middle), middle.join(right)
        if len(left.points):
            # On cells never decided p − e^ε q lies in [0, p (1 − e^(ε − high))].
            part, _ = _masses(self.p, left.points, right.points, 0.0)
            unknown += float(part @ -np.expm1(epsilon - high)) * (1 + _RELATIVE)
        # Neighbouring cells joined: starts and ends of the runs. Far from 0 halving may give a
        # cell without length, which is left out: it has no mass.
        starts, stops = (np.concatenate(side) for side in zip(*positive, strict=True))
        starts, stops = starts[starts < stops], stops[starts < stops]
        starts, stops = np.setdiff1d(starts, stops), np.setdiff1d(stops, starts)
        mass, mass_error = _masses(self.p, starts, stops, 0.0)
        against, against_error = _masses(self.q, starts, stops, epsilon)
        off = float(np.sum(mass_error + against_error))
        known = float(np.sum(mass - against))
        return known - off, known + off + unknown


def _scan(p: Atoms, q: Atoms, points: Floats) -> _Scan:
    log_p, mean_p = _posterior(p, points)
    log_q, mean_q = _posterior(q, points)
    return _Scan(points, log_p, log_q, mean_p, mean_q)


def _posterior(atoms: Atoms, points: Floats) -> tuple[Floats, Floats]:
    """ln Σ w e^(−(t−s)²/2) and Σ s w e^(…) / Σ w e^(…) at every t."""
    logs, means = np.empty(len(points)), np.empty(len(points))
    many = max(1, _CELLS // len(atoms.sums))
    for i in range(0, len(points), many):
        check()
        part = slice(i, i + many)
        exponents = atoms.log_weights - (points[part, np.newaxis] - atoms.sums) ** 2 / 2
        most = exponents.max(axis=1)
        weights = np.exp(exponents - most[:, np.newaxis])
        total = weights.sum(axis=1)
        logs[part] = most + np.log(total)
        means[part] = (weights * atoms.sums).sum(axis=1) / total
    return logs, means


def _masses(atoms: Atoms, starts: Floats, stops: Floats, epsilon: float) -> tuple[Floats, Floats]:
    """e^ε times the mass of every interval, and its error; from the nearer tail."""
    masses, errors = np.empty(len(starts)), np.empty(len(starts))
    weights = np.exp(atoms.log_weights + epsilon)
    for i, (start, end) in enumerate(zip(starts, stops, strict=True)):
        check()
        # Σ w e^ε (Φ(end − s) − Φ(start − s)), from the tail on the farther side of s, where
        # nothing cancels.
        sign = np.where(atoms.sums > (start + end) / 2, 1.0, -1.0)
        near = ndtr(np.where(sign > 0, end - atoms.sums, atoms.sums - start))
        far = ndtr(np.where(sign > 0, start - atoms.sums, atoms.sums - end))
        masses[i] = (weights * (near - far)).sum()
        errors[i] = _RELATIVE * (weights * (near + far)).sum()
    return masses, errors


# --- Laplace noise on listed atoms, in closed form and in logarithms.
#
# Between neighbouring atoms a and b of the union of both supports a density is
#
# .. math:: p(t) = L e^{-(t-a)} + R e^{-(b-t)}
#
# so p/q is monotone there and constant beyond: sup |ln(p/q)| is attained at an atom, and p − wq
# changes sign at most once between neighbours. Known up to e^{±r}: ε up to 2r, as above.


@attrs.frozen(eq=False)
class _Law:
    """ln of what comes from the left (its atom included) and from the right, at each point."""

    left: Floats
    right: Floats


@attrs.frozen(eq=False)
class _Pair:
    points: Floats
    first: _Law
    second: _Law
    error: float

    @property
    def gaps(self) -> Floats:
        """Lengths of the cells, the two half-lines included."""
        return np.concatenate([[np.inf], np.diff(self.points), [np.inf]])


def pure_bounds(inside: Atoms, outside: Atoms) -> tuple[float, float]:
    """Ends of sup |ln(p_in/p_out)|."""
    pair = _pair(inside, outside)
    # max over atoms of |ln p − ln q|: between atoms the ratio is monotone, beyond them constant.
    ratio = _log_density(pair, pair.first) - _log_density(pair, pair.second)
    worst = float(np.max(np.abs(ratio)))
    return max(worst - 2 * pair.error, 0.0), worst + 2 * pair.error


def approximate_bounds(inside: Atoms, outside: Atoms, deltas: Deltas) -> tuple[float, float]:
    """Ends of the least ε >= 0 at which both divergences are at most δ > 0."""
    pair = _pair(inside, outside)
    top = pure_bounds(inside, outside)[1]
    r = pair.error

    def root(delta: float) -> float:
        def at(epsilon: float) -> float:
            check()
            there = _divergence(pair, pair.first, pair.second, epsilon)
            return max(there, _divergence(pair, pair.second, pair.first, epsilon))

        return least_within(at, delta, 0.0, top) if at(0.0) > delta else 0.0

    lower = max(root(deltas.exceed * np.exp(r)) - 2 * r, 0.0)
    upper = min(root(deltas.keep * np.exp(-r)) + 2 * r, top)
    return lower, max(lower, upper)


def _pair(inside: Atoms, outside: Atoms) -> _Pair:
    points = np.union1d(inside.sums, outside.sums)
    centred, laws = points - points[len(points) // 2], []
    for atoms in (inside, outside):
        weights = np.full(len(points), -np.inf)
        weights[np.searchsorted(points, atoms.sums)] = atoms.log_weights
        # L_k = Σ_{s <= t_k} w_s e^(−(t_k − s)), and R_k = Σ_{s >= t_k} w_s e^(−(s − t_k)).
        left = np.logaddexp.accumulate(weights + centred) - centred
        right = np.logaddexp.accumulate((weights - centred)[::-1])[::-1] + centred
        laws.append(_Law(left, right))
    largest = float(np.max(np.abs(points))) + max(
        float(np.max(np.abs(atoms.log_weights))) for atoms in (inside, outside)
    )
    # A running sum over all points, each step to a few units of the largest logarithm; moving an
    # atom by η changes a density by at most e^(±η).
    rounding = 4 * (len(points) + 4) * UNIT * (largest + 1)
    shift = inside.shift + outside.shift
    # Relative error of a log-density from its exponentials and logarithms, a few hundred units.
    return _Pair(points, laws[0], laws[1], 1e-13 + rounding + shift)


def _log_density(pair: _Pair, law: _Law) -> Floats:
    """ln 2p at every point."""
    # 2p(t_k) = L_k + R_{k+1} e^(−(t_{k+1} − t_k))
    result = law.left.copy()
    result[:-1] = np.logaddexp(result[:-1], law.right[1:] - np.diff(pair.points))
    return result


def _divergence(pair: _Pair, p: _Law, q: _Law, epsilon: float) -> float:
    """∫ max(0, p − e^ε q)."""
    # p − e^ε q = (A e^(−(t − a)) + B e^(−(b − t)))/2 on a cell, with signs.
    left_sign, left = _difference(p.left, q.left + epsilon)
    right_sign, right = _difference(p.right, q.right + epsilon)
    nothing = [-np.inf]
    left_sign, left = np.append(False, left_sign), np.concatenate([nothing, left])
    right_sign, right = np.append(right_sign, False), np.concatenate([right, nothing])
    gaps = pair.gaps
    part = _part(left, left_sign, right, right_sign, gaps)
    part += _part(right, right_sign, left, left_sign, gaps)
    return float(np.sum(part)) / 2


def _difference(log_p: Floats, log_q: Floats) -> tuple[Bools, Floats]:
    """Whether p > q, and ln |p − q|."""
    most = np.maximum(log_p, log_q)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.abs(log_p - log_q)
        return log_p > log_q, np.where(np.isneginf(most), -np.inf, most + np.log(-np.expm1(-apart)))


def _part(
    mine: Floats, positive: Bools, other: Floats, other_positive: Bools, gaps: Floats
) -> Floats:
    """Part of a positive term e^mine at one end of a cell, less a negative one at the other.

    Where both are positive each counts for itself; where the other is −e^other the sum is
    positive up to x = (mine − other + gap)/2 from this end.
    """
    # ∫_0^x e^mine e^(−u) du − ∫_0^x e^other e^(−(g − u)) du = (e^mine − e^(other − g + x))(1 −
    # e^(−x)), x where the sum changes sign, else the gap g.
    alone = other_positive | np.isneginf(other) | np.isinf(gaps)
    mine = np.where(positive, mine, -np.inf)
    with np.errstate(invalid="ignore"):
        reach = np.clip(np.where(alone, gaps, (mine - other + gaps) / 2), 0.0, gaps)
        against = np.where(alone, -np.inf, other - gaps + reach)
    loss = np.exp(np.minimum(against, mine))
    return np.where(positive, (np.exp(mine) - loss) * -np.expm1(-reach), 0.0)
