"""How much of a simulated selection is right, and what so many draws say of that."""

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.owner.selection_draws import selection_draws
from deniable.mechanisms import NoisyTopK
from deniable.numerics.binomial import binomial_limits
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort

PART = 4096
"""Simulated selections at a time; the answer does not depend on the machine."""


def top_hits(
    steps: NDArray[np.int64], mechanism: NoisyTopK, trials: int, effort: Effort
) -> NDArray[np.int64]:
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


def mean_share(hits: NDArray[np.int64], mechanism: NoisyTopK, effort: Effort) -> Bound:
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
