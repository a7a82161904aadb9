"""With what probability a noisy selection releases these variants, exactly enclosed.

A round of exponential noise chooses i with probability q_i ∫ g(u) du over [0, 1], where g(u) is
the product of 1 − u q_j over the others, q = exp((x − max x)/s). Every factor falls and the
derivatives of g alternate in sign, so Gauss's rule is too small and Lobatto's too large on every
interval. Scores are held by distinct value, with how many variants have each, so that 100,000
variants are no trouble.
"""

import math
from collections.abc import Sequence
from functools import cache

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.numerics.bound import Bound, Evidence

MOST_EXACT = 3
"""Largest number of variants whose selection is computed exactly: 2^number sums."""

_NODES = 12
"""Nodes of a rule on each piece; pieces are short enough for twelve digits with these."""
_SERIES = 12
"""Terms of ln(1 − uq) = −Σ (uq)^k/k. With q <= 1/16 the next is below 16^−13/13 = 2e-17."""
_SMALL = 1 / 16
"""q up to which the series is used."""
_ULP = 2.0**-50
"""Four times the distance from 1 to the next float: a few operations are wrong by less."""
_REST = 1e-18
"""Share of the integral at which its rest is only bounded, and added to the upper end."""
_FARTHEST = 690.0
"""At q below exp(−690) the probability lies between 0 and that."""

Floats = NDArray[np.float64]
Ends = tuple[float, float]


def set_probability(scores: ArrayLike, chosen: Sequence[int], mechanism: NoisyTopK) -> Bound:
    """The probability that exactly these variants are chosen, in whatever order.

    Parameters
    ----------
    scores : array_like of int, shape (n_variants,)
        Whole steps of score.
    chosen : sequence of int
        Positions from 0, as many as `mechanism.number`, at most `MOST_EXACT`.
    mechanism : NoisyTopK
        Its scale counts in steps.

    Returns
    -------
    Bound
        An enclosure.

    Examples
    --------
    >>> round(set_probability([0, 1, 2], [2], NoisyTopK(1.0, 1, "exponential")).upper, 3)
    0.765
    """
    values, members = _checked(scores, chosen, mechanism)
    return _bound(*_all_orders(_Field.of(values), members, mechanism))


def exact_top_probability(scores: ArrayLike, mechanism: NoisyTopK) -> Bound:
    """The probability that the chosen variants are ones that no other outscores.

    Where several have the last score that makes it, any of them will do.

    Parameters
    ----------
    scores : array_like of int, shape (n_variants,)
        Whole steps of score.
    mechanism : NoisyTopK
        Its scale counts in steps; at most `MOST_EXACT` are chosen.

    Returns
    -------
    Bound
        An enclosure.

    Examples
    --------
    >>> bound = exact_top_probability([5, 5, 0, 0], NoisyTopK(1.0, 2, "gumbel"))
    >>> round(bound.lower, 4), bound.evidence.word
    (0.9801, 'enclosure')
    """
    values = np.asarray(scores)
    number = mechanism.number
    best = np.argsort(-values, kind="stable")[:number]
    _, members = _checked(values, best.tolist(), mechanism)
    last = members[-1]
    tied, needed = int(np.count_nonzero(values == last)), members.count(last)
    low, high = _all_orders(_Field.of(values), members, mechanism)
    # As many sets are as good as this one as there are ways to choose among those that tie.
    choices = math.comb(tied, needed)
    return _bound(low * choices, high * choices)


def _checked(
    scores: ArrayLike, chosen: Sequence[int], mechanism: NoisyTopK
) -> tuple[NDArray[np.int64], list[int]]:
    values = np.asarray(scores)
    if values.ndim != 1 or not np.issubdtype(values.dtype, np.integer):
        raise InvalidArgument("Expected whole-number scores in one row, got others.")
    positions = [validate.integer(i, "a position", least=0) for i in chosen]
    if len(set(positions)) != mechanism.number or max(positions) >= len(values):
        raise InvalidArgument(
            f"Expected {mechanism.number} different positions below {len(values)}, got {positions}."
        )
    if mechanism.number > MOST_EXACT:
        raise InvalidArgument(
            f"Expected at most {MOST_EXACT} variants for an exact law, got {mechanism.number}. "
            "Draw selections instead."
        )
    return values.astype(np.int64), values[positions].tolist()


@attrs.frozen
class _Field:
    """Distinct scores, falling, and how many variants have each."""

    scores: NDArray[np.int64]
    variants: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[np.int64]) -> "_Field":
        scores, variants = np.unique(values, return_counts=True)
        return cls(scores[::-1], variants[::-1])

    def without(self, members: Sequence[int]) -> "_Field":
        """The field after one variant of each of these scores has left."""
        variants = self.variants.copy()
        for score in members:
            variants[np.searchsorted(-self.scores, -score)] -= 1
        left = variants > 0
        return _Field(self.scores[left], variants[left])


def _all_orders(field: _Field, members: list[int], mechanism: NoisyTopK) -> Ends:
    """Enclosure of the probability that the members come out in some order."""
    if not members:
        return 1.0, 1.0
    low = high = 0.0
    # Pr[set] = Σ over its members i of Pr[i first] Pr[the rest, in some order]; equal scores once.
    for score in sorted(set(members)):
        rest = members.copy()
        rest.remove(score)
        now = _round(field, score, mechanism)
        later = _all_orders(field.without([score]), rest, mechanism)
        low += members.count(score) * now[0] * later[0]
        high += members.count(score) * now[1] * later[1]
    return low, high


