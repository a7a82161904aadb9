"""Positive membership on this universe under D_B^[a,b], with every Pr[t] in [a, b] or certain.

Below: the best prior found. Above: Theorem 2 of tramer-2015 at the largest ratio between
neighbours of this universe. Priors with exactly one uncertain entity in, or one out, are
optimised exactly and often meet the upper bound; if they do not, the others are bounded from above
box by box (below), for up to 8 entities and unless an end of 0 or 1 meets likelihoods of 0.
"""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import validate
from deniable.judge import worst_cases
from deniable.judge.differential import Ratios
from deniable.judge.likelihoods import joint, rises
from deniable.judge.neighbours import Table, complete_sizes, fill_unknown
from deniable.judge.worst_cases import (
    NEARLY_ONE,
    SLACK,
    Gamma,
    Instances,
    Interval,
    best,
    instances,
    spread,
)
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import PureDP
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Progress, part, silent
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems.membership import pure_dp_to_positive_membership

# Free entities, a number of them in, t one of them: an instance is an output, t, the others who
# are uncertain, and who is certainly in. Instances of one shape are held together.


Floats = NDArray[np.float64]


def free_sets(
    n: int, sizes: tuple[int, ...], interval: tuple[float, float]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Uncertain entities, certain members, and how many of the first are in."""
    for free_count in range(2, n + 1):
        numbers = [
            number
            for number in range(1, free_count)
            if free_count * interval[0] - SLACK <= number <= free_count * interval[1] + SLACK
        ]
        for free in itertools.combinations(range(n), free_count):
            rest = [i for i in range(n) if i not in free]
            for number, size in itertools.product(numbers, sizes):
                if 0 <= size - number <= len(rest):
                    for certain in itertools.combinations(rest, size - number):
                        yield free, certain, number


@attrs.frozen
class Shape:
    """The subsets of the others, with and without t, as 0 and 1; and the vertices of a box."""

    inside: Floats
    outside: Floats
    vertices: Floats

    @classmethod
    def of(cls, free_count: int, number: int) -> "Shape":
        """Return the shape of so many free entities, so many of them in."""
        others = free_count - 1
        corners = list(itertools.product((0.0, 1.0), repeat=others - 1))
        return cls(
            _indicators(others, number - 1),
            _indicators(others, number),
            np.array([*corners, [0.5] * (others - 1)]),
        )

    @property
    def dimensions(self) -> int:
        """How many odds are free."""
        return int(self.vertices.shape[1])

    @property
    def cost(self) -> int:
        """How many likelihoods there are to a box."""
        return len(self.vertices) * (len(self.inside) + len(self.outside))


def _indicators(count: int, number: int) -> Floats:
    rows = list(itertools.combinations(range(count), number))
    result = np.zeros((len(rows), count))
    for row, columns in enumerate(rows):
        result[row, list(columns)] = 1.0
    return result


@attrs.frozen
class Problems:
    """Instances of one shape: likelihoods of one output with t in and out."""

    shape: Shape
    inside: Floats
    outside: Floats
    ceiling: Floats
    even: float
    """Pr[i in] where all odds are even: how many are in over how many there are."""
    rows: list[tuple[int, tuple[int, ...], int]]
    """t, the others, and the row number of the certain members."""


def _build_problems(
    table: Table,
    key: tuple[int, int],
    rows: list[tuple[int, tuple[int, ...], int]],
    interval: tuple[float, float],
) -> Problems:
    shape = Shape.of(*key)
    bits = np.array([[1 << i for i in others] for _, others, _ in rows])
    base = np.array([certain for _, _, certain in rows])[:, None]
    with_t = base + np.array([1 << t for t, _, _ in rows])[:, None]
    inside = table[with_t + bits @ shape.inside.T.astype(np.int64)]
    outside = table[base + bits @ shape.outside.T.astype(np.int64)]
    near = (shape.outside @ shape.inside.T) == key[1] - 1  # one more entity in
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = inside[:, None] / outside[:, :, None]
        ratio = np.nan_to_num(np.where(near[:, :, None], ratios, 0.0), nan=0.0, posinf=np.inf)
        ratio = ratio.max(axis=(1, 2))
    n_outputs = table.shape[1]
    repeated = [row for row in rows for _ in range(n_outputs)]
    return Problems(
        shape,
        np.moveaxis(inside, 2, 1).reshape(len(repeated), -1),
        np.moveaxis(outside, 2, 1).reshape(len(repeated), -1),
        factor(ratio.reshape(-1), np.array(interval[0]), np.array(interval[1])),
        key[1] / key[0],
        repeated,
    )


def factor(ratio: Floats, q_low: Floats, q_high: Floats) -> Floats:
    """The largest factor on the belief at this A and any q in the interval."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # A/(qA + 1 − q) falls with q and qA + 1 − q rises with it, where A >= 1.
        first = np.where(np.isinf(ratio), 1 / q_low, ratio / (q_low * ratio + 1 - q_low))
        second = q_high * ratio + 1 - q_high
    return np.maximum(np.fmax(first, second), 1.0)


# Free entities F, j of them in, t one of them. Let θ be the log-odds of the others, relative to
# one of them, u_i = Pr[i|t], v_i = Pr[i|¬t], and q = Pr[t]. Given θ, Pr[S|t], Pr[S|¬t], u and v
# are fixed; p_i = q u_i + (1 − q) v_i confines q to an interval; and the factor on the belief,
#
# .. math:: \max\left(\frac{A}{qA + 1 - q},\; qA + 1 - q\right), \quad A = \Pr[S|t]/\Pr[S|¬t],
#
# is largest at an end of it. So θ alone is searched. Each of Pr[S|t], Pr[S|¬t], u_i, v_i and the
# inclusion probabilities given S is a ratio of multilinear forms in the odds, hence monotone in
# each of them: a box's extremes stand at its vertices. ln A is also bounded from the centre, its
# slope being the difference of inclusion probabilities given S and not. In a prior of the family
# odds differ by at most min(b, 1 − a)/(a(1 − b)), as memberships are negatively correlated.


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
        both = zip(attrs.astuple(self), attrs.astuple(other), strict=True)
        return _Pool(*map(np.concatenate, both))


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
    """Bound the factor on a belief over all priors with two or more in and two or more out."""
    # `table` is (2**n, n_outputs); `interval` is that of every uncertain Pr[t], without 0 and 1; a
    # prior is known to show `known`, and the ceiling is not below it; `work` likelihoods are looked
    # at.
    spread = math.log(min(interval[1], 1 - interval[0]) / (interval[0] * (1 - interval[1])))
    ceiling, prior = known, None
    # All instances with two or more in and two or more out, by shape.
    n = len(table).bit_length() - 1
    grouped: dict[tuple[int, int], list[tuple[int, tuple[int, ...], int]]] = {}
    for free, certain, number in free_sets(n, sizes, interval):
        if 2 <= number <= len(free) - 2:
            base = sum(1 << i for i in certain)
            for t in free:
                others = tuple(i for i in free if i != t)
                grouped.setdefault((len(free), number), []).append((t, others, base))
    shapes = [_build_problems(table, key, rows, interval) for key, rows in grouped.items()]
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
        # Each box halved where it is widest.
        at = np.argmax(batch.high - batch.low, axis=1)
        rows = np.arange(len(at))
        middle = (batch.low[rows, at] + batch.high[rows, at]) / 2
        low, high = batch.low.copy(), batch.high.copy()
        low[rows, at], high[rows, at] = middle, middle
        left = attrs.evolve(batch, high=high)
        halves = left.with_(attrs.evolve(batch, low=low))
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

    s_low, s_high = extremes(inside.inclusion_given_output)
    u_low, u_high = extremes(inside.inclusion)
    r_low, r_high = extremes(outside.inclusion_given_output)
    v_low, v_high = extremes(outside.inclusion)
    # ∂ ln A/∂θ_i = (Pr[i|S,t] − Pr[i|t]) − (Pr[i|S,¬t] − Pr[i|¬t]); its largest absolute value in
    # the box.
    steepest = np.maximum(
        (s_high - u_low) - (r_low - v_high), -((s_low - u_high) - (r_high - v_low))
    )
    return np.asarray((steepest * (pool.high - pool.low) / 2).sum(axis=1))


def _interval(
    u_low: Floats, v_low: Floats, u_high: Floats, v_high: Floats, interval: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Every q with q u + (1 − q) v in the interval for some u, v of their ranges; empty if none."""
    # u <= v throughout: with t in there is less room for the others.
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


MOST_ENTITIES = 8
"""Universes with more entities are not searched box by box; the bracket says how far it is."""


_WIDER = 2.0**-44
"""The relative width added to a bound: 512 half-ulps, more than its sums can be off."""


@attrs.frozen
class Incumbent:
    """The best prior so far, over all subsets in row order, and what it shows."""

    gamma: float
    entity: int
    output: int
    prior: NDArray[np.float64]


def gamma(
    matrix: StochasticMatrix,
    low: float,
    high: float,
    *,
    rise: bool,
    work: int = WORK,
    progress: Progress = silent,
) -> Gamma | None:
    """The least γ of positive (negative) membership under D_B^[a,b], or two ends of it.

    Only whole sizes are needed. Ends are given as they are once so many likelihoods (`work`) were
    looked at. None where the laws are not known, or no prior of the family leaves anyone uncertain.
    """
    a, b = map(Fraction, validate.interval(low, high, "prior"))
    if rise:
        return _here(matrix, (a, b), work, progress)
    # Negative membership: in and out exchanged, the interval reflected.
    mirrored = StochasticMatrix(
        matrix.universe, matrix.outputs, matrix.rows[::-1], matrix.known[::-1]
    )
    answer = _here(mirrored, (1 - b, 1 - a), work, progress)
    if answer is None or answer.witness is None or answer.witness.prior is None:
        return answer
    last, universe = len(matrix.rows) - 1, matrix.universe
    prior = {
        universe.name(last - universe.row(name.split(",") if name else ())): chance
        for name, chance in answer.witness.prior.items()
    }
    return attrs.evolve(answer, witness=attrs.evolve(answer.witness, prior=prior))


def _here(
    matrix: StochasticMatrix, interval: Interval, work: int, progress: Progress
) -> Gamma | None:
    extremes = Ratios(matrix).replace_one
    if extremes is None:
        return None
    table, sizes, n = fill_unknown(matrix), complete_sizes(matrix), matrix.universe.size
    with directed() as r:
        a, b = lower(r(interval[0])), upper(r(interval[1]))
    epsilon = 0.0 if extremes.rise is None else extremes.rise.epsilon
    margin = 1e-10 * math.exp(-min(epsilon, 500.0))  # stands for 0, to 1e-10 of any γ
    bounds = max(a, margin), min(b, 1 - max(margin, 1e-14))
    ceiling = pure_dp_to_positive_membership(PureDP(epsilon), BoundedPriors(a, b)).gamma
    incumbent = _singles(table, sizes, interval, (margin, ceiling), part(progress, 0.0, 0.5))
    if incumbent is None and not any(True for _ in free_sets(n, sizes, bounds)):
        return None
    # Near 0 and 1 odds have no bounds, and neither has a ratio of likelihoods that may be 0.
    reachable = math.isfinite(ceiling) or (a > 0 and b < 1)
    if not reachable and n <= MOST_ENTITIES:  # unless no two uncertain entities are in and out
        sets = free_sets(n, sizes, bounds)
        reachable = not any(2 <= number <= len(free) - 2 for free, _, number in sets)
    is_open = incumbent is None or incumbent.gamma < ceiling * (1 - 1e-9)
    if is_open and reachable and n <= MOST_ENTITIES:
        known, second_half = 1.0 if incumbent is None else incumbent.gamma, part(progress, 0.5, 1.0)
        better = search(table, sizes, bounds, known, work, second_half)
        ceiling = min(
            ceiling, max(better.ceiling * (1 + _WIDER), _above(table, sizes, interval, margin))
        )
        if better.prior is not None:
            improved = _evaluate_prior(table, better.prior)
            rounding = worst_cases.ROUNDING * 2**10  # what odds and back cost
            if worst_cases.is_member(worst_cases.weights_of(improved.prior), n, interval, rounding):
                incumbent = improved
    if incumbent is None:
        return Gamma(Bound(1.0, ceiling, Evidence.ENCLOSURE), None)
    witness = spread(matrix, incumbent.entity, incumbent.output, incumbent.prior)
    weights, likelihoods = worst_cases.weights_of(incumbent.prior), matrix.rows[:, incumbent.output]
    gamma = min(worst_cases.attained_gamma(weights, likelihoods, incumbent.entity), ceiling)
    if gamma == ceiling:
        return Gamma(Bound.exact(gamma), witness)
    return Gamma(Bound(gamma, ceiling, Evidence.ENCLOSURE), witness)


def _evaluate_prior(table: Table, prior: NDArray[np.float64]) -> Incumbent:
    factors = rises(joint(table, prior))
    entity, output = (int(i) for i in np.unravel_index(int(np.argmax(factors)), factors.shape))
    return Incumbent(float(factors[entity, output]), entity, output, prior)


def _singles(
    table: Table,
    sizes: tuple[int, ...],
    interval: Interval,
    limits: tuple[float, float],
    progress: Progress,
) -> Incumbent | None:
    """The best of the priors with exactly one uncertain entity in, or one out."""
    # `limits` are what stands for a probability of 0, and the ceiling at which to stop.
    n = len(table).bit_length() - 1
    reflected = 1 - interval[1], 1 - interval[0]
    top: Incumbent | None = None
    for n_others in range(1, n):
        for batch, absent in _each(table, sizes):
            own = reflected if absent else interval
            span = max(float(own[0]), limits[0]), float(own[1])
            promising = batch
            if top is not None:
                promising = batch.where(_promising(batch, span, absent) > top.gamma)
            candidate = best(promising, *span, n_others, absent=absent)
            if candidate is None or (top is not None and candidate.gamma <= top.gamma):
                continue
            chances = worst_cases.fit_to_interval(candidate.chances, own)
            if chances is not None:
                n_rows = len(table)
                prior = np.zeros(n_rows)
                for entity, chance in chances.items():
                    row = candidate.base | 1 << entity
                    prior[n_rows - 1 - row if absent else row] += chance
                adjusted = _evaluate_prior(table, prior)
                top = adjusted if top is None or adjusted.gamma > top.gamma else top
        progress(n_others / (n - 1))
        if top is not None and top.gamma >= limits[1] * (1 - 1e-12):
            break
    return top


def _above(table: Table, sizes: tuple[int, ...], interval: Interval, margin: float) -> float:
    """No prior with exactly one uncertain entity in, or one out, shows more."""
    # The largest factor over a wider interval, whose optimum in floats is above that of this one,
    # and where an end is 0 or 1 with what stands for them made good.
    n, top = len(table).bit_length() - 1, 1.0
    reflected = 1 - interval[1], 1 - interval[0]
    for n_others in range(1, n):
        for batch, absent in _each(table, sizes):
            own = reflected if absent else interval
            low, high = float(own[0]) * (1 - _WIDER), min(float(own[1]) * (1 + _WIDER), 1.0)
            span = max(low, margin), high
            promising = batch.where(_promising(batch, span, absent) > top)
            candidate = best(promising, *span, n_others, absent=absent)
            if candidate is not None:
                limit = 2 * NEARLY_ONE if own[0] <= margin or own[1] > 1 - NEARLY_ONE else 0.0
                top = max(top, candidate.gamma * (1 + _WIDER + limit))
    return top


def _each(table: Table, sizes: tuple[int, ...]) -> Iterator[tuple[Instances, bool]]:
    n = len(table).bit_length() - 1
    for size, absent in itertools.product(sizes, (False, True)):
        if 0 < size < n:
            for batch in instances(table, size, absent=absent):
                yield batch, absent


def _promising(cases: Instances, span: tuple[float, float], absent: bool) -> NDArray[np.float64]:
    """Theorem 2 at each instance's own ratio: no prior on it shows more."""
    # With A = above/below: max((A − 1)b + 1, A/((A − 1)a + 1)).
    first = cases.others[:, 0]
    above, below = (first, cases.own) if absent else (cases.own, first)
    low, high = (1 - span[1], 1 - span[0]) if absent else span
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(above > 0, above / below, 0.0)
        first, second = (ratio - 1) * high + 1, ratio / ((ratio - 1) * low + 1)
    return np.asarray(np.fmax(first, second), dtype=np.float64)
