r"""Laplace noise on listed atoms, in closed form and in logarithms.

Between neighbouring atoms a and b of the union of both supports a density is

.. math:: p(t) = L e^{-(t-a)} + R e^{-(b-t)}

in units of the scale, so p/q is a Möbius function of e^{2t}: monotone. Beyond the outermost atoms
it is constant. Hence sup |ln(p/q)| is attained at an atom, and p − wq has at most one sign change
between neighbours. If both densities are known up to a factor e^{±r}, divergences are known up to
e^{±r} at an ε moved by 2r.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import UNIT, least
from deniable.numerics.time_limit import check
from deniable.population.real_sums.atoms import Atoms
from deniable.population.real_sums.smallest_epsilon import Deltas

_BASE = 1e-13
"""Relative error of a log-density from its exponentials and logarithms, some hundred units."""


@attrs.frozen(eq=False)
class _Law:
    """ln of what comes from the left (its atom included) and from the right, at each point."""

    left: NDArray[np.float64]
    right: NDArray[np.float64]


@attrs.frozen(eq=False)
class _Pair:
    points: NDArray[np.float64]
    first: _Law
    second: _Law
    error: float

    @property
    def gaps(self) -> NDArray[np.float64]:
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
        def meets(epsilon: float) -> bool:
            check()
            there = _divergence(pair, pair.first, pair.second, epsilon)
            return max(there, _divergence(pair, pair.second, pair.first, epsilon)) <= delta

        return least(meets, 0.0, top) if not meets(0.0) else 0.0

    lower = max(root(deltas.exceed * np.exp(r)) - 2 * r, 0.0)
    upper = min(root(deltas.keep * np.exp(-r)) + 2 * r, top)
    return lower, max(lower, upper)


def _pair(inside: Atoms, outside: Atoms) -> _Pair:
    points = np.union1d(inside.sums, outside.sums)
    laws = [_law(points, atoms) for atoms in (inside, outside)]
    largest = float(np.max(np.abs(points))) + max(
        float(np.max(np.abs(atoms.log_weights))) for atoms in (inside, outside)
    )
    # A running sum over all points, each step to a few units of the largest logarithm; moving an
    # atom by η changes a density by at most e^(±η).
    rounding = 4 * (len(points) + 4) * UNIT * (largest + 1)
    shift = inside.shift + outside.shift
    return _Pair(points, laws[0], laws[1], _BASE + rounding + shift)


def _law(points: NDArray[np.float64], atoms: Atoms) -> _Law:
    weights = np.full(len(points), -np.inf)
    weights[np.searchsorted(points, atoms.sums)] = atoms.log_weights
    centred = points - points[len(points) // 2]
    # L_k = Σ_{s <= t_k} w_s e^(−(t_k − s)), and R_k = Σ_{s >= t_k} w_s e^(−(s − t_k)).
    left = np.logaddexp.accumulate(weights + centred) - centred
    right = np.logaddexp.accumulate((weights - centred)[::-1])[::-1] + centred
    return _Law(left, right)


def _log_density(pair: _Pair, law: _Law) -> NDArray[np.float64]:
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


def _difference(
    log_p: NDArray[np.float64], log_q: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether p > q, and ln |p − q|."""
    most = np.maximum(log_p, log_q)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.abs(log_p - log_q)
        return log_p > log_q, np.where(np.isneginf(most), -np.inf, most + np.log(-np.expm1(-apart)))


def _part(
    mine: NDArray[np.float64],
    positive: NDArray[np.bool_],
    other: NDArray[np.float64],
    other_positive: NDArray[np.bool_],
    gaps: NDArray[np.float64],
) -> NDArray[np.float64]:
    """What a positive term e^mine at one end of a cell gives, less a negative one at the other.

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
