"""The noisy sum of whole-number records: ε̃ of every record, enclosed."""

import contextlib
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable import _validate
from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.whole_sums import choice
from deniable.population.whole_sums.endless import endless_losses
from deniable.population.whole_sums.laws import Floats
from deniable.population.whole_sums.multiset import Ints, Multiset, multiset
from deniable.population.whole_sums.parts import Losses, losses
from deniable.population.whole_sums.reduced import Reduced
from deniable.population.whole_sums.release import Noise
from deniable.population.work.effort import Effort
from deniable.population.work.memory import memory
from deniable.population.work.time_limit import OutOfTime, check, late, limited

Records: TypeAlias = Literal["worst", "all"] | Sequence[int]

_WIDE = 1e-6
"""Share of ε̃ beyond which an interval is worth more work."""
_LEAST = 1e-3
"""An ε̃ below is as good as none: widths are measured against this."""


def lattice(
    values: ArrayLike,
    size: int,
    noise: Noise,
    delta: float = 0.0,
    *,
    records: Records = "worst",
    effort: Effort | None = None,
) -> RecordBounds:
    r"""ε̃ of Σ y_i + X over a uniform sample of whole numbers y_i, enclosed.

    The laws of the sum with and without a record come from exact numbers of samples or from a
    recursion of non-negative terms where their tables are small, else from tilted Fourier
    inversion with bounded errors, a few records far from all others apart; the noise is added by
    running sums of non-negative terms. With δ = 0 every whole output is looked at.

    **Cost.** With W whole numbers between the least and the largest sum of n records (or, with
    δ > 0, between those that matter) and d distinct values: time and memory of order d·W, a
    part at a time; see `benchmarks/population_whole_sums.py`.

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

    Returns
    -------
    RecordBounds
        An enclosure for each record.

    Raises
    ------
    InvalidArgument
        If a value is not whole, a number is out of its range, or the sums range so widely that
        their probabilities do not fit into memory. That is said at once.

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
    lower, upper = _enclosed(problem, targets, noise, d, effort or Effort())
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
    problem: Multiset, targets: Ints, noise: Noise, delta: float, effort: Effort
) -> tuple[Floats, Floats]:
    nothing = np.zeros(len(targets))
    if len(problem.values) == 1:  # the sum is no secret
        return nothing, nothing
    if isinstance(noise, DiscreteGaussian) and delta == 0:
        return endless_losses(problem, targets)
    with limited(effort.time_limit):
        return _within_time(Reduced(problem, targets, noise, delta), effort)


def _within_time(reduced: Reduced, effort: Effort) -> tuple[Floats, Floats]:
    each = memory() / effort.workers
    try:
        check()
        first = choice.best(reduced, each)
    except OutOfTime:
        return reduced.noise_alone()
    found = losses(reduced, first, effort)
    with contextlib.suppress(OutOfTime):
        for method in (choice.farther_tilts, choice.exact):
            wide = np.flatnonzero(_is_wide(found) & found.reached)
            if first.exact or not len(wide) or late():
                break
            some = reduced.only(wide)
            again = method(some, each)
            if again is not None and choice.is_worth_it(again, some, first, reduced):
                ends = losses(some, again, effort)
                found.narrow(wide, ends.lower, ends.upper)
    return found.lower, found.upper


def _is_wide(found: Losses) -> NDArray[np.bool_]:
    return np.asarray(found.upper - found.lower > _WIDE * np.maximum(found.lower, _LEAST))