def _round(field: _Field, score: int, mechanism: NoisyTopK) -> Ends:
    """Enclosure of the probability that one round chooses one variant of this score."""
    # q_j = e^((x_j − max x)/s). With q below e^−690 only 0 and the upper end are known.
    away = (field.scores - field.scores[0]) / mechanism.scale
    q = np.exp(away)
    distance = (score - int(field.scores[0])) / mechanism.scale
    own = math.exp(max(distance, -_FARTHEST))
    others = field.without([score])
    kept = np.isin(field.scores, others.scores)
    q_others, away_others = q[kept], away[kept]
    if mechanism.noise is SelectionNoise.GUMBEL:
        # Gumbel noise: q_i/Σ_j q_j.
        weights = others.variants * q_others
        low = high = own / (own + float(weights.sum()))
        # The q_j are wrong by their logarithms' errors, on average as their weights say.
        slack = _ULP * (64 - distance - float(weights @ away_others) / max(weights.sum(), 0.5))
    else:
        # Exponential noise: q_i ∫ Π_{j≠i} (1 − u q_j) du over [0, 1].
        low, high = (own * end for end in _integral(q_others, others.variants))
        slack = _slack(q_others, away_others, others.variants) - _ULP * distance
    low = low * (1 - slack) if distance >= -_FARTHEST else 0.0
    return max(low, 0.0), min(high * (1 + slack), 1.0)


def _slack(q: Floats, away: Floats, variants: NDArray[np.int64]) -> float:
    """Relative rounding error of the integral.

    q_j is wrong by a factor 1 ± (4 − ln q_j) 2^-53. Since the integrand without factor j falls at
    least like exp(−Λu), Λ the sum of the other q, u is at most min(½, 1/Λ) on average there and
    one q_j moves the integral by at most twice that share. Sums and logarithms cost the rest.
    """
    total = float((variants * q).sum())
    wrong = float((variants * q * np.where(away < 0, 4 - away, 0.0)).sum())
    return _ULP * (256 + 2 * wrong * min(0.5, 1 / max(total - 1, 1.0)))


def _integral(q: Floats, variants: NDArray[np.int64]) -> Ends:
    """Enclosure, but for rounding, of ∫ Π (1 − u q_j) du over [0, 1]."""
    if not len(q):
        return 1.0, 1.0
    log_product = _LogProduct.of(q, variants.astype(np.float64))
    low = high = 0.0
    # Pieces of length 1/Λ, then as long as all before them, with Λ = Σ q: the integrand falls
    # about like e^(−Λu). Gauss below, Lobatto above; what is left after u is at most g(u)(1 − u).
    start, width = 0.0, 1 / max(float((variants * q).sum()), 1.0)
    while start < 1:
        end = min(start + width, 1.0)
        inner, outer = (
            (end - start) * float(weights @ np.exp(log_product(start + (end - start) * nodes)))
            for nodes, weights in (_gauss(), _lobatto())
        )
        low, high = low + inner, high + outer
        rest = float(np.exp(log_product(np.array([end])))[0]) * (1 - end)
        if rest < _REST * low:
            return low, high + rest
        start, width = end, end
    return low, high


@attrs.frozen
class _LogProduct:
    """u -> Σ ln(1 − u q_j): large q one by one, small ones by their power sums."""

    large: Floats
    variants: Floats
    series: Floats

    @classmethod
    def of(cls, q: Floats, variants: Floats) -> "_LogProduct":
        # Σ_j ln(1 − u q_j) = Σ over large q of log1p(−u q_j) − Σ_k (u^k/k) Σ over small q of
        # q_j^k.
        small = q <= _SMALL
        powers = np.arange(1, _SERIES + 1)
        sums = [float((variants[small] * q[small] ** k).sum()) for k in powers]
        return cls(q[~small], variants[~small], np.array(sums) / powers)

    def __call__(self, u: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            logs = np.log1p(-u[:, None] * self.large)
        series = (self.series * u[:, None] ** np.arange(1, _SERIES + 1)).sum(axis=1)
        return np.asarray((self.variants * logs).sum(axis=1) - series)


@cache
def _gauss() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


@cache
def _lobatto() -> tuple[Floats, Floats]:
    """Nodes with both ends of [0, 1], and weights."""
    legendre = np.polynomial.Legendre.basis(_NODES)
    # Nodes ±1 and the roots of P'_n, n = _NODES; weights 2/(n(n + 1) P_n(x)²).
    inner = np.sort(np.real(legendre.deriv().roots()))
    nodes = np.concatenate([[-1.0], inner, [1.0]])
    weights = 2 / (_NODES * (_NODES + 1) * legendre(nodes) ** 2)
    return (nodes + 1) / 2, weights / 2


def _bound(low: float, high: float) -> Bound:
    """Products and sums of a few numbers in [0, 1]; both ends outwards."""
    return Bound(
        max(low * (1 - 64 * _ULP), 0.0), min(high * (1 + 64 * _ULP), 1.0), Evidence.ENCLOSURE
    )
