r"""Exact laws over all samples, by meeting in the middle.

The mechanism chooses candidate w with probability P(w|D) ∝ e^(−Σ_{i∈D} L(w,i)) from the sample
D, a uniform n-subset of N records; L is the table of scores. The records are split into two
halves, a sample is a pair of partial subsets of sizes k and n − k, and `_pair_sums` adds up all
pairs of a size. The sums of partial subsets with and without a record are added separately, so
nothing is ever subtracted and the relative error stays small however extreme a ratio is.
"""

import math
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import ArrayLike

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.population.choices.enumeration_error import enumeration_error
from deniable.population.choices.finite_laws import FiniteLaws
from deniable.population.choices.halves import members, parts
from deniable.population.choices.log_sums import RunningSum, sums_by_member
from deniable.population.choices.pair_sums import (
    BLOCK,
    DEVICE_BLOCK,
    REACH,
    pair_sums,
)
from deniable.population.work import parallel
from deniable.population.work.array_api import Floats, host, placed
from deniable.population.work.effort import Effort

ROWS = 8192
"""Partial subsets of either half in one task."""
CELLS = 2**22
"""Numbers in one task's tables; with many records or candidates a task has fewer rows."""
LARGEST = 1e300
"""No sum of scores may pass it."""
MOST = 2**62
"""More samples cannot be numbered."""


@attrs.frozen(eq=False)
class Task:
    """All pairs of some partial subsets of size `inside` with some of the other half."""

    scores: Floats
    size: int
    inside: int
    first: tuple[int, int]
    second: tuple[int, int]
    device: str | None

    @property
    def pairs(self) -> int:
        """How many samples these are."""
        return (self.first[1] - self.first[0]) * (self.second[1] - self.second[0])


def enumerated(scores: ArrayLike, size: int, *, effort: Effort | None = None) -> FiniteLaws:
    r"""The laws of the chosen candidate given each record in, and out of, the sample.

    .. math:: P_{in,x}(w) = \binom{N-1}{n-1}^{-1} \sum_{D \ni x} P(w|D), \qquad
              P(w|D) \propto e^{-\sum_{i \in D} L(w,i)}

    The time limit of `effort` is not looked at: ask `enumeration_seconds` first. An interrupted
    run goes on where a checkpoint folder is given. The answer depends on the number of
    workers in its last digits at most, within the stated error.

    Parameters
    ----------
    scores : array_like of float, shape (n_candidates, n_records)
        L: what each record adds to each candidate's scaled loss; for the exponential mechanism
        ε/(2Δ) times its part of the loss. Any finite size; a constant added to all candidates of
        a record changes nothing.
    size : int
        The sample size n, 1 <= n < N.
    effort : Effort, optional
        Workers, scheduler, checkpoint, device and progress.

    Raises
    ------
    InvalidArgument
        If shapes or numbers are wrong, or there are more than 2^62 samples.

    References
    ----------
    lowy-2024, Proposition 9 and the figures after it (which enumerate n = 6).

    Examples
    --------
    >>> found = enumerated([[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]], 2)
    >>> found.subsets, round(found.population_epsilon().maximum().upper, 4)
    (6, 1.3105)
    """
    table, n = checked(scores, size)
    effort = effort or Effort()
    records = table.shape[1]
    subsets = math.comb(records, n)
    if subsets > MOST:
        raise InvalidArgument(
            f"Expected at most 2^62 samples to enumerate, got N={records}, n={n}. Sample them."
        )
    tasks = list(_tasks(table, n, effort.device))
    half = records // 2
    sums = {(side, within): RunningSum() for side in (0, 1) for within in (True, False)}
    pairs = [task.pairs for task in tasks]
    for result in parallel.blocks(summed, tasks, effort, key="enumeration", weights=pairs):
        for (side, within), total in sums.items():
            total.add(result[f"{'in' if within else 'out'}_{side}"])
    inside, outside = (
        np.concatenate([sums[0, within].total()[:half], sums[1, within].total()])
        for within in (True, False)
    )
    return FiniteLaws(
        inside - math.log(math.comb(records - 1, n - 1)),
        outside - math.log(math.comb(records - 1, n)),
        enumeration_error(table, n, ROWS, sums[0, True].depth),
        subsets,
    )


