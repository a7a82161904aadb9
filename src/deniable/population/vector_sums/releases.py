"""What is released of a sample: a sum with Gaussian noise, or any query of the rows, a median say.

The lists need a density that can be evaluated, φ(t − query(members)), and laws that are positive
on every subset. Subsets are guided by a linear stand-in for the query, fitted to its values on
uniform samples; what it misses widens the guide's noise. It costs draws, never truth.
"""

from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument
from deniable.numerics.effort import Effort, Generator, check
from deniable.population.bounds import gaussian_shifts
from deniable.population.question import Bools, Floats, SampleFunction, floats
from deniable.population.vector_sums.guided_subsets import (
    IN,
    OUT,
    Guide,
    GuidedSubsets,
    Hidden,
    ListDraws,
    RecordWorlds,
    batch_size,
    draw_guided_subsets,
    draw_uniform_subsets,
)
from deniable.population.vector_sums.running_interval import FITTING

_CELLS, _DRAWS = 16_000_000, (64, 4096)  # Records × candidates × draws of a block; its draws
_PILOT_CELLS, _PILOT_SUMS = 8_000_000, (200, 2000)  # Records times draws of a pilot; its draws


@attrs.frozen(eq=False)
class SumRelease:
    """Publishes Σ_{i∈D} y_i + N(0, I), D a uniform subset of `size` records.

    Centring the records moves all releases alike and changes no divergence.
    """

    most_candidates: ClassVar[int] = 1024

    # (N, d): the records' contributions, divided by the noise's standard deviation and centred.
    points: Floats
    size: int  # n, with 1 <= n < N

    @classmethod
    def of(cls, values: Floats, size: int, sigma: float) -> "SumRelease":
        """The release of Σ values + N(0, σ²I); values (N, d).

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
        return int(np.clip(_PILOT_CELLS // self.population, *_PILOT_SUMS))

    @property
    def dimension(self) -> int:
        """d."""
        return int(self.points.shape[1])

    def worlds(self, record: int) -> "SumRecord":
        """One record in the sample, and out of it."""
        others = np.delete(self.points, record, axis=0)
        guide = Guide.towards(others, (self.size - 0.5) / len(others), np.eye(self.dimension))
        return SumRecord(self.points[record], others, self.size, guide)

    def block_draws(self, candidates: int) -> int:
        """How many draws make one block of work."""
        return int(np.clip(_CELLS // (self.population * candidates), *_DRAWS))

    def decisions(self, candidates: int) -> float:
        """Return the decisions of one draw of both worlds: each has a list of pairs of samples."""
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
        """Return the release's covariance: of the sum of a uniform n-subset, plus the noise's."""
        # n/N (1 − n/N) N/(N − 1) Σ (y − ȳ)(y − ȳ)ᵀ + I
        share = self.size / self.population
        scale = share * (1 - share) * self.population / max(self.population - 1, 1)
        spread: Floats = self.points.T @ self.points
        return scale * spread + np.eye(self.dimension)


@attrs.frozen(eq=False)
class SumRecord(RecordWorlds):
    """One record of a sum, the others, and their guide; everything in units of the noise."""

    record: Floats
    others: Floats
    size: int
    guide: Guide

    @property
    def sizes(self) -> tuple[int, int]:
        """How many of the others are in the sample, with the record in and out."""
        return self.size - 1, self.size

    def batch_size(self, candidates: int) -> int:
        """Return how many draws keep their lists in the cache."""
        return batch_size(candidates, len(self.others))

    def batch(
        self, rng: Generator, world: int, candidates: int, n_draws: int, slope: Floats
    ) -> ListDraws:
        """Draw all at once what `draws` yields."""
        truth, releases = self.releases(rng, world, n_draws)
        drawn = self.candidates(rng, releases, candidates, hidden=Hidden(world, truth))
        return ListDraws.of(drawn.log_weights().reshape(2, candidates, n_draws), releases, slope)

    def releases(self, rng: Generator, world: int, n_draws: int) -> tuple[Bools, Floats]:
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


VectorQuery: TypeAlias = Callable[[NDArray[Any]], ArrayLike]
"""Members' rows, in the order of the parent set, to d finite numbers."""

