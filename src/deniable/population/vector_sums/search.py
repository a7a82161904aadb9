"""Brackets of ε̃ for a sum of records: adaptive lists and draws, stopping when good enough."""

import contextlib
import hashlib
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.vector_sums.release import Release
from deniable.population.vector_sums.result import Budget, CrowdResult, bracket
from deniable.population.vector_sums.single import (
    FRESH,
    PILOT,
    PILOT_CANDIDATES,
    Plan,
    Standing,
    Subject,
    Task,
    draw,
)
from deniable.population.work.effort import Effort
from deniable.population.work.parallel import blocks
from deniable.population.work.time_limit import OutOfTime, check, late, limited

_ROUNDS = 24


def crowd_bounds(
    values: ArrayLike,
    size: int,
    sigma: float,
    delta: float,
    *,
    records: Sequence[int],
    effort: Effort,
    lower: ArrayLike | None = None,
    fallback: ArrayLike | None = None,
) -> RecordBounds:
    """Certified brackets of ε̃ for the sum of a uniform sample plus Gaussian noise.

    See `crowd_search`, which also tells what was spent.

    Examples
    --------
    >>> values = [[0.0, 1.0], [2.0, 0.5], [1.0, 1.0], [0.5, 3.0], [1.5, 2.0], [4.0, 0.0]]
    >>> found = crowd_bounds(values, 3, 4.0, 0.01, records=[5], effort=Effort(gap=0.5))
    >>> bool(0 < found.lower[0] < found.upper[0] < 2)
    True
    """
    return crowd_search(
        values, size, sigma, delta, records=records, effort=effort, lower=lower, fallback=fallback
    ).bounds


def crowd_search(
    values: ArrayLike,
    size: int,
    sigma: float,
    delta: float,
    *,
    records: Sequence[int],
    effort: Effort,
    lower: ArrayLike | None = None,
    fallback: ArrayLike | None = None,
) -> CrowdResult:
    """Brackets of ε̃ with the draws, list lengths and failure probabilities behind them.

    Parameters
    ----------
    values : array_like of float, shape (N, d) or (N,)
        What each record adds to the query.
    size : int
        n, with 1 <= n < N.
    sigma : float
        Standard deviation of the noise on the sum, in every coordinate, > 0.
    delta : float
        δ in (0, 1).
    records : sequence of int
        Positions, from 0, of the records asked for.
    effort : Effort
        Confidence that *all* brackets cover; `gap`, `time_limit`, seed and workers.
    lower, fallback : array_like of float, shape (n_records,), optional
        Lower and upper ends that hold for certain. With lower ends none are drawn.

    Raises
    ------
    InvalidArgument
        If an argument is out of its range.

    Examples
    --------
    >>> spent = crowd_search(range(20), 10, 20.0, 0.1, records=[19], effort=Effort(gap=0.5))
    >>> spent.candidates, round(spent.alpha_upper, 4)
    (1, 0.0375)
    """
    release, d = Release.of(values, size, sigma), _validate.open_probability(delta, "delta")
    chosen = positions(records, release.population)
    known, above = ends(lower, chosen, "lower"), ends(fallback, chosen, "fallback")
    search = Search(release, d, effort)
    with limited(effort.time_limit):
        try:
            return search.one_by_one(chosen, known, above)
        except OutOfTime:
            return search.nothing(chosen, known, above)


def positions(records: Any, population: int) -> NDArray[np.int64]:
    """Distinct positions of records, at least one."""
    found = np.atleast_1d(np.asarray(records))
    numbers = found.ndim == 1 and found.size and found.dtype.kind in "iuf"
    if not numbers or np.any(found % 1 != 0) or found.min() < 0 or found.max() >= population:
        raise InvalidArgument(f"Expected positions of records from 0 to {population - 1}.")
    if len(np.unique(found)) < len(found):
        raise InvalidArgument("Expected every record once.")
    return found.astype(np.int64)


def ends(
    value: ArrayLike | None, records: NDArray[np.int64], what: str
) -> NDArray[np.float64] | None:
    """Given ends, one a record."""
    if value is None:
        return None
    found = np.atleast_1d(np.asarray(value, np.float64))
    if found.shape != records.shape or not np.all(found >= 0):
        raise InvalidArgument(
            f"Expected {what} to hold {len(records)} numbers >= 0, one a record, "
            f"got shape {found.shape}."
        )
    return found


