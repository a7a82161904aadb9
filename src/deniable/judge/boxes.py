r"""Branch and bound over size-conditioned product priors with bounded marginals.

Free entities F, j of them in, t one of them. Let θ be the log-odds of the others, relative to one
of them, u_i = Pr[i|t], v_i = Pr[i|¬t], and q = Pr[t]. Given θ, Pr[S|t], Pr[S|¬t], u and v are
fixed; p_i = q u_i + (1 − q) v_i confines q to an interval; and the factor on the belief,

.. math:: \max\left(\frac{A}{qA + 1 - q},\; qA + 1 - q\right), \quad A = \Pr[S|t]/\Pr[S|¬t],

is largest at an end of it. So θ alone is searched. Each of Pr[S|t], Pr[S|¬t], u_i, v_i and the
inclusion probabilities given S is a ratio of multilinear forms in the odds, hence monotone in
each of them: a box's extremes stand at its vertices. ln A is also bounded from the centre, its
slope being the difference of inclusion probabilities given S and not. In a prior of the family
odds differ by at most min(b, 1 − a)/(a(1 − b)), as memberships are negatively correlated.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.judge.box_problems import Floats, Problems, factor, problems_of
from deniable.judge.neighbours import Table
from deniable.judge.progress import Progress, part, silent
from deniable.judge.single_exchange import SLACK

WORK = 100_000_000
"""Likelihoods that a search may look at, a few seconds' worth."""
TOLERANCE = 1e-7
"""Relative width of the bracket at which a search is done."""
_BATCH = 500_000
"""Likelihoods to look at together."""


@attrs.frozen
class SearchResult:
    """An upper bound over the priors searched, and the best prior if it beats the one known."""

    ceiling: float
    prior: Floats | None


@attrs.frozen
class _Pool:
    """Boxes still open: whose problem, where, and what they can show at most."""

    problem: NDArray[np.int64]
    low: Floats
    high: Floats
    ceiling: Floats

    def where(self, kept: NDArray[np.bool_] | NDArray[np.int64]) -> "_Pool":
        return _Pool(self.problem[kept], self.low[kept], self.high[kept], self.ceiling[kept])

    def with_(self, other: "_Pool") -> "_Pool":
        return _Pool(
            np.concatenate([self.problem, other.problem]),
            np.concatenate([self.low, other.low]),
            np.concatenate([self.high, other.high]),
            np.concatenate([self.ceiling, other.ceiling]),
        )


@attrs.frozen
class _Look:
    """What boxes can show at most, and what their centres do show, at which q."""

    ceiling: Floats
    gamma: Floats
    q: Floats


def search(
    table: Table,
    sizes: tuple[int, ...],
    interval: tuple[float, float],
    known: float,
    work: int,
    progress: Progress = silent,
) -> SearchResult:
    """Bound the factor on a belief over all priors with two or more in and two or more out.

    Parameters
    ----------
    table : ndarray of float, shape (2**n, n_outputs)
        The mechanism.
    sizes : tuple of int
        Sizes of the data to look at.
    interval : (float, float)
        The interval of every uncertain Pr[t], without 0 and 1.
    known : float
        What a prior is known to show; the ceiling is not below it.
    work : int
        How many likelihoods to look at.
    progress : callable
        Told the fraction done.
    """
    spread = math.log(min(interval[1], 1 - interval[0]) / (interval[0] * (1 - interval[1])))
    ceiling, prior = known, None
    shapes = problems_of(table, sizes, interval)
    for i, problems in enumerate(shapes):
        shape_progress = part(progress, i / len(shapes), (i + 1) / len(shapes))
        gamma, top, better = _search_shape(
            len(table), problems, interval, spread, (known, work, shape_progress)
        )
        if better is not None:
            known, prior = gamma, better
        ceiling = max(ceiling, top, known)
    return SearchResult(ceiling, prior)


