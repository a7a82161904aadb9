"""Simulated selections among very many variants, never for a release.

Choosing the largest x + s · (exponential noise) is choosing the least V/q, V uniform on (0, 1);
with Gumbel noise V is exponential. Variants with q at or below half that of the last one that
could make it arrive as a thinned Poisson process instead: few of them are ever looked at.
"""

from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.gwas.owner.many_draws import FARTHEST, many_draws
from deniable.gwas.owner.surely_left import removed, surely_left
from deniable.gwas.publication.windows import Loci
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.numerics.effort import Generator

_CELLS = 2**21
"""Random numbers held at once: 16 megabytes."""
_NEAR = 2**12
"""Variants near the top, times rounds, from which bins are faster: ten times their cost a round."""
_FARTHEST = 600.0
"""No exponent of a slow variant is larger: beyond e^-600 no draw of 64 bits reaches."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def selection_draws(
    scores: ArrayLike,
    mechanism: NoisyTopK,
    rng: Generator,
    n_draws: int,
    loci: Loci | None = None,
) -> Integers:
    """Independent simulated selections.

    Parameters
    ----------
    scores : array_like of int, shape (n_variants,)
        Whole steps of score.
    mechanism : NoisyTopK
        Its scale counts in steps.
    rng : Generator
        NumPy's.
    n_draws : int
        How many, >= 0.
    loci : Loci, optional
        Windows that are removed around each chosen variant; `mechanism.number` is at most
        `loci.least`.

    Returns
    -------
    array of int64, shape (n_draws, number)
        Positions from 0, in the order chosen.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> selection_draws([0, 900, 800], NoisyTopK(1.0, 2, "exponential"), rng, 2).tolist()
    [[1, 2], [1, 2]]
    """
    values = np.asarray(scores)
    count = validate.integer(n_draws, "n_draws", least=0)
    if len(values) < mechanism.number:
        raise InvalidArgument(
            f"Expected at least number={mechanism.number} variants, got {len(values)}."
        )
    last = surely_left(values, mechanism.number, loci)
    if _is_large(values, mechanism, last):
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


def _is_large(values: Integers, mechanism: NoisyTopK, last: int) -> bool:
    """Whether rounds that look at all variants near the top would take long."""
    reach = (int(values.max()) - last) / mechanism.scale
    near = np.count_nonzero(values > last - mechanism.scale * np.log(2))
    return bool(reach <= FARTHEST and near * mechanism.number > _NEAR)


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
    def of(
        cls, values: NDArray[np.int64], mechanism: NoisyTopK, last: int, loci: Loci | None
    ) -> "_Race":
        away = (values - last) / mechanism.scale
        (near,), (far,) = np.nonzero(away > -np.log(2)), np.nonzero(away <= -np.log(2))
        slow = np.exp(np.maximum(away[far], -_FARTHEST))
        uniform = mechanism.noise is SelectionNoise.EXPONENTIAL
        return cls(uniform, near, away[near], far, slow, np.cumsum(slow), loci)

    def run(self, rng: Generator, n_draws: int, number: int) -> Integers:
        """`number` rounds, each with fresh noise and without those chosen before."""
        chosen = np.full((n_draws, number), -1)
        for step in range(number):
            size = (n_draws, len(self.near))
            times = rng.random(size) if self.uniform else rng.exponential(size=size)
            with np.errstate(divide="ignore"):  # a draw may be 0
                times = np.log(times) - self.near_log
            for before in range(step):
                times[removed(self.near, chosen[:, before, None], self.loci)] = np.inf
            first = times.argmin(axis=1)
            winner = self.near[first]
            until = np.exp(times[np.arange(n_draws), first])
            self._stream(rng, until, winner, chosen[:, :step])
            chosen[:, step] = winner
        return chosen

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
            accepted = ~removed(self.far[at][:, None], before[waiting], self.loci).any(axis=1)
            if self.uniform:
                chance = 1 / (2 * (1 - clock * self.far_speed[at]))
                accepted &= rng.random(len(waiting)) < chance
            winner[waiting[accepted]] = self.far[at[accepted]]
            waiting, clock = waiting[~accepted], clock[~accepted]
