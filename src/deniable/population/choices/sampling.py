r"""Intervals for ε̃ of a choice among finitely many candidates, by sampling; any N.

Of every candidate w and record x the ratio P_in,x(w)/P_out,x(w) is estimated from (n−1)-subsets E
of the records, drawn from a law that suits w (`_tilts`): P(E) ∝ Π_{i∈E} t_i. With
U(E,i) = t_i V(E ∪ i), where x is outside E,

    a = U(E,x),    b = Σ_{i∉E∪x} U(E,i)/(N − n),    E[a | x∉E]/E[b | x∉E] = P_in,x(w)/P_out,x(w),

since P_in,x(w) = Σ_{E∌x} Π_{j∈E} t_j · a and P_out,x(w) = Σ_{E∌x} Π_{j∈E} t_j · b, both divided by
the number of sets E ∌ x (every n-subset D ∌ x arises from n sets E). Numerator and denominator
come from the same draws and move together, so their ratio is found far more precisely than
either; the sum over the N − n exchanged records is exact; one draw serves every record outside
it. A few records that are hardly ever outside get draws of their own, from the same law given
x ∉ E. `_ratio_interval` gives the limits. Rounds double, round k spends α/(k(k+1)) of the
failure probability, split evenly over candidates and records; the intersection of all rounds'
limits with the exchange bound (`exchanges`) is returned.
"""

import math
import time

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from deniable.numerics import parallel
from deniable.numerics.array_api import Floats
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.numerics.time_limit import late, left, limited
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.choices.enumeration import score_table
from deniable.population.choices.exchanges import exchange_means
from deniable.population.choices.pair_sums import REACH
from deniable.population.choices.ratio_interval import PairedSums, ratio_limits
from deniable.population.choices.tilts import inclusion, tilts
from deniable.priors import SizeConditionedPrior

FIRST = 2**11
"""Draws for each candidate in the first round."""
SHARE = 8
"""A record outside fewer than one in so many sets gets draws of its own, one in so many."""
MOST = 2**26
"""Draws for each candidate after which nothing more is tried."""
LARGEST = 2**25
"""Records times sample size past which nothing is drawn; a law of subsets keeps a table of it."""
_CELLS = 2**17
"""Numbers held at once: a megabyte, about a cache."""
_DRAWN = 2**24
"""Members of the sets drawn at once: 16 MiB, for which the law of the sets is made ready once."""
_DOMINANT = 0.9
"""Past this share of a sum, the rest of it is added up and not found by subtraction."""
_PLACE = 6
"""The random numbers of this module among those of one seed."""


@attrs.frozen(eq=False)
class SamplingTask:
    """Some draws for one candidate."""

    scores: Floats
    size: int
    candidate: int
    weights: Floats
    record: int | None
    """None: sets E of all records, for every x outside. Else sets E without this x, for it."""
    draws: int
    place: tuple[int, ...]
    effort: Effort


@attrs.define
class _Limits:
    """What is known so far of ln P_in/P_out, a row a candidate."""

    lower: Floats
    upper: Floats

    def epsilon(self) -> tuple[Floats, Floats]:
        """Ends of ε̃ for every record."""
        low = np.maximum(np.maximum(self.lower, -self.upper), 0.0).max(axis=0)
        return low, np.maximum(np.maximum(self.upper, -self.lower), 0.0).max(axis=0)

    def cut(self, candidate: int, lower: Floats, upper: Floats) -> None:
        """Intersect; where nothing is left of an interval, its old ends stay."""
        low = np.maximum(self.lower[candidate], lower)
        high = np.minimum(self.upper[candidate], upper)
        kept = low <= high
        self.lower[candidate] = np.where(kept, low, self.lower[candidate])
        self.upper[candidate] = np.where(kept, high, self.upper[candidate])

    def open(self, gap: float) -> dict[int, NDArray[np.int64]]:
        """Candidates, with the records, that keep the largest ε̃ from being known to the gap."""
        low, _ = self.epsilon()
        wide = np.maximum(self.upper, -self.lower) > low.max() * (1 + gap)
        return {int(w): np.flatnonzero(wide[w]) for w in np.flatnonzero(wide.any(axis=1))}


