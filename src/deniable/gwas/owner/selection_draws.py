"""Simulated selections among very many variants, never for a release.

Choosing the largest x + s · (exponential noise) is choosing the least V/q, V uniform on (0, 1);
with Gumbel noise V is exponential. Variants with q at or below half that of the last one that
could make it arrive as a thinned Poisson process instead: few of them are ever looked at.
"""

from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.computing.confidence_limits import binomial_limits
from deniable.errors import InvalidArgument, validate
from deniable.gwas.genotypes import Floats, Integers
from deniable.gwas.publication import Loci
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort, Generator
from deniable.numerics.search import bisect_integers

# A round of exponential noise is a race: with q = exp((x − max x)/s) over the variants that are
# left, variant i arrives at time u in (0, 1) at rate q_i/(1 − u q_i), and the first to arrive is
# chosen. With Gumbel noise the rate is q_i. Variants stand in bins of nearly equal q, of which a
# bin's upper end is a bound; so a candidate is drawn by bin, and kept with its rate over the bound
# (thinning). That looks at a few variants in a round however many there are.


FARTHEST = 500.0
"""Scales between the largest score and the last of the top up to which no q is rounded to 0."""
_LOWEST = 60.0
"""Scales below the last of the top from which all variants share a bin: they hardly ever arrive."""
_WIDTH = 0.2
"""The width of a bin, in scales: a candidate is kept with a probability of e^−0.2 or more."""
_STAGES = 1 - np.append([1.0, 15 / 16], 0.5 ** np.arange(1.0, 61.0))
"""Times at which the bound 1/(1 − u) on the factor of the rate is made larger."""
_TRIES = 4
"""Draws of a variant of a bin before those that are left are counted."""


@attrs.frozen
class _Bins:
    """Variants by falling score, and where each bin begins among them.

    The speed is q of each, in that order, relative to the largest of all; the edge is at least the
    largest q in a bin.
    """

    order: Integers
    speed: Floats
    start: Integers
    size: Integers
    edge: Floats

    @classmethod
    def of(cls, values: Integers, scale: float, last: int) -> "_Bins":
        order = np.argsort(-values, kind="stable")
        below = (values[order[0]] - values[order]) / scale
        lowest = (values[order[0]] - last) / scale + _LOWEST
        label = np.floor(np.minimum(below, lowest) / _WIDTH).astype(np.int64)
        start = np.flatnonzero(np.diff(label, prepend=-1))
        size = np.diff(start, append=len(values))
        # A little more than the end of the bin, for the rounding of either.
        return cls(order, np.exp(-below), start, size, np.exp(-_WIDTH * label[start] + 1e-9))


def many_draws(
    values: Integers,
    mechanism: NoisyTopK,
    *,
    last: int,
    rng: Generator,
    n_draws: int,
    loci: Loci | None = None,
) -> Integers:
    """Simulated selections; (n_draws, number), in the order chosen.

    The largest score is at most `FARTHEST` scales above the last, that of `surely_left`.
    """
    uniform = mechanism.noise is SelectionNoise.EXPONENTIAL
    bins = _Bins.of(values, mechanism.scale, last)
    field = _Field.of(bins, n_draws, loci)
    positions = np.empty((n_draws, mechanism.number), dtype=np.int64)
    for step in range(mechanism.number):
        positions[:, step] = field.round(rng, uniform=uniform)
    return bins.order[positions]


@attrs.frozen
class _Windows:
    """Which variants, by falling score, go with each of them.

    Of each, which places its window holds, and the variant of each place.
    """

    start: Integers
    stop: Integers
    at: Integers

    @classmethod
    def of(cls, loci: Loci, order: Integers) -> "_Windows":
        place = loci.rank[order]
        at = np.empty_like(order)
        at[place] = np.arange(len(order))
        return cls(loci.start[place], loci.stop[place], at)

    def around(self, winner: Integers) -> tuple[Integers, Integers]:
        """Draw and variant of everything in the winners' windows, one winner a draw."""
        start = self.start[winner]
        sizes = self.stop[winner] - start
        before = np.cumsum(sizes) - sizes
        places = np.arange(int(sizes.sum())) + np.repeat(start - before, sizes)
        return np.repeat(np.arange(len(winner)), sizes), self.at[places]


