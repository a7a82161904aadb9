"""Positive membership on this universe under D_B^[a,b], with every Pr[t] in [a, b] or certain.

Below: the best prior found. Above: Theorem 2 of tramer-2015 at the largest ratio between
neighbours of this universe. Priors with exactly one uncertain entity in, or one out, are
optimised exactly and often meet the upper bound; if they do not, the others are bounded from above
box by box (`boxes`), for up to 8 entities and unless an end of 0 or 1 meets likelihoods of 0.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import validate
from deniable.judge import boxes, members
from deniable.judge.box_problems import free_sets
from deniable.judge.likelihoods import joint, rises
from deniable.judge.members import Interval
from deniable.judge.neighbours import Table, complete_sizes, fill_unknown
from deniable.judge.progress import Progress, part, silent
from deniable.judge.ratios import Ratios
from deniable.judge.single_exchange import NEARLY, Instances, best, instances
from deniable.judge.witness import Gamma, spread
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import PureDP
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import directed, lower, upper
from deniable.priors import BoundedPriors
from deniable.theorems.membership import pure_dp_to_positive_membership

MOST_ENTITIES = 8
"""Universes with more entities are not searched box by box; the bracket says how far it is."""


_WIDER = 2.0**-44
"""By how much, relatively, a bound is widened: 512 half-ulps, more than its sums can be off."""


@attrs.frozen
class Incumbent:
    """The best prior so far, over all subsets in row order, and what it shows."""

    gamma: float
    entity: int
    output: int
    prior: NDArray[np.float64]


def positive_gamma_here(
    matrix: StochasticMatrix,
    low: float,
    high: float,
    *,
    work: int = boxes.WORK,
    progress: Progress = silent,
) -> Gamma | None:
    """The least γ under D_B^[a,b] on this universe, exactly or between two ends.

    Parameters
    ----------
    matrix : StochasticMatrix
        The mechanism; only whole sizes are needed.
    low, high : float
        The ends a and b.
    work : int
        How many likelihoods to look at before the ends are given as they are.
    progress : callable
        Told the fraction done.

    Returns
    -------
    Gamma or None
        None where the laws are not known, or no prior of the family leaves anyone uncertain.
    """
    a, b = validate.interval(low, high, "prior")
    return _here(matrix, (Fraction(a), Fraction(b)), work, progress)


def negative_gamma_here(
    matrix: StochasticMatrix,
    low: float,
    high: float,
    *,
    work: int = boxes.WORK,
    progress: Progress = silent,
) -> Gamma | None:
    """The least γ of negative membership: in and out exchanged, the interval reflected."""
    a, b = validate.interval(low, high, "prior")
    mirrored = StochasticMatrix(
        matrix.universe, matrix.outputs, matrix.rows[::-1], matrix.known[::-1]
    )
    gamma = _here(mirrored, (1 - Fraction(b), 1 - Fraction(a)), work, progress)
    if gamma is None or gamma.witness is None or gamma.witness.prior is None:
        return gamma
    last, universe = len(matrix.rows) - 1, matrix.universe
    prior = {
        universe.name(last - universe.row(name.split(",") if name else ())): chance
        for name, chance in gamma.witness.prior.items()
    }
    return attrs.evolve(gamma, witness=attrs.evolve(gamma.witness, prior=prior))


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
    if incumbent is None and not _fits(n, sizes, bounds):
        return None
    # Near 0 and 1 odds have no bounds, and neither has a ratio of likelihoods that may be 0.
    reachable = math.isfinite(ceiling) or (a > 0 and b < 1) or not _searchable(n, sizes, bounds)
    if _is_open(incumbent, ceiling) and reachable and n <= MOST_ENTITIES:
        known, second_half = 1.0 if incumbent is None else incumbent.gamma, part(progress, 0.5, 1.0)
        better = boxes.search(table, sizes, bounds, known, work, second_half)
        ceiling = min(
            ceiling, max(better.ceiling * (1 + _WIDER), _above(table, sizes, interval, margin))
        )
        if better.prior is not None:
            improved = _evaluate_prior(table, better.prior)
            rounding = members.ROUNDING * 2**10  # what odds and back cost
            if members.is_member(members.weights_of(improved.prior), n, interval, rounding):
                incumbent = improved
    return _bracket(matrix, incumbent, ceiling)


def _is_open(incumbent: Incumbent | None, ceiling: float) -> bool:
    return incumbent is None or incumbent.gamma < ceiling * (1 - 1e-9)


def _bracket(matrix: StochasticMatrix, incumbent: Incumbent | None, ceiling: float) -> Gamma:
    if incumbent is None:
        return Gamma(Bound(1.0, ceiling, Evidence.ENCLOSURE), None)
    witness = spread(matrix, incumbent.entity, incumbent.output, incumbent.prior)
    weights, likelihoods = members.weights_of(incumbent.prior), matrix.rows[:, incumbent.output]
    gamma = min(members.attained_gamma(weights, likelihoods, incumbent.entity), ceiling)
    if gamma == ceiling:
        return Gamma(Bound.exact(gamma), witness)
    return Gamma(Bound(gamma, ceiling, Evidence.ENCLOSURE), witness)


def _fits(n: int, sizes: tuple[int, ...], bounds: tuple[float, float]) -> bool:
    """Whether some prior of the family leaves someone uncertain."""
    return any(True for _ in free_sets(n, sizes, bounds))


def _searchable(n: int, sizes: tuple[int, ...], bounds: tuple[float, float]) -> bool:
    """Whether some prior of the family has two or more uncertain entities in and out."""
    sets = free_sets(n, sizes, bounds)
    return n <= MOST_ENTITIES and any(2 <= number <= len(free) - 2 for free, _, number in sets)


def _evaluate_prior(table: Table, prior: NDArray[np.float64]) -> Incumbent:
    """What a prior shows by itself."""
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
    """The best of the priors with exactly one uncertain entity in, or one out.

    `limits` are what stands for a probability of 0, and the ceiling at which to stop.
    """
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
            chances = members.fit_to_interval(candidate.chances, own)
            if chances is not None:
                adjusted = _evaluate_prior(
                    table, _prior(len(table), candidate.base, chances, absent)
                )
                top = adjusted if top is None or adjusted.gamma > top.gamma else top
        progress(n_others / (n - 1))
        if top is not None and top.gamma >= limits[1] * (1 - 1e-12):
            break
    return top


def _above(table: Table, sizes: tuple[int, ...], interval: Interval, margin: float) -> float:
    """No prior with exactly one uncertain entity in, or one out, shows more.

    The largest factor over a wider interval, whose optimum in floats is above that of this one,
    and where an end is 0 or 1 with what stands for them made good.
    """
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
                limit = 2 * NEARLY if own[0] <= margin or own[1] > 1 - NEARLY else 0.0
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


def _prior(
    n_rows: int, base: int, chances: Mapping[int, float], absent: bool
) -> NDArray[np.float64]:
    prior = np.zeros(n_rows)
    for entity, chance in chances.items():
        row = base | 1 << entity
        prior[n_rows - 1 - row if absent else row] += chance
    return prior
