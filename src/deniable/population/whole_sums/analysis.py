"""The noisy sum of whole-number records: ε̃ of every record, enclosed."""

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike

from deniable import _validate
from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.whole_sums import ways as _ways
from deniable.population.whole_sums.endless import endless_losses
from deniable.population.whole_sums.laws import Floats
from deniable.population.whole_sums.multiset import Ints, Multiset, multiset
from deniable.population.whole_sums.release import Noise
from deniable.population.whole_sums.work import (
    Asked,
    Work,
    best_work,
    farther_work,
    losses,
    noise_alone,
)
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import OutOfTime, check, late, left, limited

Records: TypeAlias = Literal["worst", "all"] | Sequence[int]

_WIDE = 1e-6
"""Share of ε̃ beyond which an interval is worth tilts for unlikely outputs."""


class TooLong(InvalidArgument):
    """The work would take longer than the time limit."""


def lattice(
    values: ArrayLike,
    size: int,
    noise: Noise,
    delta: float = 0.0,
    *,
    records: Records = "worst",
    effort: Effort | None = None,
    refuse: bool = True,
) -> RecordBounds:
    r"""ε̃ of Σ y_i + X over a uniform sample of whole numbers y_i, enclosed.

    The laws of the sum with and without a record come from exact numbers of samples or from a
    recursion of non-negative terms where their tables are small, else from tilted Fourier
    inversion with bounded errors, a few records far from all others apart; the noise is added by
    running sums of non-negative terms. With δ = 0 every whole output is looked at.

    **Cost.** With W whole numbers between the least and the largest sum of n records (or, with
    δ > 0, between those that matter) and d distinct values: time and memory of order d·W, a
    part at a time; see `benchmarks/population_lattice.py`.

    Parameters
    ----------
    values : array_like of int, shape (n_records,)
        The parent set, in units of the noise; repeats and negative values are fine.
    size : int
        n, 1 <= n < n_records.
    noise : DiscreteLaplace or DiscreteGaussian
        What is added to the *sum*.
    delta : float
        δ in [0, 1). With discrete Gaussian noise and δ = 0, ε̃ is infinite unless all values are
        equal.
    records : "worst", "all" or sequence of int
        Which records to report; "worst" looks at all, and reports the interval of the largest ε̃
        beside the record with the largest upper end.
    effort : Effort, optional
        Workers, checkpoint and progress, on which the answer does not depend. Records that are
        not reached within `time_limit` get what the noise alone gives: 0 to the ε of exchanging
        them for the farthest other record.
    refuse : bool
        Whether to refuse work that would take longer than the time limit; otherwise every record
        gets what the noise alone gives.

    Returns
    -------
    RecordBounds
        An enclosure for each record.

    Raises
    ------
    InvalidArgument
        If a value is not whole, a number is out of its range, or the sums range too widely: for
        memory, or for the seconds that `effort.time_limit` allows. That is said at once.

    References
    ----------
    lowy-2024, Definition 2.

    Examples
    --------
    >>> from deniable.mechanisms import DiscreteLaplace
    >>> found = lattice([0, 1, 5, 2], 2, DiscreteLaplace(2.0))
    >>> found.worst(), round(found.maximum().upper, 6)
    (2, 2.0)
    """
    problem, places = multiset(values, size)
    d = _validate.probability(delta, "delta")
    if d == 1:
        raise InvalidArgument("Expected delta < 1, got delta=1.0.")
    chosen = _chosen(records, len(places))
    targets = np.unique(places[chosen])
    lower, upper = _enclosed(problem, targets, noise, d, effort or Effort(), refuse=refuse)
    at = np.searchsorted(targets, places[chosen])
    found = RecordBounds(chosen, lower[at], upper[at], Evidence.ENCLOSURE)
    if not isinstance(records, str) or records == "all":
        return found
    return RecordBounds(
        [found.worst()], [found.lower.max()], [found.upper.max()], Evidence.ENCLOSURE
    )


def _chosen(records: Records, n_records: int) -> Ints:
    if isinstance(records, str):
        _validate.one_of(records, ("worst", "all"), "records")
        return np.arange(n_records)
    chosen = [_validate.integer(record, "a record", least=0) for record in records]
    if not chosen or max(chosen) >= n_records:
        raise InvalidArgument(
            f"Expected records from 0 to {n_records - 1}, at least one, got {chosen}."
        )
    return np.array(chosen, np.int64)


def _enclosed(
    problem: Multiset,
    targets: Ints,
    noise: Noise,
    delta: float,
    effort: Effort,
    *,
    refuse: bool,
) -> tuple[Floats, Floats]:
    nothing = np.zeros(len(targets))
    if len(problem.values) == 1:  # the sum is no secret
        return nothing, nothing
    if isinstance(noise, DiscreteGaussian) and delta == 0:
        return endless_losses(problem, targets)
    with limited(effort.time_limit):
        return _within_time(Asked(problem, targets, noise, delta), effort, refuse=refuse)


def _within_time(asked: Asked, effort: Effort, *, refuse: bool) -> tuple[Floats, Floats]:
    targets = asked.targets
    try:
        check()
        work = best_work(asked, effort.time_limit * effort.workers)
    except OutOfTime:
        return noise_alone(asked)
    if not _fits_in_time(asked, work, effort, refuse=refuse):
        return noise_alone(asked)
    lower, upper = losses(asked, work, effort)
    wide = np.flatnonzero(upper - lower > _WIDE * np.maximum(lower, 1e-3))
    if len(wide):
        some = attrs.evolve(asked, targets=targets[wide])
        again = None if late() else farther_work(some, work)
        if again is not None and again.cost.total(len(wide)) < left():
            ends = losses(some, again, effort)
            lower[wide] = np.maximum(lower[wide], ends[0])
            upper[wide] = np.minimum(upper[wide], ends[1])
    return lower, upper


def _fits_in_time(asked: Asked, work: Work, effort: Effort, *, refuse: bool) -> bool:
    """Whether it ends in time; or refuse at once what would not, and what does not fit."""
    advice = "Round the records to a coarser unit, or use Gaussian or Laplace noise."
    columns = work.cost.columns * (1 if asked.delta == 0 else asked.problem.step)
    if columns > _ways.MOST_COLUMNS:
        raise InvalidArgument(
            f"Expected sums that range over at most {_ways.MOST_COLUMNS} whole numbers, got "
            f"{columns}. {advice}"
        )
    seconds = work.cost.total(len(asked.targets), effort.workers)
    if math.isinf(seconds):
        raise InvalidArgument(
            "Expected sums within reach, got records that range too widely beside the noise. "
            f"{advice}"
        )
    ends = effort.scheduler is not None or seconds <= effort.time_limit
    if refuse and not ends:
        raise TooLong(
            f"Expected work within the time limit of {effort.time_limit:g} seconds, got at "
            f"least {seconds:.0f} seconds of it. {advice[:-1]}, or allow more time."
        )
    return ends
