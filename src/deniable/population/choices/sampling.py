"""Intervals for ε̃ of a choice among finitely many candidates: by exchanges, and by sampling.

Of every candidate w and record x the ratio P_in,x(w)/P_out,x(w) is estimated from (n−1)-subsets E
of the records, P(E) ∝ Π_{i∈E} t_i. With U(E,i) = t_i V(E ∪ i), where x is outside E,

    a = U(E,x),    b = Σ_{i∉E∪x} U(E,i)/(N − n),    E[a | x∉E]/E[b | x∉E] = P_in,x(w)/P_out,x(w).

With d_v = L(v,x) − L(v,x'), the mean of e^(max_v d_v − d_w) over all other records x' bounds it.
The proofs: docs/explanation/how-choices-are-enclosed.md.
"""

import math
import time
from functools import partial

import attrs
import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, softmax, xlogy

from deniable.computing import parallel
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, late, left, limited
from deniable.numerics.search import bisect_each
from deniable.population.answer import RecordBounds
from deniable.population.choices.array_api import Floats
from deniable.population.choices.enumeration import REACH, SPAN, score_table
from deniable.population.question import Bools, Ints
from deniable.priors import SizeConditionedPrior


def exchange_means(scores: ArrayLike, size: int) -> tuple[Floats, Floats]:
    """Bounds of ln P_in/P_out and of ln P_out/P_in, of every record and candidate; rounded up.

    Logarithms of the means of e^(max_v d_v − d_w) and of e^(d_w − min_v d_v), each (n_records,
    n_candidates), for every n. Records that time does not reach get looser ones, without a mean.
    """
    table, _ = score_table(scores, size)
    records = table.shape[1]
    rows = max(1, 2**20 // records)  # Numbers held at once: eight megabytes
    parts = [np.arange(start, min(start + rows, records)) for start in range(0, records, rows)]
    means = [_of_records(table, part) for part in parts]
    # Differences of scores and their logarithms, and a sum over the records.
    slack = 2.0**-52 * (16 * float(np.abs(table).max()) + records + 64)
    rise, fall = (np.concatenate(part) + slack for part in zip(*means, strict=True))
    return rise, fall


def exchange_bounds(scores: ArrayLike, size: int) -> RecordBounds:
    """Upper bounds of ε̃ for every record, in O(N²) work a candidate; the lower bounds are 0.

    >>> answer = exchange_bounds([[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]], 2)
    >>> round(answer.maximum().upper, 4)
    5.0443
    """
    rise, fall = exchange_means(scores, size)
    upper = np.maximum(rise, fall).max(axis=1)
    return RecordBounds(np.arange(len(upper)), np.zeros(len(upper)), upper, Evidence.ENCLOSURE)


def _of_records(table: Floats, records: Ints) -> tuple[Floats, Floats]:
    """The two means for some records x, against all others; bounds of them once time is over."""
    own = table[:, records].T
    if late():
        below, above = own - table.min(axis=1), own - table.max(axis=1)
        return below.max(axis=1, keepdims=True) - above, below - above.min(axis=1, keepdims=True)
    most = np.full((len(records), table.shape[1]), -np.inf)
    least = np.full_like(most, np.inf)
    # max_v d_v and min_v d_v for every pair of records, a candidate v at a time.
    for row, mine in zip(table, own.T, strict=True):
        away = mine[:, None] - row
        np.maximum(most, away, out=most)
        np.minimum(least, away, out=least)
    themselves = np.arange(len(records)), records
    most[themselves], least[themselves] = -np.inf, np.inf
    others = np.log(table.shape[1] - 1)
    # ln mean over x' of e^(max_v d_v − d_w) = ln Σ e^(max_v d_v + L(w,x')) − L(w,x) − ln(N − 1).
    rise = _log_product(most, table.T) - own - others
    fall = _log_product(-least, -table.T) + own - others
    return rise, fall


def _log_product(left: Floats, right: Floats) -> Floats:
    """ln of the matrix product of e^left, where −inf is 0, with e^right."""
    tops, heads = left.max(axis=1, keepdims=True), right.max(axis=0)
    # Σ_x' e^(left + right), scaled by row and by column.
    one, other = left - tops, right - heads
    if max(-one[np.isfinite(one)].min(), 0.0) - other.min() <= SPAN:
        return np.asarray(np.log(np.exp(one) @ np.exp(other)) + tops + heads)
    result = np.empty((len(left), right.shape[1]))
    for column, values in enumerate(right.T):
        both = left + values
        top = both.max(axis=1)
        result[:, column] = np.log(np.exp(both - top[:, None]).sum(axis=1)) + top
    return result


# --- A law of the samples under which one candidate's probability hardly varies: for any weights λ
# over the candidates, adding up to 1,
#
#     P(w|D) = Π_{i∈D} t_i · V(D),   t_i = e^(Σ_v λ_v L(v,i) − L(w,i)),   V(D) = Π_v P(v|D)^λ_v,
#
# and V lies in [0, Π_v λ_v^λ_v]. A good λ is the law of the output at the centre of the samples:
# λ_v ∝ e^(−Σ_i p_i L(v,i)) with inclusion probabilities p_i ∝ odds κ t_i, Σ p_i = n.

STEPS = 400  # Damped steps to the stationary point; stopping early costs draws, not truth


def tilts(table: Floats, size: int) -> Floats:
    """λ for every candidate w, as rows; (n_candidates, n_records) -> (n_candidates,)²."""
    candidates = len(table)
    weights = np.full((candidates, candidates), 1 / candidates)
    step, before = 0.5, np.full(candidates, -np.inf)
    steps = np.full(candidates, step)
    # λ ← λ + s (softmax(−Σ_i p_i L(·,i)) − λ), p the inclusion probabilities at the tilts of this
    # λ; s shrinks where a step overshoots.
    for _ in range(STEPS):
        inclusions = inclusion(weights @ table - table, size)
        aim = softmax(-(inclusions @ table.T), axis=1)
        away = np.abs(aim - weights).max(axis=1)
        if away.max() < 1e-3:
            break
        steps = np.where((away > before) & np.isfinite(before), steps * 0.7, steps)
        before = away
        weights = weights + np.maximum(steps, 0.01)[:, None] * (aim - weights)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def inclusion(log_weights: Floats, size: int) -> Floats:
    """Probabilities with odds κ e^weight, κ such that each row adds up to `size`."""
    low = -log_weights.max(axis=1, keepdims=True) - 50.0
    high = -log_weights.min(axis=1, keepdims=True) + 50.0
    # Σ_i κt_i/(1 + κt_i) = n, by halving ln κ.
    low, high = bisect_each(
        lambda middle: expit(log_weights + middle).sum(axis=1, keepdims=True) <= size,
        low,
        high,
        halvings=60,
    )
    return np.asarray(expit(log_weights + (low + high) / 2))


# --- Confidence limits of a ratio of two means from paired bounded draws.
#
# For pairs (a, b) >= 0 with E a = r E b, the variable Y = a − ρb has mean 0 at ρ = r and lies in
# an interval of length a_max + ρ b_max. By the empirical Bernstein inequality (maurer-pontil-2009,
# Theorem 4), except with probability α,
#
#     |mean of Y| <= g(ρ) = √(2 V(ρ) ln(4/α)/T) + 7 (a_max + ρ b_max) ln(4/α) / (3(T − 1)),
#
# V the sample variance of Y. The limits are the roots of 1 − ρ ± g(ρ), in units of the means.

_HALVINGS = 60  # Halvings of ln ρ between 2^−40 and 2^40: to 2^−54 of it
_FAR = 2.0**40  # Quotients farther than this from that of the means are not looked for
TINY = 1e-140  # Means below are not used: their squares would leave the range of floats
ROUNDING = 1e-12
"""What rounding may hide of a variance, in units of the mean square; it is added."""
OUTWARDS = 1e-9  # Relative error of the sums and of what was summed that the limits allow for


@attrs.frozen(eq=False)
class PairedSums:
    """Sums over T paired draws, each an array of one shape."""

    count: Floats
    a: Floats
    b: Floats
    aa: Floats
    bb: Floats
    ab: Floats

    @classmethod
    def zero(cls, number: int) -> "PairedSums":
        """No draws yet, for so many quotients."""
        return cls(*(np.zeros(number) for _ in attrs.fields(cls)))

    def only(self, place: int) -> "PairedSums":
        """The sums of one quotient, and none for the others."""
        kept = np.arange(len(self.count)) == place
        return PairedSums(*(each * kept for each in attrs.astuple(self, recurse=False)))

    def __add__(self, other: "PairedSums") -> "PairedSums":
        mine, theirs = (attrs.astuple(each, recurse=False) for each in (self, other))
        return PairedSums(*(one + two for one, two in zip(mine, theirs, strict=True)))


def ratio_limits(
    sums: PairedSums, a_max: Floats, b_max: Floats, log_term: float
) -> tuple[Floats, Floats]:
    """Limits of E a / E b, each pair of them holding except with probability 4 e^(−log_term).

    The draws are independent, in [0, a_max] × [0, b_max], which are known beforehand; `log_term` is
    ln(4/α). A lower limit is 0, and an upper one infinite, where there is none.
    """
    count = np.maximum(sums.count, 2.0)
    usable = (sums.count >= 2) & (sums.a > TINY * count) & (sums.b > TINY * count)
    a, b = (np.where(usable, total / count, 1.0) for total in (sums.a, sums.b))
    # From here on in units of the means: the quotient of the means is 1.
    aa, bb, ab = sums.aa / count / a**2, sums.bb / count / b**2, sums.ab / count / (a * b)
    largest_a, largest_b = a_max / a, b_max / b

    def margin(rho: Floats | float) -> Floats:
        # g(ρ) = √(2 V(ρ) ln(4/α)/T) + 7 (a_max + ρ b_max) ln(4/α)/(3(T − 1))
        variance = aa - 2 * rho * ab + rho**2 * bb - (1 - rho) ** 2
        hidden = ROUNDING * (aa + rho**2 * bb)
        spread = (np.maximum(variance, 0.0) + hidden) * count / (count - 1)
        length = largest_a + rho * largest_b
        return np.asarray(
            np.sqrt(2 * spread * log_term / count) + 7 * length * log_term / (3 * (count - 1))
        )

    one = np.ones_like(a)
    falling = margin(_FAR**2) / _FAR**2 * (1 + 1e-9) < 1
    bounded = usable & falling & (1 - _FAR + margin(_FAR) < 0)
    # Upper limit: the root of 1 − ρ + g(ρ). Lower limit: that of 1 − ρ − g(ρ) below 1.
    search = partial(bisect_each, halvings=_HALVINGS, by_size=True)
    upper = search(lambda rho: 1 - rho + margin(rho) >= 0, one, one * _FAR)[1]
    positive = usable & (1 - 1 / _FAR - margin(1 / _FAR) > 0)
    lower = search(lambda rho: 1 - rho - margin(rho) > 0, one / _FAR, one)[0]
    quotient = a / b
    low = np.where(positive, lower * quotient * (1 - OUTWARDS), 0.0)
    return low, np.where(bounded, upper * quotient * (1 + OUTWARDS), np.inf)


FIRST = 2**11  # Draws for each candidate in the first round
SHARE = 8  # A record outside fewer than one in so many sets gets draws of its own, one in so many
MOST = 2**26  # Draws for each candidate after which nothing more is tried
LARGEST = 2**25  # Records times sample size past which nothing is drawn: a law keeps such a table
_CELLS = 2**17  # Numbers held at once: a megabyte, about a cache
_DRAWN = 2**24  # Members of the sets drawn at once: 16 MiB, for which the law is made ready once
_DOMINANT = 0.9  # Past this share of a sum, the rest of it is added up and not found by subtraction
_PLACE = 6  # The random numbers of this module among those of one seed


@attrs.frozen(eq=False)
class SamplingTask:
    """Some draws for one candidate."""

    scores: Floats
    size: int
    candidate: int
    weights: Floats
    record: int | None  # None: sets E of all records, for every x outside; else without this x
    draws: int
    place: tuple[int, ...]
    effort: Effort


@attrs.define
class _Limits:
    """What is known so far of ln P_in/P_out, a row a candidate."""

    lower: Floats
    upper: Floats

    def epsilon(self) -> tuple[Floats, Floats]:
        low = np.maximum(np.maximum(self.lower, -self.upper), 0.0).max(axis=0)
        return low, np.maximum(np.maximum(self.upper, -self.lower), 0.0).max(axis=0)

    def cut(self, candidate: int, lower: Floats, upper: Floats) -> None:
        """Intersect; where nothing is left of an interval, its old ends stay."""
        low = np.maximum(self.lower[candidate], lower)
        high = np.minimum(self.upper[candidate], upper)
        kept = low <= high
        self.lower[candidate] = np.where(kept, low, self.lower[candidate])
        self.upper[candidate] = np.where(kept, high, self.upper[candidate])

    def open(self, gap: float) -> dict[int, Ints]:
        """Candidates, with the records, that keep the largest ε̃ from being known to the gap."""
        low, _ = self.epsilon()
        wide = np.maximum(self.upper, -self.lower) > low.max() * (1 + gap)
        return {int(w): np.flatnonzero(wide[w]) for w in np.flatnonzero(wide.any(axis=1))}


def sample_bounds(
    scores: ArrayLike, size: int, *, effort: Effort | None = None, largest: int = LARGEST
) -> RecordBounds:
    """Simultaneous intervals for ε̃ (δ = 0) of all records, of scores as for `enumerate_samples`.

    Draws until the maximum is known to `effort.gap`, or another round would pass
    `effort.time_limit`. The upper bounds never exceed `exchange_bounds`, unless the time is over
    before these are there; where a record's scores spread past 250 or N n passes `largest`, only
    these are returned. See maurer-pontil-2009, Theorem 4.

    >>> scores = [[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]]
    >>> answer = sample_bounds(scores, 2, effort=Effort(time_limit=1.0))
    >>> answer.maximum().lower <= 1.3105 <= answer.maximum().upper, answer.confidence
    (True, 0.95)
    """
    table, n = score_table(scores, size)
    limits = effort or Effort()
    with limited(limits.time_limit):
        fits = np.ptp(table, axis=0).max() <= REACH and table.shape[1] * n <= largest
        (rise, fall), began = exchange_means(scores, n), time.monotonic()
        known, draws = _Limits(-fall.T.copy(), rise.T.copy()), 0
        if fits and len(table) > 1 and not late():
            draws = _rounds(table, n, limits, known, began)
    lower, upper = known.epsilon()
    places = np.arange(len(lower))
    return RecordBounds.of_draws(places, lower, upper, limits if draws else None, draws)


def draw(task: SamplingTask) -> dict[str, Floats]:
    """Sums over the draws of one task."""
    log_weights = _log_weights(task.scores, task.candidate, task.weights)
    records = np.arange(len(log_weights))
    allowed = records if task.record is None else np.delete(records, task.record)
    # Weights lie within e^(2 REACH) of each other, so that none is too small for a float.
    law = SizeConditionedPrior(np.exp(log_weights[allowed]), task.size - 1)
    rng = task.effort.generator(_PLACE, *task.place)
    rows = max(1, _CELLS // len(records))
    many = rows * max(1, _DRAWN // (rows * len(records)))
    total = PairedSums.zero(len(records))
    for start in range(0, task.draws, many):
        subsets = np.zeros((min(many, task.draws - start), len(records)), np.bool_)
        subsets[:, allowed] = law.draws(rng, len(subsets))
        for first in range(0, len(subsets), rows):
            total += _sum_pairs(task, subsets[first : first + rows])
    if task.record is not None:
        total = total.only(task.record)
    return attrs.asdict(total, recurse=False)


def _rounds(table: Floats, size: int, effort: Effort, known: _Limits, began: float) -> int:
    """Draw in growing rounds; how many draws there were in all."""
    candidates, records = table.shape
    weights = tilts(table, size)
    sums = [PairedSums.zero(records) for _ in range(candidates)]
    plain = Effort(seed=effort.seed)
    count, number, used, last = FIRST, 0, 0, 0.0
    while remaining := known.open(effort.gap):
        start = time.monotonic()
        if number and (2 * last > left() or count > MOST):
            break
        number += 1
        tasks = [
            SamplingTask(
                table,
                size,
                w,
                weights[w],
                record,
                count if record is None else count // SHARE,
                (number, w, records if record is None else record),
                plain,
            )
            for w, wide in remaining.items()
            for record in _targets(table, size, w, weights[w], wide if number > 1 else wide[:0])
        ]
        # Up to which round everyone's draws and a record's own are summed depends on the draws.
        histories = number**2
        rounds = number * (number + 1)
        alpha = (1 - effort.confidence) / (rounds * histories * candidates * records)
        results = parallel.blocks(draw, tasks, effort, name="sampling")
        for task, result in zip(tasks, results, strict=False):
            sums[task.candidate] += PairedSums(**result)
            used += task.draws
            if late():
                break
        for w in remaining:
            largest = _largest(table, size, w, weights[w])
            low, high = ratio_limits(sums[w], *largest, math.log(4 / alpha))
            with np.errstate(divide="ignore"):
                known.cut(w, np.log(low), np.log(high))
        effort.progress(min(1.0, (time.monotonic() - began) / effort.time_limit))
        count, last = 2 * count, time.monotonic() - start
    effort.progress(1.0)
    return used


def _targets(
    table: Floats, size: int, candidate: int, weights: Floats, wide: Ints
) -> list[int | None]:
    """Return whom to draw for: everyone at once, and records that are hardly ever outside E."""
    log_weights = _log_weights(table, candidate, weights)
    rare = 1 - inclusion(log_weights[None], size)[0, wide] < 1 / SHARE
    alone: list[int | None] = [int(record) for record in wide[rare]]
    return alone if alone and rare.all() else [None, *alone]


def _largest(table: Floats, size: int, candidate: int, weights: Floats) -> tuple[Floats, Floats]:
    """No a and no b passes these; b is a mean over N − n records."""
    t = np.exp(_log_weights(table, candidate, weights))
    most = math.exp(float(xlogy(weights, weights).sum())) * (1 + 1e-9)
    return t * most, np.full(len(t), np.sort(t)[size:].mean() * most)


def _log_weights(table: Floats, candidate: int, weights: Floats) -> Floats:
    """ln t_i, up to a constant: the largest is 0."""
    values = weights @ table - table[candidate]
    return np.asarray(values - values.max())


def _sum_pairs(task: SamplingTask, subsets: Bools) -> PairedSums:
    """Sums of the pairs (a, b) over some sets E, for every record outside each."""
    table, records = task.scores, task.scores.shape[1]
    # U(E, i) = t_i V(E ∪ i) = e^(−L(w,i)) e^(Σ_v λ_v s_v)/Z(E ∪ i), s_v = −Σ_{j∈E} L(v,j) and
    # Z(E ∪ i) = Σ_v e^(s_v − L(v,i)): what t_i has of L(v,i) cancels.
    sums = -(subsets.astype(np.float64) @ table.T)
    top = sums.max(axis=1, keepdims=True)
    partition = np.exp(np.maximum(sums - top, -2 * REACH)) @ np.exp(-table)
    shift = float((task.weights @ table - table[task.candidate]).max())
    numerator = np.exp(sums @ task.weights - top[:, 0] - shift)
    kept, free = (~subsets).astype(np.float64), records - task.size
    u = np.divide(numerator[:, None], partition, out=partition)
    u *= np.exp(-table[task.candidate])
    u *= kept
    # a = U(E, x) and b = (Σ_i U(E, i) − a)/(N − n), for every x outside E at once.
    a, aa = u.sum(axis=0), np.einsum("ij,ij->j", u, u)
    total = u.sum(axis=1)
    if (u.max(axis=1) > _DOMINANT * total).any():
        # For every entry the sum of the others in its row, without a subtraction.
        result = np.zeros_like(u)
        result[:, 1:] = np.cumsum(u[:, :-1], axis=1)
        result[:, :-1] += np.cumsum(u[:, :0:-1], axis=1)[:, ::-1]
        rest = result * kept
        b, bb, ab = rest.sum(axis=0), (rest**2).sum(axis=0), (u * rest).sum(axis=0)
        return PairedSums(kept.sum(axis=0), a, b / free, aa, bb / free**2, ab / free)
    (s, ss), sa = np.stack([total, total**2]) @ kept, total @ u
    return PairedSums(
        kept.sum(axis=0), a, (s - a) / free, aa, (ss - 2 * sa + aa) / free**2, (sa - aa) / free
    )
