"""The list told to the adversary: a true sample hidden among K pairs that look at the release.

For one record x: the density of the release t is the mean over (n−1)-subsets E of the others of
φ(t − x − ΣE) if x is in, and the mean over their n-subsets F of φ(t − ΣF) if it is out. Pairs
(E_k, F_k) are drawn from a law that may depend on t; the true subset takes a uniform place and
its partner is drawn given it. The joint densities of t and list then have the ratio

    Σ_k φ(t − x − ΣE_k)/α_t(E_k) ÷ Σ_k φ(t − ΣF_k)/β_t(F_k)   (times the subsets' numbers),

α_t and β_t the laws of E_k and F_k. Data processing does the rest.
"""

import math
from typing import Any, Protocol

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from deniable.population.vector_sums.guide import Guide
from deniable.population.vector_sums.guided_subsets import (
    GuidedSubsets,
    Hidden,
    guided_subsets,
    uniform_subsets,
)
from deniable.priors.protocol import Generator

IN, OUT = 0, 1
"""Which world draws the release: the record is in the sample, or out of it."""
_COLUMNS = 4096
"""Lists times candidates worked on at once: some columns of a few hundred records stay in the
cache."""
_SUBSETS = 20_000_000
"""Memberships held at once: 20 megabytes."""


@attrs.frozen(eq=False)
class ListDraws:
    """Independent releases of one world with their lists.

    Parameters
    ----------
    log_ratios : array, shape (n_draws,)
        ln f_in/f_out, the joint densities of release and list, whichever world drew them.
    scores : array, shape (n_draws,)
        slope·t, a function of the release alone.
    spread : float
        Variance that one candidate alone would add to ln ratio; NaN where a list has one.
    """

    log_ratios: NDArray[np.float64]
    scores: NDArray[np.float64]
    spread: float

    @classmethod
    def of(
        cls,
        log_weights: NDArray[np.float64],
        releases: NDArray[np.float64],
        slope: NDArray[np.float64],
    ) -> "ListDraws":
        """From log-weights (2, candidates, n_draws), the truth first, and releases (d, n_draws)."""
        # ln ρ = ln Σ_k w_k − ln Σ_k v_k
        totals = logsumexp(log_weights, axis=1)
        return cls(totals[IN] - totals[OUT], slope @ releases, _spread(log_weights[:, 1:]))

    @classmethod
    def joined(cls, parts: "list[ListDraws]") -> "ListDraws":
        """Draws of several batches of one world."""
        return cls(
            np.concatenate([part.log_ratios for part in parts]),
            np.concatenate([part.scores for part in parts]),
            float(np.mean([part.spread for part in parts])),
        )


class Hiding(Protocol):
    """Draws releases of one record's two worlds with their lists."""

    def draws(
        self,
        rng: Generator,
        world: int,
        candidates: int,
        n_draws: int,
        slope: NDArray[np.float64],
    ) -> ListDraws:
        """Independent releases of one world, each with its list of `candidates` pairs."""


@attrs.frozen(eq=False)
class Target:
    """One record of a sum, the others, and their guide; everything in units of the noise."""

    record: NDArray[np.float64]
    others: NDArray[np.float64]
    size: int
    guide: Guide

    @property
    def sizes(self) -> tuple[int, int]:
        """How many of the others are in the sample, with the record in and out."""
        return self.size - 1, self.size

    def draws(
        self,
        rng: Generator,
        world: int,
        candidates: int,
        n_draws: int,
        slope: NDArray[np.float64],
    ) -> ListDraws:
        """Independent releases of one world, each with its list of `candidates` pairs."""
        batch = batch_size(candidates, len(self.others))
        return ListDraws.joined(
            [
                self._batch(rng, world, candidates, min(batch, n_draws - start), slope)
                for start in range(0, n_draws, batch)
            ]
        )

    def _batch(
        self,
        rng: Generator,
        world: int,
        candidates: int,
        n_draws: int,
        slope: NDArray[np.float64],
    ) -> ListDraws:
        truth, releases = self.releases(rng, world, n_draws)
        drawn = self.candidates(rng, releases, candidates, hidden=Hidden(world, truth))
        weights = drawn.log_weights().reshape(2, candidates, n_draws)
        return ListDraws.of(weights, releases, slope)

    def releases(
        self, rng: Generator, world: int, n_draws: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """True subsets of the others (M, n_draws) and what is released (d, n_draws)."""
        # t = ΣE + x + Z in the world "in", ΣF + Z in the world "out".
        truth = uniform_subsets(rng, len(self.others), self.sizes[world], n_draws)
        noise = rng.standard_normal((len(self.record), n_draws))
        own = self.record[:, None] if world == IN else 0.0
        return truth, self.others.T @ truth + own + noise

    def candidates(
        self, rng: Generator, releases: NDArray[np.float64], candidates: int, **options: Any
    ) -> GuidedSubsets:
        """A list for each release: columns k n_draws + i belong to release i, (2, columns).

        The truth, where `hidden` gives one, is the first candidate. Its place does not matter:
        the ratio is symmetric in the candidates.
        """
        both = np.stack([releases - self.record[:, None], releases], axis=1)
        targets = np.tile(both, (1, 1, candidates))
        return guided_subsets(rng, self.guide, targets, self.sizes, **options)


def batch_size(candidates: int, population: int, *, kept: bool = False) -> int:
    """How many draws at once: their lists stay in the cache, and subsets in memory."""
    each = population * (candidates if kept else 1)
    return max(1, min(_COLUMNS // candidates, _SUBSETS // each))


def _spread(log_weights: NDArray[np.float64]) -> float:
    """Variance over candidates of the difference of relative weights, mean over the draws."""
    if log_weights.shape[1] < 2:
        return math.nan
    # Var over k of w_k/w̄ − v_k/v̄: what ln ρ owes to a single candidate, to first order.
    relative = softmax(log_weights, axis=1) * log_weights.shape[1]
    return float((relative[IN] - relative[OUT]).var(axis=0, ddof=1).mean())