@attrs.frozen
class Search:
    """One analysis: what is released, and how much work is allowed."""

    release: Subject
    delta: float
    effort: Effort

    def nothing(
        self,
        records: NDArray[np.int64],
        known: NDArray[np.float64] | None,
        fallback: NDArray[np.float64] | None,
    ) -> CrowdResult:
        """What is known without a draw, where time did not allow for one."""
        budget = Budget.of(self.effort, lower_given=known is not None)
        lower = np.zeros(len(records)) if known is None else known
        ends = lower, np.full(len(records), np.inf)
        bounds = bracket(records, ends, fallback, self.effort, 0)
        return CrowdResult(bounds, 0, 0, budget.upper, budget.lower)

    def one_by_one(
        self,
        records: NDArray[np.int64],
        known: NDArray[np.float64] | None,
        fallback: NDArray[np.float64] | None,
    ) -> CrowdResult:
        """Lists of their own for every record."""
        budget = Budget.of(self.effort, lower_given=known is not None).split(len(records))
        standings = self._settled(records, budget, known)
        found = np.array([s.lower for s in standings]), np.array([s.upper for s in standings])
        draws = 2 * sum(s.n_draws for s in standings)
        bounds = bracket(records, found, fallback, self.effort, draws)
        candidates = max(s.plan.candidates for s in standings)
        return CrowdResult(bounds, candidates, draws, budget.upper, budget.lower)

    def _settled(
        self, records: NDArray[np.int64], budget: Budget, known: NDArray[np.float64] | None
    ) -> list[Standing]:
        """Plans from pilots, then rounds that double until every record is done."""
        plans = self._plans(records, budget.upper, attacked=known is None)
        lower: list[float | None] = [None] * len(plans) if known is None else known.tolist()
        standings = [
            Standing(plan, budget.upper, budget.lower, end)
            for plan, end in zip(plans, lower, strict=True)
        ]
        for number in range(_ROUNDS):
            waiting = [s for s in standings if not s.done(self.effort.gap)]
            if not waiting or (number and late()):
                break
            self._round(waiting, number)
            self.effort.progress(1 - len(waiting) / (len(standings) + 1))
        self.effort.progress(1.0)
        return standings

    def _plans(self, records: NDArray[np.int64], alpha: float, *, attacked: bool) -> list[Plan]:
        draws = self.release.pilot_draws
        tasks = [self._task(int(r), PILOT_CANDIDATES, draws, PILOT) for r in records]
        found = blocks(draw, tasks, self._quiet(), key=self._key("pilot", records.tolist()))
        plans = []
        for task, pilot in zip(tasks, found, strict=True):
            plan = Plan.of(pilot, task, self.delta, self.effort.gap, alpha, attacked=attacked)
            plans.append(plan)
            check()
        return plans

    def _round(self, standings: list[Standing], number: int) -> None:
        """2^number blocks for each record, as far as the time allows."""
        owners = standings * 2**number
        tasks = []
        for place, standing in enumerate(owners):
            plan = standing.plan
            n_draws = self.release.block_draws(plan.candidates)
            block = place // len(standings)
            tasks.append(self._task(plan.record, plan.candidates, n_draws, FRESH, number, block))
        lists = [(s.plan.record, s.plan.candidates) for s in standings]
        found = blocks(draw, tasks, self._quiet(), key=self._key("round", number, lists))
        with contextlib.suppress(OutOfTime):
            for standing, block_found in zip(owners, found, strict=False):
                standing.add(block_found)
                if late():
                    break
        for standing in standings:
            standing.settle()

    def _task(self, record: int, candidates: int, n_draws: int, *place: int) -> Task:
        return Task(self.release, record, candidates, n_draws, Effort(seed=self.effort.seed), place)

    def _quiet(self) -> Effort:
        """The rounds tell of their progress themselves."""
        return attrs.evolve(self.effort, progress=silent)

    def _key(self, *what: Any) -> str:
        text = repr((self.effort.seed, self.delta, what)).encode()
        digest = hashlib.sha256(self.release.fingerprint() + text).hexdigest()
        return f"crowd-{digest[:32]}"


def silent(_: float) -> None:
    """Report nothing: the caller reports the progress of the whole."""