def enumeration_seconds(
    population: int, size: int, candidates: int, *, spread: float = 0.0
) -> float:
    """About how long `enumerated` takes on two cores, in seconds; for choosing a method.

    Parameters
    ----------
    population, size, candidates : int
        N, n and the number of candidates.
    spread : float
        The largest spread of one record's scores over the candidates; past 250/N the sums of
        partial subsets no longer fit one scale, and the work grows.

    Examples
    --------
    >>> 0.1 < enumeration_seconds(30, 15, 32) < 10 < enumeration_seconds(36, 18, 32) < 240
    True
    """
    if math.comb(population, size) > MOST:
        return math.inf
    half = population // 2
    pairs = rows = 0
    for inside in range(max(0, size - (population - half)), min(half, size) + 1):
        one, other = math.comb(half, inside), math.comb(population - half, size - inside)
        pairs, rows = pairs + one * other, rows + one + other
    seconds = pairs * (4e-9 + 1.5e-10 * candidates) + 0.002 * min(size, half)
    seconds += rows * (candidates * 2e-8 + half * (5e-9 + 5e-11 * candidates))
    if spread * half > REACH:
        together = 2.0 ** min(REACH / spread, half) if spread * half / REACH < 1000 else 1.0
        share = max(1.0, together * min(ROWS, max(1, rows // 4)) / 2.0**half)
        seconds += pairs * candidates * 4e-8 / share
    return seconds


def checked(scores: ArrayLike, size: int) -> tuple[Floats, int]:
    """Scores as a float table of two dimensions, and n in 1 … N − 1."""
    table = np.asarray(scores, np.float64)
    if table.ndim != 2 or not table.size:
        raise InvalidArgument(
            f"Expected a table of scores, candidates by records, got shape {table.shape}."
        )
    if not np.isfinite(table).all() or np.abs(table).max() > LARGEST / table.shape[1]:
        raise InvalidArgument(
            "Expected finite scores, got one that is missing or too large to add."
        )
    n = _validate.integer(size, "size", least=1)
    if n >= table.shape[1]:
        raise InvalidArgument(
            f"Expected size < the number of records, got size={n}, records={table.shape[1]}. "
            f"Someone must be left out of the sample."
        )
    return centred(table), n


def centred(table: Floats) -> Floats:
    """Each record's scores measured from the middle of their range; the law is the same."""
    return np.asarray(table - (table.max(axis=0) / 2 + table.min(axis=0) / 2))


def summed(task: Task) -> dict[str, Floats]:
    """One task: ln of the sums with and without each record of either half."""
    half = task.scores.shape[1] // 2
    sides = (
        (task.scores[:, :half], task.inside, task.first),
        (task.scores[:, half:], task.size - task.inside, task.second),
    )
    # Row sums of scores of the partial subsets of either half: A and B; then all pairs of them,
    # and from each row's sum those with and without each record.
    masks = [
        placed(members(scores.shape[1], size, *part).astype(np.float64), task.device)
        for scores, size, part in sides
    ]
    rows = [
        -(mask @ placed(np.ascontiguousarray(scores.T), task.device))
        for mask, (scores, *_) in zip(masks, sides, strict=True)
    ]
    block = BLOCK if task.device is None else DEVICE_BLOCK
    result: dict[str, Floats] = {}
    for side, (found, mask) in enumerate(
        zip(pair_sums(rows[0], rows[1], block), masks, strict=True)
    ):
        inside, outside = sums_by_member(found, mask)
        result |= {f"in_{side}": host(inside), f"out_{side}": host(outside)}
    return result


def _tasks(table: Floats, size: int, device: str | None) -> Iterator[Task]:
    candidates, records = table.shape
    half = records // 2
    rows = max(1, min(ROWS, CELLS // (records + candidates)))
    for inside in range(max(0, size - (records - half)), min(half, size) + 1):
        for first in parts(math.comb(half, inside), rows):
            for second in parts(math.comb(records - half, size - inside), rows):
                yield Task(table, size, inside, first, second, device)
