"""The plain crowd: lists of pairs that do not look at the release (any noise, any dimension).

Each pair is a uniform (n−1)-subset E of the others with a record x' outside it, for the worlds
E ∪ x and E ∪ x'. It is the hidden list of `lists` with uniform laws whose two subsets share E.
One candidate gives the pairwise bound of [lowy-2024, Proposition 12]; more only lower it.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from deniable.population.vector_sums.guided_subsets import uniform_subsets
from deniable.population.vector_sums.lists import Target
from deniable.priors.protocol import Generator

_CELLS = 4_000_000


def plain_log_ratios(
    rng: Generator, target: Target, world: int, candidates: int, n_draws: int
) -> NDArray[np.float64]:
    """ln f_in/f_out of releases told with K plain pairs, the truth of one world among them.

    Examples
    --------
    >>> from deniable.population.vector_sums.release import Release
    >>> target = Release.of([0.0, 1.0, 2.0, 5.0], 2, 1.0).target(3)
    >>> plain_log_ratios(np.random.default_rng(0), target, 0, 5, 2).shape
    (2,)
    """
    batch = max(1, _CELLS // (candidates * len(target.others)))
    parts = [
        _batch(rng, target, world, candidates, min(batch, n_draws - start))
        for start in range(0, n_draws, batch)
    ]
    return np.concatenate(parts)


def _batch(
    rng: Generator, target: Target, world: int, candidates: int, n_draws: int
) -> NDArray[np.float64]:
    columns = candidates * n_draws
    out = uniform_subsets(rng, len(target.others), target.size, columns)
    swapped = np.where(out, rng.random(out.shape), -1.0).argmax(axis=0)
    sums_out = target.others.T @ out
    sums_in = sums_out - target.others[swapped].T + target.record[:, None]
    sums = np.stack([sums_in, sums_out]).reshape(2, -1, candidates, n_draws)
    releases = sums[world, :, 0] + rng.standard_normal((len(target.record), n_draws))
    densities = -((releases[None, :, None] - sums) ** 2).sum(axis=1) / 2
    totals = logsumexp(densities, axis=1)
    result: NDArray[np.float64] = totals[0] - totals[1]
    return result
