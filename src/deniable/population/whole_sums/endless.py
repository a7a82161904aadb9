"""Discrete Gaussian noise with δ = 0: finite only for a record that both ends of the sum hide."""

import math

import numpy as np

from deniable._rounding import UNIT
from deniable.population.whole_sums.laws import Floats
from deniable.population.whole_sums.multiset import Ints, Multiset


def endless_losses(problem: Multiset, targets: Ints) -> tuple[Floats, Floats]:
    r"""Enclosure of sup |ln Pr[y|in]/Pr[y|out]|; infinite for at least one record.

    Far to the right only the largest sum counts, and far to the left the least. Unless both laws
    reach it, one of them falls off faster and the supremum is infinite. With c records of the
    value at which the n largest end, r of them taken, both reach it for a record of that value
    and r < c only, and the ratio tends to r(N − n)/((c − r)n). For such a record this limit is
    the lower end; the upper one stays infinite.
    """
    n, everyone = problem.size, problem.n_records
    lower = np.zeros(len(targets))
    for order in (1, -1):
        # From this end: the value at which the n outermost records end, r of its c records taken.
        counts = problem.counts[::order]
        full = int(np.searchsorted(np.cumsum(counts), n))
        edge = full if order == 1 else len(counts) - 1 - full
        taken = n - int(counts[:full].sum())
        left = int(counts[full]) - taken
        limit = math.inf
        if left:
            limit = abs(math.log(taken * (everyone - n)) - math.log(left * n))
            limit = max(limit - 8 * UNIT * (math.log(everyone) * 2 + 1), 0.0)
        lower = np.maximum(lower, np.where(targets == edge, limit, np.inf))
    return lower, np.full(len(targets), np.inf)
