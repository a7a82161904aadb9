r"""One list for everybody: whole samples that may have led to a release, the true one among them.

Let D be a uniform n-subset of all N records and t = ΣD + Z. The adversary is told samples
D_1 … D_K, one of them true and the others from a law γ_t that looks at t. For every record x,

.. math:: \frac{f_\mathrm{in}}{f_\mathrm{out}}
          = \frac{\sum_{k: x \in D_k} W_k}{\sum_{k: x \notin D_k} W_k} \cdot \frac{N - n}{n},
          \qquad W_k = \frac{\phi(t - \Sigma D_k)}{\gamma_t(D_k)},

so that one list is a draw of "in" for the n records of D and one of "out" for the others. It tells
less well than pairs made for one record, and costs a list instead of N.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, softmax

from deniable.numerics.effort import Generator
from deniable.population.question import Floats
from deniable.population.vector_sums.guide import Guide
from deniable.population.vector_sums.guided_subsets import (
    BELOW_ONE,
    FLUSH,
    chances,
    draw_uniform_subsets,
)
from deniable.population.vector_sums.lists import Worlds
from deniable.population.vector_sums.sum_release import SumRelease

_COLUMNS = 4096
"""Samples worked on at once: some columns of a few hundred records stay in the cache."""


@attrs.frozen(eq=False)
class SharedDraws:
    """Independent releases, each seen from every record.

    Parameters
    ----------
    members : array of bool, shape (N, n_draws)
        Who was in the true sample: whose draw of "in" it is.
    log_ratios : array, shape (N, n_draws)
        ln f_in/f_out for each record, infinite where all samples of a list hold it, or none.
    """

    members: NDArray[np.bool_]
    log_ratios: Floats

    @property
    def n_draws(self) -> int:
        """Releases."""
        return int(self.members.shape[1])

    def own_first(self, record: int) -> Worlds:
        """ln f_in/f_out of the record's draws of "in", and ln f_out/f_in of those of "out"."""
        inside, logs = self.members[record], self.log_ratios[record]
        return logs[inside], -logs[~inside]


@attrs.frozen(eq=False)
class SharedLists:
    """A sum's releases with lists of whole samples.

    Parameters
    ----------
    release : SumRelease
        In units of the noise.
    guide : Guide
        Of samples of all records.
    """

    release: SumRelease
    guide: Guide

    @classmethod
    def of(cls, release: SumRelease) -> "SharedLists":
        """Guided by all records."""
        share = release.size / release.population
        return cls(release, Guide.towards(release.points, share, np.eye(release.dimension)))

    def draws(self, rng: Generator, candidates: int, n_draws: int) -> SharedDraws:
        """Independent releases, each with a list of `candidates` samples, a prime number."""
        at_once = max(1, _COLUMNS // candidates)
        parts = [
            self._batch(rng, candidates, min(at_once, n_draws - start))
            for start in range(0, n_draws, at_once)
        ]
        return SharedDraws(
            np.concatenate([part.members for part in parts], axis=1),
            np.concatenate([part.log_ratios for part in parts], axis=1),
        )

    def _batch(self, rng: Generator, candidates: int, n_draws: int) -> SharedDraws:
        release = self.release
        truth = draw_uniform_subsets(rng, release.population, release.size, n_draws)
        noise = rng.standard_normal((release.dimension, n_draws))
        releases = release.points.T @ truth + noise
        members, logs = self.samples(rng, releases, truth, candidates)
        weights = softmax(logs, axis=0)
        # Both sums of non-negative terms: 1 − the other would lose its digits.
        inside, outside = ((some * weights).sum(axis=1) for some in (members, ~members))
        odds = math.log((release.population - release.size) / release.size)
        with np.errstate(divide="ignore"):
            return SharedDraws(truth, np.log(inside) - np.log(outside) + odds)

    def samples(
        self, rng: Generator, releases: Floats, truth: NDArray[np.bool_], candidates: int
    ) -> tuple[NDArray[np.bool_], Floats]:
        """A list for each release, the truth first: (N, K, n_draws), and ln W_k (K, n_draws).

        At each record the uniform numbers of a list are a shifted lattice: each alone is
        uniform, which is all that the theorem asks, and together they are spread evenly, so that
        lists agree on each record's share.
        """
        dimension, n_draws = releases.shape
        population, size = self.release.population, self.release.size
        columns = candidates * n_draws
        missing = np.tile(releases[:, None, :], (1, candidates, 1)).reshape(dimension, columns)
        places = np.full((candidates, n_draws), float(size))
        log_shares, product = np.zeros(places.shape), np.ones(places.shape)
        members = np.empty((population, candidates, n_draws), np.bool_)
        order = np.arange(candidates)
        factors = rng.integers(1, candidates, size=population)
        for step, record in enumerate(self.guide.order):
            chance = chances(self.guide, step, missing, places, population - step)
            # Of the truth: uniform on [0, chance) if it holds the record, on [chance, 1) if not.
            inside, edge, true = rng.random(n_draws), chance[0], truth[record]
            above = np.minimum(edge + inside * (1 - edge), BELOW_ONE)
            uniform = (
                np.where(true, inside * edge, above)
                + ((order * factors[step] % candidates) / candidates)[:, None]
            )
            uniform -= uniform >= 1
            included = uniform < chance
            included[0] = true
            product *= np.where(included, chance, 1 - chance)
            places -= included
            missing -= self.guide.steps[step][:, None] * included.reshape(1, columns)
            members[record] = included
            if step % FLUSH == FLUSH - 1:
                log_shares -= np.log(product)
                product[:] = 1
        log_shares -= np.log(product)
        log_shares -= gammaln(population + 1) - gammaln(size + 1) - gammaln(population - size + 1)
        squares = (missing**2).sum(axis=0).reshape(places.shape)
        return members, log_shares - squares / 2
