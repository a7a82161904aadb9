"""How much of a simulated selection with windows is right; ties do not count against it."""

import numpy as np
from numpy.typing import NDArray

from deniable.gwas.owner.selection_draws import selection_draws
from deniable.gwas.owner.top_hits import PART
from deniable.gwas.publication.windows import Loci
from deniable.mechanisms import NoisyTopK
from deniable.numerics.effort import Effort

_FIRST = 64
"""Variants that are looked at first, the best ones: most wrong selections miss one of them."""

Integers = NDArray[np.int64]


def locus_hits(
    steps: Integers, mechanism: NoisyTopK, loci: Loci, trials: int, effort: Effort
) -> tuple[Integers, int]:
    """How many loci each simulated selection finds, and how many selections noise did not change.

    Without noise the largest score is chosen, then the largest outside its window, and so on. A
    locus of that choice is found where a selected variant stands in its window; in place of its
    last ones any others will do of the same score, outside the windows of those above.

    Returns
    -------
    array of int64, shape (trials,), and int
        The second counts selections that a choice without noise makes, ties broken somehow.
    """
    found, same = [], 0
    best = without_noise(steps, mechanism.number, loci)
    judged = _Judge(steps, loci)
    for block, start in enumerate(range(0, trials, PART)):
        size = min(PART, trials - start)
        drawn = selection_draws(steps, mechanism, effort.generator(block), size, loci)
        found.append(_found(drawn, best, steps, loci))
        sets, often = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
        same += sum(
            int(count) for each, count in zip(sets, often, strict=True) if judged.is_best(each)
        )
    return np.concatenate(found), same


def without_noise(steps: Integers, number: int, loci: Loci) -> Integers:
    """The variants of the largest scores, each outside the windows before; ties as in the file."""
    left, chosen = np.ones(len(steps), dtype=bool), list[int]()
    for each in np.argsort(-steps, kind="stable").tolist():
        if left[each]:
            chosen.append(each)
            left[loci.around(each)] = False
        if len(chosen) == number:
            break
    return np.array(chosen, dtype=np.int64)


def _found(drawn: Integers, best: Integers, steps: Integers, loci: Loci) -> Integers:
    last = int(steps[best[-1]])
    above = best[steps[best] > last]
    places, found = loci.rank[drawn], np.zeros(len(drawn), dtype=np.int64)
    tied = steps[loci.order] == last
    for center in loci.rank[above].tolist():
        start, stop = loci.start[center], loci.stop[center]
        found += ((start <= places) & (places < stop)).any(axis=1)
        tied[start:stop] = False
    before = np.concatenate([[0], np.cumsum(tied)])
    near = before[loci.stop] > before[loci.start]
    others = np.count_nonzero(near[places], axis=1)
    return np.asarray(found + np.minimum(others, len(best) - len(above)))


class _Judge:
    """Which selections a choice without noise makes."""

    def __init__(self, steps: Integers, loci: Loci) -> None:
        self._steps, self._loci = steps, loci
        self._order = np.argsort(-steps, kind="stable")
        self._falling = -steps[self._order]

    def is_best(self, chosen: Integers) -> bool:
        """Whether it removes every score above its least one by a score that is no smaller."""
        scores, centers = self._steps[chosen], self._loci.rank[chosen]
        above = int(np.searchsorted(self._falling, -int(scores.min())))
        start, stop = self._loci.start[centers], self._loci.stop[centers]
        for part in (slice(0, min(_FIRST, above)), slice(_FIRST, above)):
            others = self._order[part]
            places = self._loci.rank[others][:, None]
            gone = (start <= places) & (places < stop) & (scores >= self._steps[others][:, None])
            if not gone.any(axis=1).all():
                return False
        return True