@attrs.define
class _Field:
    """What is left in each draw.

    A bit a variant that is gone, by falling score, (n_draws, n_bytes); how many of each bin are
    left; the largest that is left; and what goes with a chosen variant.
    """

    bins: _Bins
    gone: NDArray[np.uint8]
    left: Floats
    first: Integers
    windows: "_Windows | None"

    @classmethod
    def of(cls, bins: _Bins, n_draws: int, loci: Loci | None) -> "_Field":
        width = -(-len(bins.order) // 8)
        left = np.tile(bins.size.astype(np.float64), (n_draws, 1))
        gone, first = np.zeros((n_draws, width), np.uint8), np.zeros(n_draws, np.int64)
        return cls(bins, gone, left, first, None if loci is None else _Windows.of(loci, bins.order))

    def round(self, rng: Generator, *, uniform: bool) -> Integers:
        """One variant in every draw, which then is gone."""
        bins, waiting = self.bins, np.arange(len(self.first))
        winner = np.empty(len(waiting), dtype=np.int64)
        best = bins.speed[self.first]
        # In no draw is anything left of the bins before this one.
        skipped = int(np.searchsorted(bins.start, self.first.min(), side="right")) - 1
        sums = np.cumsum(self.left[:, skipped:] * bins.edge[skipped:], axis=1)
        stage, clock = np.zeros(len(waiting), np.int64), np.zeros(len(waiting))
        while len(waiting):
            total = sums[waiting, -1]
            if uniform:
                until = _STAGES[stage[waiting] + 1]
                pace = total / best[waiting] / (1 - until)
                clock[waiting] += rng.exponential(size=len(waiting)) / pace
                late = clock[waiting] >= until
                clock[waiting[late]] = until[late]
                stage[waiting[late]] += 1
                racing = waiting[~late]
            else:
                racing = waiting
            share = rng.random(len(racing)) * np.nextafter(sums[racing, -1], 0)
            which = skipped + (sums[racing] <= share[:, None]).sum(axis=1)
            variant = self._any_of(rng, racing, which)
            factor: Floats | float = 1.0
            if uniform:  # (1 − u')/(1 − u q), u' the end of the stage, q by the best that is left
                relative = bins.speed[variant] / best[racing]
                factor = (1 - _STAGES[stage[racing] + 1]) / (1 - clock[racing] * relative)
            kept = rng.random(len(racing)) * bins.edge[which] < bins.speed[variant] * factor
            winner[racing[kept]] = variant[kept]
            done = np.zeros(len(winner), bool)
            done[racing[kept]] = True
            waiting = waiting[~done[waiting]]
        self._take(winner)
        return winner

    def _any_of(self, rng: Generator, draws: Integers, which: Integers) -> Integers:
        """A variant of each bin that is left in the draw, all alike likely."""
        bins = self.bins
        variant = np.empty(len(draws), dtype=np.int64)
        open_ = np.arange(len(draws))
        for _ in range(_TRIES):
            size = bins.size[which[open_]]
            variant[open_] = bins.start[which[open_]] + (rng.random(len(open_)) * size).astype(int)
            open_ = open_[self._is_gone(draws[open_], variant[open_])]
            if not len(open_):
                return variant
        for bin_ in np.unique(which[open_]).tolist():
            own = open_[which[open_] == bin_]
            places = np.arange(bins.start[bin_], bins.start[bin_] + bins.size[bin_])
            there = ~self._is_gone(draws[own][:, None], places[None, :])
            rank = (rng.random(len(own)) * there.sum(axis=1)).astype(int)
            variant[own] = places[(np.cumsum(there, axis=1) > rank[:, None]).argmax(axis=1)]
        return variant

    def _is_gone(self, draws: Integers, variant: Integers) -> NDArray[np.bool_]:
        return np.asarray(
            (self.gone[draws, variant >> 3] >> (variant & 7).astype(np.uint8)) & 1, bool
        )

    def _take(self, winner: Integers) -> None:
        draws, variants = np.arange(len(winner)), winner
        if self.windows is not None:
            draws, variants = self.windows.around(winner)
            left = ~self._is_gone(draws, variants)
            draws, variants = draws[left], variants[left]
        bits = np.left_shift(1, variants & 7).astype(np.uint8)
        np.bitwise_or.at(self.gone, (draws, variants >> 3), bits)
        which = np.searchsorted(self.bins.start, variants, side="right") - 1
        np.subtract.at(self.left, (draws, which), 1)
        behind = np.arange(len(winner))
        while len(behind):
            last = self.first[behind] == len(self.bins.order) - 1
            behind = behind[~last & self._is_gone(behind, self.first[behind])]
            self.first[behind] += 1


def surely_left(values: Integers, number: int, loci: Loci | None) -> int:
    """The largest score that the best variant left in each of `number` rounds has at least.

    Rounds are at most `loci.least`; without windows a choice removes the chosen variant alone.
    """
    if loci is None:
        return int(np.partition(values, len(values) - number)[-number])
    # Of the k best some are left in each round if fewer than `number` windows cannot hold all k.
    best = np.argsort(-values, kind="stable")

    def may_go(many: int) -> bool:
        # So many windows may hold all these places, from the left each as far as it can.
        places, first = np.sort(loci.rank[best[:many]]), 0
        for _ in range(number - 1):
            if first < many:
                end = loci.stop[loci.stop[places[first]] - 1]
                first = int(np.searchsorted(places, end))
        return first == many

    return int(values[best[bisect_integers(may_go, number - 1, len(values))]])


def is_removed(variants: Integers, selected: Integers, loci: Loci | None) -> NDArray[np.bool_]:
    """Whether these variants go with the chosen ones; shapes as NumPy broadcasts them."""
    if loci is None:
        return np.asarray(variants == selected)
    place, center = loci.rank[variants], loci.rank[selected]
    return np.asarray((loci.start[center] <= place) & (place < loci.stop[center]))


_CELLS = 2**21
"""Random numbers held at once: 16 megabytes."""
_NEAR = 2**12
"""Variants near the top, times rounds, from which bins are faster: ten times their cost a round."""
_FARTHEST = 600.0
"""No exponent of a slow variant is larger: beyond e^-600 no draw of 64 bits reaches."""


def selection_draws(
    scores: ArrayLike, mechanism: NoisyTopK, rng: Generator, n_draws: int, loci: Loci | None = None
) -> Integers:
    """Independent simulated selections: positions from 0, in the order chosen; (n_draws, number).

    Scores are whole steps, in which the mechanism's scale counts. Windows are removed around each
    chosen variant; then `mechanism.number` is at most `loci.least`.
    """
    values = np.asarray(scores)
    count = validate.integer(n_draws, "n_draws", least=0)
    if len(values) < mechanism.number:
        raise InvalidArgument(
            f"Expected at least number={mechanism.number} variants, got {len(values)}."
        )
    last = surely_left(values, mechanism.number, loci)
    # Whether rounds that look at all variants near the top would take long.
    reach = (int(values.max()) - last) / mechanism.scale
    near = np.count_nonzero(values > last - mechanism.scale * np.log(2))
    if reach <= FARTHEST and near * mechanism.number > _NEAR:
        block = count if loci is None else max(_CELLS // int((loci.stop - loci.start).max()), 1)
        how: dict[str, Any] = {"last": last, "rng": rng, "loci": loci}
        parts = [
            many_draws(values, mechanism, n_draws=min(block, count - start), **how)
            for start in range(0, count, max(block, 1))
        ]
    else:
        race = _Race.of(values, mechanism, last, loci)
        block = max(_CELLS // len(race.near), 1)
        parts = [
            race.run(rng, min(block, count - start), mechanism.number)
            for start in range(0, count, block)
        ]
    return np.concatenate([np.zeros((0, mechanism.number), dtype=np.int64), *parts])


@attrs.frozen
class _Race:
    """Variants by speed q: those near the top one by one, the others as one stream."""

    uniform: bool
    near: Integers
    near_log: Floats
    far: Integers
    far_speed: Floats
    far_total: Floats
    loci: Loci | None

    @classmethod
    def of(cls, values: Integers, mechanism: NoisyTopK, last: int, loci: Loci | None) -> "_Race":
        away = (values - last) / mechanism.scale
        (near,), (far,) = np.nonzero(away > -np.log(2)), np.nonzero(away <= -np.log(2))
        slow = np.exp(np.maximum(away[far], -_FARTHEST))
        uniform = mechanism.noise is SelectionNoise.EXPONENTIAL
        return cls(uniform, near, away[near], far, slow, np.cumsum(slow), loci)

    def run(self, rng: Generator, n_draws: int, number: int) -> Integers:
        """`number` rounds, each with fresh noise and without those chosen before."""
        selected = np.full((n_draws, number), -1)
        for step in range(number):
            size = (n_draws, len(self.near))
            times = rng.random(size) if self.uniform else rng.exponential(size=size)
            with np.errstate(divide="ignore"):  # a draw may be 0
                times = np.log(times) - self.near_log
            for before in range(step):
                times[is_removed(self.near, selected[:, before, None], self.loci)] = np.inf
            first = times.argmin(axis=1)
            winner = self.near[first]
            until = np.exp(times[np.arange(n_draws), first])
            self._stream(rng, until, winner, selected[:, :step])
            selected[:, step] = winner
        return selected

    def _stream(self, rng: Generator, until: Floats, winner: Integers, before: Integers) -> None:
        """Let variants of the stream win where one arrives before `until`.

        A uniform variant arrives at rate q/(1 − uq) <= 2q, an exponential one at rate q.
        """
        if not len(self.far):
            return
        pace = 2.0 if self.uniform else 1.0
        waiting, clock = np.arange(len(until)), np.zeros(len(until))
        while len(waiting):
            clock = clock + rng.exponential(1 / (pace * self.far_total[-1]), len(waiting))
            early = clock < until[waiting]
            waiting, clock = waiting[early], clock[early]
            share = rng.random(len(waiting)) * self.far_total[-1]
            at = np.minimum(np.searchsorted(self.far_total, share, side="right"), len(self.far) - 1)
            accepted = ~is_removed(self.far[at][:, None], before[waiting], self.loci).any(axis=1)
            if self.uniform:
                chance = 1 / (2 * (1 - clock * self.far_speed[at]))
                accepted &= rng.random(len(waiting)) < chance
            winner[waiting[accepted]] = self.far[at[accepted]]
            waiting, clock = waiting[~accepted], clock[~accepted]


PART = 4096
"""Simulated selections at a time; the answer does not depend on the machine."""


def top_hits(steps: Integers, mechanism: NoisyTopK, trials: int, effort: Effort) -> Integers:
    """How many of each simulated selection no outsider outscores; shape (trials,)."""
    last = np.partition(steps, len(steps) - mechanism.number)[-mechanism.number]
    tied = mechanism.number - int(np.count_nonzero(steps > last))
    parts = []
    for block, start in enumerate(range(0, trials, PART)):
        size = min(PART, trials - start)
        drawn = steps[selection_draws(steps, mechanism, effort.generator(block), size)]
        above = np.count_nonzero(drawn > last, axis=1)
        parts.append(above + np.minimum(np.count_nonzero(drawn == last, axis=1), tied))
    return np.concatenate(parts)


def mean_share(hits: Integers, mechanism: NoisyTopK, effort: Effort) -> Bound:
    """The mean of hits/number: the mean of the chances of at least 1, 2, … hits."""
    number = mechanism.number
    chances = [
        share(int(np.count_nonzero(hits >= least)), len(hits), number, effort)
        for least in range(1, number + 1)
    ]
    return attrs.evolve(
        chances[0],
        lower=sum(chance.lower for chance in chances) / number,
        upper=min(sum(chance.upper for chance in chances) / number, 1.0),
    )


def share(successes: int, trials: int, together: int, effort: Effort) -> Bound:
    """Clopper and Pearson's interval, one of `together` that shall hold at once."""
    miss = (1 - effort.confidence) / (2 * together)
    lower, upper = binomial_limits(successes, trials, miss)
    return Bound(
        float(lower),
        float(upper),
        Evidence.CONFIDENCE,
        confidence=effort.confidence,
        draws=trials,
        seed=effort.seed,
    )


_FIRST = 64
"""Variants that are looked at first, the best ones: most wrong selections miss one of them."""


def locus_hits(
    steps: Integers, mechanism: NoisyTopK, loci: Loci, trials: int, effort: Effort
) -> tuple[Integers, int]:
    """How many loci each simulated selection finds, and how many selections noise did not change.

    Without noise the largest score is chosen, then the largest outside its window, and so on. A
    locus of that choice is found where a selected variant stands in its window; in place of its
    last ones any others will do of the same score, outside the windows of those above. The second
    counts selections that a choice without noise makes, ties broken somehow.
    """
    hits, same = [], 0
    best = without_noise(steps, mechanism.number, loci)
    judged = _Judge(steps, loci)
    last = int(steps[best[-1]])
    above, tied = loci.rank[best[steps[best] > last]], steps[loci.order] == last
    for center in above.tolist():
        tied[loci.start[center] : loci.stop[center]] = False
    before = np.concatenate([[0], np.cumsum(tied)])
    near = before[loci.stop] > before[loci.start]
    for block, start in enumerate(range(0, trials, PART)):
        size = min(PART, trials - start)
        drawn = selection_draws(steps, mechanism, effort.generator(block), size, loci)
        places = loci.rank[drawn]
        finds = np.minimum(np.count_nonzero(near[places], axis=1), len(best) - len(above))
        for center in above.tolist():
            inside = (loci.start[center] <= places) & (places < loci.stop[center])
            finds = finds + inside.any(axis=1)
        hits.append(finds)
        sets, often = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
        same += sum(
            int(count) for each, count in zip(sets, often, strict=True) if judged.is_best(each)
        )
    return np.concatenate(hits), same


def without_noise(steps: Integers, number: int, loci: Loci) -> Integers:
    """The variants of the largest scores, each outside the windows before; ties as in the file."""
    left, selected = np.ones(len(steps), dtype=bool), list[int]()
    for each in np.argsort(-steps, kind="stable").tolist():
        if left[each]:
            selected.append(each)
            left[loci.around(each)] = False
        if len(selected) == number:
            break
    return np.array(selected, dtype=np.int64)


class _Judge:
    """Which selections a choice without noise makes."""

    def __init__(self, steps: Integers, loci: Loci) -> None:
        self._steps, self._loci = steps, loci
        self._order = np.argsort(-steps, kind="stable")
        self._falling = -steps[self._order]

    def is_best(self, selected: Integers) -> bool:
        """Whether it removes every score above its least one by a score that is no smaller."""
        scores, centers = self._steps[selected], self._loci.rank[selected]
        above = int(np.searchsorted(self._falling, -int(scores.min())))
        start, stop = self._loci.start[centers], self._loci.stop[centers]
        for part in (slice(0, min(_FIRST, above)), slice(_FIRST, above)):
            others = self._order[part]
            places = self._loci.rank[others][:, None]
            gone = (start <= places) & (places < stop) & (scores >= self._steps[others][:, None])
            if not gone.any(axis=1).all():
                return False
        return True