def _search_shape(
    n_rows: int,
    problems: Problems,
    interval: tuple[float, float],
    spread: float,
    start: tuple[float, int, Progress],
) -> tuple[float, float, Floats | None]:
    """The best shown, the ceiling, and the prior that shows it if it beats the start."""
    known, prior = _even(n_rows, problems, start[0])
    if min(problems.even - interval[0], interval[1] - problems.even) <= SLACK:
        return known, known, prior  # only even odds meet the interval
    _, work, progress = start
    at_once = max(_BATCH // problems.shape.cost, 1)
    open_ = np.flatnonzero(problems.ceiling > known * (1 + TOLERANCE))
    width = (len(open_), problems.shape.dimensions)
    pool = _Pool(open_, np.full(width, -spread), np.full(width, spread), problems.ceiling[open_])
    # Halve the boxes that may show most, bound both halves, drop those that cannot beat what is
    # known.
    while len(pool.problem) and work > 0:
        order = np.argsort(-pool.ceiling, kind="stable")
        batch, rest = pool.where(order[:at_once]), pool.where(order[at_once:])
        halves = _split(batch)
        work -= len(halves.problem) * problems.shape.cost
        look = _look(problems, halves, interval)
        best = int(np.argmax(look.gamma))
        if look.gamma[best] > known:
            known = float(look.gamma[best])
            prior = _centre_prior(n_rows, problems, halves, best, float(look.q[best]))
        halves = attrs.evolve(halves, ceiling=np.minimum(halves.ceiling, look.ceiling))
        pool = rest.with_(halves)
        pool = pool.where(pool.ceiling > known * (1 + TOLERANCE))
        progress(min(1 - work / start[1], 1.0))
    ceiling = float(pool.ceiling.max(initial=known * (1 + TOLERANCE)))
    return known, ceiling, prior


def _even(n_rows: int, problems: Problems, known: float) -> tuple[float, Floats | None]:
    """What even odds show, and the prior if it beats what is known."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = problems.inside.mean(axis=1) / problems.outside.mean(axis=1)
    q = np.full(len(ratio), problems.even)
    gamma = factor(np.nan_to_num(ratio, nan=1.0, posinf=np.inf), q, q)
    best = int(np.argmax(gamma))
    if gamma[best] <= known:
        return known, None
    zeros = np.zeros((1, problems.shape.dimensions))
    centre = _Pool(np.array([best]), zeros, zeros, np.zeros(1))
    return float(gamma[best]), _centre_prior(n_rows, problems, centre, 0, problems.even)


def _split(pool: _Pool) -> _Pool:
    """Each box halved where it is widest."""
    at = np.argmax(pool.high - pool.low, axis=1)
    rows = np.arange(len(at))
    middle = (pool.low[rows, at] + pool.high[rows, at]) / 2
    low, high = pool.low.copy(), pool.high.copy()
    low[rows, at], high[rows, at] = middle, middle
    left = attrs.evolve(pool, high=high)
    return left.with_(attrs.evolve(pool, low=low))


@attrs.frozen
class _Side:
    """Likelihood and inclusion probabilities with t in, or out, at each vertex and the centre."""

    likelihood: Floats
    inclusion: Floats
    inclusion_given_output: Floats

    @classmethod
    def of(cls, theta: Floats, subsets: Floats, likelihoods: Floats) -> "_Side":
        # Pr[S|·] = Σ_E e^(θ·E) l_E / Σ_E e^(θ·E); inclusion = Σ_E e^(θ·E) E / Σ_E e^(θ·E), and the
        # same with weights e^(θ·E) l_E, given the output. E are subsets as rows of 0 and 1.
        exponents = theta @ subsets.T
        weights = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
        seen = weights * likelihoods[:, None]
        total, mass = weights.sum(axis=-1, keepdims=True), seen.sum(axis=-1, keepdims=True)
        with np.errstate(invalid="ignore"):
            return cls((mass / total)[..., 0], weights @ subsets / total, seen @ subsets / mass)


def _look(problems: Problems, pool: _Pool, interval: tuple[float, float]) -> _Look:
    shape = problems.shape
    theta = pool.low[:, None] + shape.vertices * (pool.high - pool.low)[:, None]
    theta = np.concatenate([theta, np.zeros((*theta.shape[:2], 1))], axis=2)
    inside = _Side.of(theta, shape.inside, problems.inside[pool.problem])
    outside = _Side.of(theta, shape.outside, problems.outside[pool.problem])
    with np.errstate(divide="ignore", invalid="ignore"):
        # A at most: monotone forms are largest and least at vertices; or from the centre, by its
        # slope.
        ratio = inside.likelihood[:, :-1].max(axis=1) / outside.likelihood[:, :-1].min(axis=1)
        centre = inside.likelihood[:, -1] / outside.likelihood[:, -1]
    ratio = np.fmin(ratio, centre * np.exp(_climb(inside, outside, pool)))
    u, v = inside.inclusion[:, :-1], outside.inclusion[:, :-1]
    q_low, q_high = _interval(u.min(axis=1), v.min(axis=1), u.max(axis=1), v.max(axis=1), interval)
    ceiling = np.where(q_low <= q_high, factor(ratio, q_low, q_high), 0.0)
    u, v = inside.inclusion[:, -1], outside.inclusion[:, -1]
    q_low, q_high = _interval(u, v, u, v, interval)
    at_low, at_high = factor(centre, q_low, q_low), factor(centre, q_high, q_high)
    gamma = np.where(q_low <= q_high, np.maximum(at_low, at_high), 0.0)
    return _Look(ceiling, gamma, np.where(at_low >= at_high, q_low, q_high))


def _climb(inside: _Side, outside: _Side, pool: _Pool) -> Floats:
    """How much ln A can rise from the centre of each box at most."""

    def extremes(values: Floats) -> tuple[Floats, Floats]:
        free = values[:, :-1, :-1]  # the vertices; the last entity's odds are fixed
        return free.min(axis=1), free.max(axis=1)

    (s_low, s_high), (u_low, u_high) = (
        extremes(inside.inclusion_given_output),
        extremes(inside.inclusion),
    )
    (r_low, r_high), (v_low, v_high) = (
        extremes(outside.inclusion_given_output),
        extremes(outside.inclusion),
    )
    # ∂ ln A/∂θ_i = (Pr[i|S,t] − Pr[i|t]) − (Pr[i|S,¬t] − Pr[i|¬t]); its largest absolute value in
    # the box.
    steepest = np.maximum(
        (s_high - u_low) - (r_low - v_high), -((s_low - u_high) - (r_high - v_low))
    )
    return np.asarray((steepest * (pool.high - pool.low) / 2).sum(axis=1))


def _interval(
    u_low: Floats, v_low: Floats, u_high: Floats, v_high: Floats, interval: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Every q with q u + (1 − q) v in the interval for some u, v of their ranges; empty if none.

    u <= v throughout: with t in there is less room for the others.
    """
    low, high = interval
    with np.errstate(divide="ignore", invalid="ignore"):
        # low <= qu + (1 − q)v <= high: q >= (v − high)/(v − u) if v > high, q <= (v − low)/(v − u)
        # if u < low.
        at_least = np.where(v_low > high, (v_low - high) / (v_low - u_low), low)
        at_most = np.where(u_high < low, (v_high - low) / (v_high - u_high), high)
    at_least = np.where(np.isnan(at_least) | ((v_low > high) & (u_low >= v_low)), 2.0, at_least)
    at_most = np.where(v_high < low, -1.0, np.nan_to_num(at_most, nan=-1.0))
    q_low = np.maximum(at_least.max(axis=1), low)
    return q_low, np.minimum(at_most.min(axis=1), high)


def _centre_prior(n_rows: int, problems: Problems, pool: _Pool, at: int, q: float) -> Floats:
    """The prior at a box's centre, over all subsets in row order."""
    t, others, base = problems.rows[int(pool.problem[at])]
    theta = np.append((pool.low[at] + pool.high[at]) / 2, 0.0)
    prior = np.zeros(n_rows)
    bits = np.array([1 << i for i in others])
    for subsets, own, chance in (
        (problems.shape.inside, 1 << t, q),
        (problems.shape.outside, 0, 1 - q),
    ):
        # Pr[E] = q e^(θ·E)/Σ with t in, (1 − q) e^(θ·E)/Σ with t out.
        weights = np.exp(subsets @ theta)
        prior[base + own + subsets.astype(np.int64) @ bits] = chance * weights / weights.sum()
    return prior