_SAMPLES = 6  # Samples a record, and 50, to fit the stand-in to: N slopes from 6 N answers
_RIDGE = 1e-3  # Of a membership's mean variance, added: a sample's memberships add up to n
_BLOCK_CALLS, _LEAST_DRAWS = 2048, 32
"""Candidates times draws of a block of work, of which each calls the query twice; and the fewest
draws of a block."""
_LEAST_NOISE = 1e-8  # Share of the answers' range below which noise is lost beside them


@attrs.frozen(eq=False)
class Centred:
    """A query less its answer for one sample, which moves every release alike.

    Answers far from 0 would leave no digits for the noise.
    """

    query: VectorQuery
    reference: Floats

    def __call__(self, members: Floats) -> Floats:
        """The difference, rounded by no more than a unit of itself."""
        return np.atleast_1d(floats(self.query(members), "answers", "")) - self.reference


@attrs.frozen(eq=False)
class QueryRelease:
    """Publishes query(rows of D) + N(0, σ²I), D a uniform subset of `size` records."""

    most_candidates: ClassVar[int] = 64

    query: VectorQuery  # The query
    rows: Floats  # (N, …): the parent set
    size: int  # n
    sigma: float  # Noise on every coordinate
    # (N, d): the linear stand-in, in units of the noise: its slope for each record's membership.
    points: Floats
    offset: Floats  # (d,): what the stand-in says of an empty sample
    noise: Floats  # (d, d): covariance of the noise and of what the stand-in misses

    @classmethod
    def of(cls, data: SampleFunction, size: int, sigma: float, effort: Effort) -> "QueryRelease":
        """Return the releases of this function of a sample of `size` rows."""
        first = (np.arange(len(data.rows)) < size)[:, None]
        query = Centred(data.function, _answers(data.function, data.rows, first)[:, 0])
        return cls.fit(effort.generator(FITTING), query, data.rows, size, sigma)

    @classmethod
    def fit(
        cls, rng: Generator, query: VectorQuery, rows: Floats, size: int, sigma: float
    ) -> "QueryRelease":
        """Fit the stand-in by least squares on samples that are used for nothing else.

        >>> rng, rows = np.random.default_rng(0), np.arange(6.0)
        >>> release = QueryRelease.fit(rng, lambda m: [m.sum()], rows, 3, 1.0)
        >>> np.diff(release.points[:, 0]).round(2).tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]
        """
        members = draw_uniform_subsets(rng, len(rows), size, _SAMPLES * len(rows) + 50)
        answers = _answers(query, rows, members)
        if not 1e-100 <= sigma <= 1e100:
            raise InvalidArgument(
                f"Expected sigma from 1e-100 to 1e100, got sigma={sigma:g}. Choose another unit."
            )
        if np.abs(answers).max() * _LEAST_NOISE > sigma:
            raise InvalidArgument(
                f"Expected sigma of at least {_LEAST_NOISE:g} of the range of the query's answers, "
                f"got sigma={sigma:g}. Raise `sigma`."
            )
        answers = answers / sigma
        share, mean = members.mean(axis=1), answers.mean(axis=1)
        features = members - share[:, None]
        # Least squares with a ridge: points = (F Fᵀ + r I)⁻¹ F answersᵀ, F the memberships less
        # their means.
        gram = features @ features.T
        ridge = _RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
        points = np.linalg.solve(gram + ridge, features @ (answers.T - mean))
        missed = answers - mean[:, None] - points.T @ features
        noise = np.eye(len(mean)) + missed @ missed.T / len(missed.T)
        return cls(query, rows, size, sigma, points, mean - share @ points, noise)

    @property
    def population(self) -> int:
        """N."""
        return len(self.rows)

    @property
    def pilot_draws(self) -> int:
        """How many draws plan the rest."""
        return 500  # Fewer than of a sum: each costs nine calls of the query in either world

    def directions(self) -> tuple[Floats, Floats]:
        """Likelihood-ratio directions and lengths, as if the stand-in were the query."""
        share, population = self.size / self.population, self.population
        centred = self.points - self.points.mean(axis=0)
        scale = share * (1 - share) * population / max(population - 1, 1)
        shifts = centred * (population / max(population - 1, 1))
        covariance = scale * centred.T @ centred + self.noise
        slopes = np.asarray(np.linalg.solve(covariance, shifts.T).T, np.float64)
        return slopes, np.sqrt(np.maximum((shifts * slopes).sum(axis=1), 0.0))

    def worlds(self, record: int) -> "QueryRecord":
        """One record in the sample, and out of it."""
        others = np.delete(self.points, record, axis=0)
        guide = Guide.towards(others, (self.size - 0.5) / len(others), self.noise)
        return QueryRecord(self, record, guide)

    def block_draws(self, candidates: int) -> int:
        """How many draws make one block of work."""
        return max(_LEAST_DRAWS, _BLOCK_CALLS // candidates)

    def decisions(self, candidates: int) -> float:  # noqa: ARG002 - the protocol has it
        """None that are counted: how long a call takes only the clock can tell."""
        return 0.0

    def answers(self, others: Bools, record: int, *, holds: bool) -> Floats:
        """The query, in units of the noise, of subsets of the others with or without the record."""
        members = np.insert(others, record, holds, axis=0)
        return _answers(self.query, self.rows, members) / self.sigma


@attrs.frozen(eq=False)
class QueryRecord(RecordWorlds):
    """One record of an arbitrary query."""

    release: QueryRelease
    record: int
    guide: Guide

    def batch_size(self, candidates: int) -> int:
        """Return how many draws keep their lists in the cache, and subsets in memory."""
        return batch_size(candidates, self.release.population, kept=True)

    def batch(
        self, rng: Generator, world: int, candidates: int, n_draws: int, slope: Floats
    ) -> ListDraws:
        """Draw all at once what `draws` yields."""
        sizes = (self.release.size - 1, self.release.size)
        truth = draw_uniform_subsets(rng, self.release.population - 1, sizes[world], n_draws)
        exact = self.release.answers(truth, self.record, holds=world == IN)
        releases = exact + rng.standard_normal(exact.shape)
        missing = releases - self.release.offset[:, None]
        both = np.stack([missing - self.release.points[self.record][:, None], missing], axis=1)
        drawn = draw_guided_subsets(
            rng,
            self.guide,
            np.tile(both, (1, 1, candidates)),
            sizes,
            hidden=Hidden(world, truth),
            keep=True,
        )
        assert drawn.members is not None
        # ln w = −|t − query(members)|²/2 − ln Pr[members] − ln (number of subsets)
        wide = np.tile(releases, (1, candidates))
        squares = [
            ((wide - self.release.answers(members, self.record, holds=row == IN)) ** 2).sum(axis=0)
            for row, members in ((IN, drawn.members[:, IN]), (OUT, drawn.members[:, OUT]))
        ]
        weights = drawn.log_shares - np.stack(squares) / 2
        return ListDraws.of(weights.reshape(2, candidates, n_draws), releases, slope)


def _answers(query: VectorQuery, rows: Floats, members: Bools) -> Floats:
    """The query of every column's rows; (d, n_subsets)."""
    answers = []
    for each in members.T:
        check()
        answers.append(np.atleast_1d(floats(query(rows[each]), "answers", "")))
    alike = len({answer.shape for answer in answers}) == 1
    table = np.array(answers) if alike else np.empty(0)
    if table.ndim != 2 or not np.all(np.isfinite(table)):
        raise InvalidArgument(
            "Expected a query that turns any sample into the same number of finite numbers."
        )
    return table.T
