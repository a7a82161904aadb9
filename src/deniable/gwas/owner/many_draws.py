"""Simulated selections of many variants among very many, never for a release.

A round of exponential noise is a race: with q = exp((x − max x)/s) over the variants that are
left, variant i arrives at time u in (0, 1) at rate q_i/(1 − u q_i), and the first to arrive is
chosen. With Gumbel noise the rate is q_i. Variants stand in bins of nearly equal q, of which a
bin's upper end is a bound; so a candidate is drawn by bin, and kept with its rate over the bound
(thinning). That looks at a few variants in a round however many there are.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.publication.windows import Loci
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.numerics.effort import Generator

FARTHEST = 500.0
"""Scales between the largest score and the last of the top up to which no q is rounded to 0."""
_LOWEST = 60.0
"""Scales below the last of the top from which all variants share a bin: they hardly ever arrive."""
_WIDTH = 0.2
"""Of a bin, in scales: a candidate is kept with a probability of e^−.2 or more."""
_STAGES = 1 - np.append([1.0, 15 / 16], 0.5 ** np.arange(1.0, 61.0))
"""Times at which the bound 1/(1 − u) on the factor of the rate is made larger."""
_TRIES = 4
"""Draws of a variant of a bin before those that are left are counted."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@attrs.frozen
class _Bins:
    """Variants by falling score, and where each bin begins among them.

    Parameters
    ----------
    order : ndarray of int, shape (n_variants,)
        Positions by falling score.
    speed : ndarray of float, shape (n_variants,)
        q of each, in that order, relative to the largest of all.
    start, size : ndarray of int, shape (n_bins,)
        Where a bin begins, and how many it has.
    edge : ndarray of float, shape (n_bins,)
        At least the largest q in it.
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

    Parameters
    ----------
    values : ndarray of int, shape (n_variants,)
        Scores.
    mechanism : NoisyTopK
        Its scale counts in steps.
    last : int
        The score of `surely_left`; the largest is at most `FARTHEST` scales above it.
    loci : Loci, optional
        Windows that are removed around each chosen variant.
    """
    uniform = mechanism.noise is SelectionNoise.EXPONENTIAL
    bins = _Bins.of(values, mechanism.scale, last)
    field = _Field.of(bins, n_draws, loci)
    chosen = np.empty((n_draws, mechanism.number), dtype=np.int64)
    for step in range(mechanism.number):
        chosen[:, step] = field.round(rng, uniform=uniform)
    return bins.order[chosen]


@attrs.frozen
class _Windows:
    """Which variants, by falling score, go with each of them.

    Parameters
    ----------
    start, stop : ndarray of int, shape (n_variants,)
        Of each, which places its window holds.
    at : ndarray of int, shape (n_variants,)
        The variant of each place.
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

    Parameters
    ----------
    gone : ndarray of uint8, shape (n_draws, n_bytes)
        A bit a variant, by falling score.
    left : ndarray of int, shape (n_draws, n_bins)
        How many of each bin are left.
    first : ndarray of int, shape (n_draws,)
        The largest that is left.
    windows : _Windows or None
        What goes with a chosen variant.
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
        windows = None if loci is None else _Windows.of(loci, bins.order)
        return cls(bins, gone, left, first, windows)

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
            kept = rng.random(len(racing)) * bins.edge[which] < bins.speed[variant] * (
                self._thinned(racing, variant, best, clock, stage) if uniform else 1.0
            )
            winner[racing[kept]] = variant[kept]
            done = np.zeros(len(winner), bool)
            done[racing[kept]] = True
            waiting = waiting[~done[waiting]]
        self._take(winner)
        return winner

    def _thinned(
        self, draws: Integers, variant: Integers, best: Floats, clock: Floats, stage: Integers
    ) -> Floats:
        """(1 − u')/(1 − u q), u' the end of the stage and q relative to the best that is left."""
        relative = self.bins.speed[variant] / best[draws]
        return np.asarray((1 - _STAGES[stage[draws] + 1]) / (1 - clock[draws] * relative))

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
