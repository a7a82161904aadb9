"""All records from one list: whole samples, each in for its members and out for the rest.

Draw the release t of a uniform sample, hide that sample among K − 1 samples drawn towards t, and
weigh each by φ(t − ΣD_k)/π_t(D_k). The joint density of t and list given that x is in is the sum
of the weights of the samples that hold x, times N/n; given that it is out, the sum of the others,
times N/(N−n). One list therefore serves every record: as a draw of its "in" world where the true
sample holds it, of its "out" world where it does not. The list is less sharp than one made for a
single record, because the odds come from counting: some 4/K in the variance of ln ratio.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.population.vector_sums.guide import Guide
from deniable.population.vector_sums.guided_subsets import (
    Hidden,
    guided_subsets,
    uniform_subsets,
)
from deniable.population.vector_sums.lists import batch_size
from deniable.population.vector_sums.release import Release
from deniable.priors.protocol import Generator


@attrs.frozen(eq=False)
class WholeDraws:
    """What the lists say of several records.

    Parameters
    ----------
    log_ratios : array, shape (n_draws, n_records)
        ln of density with the record in to density with it out; ±∞ where the list has one kind.
    inside : array of bool, shape (n_draws, n_records)
        Whether the true sample holds the record: which world the draw belongs to.
    """

    log_ratios: NDArray[np.float64]
    inside: NDArray[np.bool_]

    def towards(self, column: int, world: int) -> NDArray[np.float64]:
        """ln density(world)/density(other) of one record's draws in that world; 0 is in, 1 out."""
        inside, log_ratios = self.inside[:, column], self.log_ratios[:, column]
        mine: NDArray[np.float64] = log_ratios[inside] if world == 0 else -log_ratios[~inside]
        return mine


def whole_guide(release: Release) -> Guide:
    """The guide of whole samples."""
    share = release.size / release.population
    return Guide.towards(release.points, share, np.eye(release.dimension))


def whole_draws(
    rng: Generator,
    release: Release,
    guide: Guide,
    records: NDArray[np.int64],
    candidates: int,
    n_draws: int,
) -> WholeDraws:
    """Independent releases, each with its list.

    Examples
    --------
    >>> release = Release.of([0.0, 1.0, 2.0, 5.0], 2, 1.0)
    >>> rng = np.random.default_rng(0)
    >>> whole_draws(rng, release, whole_guide(release), np.arange(4), 8, 3).inside.sum(axis=1)
    array([2, 2, 2])
    """
    batch = batch_size(candidates, release.population, kept=True)
    parts = [
        _batch(rng, release, guide, records, candidates, min(batch, n_draws - start))
        for start in range(0, n_draws, batch)
    ]
    return WholeDraws(
        np.concatenate([part.log_ratios for part in parts]),
        np.concatenate([part.inside for part in parts]),
    )


def _batch(
    rng: Generator,
    release: Release,
    guide: Guide,
    records: NDArray[np.int64],
    candidates: int,
    n_draws: int,
) -> WholeDraws:
    truth = uniform_subsets(rng, release.population, release.size, n_draws)
    noise = rng.standard_normal((release.dimension, n_draws))
    targets = np.tile((release.points.T @ truth + noise)[:, None, :], (1, 1, candidates))
    drawn = guided_subsets(rng, guide, targets, (release.size,), hidden=Hidden(0, truth), keep=True)
    assert drawn.members is not None
    weights = drawn.log_weights().reshape(candidates, n_draws)
    weights = np.exp(weights - weights.max(axis=0))
    members = drawn.members[records, 0].reshape(len(records), candidates, n_draws)
    inside = np.einsum("rki,ki->ir", members, weights)
    outside = np.einsum("rki,ki->ir", ~members, weights)
    prior = math.log((release.population - release.size) / release.size)
    with np.errstate(divide="ignore"):
        log_ratios = np.log(inside) - np.log(outside) + prior
    return WholeDraws(log_ratios, np.ascontiguousarray(truth[records].T))
