"""The list told to the adversary: a true sample hidden among K pairs that look at the release.

For one record x the pairs (E_k, F_k), of n − 1 and n others, are drawn from laws α_t, β_t that may
depend on the release t; the true subset takes a uniform place. The joint densities of t and list
then have the ratio

    Σ_k φ(t − x − ΣE_k)/α_t(E_k) ÷ Σ_k φ(t − ΣF_k)/β_t(F_k)   (times the subsets' numbers).
"""

import math
from typing import TypeAlias

import attrs
import numpy as np
from scipy.special import logsumexp, softmax

from deniable.numerics.effort import Generator
from deniable.population.question import Floats

Worlds: TypeAlias = tuple[Floats, Floats]  # Draws of the world "in", and of the world "out"

IN, OUT = 0, 1  # Which world draws the release: the record is in the sample, or out of it
_COLUMNS = 4096
"""Lists times candidates worked on at once: some columns of a few hundred records stay in the
cache."""
_SUBSETS = 20_000_000  # Memberships held at once: 20 megabytes


@attrs.frozen(eq=False)
class ListDraws:
    """Independent releases of one world with their lists."""

    # (n_draws,): ln f_in/f_out, the joint densities of release and list, whichever world drew them.
    log_ratios: Floats
    scores: Floats  # (n_draws,): slope·t, a function of the release alone
    # What one candidate alone would add to that of ln ratio; NaN where a list has one.
    variance: float

    @classmethod
    def of(cls, log_weights: Floats, releases: Floats, slope: Floats) -> "ListDraws":
        """Join log-weights (2, candidates, n_draws), the truth first, and releases (d, n_draws)."""
        # ln ρ = ln Σ_k w_k − ln Σ_k v_k
        totals = logsumexp(log_weights, axis=1)
        others, variance = log_weights[:, 1:], math.nan
        if others.shape[1] > 1:
            # Var over k of w_k/w̄ − v_k/v̄: what ln ρ owes to a single candidate, to first order.
            relative = softmax(others, axis=1) * others.shape[1]
            variance = float((relative[IN] - relative[OUT]).var(axis=0, ddof=1).mean())
        return cls(totals[IN] - totals[OUT], slope @ releases, variance)


class RecordWorlds:
    """One record in the sample, and out of it."""

    def draws(
        self, rng: Generator, world: int, candidates: int, n_draws: int, slope: Floats
    ) -> ListDraws:
        """Independent releases of one world, each with its list of `candidates` pairs."""
        at_once = self.batch_size(candidates)
        parts = [
            self.batch(rng, world, candidates, min(at_once, n_draws - start), slope)
            for start in range(0, n_draws, at_once)
        ]
        return ListDraws(
            np.concatenate([part.log_ratios for part in parts]),
            np.concatenate([part.scores for part in parts]),
            float(np.mean([part.variance for part in parts])),
        )

    def batch(
        self, rng: Generator, world: int, candidates: int, n_draws: int, slope: Floats
    ) -> ListDraws:
        """Draw all at once what `draws` yields."""
        raise NotImplementedError

    def batch_size(self, candidates: int) -> int:
        """How many draws at once."""
        raise NotImplementedError


def batch_size(candidates: int, population: int, *, kept: bool = False) -> int:
    """How many draws at once: their lists stay in the cache, and subsets in memory."""
    each = population * (candidates if kept else 1)
    return max(1, min(_COLUMNS // candidates, _SUBSETS // each))