def sample_bounds(
    scores: ArrayLike, size: int, *, effort: Effort | None = None, largest: int = LARGEST
) -> RecordBounds:
    """Simultaneous confidence intervals for ε̃ (δ = 0) of all records.

    Draws until the maximum over the records is known to `effort.gap`, or until another round
    would pass `effort.time_limit`. The upper bounds never exceed `exchange_bounds`, whatever was
    drawn; where a record's scores spread past 250 or N n passes `largest`, nothing is drawn and
    these are returned, with the lower bounds 0.

    Parameters
    ----------
    scores : array_like of float, shape (n_candidates, n_records)
        As for `enumerate_samples`.
    size : int
        The sample size n, 1 <= n < N.
    effort : Effort, optional
        Confidence, seed, gap, limits and place of the work.
    largest : int
        N n past which nothing is drawn.

    Raises
    ------
    InvalidArgument
        If shapes or numbers are wrong.

    References
    ----------
    maurer-pontil-2009, Theorem 4.

    Examples
    --------
    >>> scores = [[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]]
    >>> found = sample_bounds(scores, 2, effort=Effort(time_limit=1.0))
    >>> found.maximum().lower <= 1.3105 <= found.maximum().upper, found.confidence
    (True, 0.95)
    """
    table, n = score_table(scores, size)
    limits = effort or Effort()
    with limited(limits.time_limit):
        fits = np.ptp(table, axis=0).max() <= REACH and table.shape[1] * n <= largest
        return _draw_bounds(table, exchange_means(scores, n), n, limits, fits=bool(fits))


def _draw_bounds(
    table: Floats, means: tuple[Floats, Floats], n: int, limits: Effort, *, fits: bool
) -> RecordBounds:
    began = time.monotonic()
    rise, fall = means
    known = _Limits(-fall.T.copy(), rise.T.copy())
    draws = _rounds(table, n, limits, known, began) if fits and len(table) > 1 and not late() else 0
    lower, upper = known.epsilon()
    if draws == 0:
        return RecordBounds(np.arange(len(lower)), lower, upper, Evidence.ENCLOSURE)
    return RecordBounds(
        np.arange(len(lower)),
        lower,
        upper,
        Evidence.CONFIDENCE,
        confidence=limits.confidence,
        draws=draws,
        seed=limits.seed,
    )


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
            known.cut(w, *_limits(table, size, w, weights[w], sums[w], math.log(4 / alpha)))
        effort.progress(min(1.0, (time.monotonic() - began) / effort.time_limit))
        count, last = 2 * count, time.monotonic() - start
    effort.progress(1.0)
    return used


def _targets(
    table: Floats, size: int, candidate: int, weights: Floats, wide: NDArray[np.int64]
) -> list[int | None]:
    """Whom to draw for: everyone at once, and each record that is hardly ever outside E."""
    log_weights = _log_weights(table, candidate, weights)
    rare = 1 - inclusion(log_weights[None], size)[0, wide] < 1 / SHARE
    alone: list[int | None] = [int(record) for record in wide[rare]]
    return alone if alone and rare.all() else [None, *alone]


def _limits(
    table: Floats, size: int, candidate: int, weights: Floats, sums: PairedSums, log_term: float
) -> tuple[Floats, Floats]:
    """Limits of ln P_in/P_out of every record."""
    low, high = ratio_limits(sums, *_largest(table, size, candidate, weights), log_term)
    with np.errstate(divide="ignore"):
        return np.log(low), np.log(high)


def _largest(table: Floats, size: int, candidate: int, weights: Floats) -> tuple[Floats, Floats]:
    """No a and no b passes these; b is a mean over N − n records."""
    t = np.exp(_log_weights(table, candidate, weights))
    most = math.exp(float(xlogy(weights, weights).sum())) * (1 + 1e-9)
    mean = np.sort(t)[size:].mean()
    return t * most, np.full(len(t), mean * most)


def _log_weights(table: Floats, candidate: int, weights: Floats) -> Floats:
    """ln t_i, up to a constant: the largest is 0."""
    values = weights @ table - table[candidate]
    return np.asarray(values - values.max())


def _sum_pairs(task: SamplingTask, subsets: NDArray[np.bool_]) -> PairedSums:
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
        rest = _others(u) * kept
        b, bb, ab = rest.sum(axis=0), (rest**2).sum(axis=0), (u * rest).sum(axis=0)
        return PairedSums(kept.sum(axis=0), a, b / free, aa, bb / free**2, ab / free)
    (s, ss), sa = np.stack([total, total**2]) @ kept, total @ u
    return PairedSums(
        kept.sum(axis=0),
        a,
        (s - a) / free,
        aa,
        (ss - 2 * sa + aa) / free**2,
        (sa - aa) / free,
    )


def _others(values: Floats) -> Floats:
    """For every entry the sum of the others in its row, without a subtraction."""
    result = np.zeros_like(values)
    result[:, 1:] = np.cumsum(values[:, :-1], axis=1)
    result[:, :-1] += np.cumsum(values[:, :0:-1], axis=1)[:, ::-1]
    return result
