"""One release of a sum of records with Gaussian noise, in units of the noise."""

from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.effort import Generator
from deniable.population.bounds import gaussian_shifts
from deniable.population.question import Floats
from deniable.population.vector_sums.guided_subsets import (
    Guide,
    GuidedSubsets,
    Hidden,
    draw_guided_subsets,
    draw_uniform_subsets,
)
from deniable.population.vector_sums.lists import IN, ListDraws, batch_size

_CELLS, _DRAWS = 16_000_000, (64, 4096)
"""Records times candidates times draws of a block of work; its fewest and most draws."""
_PILOT_CELLS, _PILOT_DRAWS = 8_000_000, (200, 2000)
"""Records times draws of a pilot; its fewest and most draws: bets are planned from their tails."""


@attrs.frozen(eq=False)
class SumRelease:
    """Publishes Σ_{i∈D} y_i + N(0, I), D a uniform subset of `size` records.

    Centring the records moves all releases alike and changes no divergence.

    Parameters
    ----------
    points : array_like of float, shape (N, d)
        The records' contributions, divided by the noise's standard deviation and centred.
    size : int
        n, with 1 <= n < N.
    """

    most_candidates: ClassVar[int] = 1024

    points: Floats
    size: int

    @classmethod
    def of(cls, values: Floats, size: int, sigma: float) -> "SumRelease":
        """The release of Σ values + N(0, σ²I); values (N, d).

        Examples
        --------
        >>> SumRelease.of(np.array([[1.0], [2.0], [6.0]]), 2, 0.5).points.ravel().tolist()
        [-4.0, -2.0, 6.0]
        """
        return cls((values - values.mean(axis=0)) / sigma, size)

    @property
    def population(self) -> int:
        """N."""
        return len(self.points)

    @property
    def pilot_draws(self) -> int:
        """Fewer where each of them is much work."""
        return int(np.clip(_PILOT_CELLS // self.population, *_PILOT_DRAWS))

    @property
    def dimension(self) -> int:
        """d."""
        return int(self.points.shape[1])

    def worlds(self, record: int) -> "SumRecord":
        """One record in the sample, and out of it."""
        others = np.delete(self.points, record, axis=0)
        share = (self.size - 0.5) / len(others)
        guide = Guide.towards(others, share, np.eye(self.dimension))
        return SumRecord(self.points[record], others, self.size, guide)

    def block_draws(self, candidates: int) -> int:
        """How many draws make one block of work."""
        return int(np.clip(_CELLS // (self.population * candidates), *_DRAWS))

    def decisions(self, candidates: int) -> float:
        """Of one draw of both worlds: each has a list of pairs of samples."""
        return 4.0 * candidates * self.population

    def directions(self) -> tuple[Floats, Floats]:
        """The likelihood-ratio direction of every record and the length of its shift.

        As if releases were normal: a_x = C⁻¹(y_x − mean of the others) with C the covariance
        of the release, and μ_x = √((y_x − mean)ᵀ a_x). A heuristic: it ranks and plans.
        """
        shifts = self.points * (self.population / max(self.population - 1, 1))
        slopes = np.asarray(np.linalg.solve(self.covariance(), shifts.T).T, np.float64)
        return slopes, gaussian_shifts(self.points, self.size, 1.0)

    def covariance(self) -> Floats:
        """Of the release: of the sum of a uniform n-subset, plus the noise's."""
        # n/N (1 − n/N) N/(N − 1) Σ (y − ȳ)(y − ȳ)ᵀ + I
        share = self.size / self.population
        scale = share * (1 - share) * self.population / max(self.population - 1, 1)
        spread: Floats = self.points.T @ self.points
        return scale * spread + np.eye(self.dimension)


@attrs.frozen(eq=False)
class SumRecord:
    """One record of a sum, the others, and their guide; everything in units of the noise."""

    record: Floats
    others: Floats
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
        slope: Floats,
    ) -> ListDraws:
        """Independent releases of one world, each with its list of `candidates` pairs."""
        at_once = batch_size(candidates, len(self.others))
        return ListDraws.in_batches(
            lambda some: self._batch(rng, world, candidates, some, slope), n_draws, at_once
        )

    def _batch(
        self,
        rng: Generator,
        world: int,
        candidates: int,
        n_draws: int,
        slope: Floats,
    ) -> ListDraws:
        truth, releases = self.releases(rng, world, n_draws)
        drawn = self.candidates(rng, releases, candidates, hidden=Hidden(world, truth))
        weights = drawn.log_weights().reshape(2, candidates, n_draws)
        return ListDraws.of(weights, releases, slope)

    def releases(
        self, rng: Generator, world: int, n_draws: int
    ) -> tuple[NDArray[np.bool_], Floats]:
        """True subsets of the others (M, n_draws) and what is released (d, n_draws)."""
        # t = ΣE + x + Z in the world "in", ΣF + Z in the world "out".
        truth = draw_uniform_subsets(rng, len(self.others), self.sizes[world], n_draws)
        noise = rng.standard_normal((len(self.record), n_draws))
        own = self.record[:, None] if world == IN else 0.0
        return truth, self.others.T @ truth + own + noise

    def candidates(
        self, rng: Generator, releases: Floats, candidates: int, **options: Any
    ) -> GuidedSubsets:
        """A list for each release: columns k n_draws + i belong to release i, (2, columns).

        The truth, where `hidden` gives one, is the first candidate. Its place does not matter:
        the ratio is symmetric in the candidates.
        """
        both = np.stack([releases - self.record[:, None], releases], axis=1)
        targets = np.tile(both, (1, 1, candidates))
        return draw_guided_subsets(rng, self.guide, targets, self.sizes, **options)
