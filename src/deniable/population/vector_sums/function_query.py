"""Any query: a Python function of the members' rows, such as a median or a regression.

The lists need a density that can be evaluated, φ(t − query(members)), and laws that are positive
on every subset; nothing else. Subsets are guided by a linear stand-in for the query, fitted to
its values on uniform samples; what the stand-in misses widens the guide's noise. A poor stand-in
costs draws, never truth.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.population.vector_sums.guide import Guide
from deniable.population.vector_sums.guided_subsets import (
    Hidden,
    guided_subsets,
    uniform_subsets,
)
from deniable.population.vector_sums.lists import IN, ListDraws, batch_size
from deniable.population.vector_sums.release import Release, smaller
from deniable.population.vector_sums.result import CrowdResult
from deniable.population.vector_sums.search import Search, ends, positions
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import OutOfTime, check, limited
from deniable.priors.protocol import Generator

Query: TypeAlias = Callable[[NDArray[np.float64]], ArrayLike]
"""Members' rows, in the order of the parent set, to d finite numbers."""

_FIT = 6
_FITTING = 6
_RIDGE = 1e-3
_SHARE = 1e-8
"""Noise below this share of the answers' range is lost beside them."""


@attrs.frozen(eq=False)
class Centred:
    """A query less its answer for one sample, which moves every release alike.

    Answers far from 0 would leave no digits for the noise.
    """

    query: Query
    reference: NDArray[np.float64]

    @classmethod
    def at(cls, query: Query, records: NDArray[np.float64], size: int) -> "Centred":
        """Measured from the answer for the first records."""
        first = np.zeros((len(records), 1), np.bool_)
        first[:size] = True
        return cls(query, _answers(query, records, first)[:, 0])

    def __call__(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The difference, rounded by no more than a unit of itself."""
        return np.atleast_1d(np.asarray(self.query(rows), np.float64)) - self.reference


@attrs.frozen(eq=False)
class QueryRelease:
    """Publishes query(rows of D) + N(0, σ²I), D a uniform subset of `size` records.

    Parameters
    ----------
    query : callable
        The query.
    records : array, shape (N, …)
        The parent set.
    size : int
        n.
    sigma : float
        Noise on every coordinate.
    points : array, shape (N, d)
        The linear stand-in, in units of the noise: its slope for each record's membership.
    offset : array, shape (d,)
        What the stand-in says of an empty sample.
    noise : array, shape (d, d)
        Covariance of the noise and of what the stand-in misses.
    """

    most_candidates: ClassVar[int] = 64

    query: Query
    records: NDArray[np.float64]
    size: int
    sigma: float
    points: NDArray[np.float64]
    offset: NDArray[np.float64]
    noise: NDArray[np.float64]

    @classmethod
    def fitted(
        cls, rng: Generator, query: Query, records: NDArray[np.float64], size: int, sigma: float
    ) -> "QueryRelease":
        """Fit the stand-in by least squares on samples that are used for nothing else.

        Examples
        --------
        >>> rng, rows = np.random.default_rng(0), np.arange(6.0)
        >>> found = QueryRelease.fitted(rng, lambda m: [m.sum()], rows, 3, 1.0)
        >>> np.diff(found.points[:, 0]).round(2).tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]
        """
        members = uniform_subsets(rng, len(records), size, _FIT * len(records) + 50)
        answers = _answers(query, records, members)
        if not 1e-100 <= sigma <= 1e100 or np.abs(answers).max() * _SHARE > sigma:
            raise InvalidArgument(
                "Expected noise from 1e-100 to 1e100, not below 1e-8 of the range of the query's "
                "answers, got other noise. Choose another unit, or more noise."
            )
        answers = answers / sigma
        share, mean = members.mean(axis=1), answers.mean(axis=1)
        features = members - share[:, None]
        gram = features @ features.T
        ridge = _RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
        points = np.linalg.solve(gram + ridge, features @ (answers.T - mean))
        missed = answers - mean[:, None] - points.T @ features
        noise = np.eye(len(mean)) + missed @ missed.T / len(missed.T)
        offset = mean - share @ points
        return cls(query, records, size, sigma, points, offset, noise)

    @property
    def population(self) -> int:
        """N."""
        return len(self.records)

    @property
    def pilot_draws(self) -> int:
        """Each costs several calls of the query."""
        return 500

    def directions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Likelihood-ratio directions and lengths, as if the stand-in were the query."""
        share, population = self.size / self.population, self.population
        centred = self.points - self.points.mean(axis=0)
        scale = share * (1 - share) * population / max(population - 1, 1)
        shifts = centred * (population / max(population - 1, 1))
        covariance = scale * centred.T @ centred + self.noise
        slopes = np.asarray(np.linalg.solve(covariance, shifts.T).T, np.float64)
        return slopes, np.sqrt(np.maximum((shifts * slopes).sum(axis=1), 0.0))

    def target(self, record: int) -> "QueryTarget":
        """One record and the guide of the others."""
        others = np.delete(self.points, record, axis=0)
        guide = Guide.towards(others, (self.size - 0.5) / len(others), self.noise)
        return QueryTarget(self, record, guide)

    def block_draws(self, candidates: int) -> int:
        """How many draws make one block of work."""
        return max(32, 2048 // candidates)

    def fingerprint(self) -> bytes:
        """The fitted stand-in tells one query from another."""
        parts = (self.records, self.points, self.offset, self.noise)
        return repr((self.size, self.sigma)).encode() + b"".join(part.tobytes() for part in parts)

    def answers(
        self, others: NDArray[np.bool_], record: int, *, holds: bool
    ) -> NDArray[np.float64]:
        """The query, in units of the noise, of subsets of the others with or without the record."""
        members = np.insert(others, record, holds, axis=0)
        return _answers(self.query, self.records, members) / self.sigma


@attrs.frozen(eq=False)
class QueryTarget:
    """One record of an arbitrary query."""

    release: QueryRelease
    record: int
    guide: Guide

    def draws(
        self,
        rng: Generator,
        world: int,
        candidates: int,
        n_draws: int,
        slope: NDArray[np.float64],
    ) -> ListDraws:
        """Independent releases of one world, each with its list of `candidates` pairs."""
        batch = batch_size(candidates, self.release.population, kept=True)
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
        sizes = (self.release.size - 1, self.release.size)
        truth = uniform_subsets(rng, self.release.population - 1, sizes[world], n_draws)
        exact = self.release.answers(truth, self.record, holds=world == IN)
        releases = exact + rng.standard_normal(exact.shape)
        missing = releases - self.release.offset[:, None]
        both = np.stack([missing - self.release.points[self.record][:, None], missing], axis=1)
        drawn = guided_subsets(
            rng,
            self.guide,
            np.tile(both, (1, 1, candidates)),
            sizes,
            hidden=Hidden(world, truth),
            keep=True,
        )
        assert drawn.members is not None
        wide = np.tile(releases, (1, candidates))
        errors = [
            (
                (wide - self.release.answers(drawn.members[:, row], self.record, holds=row == IN))
                ** 2
            )
            for row in (0, 1)
        ]
        weights = drawn.log_shares - np.stack([error.sum(axis=0) for error in errors]) / 2
        return ListDraws.of(weights.reshape(2, candidates, n_draws), releases, slope)


def crowd_bounds_of_query(
    query: Query,
    records: ArrayLike,
    size: int,
    sigma: float,
    delta: float,
    *,
    targets: Sequence[int],
    effort: Effort,
    fallback: ArrayLike | None = None,
) -> CrowdResult:
    """Certified brackets of ε̃ for any query of a uniform sample plus Gaussian noise.

    Parameters
    ----------
    query : callable
        Members' rows (n, …), in the order of `records`, to d finite numbers. With several
        workers it must be importable by them.
    records : array_like, shape (N, …)
        The parent set, one record a row.
    size : int
        n, with 1 <= n < N.
    sigma : float
        Standard deviation of the noise on every coordinate of the query, > 0.
    delta : float
        δ in (0, 1).
    targets : sequence of int
        Positions of the records asked for.
    effort : Effort
        Confidence that all brackets cover; gap, time limit, seed and workers.
    fallback : array_like of float, optional
        Upper ends that hold for certain, one a target.

    Raises
    ------
    InvalidArgument
        If an argument is out of its range or the query gives no finite numbers.

    Examples
    --------
    >>> rows = np.array([1.0, 1.5, 2.0, 4.0, 4.5, 9.0])
    >>> spent = crowd_bounds_of_query(
    ...     lambda m: [np.median(m)], rows, 3, 2.0, 0.05, targets=[5], effort=Effort(gap=1.0)
    ... )
    >>> bool(spent.bounds.lower[0] < spent.bounds.upper[0] < 2)
    True
    """
    rows = np.asarray(records, np.float64)
    if rows.ndim < 1 or not rows.size or not np.all(np.isfinite(rows)):
        raise InvalidArgument("Expected finite records, one a row.")
    n, s = smaller(size, len(rows)), _validate.positive(sigma, "sigma")
    chosen = positions(targets, len(rows))
    d, above = _validate.open_probability(delta, "delta"), ends(fallback, chosen, "fallback")
    with limited(effort.time_limit):
        search = Search(Release.of(np.zeros(len(rows)), n, s), d, effort)
        try:
            centred = Centred.at(query, rows, n)
            release = QueryRelease.fitted(effort.generator(_FITTING), centred, rows, n, s)
            search = attrs.evolve(search, release=release)
            return search.one_by_one(chosen, None, above)
        except OutOfTime:
            return search.nothing(chosen, None, above)


def _answers(
    query: Query, records: NDArray[np.float64], members: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The query of every column's rows; (d, n_subsets)."""
    answers = []
    for each in members.T:
        check()
        answers.append(np.atleast_1d(np.asarray(query(records[each]), np.float64)))
    found = np.array(answers)
    if found.ndim != 2 or not np.all(np.isfinite(found)):
        raise InvalidArgument(
            "Expected a query that turns any sample into the same number of finite numbers."
        )
    return found.T
